//! A folder of tables that is filled on demand.

use std::sync::Mutex;

use molien_board::Material;
use molien_build::Build;
use molien_probe::{FolderSource, ProbeError, Source};
use molien_table::Directory;
use molien_values::Metric;

/// Each after those it depends on.
const NAMES: [&str; 6] = ["KQK", "KRK", "KBK", "KNK", "KPK", "KQKR"];

fn materials() -> Vec<Material> {
    NAMES.iter().map(|name| name.parse().unwrap()).collect()
}

/// Tables made side by side are those made one by one, each reported once.
#[test]
fn several_tables_are_made_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let solver = Build::new();
    for (name, together) in [("alone", false), ("together", true)] {
        let directory = Directory::new(folder.path().join(name));
        let source = FolderSource::new(directory, Build::new());
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
            assert_eq!(stats, solver.table(material, Metric::Dtm).unwrap().stats, "{material}");
        }
    }
}

#[test]
fn what_may_not_be_solved_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("empty"));
    let source = FolderSource::new(directory, Build::new()).without_solving();
    let made = source.make_all(&materials(), 2, false, |_, _| {});
    assert!(matches!(made, Err(ProbeError::MissingTable { .. })), "{made:?}");
}

/// A table made by way of its wave logs, in two steps, is the one made in
/// memory.
#[test]
fn large_tables_are_made_from_their_logs() {
    let folder = tempfile::tempdir().unwrap();
    let material: Material = "KRKN".parse().unwrap();
    let usual = Directory::new(folder.path().join("usual"));
    let source = FolderSource::new(usual.clone(), Build::new());
    source.make(material, |_| {}).unwrap();
    let expected = usual.open(material).unwrap();
    let large = Directory::new(folder.path().join("large"));
    let source = FolderSource::new(large.clone(), Build::new());
    for sub in ["KRK", "KNK"] {
        source.make(sub.parse().unwrap(), |_| {}).unwrap();
    }
    let mut blocks = 0;
    for metrics in [&[Metric::Dtz50][..], &Metric::ALL] {
        let written = std::sync::atomic::AtomicUsize::new(0);
        let watch = |_, of| {
            written.store(of, std::sync::atomic::Ordering::Relaxed);
            true
        };
        source.make_large(material, metrics, 1 << 28, &watch).unwrap();
        blocks = written.into_inner();
        assert!(metrics.iter().all(|&metric| source.is_stored(material, metric)));
    }
    assert!(blocks > 0);
    // Equal in everything but the date.
    assert_eq!(large.open(material).unwrap().signature(), expected.signature());
    source.make_large(material, &Metric::ALL, 0, &|_, _| panic!("it is there")).unwrap();
    assert!(!large.folder().join("waves").exists());
}

#[test]
fn a_stopped_table_is_not_there_and_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let source = FolderSource::new(directory.clone(), Build::new());
    let material: Material = "KQK".parse().unwrap();
    let stopped = source.make_large(material, &[Metric::Dtm], 0, &|_, _| false);
    assert!(matches!(stopped, Err(ProbeError::Table(_))), "{stopped:?}");
    assert!(!source.is_stored(material, Metric::Dtm));
    source.make_large(material, &[Metric::Dtm], 0, &|_, _| true).unwrap();
    assert!(source.is_stored(material, Metric::Dtm));
}
