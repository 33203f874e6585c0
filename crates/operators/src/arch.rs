//! The tile operators compiled once per instruction set, chosen at run time.
#![expect(unsafe_code, reason = "calls functions compiled for a detected instruction set")]

use molien_board::Color;
use molien_hyper::{Cell, Hyperboard, Plane, Tile};

use crate::{Backend, Scalar, fast};

/// The tile operators for any processor.
#[derive(Clone, Copy, Debug)]
struct Portable;

impl Backend for Portable {
    fn name(&self) -> &'static str {
        "portable"
    }

    fn quiet(&self, board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> Tile {
        fast::quiet(board, side, plane, cell)
    }

    fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
        fast::in_check(board, color, cell)
    }
}

#[cfg(target_arch = "x86_64")]
macro_rules! x86_backend {
    ($name:ident, $label:literal, $features:literal, [$($feature:tt),+]) => {
        /// The tile operators compiled with the features of its name. Only
        /// `new` makes one, and only where the processor has the features.
        #[derive(Clone, Copy, Debug)]
        struct $name(());

        impl $name {
            fn new() -> Option<$name> {
                ($(is_x86_feature_detected!($feature))&&+).then_some($name(()))
            }
        }

        impl Backend for $name {
            fn name(&self) -> &'static str {
                $label
            }

            fn quiet(&self, board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> Tile {
                #[target_feature(enable = $features)]
                fn run(board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> Tile {
                    fast::quiet(board, side, plane, cell)
                }
                // SAFETY: `new` found the features on this processor.
                unsafe { run(board, side, plane, cell) }
            }

            fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
                #[target_feature(enable = $features)]
                fn run(board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
                    fast::in_check(board, color, cell)
                }
                // SAFETY: `new` found the features on this processor.
                unsafe { run(board, color, cell) }
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
x86_backend!(Avx2, "avx2", "avx2,bmi1,bmi2,popcnt", ["avx2", "bmi1", "bmi2", "popcnt"]);
#[cfg(target_arch = "x86_64")]
x86_backend!(
    Avx512,
    "avx512",
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx2,bmi1,bmi2,popcnt",
    ["avx512f", "avx512bw", "avx512dq", "avx512vl", "avx512vbmi", "bmi1", "bmi2", "popcnt"]
);

/// Every implementation this processor can run, the slowest (the meaning)
/// first and the fastest last.
pub fn all() -> Vec<&'static dyn Backend> {
    let mut backends: Vec<&'static dyn Backend> = vec![&Scalar, &Portable];
    #[cfg(target_arch = "x86_64")]
    {
        static AVX2: Avx2 = Avx2(());
        static AVX512: Avx512 = Avx512(());
        if Avx2::new().is_some() {
            backends.push(&AVX2);
        }
        if Avx512::new().is_some() {
            backends.push(&AVX512);
        }
    }
    backends
}

/// The fastest implementation this processor can run.
pub fn fastest() -> &'static dyn Backend {
    *all().last().unwrap_or(&(&Portable as &dyn Backend))
}
