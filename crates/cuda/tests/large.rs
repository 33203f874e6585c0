//! Tables solved in parts for their figures, against the processor's: small tables
//! that are taken for large ones, in the emulator.

mod common;

use molien_board::Material;
use molien_build::Build;
use molien_testing::is_exhaustive;
use molien_values::{Metric, Surveyor as _};

/// The figures of a table whose boards are solved so many at a time.
fn check(solver: &Build, name: &str, boards: u64) {
    let material: Material = name.parse().unwrap();
    let men = material.len();
    let Some(engine) = common::in_the_emulator() else { return };
    let pieces = men - 2 - material.pawns();
    let board_bytes = 512 * 64u64.pow(pieces as u32);
    let engine = engine.with_large_tables(men, boards * board_bytes);
    for metric in Metric::ALL {
        assert!(engine.counts(material, metric) && !engine.surveys(material));
        let ours = engine.statistics(material, metric).unwrap();
        let theirs = solver.table(material, metric).unwrap();
        assert_eq!(ours, theirs.stats, "{name} {metric}");
    }
}

#[test]
fn figures_are_those_of_the_tables() {
    let solver = Build::new();
    check(&solver, "KPK", 3);
    check(&solver, "KPK", 1000);
    if is_exhaustive() {
        check(&solver, "KPKP", 50);
        check(&solver, "KPPK", 20);
        check(&solver, "KNKP", 2);
    }
}
