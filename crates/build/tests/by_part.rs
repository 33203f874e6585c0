//! Tables solved and written a part at a time equal those that are in memory.

use std::path::Path;
use std::sync::Arc;

use molien_board::{Color, Material};
use molien_build::{Build, Making, Storage, check_consistency, check_stored, dependencies, reads};
use molien_solve::Progress;
use molien_table::{Directory, TableParts};
use molien_testing::Patience;
use molien_values::{Metric, Placement, Stats};
use tempfile::TempDir;

/// A build that solves tables with as many men as this one a part at a time, in
/// so little memory that slices go to a file.
fn by_part(folder: &Path, goal: Material) -> Build {
    let build = Build::new().with_folder(Directory::new(folder)).by_part_from(goal.len());
    build.with_memory_limit(200 << 20)
}

/// How many tiles a board has that is solved in little memory: all, or none.
const LEAN_TILES: [u64; 2] = [1, u64::MAX];

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// A folder with a table and all it depends on, made as usual.
fn stored(goal: Material, metrics: &[Metric]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let build = Build::new().with_folder(Directory::new(folder.path()));
    build.store(&[goal], metrics, &Making::default()).unwrap();
    folder
}

/// Another one in which the tables with as many men and pawns are left out.
fn without_large(whole: &Path, goal: Material) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let [from, to] = [whole, folder.path()].map(Directory::new);
    let small = |m: &Material| m.len() > 2 && (m.len() < goal.len() || !m.has_pawns());
    for material in dependencies(goal).into_iter().filter(small) {
        std::fs::copy(from.path(material), to.path(material)).unwrap();
    }
    folder
}

fn bytes(folder: &Path, material: Material) -> Vec<u8> {
    std::fs::read(Directory::new(folder).path(material)).unwrap()
}

/// Solves a table a part at a time and as a whole, with all it depends on: the
/// files are the same, and every value of them is right.
fn compare(goal: Material, metrics: &[Metric]) {
    let whole = stored(goal, metrics);
    LEAN_TILES.iter().for_each(|&lean| compare_with(whole.path(), goal, metrics, lean));
}

fn compare_with(whole: &Path, goal: Material, metrics: &[Metric], lean_tiles: u64) {
    let parts = without_large(whole, goal);
    let build = by_part(parts.path(), goal).lean_from(lean_tiles);
    assert_eq!(build.plan_tables(&[goal], metrics).last().map(|table| table.material), Some(goal));
    build.store(&[goal], metrics, &Making::default()).unwrap();
    for material in dependencies(goal).into_iter().chain([goal]).filter(|m| m.len() > 2) {
        let expected = bytes(whole, material);
        assert!(bytes(parts.path(), material) == expected, "{goal}: {material}, {lean_tiles}");
    }
    let file = Arc::new(Directory::new(parts.path()).open(goal).unwrap());
    for &metric in metrics {
        let found = check_stored(&build, &file, metric).unwrap();
        assert_eq!(found.failures, 0, "{goal} {metric}");
        let usual = Build::new().with_folder(Directory::new(whole));
        let expected = check_consistency(&usual, &file.load(metric).unwrap()).unwrap();
        assert_eq!(found.checked, expected.checked, "{goal} {metric}");
    }
    drop(build);
    let left = std::fs::read_dir(parts.path()).unwrap().map(|entry| entry.unwrap().path());
    let left: Vec<_> = left.filter(|path| path.is_dir()).collect();
    assert!(left.is_empty(), "{left:?}");
}

/// All metrics; with `MOLIEN_EXHAUSTIVE` also with symmetric men, en passant, like
/// men.
#[test]
fn parts_give_the_same_files() {
    compare(material("KPK"), &Metric::ALL);
    if std::env::var_os("MOLIEN_EXHAUSTIVE").is_some() {
        ["KPKP", "KPPK", "KRPK"].map(material).iter().for_each(|goal| compare(*goal, &Metric::ALL));
    }
}

/// Cancels after so many questions.
struct Impatient(Patience);

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        self.0.is_over()
    }
}

/// Interrupted again and again, it gives the same bytes.
#[test]
fn an_interrupted_solve_resumes() {
    let (goal, metrics) = (material("KPK"), [Metric::Dtm]);
    let whole = stored(goal, &metrics);
    let parts = without_large(whole.path(), goal);
    let (mut stops, mut boards) = (0, 0);
    loop {
        let patience = Arc::new(Impatient(Patience::new(100 + 40 * stops)));
        let writing = |_: Material, written: usize, _: usize| stops % 2 == 0 || written % 10 != 9;
        let making = Making { writing: &writing, ..Making::default() };
        let build = by_part(parts.path(), goal).with_progress(patience);
        let build = build.lean_from(LEAN_TILES[stops % 2]);
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

/// Nothing needs to be stored for the figures; what promotions lead to is solved
/// for its slices.
#[test]
fn figures_without_files() {
    for (name, men, metric) in [("KPK", 3, Metric::Dtm), ("KPKP", 4, Metric::Dtz50)] {
        let material = material(name);
        let expected = Build::new().table(material, metric).unwrap().stats.clone();
        let scratch = tempfile::tempdir().unwrap();
        for limit in [u64::MAX, 1 << 28] {
            let build = Build::new().by_part_from(men).with_scratch(scratch.path());
            let build = if limit == u64::MAX { build } else { build.with_memory_limit(limit) };
            let build = build.lean_from(if limit == u64::MAX { 1 } else { u64::MAX });
            assert_eq!(build.stats(material, metric).unwrap(), expected, "{name} {metric}");
        }
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}

/// One depth that is changed in such a file is found.
#[test]
fn a_changed_depth_is_found() {
    let goal = material("KPK");
    let folder = stored(goal, &[Metric::Dtm]);
    let directory = Directory::new(folder.path());
    let mut table = directory.open(goal).unwrap().load(Metric::Dtm).unwrap();
    // A bit of a win in the middle of the table.
    let part = table.parts.len() / 2;
    let side = &mut Arc::make_mut(&mut table.parts[part]).values[0];
    let tile = (0..side.won.len()).find(|&tile| !side.won[tile].is_empty()).unwrap();
    let (row, column) = side.won[tile].pairs().next().unwrap();
    *side.depth[1][tile].row_mut(row) ^= 1 << column.index();
    let plies = usize::from(side.depth_at(tile, row, column));
    let wins = &mut table.stats.sides[0].wins;
    wins.resize(wins.len().max(plies + 1), Default::default());
    wins[plies].unique += 1;
    directory.store(&[&table], &Default::default()).unwrap();
    let file = Arc::new(directory.open(goal).unwrap());
    let found = check_stored(&by_part(folder.path(), goal), &file, Metric::Dtm).unwrap();
    assert!(found.failures > 0);
}

/// Each table of a plan comes after what it reads, and takes something.
#[test]
fn a_plan_is_in_order() {
    let build = Build::new().with_memory_limit(16 << 30);
    let goal = material("KRPKRP");
    let plan = build.plan_tables(&[goal], &[Metric::Dtm, Metric::Dtz50]);
    let last = plan.last().unwrap();
    assert_eq!((last.material, last.storage), (goal, Storage::ByPart));
    assert_eq!((last.boards, last.addresses), (1128, 1128 << 24));
    for (i, table) in plan.iter().enumerate() {
        for sub in reads(table.material).into_iter().filter(|sub| sub.len() > 2) {
            assert!(plan[..i].iter().any(|earlier| earlier.material == sub), "{sub}");
        }
        assert!(table.memory_bytes > 0 && table.file_bytes > 0 && !table.metrics.is_empty());
    }
    let large = plan.iter().filter(|table| table.storage == Storage::ByPart);
    let most = large.map(|table| table.memory_bytes).max().unwrap();
    assert!(most <= 16 << 30, "{} MiB", most >> 20);
}

/// What is logged comes back; a log that is cut short or damaged keeps what
/// comes before, and goes on from there.
#[test]
fn boards_survive_the_process() {
    let material = material("KPKP");
    let table = Build::new().table(material, Metric::Dtm).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let open = || Arc::new(directory.board_log(material, Metric::Dtm).unwrap());
    let stats = Stats::new(material, Metric::Dtm);
    let log = open();
    table.parts.iter().take(40).for_each(|part| log.add(part, &stats).unwrap());
    assert!(log.clone().into_table().is_err(), "boards are missing");
    drop(log);
    let path = folder.path().join("waves/KPvKP.dtm.boards");
    let bytes = std::fs::read(&path).unwrap();
    let mut damaged = bytes.clone();
    damaged[bytes.len() / 2] ^= 1;
    // Its planes were packed as they are: read in today's way they would be others.
    let earlier_form = [b"MOLBRDS1", &bytes[8..]].concat();
    for (left, contents) in [
        (40..=40, bytes.clone()),
        (39..=39, bytes[..bytes.len() - 1].to_vec()),
        (1..=39, damaged),
        (0..=0, earlier_form),
        (0..=0, b"something else".to_vec()),
    ] {
        std::fs::write(&path, contents).unwrap();
        let log = open();
        assert!(left.contains(&log.len()), "{} of {left:?}", log.len());
        for part in &table.parts {
            let pawns = Placement::new(Color::BOTH.map(|color| part.board.pawns(color)));
            if !log.has(pawns) {
                log.add(part, &stats).unwrap();
            }
        }
        let found = open().into_table().unwrap();
        for (i, part) in table.parts.iter().enumerate() {
            assert!(found.part(i).unwrap().values == part.values);
        }
    }
    assert!(open().board(Placement::NONE, None).unwrap().is_none());
}
