//! Colours exchanged: every position has the value of its counterpart.

use molien_board::{Color, Material, Square};
use molien_hyper::{Hyperboard, Index, Tile};
use molien_operators::{
    all, complete_symmetric, complete_symmetric_class, swap_colors, swapped_class,
};
use molien_values::{BoardValues, Graded};

use crate::random::Random;

fn planes(values: &Graded) -> Vec<&Vec<Tile>> {
    [&values.legal, &values.won, &values.lost].into_iter().chain(&values.depth).collect()
}

fn game(name: &str, bits: usize) -> BoardValues {
    let board = Hyperboard::pieces(name.parse::<Material>().unwrap());
    let mut random = Random(0x5151);
    let values = [random.values(&board, bits), random.values(&board, bits)];
    BoardValues { board, values }
}

/// The address of the same placement with colours exchanged; none for tiles
/// that hold mirror images of their own positions, of which there are two.
fn counterpart(from: &Hyperboard, index: Index, to: &Hyperboard) -> Option<Index> {
    let cell = from.cell(index.tile).filter(|cell| !from.has_mirror_images(cell))?;
    debug_assert_eq!(cell.tile, index.tile);
    let men = from.decode_men(index)?;
    let position = molien_board::Position::placement(men, Color::White)?;
    to.encode(&position.swap_colors())
}

fn addresses(board: &Hyperboard, step: usize) -> impl Iterator<Item = Index> {
    let square = Square::new;
    (0..board.tiles() * 4096).step_by(step).map(move |n| Index {
        tile: n / 4096,
        row: square(n / 64 % 64),
        column: square(n % 64),
    })
}

#[test]
fn values_with_colours_exchanged() {
    for (name, step) in [("KQK", 1), ("KQKR", 13), ("KRRK", 13), ("KRBKN", 997)] {
        let game = game(name, 2);
        for backend in all() {
            // Too slow where there are many tiles.
            if backend.name() == "scalar" && game.board.tiles() > 1000 {
                continue;
            }
            let swapped = swap_colors(backend, &game);
            for index in addresses(&swapped.board, step) {
                let Some(from) = counterpart(&swapped.board, index, &game.board) else { continue };
                for turn in Color::BOTH {
                    let ours = planes(&swapped.values[turn.index()]);
                    let theirs = planes(&game.values[turn.other().index()]);
                    for (ours, theirs) in ours.iter().zip(theirs) {
                        let found = ours[index.tile].contains(index.row, index.column);
                        let expected = theirs[from.tile].contains(from.row, from.column);
                        assert_eq!(found, expected, "{} {name} {index:?}", backend.name());
                    }
                }
            }
        }
    }
}

/// The wins of one side of symmetric material become those of both, whole
/// boards and class by class.
#[test]
fn symmetric_material() {
    let game = game("KRKR", 2);
    for backend in all() {
        let name = backend.name();
        let mut both = game.clone();
        complete_symmetric(backend, &mut both);
        for index in addresses(&game.board, 13) {
            let Some(other) = counterpart(&game.board, index, &game.board) else { continue };
            for turn in Color::BOTH {
                let contains =
                    |plane: &Vec<Tile>, at: Index| plane[at.tile].contains(at.row, at.column);
                let (own, swapped) = (turn.index(), turn.other().index());
                // Legality is known for both sides already.
                let found = planes(&both.values[own]).into_iter().skip(1);
                let mine = planes(&game.values[own]).into_iter().skip(1);
                let theirs = planes(&game.values[swapped]).into_iter().skip(1);
                for ((found, mine), theirs) in found.zip(mine).zip(theirs) {
                    let expected = contains(mine, index) || contains(theirs, other);
                    assert_eq!(contains(found, index), expected, "{name} {index:?}");
                }
            }
        }
        let per_class = game.board.axes().len();
        for class in [0, 1, 200, 461] {
            let cut = |class: usize, values: &Graded| {
                let tiles = class * per_class..(class + 1) * per_class;
                let cut = |plane: &Vec<Tile>| plane[tiles.clone()].to_vec();
                Graded {
                    legal: cut(&values.legal),
                    won: cut(&values.won),
                    lost: cut(&values.lost),
                    depth: values.depth.iter().map(cut).collect(),
                    stalemate: Vec::new(),
                }
            };
            let of = |class: usize, values: &[Graded; 2]| values.each_ref().map(|v| cut(class, v));
            let mut values = of(class, &game.values);
            let swapped = of(swapped_class(class), &game.values);
            complete_symmetric_class(backend, &game.board, class, &mut values, &swapped);
            assert!(values == of(class, &both.values), "{name} {class}");
        }
    }
}
