//! Statements about positions of kings and pawns.
//!
//! Each is one sentence whose truth can be decided on the board it speaks of,
//! without knowing how it was found (`proof`), and it is said only where it is
//! true.

use std::fmt;

use molien_board::{Color, Square};

/// A statement about one position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub struct Fact {
    /// What is said.
    pub kind: FactKind,
    /// Of which side ("we").
    pub side: Color,
    /// Of which pawn, if one is named; not always a pawn of ours.
    pub pawn: Option<Square>,
}

/// What can be said. "We" are the side spoken of, "they" the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum FactKind {
    /// We are to move and checkmated.
    Checkmated,
    /// We are to move and stalemated.
    Stalemated,
    /// Our pawn promotes with the next move, stays on the board and wins.
    Promotes,
    /// We are to move and can hold the draw.
    HasDrawingMove,
    /// We are to move and cannot win.
    NoWinningMove,
    /// We take their pawn with the next move and at least draw.
    Takes,
    /// We take their pawn with the next move and win.
    TakesAndWins,

    /// Our pawn runs home, and would without our king.
    OutsideTheSquare,
    /// Our pawn runs home, but only because of our king.
    Shields,
    /// Our king stands on a key square of the pawn.
    OnKeySquare,
    /// Our king gets to a key square of the pawn, which stays where it is.
    ReachesKeySquare,
    /// Our king has the opposition and gets to a key square of the pawn.
    Opposition,
    /// Our king gets to a key square, the pawn moving if need be.
    WinsKeySquare,
    /// Our pawn promotes and their king never gets before it.
    ShutsOff,
    /// Our king stands before their pawn, and theirs gets to no key square.
    Blockades,
    /// Their king gets to no key square of the pawn.
    KeepsFromKeySquares,
    /// Our king gets to the corner before their pawn, or takes it.
    HoldsTheCorner,
    /// Their king gets to a key square of the pawn, and still it is a draw.
    KeySquareNotEnough,

    /// This pawn of our two runs home, whatever their king does.
    Outruns,
    /// One of our two pawns promotes although our king stays where it is.
    CannotStopBoth,
    /// Their king cannot take one of our two pawns without letting the other
    /// through, although our king stays where it is.
    GuardEachOther,
    /// This pawn of our two would win without the other.
    WinsAlone,
    /// Our king stands beside the more advanced of our two pawns.
    KingProtects,
    /// Our king gets beside the more advanced of our two pawns before it is
    /// lost.
    KingArrives,
    /// Our two pawns win.
    TooManyPawns,
    /// Their two pawns stand on one file and do not get through.
    StopsDoubledPawns,

    /// We would hold their pawn without ours.
    HoldsAlone,
    /// Our king is near enough to our pawn, which theirs has not passed.
    GuardsPawn,
    /// Our pawn promotes by running and wins.
    WinsTheRace,
    /// Our pawn runs home before theirs can.
    QueensFirst,
    /// Our pawn runs home just after theirs.
    QueensSecond,
    /// By the time their king has taken our pawn, ours holds the other.
    Lures,
    /// Our pawn would win without theirs.
    KeepsBusy,
    /// We take their pawn and win with ours.
    CatchesAndWins,
    /// Our pawn would win without theirs, and wins although it is there.
    Escorts,
    /// The pawns block each other, and we do not lose.
    Blocked,
}

impl FactKind {
    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            FactKind::Checkmated => "checkmate",
            FactKind::Stalemated => "stalemate",
            FactKind::Promotes => "promotion",
            FactKind::HasDrawingMove => "a move that draws",
            FactKind::NoWinningMove => "no move that wins",
            FactKind::Takes => "pawn taken",
            FactKind::TakesAndWins => "pawn taken, the other wins",
            FactKind::OutsideTheSquare => "rule of the square",
            FactKind::Shields => "pawn shielded by its king",
            FactKind::OnKeySquare => "key square occupied",
            FactKind::ReachesKeySquare => "race to a key square",
            FactKind::Opposition => "opposition",
            FactKind::WinsKeySquare => "key square won",
            FactKind::ShutsOff => "king shut off",
            FactKind::Blockades => "blockade",
            FactKind::KeepsFromKeySquares => "no key square within reach",
            FactKind::HoldsTheCorner => "corner held",
            FactKind::KeySquareNotEnough => "key square not enough",
            FactKind::Outruns => "a pawn outruns the king",
            FactKind::CannotStopBoth => "two pawns too far apart",
            FactKind::GuardEachOther => "pawns that guard each other",
            FactKind::WinsAlone => "one pawn is enough",
            FactKind::KingProtects => "front pawn protected",
            FactKind::KingArrives => "front pawn reached",
            FactKind::TooManyPawns => "two pawns too many",
            FactKind::StopsDoubledPawns => "doubled pawns",
            FactKind::HoldsAlone => "pawn held",
            FactKind::GuardsPawn => "pawn guarded",
            FactKind::WinsTheRace => "race won",
            FactKind::QueensFirst => "ahead in the race",
            FactKind::QueensSecond => "queens second",
            FactKind::Lures => "king lured away",
            FactKind::KeepsBusy => "no time to win",
            FactKind::CatchesAndWins => "pawn caught, the other wins",
            FactKind::Escorts => "pawn led home first",
            FactKind::Blocked => "blocked pawns",
        }
    }
}

/// The sentence, without a full stop.
impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (us, them) = (self.side, !self.side);
        let pawn = self.pawn.map_or("pawn".to_owned(), name);
        match self.kind {
            FactKind::Checkmated => write!(f, "{us} is checkmated"),
            FactKind::Stalemated => write!(f, "{us} is stalemated"),
            FactKind::Promotes => write!(f, "The {pawn} promotes at once"),
            FactKind::HasDrawingMove => write!(f, "{us} has a move that holds the draw"),
            FactKind::NoWinningMove => write!(f, "{us} has no move that wins"),
            FactKind::Takes => write!(f, "{us} takes the {pawn}"),
            FactKind::TakesAndWins => write!(f, "{us} takes the {pawn} and wins with the other"),
            FactKind::OutsideTheSquare => write!(f, "{them} is outside the square of the {pawn}"),
            FactKind::Shields => {
                write!(f, "{us}'s king keeps {them}'s away from the {pawn}, which runs home")
            }
            FactKind::OnKeySquare => write!(f, "{us}'s king stands on a key square of the {pawn}"),
            FactKind::ReachesKeySquare => {
                write!(f, "{us}'s king reaches a key square of the {pawn} in time")
            }
            FactKind::Opposition => {
                write!(f, "{us} has the opposition, and with it wins a key square of the {pawn}")
            }
            FactKind::WinsKeySquare => {
                write!(f, "{us}'s king forces its way to a key square of the {pawn}")
            }
            FactKind::ShutsOff => {
                write!(f, "{them}'s king is shut off and never gets before the {pawn}")
            }
            FactKind::Blockades => {
                write!(f, "{us}'s king stands before the {pawn} and keeps its key squares")
            }
            FactKind::KeepsFromKeySquares => {
                write!(f, "{us} keeps {them}'s king from every key square of the {pawn}")
            }
            FactKind::HoldsTheCorner => {
                write!(f, "{us}'s king gets to the corner before the {pawn}")
            }
            FactKind::KeySquareNotEnough => write!(
                f,
                "{them}'s king gets to a key square of the {pawn}, but that is not enough"
            ),
            FactKind::Outruns => write!(f, "The {pawn} outruns {them}'s king"),
            FactKind::CannotStopBoth => write!(f, "{them}'s king cannot stop both of {us}'s pawns"),
            FactKind::GuardEachOther => write!(
                f,
                "{us}'s pawns guard each other: {them}'s king takes one only to let the other through"
            ),
            FactKind::WinsAlone => write!(f, "{us} wins with the {pawn} alone"),
            FactKind::KingProtects => write!(f, "{us}'s king protects the {pawn}"),
            FactKind::KingArrives => write!(f, "{us}'s king reaches the {pawn} in time"),
            FactKind::TooManyPawns => {
                write!(f, "{us}'s two pawns are too many for {them}'s king")
            }
            FactKind::StopsDoubledPawns => write!(f, "{them}'s doubled pawns do not get through"),
            FactKind::HoldsAlone => {
                write!(f, "{us}'s king would hold {them}'s pawn even without its own")
            }
            FactKind::GuardsPawn => {
                write!(f, "{us}'s king is near enough to its pawn, which {them}'s has not passed")
            }
            FactKind::WinsTheRace => write!(f, "{us}'s pawn runs home and wins"),
            FactKind::QueensFirst => write!(f, "{us}'s pawn is ahead in the race"),
            FactKind::QueensSecond => write!(f, "{us} queens just after {them}, and safely"),
            FactKind::Lures => write!(
                f,
                "By the time {them}'s king has taken {us}'s pawn, {us}'s king holds the other"
            ),
            FactKind::KeepsBusy => {
                write!(f, "{us}'s pawn would win alone, which leaves {them} no time to win")
            }
            FactKind::CatchesAndWins => write!(f, "{us} takes {them}'s pawn and wins with its own"),
            FactKind::Escorts => {
                write!(f, "{us}'s pawn would win alone, and {them}'s comes too late")
            }
            FactKind::Blocked => {
                write!(f, "{us}'s king is near enough to the pawns, which block each other")
            }
        }
    }
}

/// "e-pawn".
fn name(pawn: Square) -> String {
    format!("{}-pawn", (b'a' + pawn.file() as u8) as char)
}
