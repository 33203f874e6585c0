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
fn toggling_some_of_several_planes() {
    let planes = samples();
    let toggle = |backend: &dyn Backend, bits: u16, tiles: [&Tile; 2]| {
        let mut all: [Vec<Tile>; 3] = std::array::from_fn(|_| planes.clone());
        let mut slices: Vec<&mut [Tile]> = all.iter_mut().map(Vec::as_mut_slice).collect();
        backend.toggle(&mut slices, bits, 3, tiles);
        all
    };
    let samples = samples();
    for (i, tile) in samples.iter().enumerate() {
        let tiles = [tile, &samples[samples.len() - 1 - i]];
        for backend in others() {
            for bits in [0b000, 0b101, 0b010, 0b111] {
                let expected = toggle(&Scalar, bits, tiles);
                assert_eq!(toggle(backend, bits, tiles), expected, "{}", backend.name());
            }
        }
    }
}
