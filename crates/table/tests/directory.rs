//! The folder of tables.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use molien_board::{Color, Material};
use molien_build::Build;
use molien_hyper::Index;
use molien_table::{Directory, Pack, Reading, TableError, TableFile, TableParts, WriteOptions};
use molien_testing::Patience;
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

/// Reading whole boards ends when it is told to, wherever it is; single positions are read
/// all the same, and a file that was found sound is not called unsound.
#[test]
fn long_reading_ends_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let solver = Build::new();
    for options in [WriteOptions::quick(3), WriteOptions::packed(Pack::Fast)] {
        for name in ["KBNK", "KPK"] {
            let material: Material = name.parse().unwrap();
            let table = solver.table(material, Metric::Dtm).unwrap();
            directory.store(&[&table], &options).unwrap();
            directory.verify(material).unwrap();
            let open = |patience: &Arc<Patience>| {
                let patience = patience.clone();
                directory.clone().stopping_when(move || patience.is_over()).open(material).unwrap()
            };
            type Reads = fn(&TableFile) -> Result<(), TableError>;
            let last = |file: &TableFile| file.placements().len() - 1;
            let part: Reads = |file| {
                let reading = Reading { metric: None, sides: [true; 2], cut: None };
                file.read_part(0, reading).map(drop)
            };
            let reads: [Reads; 3] =
                [|file| file.load(Metric::Dtm).map(drop), |file| file.verify(), part];
            for read in reads {
                let all = Arc::new(Patience::new(usize::MAX));
                read(&open(&all)).unwrap();
                let asked = usize::MAX - all.left();
                assert!(asked > 0, "{name}");
                for most in [0, asked / 2, asked - 1] {
                    let stopped = read(&open(&Arc::new(Patience::new(most))));
                    let is_stop = matches!(stopped, Err(TableError::ReadInterrupted { .. }));
                    assert!(is_stop, "{name}: {most} of {asked}: {stopped:?}");
                }
            }
            let stopped = open(&Arc::new(Patience::new(0)));
            let pawns = stopped.placements()[last(&stopped)];
            assert!(stopped.load_board(Metric::Dtm, pawns).is_err_and(|e| e.is_interrupted()));
            let part = table.parts.last().unwrap();
            let first = (0..part.board.tiles()).flat_map(|tile| {
                let pairs = part.values[0].legal[tile].pairs();
                pairs.map(move |(row, column)| Index { tile, row, column }).take(1)
            });
            let position = first.into_iter().find_map(|at| part.board.decode(at, Color::White));
            let position = position.unwrap();
            assert_eq!(stopped.get(&position, Metric::Dtm).unwrap(), table.get(&position).unwrap());
            let stopping = directory.clone().stopping_when(|| true);
            assert!(stopping.verify(material).is_err_and(|error| error.is_interrupted()));
            assert!(directory.list().unwrap().iter().any(|t| t.material == material && t.verified));
        }
    }
}

/// A metric of the earlier file whose reading was interrupted is not given up: nothing is
/// written.
#[test]
fn interrupted_storing_keeps_the_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material = "KRK".parse().unwrap();
    let [dtm, dtc] = [Metric::Dtm, Metric::Dtc].map(|m| Build::new().table(material, m).unwrap());
    directory.store(&[&dtm], &WriteOptions::quick(3)).unwrap();
    let stopping = directory.clone().stopping_when(|| true);
    let stopped = stopping.store(&[&dtc], &WriteOptions::quick(3));
    assert!(stopped.is_err_and(|error| error.is_interrupted()));
    assert_eq!(directory.open(material).unwrap().metrics(), [Metric::Dtm]);
    directory.store(&[&dtc], &WriteOptions::quick(3)).unwrap();
    assert!(directory.has(material, Metric::Dtm) && directory.has(material, Metric::Dtc));
}

/// Learning and coding take their time; they end soon when somebody wants that, and leave
/// nothing behind.
#[test]
fn long_writing_ends_when_told_to() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material = "KPK".parse().unwrap();
    let table = Build::new().table(material, Metric::Dtm).unwrap();
    let store = |patience: &Arc<Patience>| {
        let patience = patience.clone();
        let stopping = directory.clone().stopping_when(move || patience.is_over());
        stopping.store(&[&table], &WriteOptions::packed(Pack::Fast))
    };
    let all = Arc::new(Patience::new(usize::MAX));
    store(&all).unwrap();
    let asked = usize::MAX - all.left();
    for most in [0, asked / 4, asked / 2, asked - 1] {
        std::fs::remove_file(directory.path(material)).unwrap();
        let stopped = store(&Arc::new(Patience::new(most)));
        assert!(stopped.is_err_and(|error| error.is_interrupted()), "{most} of {asked}");
        assert!(!directory.path(material).exists());
        store(&all).unwrap();
    }
    let left = std::fs::read_dir(folder.path()).unwrap();
    let is_lock = |name: &str| name.ends_with(".lock");
    let names = left.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(names.filter(|name| !is_lock(name)).collect::<Vec<_>>(), ["KPvK.mol"]);
}

/// How much room a writer of learnt contexts has does not show in the file.
#[test]
fn room_changes_no_byte() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material = "KQKP".parse().unwrap();
    let metrics = [Metric::Dtz50, Metric::Dtc, Metric::Dtm];
    let tables = metrics.map(|metric| Build::new().table(material, metric).unwrap());
    let parts = tables.each_ref().map(|table| table as &dyn TableParts);
    let bytes = |room_bytes: Option<u64>| {
        let options = WriteOptions::packed(Pack::Fast);
        directory.store_parts(&parts, &options, room_bytes).unwrap();
        std::fs::read(directory.path(material)).unwrap()
    };
    let unlimited = bytes(None);
    for room_bytes in [0, 40 << 20] {
        assert!(bytes(Some(room_bytes)) == unlimited, "{room_bytes}");
    }
}

/// Who wants writing to end may not say so twice: what was left out by then must not become a
/// file.
#[test]
fn writing_that_was_told_to_end_once_ends() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material = "KPK".parse().unwrap();
    let table = Build::new().table(material, Metric::Dtm).unwrap();
    let store = |asked: &Arc<AtomicUsize>, once: usize| {
        let asked = asked.clone();
        let stopping = directory.clone().stopping_when(move || asked.fetch_add(1, Relaxed) == once);
        stopping.store(&[&table], &WriteOptions::packed(Pack::Fast))
    };
    let asked = Arc::new(AtomicUsize::new(0));
    store(&asked, usize::MAX).unwrap();
    std::fs::remove_file(directory.path(material)).unwrap();
    let all = asked.load(Relaxed);
    for once in [0, all / 5, all / 3, all / 2, all * 2 / 3, all - 1] {
        let stopped = store(&Arc::new(AtomicUsize::new(0)), once);
        assert!(stopped.is_err_and(|error| error.is_interrupted()), "{once} of {all}");
        assert!(!directory.path(material).exists());
    }
}
