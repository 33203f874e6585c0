//! The same values in the layout of the colour-swapped material.

use molien_board::{Bitboard, Color, Man, Square};
use molien_hyper::{
    Hyperboard, Index, KingAxis, KingPair, MAX_OUTER, Tile, king_pair, king_pair_squares,
};
use molien_values::{BoardValues, Graded};
use rayon::prelude::*;

use crate::{Backend, empty_tiles};

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

/// Exchanges the colours of a game without pawns, or of some of its classes of king
/// pairs.
pub fn swap_colors(backend: &dyn Backend, game: &BoardValues) -> BoardValues {
    debug_assert_eq!(game.board.king_axis(), KingAxis::Pairs);
    let whole = Hyperboard::pieces(game.board.material().swap_colors());
    let board = match game.board.held_classes() {
        Some(held) => {
            let held: Vec<usize> = held.iter().map(|&class| swapped_class(class)).collect();
            whole.with_classes(&held)
        }
        None => whole,
    };
    let swap = Swap::new(backend, &board, &game.board);
    let gather = |values: &Graded| Graded {
        legal: swap.plane(&values.legal),
        won: swap.plane(&values.won),
        lost: swap.plane(&values.lost),
        depth: values.depth.iter().map(|plane| swap.plane(plane)).collect(),
        stalemate: Vec::new(),
    };
    let values = [gather(&game.values[1]), gather(&game.values[0])];
    BoardValues { board, values }
}

/// Copies planes into the layout with colours exchanged, a word at a time. A
/// stored word runs over the squares of the source's column man, the *line*
/// man. Where he is the column man of the target too, a word is a word; where
/// he is not, the 64 words of the target's column squares are transposed.
struct Swap<'a> {
    backend: &'a dyn Backend,
    target: &'a Hyperboard,
    source: &'a Hyperboard,
    /// For each piece of the target, its place among the source's.
    places: Vec<usize>,
}

impl Swap<'_> {
    fn new<'a>(
        backend: &'a dyn Backend,
        target: &'a Hyperboard,
        source: &'a Hyperboard,
    ) -> Swap<'a> {
        Swap { backend, target, source, places: swapped_places(target, source) }
    }

    fn plane(&self, source: &[Tile]) -> Vec<Tile> {
        let (per_class, source_per_class) = (self.target.axes().len(), self.source.axes().len());
        let mut out = empty_tiles(self.target.tiles());
        out.par_chunks_mut(per_class).enumerate().for_each(|(place, tiles)| {
            if let Some(pair) = swapped_pair(self.target.class_at(place)) {
                let source = &source[self.source.class_start(pair.class)..][..source_per_class];
                self.class(source, pair, tiles);
            }
        });
        out
    }

    /// Fills the tiles of one king pair from those of the pair it becomes.
    fn class(&self, source: &[Tile], pair: KingPair, tiles: &mut [Tile]) {
        let men = self.places.len();
        let Some(last) = men.checked_sub(1) else {
            tiles[0] = source[0];
            return;
        };
        let line = self.places.iter().position(|&place| place == last).unwrap_or(last);
        let free: Vec<usize> = (0..men).filter(|&i| i != line && i != last).collect();
        for number in 0..1usize << (6 * free.len()) {
            let mut squares = [Square::new(0); MAX_OUTER + 2];
            for (digit, &i) in free.iter().enumerate() {
                squares[i] = Square::new(number >> (6 * digit));
            }
            if line == last {
                let word = self.word(source, pair, &squares);
                self.put(tiles, &squares, word);
                continue;
            }
            let words = Tile::from_rows(|column| {
                squares[last] = column;
                self.word(source, pair, &squares)
            });
            if words.is_empty() {
                continue;
            }
            let rows = self.backend.transpose(&words);
            for square in Square::all() {
                squares[line] = square;
                self.put(tiles, &squares, rows.row(square));
            }
        }
    }

    /// The stored word over the line man, in the target's frame.
    fn word(&self, source: &[Tile], pair: KingPair, squares: &[Square]) -> u64 {
        let mut stored = [Square::new(0); MAX_OUTER + 2];
        for (i, &place) in self.places.iter().enumerate() {
            stored[place] = pair.symmetry.square(squares[i]);
        }
        let index = in_class(self.source, &stored[..self.places.len()]);
        let word = source.get(index.tile).map_or(0, |tile| tile.row(index.row));
        if word == 0 { 0 } else { pair.symmetry.inverse().bitboard(Bitboard(word)).0 }
    }

    /// Stores a word over the target's column man. Like men in one outer group
    /// are stored in rising order only.
    fn put(&self, tiles: &mut [Tile], squares: &[Square], word: u64) {
        let outer = self.target.outer();
        let rising =
            (1..outer.len()).all(|i| outer[i - 1] != outer[i] || squares[i - 1] < squares[i]);
        if word != 0 && rising {
            let index = in_class(self.target, &squares[..self.places.len()]);
            *tiles[index.tile].row_mut(index.row) = word;
        }
    }
}

/// An address, the tile counted from the first of its king class: that of the class
/// which comes first.
fn in_class(board: &Hyperboard, squares: &[Square]) -> Index {
    board.index_of(board.class_at(0), squares)
}

/// The pair of kings that stand as those of a class do, colours exchanged.
fn swapped_pair(class: usize) -> Option<KingPair> {
    let (white, black) = king_pair_squares(class);
    king_pair(black, white)
}

/// The class of the kings that stand as those of this class do, colours
/// exchanged.
pub fn swapped_class(class: usize) -> usize {
    swapped_pair(class).map_or(class, |pair| pair.class)
}

/// Adds to the values of one king class of symmetric material, of which only
/// White's wins are known, Black's wins. `swapped` has White's wins in the
/// [`swapped_class`]. Both hold the tiles of their class only.
pub fn complete_symmetric_class(
    backend: &dyn Backend,
    board: &Hyperboard,
    class: usize,
    values: &mut [Graded; 2],
    swapped: &[Graded; 2],
) {
    let swap = Swap::new(backend, board, board);
    let Some(pair) = swapped_pair(class) else { return };
    let add = |into: &mut Vec<Tile>, from: &Vec<Tile>| {
        let mut tiles = vec![Tile::EMPTY; into.len()];
        swap.class(from, pair, &mut tiles);
        into.iter_mut().zip(&tiles).for_each(|(into, from)| into.add(from));
    };
    for color in Color::BOTH {
        let (mine, theirs) = (&mut values[color.index()], &swapped[(!color).index()]);
        add(&mut mine.won, &theirs.won);
        add(&mut mine.lost, &theirs.lost);
        mine.depth.iter_mut().zip(&theirs.depth).for_each(|(mine, theirs)| add(mine, theirs));
    }
}

/// Adds to a game of symmetric material, of which only White's wins are known,
/// Black's wins: the same with colours exchanged. Plane by plane, since a
/// second game would not fit where the first does.
pub fn complete_symmetric(backend: &dyn Backend, game: &mut BoardValues) {
    let BoardValues { board, values: [white, black] } = game;
    let swap = Swap::new(backend, board, board);
    let exchange = |mine: &mut Vec<Tile>, other: &mut Vec<Tile>| {
        let (for_mine, for_other) = (swap.plane(other), swap.plane(mine));
        add(mine, &for_mine);
        add(other, &for_other);
    };
    exchange(&mut white.won, &mut black.won);
    exchange(&mut white.lost, &mut black.lost);
    let bits = white.depth.len().max(black.depth.len());
    for values in [&mut *white, &mut *black] {
        values.depth.resize_with(bits, || empty_tiles(values.won.len()));
    }
    for (mine, other) in white.depth.iter_mut().zip(&mut black.depth) {
        exchange(mine, other);
    }
}

fn add(into: &mut [Tile], from: &[Tile]) {
    into.par_iter_mut().zip(from).with_min_len(64).for_each(|(into, from)| into.add(from));
}
