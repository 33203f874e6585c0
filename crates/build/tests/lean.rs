//! Boards solved in little memory equal those solved as usual.

use std::sync::Arc;

use molien_board::{Color, Material, Position, Square};
use molien_build::Build;
use molien_hyper::{Index, KING_PAIRS};
use molien_solve::Progress;
use molien_table::WaveLogs;
use molien_testing::Patience;
use molien_values::{Metric, Table};

/// A build that solves every board in little memory.
fn lean() -> Build {
    Build::new().lean_from(1).with_memory_limit(1 << 30)
}

fn is_exhaustive() -> bool {
    std::env::var_os("MOLIEN_EXHAUSTIVE").is_some()
}

/// The waves in the log are those of the table.
fn compare(logs: &WaveLogs, build: &Build, table: &Table) {
    let (material, metric) = (table.material, table.metric);
    let stats = build.solve_logged(material, metric, logs).unwrap();
    assert_eq!(stats, table.stats, "{material} {metric}");
    let logged = logs.finish(&stats).unwrap().by_class();
    let board = &table.parts[0];
    let class_tiles = board.board.tiles() / KING_PAIRS;
    for class in 0..KING_PAIRS {
        let found = logged.class(class).unwrap();
        let tiles = class * class_tiles..(class + 1) * class_tiles;
        for (found, expected) in found.iter().zip(&board.values) {
            assert!(found.won == expected.won[tiles.clone()], "{material} {metric} {class}");
            assert!(found.lost == expected.lost[tiles.clone()], "{material} {metric} {class}");
            for (b, plane) in found.depth.iter().enumerate() {
                let expected = expected.depth.get(b).map(|plane| &plane[tiles.clone()]);
                let is_empty = || plane.iter().all(|tile| tile.is_empty());
                assert!(expected.map_or_else(is_empty, |expected| plane == expected));
            }
        }
    }
}

/// Bare kings, symmetric men, like men; every metric that is solved so.
#[test]
fn pieces_are_solved_alike() {
    let names: &[&str] =
        if is_exhaustive() { &["KQKR", "KRKR", "KBNK", "KRRK", "KRKN"] } else { &["KQKR", "KRKR"] };
    for name in names {
        let material: Material = name.parse().unwrap();
        for metric in [Metric::Dtm, Metric::Dtc, Metric::Dtz50] {
            let table = Build::new().table(material, metric).unwrap();
            let folder = tempfile::tempdir().unwrap();
            compare(&WaveLogs::new(folder.path()).with_worth_tiles(0), &lean(), &table);
        }
    }
}

/// Cancels after so many questions.
struct Impatient(Patience);

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        self.0.is_over()
    }
}

/// Interrupted wherever it is, it goes on from the log and ends alike.
#[test]
fn an_interrupted_solve_resumes() {
    let (material, metric): (Material, _) = ("KQKR".parse().unwrap(), Metric::Dtm);
    let table = Build::new().table(material, metric).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let logs = WaveLogs::new(folder.path()).with_worth_tiles(0);
    let mut stops = 0;
    loop {
        // What it reads is solved with less than the first so many.
        let patience = Arc::new(Impatient(Patience::new(150 + 20 * stops)));
        match lean().with_progress(patience).solve_logged(material, metric, &logs) {
            Ok(_) => break,
            Err(error) => assert!(error.is_cancelled(), "{error}"),
        }
        stops += 1;
        assert!(stops < 1000, "it gets nowhere");
    }
    assert!(stops > 3, "{stops}");
    compare(&logs, &lean(), &table);
}

/// Positions are learnt on the way.
#[test]
fn positions_are_watched() {
    let (material, metric): (Material, _) = ("KRKN".parse().unwrap(), Metric::Dtm);
    let table = Build::new().table(material, metric).unwrap();
    let board = &table.parts[0].board;
    let index = |n: usize| Index {
        tile: n % board.tiles(),
        row: Square::new(n / 7 % 64),
        column: Square::new(n / 3 % 64),
    };
    let decode = |n: usize| board.decode(index(n * 977), Color::BOTH[n % 2]);
    let positions: Vec<Position> = (0..2000).filter_map(decode).collect();
    let build = lean();
    for position in &positions {
        assert_eq!(build.value(position, metric).unwrap(), table.get(position).unwrap());
    }
}
