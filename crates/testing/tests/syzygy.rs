//! Every table of three and four men against the Syzygy files, on every
//! position.

use std::sync::atomic::{AtomicU64, Ordering};

use molien_board::{Color, Material, Position};
use molien_hyper::Index;
use molien_probe::{Category, chess::to_chess};
use molien_solve::{Metric, Place, Solver, Table, Value};
use molien_testing::{Syzygy, SyzygyAnswer, materials, oracle};
use rayon::prelude::*;

/// Whether materials with pawns are compared, too.
const WITH_PAWNS: bool = false;

fn wanted(men: usize) -> Vec<Material> {
    materials(men).into_iter().filter(|m| WITH_PAWNS || !m.has_pawns()).collect()
}

/// Whether our value is what the files say.
fn agrees(position: &Position, ours: Value, theirs: SyzygyAnswer) -> bool {
    let category = match theirs.dtz {
        ..-100 => Category::BlessedLoss,
        -100..0 => Category::Loss,
        0 => Category::Draw,
        1..=100 => Category::Win,
        101.. => Category::CursedWin,
    };
    let dtz = match ours {
        // They give mate the value of a loss by a forced capture.
        Value::Loss(0) if position.is_checkmate() => -1,
        Value::Draw => 0,
        value => value.signed_plies().unwrap_or(0),
    };
    // A rounded file may have dropped one ply.
    let near = if theirs.rounded { (dtz - theirs.dtz).abs() <= 1 } else { dtz == theirs.dtz };
    Category::of(ours) == category && near
}

fn compare(syzygy: &Syzygy, table: &Table, part: usize, tile: usize) -> u64 {
    let board = &table.parts[part].board;
    let Some(cell) = board.cell(tile) else { return 0 };
    let mut compared = 0;
    for (row, column) in board.representatives(&cell).pairs() {
        for turn in Color::BOTH {
            let index = Index { tile, row, column };
            let Some(position) = board.decode(index, turn) else { continue };
            let Some(chess) = to_chess(&position) else { panic!("{position} is illegal") };
            let ours = table.at(Place { part, turn, index });
            let theirs = syzygy.probe(&chess);
            assert!(agrees(&position, ours, theirs), "{position}: {ours:?}, but {theirs:?}");
            compared += 1;
        }
    }
    compared
}

fn compare_all(men: usize) {
    let Some(oracle) = oracle() else { return };
    let (syzygy, solver) = (Syzygy::open(&oracle), Solver::new());
    for material in wanted(men) {
        let table = solver.solve(material, Metric::Dtz50).unwrap();
        let compared = AtomicU64::new(0);
        for (part, game) in table.parts.iter().enumerate() {
            (0..game.board.tiles()).into_par_iter().for_each(|tile| {
                compared.fetch_add(compare(&syzygy, &table, part, tile), Ordering::Relaxed);
            });
        }
        let legal: u64 = table.stats.sides.iter().map(|side| side.legal.unique).sum();
        assert_eq!(compared.into_inner(), legal, "{material}");
    }
}

#[test]
fn three_men() {
    compare_all(3);
}

#[test]
fn four_men() {
    compare_all(4);
}
