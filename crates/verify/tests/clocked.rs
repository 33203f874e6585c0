//! Mate under the 50-move rule by its definition, against what is known of it.

use std::sync::Arc;

use molien_board::{Material, Move, Position, Setup};
use molien_build::Build;
use molien_probe::clock_line;
use molien_testing::{Random, is_exhaustive};
use molien_values::{Category, Metric, Outcome, Precision, Value, category_at};
use molien_verify::{ClockedValues, Options, verify};

const CLOCKS: [u16; 5] = [0, 1, 50, 98, 99];

/// Who wins at a clock is what DTZ50 says; a win is no faster than without the
/// rule, and as fast where the rule cannot interfere.
fn follows_the_other_metrics(name: &str) {
    let build = Build::new();
    let mut values = ClockedValues::new(&build, CLOCKS);
    let material: Material = name.parse().unwrap();
    let clocked = values.of(material).unwrap();
    let [dtm, dtz50] = [Metric::Dtm, Metric::Dtz50].map(|m| build.table(material, m).unwrap());
    let mut seen = [0u64; CLOCKS.len()];
    for place in clocked.places() {
        let (dtm, dtz50) = (dtm.at(place), dtz50.at(place));
        for (clock, seen) in CLOCKS.into_iter().zip(&mut seen) {
            let value = clocked.at(place, clock).unwrap();
            let expected = match category_at(dtz50, Precision::Exact, u32::from(clock)) {
                Category::Win => Outcome::Win,
                Category::Loss => Outcome::Loss,
                _ => Outcome::Draw,
            };
            assert_eq!(value.outcome(), expected, "{name} {place:?} clock {clock} {dtz50:?}");
            if value == Value::Draw {
                continue;
            }
            *seen += 1;
            let (plies, free) = (value.plies().unwrap(), dtm.plies().unwrap());
            assert!(plies >= free, "{name} {place:?} clock {clock}");
            if clock + free <= 100 {
                assert_eq!(value, dtm, "{name} {place:?} clock {clock}");
            }
        }
    }
    // The later, the fewer; mates in one are left at the end.
    assert!(seen.is_sorted_by(|a, b| a >= b) && seen[4] > 0, "{name} {seen:?}");
}

#[test]
fn three_men() {
    ["KRK", "KPK"].into_iter().for_each(follows_the_other_metrics);
}

/// In KPKP promotions lead to all the tables of four pieces: half an hour.
#[test]
fn four_men() {
    if is_exhaustive() {
        ["KRKN", "KPKP"].into_iter().for_each(follows_the_other_metrics);
    }
}

/// The waves find what the definition says, under the rule of chess and under
/// stricter ones, which few moves suffice to break.
fn waves_agree(name: &str, rule_plies: u16) {
    let material: Material = name.parse().unwrap();
    let build = Build::new().with_rule_plies(rule_plies);
    let mut values = ClockedValues::new(&build, [0]).with_rule_plies(rule_plies);
    let clocked = values.of(material).unwrap();
    let table = build.table(material, Metric::Dtm50).unwrap();
    let mut late = 0;
    for place in clocked.places() {
        let (expected, found) = (clocked.at(place, 0).unwrap(), table.at(place));
        assert_eq!(found, expected, "{name}, {rule_plies} plies: {place:?}");
        late += u64::from(expected.plies().is_some_and(|plies| plies > rule_plies));
    }
    println!("{name}, {rule_plies} plies: {late} mates take longer than the rule");
}

#[test]
fn waves_agree_with_the_definition() {
    let rules = if is_exhaustive() { &[1, 2, 5, 8, 13, 20, 100][..] } else { &[1, 8, 13] };
    rules.iter().for_each(|&rule_plies| waves_agree("KPK", rule_plies));
    let rules = if is_exhaustive() { &[9, 24][..] } else { &[24] };
    rules.iter().for_each(|&rule_plies| waves_agree("KRKN", rule_plies));
}

/// Single positions at every clock.
fn clocks_agree(name: &str, rule_plies: u16, sample: usize) {
    let material: Material = name.parse().unwrap();
    let build = Build::new().with_rule_plies(rule_plies);
    let mut values = ClockedValues::new(&build, 0..rule_plies).with_rule_plies(rule_plies);
    let clocked = values.of(material).unwrap();
    let every = clocked.positions().count() / sample;
    let positions: Vec<Position> = clocked.positions().step_by(every).collect();
    let mut changes = 0;
    for (position, found) in positions.iter().zip(build.at_clocks(&positions).unwrap()) {
        for clock in 0..rule_plies {
            let expected = clocked.value(position, clock).unwrap();
            assert_eq!(found.at(clock.into()), expected, "{name} {position} clock {clock}");
        }
        changes += found.spans().len() - 1;
    }
    assert!(changes > 0);
}

#[test]
fn every_clock_agrees_with_the_definition() {
    clocks_agree("KPK", 14, 300);
    clocks_agree("KRK", 100, 300);
    if is_exhaustive() {
        clocks_agree("KRKN", 21, 300);
    }
}

/// Best play is as long as the values say, at every step and clock of it, and
/// ends in mate.
fn lines_keep_the_values(name: &str, rule_plies: u16, sample: usize) {
    let material: Material = name.parse().unwrap();
    let build = Arc::new(Build::new().with_rule_plies(rule_plies));
    let places = build.table(material, Metric::Dtm50).unwrap();
    let mut random = Random::new(u64::from(rule_plies));
    let (mut lines, mut late) = (0, 0u64);
    while lines < sample {
        let position = random.position(material);
        let halfmove_clock = random.below(usize::from(rule_plies)) as u32;
        if places.get(&position).is_none_or(|value| value == Value::Draw) {
            continue;
        }
        let start = Setup { halfmove_clock, ..Setup::from(position) };
        let value = build.at_clocks(&[position]).unwrap()[0].at(halfmove_clock);
        let line = clock_line(&build, &start, value).unwrap();
        assert_eq!(line.len(), usize::from(value.plies().unwrap_or(0)), "{start}");
        let played = |setup: &mut Setup, (m, _): &(Move, String)| {
            *setup = setup.play(m);
            Some(*setup)
        };
        let along: Vec<Setup> = line.iter().scan(start, played).collect();
        let positions: Vec<Position> = along.iter().map(|setup| setup.position).collect();
        let values = build.at_clocks(&positions).unwrap();
        let values = values.iter().zip(&along);
        let plies: Vec<_> = values.map(|(v, setup)| v.at(setup.halfmove_clock).plies()).collect();
        let expected: Vec<_> = (0..value.plies().unwrap_or(0)).rev().map(Some).collect();
        assert_eq!(plies, expected, "{start} {along:?}");
        lines += usize::from(value != Value::Draw);
        late +=
            u64::from(u32::from(value.plies().unwrap_or(0)) + halfmove_clock > rule_plies.into());
    }
    assert!(late > 0, "{name}: no line needs a zeroing move in time");
}

#[test]
fn best_play_keeps_to_the_rule() {
    lines_keep_the_values("KPK", 13, 12);
    lines_keep_the_values("KQKQ", 6, 6);
    lines_keep_the_values("KRKN", 24, 3);
}

#[test]
fn verify_checks_mate_under_the_rule() {
    let build = Build::new();
    let options = Options { metrics: vec![Metric::Dtm50], ..Options::default() };
    for name in ["KQK", "KRKB"] {
        let report = verify(&build, name.parse().unwrap(), &options).unwrap();
        assert_eq!(report.failures(), 0, "{name}");
        assert!(report.planes[0].found.checked > 0, "{name}");
    }
    // Under a stricter rule some wins are gone, which DTZ50 does not know of.
    let strict = Build::new().with_rule_plies(10);
    assert!(verify(&strict, "KRK".parse().unwrap(), &options).unwrap().failures() > 0);
}
