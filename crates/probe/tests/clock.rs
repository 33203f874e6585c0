//! Answers at a count of the 50-move rule.

use molien_board::Setup;
use molien_build::{Build, Making};
use molien_probe::Tablebase;
use molien_table::Directory;
use molien_values::{Category, Metric};

const METRICS: [Metric; 2] = [Metric::Dtz50, Metric::Dtm];

fn category(tables: &Tablebase, clock: u32) -> Category {
    let setup: Setup = format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 100").parse().unwrap();
    let answer = tables.probe_at(&setup, &METRICS).unwrap();
    let moves = tables.moves_at(&setup, &METRICS).unwrap();
    // The position is worth what its best move is.
    assert_eq!(answer.category, moves[0].after.category.reverse(), "clock {clock}");
    answer.category
}

/// Mate takes 31 plies at most; whatever it takes here, the win is gone exactly
/// when the count leaves fewer.
#[test]
fn a_win_lasts_as_long_as_the_count_allows() {
    let tables = Tablebase::solving(Build::new());
    let position = "8/8/8/8/8/2k5/1R6/K7 w - -".parse().unwrap();
    let depth = tables.value(&position, Metric::Dtz50).unwrap().plies().unwrap();
    let last = 100 - u32::from(depth);
    for clock in [0, 1, last - 1, last] {
        assert_eq!(category(&tables, clock), Category::Win, "clock {clock}");
    }
    for clock in [last + 1, 98, 99, 100, 150] {
        assert_eq!(category(&tables, clock), Category::CursedWin, "clock {clock}");
    }
}

/// Mate on the hundredth ply comes before the claim; on a later one it does
/// not.
#[test]
fn mate_on_the_hundredth_ply_counts() {
    let tables = Tablebase::solving(Build::new());
    let mated: Setup = "7k/6Q1/6K1/8/8/8/8/8 b - - 100 80".parse().unwrap();
    assert_eq!(tables.probe_at(&mated, &METRICS).unwrap().category, Category::Loss);
    let before = |clock: u32| -> Category {
        let setup = format!("7k/8/6K1/8/8/8/6Q1/8 w - - {clock} 80").parse::<Setup>().unwrap();
        tables.moves_at(&setup, &METRICS).unwrap()[0].after.category.reverse()
    };
    assert_eq!(before(99), Category::Win);
    assert_eq!(before(100), Category::CursedWin);
}

/// A folder of classes alone answers; how long a win takes it does not know, so at
/// a count above zero the win may have gone.
#[test]
fn classes_alone_will_do() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Directory::new(scratch.path());
    let build = Build::new().with_folder(folder.clone());
    build.store(&["KRK".parse().unwrap()], &[Metric::Wdl], &Making::default()).unwrap();
    let tables = Tablebase::stored(folder);
    let at = |clock: u32| {
        let setup: Setup = format!("8/8/8/8/8/2k5/1R6/K7 w - - {clock} 100").parse().unwrap();
        let answer = tables.probe_at(&setup, &METRICS).unwrap();
        assert_eq!(answer.missing.len(), METRICS.len());
        assert!(answer.values.get(Metric::Wdl).is_some());
        (answer.category, tables.moves_at(&setup, &METRICS).unwrap()[0].after.category)
    };
    assert_eq!(at(0), (Category::Win, Category::MaybeLoss));
    assert_eq!(at(50), (Category::MaybeWin, Category::MaybeLoss));
}
