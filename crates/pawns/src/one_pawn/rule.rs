//! The rules of king and pawn against king, by name.

use std::fmt;

/// The rule that decides king and pawn against king.
///
/// Its text speaks of White as the side with the pawn.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum OnePawnRule {
    /// The bare king cannot catch the pawn.
    OutsideTheSquare,
    /// The king already stands on a key square.
    OnKeySquare,
    /// The king reaches a key square before it can be guarded.
    ReachesKeySquare,
    /// The king comes to a square in front of its pawn and has the opposition there.
    GainsOpposition,
    /// The kings face each other with the bare king to move.
    Opposition,
    /// The kings face each other sideways with the bare king to move.
    SidewaysOpposition,
    /// With the pawn on the sixth the bare king is shut off from the file.
    ShutOff,
    /// The king cuts the bare king off below it and the pawn still has its double step.
    CutOffBelow,
    /// With a rook pawn, the king holds or reaches the square beside the corner.
    RookPawnEscort,
    /// The pawn promotes at once.
    Promotes,
    /// The bare king is checkmated.
    Checkmate,
    /// The bare king takes the pawn.
    PawnFalls,
    /// The bare king is stalemated.
    Stalemate,
    /// The bare king holds the corner in front of a rook pawn.
    RookPawnCorner,
    /// The bare king stands in front of the pawn and keeps the opposition.
    Blockade,
    /// No key square can be reached.
    NoKeySquare,
}

impl fmt::Display for OnePawnRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnePawnRule::OutsideTheSquare => "rule of the square",
            OnePawnRule::OnKeySquare => "key square occupied",
            OnePawnRule::ReachesKeySquare => "race to a key square",
            OnePawnRule::GainsOpposition => "opposition gained in front of the pawn",
            OnePawnRule::Opposition => "opposition",
            OnePawnRule::SidewaysOpposition => "sideways opposition",
            OnePawnRule::ShutOff => "king shut off from a pawn on the sixth",
            OnePawnRule::CutOffBelow => "king cut off below, double step in hand",
            OnePawnRule::RookPawnEscort => "rook pawn with the square beside the corner",
            OnePawnRule::Promotes => "promotion",
            OnePawnRule::Checkmate => "checkmate",
            OnePawnRule::PawnFalls => "pawn lost",
            OnePawnRule::Stalemate => "stalemate",
            OnePawnRule::RookPawnCorner => "rook pawn with the corner held",
            OnePawnRule::Blockade => "blockade",
            OnePawnRule::NoKeySquare => "no key square within reach",
        })
    }
}
