//! Every table of three and four men against the Syzygy files.
//!
//! The files hold DTZ for one side to move. For that side positions are
//! compared with them to the ply, for the other in their class (win, cursed
//! win, ...) and on a sample to the ply. Its plies then follow: the
//! self-consistency check shows that they are what one move on says. With
//! pawns the files may be one ply short; there, too, the same check closes
//! the gap.
//!
//! Of tables of four men one tile in a few is compared. With the environment
//! variable `MOLIEN_EXHAUSTIVE` set, every position of every table is compared
//! to the ply, both sides; that takes most of an hour.

use std::sync::atomic::{AtomicU64, Ordering};

use molien_board::{Color, Material, Position};
use molien_build::{Build, check_consistency};
use molien_hyper::Index;
use molien_probe::chess::to_chess;
use molien_testing::{Syzygy, SyzygyAnswer, oracle};
use molien_values::{Category, Metric, Place, Table, Value};
use rayon::prelude::*;
use shakmaty::Chess;

/// Of the side the files do not hold, one position in so many is compared to
/// the ply.
const SAMPLE: usize = 256;

/// Of tables of four men, one tile in so many is compared (a prime, so that
/// the squares of all men vary).
const TILES: usize = 17;

/// Our value as a number of the files.
fn dtz(position: &Position, ours: Value) -> i32 {
    match ours {
        // They give mate the value of a loss by a forced capture.
        Value::Loss(0) if position.is_checkmate() => -1,
        value => value.signed_plies().unwrap_or(0),
    }
}

/// Whether the value is theirs, or one ply more where theirs may be rounded.
fn agrees(position: &Position, ours: Value, theirs: SyzygyAnswer, rounded: bool) -> bool {
    let ours = dtz(position, ours);
    let excess = ours.abs() - theirs.dtz.abs();
    ours.signum() == theirs.dtz.signum() && (0..=i32::from(rounded)).contains(&excess)
}

fn class(ours: Value) -> i32 {
    Category::of(ours).wdl().unwrap()
}

struct Comparison<'a> {
    syzygy: &'a Syzygy,
    table: &'a Table,
    /// The side whose plies the files hold.
    held: Color,
    /// Compare the plies of both sides.
    exhaustive: bool,
    compared: AtomicU64,
}

impl Comparison<'_> {
    fn tile(&self, part: usize, tile: usize) {
        let board = &self.table.parts[part].board;
        let Some(cell) = board.cell(tile) else { return };
        for (n, (row, column)) in board.representatives(&cell).pairs().enumerate() {
            for turn in Color::BOTH {
                let place = Place { part, turn, index: Index { tile, row, column } };
                let Some(position) = board.decode(place.index, turn) else { continue };
                self.compared.fetch_add(1, Ordering::Relaxed);
                self.position(&position, place, (n + tile).is_multiple_of(SAMPLE));
            }
        }
    }

    fn position(&self, position: &Position, place: Place, sampled: bool) {
        let chess = to_chess(position).unwrap_or_else(|| panic!("{position} is illegal"));
        let ours = self.table.at(place);
        if sampled || self.exhaustive || place.turn == self.held {
            let theirs = self.syzygy.probe(&chess);
            // With pawns plies may be rounded even where the reader calls them
            // exact: it searches moves, and takes rounded and exact values
            // alike.
            let rounded = theirs.rounded || self.table.material.has_pawns();
            let equal = agrees(position, ours, theirs, rounded);
            assert!(equal, "{position}: {ours:?}, but {theirs:?}");
        } else {
            let theirs = self.syzygy.class(&chess);
            assert_eq!(class(ours), theirs, "{position}: {ours:?}");
        }
    }
}

/// The side for which the files take less reading.
fn held_side(syzygy: &Syzygy, table: &Table) -> Color {
    let positions = |turn: Color| -> Vec<Chess> {
        let game = &table.parts[table.parts.len() / 2];
        let decided = |tile: usize| {
            let side = &game.values[turn.index()];
            side.won[tile]
                .or(&side.lost[tile])
                .pairs()
                .next()
                .and_then(|(row, column)| game.board.decode(Index { tile, row, column }, turn))
        };
        (0..game.board.tiles()).filter_map(decided).take(100).filter_map(|p| to_chess(&p)).collect()
    };
    let effort = |turn| {
        let positions = positions(turn);
        syzygy.effort(&positions) as f64 / positions.len().max(1) as f64
    };
    if effort(Color::White) <= effort(Color::Black) { Color::White } else { Color::Black }
}

fn compare(syzygy: &Syzygy, solver: &Build, material: Material) {
    let table = solver.table(material, Metric::Dtz50).unwrap();
    let exhaustive = std::env::var_os("MOLIEN_EXHAUSTIVE").is_some();
    let held = held_side(syzygy, &table);
    let step = if exhaustive || material.len() < 4 { 1 } else { TILES };
    let comparison =
        Comparison { syzygy, table: &table, held, exhaustive, compared: AtomicU64::new(0) };
    let tiles: Vec<(usize, usize)> = (table.parts.iter().enumerate())
        .flat_map(|(part, game)| (0..game.board.tiles()).map(move |tile| (part, tile)))
        .step_by(step)
        .collect();
    tiles.par_iter().for_each(|&(part, tile)| comparison.tile(part, tile));
    let compared = comparison.compared.into_inner();
    let legal: u64 = table.stats.sides.iter().map(|side| side.legal.unique).sum();
    if step == 1 {
        assert_eq!(compared, legal, "{material}");
    }
    let found = check_consistency(solver, &table).unwrap();
    assert_eq!(found.failures, 0, "{material}: {:?}", found.first);
}

fn compare_all(wanted: impl Fn(&Material) -> bool, expected: usize) {
    let Some(oracle) = oracle() else { return };
    let (syzygy, solver) = (Syzygy::open(&oracle), Build::new());
    let materials: Vec<Material> = Material::all(4).into_iter().filter(wanted).collect();
    assert_eq!(materials.len(), expected);
    for material in materials {
        compare(&syzygy, &solver, material);
    }
}

#[test]
fn three_men() {
    compare_all(|material| material.len() == 3, 5);
}

#[test]
fn four_men_without_pawns() {
    compare_all(|material| material.len() == 4 && !material.has_pawns(), 20);
}

#[test]
fn four_men_with_pawns() {
    compare_all(|material| material.len() == 4 && material.has_pawns(), 10);
}
