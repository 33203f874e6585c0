//! The three evaluation functions as a caller sees them.

use std::fmt;

use molien_board::{Color, Position, Role, Square};

use crate::duel::DuelRule;
use crate::error::Error;
use crate::knowledge::{duel_of, one_pawn_of, two_pawns_of};
use crate::one_pawn::OnePawnRule;
use crate::two_pawns::TwoPawnsRule;
use crate::value::Value;

/// What a function says about a position, and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Verdict {
    /// The value for the side to move; `None` where the function does not know.
    pub value: Option<Value>,
    /// Why. Its text is a sentence.
    pub reason: Reason,
}

/// The rule behind a verdict, with the colours it speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// King and pawn against king.
    OnePawn {
        /// The rule.
        rule: OnePawnRule,
        /// The side with the pawn.
        strong: Color,
        /// The pawn.
        pawn: Square,
    },
    /// King and two pawns against king.
    TwoPawns {
        /// The category.
        rule: TwoPawnsRule,
        /// The side with the pawns.
        strong: Color,
    },
    /// King and pawn against king and pawn.
    Duel {
        /// The side to move.
        mover: Color,
        /// What it gets, if known.
        value: Option<Value>,
        /// Why it gets no less.
        at_least: DuelRule,
        /// Why it gets no more.
        at_most: DuelRule,
    },
}

/// Decides king and pawn against king. Exact: every legal position is decided.
///
/// ```
/// use molien_pawns::{Value, one_pawn};
///
/// let verdict = one_pawn(&"4k3/8/4K3/4P3/8/8/8/8 b - -".parse()?)?;
/// assert_eq!(verdict.value, Some(Value::Loss));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If the men are not two kings and one pawn.
pub fn one_pawn(position: &Position) -> Result<Verdict, Error> {
    check_pawns(position, 1, "one pawn against none")?;
    let (men, to_move) = one_pawn_of(position).ok_or(Error::NoPawns)?;
    let finding = if to_move { men.white_to_move() } else { men.black_to_move() };
    let strong = if to_move { position.turn() } else { !position.turn() };
    let pawn = position.pawns(strong).first().unwrap_or(men.pawn);
    let value = match (finding.win, to_move) {
        (false, _) => Value::Draw,
        (true, true) => Value::Win,
        (true, false) => Value::Loss,
    };
    Ok(Verdict { value: Some(value), reason: Reason::OnePawn { rule: finding.rule, strong, pawn } })
}

/// Judges king and two pawns against king.
///
/// # Errors
/// If the men are not two kings and two pawns of one colour.
pub fn two_pawns(position: &Position) -> Result<Verdict, Error> {
    check_pawns(position, 2, "two pawns against none")?;
    let (men, to_move) = two_pawns_of(position).ok_or(Error::NoPawns)?;
    let finding = if to_move { men.white_to_move() } else { men.black_to_move() };
    let strong = if to_move { position.turn() } else { !position.turn() };
    let value = finding.win.map(|win| match (win, to_move) {
        (false, _) => Value::Draw,
        (true, true) => Value::Win,
        (true, false) => Value::Loss,
    });
    Ok(Verdict { value, reason: Reason::TwoPawns { rule: finding.rule, strong } })
}

/// Judges king and pawn against king and pawn, en passant counted in.
///
/// # Errors
/// If the men are not two kings and a pawn of each colour.
pub fn pawn_duel(position: &Position) -> Result<Verdict, Error> {
    check_only_pawns(position)?;
    for color in Color::BOTH {
        let found = position.pawns(color).len();
        if found != 1 {
            return Err(Error::PawnCount { color, found, expected: "one pawn each" });
        }
    }
    let (men, en_passant) = duel_of(position).ok_or(Error::NoPawns)?;
    let bounds = men.judge(en_passant);
    let value = bounds.value().map(Value::from_sign);
    let (at_least, at_most) = (bounds.low_rule, bounds.high_rule);
    let reason = Reason::Duel { mover: position.turn(), value, at_least, at_most };
    Ok(Verdict { value, reason })
}

fn check_only_pawns(position: &Position) -> Result<(), Error> {
    let other = position.men().find(|(man, _)| !matches!(man.role, Role::King | Role::Pawn));
    match other {
        Some((man, square)) => Err(Error::NotAPawn { role: man.role, square }),
        None => Ok(()),
    }
}

/// All pawns are one side's, and so many.
fn check_pawns(position: &Position, count: usize, expected: &'static str) -> Result<(), Error> {
    check_only_pawns(position)?;
    let (white, black) = (position.pawns(Color::White).len(), position.pawns(Color::Black).len());
    match (white, black) {
        (0, found) if found != count => {
            Err(Error::PawnCount { color: Color::Black, found, expected })
        }
        (0, _) => Ok(()),
        (found, 0) if found != count => {
            Err(Error::PawnCount { color: Color::White, found, expected })
        }
        (_, 0) => Ok(()),
        (_, found) => Err(Error::PawnCount { color: Color::Black, found, expected }),
    }
}

impl Reason {
    /// The short name of the rule.
    pub fn rule_name(&self) -> String {
        match self {
            Reason::OnePawn { rule, .. } => rule.to_string(),
            Reason::TwoPawns { rule, .. } => rule.to_string(),
            Reason::Duel { value, at_least, at_most, .. } => match value {
                None => DuelRule::Undecided.to_string(),
                Some(Value::Win) => at_least.to_string(),
                Some(Value::Loss) => at_most.to_string(),
                Some(Value::Draw) if at_least == at_most => at_least.to_string(),
                Some(Value::Draw) => format!("{at_least}; {at_most}"),
            },
        }
    }
}

/// Both bounds were found by trying the next move.
const LOOKED_AHEAD: (DuelRule, DuelRule) = (DuelRule::BestMove, DuelRule::BestMove);

impl Reason {
    /// Whether the verdict was found by trying the next move.
    pub(crate) fn looks_ahead(&self) -> bool {
        matches!(
            self,
            Reason::Duel {
                at_least: DuelRule::BestMove,
                value: Some(Value::Win | Value::Draw),
                ..
            } | Reason::Duel {
                at_most: DuelRule::BestMove,
                value: Some(Value::Loss | Value::Draw),
                ..
            }
        )
    }
}

/// A sentence a player understands.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Reason::OnePawn { rule, strong, pawn } => one_pawn_sentence(f, rule, strong, pawn),
            Reason::TwoPawns { rule, strong } => two_pawns_sentence(f, rule, strong),
            Reason::Duel { mover, value, at_least, at_most } => match value {
                None => write!(f, "None of the rules for a pawn each decides"),
                Some(Value::Win) => duel_sentence(f, at_least, mover, "wins"),
                Some(Value::Loss) => duel_sentence(f, at_most, !mover, "wins"),
                Some(Value::Draw) if at_least == DuelRule::Stalemate => {
                    write!(f, "{mover} is stalemated")
                }
                Some(Value::Draw) if (at_least, at_most) == LOOKED_AHEAD => {
                    write!(f, "Neither side wins, as the rules show one move later")
                }
                Some(Value::Draw) => {
                    duel_sentence(f, at_least, mover, "does not lose")?;
                    f.write_str("; ")?;
                    duel_sentence(f, at_most, !mover, "does not lose")
                }
            },
        }
    }
}

fn one_pawn_sentence(
    f: &mut fmt::Formatter<'_>,
    rule: OnePawnRule,
    strong: Color,
    pawn: Square,
) -> fmt::Result {
    let weak = !strong;
    let file = (b'a' + pawn.file() as u8) as char;
    match rule {
        OnePawnRule::OutsideTheSquare => {
            write!(f, "{weak} is outside the square of the {file}-pawn")
        }
        OnePawnRule::OnKeySquare => {
            write!(f, "{strong}'s king stands on a key square of the {file}-pawn")
        }
        OnePawnRule::ReachesKeySquare => {
            write!(f, "{strong}'s king reaches a key square before {weak}'s can guard it")
        }
        OnePawnRule::GainsOpposition => {
            write!(f, "{strong} gains the opposition in front of the pawn, and a key square falls")
        }
        OnePawnRule::Opposition => {
            write!(f, "{strong} has the opposition and a key square is free")
        }
        OnePawnRule::SidewaysOpposition => {
            write!(f, "{strong} has the sideways opposition and keeps {weak}'s king from the pawn")
        }
        OnePawnRule::ShutOff => {
            write!(f, "{weak}'s king is shut off from the pawn on the sixth rank")
        }
        OnePawnRule::CutOffBelow => {
            write!(f, "{weak}'s king is cut off behind, and the pawn still has its double step")
        }
        OnePawnRule::RookPawnEscort => {
            write!(f, "{strong}'s king holds the square beside the corner for the rook pawn")
        }
        OnePawnRule::Promotes => write!(f, "The {file}-pawn promotes at once"),
        OnePawnRule::Checkmate => write!(f, "{weak} is checkmated by the pawn"),
        OnePawnRule::PawnFalls => write!(f, "{weak}'s king takes the {file}-pawn"),
        OnePawnRule::Stalemate => write!(f, "{weak} is stalemated"),
        OnePawnRule::RookPawnCorner => {
            write!(f, "{weak}'s king holds the corner in front of the rook pawn")
        }
        OnePawnRule::Blockade => {
            write!(f, "{weak}'s king blocks the {file}-pawn and keeps the opposition")
        }
        OnePawnRule::NoKeySquare => {
            write!(f, "{weak} keeps {strong}'s king from every key square of the {file}-pawn")
        }
    }
}

fn two_pawns_sentence(
    f: &mut fmt::Formatter<'_>,
    rule: TwoPawnsRule,
    strong: Color,
) -> fmt::Result {
    let weak = !strong;
    match rule {
        TwoPawnsRule::PawnOutruns => write!(f, "One of {strong}'s pawns outruns {weak}'s king"),
        TwoPawnsRule::DynamicDuo => {
            write!(f, "{strong}'s pawns are too far apart for one king: one of them queens unaided")
        }
        TwoPawnsRule::DefensiveUnit => {
            write!(f, "{strong}'s pawns guard each other until their king arrives")
        }
        TwoPawnsRule::OnePawnWins(rule) => {
            write!(f, "{strong}'s king wins with one of the pawns alone ({rule})")
        }
        TwoPawnsRule::KingProtects => write!(f, "{strong}'s king protects the more advanced pawn"),
        TwoPawnsRule::KingArrives => {
            write!(f, "{strong}'s king arrives in time to protect the more advanced pawn")
        }
        TwoPawnsRule::Stalemate => write!(f, "{weak} is stalemated"),
        TwoPawnsRule::Checkmate => write!(f, "{weak} is checkmated by a pawn"),
        TwoPawnsRule::PawnFalls => {
            write!(f, "{weak}'s king wins a pawn and draws against the other")
        }
        TwoPawnsRule::DoubledPawns => {
            write!(f, "{strong}'s doubled pawns cannot be forced through")
        }
        TwoPawnsRule::Promotes => write!(f, "A pawn promotes at once"),
        TwoPawnsRule::Undecided => write!(f, "None of the rules for two pawns decides"),
    }
}

/// Why `us` gets what `verb` says.
fn duel_sentence(f: &mut fmt::Formatter<'_>, rule: DuelRule, us: Color, verb: &str) -> fmt::Result {
    let them = !us;
    match rule {
        DuelRule::TakesAndWins => write!(f, "{us} takes the pawn and wins with the other"),
        DuelRule::Takes => write!(f, "{us} takes the pawn"),
        DuelRule::Holds => write!(f, "{us}'s king holds {them}'s pawn"),
        DuelRule::WinsTheRace => {
            write!(f, "{us}'s pawn queens by force and {them}'s comes too late")
        }
        DuelRule::QueensFirst => write!(f, "{us}'s pawn is ahead in the race"),
        DuelRule::QueensSecond => write!(f, "{us} queens just after {them}, and safely"),
        DuelRule::Lures => {
            write!(f, "{us}'s pawn lures {them}'s king away, and {us}'s king holds the other")
        }
        DuelRule::KeepsBusy => write!(f, "{us}'s pawn leaves {them} no time to win"),
        DuelRule::CatchesAndWins => {
            write!(f, "{us}'s king catches {them}'s pawn, and its own still gets home")
        }
        DuelRule::Blocked => {
            write!(f, "{us}'s king is near enough to the pawns, which block each other")
        }
        DuelRule::Checkmate => write!(f, "{them} is checkmated"),
        DuelRule::BestMove | DuelRule::Undecided | DuelRule::Stalemate => {
            write!(f, "{us} {verb}, as the rules show one move later")
        }
    }
}
