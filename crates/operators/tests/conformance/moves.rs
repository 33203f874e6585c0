//! Quiet moves and checks.

use molien_board::{Bitboard, Color, Material};
use molien_hyper::{Hyperboard, Plane, Tile};
use molien_operators::{
    Backend, QuietMoves, Scalar, Which, all, fastest, for_each_neighbour, valid,
};

use crate::others;
use crate::random::Random;

fn check_board(board: &Hyperboard, samples: usize) {
    let mut random = Random(0x1234_5678_9abc_def1);
    let plane = random.plane(board);
    for tile in random.sample(board, samples) {
        let Some(cell) = board.cell(tile) else { continue };
        for side in Color::BOTH {
            let quiet = Scalar.quiet(board, side, &plane, &cell);
            let check = Scalar.in_check(board, side, &cell);
            // Few positions asked for: implementations may stop early.
            let few = random.tile(3).and(&valid(board, &cell));
            let held = random.tile(1);
            for backend in others() {
                let name = backend.name();
                let board_name = board.material();
                assert_eq!(
                    backend.quiet(board, side, &plane, &cell),
                    quiet,
                    "{name} quiet {board_name} {side} {cell:?}"
                );
                let moves = QuietMoves { board, side, plane: &plane, cell: &cell };
                assert_eq!(
                    backend.quiet_within(&moves, &few),
                    quiet.and(&few),
                    "{name} quiet within {board_name} {side} {cell:?}"
                );
                check_taking(backend, &moves, &quiet, [&few, &held]);
                assert_eq!(
                    backend.in_check(board, side, &cell),
                    check,
                    "{name} check {board_name} {side} {cell:?}"
                );
            }
        }
    }
}

/// Taking what has a move, or has none, given all positions that have one.
fn check_taking(
    backend: &dyn Backend,
    moves: &QuietMoves<'_>,
    quiet: &Tile,
    [some, held]: [&Tile; 2],
) {
    let what = format!("{} {} {:?}", backend.name(), moves.side, moves.cell);
    let (mut left, mut taken) = (*some, Tile::FULL);
    let result = backend.take_by_moves(moves, Which::Stuck { held }, &mut left, &mut taken);
    let expected = some.minus(held).minus(quiet);
    assert_eq!(left, some.minus(&expected), "stuck {what}");
    assert_eq!(result, (expected.len(), !left.is_empty()), "stuck {what}");
    assert_eq!(taken, if expected.is_empty() { Tile::FULL } else { expected }, "stuck {what}");

    let (mut left, mut taken) = (*some, Tile::FULL);
    let result = backend.take_by_moves(moves, Which::Moving { also: held }, &mut left, &mut taken);
    let expected = some.and(&quiet.or(held));
    assert_eq!(left, some.minus(&expected), "moving {what}");
    assert_eq!(result, (expected.len(), !left.is_empty()), "moving {what}");
    assert_eq!(taken, if expected.is_empty() { Tile::FULL } else { expected }, "moving {what}");
}

/// What a plane holds in tiles that are not live counts for nothing.
#[test]
fn only_live_tiles_count() {
    let board = pieces("KQKR");
    let mut random = Random(3);
    let mut plane = random.plane(&board);
    let cleared = {
        let mut cleared = plane.clone();
        for number in (0..board.tiles()).step_by(2) {
            plane.live[number] = false;
            cleared.live[number] = false;
            cleared.tiles[number] = Tile::EMPTY;
        }
        cleared
    };
    for tile in random.sample(&board, 20) {
        let Some(cell) = board.cell(tile) else { continue };
        for backend in all() {
            let quiet = |plane| backend.quiet(&board, Color::White, plane, &cell);
            assert_eq!(quiet(&plane), quiet(&cleared), "{} {tile}", backend.name());
        }
    }
}

fn pieces(name: &str) -> Hyperboard {
    Hyperboard::pieces(name.parse::<Material>().unwrap())
}

#[test]
fn three_men() {
    for name in ["KK", "KQK", "KRK", "KBK", "KNK"] {
        check_board(&pieces(name), 462);
    }
}

#[test]
fn four_men() {
    for name in ["KQKR", "KRRK", "KBKN", "KQBK", "KNKQ"] {
        check_board(&pieces(name), 40);
    }
}

#[test]
fn five_men() {
    for name in ["KQRKB", "KNNKQ", "KRBKR"] {
        check_board(&pieces(name), 12);
    }
}

#[test]
fn with_pawns() {
    let mut pawns = [Bitboard::EMPTY; 2];
    pawns[0].insert("e4".parse().unwrap());
    pawns[1].insert("d5".parse().unwrap());
    for name in ["KPKP", "KQPKP", "KBPKPN"] {
        check_board(&Hyperboard::around_pawns(name.parse().unwrap(), pawns), 20);
    }
}

/// A change in a tile can only matter to the tiles called its neighbours.
#[test]
fn neighbours_cover_all_sources() {
    for name in ["KQK", "KRKN", "KQKR"] {
        let board = pieces(name);
        let mut random = Random(99);
        for tile in random.sample(&board, 30) {
            let Some(cell) = board.cell(tile) else { continue };
            // A plane with this tile (and its mirror image) only.
            let full = random.plane(&board);
            for side in Color::BOTH {
                let mut neighbours = std::collections::HashSet::new();
                for_each_neighbour(&board, side, &cell, |t| {
                    neighbours.insert(t);
                });
                let mut plane = Plane::empty(board.tiles());
                plane.tiles[tile] = full.tiles[tile];
                plane.live[tile] = full.live[tile];
                for other in 0..board.tiles() {
                    let Some(other_cell) = board.cell(other) else { continue };
                    let reached = fastest().quiet(&board, side, &plane, &other_cell);
                    assert!(
                        reached.is_empty() || neighbours.contains(&other),
                        "{name} {tile} {other}"
                    );
                }
            }
        }
    }
}
