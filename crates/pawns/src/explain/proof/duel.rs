//! The statements about a pawn each, decided by search.

use molien_board::{Color, Move, Position, Role, Square};

use super::Truth;
use super::force::Force;
use super::two_pawns::without;
use crate::explain::{Fact, FactKind};

pub(super) fn is_true(fact: &Fact, at: &Position, truth: Truth<'_>) -> bool {
    let us = fact.side;
    let (Some(mine), Some(theirs)) = (at.pawns(us).first(), at.pawns(!us).first()) else {
        return false;
    };
    let Some(value) = truth(at).map(|value| if at.turn() == us { value } else { -value }) else {
        return false;
    };
    // What we get when one pawn is not there.
    let alone = |gone: Square| {
        let left = without(at, gone)?;
        truth(&left).map(|value| if left.turn() == us { value } else { -value })
    };
    match fact.kind {
        FactKind::Takes => takes(at, us, truth, 0),
        FactKind::TakesAndWins => takes(at, us, truth, 1),
        FactKind::HoldsAlone => alone(mine) == Some(0) && value >= 0,
        FactKind::KeepsBusy => alone(theirs) == Some(1) && value >= 0,
        FactKind::Escorts => alone(theirs) == Some(1) && value == 1,
        FactKind::GuardsPawn => !has_passed(at, us) && value >= 0,
        FactKind::Blocked => mine.file() == theirs.file() && !has_passed(at, us) && value >= 0,
        FactKind::WinsTheRace => value == 1 && wins_by_running(at, us),
        FactKind::QueensFirst => value >= 0 && runs_first(at, us),
        FactKind::QueensSecond => value >= 0 && queens_in_turn(at, us),
        FactKind::Lures => value >= 0 && lures(at, us, truth),
        FactKind::CatchesAndWins => value == 1 && wins_pawn(at, us, truth),
        _ => false,
    }
}

fn takes(at: &Position, us: Color, truth: Truth<'_>, least: i8) -> bool {
    let good =
        |m: &Move| m.captured.is_some() && truth(&at.play(m)).is_some_and(|value| -value >= least);
    at.turn() == us && at.legal_moves().iter().any(good)
}

/// Their pawn is level with ours or beyond.
fn has_passed(at: &Position, us: Color) -> bool {
    let rank = |color: Color| at.pawns(color).first().map_or(0, |pawn| pawn.rank());
    match us {
        Color::White => rank(Color::Black) <= rank(Color::White),
        Color::Black => rank(Color::White) >= rank(Color::Black),
    }
}

/// Only the pawn moves, or the king if the pawn cannot.
fn pawn_first(at: &Position, m: &Move) -> bool {
    m.role == Role::Pawn || at.legal_moves().iter().all(|other| other.role != Role::Pawn)
}

/// Our pawn promotes by running and is not taken, before theirs does.
fn wins_by_running(at: &Position, us: Color) -> bool {
    let judge = |at: &Position, m: &Move| match (m.promotion, m.captured) {
        (Some(_), _) if at.turn() == us => {
            let after = at.play(m);
            Some(!after.legal_moves().iter().any(|answer| answer.to == m.to))
        }
        (Some(_), _) => Some(false),
        (None, Some(_)) if at.turn() != us => Some(false),
        _ => None,
    };
    Force::new(us, &pawn_first, &judge).within(at, 16)
}

/// Their king goes straight to our pawn and takes it; by then ours, going
/// to theirs as best it can, holds it.
fn lures(at: &Position, us: Color, truth: Truth<'_>) -> bool {
    let judge = |at: &Position, m: &Move| match (at.turn() == us, m.captured, m.promotion) {
        (true, Some(_), _) => Some(true),
        (false, Some(_), _) => Some(truth(&at.play(m)).is_some_and(|value| value >= 0)),
        (_, _, Some(_)) => Some(at.turn() == us),
        _ => None,
    };
    let nearer =
        |m: &Move, to: Option<Square>| to.is_some_and(|to| m.to.distance(to) < m.from.distance(to));
    let straight = |at: &Position, m: &Move| nearer(m, at.pawns(us).first());
    let to_theirs = |at: &Position, m: &Move| {
        let theirs = at.pawns(!us).first();
        let home = theirs.and_then(|pawn| Square::at(pawn.file(), (!us).promotion_rank()));
        m.role == Role::King && (nearer(m, theirs) || nearer(m, home))
    };
    Force::new(us, &to_theirs, &judge).looking_at(&straight).within(at, 12)
}

fn runs_first(at: &Position, us: Color) -> bool {
    let judge = |at: &Position, m: &Move| match (m.promotion, m.captured) {
        (Some(_), _) => Some(at.turn() == us),
        (None, Some(_)) if at.turn() != us => Some(false),
        _ => None,
    };
    Force::new(us, &pawn_first, &judge).within(at, 16)
}

/// If both sides only push, the enemy queens and we queen with the next move.
fn queens_in_turn(at: &Position, us: Color) -> bool {
    let mut at = *at;
    let mut queened = None;
    for ply in 0..16 {
        let push = |promotion: bool| {
            let moves = at.legal_moves();
            let pushes = moves.iter().filter(|m| m.role == Role::Pawn && m.captured.is_none());
            let far = |m: &&Move| (m.to.rank() - m.from.rank()).abs();
            let best =
                pushes.filter(|m| m.promotion.is_some_and(|r| r == Role::Queen) == promotion);
            best.max_by_key(far).copied()
        };
        let Some(m) = push(true).or_else(|| push(false)) else { return false };
        if m.promotion.is_some() {
            match queened {
                None if at.turn() != us => queened = Some(ply),
                Some(before) => return ply == before + 1,
                None => return false,
            }
        }
        at = at.play(&m);
    }
    false
}

fn wins_pawn(at: &Position, us: Color, truth: Truth<'_>) -> bool {
    let won = |at: &Position, m: &Move| truth(&at.play(m)) == Some(-1);
    let judge = |at: &Position, m: &Move| match (at.turn() == us, m.captured, m.promotion) {
        (true, Some(_), _) => Some(true),
        (false, Some(_), _) | (_, _, Some(_)) => Some(false),
        _ => None,
    };
    (2..=16).step_by(2).any(|plies| Force::new(us, &won, &judge).within(at, plies + 1))
}
