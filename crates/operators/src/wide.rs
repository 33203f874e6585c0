//! A tile in eight registers.

use molien_board::{Bitboard, Square, Symmetry, attacks};
use molien_hyper::{Cell, Hyperboard, KingAxis, Tile};

use crate::words::Words;

/// Does something for each of the eight ranks, numbered by a constant. Loops
/// and closures will not do: a tile indexed by a variable stays in memory, and
/// a closure that is not inlined is compiled without the instruction set.
macro_rules! each_rank {
    ($rank:ident, $body:expr) => {
        each_rank!($rank, [0, 1, 2, 3, 4, 5, 6, 7], $body)
    };
    ($rank:ident, [$($number:literal),+], $body:expr) => {
        $({
            const $rank: usize = $number;
            $body;
        })+
    };
}
pub(crate) use each_rank;

/// A tile in registers.
#[derive(Clone, Copy)]
pub(crate) struct Wide<W>(pub [W; 8]);

/// For each row square its own bit.
static OWN: Tile = of_each_square(false);
/// For each row square its own bit and those of its neighbours.
static OWN_AND_NEAR: Tile = of_each_square(true);

const fn of_each_square(near: bool) -> Tile {
    let mut tile = Tile::EMPTY;
    let mut i = 0;
    while i < 64 {
        let near = if near { attacks::KING[i] } else { 0 };
        *tile.row_mut(Square::new(i)) = 1 << i | near;
        i += 1;
    }
    tile
}

impl<W: Words> Wide<W> {
    #[inline(always)]
    pub fn load(tile: &Tile) -> Wide<W> {
        let mut out = Wide::splat(0);
        each_rank!(RANK, {
            out.0[RANK] = W::load(&tile.0[RANK]);
        });
        out
    }

    #[inline(always)]
    pub fn store(self) -> Tile {
        let mut tile = Tile::EMPTY;
        each_rank!(RANK, {
            tile.0[RANK] = self.0[RANK].store();
        });
        tile
    }

    #[inline(always)]
    pub fn splat(word: u64) -> Wide<W> {
        Wide([W::splat(word); 8])
    }

    /// For each row square its own bit.
    #[inline(always)]
    pub fn own() -> Wide<W> {
        Wide::load(&OWN)
    }

    /// Positions whose row and column man both stand off the path.
    #[inline(always)]
    pub fn unblocked(path: Bitboard) -> Wide<W> {
        let (path, own, mut out) = (W::splat(path.0), Wide::<W>::own(), Wide::<W>::splat(0));
        each_rank!(RANK, {
            out.0[RANK] = out.0[RANK].or_unblocked(W::splat(!0), path, own.0[RANK]);
        });
        out
    }

    /// The placements of a cell: see [`crate::valid`].
    #[inline(always)]
    pub fn valid(board: &Hyperboard, cell: &Cell) -> Wide<W> {
        if board.row().is_none() {
            return Wide::load(&crate::valid(board, cell));
        }
        let kings_in_tile = board.king_axis() == KingAxis::Tile;
        let taken = Wide::<W>::load(if kings_in_tile { &OWN_AND_NEAR } else { &OWN });
        let (own, mut out) = (Wide::<W>::own(), Wide::<W>::splat(0));
        each_rank!(RANK, {
            let apart = W::splat(!0).minus(taken.0[RANK]);
            let occupied = W::splat(cell.occupied.0);
            out.0[RANK] = out.0[RANK].or_unblocked(apart, occupied, own.0[RANK]);
        });
        out
    }

    #[inline(always)]
    pub fn and(mut self, other: Wide<W>) -> Wide<W> {
        each_rank!(RANK, {
            self.0[RANK] = self.0[RANK].and(other.0[RANK]);
        });
        self
    }

    #[inline(always)]
    pub fn minus(mut self, other: Wide<W>) -> Wide<W> {
        each_rank!(RANK, {
            self.0[RANK] = self.0[RANK].minus(other.0[RANK]);
        });
        self
    }

    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        let mut any = self.0[0];
        each_rank!(RANK, [1, 2, 3, 4, 5, 6, 7], {
            any = any.or(self.0[RANK]);
        });
        any.is_empty()
    }

    #[inline(always)]
    pub fn add(&mut self, other: Wide<W>) {
        each_rank!(RANK, {
            self.0[RANK] = self.0[RANK].or(other.0[RANK]);
        });
    }

    /// Whether every position of `within` is in the set.
    #[inline(always)]
    pub fn covers(&self, within: &Tile) -> bool {
        let mut left = W::splat(0);
        each_rank!(RANK, {
            left = left.or(W::load(&within.0[RANK]).minus(self.0[RANK]));
        });
        left.is_empty()
    }

    /// Ranks and files of the row squares exchanged.
    #[inline(always)]
    pub fn exchanged(&self) -> Wide<W> {
        Wide(W::exchange(self.0))
    }

    /// Exclusive or.
    #[inline(always)]
    pub fn xor(mut self, other: Wide<W>) -> Wide<W> {
        each_rank!(RANK, {
            self.0[RANK] = self.0[RANK].xor(other.0[RANK]);
        });
        self
    }

    /// Rows become columns. Of the four digits of an address (rank and file of
    /// the row, rank and file of the column) each step exchanges two.
    #[inline(always)]
    pub fn transpose(mut self) -> Wide<W> {
        each_rank!(RANK, {
            self.0[RANK] = self.0[RANK].exchange_bytes().transform(Symmetry::DIAGONAL);
        });
        self.0 = W::exchange(self.0);
        each_rank!(RANK, {
            self.0[RANK] = self.0[RANK].exchange_bytes();
        });
        self
    }

    /// The tile in the frame before the symmetry was applied to its rows and
    /// columns. An axis without a man stays as it is.
    #[inline(always)]
    pub fn back_through(mut self, symmetry: Symmetry, rows: bool, columns: bool) -> Wide<W> {
        if rows && symmetry.transposes() {
            // The new row is the old symmetry(row): exchange first, then flip.
            self.0 = W::exchange(self.0);
        }
        if rows && symmetry.flips_vertical() {
            let [a, b, c, d, e, f, g, h] = self.0;
            self.0 = [h, g, f, e, d, c, b, a];
        }
        each_rank!(RANK, {
            if rows && symmetry.flips_horizontal() {
                self.0[RANK] = self.0[RANK].reversed();
            }
            if columns {
                self.0[RANK] = self.0[RANK].transform(symmetry.inverse());
            }
        });
        self
    }
}
