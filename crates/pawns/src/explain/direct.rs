//! What is to be said of a position without looking ahead.
//!
//! The rules propose statements, the likeliest first; the first that can be
//! shown to be true (`proof`) is made.

use molien_board::{Color, Position, Square};

use super::proof::is_true;
use super::{Fact, FactKind, value_by_rules};
use crate::duel::{Bounds, DuelRule};
use crate::knowledge::{
    Orientation, duel_of, mover_first, one_pawn_of, strong_side_first, two_pawns_of,
};
use crate::two_pawns::{TwoPawns, TwoPawnsRule};
use crate::value::Value;

/// Why the position is worth this: one statement for a win, one or two for a
/// draw, none if it takes a look ahead.
pub(super) fn facts(position: &Position, value: Value) -> Vec<Fact> {
    if let Some(fact) = ended(position) {
        return vec![fact];
    }
    match Color::BOTH.map(|color| position.pawns(color).len()) {
        [1, 0] | [0, 1] => first_true(position, one_pawn(position, value)).into_iter().collect(),
        [2, 0] | [0, 2] => first_true(position, two_pawns(position, value)).into_iter().collect(),
        [1, 1] => duel(position, value),
        _ => Vec::new(),
    }
}

/// What can be said of a draw that no statement about the board explains: what
/// the rules know of either side, or else that it has a move for it.
pub(super) fn drawing_facts(position: &Position) -> Vec<Fact> {
    let us = position.turn();
    let bounds = duel_of(position).map(|(men, en_passant)| men.bounds_at_once(en_passant));
    let [mine, theirs] = bounds.map_or([None, None], |bounds| duel_facts(position, bounds));
    let plain = |kind| Fact { kind, side: us, pawn: None };
    let mine = mine.into_iter().chain([plain(FactKind::HasDrawingMove)]);
    let theirs = theirs.into_iter().chain([plain(FactKind::NoWinningMove)]);
    [first_true(position, mine), first_true(position, theirs)].into_iter().flatten().collect()
}

fn first_true(position: &Position, facts: impl IntoIterator<Item = Fact>) -> Option<Fact> {
    let truth = |at: &Position| value_by_rules(at).map(Value::sign);
    facts.into_iter().find(|fact| is_true(fact, position, &truth))
}

fn ended(position: &Position) -> Option<Fact> {
    let kind = match (position.is_checkmate(), position.is_stalemate()) {
        (true, _) => FactKind::Checkmated,
        (_, true) => FactKind::Stalemated,
        _ => return None,
    };
    Some(Fact { kind, side: position.turn(), pawn: None })
}

/// A statement of the strong side, which the rules call White, or of the weak
/// one.
struct Speaker {
    way: Orientation,
}

impl Speaker {
    fn strong(&self, kind: FactKind, pawn: Square) -> Fact {
        Fact { kind, side: self.way.white, pawn: Some(self.way.real(pawn)) }
    }

    fn weak(&self, kind: FactKind, pawn: Square) -> Fact {
        Fact { kind, side: !self.way.white, pawn: Some(self.way.real(pawn)) }
    }
}

/// If none of these is true, the side with the pawn is on its way to something
/// that is, and its move comes first.
const WON_TO_MOVE: [FactKind; 4] =
    [FactKind::Promotes, FactKind::OutsideTheSquare, FactKind::OnKeySquare, FactKind::Shields];
const WON: [FactKind; 7] = [
    FactKind::OutsideTheSquare,
    FactKind::OnKeySquare,
    FactKind::Shields,
    FactKind::Opposition,
    FactKind::ReachesKeySquare,
    FactKind::ShutsOff,
    FactKind::WinsKeySquare,
];
const DRAWN: [FactKind; 5] = [
    FactKind::Takes,
    FactKind::HoldsTheCorner,
    FactKind::Blockades,
    FactKind::KeepsFromKeySquares,
    FactKind::KeySquareNotEnough,
];

fn one_pawn(position: &Position, value: Value) -> Vec<Fact> {
    let Some((men, to_move)) = one_pawn_of(position) else { return Vec::new() };
    let speaker = Speaker { way: strong_side_first(position) };
    let rook_pawn = matches!(men.pawn.file(), 0 | 7);
    let corner = |kind: &FactKind| *kind != FactKind::HoldsTheCorner || rook_pawn;
    // The key squares of a rook pawn are no textbook word.
    let late = |kinds: &mut Vec<FactKind>| {
        kinds.sort_by_key(|kind| rook_pawn && *kind == FactKind::OnKeySquare);
    };
    match (value, to_move) {
        (Value::Draw, _) => {
            let kinds = DRAWN.into_iter().filter(corner);
            kinds.map(|kind| speaker.weak(kind, men.pawn)).collect()
        }
        (_, to_move) => {
            let mut kinds = if to_move { WON_TO_MOVE.to_vec() } else { WON.to_vec() };
            late(&mut kinds);
            kinds.into_iter().map(|kind| speaker.strong(kind, men.pawn)).collect()
        }
    }
}

fn two_pawns(position: &Position, value: Value) -> Vec<Fact> {
    let Some((men, to_move)) = two_pawns_of(position) else { return Vec::new() };
    let speaker = Speaker { way: strong_side_first(position) };
    let TwoPawns { front, rear, .. } = men;
    if to_move {
        let promoting = men.promoting().filter(|_| value == Value::Win);
        return promoting
            .map(|pawn| speaker.strong(FactKind::Promotes, pawn))
            .into_iter()
            .collect();
    }
    let finding = men.rule();
    match finding.win {
        None => return Vec::new(),
        Some(false) => {
            let taken = men.drawing_capture().map(|pawn| speaker.weak(FactKind::Takes, pawn));
            let stopped = speaker.weak(FactKind::StopsDoubledPawns, front);
            return taken.into_iter().chain([stopped]).collect();
        }
        Some(true) => {}
    }
    let strong = |kind: FactKind| speaker.strong(kind, front);
    let by_rule = match finding.rule {
        TwoPawnsRule::DefensiveUnit => Some(strong(FactKind::GuardEachOther)),
        TwoPawnsRule::KingProtects => Some(strong(FactKind::KingProtects)),
        TwoPawnsRule::KingArrives => Some(strong(FactKind::KingArrives)),
        _ => None,
    };
    let others = [
        strong(FactKind::Outruns),
        speaker.strong(FactKind::Outruns, rear),
        strong(FactKind::CannotStopBoth),
        strong(FactKind::WinsAlone),
        speaker.strong(FactKind::WinsAlone, rear),
        strong(FactKind::GuardEachOther),
        strong(FactKind::TooManyPawns),
    ];
    by_rule.into_iter().chain(others).collect()
}

fn duel(position: &Position, value: Value) -> Vec<Fact> {
    let Some((men, en_passant)) = duel_of(position) else { return Vec::new() };
    let bounds = men.bounds_at_once(en_passant);
    if bounds.value().map(Value::from_sign) != Some(value) {
        return Vec::new();
    }
    let [mine, theirs] = duel_facts(position, bounds).map(|fact| first_true(position, fact));
    match (value, mine, theirs) {
        (Value::Win, Some(mine), _) => vec![mine],
        (Value::Loss, _, Some(theirs)) => vec![theirs],
        (Value::Draw, Some(mine), Some(theirs)) => vec![mine, theirs],
        _ => Vec::new(),
    }
}

/// What the rules say for the side to move, and for the other.
fn duel_facts(position: &Position, bounds: Bounds) -> [Option<Fact>; 2] {
    let Some((men, _)) = duel_of(position) else { return [None, None] };
    let (us, way) = (position.turn(), mover_first(position));
    [
        duel_fact(bounds.low_rule, us, way.real(men.rival)),
        duel_fact(bounds.high_rule, !us, way.real(men.pawn)),
    ]
}

/// Why `us` gets what it gets; `rival` is the enemy's pawn.
fn duel_fact(rule: DuelRule, us: Color, rival: Square) -> Option<Fact> {
    let kind = match rule {
        DuelRule::TakesAndWins => FactKind::TakesAndWins,
        DuelRule::Takes => FactKind::Takes,
        DuelRule::Holds => FactKind::HoldsAlone,
        DuelRule::Guards => FactKind::GuardsPawn,
        DuelRule::WinsTheRace => FactKind::WinsTheRace,
        DuelRule::QueensFirst => FactKind::QueensFirst,
        DuelRule::QueensSecond => FactKind::QueensSecond,
        DuelRule::Lures => FactKind::Lures,
        DuelRule::KeepsBusy => FactKind::KeepsBusy,
        DuelRule::CatchesAndWins => FactKind::CatchesAndWins,
        DuelRule::Escorts => FactKind::Escorts,
        DuelRule::Blocked => FactKind::Blocked,
        _ => return None,
    };
    Some(Fact { kind, side: us, pawn: Some(rival) })
}
