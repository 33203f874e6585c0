//! Solved hyperboards in the file's order, and back.
//!
//! In a part of the file every cell has a number: the king class and the
//! squares of the placed men, six bits each. On the hyperboard the same men
//! have other places; its words run along one man, the hyperboard's column
//! man, and become keys a word at a time.

use molien_board::{Color, Man, Role, Square};
use molien_hyper::{Hyperboard, Index, KingAxis, Tile};
use molien_values::Graded;
use rayon::prelude::*;

use crate::format::layout::Layout;
use crate::keys::gather::{Addresses, Seen, SlicedWords, WordTurn};
use crate::keys::key::{DRAW_KEY, NONE_KEY, ValueKey, win};
use crate::read::cut::CutCells;

/// The men who span a tile of the file, row and column.
const TILE_MEN: usize = 2;

/// Where the men of the file stand on a hyperboard.
pub(crate) struct BoardMap<'a> {
    board: &'a Hyperboard,
    /// For each man of the file, its place among the hyperboard's men: pieces
    /// in order, then White's king, then Black's.
    places: Vec<usize>,
    pieces: usize,
    /// The man of the file that is the hyperboard's column man.
    column: usize,
}

impl<'a> BoardMap<'a> {
    pub fn new(layout: &Layout, board: &'a Hyperboard) -> BoardMap<'a> {
        let mut slots: Vec<Option<Man>> = board.pieces_in_order().into_iter().map(Some).collect();
        let pieces = slots.len();
        slots.extend(Color::BOTH.map(|color| Some(Man::new(color, Role::King))));
        let place = |man: &Man| {
            let found = slots.iter().position(|slot| *slot == Some(*man)).unwrap_or(0);
            slots[found] = None;
            found
        };
        let places: Vec<usize> = layout.men.iter().map(place).collect();
        let last = match board.king_axis() {
            KingAxis::Pairs => pieces.saturating_sub(1),
            KingAxis::Tile => pieces + 1,
        };
        let column = places.iter().position(|&place| place == last).unwrap_or(0);
        BoardMap { board, places, pieces, column }
    }

    /// How far apart the cells are whose men differ in the square of one man.
    fn stride(&self, man: usize) -> usize {
        1 << (6 * (self.places.len() - 1 - man))
    }

    /// The address of a cell of the file; `None` if men other than the
    /// hyperboard's column man share a square.
    #[inline]
    fn index(&self, cell: usize) -> Option<Index> {
        let men = self.places.len();
        let mut squares = [Square::new(0); 10];
        let mut occupied = 0u64;
        for (i, &place) in self.places.iter().enumerate() {
            let square = Square::new(cell >> (6 * (men - 1 - i)));
            squares[place] = square;
            if i != self.column {
                let before = occupied;
                occupied |= 1 << square.index();
                if occupied == before {
                    return None;
                }
            }
        }
        let class = cell >> (6 * men);
        let pieces = &squares[..self.pieces];
        Some(match self.board.king_axis() {
            KingAxis::Pairs => self.board.index_of(class, pieces),
            KingAxis::Tile => Index {
                tile: self.board.tile_at(0, pieces),
                row: squares[self.pieces],
                column: squares[self.pieces + 1],
            },
        })
    }

    /// The blocks of 64 words in `rows` rows of the file, a power of 64, from a
    /// cell on.
    fn blocks(&self, first: usize, rows: usize) -> impl Iterator<Item = WordBlock> {
        let stride = self.stride(self.column);
        let height = stride / 64;
        // The words run along a row of the file, or across rows: then 64 of
        // them, side by side, are turned, or give a row if one bit of each is
        // all that is wanted.
        let turn = move |cell: usize| match stride {
            1 => WordTurn::Straight,
            _ if height < rows => WordTurn::Across,
            _ => WordTurn::Pick(cell / stride % 64),
        };
        let (group, lows) = match turn(first) {
            WordTurn::Straight => (64, 1),
            WordTurn::Across => (64 * height, height),
            WordTurn::Pick(_) => (rows, rows),
        };
        let block = move |row: usize| {
            let cell = first + row * 64;
            WordBlock { cell, row, turn: turn(cell), step: height.max(1), words: rows.min(64) }
        };
        (0..rows).step_by(group).flat_map(move |row| row..row + lows).map(block)
    }

    /// Where the words of a block are on the hyperboard.
    fn addresses(&self, block: &WordBlock) -> Addresses {
        match block.turn {
            WordTurn::Straight => {
                let row =
                    |row| if row < block.words { self.index(block.cell + row * 64) } else { None };
                Addresses::new(row)
            }
            WordTurn::Across | WordTurn::Pick(_) => Addresses::new(|i| self.index(block.cell + i)),
        }
    }

    /// The keys of `out.len()` cells of the file, a power of 64, from `first`.
    fn read(&self, values: &Graded, seen: Seen, first: usize, out: &mut [[ValueKey; 64]]) {
        let mut words = SlicedWords::new();
        for block in self.blocks(first, out.len()) {
            words.gather(values, &self.addresses(&block));
            words.keys(block.turn, seen, &mut out[block.row..], block.step);
        }
    }

    /// The keys of a stretch of cells: of one tile, of some, or of all of a
    /// stretch that [`BoardMap::stretch`] divides.
    pub fn read_all(&self, values: &Graded, seen: Seen, first: usize, out: &mut [ValueKey]) {
        let step = (self.stretch() / 64).min(out.len() / 64).max(1);
        for (i, out) in out.as_chunks_mut::<64>().0.chunks_mut(step).enumerate() {
            self.read(values, seen, first + i * step * 64, out);
        }
    }

    /// The fewest cells that are read whole words at a time.
    pub fn stretch(&self) -> usize {
        1 << (6 * self.places.len().min(3))
    }

    /// The tiles that are read together at hardly more cost than one of them.
    pub fn tiles_together(&self) -> usize {
        let stride = self.stride(self.column);
        if stride == 1 << (6 * TILE_MEN) { 64 } else { 1 }
    }

    /// The hyperboard's won, lost and depth planes from the keys of all cells
    /// of the part, or of some.
    pub fn planes(&self, seen: Seen, keys: &[ValueKey], cells: &CutCells) -> ValuePlanes {
        let deepest = keys.par_chunks(1 << 16).map(|keys| deepest(keys, seen)).max();
        let bits = (ValueKey::BITS - deepest.unwrap_or(0).leading_zeros()) as usize;
        let mut planes = ValuePlanes::new(self.board.tiles(), bits);
        let classes = keys.par_chunks(self.class_cells()).enumerate();
        let of_classes = planes.split(self.board.axes().len());
        classes.zip(of_classes).for_each(|((class, keys), mut planes)| {
            self.set_class(class, seen, keys, cells, &mut planes);
        });
        planes
    }

    /// As [`BoardMap::planes`], of the tiles of one king class from the keys of
    /// its cells, with `bits` bits of depth.
    pub fn class_planes(
        &self,
        class: usize,
        seen: Seen,
        keys: &[ValueKey],
        bits: usize,
    ) -> ValuePlanes {
        let tiles = self.board.axes().len();
        let mut planes = ValuePlanes::new(tiles, bits);
        for mut planes in planes.split(tiles) {
            self.set_class(class, seen, keys, &CutCells::ALL, &mut planes);
        }
        planes
    }

    /// The cells of a king class.
    fn class_cells(&self) -> usize {
        1 << (6 * self.places.len())
    }

    fn set_class(
        &self,
        class: usize,
        seen: Seen,
        keys: &[ValueKey],
        cells: &CutCells,
        planes: &mut [&mut [Tile]],
    ) {
        let (first_tile, bits) = (class * self.board.axes().len(), planes.len() - 2);
        let rows = keys.as_chunks::<64>().0;
        let mut words = SlicedWords::new();
        // The words of a block differ in the square of one man, their bits in that of the
        // hyperboard's column man.
        let along_words = self.places.len() - 1 - self.column;
        for block in self.blocks(class * self.class_cells(), rows.len()) {
            let men = [block.turn.along(), along_words];
            let is_same = men.into_iter().all(|man| cells.is_same_along(man));
            if is_same && !cells.has(block.cell) {
                continue;
            }
            words.set_keys(block.turn, seen, &rows[block.row..], block.step, bits);
            words.scatter(&self.addresses(&block), first_tile, planes);
        }
    }
}

/// 64 words of a hyperboard, and where their bits are in the file.
struct WordBlock {
    /// The first cell, of the file.
    cell: usize,
    /// Its row, from where reading starts.
    row: usize,
    turn: WordTurn,
    /// Rows from one to the next.
    step: usize,
    /// How many there are.
    words: usize,
}

/// Outcomes and depths of a board, or of one king class of it.
pub(crate) struct ValuePlanes {
    pub won: Vec<Tile>,
    pub lost: Vec<Tile>,
    pub depth: Vec<Vec<Tile>>,
}

impl ValuePlanes {
    fn new(tiles: usize, bits: usize) -> ValuePlanes {
        let empty = vec![Tile::EMPTY; tiles];
        ValuePlanes { won: empty.clone(), lost: empty.clone(), depth: vec![empty; bits] }
    }

    /// All planes, cut into pieces of `tiles` tiles.
    fn split(&mut self, tiles: usize) -> Vec<Vec<&mut [Tile]>> {
        let mut pieces: Vec<Vec<&mut [Tile]>> = Vec::new();
        pieces.resize_with(self.won.len().div_ceil(tiles), Vec::new);
        for plane in [&mut self.won, &mut self.lost].into_iter().chain(&mut self.depth) {
            pieces.iter_mut().zip(plane.chunks_mut(tiles)).for_each(|(all, piece)| all.push(piece));
        }
        pieces
    }
}

/// The most plies to an end.
fn deepest(keys: &[ValueKey], seen: Seen) -> ValueKey {
    let first = win(0) - ValueKey::from(seen == Seen::After);
    let plies = |key: ValueKey| {
        let decided = (key != NONE_KEY) & (key != DRAW_KEY);
        if decided { first - key.wrapping_abs() } else { 0 }
    };
    keys.iter().fold(0, |most, &key| most.max(plies(key)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::layout::{ScanOrder, placed_men};
    use molien_board::{Bitboard, Material};
    use molien_operators::fastest;
    use molien_testing::Random;
    use molien_values::Placement;

    /// Values that fit the board and are otherwise random.
    fn random_values(board: &Hyperboard) -> Graded {
        let mut random = Random::new(1);
        let legal = |tile| {
            let cell = board.cell(tile);
            cell.map_or(Tile::EMPTY, |cell| fastest().legal(board, Color::White, &cell))
        };
        let legal: Vec<Tile> = (0..board.tiles()).map(legal).collect();
        let mut some = |of: &[Tile]| -> Vec<Tile> {
            of.iter().map(|tile| Tile::from_rows(|row| tile.row(row) & random.number())).collect()
        };
        let won = some(&legal);
        let rest: Vec<Tile> = legal.iter().zip(&won).map(|(all, won)| all.minus(won)).collect();
        let lost = some(&rest);
        let decided: Vec<Tile> = won.iter().zip(&lost).map(|(won, lost)| won.or(lost)).collect();
        let depth = (0..10).map(|_| some(&decided)).collect();
        Graded { legal, won, lost, depth, stalemate: Vec::new() }
    }

    fn check(board: &Hyperboard, order: &[usize]) {
        let material = board.material();
        let men = placed_men(&material);
        let layout = Layout {
            material,
            men: order.iter().map(|&i| men[i]).collect(),
            predicted: Color::White,
            king_moves: false,
            order: ScanOrder::Tiles,
            tiles_per_block: 4,
            placements: vec![Placement::new(Color::BOTH.map(|color| board.pawns(color)))],
        };
        let values = random_values(board);
        let places = BoardMap::new(&layout, board);
        let mut keys = vec![NONE_KEY; layout.tiles_per_part() * layout.tile_cells()];
        places.read_all(&values, Seen::ToMove, 0, &mut keys);
        let planes = places.planes(Seen::ToMove, &keys, &CutCells::ALL);
        assert!(planes.won == values.won && planes.lost == values.lost);
        assert!(planes.depth == values.depth);
        // Cell by cell as well as word by word.
        let tile = 7 * layout.tile_cells()..8 * layout.tile_cells();
        let mut alone = vec![NONE_KEY; tile.len()];
        places.read_all(&values, Seen::ToMove, tile.start, &mut alone);
        assert_eq!(alone, keys[tile]);
    }

    #[test]
    fn planes_undo_reading() {
        let material: Material = "KBNK".parse().unwrap();
        let board = Hyperboard::pieces(material);
        check(&board, &[0, 1]);
        check(&board, &[1, 0]);
    }

    /// Two outer men that are alike share one tile for both orders and none
    /// where they stand on one square.
    #[test]
    fn like_outer_men() {
        let material: Material = "KNNKP".parse().unwrap();
        let pawns = [Bitboard::EMPTY, Bitboard(1 << 33)];
        let board = Hyperboard::around_pawns(material, pawns);
        // Knights, White's king, Black's king, along whom the words run.
        check(&board, &[0, 1, 2, 3]);
        check(&board, &[0, 3, 2, 1]);
    }
}
