//! What the user can do about an error, in the words of the command line.

use std::error::Error as StdError;
use std::path::Path;

use molien_board::{FenError, Material};
use molien_build::{BuildError, Storage, storage};
use molien_lines::LineError;
use molien_mine::MineError;
use molien_probe::ProbeError;
use molien_table::TableError;
use molien_values::ShelfError;
use molien_verify::VerifyError;

/// A hint, if there is one.
pub fn hint(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(of_cause)
}

/// Whether a stored table is damaged.
pub fn is_damage(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| table_error(cause).is_some_and(TableError::is_damage))
}

fn of_cause(cause: &(dyn StdError + 'static)) -> Option<String> {
    if let Some(FenError::Castling(_)) = cause.downcast_ref() {
        return Some("--ignore-castling does that".to_owned());
    }
    if let Some(material) = table_error(cause).and_then(damaged) {
        return Some(format!("`molien solve --rebuild {material}` makes it anew"));
    }
    if let Some(hint) = probe_error(cause).and_then(missing_hint) {
        return Some(hint);
    }
    if let Some(material) = missing(cause) {
        return solve_hint(material);
    }
    let memory = matches!(build_error(cause), Some(BuildError::Memory { .. }));
    memory.then(|| "--memory raises the limit".to_owned())
}

/// The command that makes what a probe misses, if there is one.
pub fn missing_hint(error: &ProbeError) -> Option<String> {
    match error {
        ProbeError::MissingFile { material, .. } => {
            Some(format!("`molien syzygy write {material} --out DIR` makes it"))
        }
        error => solve_hint(error.missing_table()?.0),
    }
}

fn solve_hint(material: Material) -> Option<String> {
    let stored = storage(material) != Storage::None;
    stored.then(|| format!("`molien solve {material}` makes it"))
}

/// The error of a probe inside another.
fn probe_error<'a>(cause: &'a (dyn StdError + 'static)) -> Option<&'a ProbeError> {
    cause
        .downcast_ref()
        .or_else(|| match cause.downcast_ref()? {
            MineError::Probe(error) => Some(error),
            _ => None,
        })
        .or_else(|| match cause.downcast_ref()? {
            LineError::Probe(error) => Some(error),
            _ => None,
        })
}

/// The error of a build inside another.
fn build_error<'a>(cause: &'a (dyn StdError + 'static)) -> Option<&'a BuildError> {
    if let Some(ProbeError::Build(error)) = probe_error(cause) {
        return Some(error);
    }
    cause
        .downcast_ref()
        .or_else(|| match cause.downcast_ref()? {
            MineError::Solve(error) => Some(error),
            _ => None,
        })
        .or_else(|| match cause.downcast_ref()? {
            VerifyError::Solve(error) => Some(error),
            _ => None,
        })
}

/// The error of a stored table inside another.
fn table_error<'a>(cause: &'a (dyn StdError + 'static)) -> Option<&'a TableError> {
    match (probe_error(cause), build_error(cause)) {
        (Some(ProbeError::Table(error)), _) => return Some(error),
        (_, Some(BuildError::Table(error))) => return Some(error),
        (_, Some(BuildError::Shelf(ShelfError::Read { source, .. }))) => {
            return source.downcast_ref();
        }
        _ => {}
    }
    cause
        .downcast_ref()
        .or_else(|| match cause.downcast_ref()? {
            MineError::Table(error) => Some(error),
            _ => None,
        })
        .or_else(|| match cause.downcast_ref()? {
            VerifyError::Table(error) => Some(error),
            _ => None,
        })
}

/// The material whose file is damaged.
fn damaged(error: &TableError) -> Option<Material> {
    let name = |path: &Path| path.file_stem()?.to_str()?.parse().ok();
    match error {
        TableError::Foreign { path }
        | TableError::Length { path, .. }
        | TableError::Checksum { path, .. }
        | TableError::Malformed { path, .. } => name(path),
        _ => None,
    }
}

/// The material whose table is not there.
fn missing(cause: &(dyn StdError + 'static)) -> Option<Material> {
    let told = probe_error(cause).and_then(ProbeError::missing_table).map(|(material, _)| material);
    told.or_else(|| match build_error(cause)? {
        BuildError::Missing { material, .. } => Some(*material),
        _ => None,
    })
}
