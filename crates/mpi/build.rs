//! Says which package is missing before others fail with less to say.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

fn main() -> ExitCode {
    println!("cargo::rerun-if-env-changed=MPICC");
    println!("cargo::rerun-if-env-changed=LIBCLANG_PATH");
    if std::env::var_os("CARGO_FEATURE_MPI").is_none() {
        return ExitCode::SUCCESS;
    }
    let compiler = std::env::var_os("MPICC").unwrap_or_else(|| "mpicc".into());
    if Command::new(&compiler).arg("-show").output().is_err() {
        eprintln!(
            "The feature `mpi` needs an MPI library, but there is no {}: install it (Debian: \
             apt install libopenmpi-dev openmpi-bin), or name its compiler in MPICC.",
            compiler.display()
        );
        return ExitCode::FAILURE;
    }
    if !has_libclang() {
        eprintln!(
            "The feature `mpi` needs libclang to read the headers of MPI: install it (Debian: \
             apt install libclang-dev), or name its folder in LIBCLANG_PATH."
        );
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Whether libclang is where it usually is. Where it is cannot be known everywhere, so
/// only Linux is looked at.
fn has_libclang() -> bool {
    if !cfg!(target_os = "linux") || std::env::var_os("LIBCLANG_PATH").is_some() {
        return true;
    }
    let folders = |folder: &str| -> Vec<PathBuf> {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).collect()
    };
    let named = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libclang.so") || name.starts_with("libclang-") && name.contains(".so")
    };
    let has = |folder: &Path| folders(&folder.to_string_lossy()).iter().any(|path| named(path));
    let plain = ["/usr/lib", "/usr/lib64", "/usr/local/lib", "/lib64"].map(PathBuf::from);
    let nested = folders("/usr/lib");
    let llvm = nested.iter().filter(|path| path.to_string_lossy().contains("llvm"));
    let llvm: Vec<PathBuf> = llvm.map(|path| path.join("lib")).collect();
    plain.iter().chain(&nested).chain(&llvm).any(|folder| has(folder))
}
