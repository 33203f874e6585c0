//! What a user meets on a bad day: damage, folders that cannot be written to,
//! work that takes too long.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

const ROOK: &str = "8/8/8/8/8/2k5/8/K6R w - -";

fn molien(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(args)
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        .env("MOLIEN_TABLES", concat!(env!("CARGO_TARGET_TMPDIR"), "/everyday-tables"))
        .output()
        .unwrap()
}

/// Exit code, standard output, standard error.
fn run(args: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = molien(args);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_damaged_table_is_called_so_and_made_anew() {
    let folder = scratch("everyday-damage");
    let tables = folder.to_str().unwrap();
    assert_eq!(run(&["solve", "KRK", "--tables", tables]).0, Some(0));
    let (_, listed, _) = run(&["tables", "--tables", tables]);
    assert!(listed.contains("unchecked") && !listed.contains("verified"), "{listed}");
    let file = folder.join("KRvK.mol");
    let sound = std::fs::read(&file).unwrap();
    let mut bytes = sound.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&file, bytes).unwrap();
    let (code, listed, _) = run(&["tables", "--check", "--tables", tables]);
    assert_eq!(code, Some(1));
    assert!(listed.contains("DAMAGED") && !listed.contains("checksums ok"), "{listed}");
    let (code, found, _) = run(&["verify", "KRK", "--tables", tables]);
    assert_eq!(code, Some(1), "{found}");
    assert!(found.contains("`molien solve --rebuild KRK` makes it anew"), "{found}");
    assert_eq!(run(&["solve", "KRK", "--rebuild", "--tables", tables]).0, Some(0));
    assert_eq!(std::fs::read(&file).unwrap(), sound);
    let (code, listed, _) = run(&["tables", "--check", "--json", "--tables", tables]);
    let listed: Json = serde_json::from_str(&listed).unwrap();
    assert_eq!((code, &listed["tables"][0]["state"]), (Some(0), &"checksums-ok".into()));
}

#[test]
fn a_folder_that_cannot_be_written_to_still_answers() {
    let file = scratch("everyday-unwritable").join("a-file");
    std::fs::write(&file, "").unwrap();
    let folder = file.join("tables");
    let (code, answer, notice) = run(&["probe", ROOK, "--tables", folder.to_str().unwrap()]);
    assert_eq!(code, Some(0), "{notice}");
    assert!(answer.starts_with("White wins: mate in "), "{answer}");
    assert_eq!(notice.matches("solving in memory instead").count(), 1, "{notice}");
}

/// A line that is no position, or none that can be, spoils no other.
#[test]
fn bad_lines_are_answered_in_place() {
    let folder = scratch("everyday-bulk");
    let lines = ["8/8/8/8/8/2k5/8/K6R b - -", "nonsense", "7R/8/8/8/8/8/K7/2k4R w - -", ROOK];
    std::fs::write(folder.join("fens"), lines.join("\n")).unwrap();
    let fens = folder.join("fens");
    let (code, answers, errors) =
        run(&["probe", "--in-memory", "--metric", "dtm", "--fens", fens.to_str().unwrap()]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let answers: Vec<Json> =
        answers.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 4);
    assert_eq!((&answers[0]["category"], &answers[3]["category"]), (&"loss".into(), &"win".into()));
    assert_eq!(answers[1]["input"], "nonsense");
    let illegal = answers[2]["error"].as_str().unwrap();
    assert!(illegal.contains("Black is in check"), "{illegal}");
}

/// As `molien export KRK --out - 2>&1 | head -0` does.
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let commands: [&[&str]; 3] = [
        &["export", "KRK", "--out", "-", "--metric", "dtm"],
        &["find", "KRK", "wtm"],
        &["probe", "no position"],
    ];
    for args in commands {
        let mut command = Command::new(env!("CARGO_BIN_EXE_molien"));
        command.args(["--tables", concat!(env!("CARGO_TARGET_TMPDIR"), "/everyday-tables")]);
        command.args(args).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        drop((running.stdout.take(), running.stderr.take()));
        let code = running.wait().unwrap().code();
        let expected = if args[0] == "probe" { 2 } else { 0 };
        assert_eq!(code, Some(expected), "{args:?}");
    }
}

#[test]
fn nothing_found_is_said() {
    let (code, out, said) = run(&["find", "KRK", "dtm = 33"]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert_eq!(said.lines().last(), Some("no position is like that"));
    let (_, out, said) = run(&["find", "KRK", "dtm = 31", "--limit", "1"]);
    assert!(!said.contains("no position"), "{said}");
    assert_eq!(out.matches("plies").count(), 1, "the depth that was asked for: {out}");
}

#[test]
fn several_folders_are_read() {
    let (full, empty) = (scratch("everyday-full"), scratch("everyday-empty"));
    let (full, empty) = (full.to_str().unwrap(), empty.to_str().unwrap());
    assert_eq!(run(&["solve", "KRK", "--metric", "dtm", "--tables", full]).0, Some(0));
    let folders = ["--tables", empty, "--tables", full, "--no-solve", "--threads", "100000"];
    let probe = ["probe", "--metric", "dtm", ROOK];
    let (code, answer, errors) = run(&[&probe[..], &folders].concat());
    assert_eq!(code, Some(0), "{errors}");
    assert!(answer.starts_with("White wins: mate in "), "{answer}");
    assert_eq!(std::fs::read_dir(empty).unwrap().count(), 0);
}

#[test]
fn long_work_is_refused_unless_it_was_asked_for() {
    let fen = "8/8/7k/1P5r/P7/6R1/6K1/8 w - -";
    for mode in [&["--in-memory"][..], &[]] {
        let (code, answer, errors) = run(&[&["probe", fen], mode].concat());
        assert_eq!((code, answer.as_str()), (Some(2), ""), "{errors}");
        assert!(errors.contains("give --yes to start") && errors.contains("of memory"), "{errors}");
    }
    // Mistakes on the command line are JSON too, where that is asked for.
    let (code, answer, errors) = run(&["probe", "--metric", "dtx", "--json", ROOK]);
    assert_eq!((code, errors.as_str()), (Some(2), ""));
    let answer: Json = serde_json::from_str(&answer).unwrap();
    assert!(
        answer["error"].as_str().unwrap().contains("dtm, dtc, dtz, dtz50 or dtm50"),
        "{answer}"
    );
}

/// Where there is no terminal, lines on standard error say how far the work is; the answer
/// is not touched.
#[test]
fn long_work_tells_how_far_it_is() {
    let solve = ["--in-memory", "--json", "--threads", "1", "stats", "KPKP", "--metric", "dtm"];
    let (code, quiet, errors) = run(&[&solve[..], &["--news", "0"]].concat());
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let (code, told, errors) = run(&[&solve[..], &["--news", "0.01"]].concat());
    assert_eq!(code, Some(0), "{errors}");
    let stats = |text: &str| serde_json::from_str::<Json>(text).unwrap()["white_to_move"].clone();
    assert!(stats(&quiet)["wins"].as_u64() > Some(0));
    assert_eq!(stats(&told), stats(&quiet));
    // Before the first wave there is no ply to tell.
    let is_news = |line: &str| line.contains(" dtm: ") && line.contains(" % decided after ");
    assert!(errors.contains(" dtm: ply ") && errors.lines().all(is_news), "{errors}");
    let (code, _, errors) = run(&["--news", "soon", "stats", "KPK"]);
    assert!(code == Some(2) && errors.contains("a number of seconds"), "{errors}");
}

/// Ten men, if nearly all of them are kings and pawns.
#[test]
fn a_wall_of_pawns_is_a_draw() {
    let probe = |fen| run(&["--in-memory", "--json", "probe", fen]);
    let (code, answer, errors) = probe("8/4k3/8/1p1p1p1p/1P1P1P1P/8/4K3/8 w - -");
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let answer: Json = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["category"], "draw", "{answer}");
    let (code, answer, _) = probe("8/4k3/8/pp1p1p1p/1P1P1P1P/8/4K3/8 w - -");
    assert_eq!(code, Some(2));
    assert!(answer.contains("11 men on the board, but at most 8 are supported, or 10"), "{answer}");
    let (code, answer, _) = probe("8/4k3/8/1p1r1r1r/1P1P1P2/8/4K3/8 w - -");
    assert!(code == Some(2) && answer.contains("9 men"), "{answer}");
}

/// Whether a process has set up what it does about signals.
fn listens(pid: u32) -> bool {
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let names = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("comm")).ok());
    names.into_iter().any(|name| name.trim() == "ctrl-c")
}

/// Checks of stored tables end at the first signal, with a sentence and the exit code of
/// what could not run.
#[test]
fn checks_can_be_interrupted() {
    let tables = scratch("interrupted-tables");
    let tables = tables.to_str().unwrap();
    let solve = ["--tables", tables, "solve", "KQKR", "--metric", "dtm,dtc"];
    assert_eq!(run(&solve).0, Some(0));
    let commands: [(&[&str], &str); 3] = [
        (&["verify", "KQKR", "--metric", "dtm,dtc"], "error: checking KQKR was interrupted\n"),
        (&["tables", "--check"], "reading was interrupted\n"),
        (&["tables", "--fingerprints"], "reading was interrupted\n"),
    ];
    for (command, sentence) in commands {
        let mut child = Command::new(env!("CARGO_BIN_EXE_molien"))
            .args(["--threads", "1", "--tables", tables, "--no-solve"])
            .args(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !listens(child.id()) {
            assert!(child.try_wait().unwrap().is_none(), "{command:?} ended by itself");
            std::thread::yield_now();
        }
        let pid = child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let Output { status, stdout, stderr } = child.wait_with_output().unwrap();
        let errors = String::from_utf8(stderr).unwrap();
        assert!(status.code() == Some(2) && errors.ends_with(sentence), "{command:?}: {errors}");
        assert_eq!(errors.lines().count(), 1, "{command:?}: {errors}");
        // Small tables may have been read before the signal came.
        let answer = String::from_utf8(stdout).unwrap();
        assert!(!answer.contains("KQKR"), "{command:?}: {answer}");
    }
}

/// On a terminal a bar shows how far the reading of tables is; there is none with --json.
#[test]
fn fingerprints_show_how_far_they_are() {
    let tables = scratch("fingerprinted-tables");
    let tables = tables.to_str().unwrap();
    assert_eq!(run(&["--tables", tables, "solve", "KPK", "--metric", "dtm"]).0, Some(0));
    let on_a_terminal = |more: &str| {
        let program = env!("CARGO_BIN_EXE_molien");
        let command = format!("'{program}' --tables '{tables}' {more} tables --fingerprints");
        let output = Command::new("script").args(["-qec", &command, "/dev/null"]).output().ok()?;
        assert!(output.status.success(), "{command}");
        Some(String::from_utf8(output.stdout).unwrap())
    };
    let Some(shown) = on_a_terminal("") else {
        println!("skipped: `script`, which makes terminals, is missing");
        return;
    };
    assert!(shown.contains("KPK dtm") && shown.contains(" % of the table"), "{shown}");
    assert!(shown.contains("as published"), "{shown}");
    let json = on_a_terminal("--json").unwrap();
    assert!(!json.contains('%') && json.contains("\"as_published\":true"), "{json}");
    let (code, plain, errors) = run(&["--tables", tables, "tables", "--fingerprints"]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(!plain.contains('%'), "{plain}");
}

/// The bytes in a column of a row of `tables --sizes`.
fn size_in(sizes: &str, row: &str, column: &str) -> u64 {
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let column = cells(sizes.lines().next().unwrap()).iter().position(|name| name == column);
    let named = |line: &&str| line.starts_with(&format!("| {row} |"));
    let row = cells(sizes.lines().find(named).unwrap());
    row[column.unwrap()].replace(',', "").parse().unwrap()
}

#[test]
fn totals_of_one_side_are_what_one_sided_files_take() {
    let sizes = |name: &str, how: &[&str]| {
        let folder = scratch(name);
        let tables = ["--tables", folder.to_str().unwrap()];
        let solve = ["solve", "KQK", "KRK", "--metric", "dtm"];
        assert_eq!(run(&[&solve[..], how, &tables].concat()).0, Some(0));
        run(&[&["tables", "--sizes"][..], &tables].concat()).1
    };
    let both = sizes("everyday-sizes", &["--pack", "fast"]);
    let one = sizes("everyday-sizes-one", &["--sides", "one"]);
    for column in ["wdl", "dtm"] {
        assert_eq!(size_in(&one, "all", column), size_in(&both, "all, one side", column));
    }
    let rows = ["KQvK", "KRvK"].map(|row| size_in(&both, row, "dtm"));
    assert_eq!(size_in(&both, "all", "dtm"), rows.iter().sum::<u64>());
    assert!(size_in(&both, "all, one side", "dtm") < size_in(&both, "all", "dtm"), "{both}");
    // One side was left out; nothing more can be.
    assert!(!one.contains("all, one side"), "{one}");
}

#[test]
fn totals_count_equal_metrics_in_full() {
    let folder = scratch("everyday-sizes-equal");
    let tables = ["--tables", folder.to_str().unwrap()];
    let solve = ["solve", "KRK", "--metric", "dtc,dtz", "--pack", "fast"];
    assert_eq!(run(&[&solve[..], &tables].concat()).0, Some(0));
    let (_, sizes, _) = run(&[&["tables", "--sizes"][..], &tables].concat());
    // Without pawns a zeroing move is a conversion.
    assert_eq!(size_in(&sizes, "all", "dtz"), size_in(&sizes, "KRvK", "dtc"));
    assert!(sizes.contains("| = |"), "{sizes}");
}
