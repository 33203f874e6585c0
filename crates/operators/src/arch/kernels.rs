//! Small loops over tiles, compiled once per instruction set. They have no
//! registers of their own to manage: the compiler makes vectors of them.

use std::sync::LazyLock;

use molien_hyper::Tile;

use crate::Release;

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
/// each instruction set. What the body calls must be inlined into it.
macro_rules! kernels {
    ($(
        $(#[$attribute:meta])*
        $visibility:vis fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block
    )+) => {$(
        $(#[$attribute])*
        $visibility fn $name($($argument: $type),*) $(-> $result)? {
            #[inline(always)]
            fn portable($($argument: $type),*) $(-> $result)? $body

            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
                fn avx2($($argument: $type),*) $(-> $result)? {
                    portable($($argument),*)
                }
                #[target_feature(
                    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,avx2,bmi1,bmi2,popcnt"
                )]
                fn avx512($($argument: $type),*) $(-> $result)? {
                    portable($($argument),*)
                }
                match *LEVEL {
                    // SAFETY: `Avx512::get` found the features.
                    Level::Avx512 => return unsafe { avx512($($argument),*) },
                    // SAFETY: `Avx2::get` found the features.
                    Level::Avx2 => return unsafe { avx2($($argument),*) },
                    Level::Plain => {}
                }
            }
            portable($($argument),*)
        }
    )+};
}

kernels! {
    /// The positions of `a` that are not in `b`.
    pub fn difference(a: &Tile, b: &Tile) -> Tile {
        a.minus(b)
    }

    /// How many positions the tile has.
    pub fn count(tile: &Tile) -> u64 {
        tile.len()
    }

    /// Takes `decided` out of `open`; returns how many were decided, and
    /// whether any are left.
    pub fn take(open: &mut Tile, decided: &Tile) -> (u64, bool) {
        *open = open.minus(decided);
        (decided.len(), !open.is_empty())
    }

    /// Adds a tile to one tile of each target, and counts it.
    pub fn add_to_all(targets: &mut [&mut [Tile]], number: usize, tile: &Tile) -> u64 {
        for target in targets {
            target[number].add(tile);
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
        let mut equal = release.some;
        for rank in 0..8 {
            // One rank through all bits: it stays in a register.
            let mut words = equal.0[rank];
            for (b, plane) in release.bits.iter().enumerate() {
                let flip = if ply >> b & 1 != 0 { 0 } else { !0 };
                for file in 0..8 {
                    words[file] &= plane.0[rank][file] ^ flip;
                }
            }
            equal.0[rank] = words;
        }
        equal
    }

    /// See [`Release::least`].
    pub(crate) fn release_least(release: &Release, among: &Tile) -> Option<u16> {
        let mut set = release.some.and(among);
        if set.is_empty() {
            return None;
        }
        if release.bits.is_empty() {
            return Some(1);
        }
        // From the highest bit: keep those without it, if there are any.
        let mut ply = 0;
        for plane in release.bits.iter().rev() {
            let without = set.minus(plane);
            ply <<= 1;
            if without.is_empty() {
                ply |= 1;
            } else {
                set = without;
            }
        }
        Some(ply)
    }
}
