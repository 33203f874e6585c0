//! From addresses counted on the card to positions.

use molien_board::Square;
use molien_board::{Color, Position};
use molien_hyper::{Hyperboard, Index};
use molien_values::{Count, Longest, Placement, SideStats};

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

    /// Adds what another launch has decided.
    pub fn add(&mut self, other: &Tally) {
        self.decided += other.decided;
        self.plain += other.plain;
        self.mirrored += other.mirrored;
        self.unique += other.unique;
        self.first = self.first.max(other.first);
        self.tiles += other.tiles;
    }
}

/// What the tiles of a unit are: one board without pawns, or one board after
/// the other for each placement of the pawns.
#[derive(Clone, Copy)]
pub(crate) struct Boards<'a> {
    /// The board, or that of the first placement.
    pub board: &'a Hyperboard,
    /// None without pawns.
    pub placements: &'a [Placement],
}

impl Boards<'_> {
    /// Positions, given how many addresses each placement of like men has.
    pub fn count(&self, tally: &Tally) -> Count {
        let factor = self.board.stored_factor();
        let unique = tally.plain / factor + tally.unique;
        let pawns = !self.placements.is_empty();
        let nalimov = if pawns { unique } else { (tally.plain + tally.mirrored) / factor };
        Count { unique, nalimov }
    }

    fn first_position(&self, tally: &Tally, turn: Color) -> Option<Position> {
        let address = !tally.first;
        let tile = (address >> 12) as usize;
        let row = Square::new((address >> 6) as usize);
        let column = Square::new(address as usize);
        let numbers = self.board.axes().len();
        let Some(placement) = self.placements.get(tile / numbers) else {
            return self.board.decode(Index { tile, row, column }, turn);
        };
        let board = Hyperboard::around_pawns(self.board.material(), placement.bitboards());
        board.decode(Index { tile: tile % numbers, row, column }, turn)
    }

    fn histogram(&self, tallies: &[Tally]) -> Vec<Count> {
        tallies.iter().map(|tally| self.count(tally)).collect()
    }

    fn longest(&self, tallies: &[Tally], turn: Color) -> Option<Longest> {
        // With a mask, the last waves may have decided nothing that counts.
        let plies = tallies.iter().rposition(|tally| tally.plain + tally.mirrored > 0)?;
        let position = self.first_position(&tallies[plies], turn)?;
        Some(Longest { plies: plies as u16, position })
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
    /// Whether the 50-move rule stopped the waves.
    pub stopped: bool,
    /// When each watched position was decided.
    pub watched: Vec<Option<u16>>,
}

/// Adds a tally to those of a ply; plies that decide nothing leave no trace.
pub(crate) fn put(into: &mut Vec<Tally>, ply: u16, tally: Tally) {
    let ply = usize::from(ply);
    if tally.decided > 0 {
        into.resize(into.len().max(ply + 1), Tally::default());
        into[ply].add(&tally);
    }
}

impl Record {
    /// Adds one attacker's wins to the statistics.
    pub fn add_to(&self, boards: Boards<'_>, attacker: Color, sides: &mut [SideStats; 2]) {
        let winner = &mut sides[attacker.index()];
        winner.wins = boards.histogram(&self.won);
        winner.longest_win = boards.longest(&self.won, attacker);
        let loser = &mut sides[attacker.other().index()];
        loser.losses = boards.histogram(&self.lost);
        loser.longest_loss = boards.longest(&self.lost, !attacker);
    }
}
