//! The program itself: every example of the help texts of `line`, `study`,
//! `reproduce` and `probe` runs.

use std::path::PathBuf;
use std::process::{Command, Output};

fn molien(args: &[String], folder: &PathBuf) -> Output {
    Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(args)
        .current_dir(folder)
        .env_remove("SYZYGY_PATH")
        .env("MOLIEN_TABLES", concat!(env!("CARGO_TARGET_TMPDIR"), "/lines-tables"))
        .output()
        .unwrap()
}

/// Splits a command line of an example, quotes included.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    let words = |(i, part): (usize, &str)| match i % 2 {
        0 => part.split_whitespace().map(str::to_owned).collect::<Vec<_>>(),
        _ => vec![part.to_owned()],
    };
    parts.flat_map(words).collect()
}

fn examples(command: &str, folder: &PathBuf) -> Vec<Vec<String>> {
    let help = molien(&[command.to_owned(), "--help".to_owned()], folder);
    let text = String::from_utf8(help.stdout).unwrap();
    let lines = text.lines().filter_map(|line| line.trim().strip_prefix("molien "));
    lines.filter(|line| line.starts_with(command)).map(split).collect()
}

/// A folder with a file of studies.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    let studies = "[Event \"Study\"]\n[Result \"1-0\"]\n[FEN \"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1\"]\n\n\
        1. c7 Rd6+ 2. Kb5 1-0\n";
    std::fs::write(folder.join("studies.pgn"), studies).unwrap();
    folder
}

#[test]
fn every_example_runs() {
    let folder = folder("examples");
    for command in ["line", "study", "probe"] {
        let examples = examples(command, &folder);
        assert!(examples.len() >= 2, "{command} has no examples");
        for args in examples {
            let output = molien(&args, &folder);
            let error = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(output.status.success(), "{args:?}: {error}");
            assert!(!output.stdout.is_empty(), "{args:?}");
        }
    }
    assert!(folder.join("annotated.pgn").exists());
    // Of `reproduce` the small one; the others take a minute.
    let args = examples("reproduce", &folder).remove(0);
    assert!(molien(&args, &folder).status.success());
}

#[test]
fn json_and_exit_codes() {
    let folder = folder("codes");
    let run = |line: &str| molien(&split(line), &folder);
    let line = run("line --json '8/8/8/8/8/1K6/7R/k7 w - -'");
    let found: serde_json::Value = serde_json::from_slice(&line.stdout).unwrap();
    assert_eq!(found["moves"][0]["san"], "Rh1#");
    assert_eq!(found["moves"][0]["dtm"], 1);
    assert_eq!(run("line --white X '8/8/8/8/8/1K6/7R/k7 w - -'").status.code(), Some(2));
    assert_eq!(run("study none.pgn").status.code(), Some(2));
    assert_eq!(run("reproduce thompson --table 9").status.code(), Some(2));
    std::fs::write(folder.join("bad.pgn"), "[Event \"x\"]\n\n1. e5 *\n").unwrap();
    let bad = run("study bad.pgn");
    assert_eq!(bad.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&bad.stdout).contains("game 1, line 3"));
}
