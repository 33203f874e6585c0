//! The kernels against the processor's tables: on a card where there is one,
//! and on the host through the emulator.

mod common;

use std::path::Path;
use std::sync::Arc;

use common::sample;
use molien_board::Material;
use molien_build::{Build, BuildError, Making};
use molien_cuda::conformance::differences;
use molien_cuda::{CudaEngine, CudaError, CudaShelf, Planes, Request};
use molien_operators::fastest;
use molien_solve::board_stats;
use molien_table::Directory;
use molien_testing::is_exhaustive;
use molien_values::{Metric, Stats, Surveyor as _, Value};

const METRICS: [Metric; 4] = Metric::ALL;

fn check(engine: &CudaEngine, solver: &Build, name: &str) {
    let material: Material = name.parse().unwrap();
    // Without pawns DTZ is DTC.
    for metric in METRICS.into_iter().filter(|m| material.has_pawns() || *m != Metric::Dtz) {
        let ours = engine.solve(material, metric).unwrap();
        let theirs = solver.table(material, metric).unwrap();
        let found = differences(&theirs, &ours);
        assert!(found.is_empty(), "{name} {metric}: {found:?}");
    }
}

/// In two planes a board has the values, statistics, deepest positions and
/// watched depths that it has in four.
fn check_two_planes(engine: &CudaEngine, solver: &Build, name: &str) {
    let material: Material = name.parse().unwrap();
    let material = material.canonical();
    engine.forget_all(); // of what was solved in four
    let request = Request { planes: Planes::Two, ..Request::new(material, Metric::Dtc) };
    let ours = engine.solve_request(&request).unwrap();
    let theirs = solver.table(material, Metric::Dtc).unwrap();
    assert_eq!(differences(&theirs, &ours), Vec::<String>::new(), "{name}");
    let dtm = Request { metric: Metric::Dtm, ..request };
    assert!(matches!(engine.solve_request(&dtm), Err(CudaError::TwoPlanes { .. })));
    for material in [material, material.swap_colors()] {
        engine.forget_all();
        let [four, two] = [Planes::Four, Planes::Two]
            .map(|planes| engine.survey_in(material, Metric::Dtc, planes).unwrap());
        assert_eq!(four.stats, two.stats, "{material}");
        assert_eq!(four.deepest_wins, two.deepest_wins, "{material}");
        if four.stats.sides[1].losses.len() > 2 {
            assert_eq!(four.deepest_losses, two.deepest_losses, "{material}");
        }
    }
    if material.len() == 3 {
        return; // too few positions for a sample
    }
    let positions = sample(&theirs);
    let values = engine.values_in(material, Metric::Dtc, &positions, Planes::Two).unwrap();
    for (position, value) in positions.iter().zip(values) {
        assert_eq!(theirs.get(position), Some(value), "{name} {position}");
    }
}

/// A solver with the card as its shelf has the tables of one without, also
/// where the shelf sees that the 50-move rule does not matter.
fn check_shelf(engine: CudaEngine, solver: &Build, names: &[&str]) {
    let with_card = Build::new().with_shelf(Arc::new(CudaShelf::new(Arc::new(engine))));
    for name in names {
        let material: Material = name.parse().unwrap();
        let mut held = Vec::new();
        for metric in METRICS {
            let ours = with_card.table(material, metric).unwrap();
            let theirs = solver.table(material, metric).unwrap();
            assert_eq!(differences(&theirs, &ours), Vec::<String>::new(), "{name} {metric}");
            held.push(ours);
        }
        let shared = Arc::ptr_eq(&held[2].parts[0], &held[3].parts[0]);
        assert!(shared, "{name}: nothing takes 100 plies, so DTZ50 is DTZ");
    }
}

/// Depths noted while the waves run are those that a table keeps, and the
/// deepest positions are all there.
fn check_watching(engine: &CudaEngine, solver: &Build, name: &str) {
    let material: Material = name.parse().unwrap();
    for metric in METRICS.into_iter().filter(|m| *m != Metric::Dtz) {
        let table = solver.table(material, metric).unwrap();
        let positions = sample(&table);
        let found = engine.values(material, metric, &positions).unwrap();
        for (position, value) in positions.iter().zip(found) {
            assert_eq!(table.get(position), Some(value), "{name} {metric} {position}");
        }
        let survey = engine.survey(material, metric).unwrap();
        let [white, black] = &survey.stats.sides;
        assert_eq!(white.wins, table.stats.sides[0].wins);
        assert_eq!(black.losses, table.stats.sides[1].losses);
        for (side, deepest) in [(white, &survey.deepest_wins), (black, &survey.deepest_losses)] {
            let (plies, deepest_value) = match (&side.longest_win, &side.longest_loss) {
                (Some(longest), _) => (side.wins.len() - 1, Value::Win(longest.plies)),
                (None, Some(longest)) => (side.losses.len() - 1, Value::Loss(longest.plies)),
                (None, None) => panic!("nothing is won"),
            };
            let counts = if side.wins.is_empty() { &side.losses } else { &side.wins };
            assert_eq!(deepest.len() as u64, counts[plies].unique, "{name} {metric}");
            assert!(deepest.iter().all(|p| table.get(p) == Some(deepest_value)));
        }
    }
}

/// An engine that takes a material for a large one, and solves so many of its boards at a
/// time.
fn as_large(engine: CudaEngine, material: Material, boards: u64) -> CudaEngine {
    let pieces = material.len() - 2 - material.pawns();
    let board_bytes = 512 * 64u64.pow(pieces as u32);
    engine.with_large_tables(material.len(), boards * board_bytes)
}

/// A table that is taken for a large one, its boards solved so many at a time, has
/// the figures of the whole table.
fn check_large(engine: CudaEngine, solver: &Build, name: &str, boards: u64) {
    let material: Material = name.parse().unwrap();
    let engine = as_large(engine, material, boards);
    for metric in METRICS {
        assert!(engine.counts(material, metric) && !engine.surveys(material));
        let ours = engine.statistics(material, metric).unwrap();
        let theirs = solver.table(material, metric).unwrap();
        assert_eq!(ours, theirs.stats, "{name} {metric}");
    }
}

/// The bytes of a table's file in a folder.
fn stored_bytes(folder: &Path, material: Material) -> Vec<u8> {
    std::fs::read(Directory::new(folder).path(material)).unwrap()
}

/// A table that is taken for a large one goes to the same file, byte for byte, as on the
/// processor; nothing else is stored. A log that an earlier run has left is made use of.
fn check_stored(engine: CudaEngine, name: &str, boards: u64) {
    let material: Material = name.parse().unwrap();
    let engine = Arc::new(as_large(engine, material, boards));
    let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let alone = Build::new().with_folder(Directory::new(there.path()));
    alone.store(&[material], &METRICS, &Making::default()).unwrap();
    let folder = Directory::new(here.path());
    let with_card = || {
        let build = Build::new().with_folder(folder.clone()).by_part_from(material.len());
        build.with_shelf(Arc::new(CudaShelf::new(engine.clone())))
    };
    let log = folder.board_log(material, Metric::Dtm).unwrap();
    let first = alone.table(material, Metric::Dtm).unwrap().parts[0].clone();
    let counted = board_stats(fastest(), &first, Metric::Dtm).unwrap();
    log.add(&first, &counted).unwrap();
    drop(log);
    // Stopped while the file is written: the logs are complete then.
    let making = Making { writing: &|_, _, _| false, ..Making::default() };
    let stopped = with_card().store(&[material], &METRICS, &making).unwrap_err();
    assert!(stopped.is_cancelled(), "{stopped}");
    with_card().store(&[material], &METRICS, &Making::default()).unwrap();
    assert!(stored_bytes(here.path(), material) == stored_bytes(there.path(), material), "{name}");
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 1, "{name}");
}

#[test]
fn large_tables_are_stored_from_the_emulator() {
    // Pawns of both sides, a symmetric material, like pawns, a piece.
    let all: &[(&str, u64)] = &[("KPK", 3), ("KPKP", 50), ("KPPK", 20), ("KNKP", 2)];
    for (name, boards) in if is_exhaustive() { all } else { &all[..1] } {
        let Some(engine) = common::in_the_emulator() else { return };
        check_stored(engine, name, *boards);
    }
}

#[test]
fn large_tables_are_stored_from_the_card() {
    for (name, boards) in [("KPK", 3), ("KPKP", 50), ("KPPK", 20), ("KNKP", 2)] {
        let Some(engine) = common::on_the_card() else { return };
        check_stored(engine, name, boards);
    }
}

/// A log that says something else than the card has counted is not stored.
#[test]
fn wrong_figures_are_not_stored() {
    let Some(engine) = common::in_the_emulator() else { return };
    let material: Material = "KPK".parse().unwrap();
    let here = tempfile::tempdir().unwrap();
    let folder = Directory::new(here.path());
    let shelf = Arc::new(CudaShelf::new(Arc::new(as_large(engine, material, 3))));
    let build = Build::new().with_folder(folder.clone()).by_part_from(3).with_shelf(shelf);
    let log = folder.board_log(material, Metric::Dtm).unwrap();
    let first = Build::new().table(material, Metric::Dtm).unwrap().parts[0].clone();
    log.add(&first, &Stats::new(material, Metric::Dtm)).unwrap();
    drop(log);
    let store = || build.store(&[material], &[Metric::Dtm], &Making::default());
    assert!(matches!(store(), Err(BuildError::HandedOver { .. })));
    assert!(folder.open(material).is_err());
    store().unwrap(); // the log is gone, and made anew
}

#[test]
fn large_tables_in_the_emulator() {
    let solver = Build::new();
    // Pawns of both sides: en passant, and slices with colours exchanged.
    let all: &[(&str, u64)] = &[("KPK", 3), ("KPKP", 50), ("KPPK", 20), ("KNKP", 2)];
    for (name, boards) in if is_exhaustive() { all } else { &all[..1] } {
        let Some(engine) = common::in_the_emulator() else { return };
        check_large(engine, &solver, name, *boards);
    }
}

#[test]
fn large_tables_on_the_card() {
    let solver = Build::new();
    for (name, boards) in [("KPK", 3), ("KPKP", 50), ("KPPK", 20), ("KRPKP", 500)] {
        let Some(engine) = common::on_the_card() else { return };
        check_large(engine, &solver, name, boards);
    }
}

#[test]
fn on_the_card() {
    let Some(engine) = common::on_the_card() else { return };
    let solver = Build::new();
    for material in Material::all(4) {
        check(&engine, &solver, &material.to_string());
    }
    for name in ["KQNKR", "KRBKN", "KBBKN", "KNNNK", "KQKRR", "KQPKQ", "KRPKR"] {
        check(&engine, &solver, name);
    }
    for name in ["KQKR", "KRRKQ", "KQKQ"] {
        check_watching(&engine, &solver, name);
    }
    for material in Material::all(5).into_iter().filter(|material| !material.has_pawns()) {
        check_two_planes(&engine, &solver, &material.to_string());
    }
    check_shelf(engine, &solver, &["KQK", "KRK", "KBK", "KNK", "KPK"]);
}

#[test]
fn in_the_emulator() {
    let Some(engine) = common::in_the_emulator() else { return };
    let solver = Build::new();
    let all = "KQK KRK KBK KNK KQKR KBNK KRRK KNKN KPK KNKP KPKP";
    let names = if is_exhaustive() { all } else { "KQK KBK KPK" };
    names.split_whitespace().for_each(|name| check(&engine, &solver, name));
    for name in ["KQK", "KQQK", "KRKN"] {
        check_two_planes(&engine, &solver, name);
    }
    if is_exhaustive() {
        ["KRKN", "KRRK"].iter().for_each(|name| check_watching(&engine, &solver, name));
        check_shelf(engine, &solver, &["KQK", "KRK", "KBK", "KNK", "KPK"]);
    }
}

/// Another program has taken memory since the solve was planned.
#[test]
fn a_full_card_leaves_tables_to_the_processor() {
    use molien_values::Shelf as _;
    const ENGINE_BYTES: u64 = 1 << 20;
    let materials: Vec<Material> =
        ["KQK", "KRK"].iter().map(|name| name.parse().unwrap()).collect();
    // Enough for one table and its sub-games, not for keeping them in all metrics.
    for (room_bytes, expected) in [(ENGINE_BYTES, false), (ENGINE_BYTES + (8 << 20), true)] {
        let engine = match CudaEngine::emulated_beside_others(room_bytes) {
            Ok(engine) => Arc::new(engine),
            Err(error) => {
                println!("skipped: {error}");
                return;
            }
        };
        let shelf = CudaShelf::new(engine);
        for &material in &materials {
            for metric in METRICS {
                let found = shelf.load(material, metric).unwrap();
                assert_eq!(found.is_some(), expected, "{material} {metric} {room_bytes}");
            }
        }
        let solver = Build::new().with_shelf(Arc::new(shelf));
        let table = solver.table(materials[0], Metric::Dtm).unwrap();
        let alone = Build::new().table(materials[0], Metric::Dtm).unwrap();
        assert_eq!(differences(&alone, &table), Vec::<String>::new());
    }
}
