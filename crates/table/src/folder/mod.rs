//! A folder of tables: what is in it, reading it, storing there, one process at
//! a time, and what killed processes have left.

mod derived;
pub(crate) mod directory;
pub(crate) mod leftovers;
pub(crate) mod lock;
pub(crate) mod open_tables;
mod shelf;
mod store;
