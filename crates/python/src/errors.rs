//! Errors as exceptions. The sentences are the library's; the classes are those
//! of `molien._errors`.

use molien::lines::LineError;
use molien::mine::{MineError, QueryError};
use molien::{
    BuildError, FenError, FenProbeError, IllegalPosition, MaterialError, ProbeError, TableError,
};
use pyo3::prelude::*;

/// What went wrong, and the sentence about it. It can leave the thread that
/// found it, which an exception cannot.
#[derive(Clone, Debug)]
pub struct Failure {
    class: &'static str,
    sentence: String,
}

const MISSING: &str = "MissingTable";
const DAMAGED: &str = "DamagedTable";
const ILLEGAL: &str = "IllegalPosition";
const TOO_LARGE: &str = "TooLarge";
const INVALID: &str = "InvalidInput";
const INTERRUPTED: &str = "Interrupted";
const OTHER: &str = "MolienError";

impl Failure {
    /// The input has no meaning.
    pub fn invalid(sentence: impl ToString) -> Failure {
        Failure { class: INVALID, sentence: sentence.to_string() }
    }

    /// Says which of many it is about.
    pub fn at(mut self, number: usize) -> Failure {
        self.sentence = format!("position {number}: {}", self.sentence);
        self
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        let make = |py: Python<'_>| {
            let class = py.import("molien._errors")?.getattr(failure.class)?;
            Ok(PyErr::from_value(class.call1((failure.sentence.as_str(),))?))
        };
        Python::attach(make).unwrap_or_else(|error| error)
    }
}

fn of_table(error: &TableError) -> &'static str {
    match error {
        _ if error.is_interrupted() => INTERRUPTED,
        _ if error.is_damage() => DAMAGED,
        _ if error.is_missing() => MISSING,
        _ => OTHER,
    }
}

fn of_build(error: &BuildError) -> &'static str {
    match error {
        _ if error.is_cancelled() => INTERRUPTED,
        _ if error.is_too_large() => TOO_LARGE,
        BuildError::Missing { .. } => MISSING,
        BuildError::Table(error) => of_table(error),
        _ => OTHER,
    }
}

fn of_probe(error: &ProbeError) -> &'static str {
    match error {
        ProbeError::Illegal(_) => ILLEGAL,
        ProbeError::MissingTable { .. } | ProbeError::MissingFile { .. } => MISSING,
        ProbeError::TooManyMen { .. } => TOO_LARGE,
        ProbeError::Build(error) => of_build(error),
        ProbeError::Table(error) => of_table(error),
        _ => OTHER,
    }
}

fn of_fen_probe(error: &FenProbeError) -> &'static str {
    match error {
        FenProbeError::Fen(_) => ILLEGAL,
        FenProbeError::Probe(error) => of_probe(error),
        _ => OTHER,
    }
}

fn of_mine(error: &MineError) -> &'static str {
    match error {
        MineError::Solve(error) => of_build(error),
        MineError::Probe(error) => of_probe(error),
        MineError::Table(error) => of_table(error),
        MineError::Fen(_) => ILLEGAL,
        MineError::NoMetric { .. } | MineError::NoDepths { .. } => MISSING,
        _ => OTHER,
    }
}

fn of_line(error: &LineError) -> &'static str {
    match error {
        LineError::Probe(error) => of_probe(error),
        _ => INVALID,
    }
}

/// Each error of the library with the class it belongs to.
macro_rules! failures {
    ($($error:ty => $class:expr),* $(,)?) => {$(
        impl From<$error> for Failure {
            fn from(error: $error) -> Failure {
                let class: fn(&$error) -> &'static str = $class;
                Failure { class: class(&error), sentence: error.to_string() }
            }
        }
    )*};
}

failures! {
    TableError => of_table,
    BuildError => of_build,
    ProbeError => of_probe,
    FenProbeError => of_fen_probe,
    MineError => of_mine,
    LineError => of_line,
    FenError => |_| ILLEGAL,
    IllegalPosition => |_| ILLEGAL,
    MaterialError => |_| INVALID,
    QueryError => |_| INVALID,
    molien::UnknownName => |_| INVALID,
    molien::pawns::Error => |_| INVALID,
    arrow_schema::ArrowError => |_| OTHER,
    pythonize::PythonizeError => |_| OTHER,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.sentence)
    }
}
