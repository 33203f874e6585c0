//! The statements about king and two pawns against king, decided by search.

use std::collections::{HashMap, HashSet};

use molien_board::{Color, Man, Move, Position, Role, Square};

use super::Truth;
use super::force::Force;
use crate::explain::{Fact, FactKind};

pub(super) fn is_true(fact: &Fact, at: &Position, truth: Truth<'_>) -> bool {
    let us = fact.side;
    let Some(pawn) = fact.pawn else { return false };
    let value = truth(at).map(|value| if at.turn() == us { value } else { -value });
    let drawing = |m: &Move| {
        m.to == pawn && m.captured.is_some() && truth(&at.play(m)).is_some_and(|value| value <= 0)
    };
    match fact.kind {
        FactKind::Promotes => at.turn() == us && promotes(at, pawn, truth),
        FactKind::Takes => at.turn() == us && at.legal_moves().iter().any(drawing),
        FactKind::StopsDoubledPawns => {
            let files: HashSet<i32> = at.pawns(!us).into_iter().map(|pawn| pawn.file()).collect();
            files.len() == 1 && value == Some(0)
        }
        _ if value != Some(1) => false, // what follows is said of wins
        FactKind::Outruns => runs(at, us, &[pawn]),
        FactKind::CannotStopBoth => {
            let both: Vec<Square> = at.pawns(us).into_iter().collect();
            runs(at, us, &both)
        }
        FactKind::GuardEachOther => !falls_for_nothing(at, us, truth),
        FactKind::WinsAlone => {
            let other = at.pawns(us).into_iter().find(|square| *square != pawn);
            let alone = other.and_then(|other| without(at, other));
            alone.is_some_and(|alone| truth(&alone).is_some_and(|value| value != 0))
        }
        FactKind::KingProtects => at.king(us).distance(pawn) == 1 && is_front(at, us, pawn),
        FactKind::KingArrives => is_front(at, us, pawn) && arrives(at, us),
        _ => false,
    }
}

/// The position without one man.
pub(super) fn without(at: &Position, gone: Square) -> Option<Position> {
    Position::new(at.men().filter(|(_, square)| *square != gone), at.turn()).ok()
}

/// It promotes, is not taken and does not stalemate; with a queen and a pawn
/// against the bare king that wins.
fn promotes(at: &Position, pawn: Square, truth: Truth<'_>) -> bool {
    truth(at) == Some(1)
        && at.legal_moves().iter().any(|m| {
            let after = at.play(m);
            let taken = after.legal_moves().iter().any(|answer| answer.to == m.to);
            m.from == pawn && m.promotion.is_some() && !taken && !after.legal_moves().is_empty()
        })
}

fn is_front(at: &Position, us: Color, pawn: Square) -> bool {
    let steps = |square: Square| (us.promotion_rank() - square.rank()).abs();
    at.pawns(us).into_iter().all(|other| steps(pawn) <= steps(other))
}

/// One of these pawns promotes and is not taken, no other man of theirs moving.
fn runs(at: &Position, us: Color, pawns: &[Square]) -> bool {
    let files: Vec<i32> = pawns.iter().map(|pawn| pawn.file()).collect();
    let allowed = |_: &Position, m: &Move| m.role == Role::Pawn && files.contains(&m.from.file());
    let judge = |at: &Position, m: &Move| {
        if m.promotion.is_some() {
            let after = at.play(m);
            let taken = after.legal_moves().iter().any(|answer| answer.to == m.to);
            return Some(!taken);
        }
        // A single runner must not be taken; of two, one may be.
        let lost = m.captured.is_some() && files.len() == 1 && files.contains(&m.to.file());
        lost.then_some(false)
    };
    Force::new(us, &allowed, &judge).within(at, 16)
}

/// Their king gets beside the more advanced pawn before that is lost, or a pawn
/// promotes; only pawns and steps that lead nearer are tried.
fn arrives(at: &Position, us: Color) -> bool {
    let front = |at: &Position| {
        let steps = |square: &Square| (us.promotion_rank() - square.rank()).abs();
        at.pawns(us).into_iter().min_by_key(steps)
    };
    let distance = |at: &Position| {
        let steps = |square: Square| (us.promotion_rank() - square.rank()).abs();
        let least = front(at).map_or(9, steps);
        let foremost = at.pawns(us).into_iter().filter(|pawn| steps(*pawn) == least);
        foremost.map(|pawn| at.king(us).distance(pawn)).min().unwrap_or(9)
    };
    let allowed =
        |at: &Position, m: &Move| m.role == Role::Pawn || distance(&at.play(m)) < distance(at);
    let judge = |at: &Position, m: &Move| {
        let after = at.play(m);
        if m.promotion.is_some() {
            let taken = after.legal_moves().iter().any(|answer| answer.to == m.to);
            return Some(!taken);
        }
        if m.captured.is_some() {
            return Some(false);
        }
        (distance(&after) <= 1).then_some(true)
    };
    distance(at) <= 1 || Force::new(us, &allowed, &judge).within(at, 16)
}

/// Whether the bare king can take a pawn and not lose to the other, when the
/// pawns may move or wait and their king stands still.
fn falls_for_nothing(start: &Position, us: Color, truth: Truth<'_>) -> bool {
    let waits = |at: &Position| at.with_turn(!us);
    let mut moves: HashMap<Position, Vec<Position>> = HashMap::new();
    let mut falls: HashSet<Position> = HashSet::new();
    let mut stack = vec![*start];
    while let Some(at) = stack.pop() {
        if moves.contains_key(&at) {
            continue;
        }
        let mut next = Vec::new();
        for m in at.legal_moves() {
            let after = at.play(&m);
            if m.captured.is_some() {
                if truth(&after).is_none_or(|value| value <= 0) {
                    falls.insert(at);
                }
            } else if at.turn() != us || (m.role == Role::Pawn && m.promotion.is_none()) {
                next.push(after);
            } else if m.promotion.is_some() && !after.legal_moves().iter().any(|a| a.to == m.to) {
                next.push(Position::new(queenless(&after), at.turn()).unwrap_or(at));
            }
        }
        if at.turn() == us {
            next.push(waits(&at));
        }
        stack.extend(&next);
        moves.insert(at, next);
    }
    // The least set from which the bare king forces it.
    loop {
        let grown: Vec<Position> = moves
            .iter()
            .filter(|(at, next)| {
                !falls.contains(*at)
                    && !next.is_empty()
                    && match at.turn() == us {
                        true => next.iter().all(|after| falls.contains(after)),
                        false => next.iter().any(|after| falls.contains(after)),
                    }
            })
            .map(|(at, _)| *at)
            .collect();
        if grown.is_empty() {
            return falls.contains(start);
        }
        falls.extend(grown);
    }
}

/// A promoted pawn is as good as safe: the kings alone stand for it.
fn queenless(at: &Position) -> Vec<(Man, Square)> {
    at.men().filter(|(man, _)| man.role == Role::King).collect()
}
