//! Callers whose threads are all waiting for tables that have to be made.

use molien_board::Position;
use molien_build::Build;
use molien_probe::Tablebase;
use molien_table::Directory;
use molien_values::Metric;
use rayon::prelude::*;

const FENS: [&str; 6] = [
    "8/8/8/8/8/2k5/8/K6R w - -",
    "8/8/8/8/8/2k5/8/K6Q w - -",
    "8/8/8/8/3P4/2k5/8/K7 w - -",
    "8/8/8/8/3n4/2k5/8/K6R w - -",
    "8/8/8/8/3b4/2k5/8/K6R w - -",
    "8/8/8/5N2/8/2k5/8/K6B w - -",
];

/// What is asked in parallel is made and stored, metric after metric, although
/// no thread of the caller is left to help.
#[test]
fn tables_are_made_while_all_threads_of_the_caller_wait() {
    rayon::ThreadPoolBuilder::new().num_threads(2).build_global().unwrap();
    let positions: Vec<Position> = FENS.iter().map(|fen| fen.parse().unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    for metric in [Metric::Dtz50, Metric::Dtm, Metric::Dtc] {
        let stored = Build::new().with_folder(Directory::new(folder.path()));
        let tables = Tablebase::solving(stored);
        let values = |position: &Position| tables.value(position, metric).unwrap();
        let found: Vec<_> = positions.par_iter().map(values).collect();
        let alone = Tablebase::solving(Build::new());
        for (position, found) in positions.iter().zip(found) {
            assert_eq!(found, alone.value(position, metric).unwrap(), "{position} {metric}");
        }
    }
}
