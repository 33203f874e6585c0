//! A folder of tables that is filled on demand.

use std::sync::Mutex;

use molien_board::Material;
use molien_probe::{FolderSource, ProbeError, Source};
use molien_solve::{Metric, Solver};
use molien_table::Directory;

/// Each after those it depends on.
const NAMES: [&str; 6] = ["KQK", "KRK", "KBK", "KNK", "KPK", "KQKR"];

fn materials() -> Vec<Material> {
    NAMES.iter().map(|name| name.parse().unwrap()).collect()
}

/// Tables made side by side are those made one by one, each reported once.
#[test]
fn several_tables_are_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let solver = Solver::new();
    for (name, together) in [("alone", false), ("together", true)] {
        let directory = Directory::new(folder.path().join(name));
        let source = FolderSource::new(directory, Solver::new());
        let done = Mutex::new(Vec::new());
        let note = |material: Material, _| done.lock().unwrap().push(material.to_string());
        source.make_all(&materials(), 3, together, note).unwrap();
        let mut done = done.into_inner().unwrap();
        done.sort();
        let mut names = NAMES;
        names.sort();
        assert_eq!(done, names);
        for material in materials() {
            let stats = source.stats(material, Metric::Dtm).unwrap();
            assert_eq!(stats, solver.solve(material, Metric::Dtm).unwrap().stats, "{material}");
        }
    }
}

#[test]
fn what_may_not_be_solved_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("empty"));
    let source = FolderSource::new(directory, Solver::new()).without_solving();
    let made = source.make_all(&materials(), 2, false, |_, _| {});
    assert!(matches!(made, Err(ProbeError::MissingTable { .. })), "{made:?}");
}
