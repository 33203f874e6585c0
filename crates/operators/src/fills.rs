//! Moves of the two men that span the tile: fills across the words for the
//! row man, within the words for the column man.

use molien_board::{Bitboard, Role};

use crate::wide::{Wide, each_rank};
use crate::words::Words;

/// Moves of the row man into `set`, a part of `valid`, over the squares of
/// `valid`, added to `out` (which may get positions outside `valid`).
#[inline(always)]
pub(crate) fn row_man<W: Words>(role: Role, set: &Wide<W>, valid: &Wide<W>, out: &mut Wide<W>) {
    match role {
        Role::Queen => {
            row_rook(set, valid, out);
            row_bishop(set, valid, out);
        }
        Role::Rook => row_rook(set, valid, out),
        Role::Bishop => row_bishop(set, valid, out),
        Role::Knight => row_knight(set, out),
        Role::King => row_king(set, out),
        Role::Pawn => {}
    }
}

/// Directions with a rank component are scans over the eight ranks: what is
/// carried goes on where the square is free.
macro_rules! scan {
    ($set:ident, $valid:ident, $out:ident, rising, $step:expr) => {
        scan!($set, $valid, $out, 0, [1, 2, 3, 4, 5, 6, 7], $step)
    };
    ($set:ident, $valid:ident, $out:ident, falling, $step:expr) => {
        scan!($set, $valid, $out, 7, [6, 5, 4, 3, 2, 1, 0], $step)
    };
    ($set:ident, $valid:ident, $out:ident, $first:literal, $ranks:tt, $step:expr) => {
        let mut carried = $set.0[$first];
        each_rank!(RANK, $ranks, {
            carried = $step(carried);
            $out.0[RANK] = $out.0[RANK].or(carried);
            carried = $set.0[RANK].or_and(carried, $valid.0[RANK]);
        });
        let _ = carried;
    };
}

#[inline(always)]
fn same<W: Words>(carried: W) -> W {
    carried
}

/// Along the files, up and down.
#[inline(always)]
fn row_files<W: Words>(set: &Wide<W>, valid: &Wide<W>, out: &mut Wide<W>) {
    scan!(set, valid, out, rising, same);
    scan!(set, valid, out, falling, same);
}

#[inline(always)]
fn row_rook<W: Words>(set: &Wide<W>, valid: &Wide<W>, out: &mut Wide<W>) {
    row_files(set, valid, out);
    // Along the ranks it is the same with ranks and files exchanged.
    let mut turned = Wide::splat(0);
    row_files(&set.exchanged(), &valid.exchanged(), &mut turned);
    out.add(turned.exchanged());
}

#[inline(always)]
fn row_bishop<W: Words>(set: &Wide<W>, valid: &Wide<W>, out: &mut Wide<W>) {
    scan!(set, valid, out, rising, W::right::<1>);
    scan!(set, valid, out, rising, W::left::<1>);
    scan!(set, valid, out, falling, W::right::<1>);
    scan!(set, valid, out, falling, W::left::<1>);
}

#[inline(always)]
fn row_knight<W: Words>(set: &Wide<W>, out: &mut Wide<W>) {
    let (mut one, mut two) = (*set, *set);
    each_rank!(RANK, {
        one.0[RANK] = set.0[RANK].left::<1>().or(set.0[RANK].right::<1>());
        two.0[RANK] = set.0[RANK].left::<2>().or(set.0[RANK].right::<2>());
    });
    each_rank!(RANK, [0, 1, 2, 3, 4, 5], {
        out.0[RANK] = out.0[RANK].or(one.0[RANK + 2]);
        out.0[RANK + 2] = out.0[RANK + 2].or(one.0[RANK]);
    });
    each_rank!(RANK, [0, 1, 2, 3, 4, 5, 6], {
        out.0[RANK] = out.0[RANK].or(two.0[RANK + 1]);
        out.0[RANK + 1] = out.0[RANK + 1].or(two.0[RANK]);
    });
}

#[inline(always)]
fn row_king<W: Words>(set: &Wide<W>, out: &mut Wide<W>) {
    let mut three = *set;
    each_rank!(RANK, {
        let sides = set.0[RANK].left::<1>().or(set.0[RANK].right::<1>());
        out.0[RANK] = out.0[RANK].or(sides);
        three.0[RANK] = set.0[RANK].or(sides);
    });
    each_rank!(RANK, [0, 1, 2, 3, 4, 5, 6], {
        out.0[RANK] = out.0[RANK].or(three.0[RANK + 1]);
        out.0[RANK + 1] = out.0[RANK + 1].or(three.0[RANK]);
    });
}

const NOT_A: u64 = !Bitboard::FILE_A.0;
const NOT_H: u64 = !(Bitboard::FILE_A.0 << 7);
const NOT_AB: u64 = NOT_A & !(Bitboard::FILE_A.0 << 1);
const NOT_GH: u64 = NOT_H & !(Bitboard::FILE_A.0 << 6);

/// Moves of the column man, as [`row_man`].
#[inline(always)]
pub(crate) fn column_man<W: Words>(role: Role, set: &Wide<W>, valid: &Wide<W>, out: &mut Wide<W>) {
    match role {
        Role::Queen => {
            each_rank!(RANK, {
                out.0[RANK] = out.0[RANK]
                    .or(rook(set.0[RANK], valid.0[RANK]))
                    .or(bishop(set.0[RANK], valid.0[RANK]));
            });
        }
        Role::Rook => {
            each_rank!(RANK, {
                out.0[RANK] = out.0[RANK].or(rook(set.0[RANK], valid.0[RANK]));
            });
        }
        Role::Bishop => {
            each_rank!(RANK, {
                out.0[RANK] = out.0[RANK].or(bishop(set.0[RANK], valid.0[RANK]));
            });
        }
        Role::Knight => {
            each_rank!(RANK, {
                out.0[RANK] = out.0[RANK].or(knight(set.0[RANK]));
            });
        }
        Role::King => {
            each_rank!(RANK, {
                out.0[RANK] = out.0[RANK].or(king(set.0[RANK]));
            });
        }
        Role::Pawn => {}
    }
}

/// Fills within the words in one direction, by Kogge-Stone. `mask` removes
/// the file a step would wrap to.
macro_rules! fill {
    ($name:ident, $step:ident) => {
        #[inline(always)]
        fn $name<W: Words, const ONE: u32, const TWO: u32, const FOUR: u32>(
            set: W,
            free: W,
            mask: u64,
        ) -> W {
            let mask = W::splat(mask);
            let mut p = free.and(mask);
            let mut g = set;
            g = g.or_and(p, g.$step::<ONE>());
            p = p.and(p.$step::<ONE>());
            g = g.or_and(p, g.$step::<TWO>());
            p = p.and(p.$step::<TWO>());
            g = g.or_and(p, g.$step::<FOUR>());
            g.$step::<ONE>().and(mask)
        }
    };
}

fill!(fill_up, up);
fill!(fill_down, down);

/// Fills towards the h-file: adding the set to the free squares of its rank
/// sends a carry from each of its squares through the free ones, to the first
/// that is not. The set must be on free squares.
#[inline(always)]
fn fill_right<W: Words>(set: W, free: W) -> W {
    free.add_bytes(set).xor(free).xor(set)
}

#[inline(always)]
fn rook<W: Words>(set: W, free: W) -> W {
    let vertical =
        fill_up::<W, 8, 16, 32>(set, free, !0).or(fill_down::<W, 8, 16, 32>(set, free, !0));
    let right = fill_right(set, free);
    let left = fill_down::<W, 1, 2, 4>(set, free, NOT_H);
    vertical.or(right).or(left)
}

#[inline(always)]
fn bishop<W: Words>(set: W, free: W) -> W {
    let rising =
        fill_up::<W, 9, 18, 36>(set, free, NOT_A).or(fill_down::<W, 9, 18, 36>(set, free, NOT_H));
    let falling =
        fill_up::<W, 7, 14, 28>(set, free, NOT_H).or(fill_down::<W, 7, 14, 28>(set, free, NOT_A));
    rising.or(falling)
}

#[inline(always)]
fn knight<W: Words>(set: W) -> W {
    let one = set.up::<1>().and(W::splat(NOT_A)).or(set.down::<1>().and(W::splat(NOT_H)));
    let two = set.up::<2>().and(W::splat(NOT_AB)).or(set.down::<2>().and(W::splat(NOT_GH)));
    one.up::<16>().or(one.down::<16>()).or(two.up::<8>()).or(two.down::<8>())
}

#[inline(always)]
fn king<W: Words>(set: W) -> W {
    let sides = set.up::<1>().and(W::splat(NOT_A)).or(set.down::<1>().and(W::splat(NOT_H)));
    let three = set.or(sides);
    sides.or(three.up::<8>()).or(three.down::<8>())
}
