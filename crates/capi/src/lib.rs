//! Molien tables for C and C++.
//!
//! A shared library for engines: open a folder of tables, ask who wins and how
//! fast, close it. `include/molien.h` is the header, `examples/probe.c` a whole
//! program. Any number of threads may ask at once, and once a table is loaded
//! no question allocates memory.
//!
//! What it is not: it solves nothing, and it knows no moves. The Rust way is
//! crate `molien`.

pub mod ffi;
mod lookup;

pub use lookup::{Failed, Tables};
