//! The commands.

pub mod probe;
pub mod solve;
pub mod stats;
pub mod verify;
