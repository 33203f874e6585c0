//! The same values in the layout of the colour-swapped material.

use molien_board::{Color, Man, Square, Symmetry};
use molien_hyper::{Hyperboard, Index, KingAxis, MAX_OUTER, Tile, king_pair};
use molien_operators::{Graded, SubGame};
use rayon::prelude::*;

/// For each piece of `board`, its place among the pieces of the board with
/// colours swapped.
fn swapped_places(board: &Hyperboard, swapped: &Hyperboard) -> Vec<usize> {
    let mut taken = vec![false; swapped.pieces_in_order().len()];
    let place = |man: Man| {
        let wanted = Man::new(!man.color, man.role);
        let found = swapped
            .pieces_in_order()
            .iter()
            .enumerate()
            .position(|(i, &other)| other == wanted && !taken[i]);
        let found = found.unwrap_or(0);
        taken[found] = true;
        found
    };
    board.pieces_in_order().into_iter().map(place).collect()
}

/// Exchanges the colours of a game without pawns.
pub(crate) fn swap_colors(game: &SubGame) -> SubGame {
    let source = &game.board;
    debug_assert_eq!(source.king_axis(), KingAxis::Pairs);
    let board = Hyperboard::pieces(source.material().swap_colors());
    let places = swapped_places(&board, source);
    // One address of the source for every address of the target.
    let gather = |values: &Graded| -> Graded {
        let planes: Vec<&Vec<Tile>> =
            [&values.legal, &values.won, &values.lost].into_iter().chain(&values.depth).collect();
        let tiles: Vec<Vec<Tile>> = (0..board.tiles())
            .into_par_iter()
            .with_min_len(16)
            .map(|tile| gather_tile(&board, source, &places, &planes, tile))
            .collect();
        let mut planes = (0..planes.len()).map(|p| tiles.iter().map(|tile| tile[p]).collect());
        let mut next = || planes.next().unwrap_or_default();
        let (legal, won, lost) = (next(), next(), next());
        Graded { legal, won, lost, depth: planes.collect(), stalemate: Vec::new() }
    };
    let values = [gather(&game.values[1]), gather(&game.values[0])];
    SubGame { board, values }
}

fn gather_tile(
    board: &Hyperboard,
    source: &Hyperboard,
    places: &[usize],
    planes: &[&Vec<Tile>],
    tile: usize,
) -> Vec<Tile> {
    let mut out = vec![Tile::EMPTY; planes.len()];
    let Some(cell) = board.cell(tile) else { return out };
    let Some((white, black)) = cell.kings else { return out };
    let Some(pair) = king_pair(black, white) else { return out };
    let outer = board.outer().len();
    let mut squares = [Square::new(0); MAX_OUTER + 2];
    for i in 0..outer {
        squares[places[i]] = pair.symmetry.square(cell.squares[i]);
    }
    for (row, column) in molien_operators::valid(board, &cell).pairs() {
        set_tile_squares(board, places, &mut squares, pair.symmetry, row, column);
        let Index { tile, row: source_row, column: source_column } =
            source.index_of(pair.class, &squares[..places.len()]);
        for (out, plane) in out.iter_mut().zip(planes) {
            if plane[tile].contains(source_row, source_column) {
                out.insert(row, column);
            }
        }
    }
    out
}

fn set_tile_squares(
    board: &Hyperboard,
    places: &[usize],
    squares: &mut [Square],
    symmetry: Symmetry,
    row: Square,
    column: Square,
) {
    let outer = board.outer().len();
    let in_tile = [(board.row(), row), (board.column(), column)];
    for (i, (_, square)) in in_tile.iter().filter(|(man, _)| man.is_some()).enumerate() {
        squares[places[outer + i]] = symmetry.square(*square);
    }
}

/// Adds to a game of symmetric material, of which only White's wins are known,
/// Black's wins: the same with colours exchanged.
pub(crate) fn complete_symmetric(game: &mut SubGame) {
    let swapped = swap_colors(game);
    for color in Color::BOTH {
        let other = &swapped.values[color.index()];
        let mine = &mut game.values[color.index()];
        add(&mut mine.won, &other.won);
        add(&mut mine.lost, &other.lost);
        while mine.depth.len() < other.depth.len() {
            mine.depth.push(vec![Tile::EMPTY; mine.won.len()]);
        }
        for (mine, other) in mine.depth.iter_mut().zip(&other.depth) {
            add(mine, other);
        }
    }
}

fn add(into: &mut [Tile], from: &[Tile]) {
    into.par_iter_mut().zip(from).with_min_len(64).for_each(|(into, from)| into.add(from));
}
