//! The real program: answers, errors, exit codes.

use std::process::{Command, Output};

use molien::{Directory, Pack};
use serde_json::Value as Json;

fn molien(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_molien"))
        .args(args)
        // Examples write files where they run.
        .current_dir(env!("CARGO_TARGET_TMPDIR"))
        // Not the user's own folder of tables.
        .env_remove("SYZYGY_PATH")
        .env("MOLIEN_TABLES", concat!(env!("CARGO_TARGET_TMPDIR"), "/cli-tables"))
        .output()
        .unwrap()
}

fn answer(args: &[&str]) -> String {
    let output = molien(args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{args:?}: {errors}");
    assert_eq!(errors, "", "{args:?}: progress is for terminals");
    String::from_utf8(output.stdout).unwrap()
}

fn json(args: &[&str]) -> Json {
    serde_json::from_str(&answer(args)).unwrap()
}

fn keys(value: &Json) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn stats_have_the_promised_fields() {
    let stats = json(&["stats", "KRK", "--json"]);
    let fields =
        ["material", "metric", "counting", "white_to_move", "black_to_move", "mutual_zugzwangs"];
    assert_eq!(keys(&stats)[1..7], fields);
    assert_eq!(stats["material"], "KRK");
    let side = &stats["white_to_move"];
    let fields = [
        "legal",
        "wins",
        "draws",
        "losses",
        "longest_win",
        "longest_loss",
        "win_plies",
        "loss_plies",
    ];
    assert_eq!(keys(side)[..8], fields);
    assert_eq!(side["longest_win"]["dtm"], 31);
    assert_eq!(stats["black_to_move"]["longest_loss"]["dtm"], -32);
    assert_eq!(side["longest_loss"], Json::Null);
    assert_eq!(stats["black_to_move"]["loss_plies"]["0"], 27);
    assert_eq!(keys(&stats["mutual_zugzwangs"]), ["white_wins", "black_wins", "full_point"]);
}

#[test]
fn countings_differ_as_published() {
    let wins = |counting| {
        let stats = json(&["stats", "KQKQ", "--counting", counting, "--json"]);
        stats["white_to_move"]["win_plies"]["15"].as_u64().unwrap()
    };
    assert_eq!(wins("nalimov"), 121_485);
    assert_eq!(wins("unique"), 119_308);
}

#[test]
fn answers_come_in_the_orientation_asked() {
    let queen = json(&["stats", "KQKR", "--json"]);
    let rook = json(&["stats", "KRKQ", "--json"]);
    assert_eq!(rook["material"], "KRKQ");
    assert_eq!(rook["black_to_move"]["wins"], queen["white_to_move"]["wins"]);
    assert_eq!(rook["black_to_move"]["longest_win"]["dtm"], 69);
    let fen = rook["black_to_move"]["longest_win"]["fen"].as_str().unwrap().to_owned();
    assert!(fen.contains('q') && fen.contains('R') && fen.contains(" b "), "{fen}");
    let probed = json(&["probe", &fen, "--json"]);
    assert_eq!(probed["dtm"], 69);
}

#[test]
fn probing_has_the_promised_fields_and_order() {
    // In memory: where dtm50 is stored, that is told too.
    let probed = json(&["--in-memory", "probe", "--json", "8/8/8/8/8/1k6/8/K6R w - -"]);
    let fields = ["schema", "fen", "side_to_move", "category", "checkmate", "stalemate"];
    assert_eq!(keys(&probed)[..6], fields);
    assert_eq!(keys(&probed)[6..], ["dtm", "dtc", "dtz", "dtz50", "moves"]);
    assert_eq!((&probed["category"], &probed["schema"]), (&"win".into(), &1.into()));
    let moves = probed["moves"].as_array().unwrap();
    let fields = ["uci", "san", "category", "zeroing", "checkmate", "stalemate"];
    assert_eq!(keys(&moves[0])[..6], fields);
    assert_eq!(keys(&moves[0])[6..], ["dtm", "dtc", "dtz", "dtz50"]);
    assert_eq!(moves[0]["san"], "Rc1");
    assert_eq!(moves[0]["category"], "loss");
    assert_eq!(moves[0]["dtm"].as_i64().unwrap(), 1 - probed["dtm"].as_i64().unwrap());
    let plies: Vec<i64> = moves.iter().map(|m| m["dtm"].as_i64().unwrap()).collect();
    assert!(plies.is_sorted_by(|a, b| a >= b), "{plies:?}");
}

#[test]
fn probing_in_one_metric_gives_that_and_no_other() {
    let fen = "8/8/8/8/8/2k3P1/8/K7 w - -";
    let (all, only) =
        (json(&["probe", "--json", fen]), json(&["probe", "--json", "--metric", "dtm", fen]));
    assert!(keys(&only).contains(&"dtm") && !keys(&only).contains(&"dtc"));
    assert_eq!((&only["dtm"], &only["category"]), (&all["dtm"], &all["category"]));
    let moves = |probed: &Json| -> Vec<(Json, Json)> {
        let moves = probed["moves"].as_array().unwrap().iter();
        moves.map(|m| (m["san"].clone(), m["dtm"].clone())).collect()
    };
    assert_eq!(moves(&only), moves(&all));
}

#[test]
fn mate_is_zero_and_draws_are_null() {
    let mated = json(&["probe", "--json", "8/8/8/8/8/8/1Q6/k1K5 b - -"]);
    assert_eq!((&mated["category"], &mated["dtm"]), (&"loss".into(), &0.into()));
    assert_eq!(mated["moves"], Json::Array(vec![]));
    let stalemate = json(&["probe", "--json", "8/8/8/8/8/1Q6/8/k1K5 b - -"]);
    assert_eq!((&stalemate["category"], &stalemate["dtz"]), (&"draw".into(), &Json::Null));
    let capture = json(&["probe", "--json", "8/8/8/8/8/8/kQ6/3K4 b - -"]);
    assert_eq!(capture["category"], "draw");
}

#[test]
fn solving_reports_each_table() {
    let text = answer(&["solve", "KQK", "KRK", "--metric", "dtm,dtc", "--json"]);
    let lines: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["material"], "KQK");
    assert_eq!(lines[0]["longest_white_win_plies"], 19);
    assert_eq!(lines[3]["metric"], "dtc");
}

#[test]
fn verifying_counts_what_it_checked() {
    let report = json(&["verify", "KRK", "--json"]);
    assert_eq!(report["ok"], true);
    assert_eq!(report["referee"]["exhaustive"], true);
    assert_eq!(report["referee"]["checked"], 50_015);
    // The planes hold mirror images on the long diagonal, too.
    assert_eq!(report["planes"][0]["checked"], 51_044);
}

/// One clear sentence on standard error, nothing on standard output, code 2.
fn refused(args: &[&str], expected: &str) {
    let output = molien(args);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{args:?}: {errors}");
    assert!(output.stdout.is_empty(), "{args:?}");
    assert!(errors.starts_with("error: "), "{args:?}: {errors}");
    assert_eq!(errors.lines().count(), 1, "{args:?}: {errors}");
    assert!(errors.contains(expected), "{args:?}: {errors}");
    // A cause is not told twice.
    let mut parts: Vec<&str> = errors.trim().split(": ").collect();
    parts.sort_unstable();
    assert!(parts.is_sorted_by(|a, b| a < b), "{args:?}: {errors}");
}

#[test]
fn bad_materials_are_refused() {
    refused(&["solve", "KXK"], "'X' is not a man");
    refused(&["solve", "KQ"], "exactly one king");
    refused(&["solve", "KKKQ"], "found 3 kings");
    refused(&["stats", "QKK"], "begins with its king");
    refused(&["stats", "KQQQQKRRRR"], "at most 8");
    refused(&["stats", "KQvR"], "'v'");
    refused(&["verify", "KQKR", "nonsense"], "'O' is not a man");
}

#[test]
fn bad_positions_are_refused() {
    refused(&["probe", "8/8 w - -"], "2 of 8 ranks");
    refused(&["probe", "8/8/8/8/8/2k5/8/K6R w K -"], "castling rights");
    refused(&["probe", "8/8/8/8/8/8/8/K6R w - -"], "Black has 0 kings");
    refused(&["probe", "8/8/8/8/8/8/kK6/8 w - -"], "next to each other");
    refused(&["probe", "8/8/8/8/8/2k5/8/2R1K3 w - -"], "in check");
    refused(&["probe", "8/8/8/8/8/2k5/8/K6P w - -"], "ranks 2 to 7");
    refused(&["probe", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - -"], "32 men");
    refused(&["probe", "8/8/8/8/8/2k5/8/K6X w - -"], "not a man");
}

#[test]
fn nonsense_pawn_endings_are_refused() {
    for command in ["explain", "search"] {
        refused(&[command, ""], "the FEN is empty");
        refused(&[command, "8/8/8/8/8/2k5/8/K6P w - -"], "ranks 2 to 7");
        refused(&[command, "8/ppppppp1/pp6/8/8/2k5/8/K7 w - -"], "9 are pawns");
        refused(&[command, "8/8/8/8/8/2k5/P7/8 w - -"], "White has 0 kings");
        refused(&[command, "8/8/8/8/8/2k5/P7/K6R w - -"], "there is a rook on h1");
        refused(&[command, "4k3/P7/8/8/8/8/8/4K3 w KQ -"], "castling rights");
        refused(&[command, "8/8/8/8/8/2k5/P7/K7 w - e3"], "en-passant square");
    }
    refused(&["explain", "8/8/8/8/8/2k5/8/K7 w - -"], "only the kings are left");
    refused(&["search", "8/8/8/8/8/2k5/P7/K7 w - -", "--time", "0"], "--time 0");
}

#[test]
fn a_search_has_the_promised_fields() {
    let found = json(&["search", "7K/8/k1P5/7p/8/8/8/8 w - -", "--json"]);
    let fields = ["schema", "fen", "side_to_move", "category", "best_move", "score", "depth"];
    assert_eq!(keys(&found)[..7], fields);
    assert_eq!(keys(&found)[7..], ["nodes", "seconds", "pv"]);
    assert_eq!(found["best_move"], "h8g7");
    assert_eq!(found["category"], "draw");
    assert_eq!(found["pv"][0], "h8g7");
    let starved =
        json(&["search", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - -", "--depth", "1", "--json"]);
    assert_eq!(starved["category"], Json::Null);
}

#[test]
fn bad_options_are_refused() {
    refused(&["stats", "KQK", "--metric", "dtx"], "use dtm, dtc, dtz, dtz50 or dtm50");
    refused(&["stats", "KQK", "--counting", "all"], "use unique, nalimov or stiller");
    refused(&["stats", "KQK", "--memory", "much"], "8G, 500M or 50%");
    refused(&["stats", "KQK", "--threads", "0"], "--threads");
    refused(&["export", "KQK", "--format", "xml", "--out", "-"], "use one of csv, parquet");
    refused(&["stats", "KQKR", "--in-memory", "--memory", "30M"], "the limit is 30 MiB");
    refused(&["stats", "KQRBKQRB"], "of memory");
    refused(&["verify", "KPK", "--promote", "queen"], "leave out --promote");
    refused(&["only-moves", "KRK", "--metric", "dtm50"], "depends on the clock");
    refused(&["solve", "KRNKNN", "--metric", "dtm50"], "with up to five men");
}

#[test]
fn a_wrong_command_shows_the_usage() {
    let output = molien(&["solv"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage"));
    assert_eq!(molien(&[]).status.code(), Some(2));
}

/// The examples in the help texts work as they stand.
#[test]
fn help_examples_run() {
    for command in ["solve", "stats", "probe", "verify"] {
        let help = answer(&[command, "--help"]);
        let examples: Vec<&str> =
            help.lines().map(str::trim).filter(|line| line.starts_with("molien ")).collect();
        assert!(!examples.is_empty(), "{command} has no example");
        // Five-man tables take seconds each: those examples are left out.
        for example in examples.iter().filter(|example| !example.contains("KBBKN")) {
            // Some examples are followed by a few words on what they do.
            let command = example.split("   ").next().unwrap_or(example);
            let line = command.replace('\'', "");
            let args: Vec<&str> = line.split_whitespace().skip(1).collect();
            answer(&args);
        }
    }
}

/// A line without the time at its end, which differs from run to run.
fn without_time(line: &str) -> &str {
    match line.strip_suffix(" s").and_then(|rest| rest.rsplit_once("  ")) {
        Some((start, time)) if time.parse::<f64>().is_ok() => start,
        _ => line,
    }
}

/// What the README shows is what the program prints.
#[test]
fn the_readme_is_true() {
    let readme = include_str!("../../../README.md");
    let blocks: Vec<&str> = readme.split("```console\n").skip(1).collect();
    assert_eq!(blocks.len(), 3);
    for block in blocks {
        let block = block.split("```").next().unwrap();
        let (command, expected) = block.split_once('\n').unwrap();
        let command = command.strip_prefix("$ molien ").unwrap();
        let (plain, quoted) = command.split_once('\'').unwrap_or((command, ""));
        let mut args: Vec<&str> = plain.split_whitespace().collect();
        args.extend(quoted.strip_suffix('\''));
        let printed = answer(&args);
        let lines = |text: &str| -> Vec<String> {
            text.lines().map(|line| without_time(line).to_owned()).collect()
        };
        assert_eq!(lines(&printed), lines(expected), "{command}");
    }
}

/// A table that is not there is not called right.
#[test]
fn verifying_stored_tables_only_needs_stored_tables() {
    let folder = concat!(env!("CARGO_TARGET_TMPDIR"), "/cli-nothing-stored");
    let _ = std::fs::remove_dir_all(folder);
    let verify = ["verify", "KRK", "--no-solve", "--tables", folder];
    let output = molien(&verify);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("`molien solve KRK` makes it"), "{errors}");
    // With --json the error stands where the answer would be.
    let output = molien(&[&verify[..], &["--json"]].concat());
    assert_eq!((output.status.code(), output.stderr), (Some(2), Vec::new()));
    let error: Json = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&error["schema"], &error["hint"]),
        (&1.into(), &"`molien solve KRK` makes it".into())
    );
    assert!(error["error"].as_str().unwrap().contains("there is no dtm table of KRK"), "{error}");
    answer(&["solve", "KRK", "--tables", folder]);
    assert!(answer(&verify).contains("KRK: ok"));
}

/// Two folders made in different ways hold the same bytes.
#[test]
fn equal_tables_are_equal_files() {
    let sums = |name: &str, solves: &[&[&str]]| {
        let folder = format!("{}/cli-sums-{name}", env!("CARGO_TARGET_TMPDIR"));
        let _ = std::fs::remove_dir_all(&folder);
        for solve in solves {
            answer(&[&["solve", "KRKN", "KPK", "--tables", &folder], *solve].concat());
        }
        answer(&["tables", "--checksums", "--tables", &folder])
    };
    let at_once = sums("at-once", &[&["--threads", "1"]]);
    let one_by_one = sums(
        "one-by-one",
        &[&["--metric", "dtz50"], &["--metric", "dtm"], &["--metric", "dtc,dtz", "--threads", "2"]],
    );
    assert_eq!(at_once, one_by_one);
    assert_eq!(at_once.lines().count(), 6);
    let line = at_once.lines().next().unwrap();
    assert_eq!((line.len(), &line[64..66]), (64 + 2 + "KBvK.mol".len(), "  "));
}

/// A new file of who wins alone is coded by learnt contexts, others quickly; one that is added
/// to as it was.
#[test]
fn how_new_files_are_coded() {
    let folder = format!("{}/cli-new-files", env!("CARGO_TARGET_TMPDIR"));
    let _ = std::fs::remove_dir_all(&folder);
    let directory = Directory::new(&folder);
    let pack = |name: &str| directory.open(name.parse().unwrap()).unwrap().pack();
    answer(&["solve", "KPK", "--metric", "wdl", "--tables", &folder]);
    assert_eq!(pack("KPK"), Pack::Fast);
    answer(&["solve", "KRK", "--metric", "dtm", "--tables", &folder]);
    assert_eq!(pack("KRK"), Pack::Fast, "it was there: KPK promotes to it");
    answer(&["solve", "KRK", "--metric", "wdl,dtm", "--rebuild", "--tables", &folder]);
    assert_eq!(pack("KRK"), Pack::QUICK);
}

/// However files are coded, their values are those published.
#[test]
fn fingerprints_do_not_depend_on_the_coding() {
    let prints = |pack: &str| {
        let folder = format!("{}/cli-fingerprints-{pack}", env!("CARGO_TARGET_TMPDIR"));
        let _ = std::fs::remove_dir_all(&folder);
        answer(&["solve", "KBBK", "KPK", "--pack", pack, "--tables", &folder]);
        answer(&["tables", "--fingerprints", "--tables", &folder])
    };
    let quick = prints("quick");
    assert_eq!(quick, prints("fast"));
    // KBK, KNK, KQK, KRK, KBBK and KPK in four metrics each.
    assert_eq!(quick.lines().filter(|line| line.ends_with("as published")).count(), 24, "{quick}");
}
