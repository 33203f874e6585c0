//! The commands.

pub mod explain;
pub mod export;
pub mod find;
pub mod free;
pub mod line;
pub mod maxima;
pub mod only_moves;
pub mod probe;
pub mod reproduce;
pub mod search;
pub mod solve;
pub mod stats;
pub mod study;
pub mod uci;
pub mod verify;
pub mod zugzwangs;
