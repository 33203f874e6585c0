//! Views of boards without pawns, for boards with pawns that read them.

use std::ops::Range;

use molien_board::{Bitboard, Square, Symmetry};
use molien_hyper::{Hyperboard, KingAxis, KingPair, MAX_OUTER, OuterAxes, Tile, king_pair};
use molien_operators::Backend;
use molien_values::BoardValues;
use rayon::prelude::*;

use crate::views::{View, Wanted, graded, places, planes};
use molien_operators::empty_tiles;

/// Lines copied at a time, so that what is under way is little.
const BATCH_LINES: usize = 64;
/// Boards of up to so many tiles are transposed as a whole where columns are
/// read: every tile is read eight times.
const TRANSPOSED_TILES: usize = 1 << 16;

/// A view of a board without pawns, stored in canonical orientation. Without
/// pawns a board looks the same from both sides: where the reader has the
/// colours exchanged, men and kings exchange their roles and nothing is turned
/// over.
pub fn of_piece_board(backend: &dyn Backend, game: &BoardValues, wanted: &Wanted) -> View {
    copy(backend, game, wanted, TRANSPOSED_TILES)
}

/// Some planes of such a view, from those of the stored board with
/// [`Wanted::stored_turn`] to move: for boards too large to have all their planes
/// in memory.
pub fn planes_of_piece_board(
    backend: &dyn Backend,
    board: &Hyperboard,
    wanted: &Wanted,
    source: &[&Vec<Tile>],
) -> Vec<Vec<Tile>> {
    copy_planes(backend, board, wanted, source, TRANSPOSED_TILES)
}

fn copy(
    backend: &dyn Backend,
    game: &BoardValues,
    wanted: &Wanted,
    transposed_tiles: usize,
) -> View {
    let values = &game.values[wanted.stored_turn().index()];
    let source = planes(values, wanted);
    let out = copy_planes(backend, &game.board, wanted, &source, transposed_tiles);
    View::Own { axes: OuterAxes::new(&wanted.men), values: graded(out, values, wanted) }
}

fn copy_planes(
    backend: &dyn Backend,
    board: &Hyperboard,
    wanted: &Wanted,
    source: &[&Vec<Tile>],
    transposed_tiles: usize,
) -> Vec<Vec<Tile>> {
    debug_assert_eq!(board.king_axis(), KingAxis::Pairs);
    let frame = wanted.frame();
    if wanted.men.is_empty() {
        return copy_single_tile(board, frame.swapped, wanted, source);
    }
    let axes = OuterAxes::new(&wanted.men);
    let men = wanted.all_men().map(|man| frame.man(man));
    let places = places(&board.pieces_in_order(), men);
    let fixed_is_last = wanted.fixed.is_some() && places[0] + 1 == places.len();
    let flips = fixed_is_last && board.tiles() <= transposed_tiles;
    let lines = Lines {
        backend,
        board,
        wanted,
        axes: &axes,
        places: &places,
        swapped: frame.swapped,
        transposed: fixed_is_last,
        by_column: fixed_is_last && !flips,
    };
    if !flips {
        return lines.copy(source);
    }
    let flip = |plane: &&Vec<Tile>| plane.iter().map(|tile| backend.transpose(tile)).collect();
    let flipped: Vec<Vec<Tile>> = source.iter().map(flip).collect();
    lines.copy(&flipped.iter().collect::<Vec<_>>())
}

/// The pair of the reader's kings, in the frame of the stored board.
fn stored_pair(white: Square, black: Square, swapped: bool) -> Option<KingPair> {
    if swapped { king_pair(black, white) } else { king_pair(white, black) }
}

/// All men fixed: one tile, king pair by king pair.
fn copy_single_tile(
    board: &Hyperboard,
    swapped: bool,
    wanted: &Wanted,
    source: &[&Vec<Tile>],
) -> Vec<Vec<Tile>> {
    let mut out = vec![vec![Tile::EMPTY; 1]; source.len()];
    for white in Square::all() {
        for black in Square::all() {
            let Some(pair) = stored_pair(white, black, swapped) else { continue };
            let squares: Vec<Square> =
                wanted.fixed.iter().map(|(_, square)| pair.symmetry.square(*square)).collect();
            let index = board.index_of(pair.class, &squares);
            for (out, source) in out.iter_mut().zip(source) {
                if source[index.tile].contains(index.row, index.column) {
                    out[0].insert(white, black);
                }
            }
        }
    }
    out
}

/// Copies a board without pawns line by line: with all men fixed but one (the
/// line man, who spans the stored words) and the white king fixed, the 64
/// words of the black king's squares form a 64 x 64 matrix; transposed, it
/// holds a row of each of 64 tiles of the view.
struct Lines<'a> {
    backend: &'a dyn Backend,
    board: &'a Hyperboard,
    wanted: &'a Wanted,
    axes: &'a OuterAxes,
    /// Places in the stored order: the fixed man's, if any, then the others'.
    places: &'a [usize],
    /// The reader has the colours exchanged.
    swapped: bool,
    /// The line man is the stored row man, not the column man.
    transposed: bool,
    /// Columns of the tiles are read, not rows.
    by_column: bool,
}

/// One line of the view: the tiles of each plane, one after the other, by the
/// line man's square, and their numbers.
struct Line {
    targets: [Option<usize>; 64],
    tiles: Vec<Tile>,
}

/// Where a stored word lies, and how to bring it back to the reader's frame.
#[derive(Clone, Copy)]
struct WordAddress {
    tile: usize,
    /// The square of the row man, or of the column man if he is not the line
    /// man.
    row: Square,
    back: Symmetry,
}

impl Lines<'_> {
    /// The line man among the wanted men.
    fn line_man(&self) -> usize {
        let offset = usize::from(self.wanted.fixed.is_some());
        let place = self.places.len() - 1 - usize::from(self.transposed);
        self.places[offset..].iter().position(|&p| p == place).unwrap_or(0)
    }

    fn copy(&self, source: &[&Vec<Tile>]) -> Vec<Vec<Tile>> {
        let empty = |_: &&Vec<Tile>| empty_tiles(self.axes.len());
        let mut out: Vec<Vec<Tile>> = source.iter().map(empty).collect();
        let lines = 1usize << (6 * (self.wanted.men.len() - 1));
        for first in (0..lines).step_by(BATCH_LINES) {
            let batch = first..lines.min(first + BATCH_LINES);
            self.copy_batch(source, batch, &mut out);
        }
        out
    }

    /// Lines are read side by side. Like men in either order make two lines of
    /// the same tiles, so they are written plane by plane.
    fn copy_batch(&self, source: &[&Vec<Tile>], batch: Range<usize>, out: &mut [Vec<Tile>]) {
        let read = |number| self.line(source, number);
        let lines: Vec<Line> = batch.into_par_iter().filter_map(read).collect();
        out.par_iter_mut().enumerate().for_each(|(plane, out)| {
            for line in &lines {
                let tiles = line.tiles.chunks_exact(64).nth(plane).into_iter().flatten();
                for (target, tile) in line.targets.iter().zip(tiles) {
                    if let Some(target) = target {
                        out[*target] = *tile;
                    }
                }
            }
        });
    }

    /// All squares of the line man and of both kings; none if men overlap.
    fn line(&self, source: &[&Vec<Tile>], number: usize) -> Option<Line> {
        let (men, line_man) = (self.wanted.men.len(), self.line_man());
        let mut squares = [Square::new(0); MAX_OUTER];
        let mut taken: Bitboard = self.wanted.fixed.iter().map(|(_, square)| *square).collect();
        for (digit, i) in (0..men).filter(|&i| i != line_man).enumerate() {
            squares[i] = Square::new(number >> (6 * digit));
            if taken.contains(squares[i]) {
                return None;
            }
            taken.insert(squares[i]);
        }
        let targets = std::array::from_fn(|y| {
            let mut squares = squares;
            squares[line_man] = Square::new(y);
            (!taken.contains(Square::new(y))).then(|| self.axes.encode(&squares[..men]))
        });
        let mut tiles = vec![Tile::EMPTY; 64 * source.len()];
        for white in Square::all().filter(|&square| !taken.contains(square)) {
            let addresses = self.addresses(white, &squares, line_man);
            for (tiles, source) in tiles.chunks_exact_mut(64).zip(source) {
                let words = self.words(source, &addresses);
                if words.is_empty() {
                    continue;
                }
                let rows = self.backend.transpose(&words);
                for (y, tile) in tiles.iter_mut().enumerate() {
                    *tile.row_mut(white) = rows.row(Square::new(y));
                }
            }
        }
        Some(Line { targets, tiles })
    }

    /// The stored words by the black king's square, in the reader's frame.
    fn words(&self, source: &[Tile], addresses: &[Option<WordAddress>; 64]) -> Tile {
        Tile::from_rows(|black| {
            let Some(WordAddress { tile, row, back }) = addresses[black.index()] else { return 0 };
            let tile = &source[tile];
            let word = if self.by_column { self.backend.column(tile, row) } else { tile.row(row) };
            if word == 0 { 0 } else { back.bitboard(Bitboard(word)).0 }
        })
    }

    /// For each square of the black king, the word over the line man.
    fn addresses(
        &self,
        white: Square,
        squares: &[Square; MAX_OUTER],
        line_man: usize,
    ) -> [Option<WordAddress>; 64] {
        let fixed = self.wanted.fixed.map(|(_, square)| square);
        std::array::from_fn(|black| {
            let pair = stored_pair(white, Square::new(black), self.swapped)?;
            let mut stored = [Square::new(0); MAX_OUTER + 2];
            let offset = usize::from(fixed.is_some());
            if let Some(square) = fixed {
                stored[self.places[0]] = pair.symmetry.square(square);
            }
            for i in (0..self.wanted.men.len()).filter(|&i| i != line_man) {
                stored[self.places[offset + i]] = pair.symmetry.square(squares[i]);
            }
            let outer = self.board.outer().len();
            let tile = self.board.tile_at(pair.class, &stored[..outer]);
            let row = match (self.board.row(), self.transposed) {
                (None, _) => Square::new(0),
                (Some(_), false) => stored[outer],
                (Some(_), true) => stored[outer + 1],
            };
            Some(WordAddress { tile, row, back: pair.symmetry.inverse() })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Man, Material, Position, Role};
    use molien_build::Build;
    use molien_operators::fastest;
    use molien_values::{Metric, Outcome, Placement, Value};

    /// Every position of a view has the value of the table, whichever man is
    /// promoted and whichever way round the colours are.
    #[test]
    fn views_hold_the_values_of_the_table() {
        let solver = Build::new();
        for name in ["KQRK", "KKQR", "KNKR", "KNNK", "KQK", "KKQ"] {
            let material: Material = name.parse().unwrap();
            let table = solver.table(material, Metric::Dtm).unwrap();
            let men: Vec<Man> = material.men().filter(|man| man.role != Role::King).collect();
            // All men of a single one's table, else all but one.
            let fixed = 0..men.len() + usize::from(men.len() == 1);
            for (fixed, turn) in fixed.flat_map(|i| Color::BOTH.map(|turn| (i, turn))) {
                let mut left = men.clone();
                let fixed = (fixed < men.len()).then(|| (left.remove(fixed), Square::new(61)));
                left.sort_by_key(|man| (man.color == Color::White, man.role));
                let pawns = Placement::NONE;
                let wanted = Wanted { men: left, pawns, fixed, turn, depths: true };
                let view = of_piece_board(fastest(), &table.parts[0], &wanted);
                let by_column = copy(fastest(), &table.parts[0], &wanted, 0);
                assert!(view.sub().values == by_column.sub().values, "{name} {wanted:?}");
                compare(&view, &wanted, |position| table.get(position));
            }
        }
    }

    fn compare(view: &View, wanted: &Wanted, value: impl Fn(&Position) -> Option<Value>) {
        let (axes, values) = (view.sub().axes, view.sub().values);
        let king = |color| Man::new(color, Role::King);
        for number in 0..axes.len() {
            let mut squares = [Square::new(0); MAX_OUTER];
            axes.decode(number, &mut squares);
            for (white, black) in Square::all().flat_map(|w| Square::all().map(move |b| (w, b))) {
                let kings = [(king(Color::White), white), (king(Color::Black), black)];
                let men = wanted.men.iter().copied().zip(squares);
                let men = kings.into_iter().chain(wanted.fixed).chain(men);
                let expected = Position::new(men, wanted.turn).ok().and_then(|p| value(&p));
                let found = |plane: &[Tile]| plane[number].contains(white, black);
                assert_eq!(found(&values.legal), expected.is_some());
                let outcome = expected.map(Value::outcome);
                assert_eq!(found(&values.won), outcome == Some(Outcome::Win));
                assert_eq!(found(&values.lost), outcome == Some(Outcome::Loss));
                let plies = expected.and_then(Value::plies).unwrap_or(0);
                assert_eq!(values.depth_at(number, white, black), plies);
            }
        }
    }
}
