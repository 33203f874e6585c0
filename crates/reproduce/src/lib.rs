//! The papers reproduced: their tables beside ours, figure by figure.
//!
//! [`reproduce`] solves what a table needs and compares every figure:
//! [`Section`] is a table, [`Cell`] a figure, [`Verdict`] how it compares. The
//! published figures are small data files of this crate. `docs/reproduction.md`
//! explains every known difference.
//!
//! What it is not: a test suite of the solver. It has opinions on papers.
//!
//! ```
//! use molien_reproduce::{Lab, Options, Paper, reproduce};
//! use molien_build::Build;
//!
//! let options = Options { table: Some("5".to_owned()), full: false };
//! let mut sections = Vec::new();
//! reproduce(Paper::Nalimov, &options, &Lab::new(Build::new), &mut |s| sections.push(s))?;
//! assert!(!sections[0].has_unexplained());
//! # Ok::<(), molien_reproduce::ReproduceError>(())
//! ```

mod appendix;
mod around;
mod data;
mod error;
mod lab;
mod moves;
mod nalimov;
mod oracle;
mod piasetski;
mod positions;
mod report;
mod squares;
mod stiller;
mod thompson;

use std::fmt;
use std::str::FromStr;

use molien_board::Material;

pub use error::ReproduceError;
pub use lab::Lab;
pub use oracle::TableOracle;
pub use report::{Cell, Section, Verdict};

/// A paper with figures to compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Paper {
    /// Thompson 1986.
    Thompson,
    /// Nalimov, Wirth and Haworth 1999.
    Nalimov,
    /// Stiller 1996.
    Stiller,
    /// Piasetski 1977.
    Piasetski,
}

impl Paper {
    /// All papers, the oldest first.
    pub const ALL: [Paper; 4] = [Paper::Piasetski, Paper::Thompson, Paper::Stiller, Paper::Nalimov];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Paper::Thompson => "thompson",
            Paper::Nalimov => "nalimov",
            Paper::Stiller => "stiller",
            Paper::Piasetski => "piasetski",
        }
    }

    /// The names of its tables.
    pub const fn tables(self) -> &'static [&'static str] {
        match self {
            Paper::Thompson => &["1", "2", "3", "lines"],
            Paper::Nalimov => &["1", "2", "3", "5", "B"],
            Paper::Stiller => &["claims", "2", "3"],
            Paper::Piasetski => &["studies"],
        }
    }
}

impl fmt::Display for Paper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Paper {
    type Err = String;

    fn from_str(text: &str) -> Result<Paper, String> {
        let known = || Paper::ALL.map(Paper::name).join(", ");
        let found = Paper::ALL.into_iter().find(|paper| paper.name() == text.to_ascii_lowercase());
        found.ok_or_else(|| format!("'{text}' is not a paper: choose from {}", known()))
    }
}

/// What is wanted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// One table only; for Stiller's Table 2 also a material, its row.
    pub table: Option<String>,
    /// Six men too.
    pub full: bool,
}

/// Solves what is needed and hands over each table as it is done.
///
/// # Errors
/// If there is no such table or something cannot be solved.
pub fn reproduce(
    paper: Paper,
    options: &Options,
    lab: &Lab,
    done: &mut dyn FnMut(Section),
) -> Result<(), ReproduceError> {
    let full = options.full;
    if let Some(material) = stiller_row(paper, options) {
        done(stiller::table2(lab, true, Some(material))?);
        return Ok(());
    }
    if let Some(table) = &options.table
        && !paper.tables().contains(&table.as_str())
    {
        let known = paper.tables().join(", ");
        return Err(ReproduceError::NoTable { paper: paper.name(), table: table.clone(), known });
    }
    let wanted = |table: &&&str| options.table.as_ref().is_none_or(|only| only == **table);
    for &table in paper.tables().iter().filter(wanted) {
        match (paper, table) {
            (Paper::Thompson, "1") => done(thompson::table1(lab)?),
            (Paper::Thompson, "lines") => done(thompson::lines(lab)?),
            (Paper::Thompson, pawns) => done(thompson::pawns(lab, pawns)?),
            (Paper::Nalimov, "1") => done(positions::table1(lab, full)?),
            (Paper::Nalimov, "5") => done(nalimov::table5(lab)?),
            (Paper::Nalimov, "B") => done(appendix::lines(lab, full)?),
            (Paper::Nalimov, six_men) => {
                let sections = nalimov::tables2_and_3(lab, full)?;
                sections.into_iter().filter(|s| s.table == six_men).for_each(&mut *done);
            }
            (Paper::Stiller, "claims") => done(stiller::claims(lab)?),
            (Paper::Stiller, "2") => done(stiller::table2(lab, full, None)?),
            (Paper::Stiller, _) => done(stiller::line(lab, full)?),
            (Paper::Piasetski, _) => piasetski::studies(lab, done)?,
        }
    }
    Ok(())
}

fn stiller_row(paper: Paper, options: &Options) -> Option<Material> {
    let table = options.table.as_ref().filter(|_| paper == Paper::Stiller)?;
    table.parse().ok()
}
