//! What zeroing moves achieve by themselves, apart from quiet ones.
//!
//! Formats that leave to the reader what a look one move ahead tells (Syzygy's
//! does) need to know in which positions a capture, or any zeroing move, is as
//! good as the best move.

use molien_board::Color;
use molien_hyper::Tile;
use molien_operators::{Backend, Goal};

use super::Exits;

/// The zeroing moves of one hyperboard, judged under the 50-move rule.
pub struct Zeroing {
    backend: &'static dyn Backend,
    exits: Box<dyn Exits>,
}

/// What the captures of one side achieve, for a tile: positions with a capture
/// at least as good. En passant is left out. Positions that are not
/// legal may be among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Captures {
    /// A capture wins.
    pub win: Tile,
    /// A capture wins but for the 50-move rule.
    pub cursed_win: Tile,
    /// A capture draws.
    pub draw: Tile,
    /// A capture loses but for the 50-move rule.
    pub blessed_loss: Tile,
}

/// Positions of a tile that a zeroing move wins: at once, or but for the
/// 50-move rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ZeroingWins {
    /// A zeroing move wins.
    pub win: Tile,
    /// A zeroing move wins, at best but for the 50-move rule.
    pub cursed_win: Tile,
}

/// The ply of a zeroing move by the rule of fifty moves, if what follows is
/// decided in time, and if not.
const IN_TIME: u16 = 1;
const TOO_LATE: u16 = molien_values::FIFTY_MOVES_PLIES + 1;

impl Zeroing {
    /// The zeroing moves among these, which lead to values in DTZ50.
    pub fn new(backend: &'static dyn Backend, exits: Box<dyn Exits>) -> Zeroing {
        Zeroing { backend, exits }
    }

    /// What the captures of `side` achieve in a tile.
    pub fn captures(&self, side: Color, tile: usize) -> Captures {
        let wins = self.exits.captures(side, Goal::Win, tile);
        let holds = self.exits.captures(side, Goal::Hold, tile);
        let draw = holds.escape.or(&wins.release.some);
        Captures {
            win: self.backend.release_at(wins.release.plies(), IN_TIME),
            cursed_win: wins.release.some,
            draw,
            blessed_loss: draw.or(&self.backend.release_at(holds.release.plies(), TOO_LATE)),
        }
    }

    /// The positions of a tile that a zeroing move of `side` wins.
    pub fn wins(&self, side: Color, tile: usize) -> ZeroingWins {
        let release = self.exits.conversions(side, Goal::Win, tile).release;
        ZeroingWins {
            win: self.backend.release_at(release.plies(), IN_TIME),
            cursed_win: release.some,
        }
    }
}
