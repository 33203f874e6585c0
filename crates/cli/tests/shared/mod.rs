//! The program, run as a user runs it.
#![allow(dead_code, reason = "each test program uses some of it")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own for one test.
pub fn scratch(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("molien-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program in a folder, with tables that other tests may have made.
pub fn molien(folder: &Path, args: &[&str]) -> Output {
    let tables = Path::new(concat!(env!("CARGO_TARGET_TMPDIR"), "/mining-tables"));
    molien_with(tables, folder, args)
}

/// Runs the program in a folder, with these tables.
pub fn molien_with(tables: &Path, folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_molien"));
    command.env_remove("SYZYGY_PATH").env("MOLIEN_TABLES", tables);
    command.args(args).current_dir(folder).output().unwrap()
}

/// What the program prints.
pub fn stdout(args: &[&str]) -> String {
    let output = molien(&std::env::temp_dir(), args);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{args:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Splits a command line at blanks outside single quotes.
pub fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Runs the command lines of a text, each after the program's name.
pub fn run_examples(folder: &Path, lines: impl Iterator<Item = String>) -> usize {
    let mut count = 0;
    for line in lines {
        let words = words(&line);
        let args: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = molien(folder, &args);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "molien {line}: {errors}");
        assert!(!output.stdout.is_empty(), "molien {line}");
        count += 1;
    }
    count
}
