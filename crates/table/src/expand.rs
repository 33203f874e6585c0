//! Solved hyperboards in the file's order, and back.
//!
//! In a part of the file every cell has a number: the king class and the
//! squares of the placed men, six bits each. On the hyperboard the same men
//! have other places; its words run along one man, the hyperboard's column
//! man, and become keys a word at a time.

use molien_board::{Color, Man, Role, Square};
use molien_hyper::{Hyperboard, Index, KingAxis, Tile};
use molien_operators::Graded;
use rayon::prelude::*;

use crate::gather::{Addresses, MAX_DEPTH_BITS, Seen, Turn, Words};
use crate::key::{DRAW_KEY, Key, NONE_KEY, plies};
use crate::layout::Layout;

/// The men who span a tile of the file, row and column.
const TILE_MEN: usize = 2;

/// Where the men of the file stand on a hyperboard.
pub(crate) struct Places<'a> {
    board: &'a Hyperboard,
    /// For each man of the file, its place among the hyperboard's men: pieces
    /// in order, then White's king, then Black's.
    places: Vec<usize>,
    pieces: usize,
    /// The man of the file that is the hyperboard's column man.
    column: usize,
}

impl<'a> Places<'a> {
    pub fn new(layout: &Layout, board: &'a Hyperboard) -> Places<'a> {
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
        Places { board, places, pieces, column }
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

    /// The keys of `out.len()` cells of the file, a power of 64, from `first`.
    fn read(&self, values: &Graded, seen: Seen, first: usize, out: &mut [[Key; 64]]) {
        let stride = self.stride(self.column);
        let mut words = Words::new();
        if stride == 1 {
            for (i, rows) in out.chunks_mut(64).enumerate() {
                let start = first + i * 4096;
                let row = |row| if row < rows.len() { self.index(start + row * 64) } else { None };
                words.gather(values, &Addresses::new(row));
                words.keys(Turn::Straight, seen, rows, 1);
            }
            return;
        }
        // The words run across rows: 64 of them, side by side, are turned, or
        // give a row if one bit of each is all that is wanted.
        let height = stride / 64;
        let group = if height < out.len() { 64 * height } else { out.len() };
        for (i, out) in out.chunks_mut(group).enumerate() {
            for low in 0..height.min(group) {
                let cell = first + (i * group + low) * 64;
                words.gather(values, &Addresses::new(|i| self.index(cell + i)));
                let pick = Turn::Pick(cell / stride % 64);
                let turn = if height < group { Turn::Across } else { pick };
                words.keys(turn, seen, &mut out[low..], height);
            }
        }
    }

    /// The keys of a stretch of cells: of one tile, of some, or of all of a
    /// stretch that [`Places::stretch`] divides.
    pub fn read_all(&self, values: &Graded, seen: Seen, first: usize, out: &mut [Key]) {
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
    /// of the part.
    pub fn planes(&self, keys: &[Key]) -> (Vec<Tile>, Vec<Tile>, Vec<Vec<Tile>>) {
        let deepest = keys.par_iter().with_min_len(1 << 16).map(|&key| depth_of(key)).max();
        let bits = (u16::BITS - deepest.unwrap_or(0).leading_zeros()) as usize;
        let tiles = self.board.tiles();
        let mut won = vec![Tile::EMPTY; tiles];
        let mut lost = won.clone();
        let mut depth = vec![won.clone(); bits];
        const CHUNK: usize = 64;
        let numbers: Vec<usize> = (0..tiles).step_by(CHUNK).collect();
        // Some thousand tiles at a time, so that little is held twice.
        for some in numbers.chunks(64) {
            let read = |&first: &usize| -> Vec<Sliced> {
                (first..(first + CHUNK).min(tiles)).map(|tile| self.slice(keys, 0, tile)).collect()
            };
            let sliced: Vec<Vec<Sliced>> = some.par_iter().map(read).collect();
            for (tile, sliced) in (some[0]..).zip(sliced.into_iter().flatten()) {
                won[tile] = sliced.won;
                lost[tile] = sliced.lost;
                depth.iter_mut().zip(&sliced.depth).for_each(|(plane, bit)| plane[tile] = *bit);
            }
        }
        (won, lost, depth)
    }

    /// As [`Places::planes`], of the tiles of one king class from the keys of
    /// its cells, with so many bits of depth.
    pub fn class_planes(
        &self,
        class: usize,
        keys: &[Key],
        bits: usize,
    ) -> (Vec<Tile>, Vec<Tile>, Vec<Vec<Tile>>) {
        let tiles = self.board.axes().len();
        let mut won = vec![Tile::EMPTY; tiles];
        let mut lost = won.clone();
        let mut depth = vec![won.clone(); bits];
        let first_cell = class << (6 * self.places.len());
        for tile in 0..tiles {
            let sliced = self.slice(keys, first_cell, class * tiles + tile);
            won[tile] = sliced.won;
            lost[tile] = sliced.lost;
            depth.iter_mut().zip(&sliced.depth).for_each(|(plane, bit)| plane[tile] = *bit);
        }
        (won, lost, depth)
    }

    /// One tile of the hyperboard from the keys of all cells from `first_cell`
    /// on.
    fn slice(&self, keys: &[Key], first_cell: usize, tile: usize) -> Sliced {
        let mut sliced = Sliced::default();
        let Some(cell) = self.board.cell(tile) else { return sliced };
        let outer = self.board.outer().len();
        let mut first = (cell.king_class << (6 * self.places.len())) - first_cell;
        let (mut row_stride, mut column_stride) = (0, 0);
        for (i, &place) in self.places.iter().enumerate() {
            match place.checked_sub(outer) {
                None => first += cell.squares[place].index() * self.stride(i),
                _ if i == self.column => column_stride = self.stride(i),
                Some(_) => row_stride = self.stride(i),
            }
        }
        let rows = if row_stride == 0 { 1 } else { 64 };
        for row in 0..rows {
            let start = first + row * row_stride;
            let mut found = [NONE_KEY; 64];
            let lane = keys[start..].iter().step_by(column_stride);
            found.iter_mut().zip(lane).for_each(|(found, key)| *found = *key);
            sliced.set_row(Square::new(row), &found);
        }
        sliced
    }
}

/// One tile of all planes.
struct Sliced {
    won: Tile,
    lost: Tile,
    depth: [Tile; MAX_DEPTH_BITS],
}

impl Default for Sliced {
    fn default() -> Sliced {
        Sliced { won: Tile::EMPTY, lost: Tile::EMPTY, depth: [Tile::EMPTY; MAX_DEPTH_BITS] }
    }
}

impl Sliced {
    fn set_row(&mut self, row: Square, keys: &[Key; 64]) {
        let won = pack_bits(keys.map(|key| u8::from(key > DRAW_KEY)));
        let lost = pack_bits(keys.map(|key| u8::from(key < DRAW_KEY) & u8::from(key != NONE_KEY)));
        *self.won.row_mut(row) = won;
        *self.lost.row_mut(row) = lost;
        if won | lost == 0 {
            return;
        }
        let depths = keys.map(depth_of);
        let mut rest = depths.iter().fold(0, |all, depth| all | depth);
        while rest != 0 {
            let bit = rest.trailing_zeros();
            rest &= rest - 1;
            if let Some(tile) = self.depth.get_mut(bit as usize) {
                *tile.row_mut(row) = pack_bits(depths.map(|depth| (depth >> bit & 1) as u8));
            }
        }
    }
}

/// The bits of 64 bytes that are 0 or 1.
#[inline]
fn pack_bits(bytes: [u8; 64]) -> u64 {
    // Eight bytes at a time: the factor brings bit i of the product's top
    // byte from byte i, and no two terms meet.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut word = 0;
    for (i, eight) in bytes.as_chunks::<8>().0.iter().enumerate() {
        word |= (u64::from_le_bytes(*eight).wrapping_mul(GATHER) >> 56) << (8 * i);
    }
    word
}

#[inline]
fn depth_of(key: Key) -> u16 {
    if key == NONE_KEY || key == DRAW_KEY { 0 } else { plies(key) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{ScanOrder, placed_men};
    use molien_board::{Bitboard, Material};
    use molien_operators::fastest;
    use molien_solve::Placement;

    /// Values that fit the board and are otherwise random.
    fn random_values(board: &Hyperboard) -> Graded {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let legal = |tile| {
            let cell = board.cell(tile);
            cell.map_or(Tile::EMPTY, |cell| fastest().legal(board, Color::White, &cell))
        };
        let legal: Vec<Tile> = (0..board.tiles()).map(legal).collect();
        let mut some = |of: &[Tile]| -> Vec<Tile> {
            of.iter().map(|tile| Tile::from_rows(|row| tile.row(row) & random())).collect()
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
        let places = Places::new(&layout, board);
        let mut keys = vec![NONE_KEY; layout.tiles_per_part() * layout.tile_cells()];
        places.read_all(&values, Seen::ToMove, 0, &mut keys);
        let (won, lost, depth) = places.planes(&keys);
        assert!(won == values.won && lost == values.lost && depth == values.depth);
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
