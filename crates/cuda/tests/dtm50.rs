//! Mate under the 50-move rule on the card, against the processor's tables, bit
//! for bit with statistics. Four men never need more than a hundred plies, so
//! stricter rules are what puts the late runs to the test.

use molien_board::Material;
use molien_build::Build;
use molien_cuda::conformance::differences;
use molien_cuda::{CudaEngine, CudaError};
use molien_testing::is_exhaustive;
use molien_values::{Metric, Table};

/// Positions whose mate takes longer than the rule.
fn late(table: &Table, rule_plies: u16) -> u64 {
    let beyond = usize::from(rule_plies) + 1;
    let sides = table.stats.sides.iter();
    let late =
        |counts: &[molien_values::Count]| counts.iter().skip(beyond).map(|c| c.unique).sum::<u64>();
    sides.map(|side| late(&side.wins) + late(&side.losses)).sum()
}

/// Compares tables under a rule of so many plies; returns how many mates take
/// longer.
fn check(engine: &CudaEngine, names: &str, rule_plies: u16) -> u64 {
    let solver = Build::new().with_rule_plies(rule_plies);
    let compare = |name: &str| {
        let material: Material = name.parse().unwrap();
        let ours = engine.solve(material, Metric::Dtm50).unwrap();
        let theirs = solver.table(material, Metric::Dtm50).unwrap();
        let found = differences(&theirs, &ours);
        assert!(found.is_empty(), "{name}, {rule_plies} plies: {found:?}");
        late(&theirs, rule_plies)
    };
    names.split_whitespace().map(compare).sum()
}

#[test]
fn in_the_emulator() {
    let mut engine = match CudaEngine::emulated() {
        Ok(engine) => engine,
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            println!("skipped: {error}");
            return;
        }
    };
    for rule_plies in [5, 8, 13, 20, 100] {
        engine = engine.with_rule_plies(rule_plies);
        let late = check(&engine, "KQK KRK KPK", rule_plies);
        println!("{rule_plies} plies: {late} mates take longer");
        assert_eq!(late > 0, rule_plies < 100, "{rule_plies} plies");
    }
    if is_exhaustive() {
        for rule_plies in [9, 24, 31, 100] {
            engine = engine.with_rule_plies(rule_plies);
            let late = check(&engine, "KRKN KBNK KQKR KPKP KNKP KPPK", rule_plies);
            println!("{rule_plies} plies: {late} mates take longer");
        }
    }
}
