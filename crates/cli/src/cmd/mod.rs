//! The commands.

pub mod explain;
pub mod probe;
pub mod search;
pub mod solve;
pub mod stats;
pub mod uci;
pub mod verify;
