//! Planes of a board, less what is known without them.
//!
//! Who is to move legally follows from the rules. The lowest bit of a depth nearly
//! always says who wins: whoever mates or zeroes moved last. What is left of both
//! planes is next to nothing, and costs nothing to compress.

use std::borrow::Cow;

use molien_board::Color;
use molien_hyper::{Hyperboard, Tile};
use molien_operators::fastest;
use molien_values::Graded;

/// What is legal by the rules, tile by tile.
fn legal(board: &Hyperboard, turn: Color) -> impl Iterator<Item = Tile> {
    let tile = move |number| board.cell(number).map(|cell| fastest().legal(board, turn, &cell));
    (0..board.tiles()).map(move |number| tile(number).unwrap_or(Tile::EMPTY))
}

/// Turns over the bits of a tile that are set in another.
fn toggle(tile: &mut Tile, other: &Tile) {
    let words = tile.0.as_flattened_mut().iter_mut();
    words.zip(other.0.as_flattened()).for_each(|(word, other)| *word ^= other);
}

/// The planes of a side in the order of the log: legal, won, lost, bits of depths from
/// the lowest, stalemates if they are kept.
pub(super) fn reduced<'a>(
    values: &'a Graded,
    board: &Hyperboard,
    turn: Color,
) -> impl Iterator<Item = Cow<'a, [Tile]>> {
    let mut unlike = values.legal.clone();
    unlike.iter_mut().zip(legal(board, turn)).for_each(|(tile, known)| toggle(tile, &known));
    let lowest = values.depth.first().map(|lowest| {
        let mut lowest = lowest.clone();
        lowest.iter_mut().zip(&values.won).for_each(|(tile, won)| toggle(tile, won));
        Cow::Owned(lowest)
    });
    let rest = values.depth.iter().skip(1).map(Vec::as_slice);
    let stalemate = (!values.stalemate.is_empty()).then_some(values.stalemate.as_slice());
    [Cow::Owned(unlike), Cow::Borrowed(&values.won[..]), Cow::Borrowed(&values.lost[..])]
        .into_iter()
        .chain(lowest)
        .chain(rest.chain(stalemate).map(Cow::Borrowed))
}

/// Undoes [`reduced`].
pub(super) fn restore(values: &mut Graded, board: &Hyperboard, turn: Color) {
    values.legal.iter_mut().zip(legal(board, turn)).for_each(|(tile, known)| toggle(tile, &known));
    if let Some(lowest) = values.depth.first_mut() {
        lowest.iter_mut().zip(&values.won).for_each(|(tile, won)| toggle(tile, won));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Bitboard, Material};
    use molien_testing::Random;
    use molien_values::Metric;

    /// Whatever the planes are, they come back; those of a real board that are known are
    /// empty on the way.
    #[test]
    fn reduced_planes_come_back() {
        let material: Material = "KRPK".parse().unwrap();
        let board = Hyperboard::around_pawns(material, [Bitboard(1 << 33), Bitboard::EMPTY]);
        let mut random = Random::new(5);
        for turn in Color::BOTH {
            let mut noise = || -> Vec<Tile> {
                (0..board.tiles()).map(|_| Tile::from_rows(|_| random.number())).collect()
            };
            let depth = (0..3).map(|_| noise()).collect();
            let (legal, won, lost) = (noise(), noise(), noise());
            let values = Graded { legal, won, lost, depth, stalemate: noise() };
            let planes: Vec<Vec<Tile>> =
                reduced(&values, &board, turn).map(Cow::into_owned).collect();
            let [legal, won, lost, a, b, c, stalemate] = planes.try_into().unwrap();
            let depth = vec![a, b, c];
            let mut found = Graded { legal, won, lost, depth, stalemate };
            assert_ne!(found, values);
            restore(&mut found, &board, turn);
            assert_eq!(found, values);
        }
    }

    #[test]
    fn what_is_known_is_empty() {
        let build = molien_build::Build::new();
        let table = build.table("KPK".parse().unwrap(), Metric::Dtm).unwrap();
        for part in &table.parts {
            for (turn, values) in Color::BOTH.into_iter().zip(&part.values) {
                let planes: Vec<_> = reduced(values, &part.board, turn).collect();
                assert!(planes[0].iter().chain(&*planes[3]).all(Tile::is_empty));
            }
        }
    }
}
