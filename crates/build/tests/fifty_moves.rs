//! Tables under the 50-move rule: the boards of DTZ where nothing is spoilt.

use std::sync::Arc;

use molien_board::Material;
use molien_build::Build;
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
        let both = Build::new();
        let dtz = both.table(material, Metric::Dtz).unwrap();
        let beside = both.table(material, Metric::Dtz50).unwrap();
        assert!(Arc::ptr_eq(&dtz.parts[0], &beside.parts[0]), "{name}");
        let alone = Build::new().table(material, Metric::Dtz50).unwrap();
        assert_same_values(&beside, &alone);
    }
}

/// Memory is planned for the tables of one metric.
#[test]
fn dtz50_does_not_bring_dtz_with_it() {
    let build = Build::new();
    build.table("KPKP".parse().unwrap(), Metric::Dtz50).unwrap();
    for name in ["KPKP", "KQKP", "KPK", "KQKQ"] {
        let material = name.parse().unwrap();
        assert!(build.table_at_hand(material, Metric::Dtz50).is_some(), "{name}");
        assert!(build.table_at_hand(material, Metric::Dtz).is_none(), "{name}");
    }
}
