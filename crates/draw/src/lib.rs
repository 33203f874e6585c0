//! Boards, men and colours for pictures.
//!
//! One set of men, drawn in lines of our own ([`man_svg`]), boards made of them
//! ([`Board`]), and the colours that all pictures share ([`palette`]). What it
//! is not: it knows no values of positions, and it writes no files.
//!
//! ```
//! use molien_board::Position;
//! use molien_draw::Board;
//!
//! let position: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse()?;
//! let svg = Board::from(&position).to_svg();
//! assert!(svg.starts_with("<svg "));
//! # Ok::<(), molien_board::FenError>(())
//! ```

mod board;
mod men;
pub mod palette;
#[cfg(feature = "png")]
mod png;

pub use board::{Board, LegendEntry, SquareMark};
pub use men::man_svg;
pub use palette::Rgb;
