//! The page in a real browser, which `browser.py` drives.

#![cfg(all(feature = "serve", target_os = "linux"))]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The service as a process; it ends with the test.
struct Served {
    process: Child,
    address: String,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn serve(folder: &Path) -> Served {
    let mut process = Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(["serve", "--listen", "127.0.0.1:0", "--backend", "cpu", "--tables"])
        .arg(folder)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
    // "listening on http://127.0.0.1:PORT, tables in FOLDER"
    let address = line.split(' ').nth(2).unwrap_or_default().trim_end_matches(',').to_owned();
    assert!(address.starts_with("http://127.0.0.1:"), "{line}");
    Served { process, address }
}

/// Whether there is a browser to test with. With `CI` set there has to be.
fn has_browser() -> bool {
    let has = |path: &str| Path::new(path).exists();
    let selenium = Command::new("python3").args(["-c", "import selenium"]).output();
    let found = has("/usr/bin/chromium")
        && has("/usr/bin/chromedriver")
        && selenium.is_ok_and(|output| output.status.success());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "chromium, its driver or selenium is missing");
        eprintln!("skipped: chromium, its driver or selenium is missing");
    }
    found
}

#[test]
fn the_page_works_in_a_browser() {
    if !has_browser() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let served = serve(folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser.py");
    let output = Command::new("python3").arg(script).arg(&served.address).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
}
