//! The service as others use it: in a browser, which `browser.py` drives, and
//! with a client written for lichess' server, in `client.py`.

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

fn python() -> String {
    std::env::var("MOLIEN_PYTHON").unwrap_or("python3".to_owned())
}

/// Whether what a test needs is installed. With `CI` set it has to be.
fn installed(package: &str, programs: &[&str]) -> bool {
    let imported = Command::new(python()).args(["-c", &format!("import {package}")]).output();
    let found = imported.is_ok_and(|output| output.status.success())
        && programs.iter().all(|path| Path::new(path).exists());
    if !found {
        assert!(std::env::var_os("CI").is_none(), "{package} or one of {programs:?} is missing");
        println!("skipped: {package} or one of {programs:?} is missing");
    }
    found
}

/// Runs a script of this folder against a service of its own.
fn run(script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let served = serve(folder.path());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(script);
    let output = Command::new(python()).arg(script).arg(&served.address).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    println!("{text}");
}

#[test]
fn the_page_works_in_a_browser() {
    if installed("selenium", &["/usr/bin/chromium", "/usr/bin/chromedriver"]) {
        run("browser.py");
    }
}

#[test]
fn clients_of_lichess_work_unchanged() {
    if installed("berserk", &[]) {
        run("client.py");
    }
}
