//! Ranks of MPI, as [`Exchange`](molien_solve::Exchange) wants them.
//!
//! All of it is behind the feature `mpi`, which needs an MPI library to build; without
//! it this crate is empty.
//!
//! One thread owns MPI and makes all its calls, so a library that supports threads
//! poorly will do, and messages travel while the others compute. Nothing is
//! one-sided: sizes first, then receives that are posted before the sends.
//!
//! What it is not: it starts no processes (`mpirun` or `srun` does) and decides nothing.
#![cfg_attr(not(feature = "mpi"), allow(rustdoc::broken_intra_doc_links))]

#[cfg(feature = "mpi")]
mod ranks;
#[cfg(feature = "mpi")]
mod thread;

#[cfg(feature = "mpi")]
pub use ranks::{MpiError, MpiRanks};
