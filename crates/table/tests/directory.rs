//! The folder of tables.

use std::sync::Arc;

use molien_build::Build;
use molien_table::{Directory, TableError, WriteOptions};
use molien_values::{Metric, Shelf};

#[test]
fn stores_lists_verifies_and_locks() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("new"));
    assert!(directory.list().unwrap().is_empty());
    let solver = Build::new();
    let material = "KRK".parse().unwrap();
    let dtm = solver.table(material, Metric::Dtm).unwrap();
    let dtc = solver.table(material, Metric::Dtc).unwrap();
    let options = WriteOptions::quick(3);
    directory.store(&[&dtm], &options).unwrap();
    assert!(!directory.has(material, Metric::Dtc));
    // A second metric joins the first.
    directory.store(&[&dtc], &options).unwrap();
    for metric in [Metric::Dtm, Metric::Dtc, Metric::Dtz] {
        assert!(directory.has(material, metric));
    }
    let list = directory.list().unwrap();
    assert_eq!(list.len(), 1);
    assert!(!list[0].verified);
    directory.verify(material).unwrap();
    assert!(directory.list().unwrap()[0].verified);
    let lock = directory.lock(material).unwrap();
    assert!(matches!(directory.store(&[&dtm], &options), Err(TableError::Busy { .. })));
    drop(lock);
    directory.store(&[&dtm], &WriteOptions::quick(5)).unwrap();
    assert!(directory.missing(&[material, "KBK".parse().unwrap()], Metric::Dtm).len() == 1);
}

#[test]
fn same_tables_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let material = "KBNK".parse().unwrap();
    let options = WriteOptions::quick(3);
    let bytes = |name: &str| {
        let directory = Directory::new(folder.path().join(name));
        let table = Build::new().table(material, Metric::Dtm).unwrap();
        directory.store(&[&table], &options).unwrap();
        std::fs::read(directory.path(material)).unwrap()
    };
    assert!(bytes("a") == bytes("b"));
}

#[test]
fn the_solver_uses_what_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let options = WriteOptions::quick(3);
    for name in ["KQK", "KRK"] {
        let table = Build::new().table(name.parse().unwrap(), Metric::Dtm).unwrap();
        directory.store(&[&table], &options).unwrap();
    }
    assert!(directory.contains("KRK".parse().unwrap(), Metric::Dtm));
    let material = "KQKR".parse().unwrap();
    let with = Build::new().with_shelf(Arc::new(directory)).table(material, Metric::Dtm).unwrap();
    let without = Build::new().table(material, Metric::Dtm).unwrap();
    assert_eq!(with.stats, without.stats);
    assert!(with.parts[0].values == without.parts[0].values);
}

#[test]
fn old_leftovers_are_cleaned_up() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let (old, new) = (folder.path().join("KQvK.1.tmp"), folder.path().join("KQvK.2.tmp"));
    for path in [&old, &new] {
        std::fs::write(path, "half a table").unwrap();
    }
    let day = std::time::Duration::from_secs(86400);
    let file = std::fs::File::options().write(true).open(&old).unwrap();
    file.set_modified(std::time::SystemTime::now() - day).unwrap();
    assert_eq!(directory.clean().unwrap(), 1);
    assert!(!old.exists() && new.exists());
}

/// Storing one metric leaves the unfinished work on others alone, and clears
/// away what a killed process has left of the file.
#[test]
fn storing_tidies_up() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let waves = folder.path().join("waves");
    std::fs::create_dir(&waves).unwrap();
    let (mine, others) = (folder.path().join("KRvK.77.tmp"), folder.path().join("KRvKN.77.tmp"));
    let (dtc, dtm) = (waves.join("KRvK.dtc.w.wave"), waves.join("KRvK.dtm.w.wave"));
    let (part, far) = (waves.join("KRvK.dtm-dtc.6.v0.part"), waves.join("KRvKN.dtc.w.wave"));
    for path in [&mine, &others, &dtc, &dtm, &part, &far] {
        std::fs::write(path, "something").unwrap();
    }
    let table = Build::new().table("KRK".parse().unwrap(), Metric::Dtc).unwrap();
    directory.store(&[&table], &WriteOptions::default()).unwrap();
    let left = [&mine, &others, &dtc, &dtm, &part, &far].map(|path| path.exists());
    assert_eq!(left, [false, true, false, true, false, true]);
}
