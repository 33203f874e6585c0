//! From addresses counted on the card to positions.

use molien_board::Square;
use molien_board::{Color, Position};
use molien_hyper::{Hyperboard, Index};
use molien_solve::{Count, Longest, SideStats};

/// 64-bit words of one tally, as in `kernels/count.cu`.
pub(crate) const TALLY_WORDS: usize = 8;

/// What one half of a wave has decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Addresses.
    pub decided: u64,
    plain: u64,
    mirrored: u64,
    unique: u64,
    /// The lowest address, complemented.
    first: u64,
    /// Tiles looked at.
    pub tiles: u64,
}

impl Tally {
    pub fn from_words(words: &[u64]) -> Tally {
        Tally {
            decided: words[0],
            plain: words[1],
            mirrored: words[2],
            unique: words[3],
            first: words[4],
            tiles: words[5],
        }
    }

    /// Positions, given how many addresses each placement of like men has.
    pub fn count(&self, board: &Hyperboard) -> Count {
        let factor = board.stored_factor();
        Count {
            unique: self.plain / factor + self.unique,
            nalimov: (self.plain + self.mirrored) / factor,
        }
    }

    fn first_position(&self, board: &Hyperboard, turn: Color) -> Option<Position> {
        let address = !self.first;
        let tile = (address >> 12) as usize;
        let row = Square::new((address >> 6) as usize);
        let column = Square::new(address as usize);
        board.decode(Index { tile, row, column }, turn)
    }
}

/// Everything the waves of one attacker decided, by ply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record {
    pub won: Vec<Tally>,
    pub lost: Vec<Tally>,
    /// Addresses of the deepest wins and losses, where they were noted and
    /// are few enough.
    pub deepest_won: Vec<u64>,
    pub deepest_lost: Vec<u64>,
    /// When each watched position was decided.
    pub watched: Vec<Option<u16>>,
}

/// Puts a tally at a ply; plies that decide nothing leave no trace.
pub(crate) fn put(into: &mut Vec<Tally>, ply: u16, tally: Tally) {
    let ply = usize::from(ply);
    if tally.decided > 0 {
        into.resize(into.len().max(ply + 1), Tally::default());
        into[ply] = tally;
    }
}

fn histogram(board: &Hyperboard, tallies: &[Tally]) -> Vec<Count> {
    tallies.iter().map(|tally| tally.count(board)).collect()
}

fn longest(board: &Hyperboard, tallies: &[Tally], turn: Color) -> Option<Longest> {
    // With a mask, the last waves may have decided nothing that counts.
    let plies = tallies.iter().rposition(|tally| tally.plain + tally.mirrored > 0)?;
    let position = tallies[plies].first_position(board, turn)?;
    Some(Longest { plies: plies as u16, position })
}

impl Record {
    /// Adds one attacker's wins to the statistics.
    pub fn add_to(&self, board: &Hyperboard, attacker: Color, sides: &mut [SideStats; 2]) {
        let winner = &mut sides[attacker.index()];
        winner.wins = histogram(board, &self.won);
        winner.longest_win = longest(board, &self.won, attacker);
        let loser = &mut sides[attacker.other().index()];
        loser.losses = histogram(board, &self.lost);
        loser.longest_loss = longest(board, &self.lost, !attacker);
    }
}
