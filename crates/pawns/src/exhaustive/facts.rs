//! Every statement an explanation makes, decided on the board it speaks of with
//! values from outside tables.

use std::collections::HashMap;

use molien_board::Position;
use shakmaty::Color;

use super::referee::{BK, BP, WK, WP, left_half, legal, oracle, ours, place, truth_of};
use crate::explain::proof::is_true;
use crate::explain::{FactKind, argue, value_by_rules};
use crate::value::Value;

/// How often each statement was made and was true.
#[derive(Default)]
struct Tally(HashMap<FactKind, (u64, u64, Option<Position>)>);

impl Tally {
    fn count(&mut self, kind: FactKind, is_true: bool, position: &Position) {
        let entry = self.0.entry(kind).or_default();
        entry.0 += 1;
        entry.1 += u64::from(is_true);
        if !is_true {
            entry.2.get_or_insert(*position);
        }
    }

    /// All were true.
    fn check(&self) {
        for (kind, (said, right, wrong)) in &self.0 {
            let wrong = wrong.map_or(String::new(), |position| format!(", not of {position}"));
            println!("{kind:?}: said {said} times, true {right} times{wrong}");
        }
        assert!(self.0.values().all(|(said, right, _)| said == right));
    }
}

/// Explains a position by rules, if they decide, and checks every statement.
/// Returns whether anything could be said.
fn check(position: &Position, truth: &dyn Fn(&Position) -> Option<i8>, tally: &mut Tally) -> bool {
    let Some(value) = value_by_rules(position) else { return true };
    let Some(argument) = argue(position, value) else { return false };
    let (mut at, mut expected) = (*position, value);
    for m in &argument.line {
        at = at.play(m);
        expected = -expected;
        assert_eq!(truth(&at).map(Value::from_sign), Some(expected), "{position}: {m}");
    }
    assert_eq!(at, argument.position);
    for fact in &argument.facts {
        tally.count(fact.kind, is_true(fact, &at, truth), &at);
    }
    true
}

#[test]
fn one_pawn_is_explained_truly_everywhere() {
    let Some(tables) = oracle() else { return };
    let truth = |position: &Position| Some(truth_of(&tables, position));
    let mut tally = Tally::default();
    for (pawn, king, enemy) in placements() {
        for turn in Color::ALL {
            let men = [(WK.0, WK.1, king), (BK.0, BK.1, enemy), (WP.0, WP.1, pawn)];
            if legal(&men, turn, None).is_some() {
                let position = ours(&men, turn);
                assert!(check(&position, &truth, &mut tally), "nothing to say of {position}");
            }
        }
    }
    tally.check();
}

/// Pawns on the left half.
fn placements() -> impl Iterator<Item = (usize, usize, usize)> {
    (8..56).filter(|pawn| pawn % 8 < 4).flat_map(move |pawn| {
        (0..64).flat_map(move |king| (0..64).map(move |enemy| (pawn, king, enemy)))
    })
}

/// One in so many positions with two pawns is explained and checked.
const EVERY: usize = 4001;
/// Of so many in a thousand nothing can be said but their value.
const UNEXPLAINED: usize = 20;

/// Checks what the rules say of every so-manieth position with these men.
fn check_sample(men: [(Color, shakmaty::Role); 4], every: usize) {
    let Some(tables) = oracle() else { return };
    let truth = |position: &Position| Some(truth_of(&tables, position));
    let (mut tally, mut tried, mut seen, mut silent) = (Tally::default(), 0usize, 0, 0);
    left_half(|at| {
        let men = place(men, at);
        for turn in Color::ALL {
            tried += 1;
            if tried.is_multiple_of(every) && legal(&men, turn, None).is_some() {
                seen += 1;
                silent += usize::from(!check(&ours(&men, turn), &truth, &mut tally));
            }
        }
    });
    println!("{silent} of {seen} positions without a word");
    tally.check();
    assert!(1000 * silent <= UNEXPLAINED * seen);
}

#[test]
fn two_pawns_are_explained_truly() {
    check_sample([WP, WP, WK, BK], EVERY);
}

#[test]
fn a_pawn_each_is_explained_truly() {
    check_sample([WP, BP, WK, BK], EVERY);
}

#[test]
#[ignore = "an hour: every position with two pawns"]
fn two_pawns_are_explained_truly_everywhere() {
    check_sample([WP, WP, WK, BK], 1);
    check_sample([WP, BP, WK, BK], 1);
}
