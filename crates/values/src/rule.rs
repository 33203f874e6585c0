//! How a count of plies passes through a move.

/// The last ply at which a zeroing move still saves a win from the 50-move
/// rule.
pub const FIFTY_MOVES_PLIES: u16 = 100;

/// How the depth of the position after the move becomes the ply before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// The move ends the count: 1 whatever follows.
    One,
    /// The count goes on: the depth after the move and 1.
    Onward,
    /// The move resets the 50-move count: 1 if what follows is decided within
    /// 100 plies, else 101 (the rule then spoils a later phase).
    Fifty,
}

impl Rule {
    /// The ply before the move, from the depth after it.
    pub fn plies(self, after: u16) -> u16 {
        match self {
            Rule::One => 1,
            Rule::Onward => after.saturating_add(1),
            Rule::Fifty if after <= FIFTY_MOVES_PLIES => 1,
            Rule::Fifty => FIFTY_MOVES_PLIES + 1,
        }
    }
}
