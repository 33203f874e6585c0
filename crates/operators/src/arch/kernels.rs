//! Small loops over tiles, compiled once per instruction set.

use std::sync::LazyLock;

use molien_board::Square;
use molien_hyper::Tile;

#[cfg(target_arch = "x86_64")]
use super::avx512::V512;
use crate::merge::{Movers, Reading, merge};
use crate::wide::Wide;
use crate::words::{Plain, Words};
use crate::{Conversions, Release};
use molien_values::{Graded, Rule};

/// What the processor has been found to have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

static LEVEL: LazyLock<Level> = LazyLock::new(|| {
    #[cfg(target_arch = "x86_64")]
    {
        if super::Avx512::get().is_some() {
            return Level::Avx512;
        }
        if super::Avx2::get().is_some() {
            return Level::Avx2;
        }
    }
    Level::Plain
});

/// Defines functions that choose at run time between their body compiled for
/// each instruction set (the features are those of the backends, which have
/// been looked for), in which `W` are its vectors. What the body calls
/// must be inlined into it.
macro_rules! kernels {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    )+) => {$(
        $(#[$attribute])*
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn portable<W: Words>($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn avx2($($argument: $type),*) $(-> $result)? {
                    portable::<Plain>($($argument),*)
                }
                #[target_feature(
                    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,avx2,bmi1,bmi2,popcnt"
                )]
                fn avx512($($argument: $type),*) $(-> $result)? {
                    portable::<V512>($($argument),*)
                }
                match *LEVEL {
                    // SAFETY: `Avx512::get` found the features.
                    Level::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: `Avx2::get` found the features.
                    Level::Avx2 => return unsafe { avx2($($argument),*) },
                    Level::Plain => {}
                }
            }
            portable::<Plain>($($argument),*)
        }
    )+};
}

kernels! {
    /// The positions of `a` that are not in `b`.
    pub fn difference(a: &Tile, b: &Tile) -> Tile {
        Wide::<W>::load(a).minus(Wide::load(b)).store()
    }

    /// How many positions the tile has.
    pub fn count(tile: &Tile) -> u64 {
        tile.len()
    }

    /// Takes `decided` out of `open`; returns how many were decided, and
    /// whether any are left.
    pub fn take(open: &mut Tile, decided: &Tile) -> (u64, bool) {
        let left = Wide::<W>::load(open).minus(Wide::load(decided));
        *open = left.store();
        (decided.len(), !left.is_empty())
    }

    /// Adds a tile to one tile of each target, and counts it.
    pub fn add_to_all(targets: &mut [&mut [Tile]], number: usize, tile: &Tile) -> u64 {
        let added = Wide::<W>::load(tile);
        for target in targets {
            let mut sum = Wide::load(&target[number]);
            sum.add(added);
            target[number] = sum.store();
        }
        tile.len()
    }

    /// See [`Release::at`].
    pub(crate) fn release_at(release: &Release, ply: u16) -> Tile {
        if release.bits.is_empty() {
            return if ply == 1 { release.some } else { Tile::EMPTY };
        }
        if usize::from(ply) >> release.bits.len() != 0 {
            return Tile::EMPTY;
        }
        let mut equal = Wide::<W>::load(&release.some);
        for (b, plane) in release.bits.iter().enumerate() {
            let plane = Wide::load(plane);
            equal = if ply >> b & 1 != 0 { equal.and(plane) } else { equal.minus(plane) };
        }
        equal.store()
    }

    /// See [`Release::prefetch`].
    pub(crate) fn release_prefetch(release: &Release) {
        for plane in &release.bits {
            W::prefetch(plane);
        }
    }

    /// See [`Release::least`].
    pub(crate) fn release_least(release: &Release, among: &Tile) -> Option<u16> {
        let mut set = Wide::<W>::load(&release.some).and(Wide::load(among));
        if set.is_empty() {
            return None;
        }
        if release.bits.is_empty() {
            return Some(1);
        }
        // From the highest bit: keep those without it, if there are any.
        let mut ply = 0;
        for plane in release.bits.iter().rev() {
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

    /// Rows become columns.
    pub fn transpose(tile: &Tile) -> Tile {
        Wide::<W>::load(tile).transpose().store()
    }

    /// The row squares paired with one column square.
    pub fn column(tile: &Tile, square: Square) -> u64 {
        // By files: bit 8r is the row square on rank r.
        let mut files = [0u64; 8];
        for (rank, words) in tile.0.iter().enumerate() {
            for (file, word) in files.iter_mut().zip(words) {
                *file |= (word >> square.index() & 1) << (8 * rank);
            }
        }
        files.iter().enumerate().fold(0, |set, (file, ranks)| set | ranks << file)
    }

    /// See [`Release::merge_least`].
    pub(crate) fn merge_least(release: &mut Release, other: &Release) {
        merge::<W, true>(release, &other.some, &other.planes(), Reading::Same, None)
    }

    /// See [`Release::merge_greatest`].
    pub(crate) fn merge_greatest(release: &mut Release, other: &Release) {
        merge::<W, false>(release, &other.some, &other.planes(), Reading::Same, None)
    }

    /// See [`crate::merge::add_moves`].
    pub(crate) fn add_moves(
        found: &mut Conversions,
        values: (&Graded, usize),
        reading: Reading,
        movers: Movers<'_>,
        rule: Rule
    ) {
        crate::merge::add_moves::<W>(found, values, reading, movers, rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_is_a_row_transposed() {
        let mut word = 1u64;
        let tile = Tile::from_rows(|_| {
            word = word.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            word
        });
        for square in Square::all() {
            assert_eq!(column(&tile, square), tile.transpose().row(square));
        }
    }
}
