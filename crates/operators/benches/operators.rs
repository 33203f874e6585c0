//! The tile operators, time for one tile.
//!
//! Every figure of `quiet` includes the king's moves; `king alone` is that
//! part by itself. All placements are asked for, so nothing ends early.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use molien_board::{Bitboard, Color, Material, Square};
use molien_hyper::{Cell, Hyperboard, Plane, Tile};
use molien_operators::{Conversions, Goal, QuietMoves, SubView, all, fastest, valid};
use molien_testing::Random;
use molien_values::{BoardValues, Graded, Rule};

/// Cells of one bench: enough to be no special case, few enough for the cache.
const CELLS: usize = 64;

fn material(name: &str) -> Material {
    name.parse().unwrap_or(Material::KINGS)
}

fn random_tiles(board: &Hyperboard, seed: u64) -> Vec<Tile> {
    let mut random = Random::new(seed);
    let tile = |number| match board.cell(number) {
        None => Tile::EMPTY,
        Some(cell) => {
            Tile::from_rows(|_| random.number() & random.number()).and(&valid(board, &cell))
        }
    };
    (0..board.tiles()).map(tile).collect()
}

fn cells(board: &Hyperboard) -> Vec<Cell> {
    let all: Vec<Cell> = (0..board.tiles()).filter_map(|tile| board.cell(tile)).collect();
    all.iter().step_by((all.len() / CELLS).max(1)).copied().collect()
}

/// Runs `f` on one cell and its placements after the other.
fn bench_cells(
    c: &mut Criterion,
    name: &str,
    board: &Hyperboard,
    mut f: impl FnMut(&(Cell, Tile)),
) {
    let cells: Vec<_> = cells(board).into_iter().map(|cell| (cell, valid(board, &cell))).collect();
    let mut next = (0..cells.len()).cycle();
    c.bench_function(name, |b| {
        b.iter(|| f(&cells[next.next().unwrap_or(0)]));
    });
}

fn quiet(c: &mut Criterion) {
    // Black's men come first in the layout: the last two pieces are row and
    // column, the others outer.
    let boards = [
        ("king alone", Hyperboard::pieces(material("KQRK")), Color::Black),
        ("queen as column", Hyperboard::pieces(material("KQKR")), Color::White),
        ("queen as row", Hyperboard::pieces(material("KRKQ")), Color::Black),
        ("queen as outer man", Hyperboard::pieces(material("KRNKQ")), Color::Black),
        ("queen and pawn", pawn_board("KQPKQ"), Color::White),
    ];
    for (name, board, side) in &boards {
        let plane = Plane::from_tiles(random_tiles(board, 0x9e37_79b9_7f4a_7c15));
        for backend in all().into_iter().filter(|backend| backend.name() != "scalar") {
            let name = format!("quiet/{name}/{}", backend.name());
            bench_cells(c, &name, board, |(cell, within)| {
                let moves = QuietMoves { board, side: *side, plane: &plane, cell };
                black_box(backend.quiet_within(&moves, within));
            });
        }
    }
}

fn pawn_board(name: &str) -> Hyperboard {
    let e4 = Bitboard::from_square(Square::new(28));
    Hyperboard::around_pawns(material(name), [e4, Bitboard::EMPTY])
}

fn check(c: &mut Criterion) {
    let board = Hyperboard::pieces(material("KQRKR"));
    bench_cells(c, "in check/KQRKR", &board, |(cell, _)| {
        black_box(fastest().in_check(&board, Color::Black, cell));
    });
}

/// Made-up values: the operators do not care whether they are true.
fn values(board: &Hyperboard, bits: usize) -> Graded {
    let legal: Vec<Tile> = (0..board.tiles())
        .map(|tile| board.cell(tile).map_or(Tile::EMPTY, |cell| valid(board, &cell)))
        .collect();
    let set = |seed| random_tiles(board, seed);
    let lost: Vec<Tile> = set(11).iter().zip(&set(13)).map(|(lost, won)| lost.minus(won)).collect();
    let depth = (0..bits as u64).map(|b| set(17 + b)).collect();
    Graded { legal, won: set(13), lost, depth, ..Graded::default() }
}

fn captures(c: &mut Criterion) {
    let full = material("KQRKR");
    let board = Hyperboard::pieces(full);
    for (name, rule, bits) in [("dtc", Rule::One, 0), ("dtm", Rule::Onward, 8)] {
        let sub = |man| {
            let board = Hyperboard::pieces(full.without(man)?);
            let values = [values(&board, bits), values(&board, bits)];
            Some(BoardValues { board, values })
        };
        let men = board.pieces_in_order();
        let games: Vec<Option<BoardValues>> = men.iter().map(|&man| sub(man)).collect();
        let subs: Vec<_> = (games.iter().zip(&men))
            .map(|(game, man)| game.as_ref().map(|game| SubView::of(game, man.color)))
            .collect();
        for (side, goal) in [(Color::White, Goal::Win), (Color::Black, Goal::Hold)] {
            bench_cells(c, &format!("captures/KQRKR {name}/{goal:?}"), &board, |(cell, _)| {
                let mut found = Conversions::new(fastest(), goal, bits + usize::from(bits > 0));
                found.add_piece_captures(&board, side, cell, &subs, rule);
                black_box(found);
            });
        }
    }
}

criterion_group!(benches, quiet, check, captures);
criterion_main!(benches);
