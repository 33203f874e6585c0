//! What tests share: random positions ([`Random`]), somebody who gets impatient
//! ([`Patience`]), and outside tables and figures to compare with.
//!
//! The outside tables are not part of the project. Their folder, the *oracle*,
//! is named by the environment variable `MOLIEN_ORACLE`, or else is
//! `shared/oracle` beside the workspace. Where it is missing the tests that need it say so and pass,
//! unless the variable `CI` is set: then they fail.

mod cpu;
#[cfg(feature = "oracle")]
mod files;
pub mod random;
#[cfg(feature = "oracle")]
mod syzygy;

pub use cpu::CpuClock;
#[cfg(feature = "oracle")]
pub use files::{Row, Rows, read_gz_tsv, read_tsv};
pub use random::Random;
#[cfg(feature = "oracle")]
pub use syzygy::{Syzygy, SyzygyAnswer};

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Is over after so many questions, and stays so.
#[derive(Debug)]
pub struct Patience(AtomicUsize);

impl Patience {
    /// The answer is no so many times.
    pub const fn new(questions: usize) -> Patience {
        Patience(AtomicUsize::new(questions))
    }

    /// From now on the answer is no so many times.
    pub fn set(&self, questions: usize) {
        self.0.store(questions, Ordering::Relaxed);
    }

    /// Questions that are left.
    pub fn left(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// One question.
    pub fn is_over(&self) -> bool {
        let less = |left: usize| left.checked_sub(1);
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
    }
}

/// Whether tests are to look at everything, however long it takes: the
/// variable `MOLIEN_EXHAUSTIVE` is set.
pub fn is_exhaustive() -> bool {
    std::env::var_os("MOLIEN_EXHAUSTIVE").is_some()
}

/// The folder of outside tables; none if the test is to be skipped.
///
/// # Panics
/// If it is missing and `CI` is set.
pub fn oracle() -> Option<PathBuf> {
    let beside = || {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2)?;
        Some(workspace.parent()?.join("shared/oracle"))
    };
    let folder = std::env::var_os("MOLIEN_ORACLE").map(PathBuf::from).or_else(beside);
    let found = folder.filter(|folder| folder.is_dir());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "the oracle is missing: set MOLIEN_ORACLE");
        eprintln!("skipped: no oracle found; set MOLIEN_ORACLE to its folder");
    }
    found
}
