//! The commands.

pub mod line;
pub mod probe;
pub mod reproduce;
pub mod solve;
pub mod stats;
pub mod study;
pub mod verify;
