//! Many threads ask for the same tables at once.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use molien_board::Material;
use molien_build::Build;
use molien_solve::Progress;
use molien_values::{Metric, Table};
use rayon::prelude::*;

const NAMES: [&str; 4] = ["KPK", "KPKP", "KRKP", "KQKP"];

/// How often each table is solved.
#[derive(Default)]
struct Solves(Mutex<HashMap<(Material, Metric), usize>>);

impl Progress for Solves {
    fn begin(&self, material: Material, metric: Metric, _positions: u64) {
        *self.0.lock().unwrap().entry((material, metric)).or_default() += 1;
    }
}

fn wanted() -> Vec<(Material, Metric)> {
    let materials = NAMES.map(|name| name.parse::<Material>().unwrap());
    let metrics = |material| Metric::ALL.map(|metric| (material, metric));
    materials.into_iter().flat_map(metrics).collect()
}

fn assert_equal(found: &Table, expected: &Table) {
    assert_eq!(found.stats, expected.stats);
    assert_eq!(found.parts.len(), expected.parts.len());
    for (found, expected) in found.parts.iter().zip(&expected.parts) {
        assert!(found.values == expected.values, "{}", expected.board.material());
    }
}

/// Every thread asks for everything, each in an order of its own; whatever it
/// gets is what a single thread gets, and every table is solved once.
fn ask(rounds: usize, threads: impl Fn(&(dyn Fn(usize) + Sync))) {
    let serial = Build::new();
    let expected: HashMap<_, Arc<Table>> = wanted()
        .into_iter()
        .map(|(m, metric)| ((m, metric), serial.table(m, metric).unwrap()))
        .collect();
    for _ in 0..rounds {
        let solves = Arc::new(Solves::default());
        let build = Build::new().with_progress(solves.clone());
        threads(&|thread| {
            let mut order = wanted();
            let start = thread * 5 % order.len();
            order.rotate_left(start);
            for (material, metric) in order {
                let table = build.table(material, metric).unwrap();
                assert_equal(&table, &expected[&(material, metric)]);
            }
        });
        let solves = solves.0.lock().unwrap();
        assert!(solves.len() > NAMES.len());
        assert!(solves.values().all(|&times| times == 1), "{solves:?}");
    }
}

#[test]
fn threads_share_what_one_of_them_solves() {
    ask(2, |each| {
        std::thread::scope(|scope| (0..8).for_each(|i| drop(scope.spawn(move || each(i)))));
    });
}

/// A parallel iterator's threads take up other items while they wait.
#[test]
fn parallel_iterators_may_ask() {
    ask(2, |each| (0..16).into_par_iter().for_each(each));
}
