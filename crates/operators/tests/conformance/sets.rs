//! Operators on single tiles.

use molien_board::Square;
use molien_hyper::Tile;
use molien_operators::{Backend, Scalar};

use crate::others;
use crate::random::Random;

fn samples() -> Vec<Tile> {
    let mut random = Random(17);
    let mut tiles = vec![Tile::EMPTY, Tile::FULL];
    tiles.extend((1..=12).map(|rarity| random.tile(rarity)));
    // A single position in each corner of the tile.
    for (row, column) in [(0, 0), (0, 63), (63, 0), (63, 63), (28, 35)] {
        let mut tile = Tile::EMPTY;
        tile.insert(Square::new(row), Square::new(column));
        tiles.push(tile);
    }
    tiles
}

#[test]
fn rows_become_columns() {
    for tile in samples() {
        let expected = Scalar.transpose(&tile);
        assert_eq!(tile.transpose(), expected);
        for backend in others() {
            let name = backend.name();
            assert_eq!(backend.transpose(&tile), expected, "{name}");
            for square in Square::all() {
                assert_eq!(backend.column(&tile, square), expected.row(square), "{name} {square}");
                assert_eq!(Scalar.column(&tile, square), expected.row(square));
            }
        }
    }
}

#[test]
fn counting_and_taking() {
    for a in samples() {
        for b in samples() {
            let mut left = a;
            let taken = Scalar.take(&mut left, &b);
            for backend in others() {
                let name = backend.name();
                assert_eq!(backend.count(&a), Scalar.count(&a), "{name}");
                assert_eq!(backend.difference(&a, &b), Scalar.difference(&a, &b), "{name}");
                let mut open = a;
                assert_eq!(backend.take(&mut open, &b), taken, "{name}");
                assert_eq!(open, left, "{name}");
            }
        }
    }
}

#[test]
fn adding_to_several_planes() {
    let planes = samples();
    let add = |backend: &dyn Backend, added: &Tile| {
        let (mut first, mut second) = (planes.clone(), planes.clone());
        second.reverse();
        let count = backend.add_to_all(&mut [&mut first, &mut second], 3, added);
        (count, first, second)
    };
    for added in samples() {
        for backend in others() {
            assert_eq!(add(backend, &added), add(&Scalar, &added), "{}", backend.name());
        }
    }
}
