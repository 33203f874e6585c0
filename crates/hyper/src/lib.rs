//! Hyperboards: all placements of one material, one bit each.
//!
//! A [`Hyperboard`] says which bit belongs to which placement. Two men, *row*
//! and *column*, span a [`Tile`] of 64 x 64 bits; the other men are *outer*
//! coordinates that address the tile; a [`Plane`] is one bit for every
//! placement, in other words a set of positions.
//!
//! What it is not: it knows nothing of moves or values.
//!
//! ```
//! use molien_board::{Material, Position};
//! use molien_hyper::Hyperboard;
//!
//! let board = Hyperboard::pieces("KQKR".parse::<Material>()?);
//! let position: Position = "8/8/8/8/8/2k5/7r/K6Q w - -".parse()?;
//! let index = board.encode(&position).unwrap();
//! let found = board.decode(index, position.turn()).unwrap();
//! assert_eq!(board.encode(&found), Some(index));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod address;
mod board;
mod counting;
mod kings;
mod outer;
mod tile;

pub use board::{Cell, Hyperboard, Index, KingAxis, MAX_OUTER};
pub use kings::{KING_PAIRS, KingPair, king_pair, king_pair_squares};
pub use outer::{OuterAxes, Walk};
pub use tile::{Plane, Tile};
