//! The mining commands, run as a user runs them.

#[path = "shared/mod.rs"]
mod shared;

use std::process::Command;

use shared::{molien, run_examples, scratch, stdout};

#[test]
fn the_examples_of_every_help_text_run() {
    let folder = scratch("help");
    let commands = ["stats", "find", "free", "maxima", "zugzwangs", "only-moves", "export"];
    for command in commands {
        let help = stdout(&[command, "--help"]);
        let lines = help.lines().filter_map(|line| line.strip_prefix("  molien "));
        let count = run_examples(&folder, lines.map(str::to_owned));
        assert!(count >= 2, "{command} has {count} examples");
    }
    assert!(folder.join("KRK.svg").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn zugzwangs_are_listed_counted_and_limited() {
    assert_eq!(stdout(&["zugzwangs", "KRKN"]).lines().count(), 18);
    assert_eq!(stdout(&["zugzwangs", "KRKN", "--limit", "4"]).lines().count(), 4);
    assert_eq!(stdout(&["zugzwangs", "KNKR", "--type", "white-wins"]), "");
    let counts: serde_json::Value =
        serde_json::from_str(&stdout(&["zugzwangs", "KNKR", "--count", "--json"])).unwrap();
    assert_eq!(counts["black_wins"], 18);
    let listed = stdout(&["zugzwangs", "KRKB", "--json"]);
    for line in listed.lines() {
        let zugzwang: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(zugzwang["type"], "white-wins");
        assert_eq!(zugzwang["white_to_move"]["category"], "draw");
        assert!(zugzwang["black_to_move"]["dtm"].as_i64().unwrap() < 0);
    }
    assert_eq!(listed.lines().count(), 5);
}

#[test]
fn found_positions_stream_and_stop() {
    let query = "white to move and dtm = 31";
    assert_eq!(stdout(&["find", "KRK", query, "--limit", "7"]).lines().count(), 7);
    assert_eq!(stdout(&["find", "KRK", query]).lines().count(), 121);
    assert_eq!(stdout(&["find", "KRK", query, "--count"]), "121 positions\n");
    let line = stdout(&["find", "KRK", "K = a1 and k = c2 and R = h2 and btm", "--json"]);
    let hit: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(hit["fen"], "8/8/8/8/8/8/2k4R/K7 b - - 0 1");
    assert_eq!(hit["category"], "loss");
}

#[test]
fn mistakes_get_one_sentence_and_exit_code_two() {
    for (args, sentence) in [
        (&["find", "KRK", "win and"][..], "column 8"),
        (&["find", "KRK", "q = a1"], "KRK has no q"),
        (&["free", "8/8/8/8/8/2k5/8/K7 w - -", "--man", "x"], "'x' is not a man"),
        (&["free", "8/8/8 w - -", "--man", "R"], "3 of 8 ranks"),
        (&["stats", "KRK", "--plot", "KRK.gif"], ".svg or .png"),
        (&["export", "KRK", "--format", "csv", "--out", "no/such/folder.csv"], "no/such"),
        (&["maxima", "KXK"], "X"),
    ] {
        let output = molien(&std::env::temp_dir(), args);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
        assert!(errors.starts_with("error: ") && errors.lines().count() == 1, "{errors}");
        assert!(errors.contains(sentence), "{errors}");
    }
}

#[test]
fn statistics_as_csv_and_pictures() {
    let csv = stdout(&["stats", "KRK", "--csv"]);
    assert!(csv.contains("\nKRK,dtm,unique,white,31,121,0,0.00\n"), "{csv}");
    let folder = scratch("plots");
    for name in ["KRK.svg", "KRK.png"] {
        assert!(molien(&folder, &["stats", "KRK", "--plot", name]).status.success());
    }
    let svg = std::fs::read_to_string(folder.join("KRK.svg")).unwrap();
    assert!(svg.contains("White to move") && svg.contains("<rect"));
    assert!(std::fs::read(folder.join("KRK.png")).unwrap().starts_with(b"\x89PNG"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Adds up a Parquet file and compares it, row by row, with the CSV.
const READER: &str = "
import csv, sys
try:
    import pyarrow.parquet as parquet
except ImportError:
    print('no pyarrow'); sys.exit(0)
rows = parquet.read_table(sys.argv[1]).to_pylist()
text = lambda value: '' if value is None else str(value)
with open(sys.argv[2]) as file:
    plain = list(csv.DictReader(file))
assert [{k: text(v) for k, v in row.items()} for row in rows] == plain
print(len(rows), sum(row['category'] == 'win' for row in rows),
      max(row['dtm'] or 0 for row in rows), rows[0]['white_king'])
";

#[test]
fn parquet_is_read_back_by_another_program() {
    let folder = scratch("parquet");
    for (format, name) in [("parquet", "KRK.parquet"), ("csv", "KRK.csv")] {
        let args = ["export", "KRK", "--format", format, "--out", name];
        let output = molien(&folder, &args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let csv = std::fs::read_to_string(folder.join("KRK.csv")).unwrap();
    let header = "fen,turn,category,white_king,white_rook,black_king,dtm,dtc,dtz,dtz50";
    assert_eq!(csv.lines().next(), Some(header));
    assert_eq!(csv.lines().count(), 1 + 21_959 + 28_056);
    let python = std::env::var("MOLIEN_PYTHON").unwrap_or("python3".to_owned());
    let read = Command::new(python)
        .args(["-c", READER, "KRK.parquet", "KRK.csv"])
        .current_dir(&folder)
        .output();
    match read {
        Ok(output) if output.stdout == b"no pyarrow\n" => skip("no pyarrow"),
        Err(error) => skip(&format!("no python: {error}")),
        Ok(output) => {
            let errors = String::from_utf8_lossy(&output.stderr);
            let found = String::from_utf8_lossy(&output.stdout);
            assert_eq!(found.trim(), "50015 21959 31 a1", "{errors}");
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Without the independent reader the test passes, except in CI.
fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}
