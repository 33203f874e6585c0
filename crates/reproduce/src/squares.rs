//! Figures of a table with one pawn, for each square of the pawn.

use molien_board::{Color, Square};
use molien_hyper::Tile;
use molien_values::{Graded, Table};

use crate::moves::winner_moves;

/// What is known of one square of White's pawn.
pub(crate) struct PawnSquare {
    pub square: Square,
    /// White's moves in the longest win, whoever starts.
    pub longest_moves: u16,
    /// White to move: wins and legal positions.
    pub wins: u64,
    pub legal: u64,
}

/// The greatest depth among `set`, tile by tile from the highest bit down.
fn deepest(values: &Graded, set: &[Tile]) -> u16 {
    let of_tile = |(number, tile): (usize, &Tile)| {
        let (mut left, mut depth) = (*tile, 0);
        for (bit, plane) in values.depth.iter().enumerate().rev() {
            let with_bit = left.and(&plane[number]);
            if !with_bit.is_empty() {
                left = with_bit;
                depth |= 1 << bit;
            }
        }
        depth
    };
    set.iter().enumerate().map(of_tile).max().unwrap_or(0)
}

fn count(tiles: &[Tile]) -> u64 {
    tiles.iter().map(Tile::len).sum()
}

/// One entry for each square of White's only pawn.
pub(crate) fn by_pawn_square(table: &Table) -> Vec<PawnSquare> {
    let entry = |part: &std::sync::Arc<molien_values::BoardValues>| {
        let square = part.board.pawns(Color::White).into_iter().next()?;
        let [white, black] = &part.values;
        let wins = winner_moves(deepest(white, &white.won));
        let losses = winner_moves(deepest(black, &black.lost));
        let longest_moves = wins.max(losses);
        Some(PawnSquare {
            square,
            longest_moves,
            wins: count(&white.won),
            legal: count(&white.legal),
        })
    };
    table.parts.iter().filter_map(entry).collect()
}
