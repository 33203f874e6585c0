//! The program and Syzygy files: written, read and checked.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

/// An empty folder of a test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("syzygy-cli").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Runs the program in a folder, where its tables are, too.
fn molien(folder: &PathBuf, variable: Option<&str>, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_molien"));
    command.args(args).current_dir(folder).env("MOLIEN_TABLES", folder.join("tables"));
    match variable {
        Some(value) => command.env("SYZYGY_PATH", value),
        None => command.env_remove("SYZYGY_PATH"),
    };
    command.output().unwrap()
}

fn answer(folder: &PathBuf, args: &[&str]) -> String {
    let output = molien(folder, None, args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {errors}");
    assert_eq!(errors, "", "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn error(folder: &PathBuf, args: &[&str]) -> String {
    let output = molien(folder, None, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// A folder with the files of these materials under `syzygy`.
fn with_files(name: &str, materials: &[&str]) -> PathBuf {
    let folder = folder(name);
    let mut args = vec!["syzygy", "write"];
    args.extend(materials);
    args.extend(["--out", "syzygy", "--in-memory"]);
    let printed = answer(&folder, &args);
    assert_eq!(printed.lines().count(), 2 * materials.len());
    folder
}

/// White wins in 27 plies, and no move ends it sooner.
const ROOK: &str = "8/8/8/8/8/2k5/8/K6R w - -";

#[test]
fn rounded_plies_are_never_called_exact() {
    let folder = with_files("rounded", &["KRK"]);
    let probe = ["probe", "--syzygy", "syzygy", "--no-solve", ROOK];
    let text = answer(&folder, &probe);
    assert!(text.contains("White wins"), "{text}");
    assert!(text.contains("27 or 28"), "{text}");
    assert!(text.contains("14 moves") || text.contains("  14"), "{text}");
    assert!(text.contains("dtm is not known"), "{text}");
    let json: Json =
        serde_json::from_str(&answer(&folder, &[&probe[..], &["--json"]].concat())).unwrap();
    assert_eq!((&json["category"], &json["dtz50"]), (&"win".into(), &27.into()));
    assert_eq!((&json["dtz50_or"], &json["dtm"]), (&28.into(), &Json::Null));
    // Whether a win that takes 27 or 28 plies comes in time is open at 73.
    let late = format!("{ROOK} 73 100");
    let json = answer(&folder, &["probe", "--syzygy", "syzygy", "--no-solve", "--json", &late]);
    assert!(json.contains("\"category\":\"maybe-win\""), "{json}");
    let line = answer(&folder, &["line", "--syzygy", "syzygy", "--no-solve", ROOK]);
    assert!(line.contains("dtz50 27 or 28 plies"), "{line}");
    assert!(line.trim_end().ends_with("{mate}"), "{line}");
}

#[test]
fn exact_files_are_exact() {
    let folder = folder("exact");
    answer(&folder, &["syzygy", "write", "KRK", "--exact", "--out", "syzygy"]);
    let text = answer(&folder, &["probe", "--syzygy", "syzygy", "--json", ROOK]);
    let json: Json = serde_json::from_str(&text).unwrap();
    assert_eq!(json["dtz50"], 27);
    assert!(json.get("dtz50_or").is_none(), "{text}");
}

#[test]
fn the_engine_plays_from_them() {
    let folder = with_files("engine-option", &["KRK"]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_molien"));
    command.args(["uci", "--tables", "tables"]).current_dir(&folder).env_remove("SYZYGY_PATH");
    let mut engine = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let talk = format!(
        "setoption name SyzygyPath value nowhere\nsetoption name SyzygyPath value syzygy\n\
         position fen {ROOK} 0 1\ngo movetime 1000\n"
    );
    engine.stdin.take().unwrap().write_all(talk.as_bytes()).unwrap();
    let said = String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap();
    assert!(said.contains("info string SyzygyPath: "), "{said}");
    let line = said.lines().find(|line| line.contains(" score ")).expect("an answer");
    assert!(line.contains("score mate 14") && !line.contains("tbhits 0 "), "{said}");
}

#[test]
fn our_own_tables_come_first() {
    let folder = with_files("own-first", &["KRK"]);
    let probe = ["probe", "--syzygy", "syzygy", "--json", ROOK];
    // What the files answer is not solved, unless it is asked for.
    let json: Json = serde_json::from_str(&answer(&folder, &probe)).unwrap();
    assert_eq!((&json["dtz50_or"], &json["dtm"]), (&28.into(), &Json::Null));
    let dtm = answer(&folder, &[&probe[..], &["--metric", "dtm"]].concat());
    assert!(dtm.contains("\"dtm\":27"), "{dtm}");
    answer(&folder, &["solve", "KRK"]);
    let json: Json = serde_json::from_str(&answer(&folder, &probe)).unwrap();
    assert_eq!((&json["dtz50"], &json["dtm"]), (&27.into(), &27.into()));
    assert!(json.get("dtz50_or").is_none());
}

#[test]
fn the_environment_names_folders() {
    let folder = with_files("environment", &["KRK"]);
    let probe = ["probe", "--no-solve", "--json", ROOK];
    let output = molien(&folder, Some("nowhere:syzygy"), &probe);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("\"dtz50_or\":28"), "{text}");
    // An option that names a folder means it.
    let text = error(&folder, &["probe", "--no-solve", "--syzygy", "nowhere", ROOK]);
    assert!(text.contains("nowhere"), "{text}");
}

#[test]
fn a_missing_file_is_named_with_what_makes_it() {
    let folder = with_files("missing", &["KPK"]);
    let pawn = "8/P7/8/8/8/2k5/8/K7 w - -";
    let text = error(&folder, &["probe", "--syzygy", "syzygy", "--no-solve", pawn]);
    assert!(text.contains("vK.rtbw is missing (`molien syzygy write K"), "{text}");
    answer(&folder, &["syzygy", "write", "--men", "3", "--out", "syzygy"]);
    let text = answer(&folder, &["probe", "--syzygy", "syzygy", "--no-solve", pawn]);
    assert!(text.contains("White wins"), "{text}");
}

#[test]
fn damage_is_found_and_fails() {
    let folder = with_files("damage", &["KRK", "KBK"]);
    let text = answer(&folder, &["syzygy", "check", "syzygy"]);
    assert!(text.contains("4 files: 4 right, 0 wrong"), "{text}");
    let text = answer(&folder, &["syzygy", "check", "syzygy", "--values", "--json"]);
    let first: Json = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!((&first["ok"], &first["wrong"]), (&true.into(), &0.into()));
    let path = folder.join("syzygy/KRvK.rtbz");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&path, bytes).unwrap();
    let output = molien(&folder, None, &["syzygy", "check", "syzygy"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("KRvK.rtbz: the checksum does not fit"), "{text}");
    assert!(text.contains("4 files: 3 right, 1 wrong"), "{text}");
}

/// The engine plays what only Syzygy files know.
#[test]
fn the_engine_uses_them() {
    use std::io::Write as _;
    use std::process::Stdio;
    let folder = with_files("engine", &["KRK"]);
    let mut engine = Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(["uci", "--syzygy", "syzygy"])
        .current_dir(&folder)
        .env("MOLIEN_TABLES", folder.join("tables"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = engine.stdin.take().unwrap();
    input.write_all(format!("position fen {ROOK} 0 1\ngo depth 1\n").as_bytes()).unwrap();
    drop(input);
    let text = String::from_utf8(engine.wait_with_output().unwrap().stdout).unwrap();
    assert!(text.contains("bestmove") && text.contains("tbhits"), "{text}");
    let hits = text.split("tbhits ").nth(1).and_then(|rest| rest.split_whitespace().next());
    assert!(hits.is_some_and(|hits| hits != "0"), "{text}");
}

/// Every example of the help texts that needs no table of five men runs.
#[test]
fn help_examples_run() {
    let folder = folder("examples");
    let mut run = 0;
    for command in [&["syzygy"][..], &["syzygy", "write"], &["syzygy", "check"]] {
        let help = answer(&folder, &[command, &["--help"]].concat());
        let examples = help.lines().map(str::trim).filter(|line| line.starts_with("molien "));
        for example in examples.filter(|line| !line.contains("KRPKR") && !line.contains("--men")) {
            let command = example.split("   ").next().unwrap().replace('\'', "");
            let args: Vec<&str> = command.split_whitespace().skip(1).collect();
            if args[..2] == ["syzygy", "check"] {
                answer(&folder, &["syzygy", "write", "KQK", "--out", "syzygy"]);
            }
            answer(&folder, &args);
            run += 1;
        }
    }
    assert!(run >= 5, "{run}");
}
