//! Answers at a count of the 50-move rule.

use std::sync::Arc;

use molien_board::{Material, Setup};
use molien_build::{Build, Making};
use molien_probe::{AtClock, ClockTables, Tablebase};
use molien_table::Directory;
use molien_testing::Random;
use molien_values::{Category, Metric, Value};

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

/// Positions of KQKR with the clock where the rule has a say in the mate.
fn at_clocks(tables: &Tablebase, count: usize) -> Vec<AtClock> {
    let material: Material = "KQKR".parse().unwrap();
    let mut random = Random::new(4);
    let mut found = Vec::new();
    while found.len() < count {
        let position = random.position(material);
        let at_zero = tables.value(&position, Metric::Dtm50).unwrap();
        let Some(plies @ 30..) = at_zero.plies() else { continue };
        let clock = 101 - u32::from(plies) + random.below(12) as u32;
        found.push(AtClock { position, clock, at_zero });
    }
    found
}

/// A position is worth its best move at every clock, who wins is what DTZ50
/// says, and what is asked again is not solved again.
#[test]
fn mate_under_the_rule_is_exact_at_the_clock() {
    let build = Arc::new(Build::new());
    let clocks = Arc::new(ClockTables::new(build.clone()));
    let tables = Tablebase::solving(build).with_clocks(clocks.clone());
    let mut later = 0;
    for AtClock { position, clock, at_zero } in at_clocks(&tables, 30) {
        let setup = Setup { halfmove_clock: clock, ..position.into() };
        let moves = tables.moves_at(&setup, &[Metric::Dtm50]).unwrap();
        let now = tables.probe_at(&setup, &[Metric::Dtm50]).unwrap();
        let kept = clocks.kept_runs();
        let value = now.values.get(Metric::Dtm50).unwrap();
        let best = match moves[0].after.values.get(Metric::Dtm50).unwrap() {
            Value::Loss(plies) => Value::Win(plies + 1),
            Value::Win(plies) => Value::Loss(plies + 1),
            Value::Draw => Value::Draw,
        };
        assert_eq!(value, best, "{setup}");
        let dtz50 = tables.probe_at(&setup, &[Metric::Dtz50]).unwrap().category;
        assert_eq!(now.category.result(), dtz50.result(), "{setup}");
        // As soon as at clock 0 if a capture on the way comes in time.
        assert!(value == Value::Draw || value.plies() >= at_zero.plies(), "{setup}");
        later += usize::from(value.plies() > at_zero.plies());
        // Beside DTZ50 the same.
        let both = tables.probe_at(&setup, &[Metric::Dtz50, Metric::Dtm50]).unwrap();
        assert_eq!(both.values.get(Metric::Dtm50), Some(value), "{setup}");
        assert_eq!(clocks.kept_runs(), kept, "{setup}");
    }
    assert!(later > 3, "{later}");
}

/// Without leave to solve, tables say what clock 0 tells and no more.
#[test]
fn stored_tables_do_not_guess() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Directory::new(scratch.path());
    let build = Build::new().with_folder(folder.clone());
    let metrics = [Metric::Dtm50, Metric::Dtz50];
    build.store(&["KQKR".parse().unwrap()], &metrics, &Making::default()).unwrap();
    let (stored, solving) = (Tablebase::stored(folder), Tablebase::solving(build));
    let (mut told, mut open) = (0, 0);
    for AtClock { position, clock, .. } in at_clocks(&solving, 30) {
        let setup = Setup { halfmove_clock: clock, ..position.into() };
        let answer = stored.probe_at(&setup, &metrics).unwrap();
        let exact = solving.probe_at(&setup, &metrics).unwrap();
        assert_eq!(answer.category, exact.category, "{setup}");
        match answer.values.get(Metric::Dtm50) {
            Some(value) => {
                assert_eq!(exact.values.get(Metric::Dtm50), Some(value), "{setup}");
                told += 1;
            }
            None => {
                assert_eq!(answer.missing.len(), 1, "{setup}");
                open += 1;
            }
        }
    }
    assert!(told > 0 && open > 0, "{told} {open}");
}

/// Many threads get what one does.
#[test]
fn threads_agree_at_clocks() {
    let build = Arc::new(Build::new());
    let tables = Tablebase::solving(build.clone());
    let asked = at_clocks(&tables, 24);
    let alone = ClockTables::new(build.clone()).values(&asked).unwrap();
    let shared = ClockTables::new(build);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (shared, asked, alone) = (&shared, &asked, &alone);
            scope.spawn(move || {
                for number in (0..asked.len()).map(|i| (i * 5 + thread * 3) % asked.len()) {
                    let found = shared.values(&asked[number..=number]).unwrap();
                    assert_eq!(found, [alone[number]], "{:?}", asked[number]);
                }
            });
        }
    });
}
