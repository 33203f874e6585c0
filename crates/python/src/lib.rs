//! Molien for Python: the native module `molien._molien`.
//!
//! It is a thin layer: every answer is a type of crate `schema`, handed over as
//! plain dictionaries and lists, and the package around it (`python/molien`)
//! makes objects of them. Many values at once are Arrow record batches, handed
//! over through the C data interface without a copy.
//!
//! Long work runs on a thread of its own while the calling thread watches for
//! Ctrl-C and reports progress (`desk`); the interpreter is free meanwhile.

mod batch;
mod columns;
mod desk;
mod errors;
mod input;
mod many;
mod mined;
mod pictures;
mod stream;
mod tables;

use pyo3::prelude::*;

/// The native half of the package `molien`.
#[pymodule]
fn _molien(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<batch::Batch>()?;
    module.add_class::<batch::Column>()?;
    module.add_class::<stream::Stream>()?;
    module.add_class::<tables::Tables>()?;
    module.add_function(wrap_pyfunction!(pictures::board_svg, module)?)?;
    module.add_function(wrap_pyfunction!(mined::explain, module)?)?;
    module.add_function(wrap_pyfunction!(tables::default_folder, module)?)?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))
}
