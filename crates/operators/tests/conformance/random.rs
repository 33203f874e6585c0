//! Made-up sets, plies and values.

use molien_hyper::{Hyperboard, Plane, Tile};
use molien_operators::{Release, valid};
use molien_values::Graded;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// A tile of which one position in 2^`rarity` is set.
    pub fn tile(&mut self, rarity: u32) -> Tile {
        Tile::from_rows(|_| (0..rarity).fold(!0, |word, _| word & self.next()))
    }

    /// A random set of placements. Like men in the tile can change places.
    /// Tiles that hold mirror images of their own positions stay empty: a real
    /// plane holds both images or none.
    pub fn tiles(&mut self, board: &Hyperboard) -> Vec<Tile> {
        let tile = |number| match board.cell(number) {
            Some(cell) if !board.has_mirror_images(&cell) => {
                let tile = self.tile(2);
                let like = board.row() == board.column();
                let tile = if like { tile.or(&tile.transpose()) } else { tile };
                tile.and(&valid(board, &cell))
            }
            _ => Tile::EMPTY,
        };
        (0..board.tiles()).map(tile).collect()
    }

    pub fn plane(&mut self, board: &Hyperboard) -> Plane {
        Plane::from_tiles(self.tiles(board))
    }

    /// Numbers of tiles: all, or so many of them.
    pub fn sample(&mut self, board: &Hyperboard, count: usize) -> Vec<usize> {
        if board.tiles() <= count {
            return (0..board.tiles()).collect();
        }
        (0..count).map(|_| self.below(board.tiles())).collect()
    }

    /// Values that no solver ever found, but consistent: what is won is not
    /// lost, only decided positions have a depth.
    pub fn values(&mut self, board: &Hyperboard, bits: usize) -> Graded {
        let minus = |a: Vec<Tile>, b: &[Tile]| a.iter().zip(b).map(|(a, b)| a.minus(b)).collect();
        let or = |a: &[Tile], b: &[Tile]| a.iter().zip(b).map(|(a, b)| a.or(b)).collect();
        let won = self.tiles(board);
        let lost: Vec<Tile> = minus(self.tiles(board), &won);
        let decided: Vec<Tile> = or(&won, &lost);
        let legal = or(&self.tiles(board), &decided);
        let and = |a: Vec<Tile>| a.iter().zip(&decided).map(|(a, b)| a.and(b)).collect();
        let depth = (0..bits).map(|_| and(self.tiles(board))).collect();
        Graded { legal, won, lost, depth, stalemate: Vec::new() }
    }

    /// Plies of some positions of a tile; the others have no bits.
    pub fn release(&mut self, bits: usize) -> Release {
        let some = self.tile(1);
        let bits = (0..bits).map(|_| self.tile(1).and(&some)).collect();
        Release { some, bits }
    }
}
