//! The tile operators compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls functions compiled for a detected instruction set")]

use molien_board::Color;
use molien_hyper::{Cell, Hyperboard, Plane, Tile};

use crate::words::Plain;
use crate::{Backend, Scalar, checks, quiet};

#[cfg(target_arch = "x86_64")]
mod avx512;
pub(crate) mod kernels;

/// The tile operators for any processor.
#[derive(Clone, Copy, Debug)]
struct Portable;

impl Backend for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn quiet_within(
        &self,
        board: &Hyperboard,
        side: Color,
        plane: &Plane,
        cell: &Cell,
        within: &Tile,
    ) -> Tile {
        quiet::quiet_within::<Plain>(board, side, plane, cell, within)
    }

    fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
        checks::in_check(board, color, cell)
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! x86_backend {
    ($name:ident, $label:literal, $words:ty, $features:literal, [$($feature:tt),+]) => {
        /// The tile operators compiled with the features of its name. Only
        /// `get` hands one out, and only where the processor has the features.
        #[derive(Clone, Copy, Debug)]
        struct $name(());

        impl $name {
            fn get() -> Option<&'static $name> {
                static ONLY: $name = $name(());
                ($(is_x86_feature_detected!($feature))&&+).then_some(&ONLY)
            }
        }

        impl Backend for $name {
            fn name(&self) -> &'static str {
                $label
            }

            fn quiet_within(
                &self,
                board: &Hyperboard,
                side: Color,
                plane: &Plane,
                cell: &Cell,
                within: &Tile,
            ) -> Tile {
                #[target_feature(enable = $features)]
                fn run(
                    board: &Hyperboard,
                    side: Color,
                    plane: &Plane,
                    cell: &Cell,
                    within: &Tile,
                ) -> Tile {
                    quiet::quiet_within::<$words>(board, side, plane, cell, within)
                }
                // SAFETY: `get` found the features on this processor.
                unsafe { run(board, side, plane, cell, within) }
            }

            fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
                #[target_feature(enable = $features)]
                fn run(board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
                    checks::in_check(board, color, cell)
                }
                // SAFETY: `get` found the features on this processor.
                unsafe { run(board, color, cell) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
x86_backend!(Avx2, "avx2", Plain, "avx2,bmi1,bmi2,popcnt", ["avx2", "bmi1", "bmi2", "popcnt"]);
#[cfg(target_arch = "x86_64")]
x86_backend!(
    Avx512,
    "avx512",
    avx512::V512,
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,avx2,bmi1,bmi2,popcnt",
    [
        "avx512f",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx512vbmi",
        "avx512vpopcntdq",
        "gfni",
        "bmi1",
        "bmi2",
        "popcnt"
    ]
);

/// Every implementation this processor can run, the slowest (the meaning)
/// first and the fastest last.
pub fn all() -> Vec<&'static dyn Backend> {
    let mut backends: Vec<&'static dyn Backend> = vec![&Scalar, &Portable];
    #[cfg(target_arch = "x86_64")]
    {
        backends.extend(Avx2::get().map(|avx2| avx2 as &dyn Backend));
        backends.extend(Avx512::get().map(|avx512| avx512 as &dyn Backend));
    }
    backends
}

/// The fastest implementation this processor can run.
pub fn fastest() -> &'static dyn Backend {
    *all().last().unwrap_or(&(&Portable as &dyn Backend))
}
