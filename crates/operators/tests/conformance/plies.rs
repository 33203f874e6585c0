//! Plies of whole tiles, and moves to the values of other boards.

use molien_board::{Bitboard, Material, Square, Symmetry};
use molien_hyper::{Hyperboard, Tile};
use molien_operators::{Backend, Conversions, Goal, Movers, Reading, Release, Scalar, TileMoves};
use molien_values::{Graded, Rule};

use crate::others;
use crate::random::Random;

#[test]
fn when_something_is_due() {
    let mut random = Random(5);
    for bits in [0, 1, 3, 7, 11] {
        let release = random.release(bits);
        for ply in [0, 1, 2, 5, 100, 1 << bits, u16::MAX - 1] {
            let expected = Scalar.release_at(release.plies(), ply);
            for backend in others() {
                let name = backend.name();
                assert_eq!(
                    backend.release_at(release.plies(), ply),
                    expected,
                    "{name} {bits} {ply}"
                );
            }
        }
        for rarity in [0, 1, 6, 10, 12, 14] {
            let among = random.tile(rarity);
            let expected = Scalar.release_least(release.plies(), &among);
            for backend in others() {
                let least = backend.release_least(release.plies(), &among);
                assert_eq!(least, expected, "{} {bits} {rarity}", backend.name());
            }
        }
        for backend in others() {
            assert_eq!(
                backend.release_least(release.plies(), &Tile::EMPTY),
                None,
                "{}",
                backend.name()
            );
        }
    }
}

#[test]
fn merging_keeps_the_least_or_the_greatest() {
    type Merge = fn(&dyn Backend, &mut Release, &Release);
    let merges: [Merge; 2] = [
        |backend, release, other| backend.merge_least(release, other),
        |backend, release, other| backend.merge_greatest(release, other),
    ];
    let mut random = Random(6);
    for bits in [0, 1, 4, 8, 11] {
        let (first, second) = (random.release(bits), random.release(bits));
        for (i, merge) in merges.iter().enumerate() {
            let merged = |backend: &dyn Backend| {
                let mut release = first.clone();
                merge(backend, &mut release, &second);
                release
            };
            for backend in others() {
                assert_eq!(merged(backend), merged(&Scalar), "{} {bits} {i}", backend.name());
            }
        }
    }
}

/// Where a move may lead in the other board's tile.
fn readings() -> Vec<Reading> {
    let squares = [0, 7, 27, 63].map(Square::new);
    let mut readings = vec![Reading::Same];
    readings.extend(squares.map(Reading::Row));
    readings.extend(squares.map(Reading::Column));
    let axes = [(true, true), (false, true), (false, false)];
    let through = |symmetry| {
        axes.map(|(rows, columns)| Reading::Through { symmetry, rows, columns }).into_iter()
    };
    readings.extend(Symmetry::ALL.into_iter().flat_map(through));
    readings
}

fn check_moves(values: &Graded, found: &Conversions, release_bits: usize, moves: &TileMoves<'_>) {
    let add = |backend: &'static dyn Backend| {
        let mut sum = Conversions::new(backend, found.goal(), release_bits);
        (sum.release, sum.escape) = (found.release.clone(), found.escape);
        backend.add_moves(&mut sum, moves);
        (sum.release, sum.escape)
    };
    let expected = add(&Scalar);
    for backend in others() {
        let what = (backend.name(), found.goal(), moves.rule, moves.reading, values.depth.len());
        assert_eq!(add(backend), expected, "{what:?}");
    }
}

/// Moves of every kind, by every rule, merged into what was found before.
#[test]
fn moves_to_other_boards() {
    let mut random = Random(7);
    let board = Hyperboard::pieces("KQKR".parse::<Material>().unwrap());
    for (rule, bits, release_bits) in [
        (Rule::One, 0, 0),
        (Rule::One, 5, 3),
        (Rule::Onward, 6, 7),
        (Rule::Onward, 10, 11),
        (Rule::Fifty, 8, 7),
        (Rule::Fifty, 0, 7),
    ] {
        let values = random.values(&board, bits);
        for goal in [Goal::Win, Goal::Hold] {
            let mut found = Conversions::new(&Scalar, goal, release_bits);
            found.release = random.release(release_bits);
            found.escape = random.tile(3);
            for reading in readings() {
                let path = Bitboard(random.next() & random.next() & random.next());
                let some = random.tile(1);
                let movers = [
                    Movers::Unblocked(Bitboard::EMPTY),
                    Movers::Unblocked(path),
                    Movers::Of(&some),
                ];
                for movers in movers {
                    let tile = random.below(board.tiles());
                    let moves = TileMoves { values: &values, tile, reading, movers, rule };
                    check_moves(&values, &found, release_bits, &moves);
                }
            }
        }
    }
}
