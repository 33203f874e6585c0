//! Tables solved and written a part at a time equal those that are in memory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use molien_board::Material;
use molien_build::{Build, Making, check_stored, dependencies};
use molien_solve::Progress;
use molien_table::Directory;
use molien_values::Metric;

/// A build that solves tables of four men a part at a time, in so little
/// memory that most boards are read again.
fn by_part(folder: &Path) -> Build {
    let build = Build::new().with_folder(Directory::new(folder)).by_part_from(4);
    build.with_memory_limit(160 << 20)
}

fn bytes(folder: &Path, material: Material) -> Vec<u8> {
    std::fs::read(Directory::new(folder).path(material)).unwrap()
}

/// Whatever is solved a part at a time gives the same files as what is solved
/// as a whole, closure included: symmetric men, like men, en passant.
#[test]
fn parts_give_the_same_files() {
    let whole = tempfile::tempdir().unwrap();
    let parts = tempfile::tempdir().unwrap();
    for name in ["KPKP", "KPPK", "KRPK", "KNKP"] {
        let goal: Material = name.parse().unwrap();
        let build = Build::new().with_folder(Directory::new(whole.path()));
        build.store(&[goal], &Metric::ALL, &Making::default()).unwrap();
        let small = by_part(parts.path());
        assert!(small.plan_tables(&[goal], &Metric::ALL).iter().any(|t| t.material == goal));
        small.store(&[goal], &Metric::ALL, &Making::default()).unwrap();
        for material in dependencies(goal).into_iter().chain([goal]) {
            if material.len() > 2 {
                let expected = bytes(whole.path(), material);
                assert!(bytes(parts.path(), material) == expected, "{material}");
            }
        }
    }
    let left = std::fs::read_dir(parts.path()).unwrap().map(|entry| entry.unwrap().path());
    let left: Vec<_> = left.filter(|path| path.is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// Cancels after so many questions.
struct Impatient(AtomicUsize);

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
            .is_err()
    }
}

/// Interrupted again and again, it gives the same bytes.
#[test]
fn an_interrupted_solve_resumes() {
    let whole = tempfile::tempdir().unwrap();
    let parts = tempfile::tempdir().unwrap();
    let goal: Material = "KPPK".parse().unwrap();
    let metrics = [Metric::Dtm, Metric::Dtz50];
    let build = Build::new().with_folder(Directory::new(whole.path()));
    build.store(&[goal], &metrics, &Making::default()).unwrap();
    let (mut stops, mut boards) = (0, 0);
    loop {
        let patience = Arc::new(Impatient(AtomicUsize::new(5000 + 1777 * stops)));
        let writing =
            |_: Material, written: usize, _: usize| stops % 2 == 0 || written % 150 != 149;
        let making = Making { writing: &writing, ..Making::default() };
        let build = by_part(parts.path()).with_progress(patience);
        match build.store(&[goal], &metrics, &making) {
            Ok(()) => break,
            Err(error) => assert!(error.is_cancelled(), "{error}"),
        }
        stops += 1;
        assert!(stops < 100, "it gets nowhere");
        let log = Directory::new(parts.path()).board_log(goal, Metric::Dtm).unwrap();
        boards = log.len().max(boards);
    }
    assert!(stops > 5 && boards > 0, "{stops} stops, {boards} boards kept");
    assert!(bytes(parts.path(), goal) == bytes(whole.path(), goal));
}

/// Nothing needs to be stored for the figures.
#[test]
fn figures_without_files() {
    for name in ["KPKP", "KRPK"] {
        let material: Material = name.parse().unwrap();
        for metric in [Metric::Dtm, Metric::Dtz50] {
            let expected = Build::new().table(material, metric).unwrap().stats.clone();
            let scratch = tempfile::tempdir().unwrap();
            let build = Build::new().by_part_from(4).with_scratch(scratch.path());
            assert_eq!(build.stats(material, metric).unwrap(), expected, "{name} {metric}");
            let limited = build.with_memory_limit(1 << 28);
            assert_eq!(limited.stats(material, metric).unwrap(), expected, "{name} {metric}");
            drop(limited);
            assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
        }
    }
}

/// A file is checked in place, every value of it.
#[test]
fn stored_tables_are_checked_board_by_board() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["KPKP", "KRPK"] {
        let material: Material = name.parse().unwrap();
        let build = by_part(folder.path());
        let metrics = [Metric::Dtm, Metric::Dtz50];
        build.store(&[material], &metrics, &Making::default()).unwrap();
        let file = Arc::new(Directory::new(folder.path()).open(material).unwrap());
        for metric in metrics {
            let table = Build::new().table(material, metric).unwrap();
            let found = check_stored(&build, &file, metric).unwrap();
            let expected = molien_build::check_consistency(&Build::new(), &table).unwrap();
            assert_eq!((found.checked, found.failures), (expected.checked, 0), "{name} {metric}");
        }
    }
}

/// One depth that is changed in such a file is found.
#[test]
fn a_changed_depth_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material: Material = "KRPK".parse().unwrap();
    let build = by_part(folder.path());
    build.store(&[material], &[Metric::Dtm], &Making::default()).unwrap();
    let mut table = directory.open(material).unwrap().load(Metric::Dtm).unwrap();
    // The last bit of a win in the middle of the table.
    let part = table.parts.len() / 2;
    let board = Arc::make_mut(&mut table.parts[part]);
    let side = &mut board.values[0];
    let tile = (0..side.won.len()).find(|&tile| !side.won[tile].is_empty()).unwrap();
    let (row, column) = side.won[tile].pairs().next().unwrap();
    *side.depth[1][tile].row_mut(row) ^= 1 << column.index();
    let plies = side.depth_at(tile, row, column);
    let wins = &mut table.stats.sides[0].wins;
    if wins.len() <= usize::from(plies) {
        wins.resize(usize::from(plies) + 1, Default::default());
    }
    wins[usize::from(plies)].unique += 1;
    directory.store(&[&table], &Default::default()).unwrap();
    let file = Arc::new(directory.open(material).unwrap());
    let found = check_stored(&build, &file, Metric::Dtm).unwrap();
    assert!(found.failures > 0);
}
