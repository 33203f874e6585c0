//! Names that are not known.

use thiserror::Error;

/// A word that names nothing, and the words that would.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{found}' is not a {what}: use {allowed}")]
#[non_exhaustive]
pub struct UnknownName {
    /// What was expected, such as `metric`.
    pub what: &'static str,
    /// The word found.
    pub found: String,
    /// The words allowed.
    pub allowed: &'static str,
}

impl UnknownName {
    /// The word `found` is no `what`; those `allowed` are.
    pub fn new(what: &'static str, found: &str, allowed: &'static str) -> UnknownName {
        UnknownName { what, found: found.to_owned(), allowed }
    }
}
