//! The tile operators compiled once per instruction set, found at run time.
#![expect(unsafe_code, reason = "calls functions compiled for a detected instruction set")]

use molien_board::{Color, Square};
use molien_hyper::{Cell, Hyperboard, Tile};

use crate::words::U64x8;
use crate::{Backend, Conversions, Plies, QuietMoves, Release, Scalar, TileMoves, Which, kernels};

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

/// Implements [`Backend`] with the kernels, each compiled with the features
/// given, on vectors of the type given.
macro_rules! backend {
    ($name:ident, $label:literal, $vectors:tt) => {
        impl Backend for $name {
            fn name(&self) -> &'static str {
                $label
            }

            backend! { @compile $vectors
                fn take_by_moves(moves: &QuietMoves<'_>, which: Which<'_>, open: &mut Tile, taken: &mut Tile) -> (u64, bool);
                fn in_check(board: &Hyperboard, color: Color, cell: &Cell) -> Tile;
                fn add_moves(found: &mut Conversions, moves: &TileMoves<'_>);
                fn merge_least(release: &mut Release, other: &Release);
                fn merge_greatest(release: &mut Release, other: &Release);
                fn release_at(plies: Plies<'_>, ply: u16) -> Tile;
                fn release_least(plies: Plies<'_>, among: &Tile) -> Option<u16>;
                fn count(tile: &Tile) -> u64;
                fn difference(a: &Tile, b: &Tile) -> Tile;
                fn take(open: &mut Tile, decided: &Tile) -> (u64, bool);
                fn toggle(planes: &mut [&mut [Tile]], bits: u16, number: usize, tiles: [&Tile; 2]);
                fn transpose(tile: &Tile) -> Tile;
                fn column(tile: &Tile, square: Square) -> u64;
            }
        }
    };
    (@compile $vectors:tt $(fn $operator:ident $arguments:tt $(-> $result:ty)?;)+) => {
        $(backend! { @one $vectors fn $operator $arguments $(-> $result)? })+
    };
    (@one ($words:ty $(, $features:literal)?)
     fn $operator:ident ($($argument:ident: $type:ty),*) $(-> $result:ty)?) => {
        fn $operator(&self, $($argument: $type),*) $(-> $result)? {
            $(#[target_feature(enable = $features)])?
            fn run($($argument: $type),*) $(-> $result)? {
                kernels::$operator::<$words>($($argument),*)
            }
            // SAFETY: `new`, which alone makes a value of this type, found the
            // features on this processor.
            #[allow(unused_unsafe, reason = "plain vectors need no features")]
            unsafe {
                run($($argument),*)
            }
        }
    };
}

/// The tile operators for any processor.
#[derive(Clone, Copy, Debug, Default)]
pub struct Plain;

backend!(Plain, "plain", (U64x8));

/// Defines a backend for processors with some features, which `$detected`
/// looks for.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! detected_backend {
    ($(#[$doc:meta])* $name:ident, $label:literal, $vectors:tt, $detected:ident![$($feature:tt),+]) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(());

        impl $name {
            /// The operators, if this processor has the instructions.
            pub fn new() -> Option<$name> {
                ($(std::arch::$detected!($feature))&&+).then_some($name(()))
            }

            fn get() -> Option<&'static dyn Backend> {
                static ONLY: $name = $name(());
                $name::new().map(|_| &ONLY as &dyn Backend)
            }
        }

        backend!($name, $label, $vectors);
    };
}

#[cfg(target_arch = "x86_64")]
detected_backend!(
    /// The tile operators in registers of 256 bits.
    Avx2,
    "avx2",
    (avx2::Two256, "avx2,bmi1,bmi2,popcnt"),
    is_x86_feature_detected!["avx2", "bmi1", "bmi2", "popcnt"]
);
#[cfg(target_arch = "x86_64")]
detected_backend!(
    /// The tile operators in registers of 512 bits.
    Avx512,
    "avx512",
    (
        avx512::One512,
        "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vpopcntdq,gfni,avx2,bmi1,bmi2,popcnt"
    ),
    is_x86_feature_detected![
        "avx512f",
        "avx512bw",
        "avx512dq",
        "avx512vl",
        "avx512vbmi",
        "avx512vpopcntdq",
        "gfni",
        "avx2",
        "bmi1",
        "bmi2",
        "popcnt"
    ]
);
#[cfg(target_arch = "aarch64")]
detected_backend!(
    /// The tile operators in registers of 128 bits.
    Neon,
    "neon",
    (neon::Four128, "neon"),
    is_aarch64_feature_detected!["neon"]
);

/// Every implementation this processor can run, the slowest (the meaning)
/// first and the fastest last.
pub fn all() -> Vec<&'static dyn Backend> {
    let mut backends: Vec<&'static dyn Backend> = vec![&Scalar, &Plain];
    #[cfg(target_arch = "x86_64")]
    backends.extend([Avx2::get(), Avx512::get()].into_iter().flatten());
    #[cfg(target_arch = "aarch64")]
    backends.extend(Neon::get());
    backends
}

/// The implementation of this name (see [`Backend::name`]), if this processor
/// can run it.
pub fn by_name(name: &str) -> Option<&'static dyn Backend> {
    all().into_iter().find(|backend| backend.name() == name)
}

/// The fastest implementation this processor can run.
pub fn fastest() -> &'static dyn Backend {
    static FASTEST: std::sync::LazyLock<&'static dyn Backend> =
        std::sync::LazyLock::new(|| all().last().copied().unwrap_or(&Plain));
    *FASTEST
}
