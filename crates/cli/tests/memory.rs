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

/// Tables of all sizes one after the other leave holes of all sizes. What waits in them is
/// given back, moved and used again, within the limit.
#[test]
fn solving_many_in_memory() {
    let tables = tempfile::tempdir().unwrap();
    let ran = molien(tables.path(), &["solve", "--men", "4", "--in-memory"], "120M");
    assert!(ran.success, "{}", ran.errors);
    assert!(ran.peak_bytes <= (120 << 20) / 20 * 21, "{}", ran.peak_bytes >> 20);
}

#[test]
fn storing() {
    check(&["solve", "KQKR"]);
    check(&["solve", "KRPK"]);
    check(&["solve", "KNNKN", "--metric", "dtc"]);
}

/// The names of a process's threads that solve, at this moment. Every pool numbers its own.
fn solving_threads(process: u32) -> Vec<String> {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Vec::new() };
    let name = |thread: std::fs::DirEntry| std::fs::read_to_string(thread.path().join("comm")).ok();
    let names = threads.flatten().filter_map(name).map(|name| name.trim().to_owned());
    names.filter(|name| name.starts_with("solve-")).collect()
}

/// Where nothing can be stored, tables are solved in memory, on no more threads than were
/// asked for.
#[test]
fn threads_are_kept_to_without_a_folder() {
    let scratch = tempfile::tempdir().unwrap();
    let file = scratch.path().join("a-file");
    std::fs::write(&file, "").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(["--backend", "cpu", "--threads", "1", "stats", "KQKR", "--metric", "dtm"])
        .arg("--tables")
        .arg(file.join("tables"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut seen = Vec::new();
    let status = loop {
        seen.extend(solving_threads(child.id()));
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    assert!(status.success());
    seen.sort();
    seen.dedup();
    assert_eq!(seen, ["solve-0"]);
}

/// The script that measures memory: with --in-memory it solves and leaves no file.
#[test]
fn the_script_measures_storing_and_solving_alone() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/memory.sh");
    let scratch = tempfile::tempdir().unwrap();
    for (flag, files) in [(None, "1"), (Some("--in-memory"), "0")] {
        let output = Command::new("bash")
            .arg(&script)
            .args(flag)
            .args(["--memory", "200M", "--threads", "1", "--metric", "dtm", "--scratch"])
            .args([scratch.path().as_os_str(), "KRK".as_ref()])
            .env("MOLIEN", env!("CARGO_BIN_EXE_molien"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{flag:?}: {errors}");
        let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
        let [names, row] = &rows[..] else { panic!("{text}") };
        let of = |name: &str| row[names.iter().position(|other| *other == name).unwrap()];
        assert_eq!([of("table"), of("files"), of("status")], ["KRK", files, "0"], "{text}");
    }
    assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 0, "nothing is left");
}
