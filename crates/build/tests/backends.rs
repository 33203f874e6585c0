//! Whole tables are the same, bit for bit, whatever instructions solve them.

use molien_board::Material;
use molien_build::Build;
use molien_operators::{Backend, all, fastest};

use molien_values::{Metric, Table};

fn solve(backend: &'static dyn Backend, material: Material, metric: Metric) -> Table {
    let build = Build::new().with_backend(backend);
    let table = build.table(material, metric).unwrap();
    Table::clone(&table)
}

fn compare(backend: &'static dyn Backend, name: &str, metric: Metric) {
    let material: Material = name.parse().unwrap();
    let (found, expected) = (solve(backend, material, metric), solve(fastest(), material, metric));
    let what = format!("{} {name} {metric}", backend.name());
    assert_eq!(found.parts.len(), expected.parts.len(), "{what}");
    for (found, expected) in found.parts.iter().zip(&expected.parts) {
        assert!(found.board == expected.board && found.values == expected.values, "{what}");
    }
    assert!(found.stats == expected.stats, "{what}");
}

#[test]
fn three_men_one_position_at_a_time() {
    for (name, metric) in [("KQK", Metric::Dtm), ("KRK", Metric::Dtc), ("KPK", Metric::Dtz50)] {
        for backend in all() {
            compare(backend, name, metric);
        }
    }
}

#[test]
fn four_men() {
    for (name, metric) in [
        ("KQKR", Metric::Dtm),
        ("KRKR", Metric::Dtm),
        ("KBBK", Metric::Dtc),
        ("KRKN", Metric::Dtz50),
        ("KPKP", Metric::Dtm),
        ("KRKP", Metric::Dtz),
    ] {
        let fast = all().into_iter().filter(|backend| backend.name() != "scalar");
        for backend in fast.filter(|backend| backend.name() != fastest().name()) {
            compare(backend, name, metric);
        }
    }
}
