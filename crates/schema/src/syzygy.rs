//! Syzygy files: written and checked.

use serde::Serialize;

use crate::VERSION;

/// A file that was written.
#[derive(Clone, Debug, Serialize)]
pub struct SyzygyFileJson {
    /// The version of the fields.
    pub schema: u32,
    /// Its name.
    pub file: String,
    /// Where it lies.
    pub path: String,
    /// The material.
    pub material: String,
    /// Its size.
    pub bytes: u64,
}

impl SyzygyFileJson {
    /// A file.
    pub fn new(file: String, path: String, material: String, bytes: u64) -> SyzygyFileJson {
        SyzygyFileJson { schema: VERSION, file, path, material, bytes }
    }
}

/// A file that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct SyzygyCheckJson {
    /// The version of the fields.
    pub schema: u32,
    /// Its name.
    pub file: String,
    /// Whether nothing is wrong with it.
    pub ok: bool,
    /// What is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why its values were not compared, though that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub not_compared: Option<String>,
    /// The values, if they were compared.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub values: Option<SyzygyValuesJson>,
}

/// Values of a file beside ours.
#[derive(Clone, Debug, Serialize)]
pub struct SyzygyValuesJson {
    /// Values compared.
    pub compared: u64,
    /// Values that differ.
    pub wrong: u64,
    /// The first of them.
    pub first: Vec<WrongValueJson>,
}

/// A value that is wrong.
#[derive(Clone, Debug, Serialize)]
pub struct WrongValueJson {
    /// The position, if it stands for one.
    pub fen: String,
    /// What the file says.
    pub found: String,
    /// What is right.
    pub expected: String,
}

impl SyzygyCheckJson {
    /// A file with which nothing is wrong so far.
    pub fn new(file: String, ok: bool) -> SyzygyCheckJson {
        SyzygyCheckJson { schema: VERSION, file, ok, error: None, not_compared: None, values: None }
    }
}
