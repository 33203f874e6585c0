//! The search program: the thirty studies, larger endings, and its manners.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use molien_board::Position;
use molien_pawns::studies::{Configuration, PIASETSKI, parse, reproduce};
use molien_pawns::{Functions, Limits, Options, SearchResult, Searcher, Value};

fn search(fen: &str, seconds: f64) -> SearchResult {
    let position: Position = fen.parse().expect("a legal position");
    let limits = Limits { time: Some(Duration::from_secs_f64(seconds)), ..Limits::default() };
    Searcher::new(Options::default()).search(&position, limits)
}

/// Right first move and right result, proved. One second each is the aim; the
/// test allows more because it may share the machine.
#[test]
fn the_studies_are_solved_with_all_functions() {
    let studies = parse(PIASETSKI).expect("the table reads");
    let all = &Configuration::without_tables()[..1];
    let rows =
        reproduce(&studies, all, Duration::from_secs(3), &Options::default(), |study, row| {
            println!(
                "{:2} {:20} {} depth {} nodes {} {:?}",
                study.number,
                study.composer,
                if row.solved { "solved" } else { "NOT SOLVED" },
                row.result.depth,
                row.result.nodes,
                row.result.elapsed
            );
        });
    let unsolved: Vec<u32> = rows.iter().filter(|row| !row.solved).map(|row| row.study).collect();
    assert!(unsolved.is_empty(), "not solved: {unsolved:?}");
}

#[test]
fn a_win_is_never_claimed_without_proof() {
    // A dead draw and a won position that needs more nodes than it gets.
    let draw = search("8/8/8/8/8/4k3/8/4K3 w - -", 1.0);
    assert_eq!(draw.category, Some(Value::Draw));
    let position: Position = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -".parse().expect("legal");
    let limits = Limits { nodes: Some(500), ..Limits::default() };
    let starved = Searcher::new(Options::default()).search(&position, limits);
    assert_eq!(starved.category, None);
    assert!(starved.best_move.is_some());
}

/// The Lasker-Reichhelm position: the kings' corresponding squares decide.
#[test]
fn locked_pawns_and_distant_opposition() {
    let result = search("8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -", 180.0);
    println!("{:?} {} nodes {:?}", result.category, result.nodes, result.elapsed);
    assert_eq!(result.best_move.map(|m| m.to_string()).as_deref(), Some("a1b1"));
    assert_eq!(result.category, Some(Value::Win));
}

#[test]
fn mate_and_stalemate_need_no_search() {
    let mated = search("7k/6Q1/5K2/8/8/8/8/8 b - -", 1.0);
    assert_eq!((mated.category, mated.best_move), (Some(Value::Loss), None));
    let stale = search("7k/5Q2/8/8/8/8/8/K7 b - -", 1.0);
    assert_eq!((stale.category, stale.best_move), (Some(Value::Draw), None));
}

#[test]
fn under_promotion_is_found() {
    // Taking the queen and making one stalemates; the rook wins.
    let result = search("1q6/P7/8/8/8/8/8/5K1k w - -", 5.0);
    assert_eq!(result.category, Some(Value::Win));
    assert_eq!(result.best_move.map(|m| m.to_string()).as_deref(), Some("a7b8r"));
}

#[test]
fn limits_are_kept() {
    let position: Position = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -".parse().expect("legal");
    let mut searcher = Searcher::new(Options { functions: Functions::None, ..Options::default() });
    let start = Instant::now();
    let limits = Limits { time: Some(Duration::from_millis(300)), ..Limits::default() };
    searcher.search(&position, limits);
    assert!(start.elapsed() < Duration::from_millis(1500), "{:?}", start.elapsed());
    let limits = Limits { depth: Some(4), ..Limits::default() };
    let shallow = searcher.search(&position, limits);
    assert!(shallow.best_move.is_some());
}

#[test]
fn stop_ends_the_search() {
    let position: Position = "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -".parse().expect("legal");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let thinking = scope.spawn(|| {
            let options = Options { functions: Functions::None, ..Options::default() };
            Searcher::new(options).search_with(&position, Limits::default(), &stop, |_| {})
        });
        std::thread::sleep(Duration::from_millis(100));
        stop.store(true, Ordering::Relaxed);
        assert!(thinking.join().expect("no panic").best_move.is_some());
    });
}
