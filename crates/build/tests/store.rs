//! A folder of tables that is filled on demand.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use molien_board::Material;
use molien_build::{Build, BuildError, Making};
use molien_table::Directory;
use molien_values::Metric;

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// The names of the tables in a folder, with the metrics they were solved in.
fn held(directory: &Directory) -> Vec<(String, Vec<Metric>)> {
    let entries = directory.list().unwrap();
    entries
        .iter()
        .map(|e| (e.material.to_string(), directory.open(e.material).unwrap().solved_metrics()))
        .collect()
}

/// What is asked for is stored, with what it depends on, in the metric asked
/// for and no other; a metric asked for later is added.
#[test]
fn what_is_asked_for_is_stored_and_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let build = Build::new().with_folder(directory.clone());
    let done = Mutex::new(Vec::new());
    let note = |material: Material, _| done.lock().unwrap().push(material.to_string());
    let making = Making { done: &note, ..Making::default() };
    build.store(&[material("KQKR")], &[Metric::Dtc], &making).unwrap();
    let names = ["KQK", "KQKR", "KRK"];
    let mut told = done.into_inner().unwrap();
    told.sort();
    assert_eq!(told, names);
    let in_dtc: Vec<_> = held(&directory).into_iter().map(|(name, m)| (name, m.len())).collect();
    assert_eq!(in_dtc.len(), 3);
    for name in names {
        let metrics = directory.open(material(name)).unwrap().metrics();
        assert!(metrics.contains(&Metric::Dtc) && !metrics.contains(&Metric::Dtm), "{name}");
    }
    build.store(&[material("KQKR")], &[Metric::Dtm], &Making::default()).unwrap();
    for name in names {
        let file = directory.open(material(name)).unwrap();
        for metric in [Metric::Dtc, Metric::Dtm] {
            let stats = &Build::new().table(material(name), metric).unwrap().stats;
            assert_eq!(&file.stats(metric).unwrap(), stats, "{name} {metric}");
        }
    }
    assert!(!directory.folder().join("waves").exists());
}

#[test]
fn what_may_not_be_solved_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("empty"));
    let build = Build::new().with_folder(directory).without_solving();
    let made = build.store(&[material("KQK")], &Metric::ALL, &Making::default());
    assert!(matches!(made, Err(BuildError::Missing { .. })), "{made:?}");
    assert!(matches!(build.table(material("KQK"), Metric::Dtm), Err(BuildError::Missing { .. })));
    let nowhere = Build::new().store(&[material("KQK")], &Metric::ALL, &Making::default());
    assert!(matches!(nowhere, Err(BuildError::NoFolder)));
}

/// Several threads store the same tables at once: each is written once, and
/// whole.
#[test]
fn several_threads_store_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let build = Build::new().with_folder(directory.clone());
    let stored = AtomicUsize::new(0);
    let note = |_: Material, _| {
        stored.fetch_add(1, Ordering::Relaxed);
    };
    let making = Making { done: &note, ..Making::default() };
    std::thread::scope(|scope| {
        for names in [["KQKR", "KPK"], ["KPK", "KQKR"], ["KRK", "KPK"], ["KQK", "KQKR"]] {
            let (build, making) = (&build, &making);
            scope.spawn(move || {
                build.store(&names.map(material), &Metric::ALL, making).unwrap();
            });
        }
    });
    assert!(stored.into_inner() >= 6);
    assert_eq!(directory.list().unwrap().len(), 6);
    for entry in directory.list().unwrap() {
        directory.verify(entry.material).unwrap();
        let expected = Build::new().table(entry.material, Metric::Dtm).unwrap();
        let found = directory.open(entry.material).unwrap().stats(Metric::Dtm).unwrap();
        assert_eq!(found, expected.stats);
    }
}

/// In as little memory as will do, metrics set aside one after the other, and where some of
/// them stay in memory, the files are the same byte for byte; so they are where a metric is
/// added to them later.
#[test]
fn little_memory_makes_the_same_files() {
    let roomy = tempfile::tempdir().unwrap();
    let store = |folder: &tempfile::TempDir, limit: Option<u64>, metrics: &[Metric]| {
        let build = Build::new().with_folder(Directory::new(folder.path()));
        let build = limit.into_iter().fold(build, |build, mib| build.with_memory_limit(mib << 20));
        build.store(&[material("KRPK")], metrics, &Making::default())
    };
    store(&roomy, None, &Metric::ALL).unwrap();
    let refused_folder = tempfile::tempdir().unwrap();
    let refused = store(&refused_folder, Some(30), &Metric::ALL);
    let Err(BuildError::Memory { needed_mib, limit_mib: 30, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert!(Directory::new(refused_folder.path()).list().map_or(0, |tables| tables.len()) == 0);
    let directory = Directory::new(roomy.path());
    for limit_mib in [needed_mib, needed_mib * 5 / 4, needed_mib * 2] {
        for at_a_time in [Metric::ALL.len(), 2] {
            let scarce = tempfile::tempdir().unwrap();
            for metrics in Metric::ALL.chunks(at_a_time) {
                store(&scarce, Some(limit_mib), metrics).unwrap();
            }
            for table in directory.list().unwrap() {
                let name = directory.path(table.material).file_name().unwrap().to_owned();
                let bytes =
                    |folder: &tempfile::TempDir| std::fs::read(folder.path().join(&name)).unwrap();
                assert!(bytes(&roomy) == bytes(&scarce), "{} {limit_mib}", table.material);
            }
        }
    }
}
