//! What Python hands in, read.

use molien::{FenOptions, Material, Metric, Setup};

use crate::errors::Failure;

/// A position with its clocks.
pub fn setup(fen: &str) -> Result<Setup, Failure> {
    Ok(Setup::parse(fen, FenOptions::default())?)
}

/// Metrics by their names, each once.
pub fn metrics(names: &[String]) -> Result<Vec<Metric>, Failure> {
    let mut found: Vec<Metric> = Vec::with_capacity(names.len());
    for name in names {
        let metric = metric(name)?;
        if !found.contains(&metric) {
            found.push(metric);
        }
    }
    Ok(found)
}

/// A metric by its name.
pub fn metric(name: &str) -> Result<Metric, Failure> {
    Ok(Metric::from_name(name)?)
}

/// A material by its name.
pub fn material(name: &str) -> Result<Material, Failure> {
    Ok(name.parse()?)
}
