//! The engine against a chess program somebody else wrote.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use molien_testing::oracle;

/// Games in a test run. With `MOLIEN_GAMES` set, to a folder of tables with
/// those five-man endings that the script names, 200 games of up to five men.
const GAMES: &str = "40";

fn run(command: &mut Command) -> Output {
    command.output().expect("it starts")
}

/// A folder with the tables the games need.
fn tables() -> PathBuf {
    let folder = PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/uci-tables"));
    let mut solve = Command::new(env!("CARGO_BIN_EXE_molien"));
    solve.args(["--backend", "cpu", "--tables"]).arg(&folder);
    solve.args(["solve", "--metric", "dtm,dtz50", "KPK", "KBNK", "KRKP", "KQKP"]);
    let output = run(&mut solve);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// python-chess plays won and drawn endings with the engine: see
/// tests/uci_games.py.
#[test]
fn endings_end_as_they_should() {
    let Some(oracle) = oracle() else { return };
    let python = std::env::var("MOLIEN_PYTHON").unwrap_or("python3".to_owned());
    let has_chess = Command::new(&python).args(["-c", "import chess.engine"]).output();
    if !has_chess.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "python-chess is not installed");
        println!("skipped: python-chess is not installed");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/uci_games.py");
    let full = std::env::var_os("MOLIEN_GAMES").map(PathBuf::from);
    let mut games = Command::new(&python);
    games.arg(script).arg(env!("CARGO_BIN_EXE_molien"));
    games.arg(full.clone().unwrap_or_else(tables)).arg(oracle.join("syzygy/regular"));
    match full {
        Some(_) => games.arg("--five"),
        None => games.args(["--games", GAMES]),
    };
    let output = run(&mut games);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    println!("{text}");
}
