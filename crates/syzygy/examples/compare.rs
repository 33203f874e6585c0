//! Files of a folder, read by shakmaty-syzygy, beside our own tables.
//!
//! `compare FOLDER[:FOLDER] COUNT MATERIAL...` takes COUNT random positions of each
//! material, or every one if it is `all`.
use std::sync::atomic::{AtomicU64, Ordering};

use molien_board::{Color, Position};
use molien_build::Build;
use molien_hyper::Index;
use molien_syzygy::SyzygyFolder;
use molien_testing::Random;
use molien_values::{Category, Metric, Place, Table, Value};
use rayon::prelude::*;

/// Random positions worked on at a time.
const CHUNK: u64 = 10_000;

struct Comparison<'a> {
    files: &'a SyzygyFolder,
    compared: AtomicU64,
    wrong: AtomicU64,
}

impl Comparison<'_> {
    fn compare(&self, position: &Position, value: Value) {
        let plies = value.plies().map(|plies| plies.max(1));
        let right = match self.files.probe(position) {
            Err(error) => {
                eprintln!("{position}: {error}");
                false
            }
            Ok(answer) => {
                let in_range = match (answer.plies, plies) {
                    (Some(found), Some(plies)) => (found.least..=found.most).contains(&plies),
                    (found, plies) => found.is_none() && plies.is_none(),
                };
                answer.category == Category::of(value) && in_range
            }
        };
        self.compared.fetch_add(1, Ordering::Relaxed);
        if !right && self.wrong.fetch_add(1, Ordering::Relaxed) < 5 {
            println!("{position}: {:?}, but {value:?} is right", self.files.probe(position));
        }
    }

    fn sample(&self, table: &Table, count: u64) {
        (0..count.div_ceil(CHUNK)).into_par_iter().for_each(|chunk| {
            let mut random = Random::new(chunk);
            for _ in 0..CHUNK.min(count - chunk * CHUNK) {
                let position = random.position(table.material);
                if let Some(value) = table.get(&position) {
                    self.compare(&position, value);
                }
            }
        });
    }

    fn all(&self, table: &Table) {
        for (part, game) in table.parts.iter().enumerate() {
            let board = &game.board;
            (0..board.tiles()).into_par_iter().for_each(|tile| {
                let Some(cell) = board.cell(tile) else { return };
                for (row, column) in board.representatives(&cell).pairs() {
                    for turn in Color::BOTH {
                        let place = Place { part, turn, index: Index { tile, row, column } };
                        if let Some(position) = board.decode(place.index, turn) {
                            self.compare(&position, table.at(place));
                        }
                    }
                }
            });
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    const USAGE: &str = "compare FOLDER[:FOLDER] COUNT|all MATERIAL...";
    let mut args = std::env::args().skip(1);
    let folders = args.next().ok_or(USAGE)?;
    let count = args.next().ok_or(USAGE)?;
    let folders: Vec<_> = std::env::split_paths(&folders).collect();
    let files = SyzygyFolder::open_in_memory(&folders)?;
    let build = Build::new();
    let mut wrong = 0;
    for name in args {
        let table = build.table(name.parse()?, Metric::Dtz50)?;
        let (compared, wrong_here) = (AtomicU64::new(0), AtomicU64::new(0));
        let comparison = Comparison { files: &files, compared, wrong: wrong_here };
        match count.as_str() {
            "all" => comparison.all(&table),
            count => comparison.sample(&table, count.parse()?),
        }
        let (compared, wrong_here) =
            (comparison.compared.into_inner(), comparison.wrong.into_inner());
        println!("{name}: {compared} positions compared, {wrong_here} wrong");
        wrong += wrong_here;
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} wrong").into()) }
}
