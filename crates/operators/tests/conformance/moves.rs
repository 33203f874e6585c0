//! Quiet moves and checks.

use molien_board::{Bitboard, Color, Material};
use molien_hyper::{Hyperboard, Plane};
use molien_operators::{Backend, Scalar, fastest, for_each_neighbour, valid};

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
            for backend in others() {
                let name = backend.name();
                let board_name = board.material();
                assert_eq!(
                    backend.quiet(board, side, &plane, &cell),
                    quiet,
                    "{name} quiet {board_name} {side} {cell:?}"
                );
                assert_eq!(
                    backend.quiet_within(board, side, &plane, &cell, &few),
                    quiet.and(&few),
                    "{name} quiet within {board_name} {side} {cell:?}"
                );
                assert_eq!(
                    backend.in_check(board, side, &cell),
                    check,
                    "{name} check {board_name} {side} {cell:?}"
                );
            }
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
