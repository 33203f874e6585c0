//! The real program keeps to its memory limit, and says which would do.
#![cfg(target_os = "linux")]

use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How a run ended.
struct Ran {
    success: bool,
    errors: String,
    /// The most memory it took.
    peak_bytes: u64,
}

/// The peak so far of a process that is still running.
fn peak_bytes(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    Some(kib << 10)
}

fn molien(tables: &Path, args: &[&str], limit: &str) -> Ran {
    let mut child = Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(args)
        .args(["--memory", limit, "--threads", "2", "--backend", "cpu"])
        .env("MOLIEN_TABLES", tables)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_bytes(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let mut errors = String::new();
    child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
    Ran { success: status.success(), errors, peak_bytes: peak }
}

/// The limit that a refusal says would do, in MiB.
fn needed_mib(errors: &str) -> u64 {
    let said = errors.split("needs about ").nth(1).unwrap_or_else(|| panic!("{errors}"));
    said.split(' ').next().unwrap().parse().unwrap()
}

/// Too little is refused with what would do; that does, and is kept within a
/// twentieth.
fn check(args: &[&str]) {
    let tables = tempfile::tempdir().unwrap();
    let refused = molien(tables.path(), args, "25M");
    assert!(!refused.success, "{args:?}");
    assert!(refused.peak_bytes <= 25 << 20, "{args:?}: refused after {}", refused.peak_bytes);
    let needed = needed_mib(&refused.errors);
    let ran = molien(tables.path(), args, &format!("{needed}M"));
    assert!(ran.success, "{args:?} with {needed}M: {}", ran.errors);
    let most = (needed << 20) / 20 * 21;
    assert!(ran.peak_bytes <= most, "{args:?} with {needed}M took {}", ran.peak_bytes >> 20);
}

#[test]
fn solving_in_memory() {
    check(&["stats", "KQKR", "--metric", "dtm", "--in-memory"]);
    check(&["stats", "KPKP", "--metric", "dtc", "--in-memory"]);
    check(&["stats", "KRBKR", "--metric", "dtm", "--in-memory"]);
}

#[test]
fn storing() {
    check(&["solve", "KQKR"]);
    check(&["solve", "KRPK"]);
    check(&["solve", "KNNKN", "--metric", "dtc"]);
}
