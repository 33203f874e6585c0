//! Mate under the 50-move rule on the card, against the processor's tables, bit
//! for bit with statistics. Four men never need more than a hundred plies, so
//! stricter rules are what puts the late runs to the test.

mod common;

use common::sample;
use molien_board::Material;
use molien_build::Build;
use molien_cuda::CudaEngine;
use molien_cuda::conformance::differences;
use molien_testing::is_exhaustive;
use molien_values::{Count, Metric, Surveyor as _, Table};

/// Positions whose mate takes longer than the rule.
fn late(table: &Table, rule_plies: u16) -> u64 {
    let beyond = usize::from(rule_plies) + 1;
    let late = |counts: &[Count]| counts.iter().skip(beyond).map(|c| c.unique).sum::<u64>();
    table.stats.sides.iter().map(|side| late(&side.wins) + late(&side.losses)).sum()
}

/// Compares a table under a rule of so many plies; returns how many mates take
/// longer.
fn check(engine: &CudaEngine, solver: &Build, name: &str) -> u64 {
    let rule_plies = solver.rule_plies();
    let material: Material = name.parse().unwrap();
    let ours = engine.solve(material, Metric::Dtm50).unwrap();
    let theirs = solver.table(material, Metric::Dtm50).unwrap();
    let found = differences(&theirs, &ours);
    assert!(found.is_empty(), "{name}, {rule_plies} plies: {found:?}");
    let late = late(&theirs, rule_plies);
    println!("{name}, {rule_plies} plies: {late} mates take longer");
    late
}

/// Depths noted while the waves run are those of the table, and so is the number
/// of deepest positions.
fn check_watching(engine: &CudaEngine, solver: &Build, name: &str) {
    let material: Material = name.parse().unwrap();
    let table = solver.table(material, Metric::Dtm50).unwrap();
    let positions = sample(&table);
    let found = engine.values(material, Metric::Dtm50, &positions).unwrap();
    for (position, value) in positions.iter().zip(found) {
        assert_eq!(table.get(position), Some(value), "{name} {position}");
    }
    let survey = engine.survey(material, Metric::Dtm50).unwrap();
    let wins = &table.stats.sides[0].wins;
    assert_eq!(&survey.stats.sides[0].wins, wins, "{name}");
    assert_eq!(survey.deepest_wins.len() as u64, wins.last().unwrap().unique, "{name}");
}

#[test]
fn on_the_card() {
    let Some(engine) = common::on_the_card() else { return };
    let solver = Build::new();
    for material in Material::all(4) {
        check(&engine, &solver, &material.to_string());
    }
    for name in ["KRBKR", "KBBKN", "KRPKN"] {
        assert!(check(&engine, &solver, name) > 0, "{name}");
    }
}

#[test]
fn in_the_emulator() {
    // Late values are worked out a second time, clock by clock.
    let Some(mut engine) = common::in_the_emulator() else { return };
    let rules = if is_exhaustive() { &[5, 8, 13, 20, 100][..] } else { &[5, 13, 100] };
    for &rule_plies in rules {
        engine = engine.with_rule_plies(rule_plies);
        let solver = Build::new().with_rule_plies(rule_plies);
        let late: u64 =
            ["KQK", "KRK", "KPK"].map(|name| check(&engine, &solver, name)).iter().sum();
        assert_eq!(late > 0, rule_plies < 100, "{rule_plies} plies");
    }
    if !is_exhaustive() {
        return;
    }
    for (rule_plies, names) in [(24, "KRKN KBNK"), (9, "KRKN"), (13, "KNKP"), (8, "KPKP KPPK")] {
        engine = engine.with_rule_plies(rule_plies);
        let solver = Build::new().with_rule_plies(rule_plies);
        let late: u64 = names.split_whitespace().map(|name| check(&engine, &solver, name)).sum();
        assert!(late > 0, "{names}, {rule_plies} plies");
        if names.starts_with("KRKN") {
            check_watching(&engine, &solver, "KRKN");
        }
    }
}
