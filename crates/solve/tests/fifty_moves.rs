//! Tables under the 50-move rule: the boards of DTZ where nothing is spoilt.

use std::sync::Arc;

use molien_board::Material;
use molien_solve::Solver;
use molien_values::{Metric, Stats, Table};

fn assert_same_values(a: &Table, b: &Table) {
    assert_eq!(a.parts.len(), b.parts.len());
    for (a, b) in a.parts.iter().zip(&b.parts) {
        assert!(a.values == b.values, "{}", a.board.material());
    }
    let plain = |stats: &Stats| Stats { metric: Metric::Dtz, ..stats.clone() };
    assert_eq!(plain(&a.stats), plain(&b.stats));
}

/// KBBKN takes up to 131 plies, but no capture leads to such a win.
#[test]
fn boards_are_shared_with_dtz_and_the_same_without_it() {
    for name in ["KQKR", "KPKP", "KRKP", "KBBKN"] {
        let material: Material = name.parse().unwrap();
        let both = Solver::new();
        let dtz = both.solve(material, Metric::Dtz).unwrap();
        let beside = both.solve(material, Metric::Dtz50).unwrap();
        assert!(Arc::ptr_eq(&dtz.parts[0], &beside.parts[0]), "{name}");
        let alone = Solver::new().solve(material, Metric::Dtz50).unwrap();
        assert_same_values(&beside, &alone);
    }
}

/// Memory is planned for the tables of one metric.
#[test]
fn dtz50_does_not_bring_dtz_with_it() {
    let solver = Solver::new();
    solver.solve("KPKP".parse().unwrap(), Metric::Dtz50).unwrap();
    for name in ["KPKP", "KQKP", "KPK", "KQKQ"] {
        let material = name.parse().unwrap();
        assert!(solver.get(material, Metric::Dtz50).unwrap().is_some(), "{name}");
        assert!(solver.get(material, Metric::Dtz).unwrap().is_none(), "{name}");
    }
}
