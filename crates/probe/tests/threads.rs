//! One tablebase, many threads: every answer is that of a single thread.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use molien_board::{Material, Position};
use molien_build::Build;
use molien_probe::Tablebase;
use molien_solve::Progress;
use molien_table::Directory;
use molien_testing::is_exhaustive;
use molien_values::{Metric, Stats, Values};
use rayon::prelude::*;

const NAMES: [&str; 4] = ["KPK", "KPKP", "KRKP", "KQKP"];

/// Positions of these materials, one of them with a capture en passant.
const FENS: [&str; 6] = [
    "8/8/8/8/4k3/8/4P3/4K3 w - -",
    "8/2p5/8/8/8/4k3/1P6/K7 w - -",
    "8/8/8/2k5/3Pp3/8/8/K7 b - d3",
    "8/8/8/8/3r4/4k3/2P5/K7 w - -",
    "8/8/8/8/3R4/4k3/2p5/K7 b - -",
    "8/8/8/3q4/8/4k3/2P5/K7 w - -",
];

/// So many rounds; `MOLIEN_EXHAUSTIVE` asks for fifty.
fn rounds(usual: usize) -> usize {
    if is_exhaustive() { 50 } else { usual }
}

#[derive(Clone, Debug, PartialEq)]
enum Answer {
    Stats(Box<Stats>),
    Values(Values, Vec<(String, Values)>),
}

#[derive(Clone, Copy)]
enum Question {
    Stats(Material, Metric),
    Position(Position),
}

fn questions() -> Vec<Question> {
    let materials = NAMES.map(|name| name.parse::<Material>().unwrap());
    let stats = |material| Metric::ALL.map(|metric| Question::Stats(material, metric));
    let positions = FENS.map(|fen| Question::Position(fen.parse().unwrap()));
    materials.into_iter().flat_map(stats).chain(positions).collect()
}

fn answer(tables: &Tablebase, question: Question) -> Answer {
    match question {
        Question::Stats(material, metric) => {
            Answer::Stats(Box::new(tables.stats(material, metric).unwrap()))
        }
        Question::Position(position) => {
            let moves = tables.moves(&position).unwrap().into_iter();
            let moves = moves.map(|m| (m.san, m.after.values)).collect();
            let found = tables.probe(&position).unwrap();
            assert!(found.missing.is_empty());
            Answer::Values(found.values, moves)
        }
    }
}

/// How often each table is solved.
#[derive(Default)]
struct Solves(Mutex<HashMap<(Material, Metric), usize>>);

impl Progress for Solves {
    fn begin(&self, material: Material, metric: Metric, _positions: u64) {
        *self.0.lock().unwrap().entry((material, metric)).or_default() += 1;
    }
}

/// Asks everything, each thread in an order of its own.
fn ask(tables: &Tablebase, expected: &[Answer], thread: usize) {
    let questions = questions();
    for i in 0..questions.len() {
        let i = (i + 3 * thread) % questions.len();
        assert_eq!(answer(tables, questions[i]), expected[i]);
    }
}

fn ask_from_threads(tables: &Tablebase, expected: &[Answer]) {
    std::thread::scope(|scope| {
        (0..8).for_each(|thread| drop(scope.spawn(move || ask(tables, expected, thread))));
    });
}

fn ask_in_parallel(tables: &Tablebase, expected: &[Answer]) {
    (0..8).into_par_iter().for_each(|thread| ask(tables, expected, thread));
}

fn expected() -> Vec<Answer> {
    let serial = Tablebase::solving(Build::new().with_threads(1.try_into().unwrap()));
    questions().into_iter().map(|question| answer(&serial, question)).collect()
}

#[test]
fn from_nothing() {
    let expected = expected();
    for _ in 0..rounds(1) {
        for ask in [ask_from_threads, ask_in_parallel] {
            let solves = Arc::new(Solves::default());
            let tables = Tablebase::solving(Build::new().with_progress(solves.clone()));
            ask(&tables, &expected);
            let solves = solves.0.lock().unwrap();
            assert!(solves.len() > NAMES.len());
            assert!(solves.values().all(|&times| times == 1), "{solves:?}");
        }
    }
}

#[test]
fn from_a_folder() {
    let expected = expected();
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    // The first round fills the folder, from all threads at once.
    let tables = Tablebase::solving(Build::new().with_folder(directory.clone()));
    ask_from_threads(&tables, &expected);
    for _ in 0..rounds(3) {
        for ask in [ask_from_threads, ask_in_parallel] {
            let solves = Arc::new(Solves::default());
            let build = Build::new().with_folder(directory.clone()).with_progress(solves.clone());
            ask(&Tablebase::solving(build), &expected);
            assert!(solves.0.lock().unwrap().is_empty(), "everything is stored");
        }
    }
    ask_from_threads(&Tablebase::stored(directory), &expected);
}

/// What is not there is said to be missing; what is there is answered.
#[test]
fn a_missing_metric_spoils_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let build = Build::new().with_folder(directory.clone());
    let making = molien_build::Making::default();
    build.store(&["KQK".parse().unwrap()], &[Metric::Dtm], &making).unwrap();
    let tables = Tablebase::stored(directory);
    let position: Position = "7k/8/5K2/8/8/8/8/Q7 w - -".parse().unwrap();
    let answer = tables.probe(&position).unwrap();
    assert_eq!(answer.values.plies(Metric::Dtm), Some(3));
    let missing: Vec<Metric> = answer.missing.iter().map(|failure| failure.metric).collect();
    assert!(missing.contains(&Metric::Dtz50) && !missing.contains(&Metric::Dtm));
    assert!(tables.value(&position, Metric::Dtz50).is_err());
    assert!(tables.stats("KRK".parse().unwrap(), Metric::Dtm).is_err());
}
