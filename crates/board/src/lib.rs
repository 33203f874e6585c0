//! The chess board, as far as solving endgames needs it.
//!
//! What it is: squares, sets of squares, rays, the eight symmetries, men,
//! material signatures, positions, FEN, legal moves and their names. What it is
//! not: a general chess library (no castling, no repetition). It does no
//! I/O and has no `unsafe`.
//!
//! ```
//! use molien_board::{Material, Position};
//!
//! let position: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse()?;
//! assert_eq!(position.material(), "KRK".parse::<Material>()?);
//! assert_eq!(position.legal_moves().len(), 15);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod attacks;
mod bitboard;
mod fen;
mod material;
mod men;
mod moves;
mod notation;
mod position;
mod setup;
mod square;
mod symmetry;

pub use bitboard::{Bitboard, Squares};
pub use fen::{FenError, FenFields, FenOptions};
pub use material::{MAX_MEN, MAX_PAWN_ENDING_MEN, MAX_PAWN_ENDING_PIECES, Material, MaterialError};
pub use men::{Color, Man, Role};
pub use moves::{Move, MoveKind};
pub use notation::{MoveName, MoveNameError};
pub use position::{IllegalPosition, Position};
pub use setup::Setup;
pub use square::{ParseSquareError, Square};
pub use symmetry::Symmetry;
