//! The engine against a chess program somebody else wrote.

use std::path::Path;
use std::process::Command;

use molien_testing::oracle;

/// Games in a test run; the script plays 200 by default.
const GAMES: &str = "12";

/// python-chess plays won endings with the engine: see tests/uci_games.py.
#[test]
fn won_endings_are_won() {
    let Some(oracle) = oracle() else { return };
    let python = std::env::var("MOLIEN_PYTHON").unwrap_or("python3".to_owned());
    let has_chess = Command::new(&python).args(["-c", "import chess.engine"]).output();
    if !has_chess.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var_os("CI").is_none(), "python-chess is not installed");
        println!("skipped: python-chess is not installed");
        return;
    }
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/uci_games.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(env!("CARGO_BIN_EXE_molien"))
        .arg(oracle.join("syzygy/regular"))
        .arg(GAMES)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains(&format!("{GAMES} of {GAMES} wins kept")), "{text}");
}
