//! Retrograde analysis in waves, one hyperboard at a time.
//!
//! [`BoardSolve`] takes a hyperboard and the moves that lead out of it
//! ([`Exits`]) and gives the value of every position for both sides to move, in
//! one metric, with statistics. The heart is a dozen lines of logic: `waves`.
//! What boards read of each other is a [`View`]; what they can turn into is a
//! [`Node`]. [`check_board`] states what a solution is and checks it by a
//! forward pass that knows nothing of waves; [`derive_depths`] finds the depths of one
//! side to move by the same laws. [`board_stats`] counts the values of a board that was solved
//! elsewhere.
//!
//! Several processes can solve a board without pawns together, each for some classes
//! of king pairs: see [`Exchange`].
//!
//! What it is not: it does not know which boards are needed, in which order, or
//! where their values are kept (that is `molien-build`); it reads and writes no
//! files and prints nothing. Progress goes to a [`Progress`] the caller supplies.

mod consistency;
mod error;
mod exits;
mod progress;
mod ranks;
mod views;
mod waves;

pub use consistency::{Consistency, Inconsistency, Law, check_board, derive_depths};
pub use error::SolveError;
pub use exits::{
    Boards, Captures, Closure, Exits, Node, PawnExits, PieceExits, TooMuch, Zeroing, ZeroingWins,
};
pub use progress::{Cost, Progress, Silent, WaveReport};
pub use ranks::{
    Alone, Exchange, ExchangeError, OwnerMap, ThreadRank, delta_bytes, dense_bytes, message_bytes,
    thread_ranks,
};
pub use views::{View, Wanted, of_pawn_board, of_piece_board, planes_of_piece_board};
pub use waves::{
    BishopPair, BoardSolve, ClockRuns, Gathered, Keep, LeanSolve, Spill, Watch, board_stats,
};
