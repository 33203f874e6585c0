//! The operators of a [`crate::Backend`], written once for all vectors of
//! words. `arch` compiles each of them for every instruction set; what they
//! call must be inlined into them.

use molien_board::Square;
use molien_hyper::Tile;

use crate::merge::{Reading, merge};
use crate::quiet::reach;
use crate::wide::Wide;
use crate::words::Words;
use crate::{Plies, QuietMoves, Release, Which};

pub(crate) use crate::checks::in_check;
pub(crate) use crate::merge::add_moves;

#[inline(always)]
pub(crate) fn take_by_moves<W: Words>(
    moves: &QuietMoves<'_>,
    which: Which<'_>,
    open: &mut Tile,
    taken: &mut Tile,
) -> (u64, bool) {
    let mut asked = Wide::<W>::load(open);
    if let Which::Stuck { held } = which {
        asked = asked.minus(Wide::load(held));
        if asked.is_empty() {
            return (0, !Wide::<W>::load(open).is_empty());
        }
    }
    let asked = asked.store();
    let mut found = reach::<W>(moves, &asked);
    found = match which {
        Which::Stuck { .. } => Wide::load(&asked).minus(found),
        Which::Moving { also } => {
            found.add(Wide::load(also));
            found.and(Wide::load(&asked))
        }
    };
    take_found(open, found, taken)
}

/// Moves the positions found from `open` to `taken`.
#[inline(always)]
fn take_found<W: Words>(open: &mut Tile, found: Wide<W>, taken: &mut Tile) -> (u64, bool) {
    if found.is_empty() {
        return (0, !Wide::<W>::load(open).is_empty());
    }
    *taken = found.store();
    take::<W>(open, taken)
}

#[inline(always)]
pub(crate) fn toggle<W: Words>(
    planes: &mut [&mut [Tile]],
    bits: u16,
    number: usize,
    tiles: [&Tile; 2],
) {
    let mut sum = Wide::<W>::load(tiles[0]);
    sum.add(Wide::load(tiles[1]));
    for (b, plane) in planes.iter_mut().enumerate() {
        if bits >> b & 1 != 0 {
            plane[number] = Wide::load(&plane[number]).xor(sum).store();
        }
    }
}

#[inline(always)]
pub(crate) fn merge_least<W: Words>(release: &mut Release, other: &Release) {
    merge::<W, true>(release, &other.some, &other.planes(), Reading::Same, None);
}

#[inline(always)]
pub(crate) fn merge_greatest<W: Words>(release: &mut Release, other: &Release) {
    merge::<W, false>(release, &other.some, &other.planes(), Reading::Same, None);
}

#[inline(always)]
pub(crate) fn release_at<W: Words>(plies: Plies<'_>, ply: u16) -> Tile {
    if plies.bits.is_empty() {
        return if ply == 1 { *plies.some } else { Tile::EMPTY };
    }
    if usize::from(ply) >> plies.bits.len() != 0 {
        return Tile::EMPTY;
    }
    let mut equal = Wide::<W>::load(plies.some);
    for (b, plane) in plies.bits.iter().enumerate() {
        let plane = Wide::load(plane);
        equal = if ply >> b & 1 != 0 { equal.and(plane) } else { equal.minus(plane) };
    }
    equal.store()
}

#[inline(always)]
pub(crate) fn release_least<W: Words>(plies: Plies<'_>, among: &Tile) -> Option<u16> {
    let mut set = Wide::<W>::load(plies.some).and(Wide::load(among));
    if set.is_empty() {
        return None;
    }
    if plies.bits.is_empty() {
        return Some(1);
    }
    // From the highest bit: keep those without it, if there are any.
    let mut ply = 0;
    for plane in plies.bits.iter().rev() {
        let without = set.minus(Wide::load(plane));
        ply <<= 1;
        if without.is_empty() {
            ply |= 1;
        } else {
            set = without;
        }
    }
    Some(ply)
}

#[inline(always)]
pub(crate) fn count<W: Words>(tile: &Tile) -> u64 {
    tile.len()
}

#[inline(always)]
pub(crate) fn difference<W: Words>(a: &Tile, b: &Tile) -> Tile {
    Wide::<W>::load(a).minus(Wide::load(b)).store()
}

#[inline(always)]
pub(crate) fn take<W: Words>(open: &mut Tile, decided: &Tile) -> (u64, bool) {
    let left = Wide::<W>::load(open).minus(Wide::load(decided));
    *open = left.store();
    (decided.len(), !left.is_empty())
}

#[inline(always)]
pub(crate) fn transpose<W: Words>(tile: &Tile) -> Tile {
    Wide::<W>::load(tile).transpose().store()
}

#[inline(always)]
pub(crate) fn column<W: Words>(tile: &Tile, square: Square) -> u64 {
    // By files: bit 8r is the row square on rank r.
    let mut files = [0u64; 8];
    for (rank, words) in tile.0.iter().enumerate() {
        for (file, word) in files.iter_mut().zip(words) {
            *file |= (word >> square.index() & 1) << (8 * rank);
        }
    }
    files.iter().enumerate().fold(0, |set, (file, ranks)| set | ranks << file)
}
