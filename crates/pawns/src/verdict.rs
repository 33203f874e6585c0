//! The three evaluation functions as a caller sees them.

use std::fmt;

use molien_board::{Color, Man, Position, Role, Square};

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
    /// Why: the rule that was found first, perhaps by looking ahead. (What can
    /// be said of the position itself is for [`explain`](crate::explain).)
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
    let known = |color| position.pawns(color) | position.of(Man::new(color, Role::King));
    let others = position.occupied() - known(Color::White) - known(Color::Black);
    match others.first().and_then(|square| Some((position.man_at(square)?, square))) {
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

/// The short name of the rule.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.rule_name())
    }
}
