//! The interface of lichess' tablebase server.

use std::sync::Arc;

use axum::http::{StatusCode, header};
use molien_board::{Material, Position};
use molien_build::{Build, Making};
use molien_probe::chess::to_chess;
use molien_probe::{Failure, Source, Tablebase};
use molien_serve::{Service, app};
use molien_table::Directory;
use molien_testing::{Random, Syzygy, oracle};
use molien_values::{Metric, Values};
use serde_json::{Value as Json, json};

use crate::client::{fen, get, get_with, patient, service, tables};

async fn standard(text: &str) -> Json {
    let answer = get(&service(), &format!("/standard?fen={}", fen(text))).await;
    assert_eq!(answer.status, StatusCode::OK, "{text}: {}", answer.text());
    answer.json()
}

/// The value at a path such as `moves[0].san`.
fn at<'a>(json: &'a Json, path: &str) -> &'a Json {
    let pointer = path.replace(['[', '.'], "/").replace(']', "");
    json.pointer(&format!("/{pointer}")).unwrap_or_else(|| panic!("no {path}"))
}

fn men(fen: &str) -> usize {
    fen.split(' ').next().unwrap_or_default().chars().filter(char::is_ascii_alphabetic).count()
}

/// The tables that tests share, without the depths to mate of five men: those
/// take most of the time, and no expectation is about them.
struct MatesOfFew(Tablebase);

impl Source for MatesOfFew {
    fn holds(&self, material: Material, metric: Metric) -> bool {
        self.0.holds(material, metric)
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        let mut failures = Vec::new();
        for (position, found) in positions.iter().zip(found) {
            let told = |metric: &Metric| *metric != Metric::Dtm || position.occupied().len() < 5;
            let metrics: Vec<Metric> = metrics.iter().copied().filter(told).collect();
            let (values, failed) = self.0.values(&[*position], &metrics).unwrap();
            failures.extend(failed);
            *found = values[0];
        }
        failures
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn expectations_of_lichess_hold_up_to_five_men() {
    let Some(oracle) = oracle() else { return };
    let tables = match std::env::var_os("MOLIEN_EXHAUSTIVE") {
        Some(_) => tables(),
        None => Tablebase::new(Arc::new(MatesOfFew(tables()))),
    };
    let service = app(Service::of_tables(tables, patient()));
    let path = oracle.join("lichess-api/test_expectations.tsv");
    let text = std::fs::read_to_string(path).unwrap();
    let mut checked = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [position, path, expected] = line.split('\t').collect::<Vec<_>>()[..] else {
            panic!("{line}")
        };
        if men(position) > 5 {
            continue;
        }
        let answer = get(&service, &format!("/standard?fen={}", fen(position))).await;
        assert_eq!(answer.status, StatusCode::OK, "{position}: {}", answer.text());
        let found = answer.json();
        let found = match at(&found, path) {
            Json::String(text) => text.clone(),
            other => other.to_string(),
        };
        assert!(expected.split('|').any(|one| one == found), "{line}: {found}");
        checked += 1;
    }
    assert!(checked >= 23, "{checked}");
}

/// Their own example, whole: every field, and the order of the moves.
#[tokio::test(flavor = "multi_thread")]
async fn the_documented_example_is_answered_word_for_word() {
    let Some(oracle) = oracle() else { return };
    let path = oracle.join("lichess-api/tablebase-lookupStandard.json.yaml");
    let text = std::fs::read_to_string(path).unwrap();
    // The file is JSON with commas before closing brackets.
    let mut json = text.trim_start_matches("value:").replace(char::is_whitespace, "");
    for bracket in ["}", "]"] {
        json = json.replace(&format!(",{bracket}"), bracket);
    }
    let expected: Json = serde_json::from_str(&json).unwrap();
    assert_eq!(standard("4k3/6KP/8/8/8/8/7p/8 w - - 0 1").await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn depths_and_classes_agree_with_the_syzygy_files() {
    let Some(oracle) = oracle() else { return };
    let syzygy = Syzygy::open(&oracle);
    let mut random = Random::new(7);
    for name in ["KQK", "KPK", "KBNK", "KPKP", "KRKN"] {
        let material: Material = name.parse().unwrap();
        for _ in 0..40 {
            let position = random.position(material);
            let found = standard(&position.to_string()).await;
            let expected = syzygy.probe(&to_chess(&position).unwrap());
            let dtz = found["dtz"].as_i64().unwrap();
            let slack = if expected.rounded { dtz.signum() } else { 0 };
            let allowed = [i64::from(expected.dtz), i64::from(expected.dtz) + slack];
            assert!(allowed.contains(&dtz), "{position}: {dtz}, {expected:?}");
            let class = match expected.dtz {
                1..=100 => "win",
                101.. => "cursed-win",
                0 => "draw",
                -100..=-1 => "loss",
                _ => "blessed-loss",
            };
            assert_eq!(found["category"], class, "{position}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn positions_outside_the_tables_are_unknown() {
    // With the right to castle there is no depth, but moves that give it up
    // lead to the tables, and one of them wins.
    let castling = standard("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1").await;
    assert_eq!((&castling["category"], &castling["dtz"]), (&json!("win"), &Json::Null));
    let moves = castling["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 16);
    let castles = moves.iter().find(|m| m["san"] == "O-O-O").unwrap();
    assert_eq!((&castles["uci"], &castles["category"]), (&json!("e1c1"), &json!("loss")));
    let full = standard("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1").await;
    assert_eq!(full["category"], "unknown");
    assert_eq!(full["moves"].as_array().unwrap().len(), 20);
    // Mate needs no table.
    let mate = standard("6k1/5ppp/8/8/8/8/1PPPPPPP/R5K1 w - - 0 1").await;
    assert_eq!((&mate["category"], &mate["moves"][0]["san"]), (&json!("win"), &json!("Ra8#")));
    assert_eq!(mate["moves"][1]["category"], "unknown");
}

#[tokio::test(flavor = "multi_thread")]
async fn fens_are_read_leniently() {
    // Castling rights without a rook, an en-passant square without a pawn.
    let lenient = standard("4k3/8/8/8/8/8/8/Q3K3 w KQkq e3 0 1").await;
    assert_eq!(lenient, standard("4k3/8/8/8/8/8/8/Q3K3 w - - 0 1").await);
    let short = get(&service(), "/standard?fen=4k3/8/8/8/8/8/8/Q3K3%20w").await;
    assert_eq!(short.json(), lenient);
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_requests_get_a_sentence() {
    for (query, expected) in [
        ("", "the parameter fen is missing"),
        ("?fen=hello", "'hello' is not a FEN"),
        ("?fen=8/8/8/8/8/8/8/8_w_-_-_0_1", "illegal position"),
        ("?fen=4k3/8/8/8/8/8/8/4K3_w_-_-_0_1&dtc=perhaps", "perhaps"),
    ] {
        let answer = get(&service(), &format!("/standard{query}")).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{query}");
        assert!(answer.text().contains(expected), "{query}: {}", answer.text());
    }
    assert_eq!(get(&service(), "/crazyhouse?fen=x").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test(flavor = "multi_thread")]
async fn cbor_says_what_json_does() {
    let uri = "/standard?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1&dtc=always";
    let json = get(&service(), uri).await;
    assert_eq!(json.header("content-type"), Some("application/json"));
    assert_eq!((&json.json()["dtm"], &json.json()["dtc"]), (&json!(27), &json!(14)));
    let cbor = get_with(&service(), uri, header::ACCEPT, "application/cbor").await;
    assert_eq!(cbor.header("content-type"), Some("application/cbor"));
    let decoded: Json = ciborium::from_reader(cbor.body.as_slice()).unwrap();
    assert_eq!(decoded, json.json());
}

#[tokio::test(flavor = "multi_thread")]
async fn main_lines_end_with_mate_or_the_50_move_rule() {
    let line = |text: &str| {
        let uri = format!("/standard/mainline?fen={}", fen(text));
        async move { get(&service(), &uri).await }
    };
    let won = line("8/8/8/8/8/2k5/8/K6R w - - 0 1").await.json();
    assert_eq!((&won["winner"], &won["dtz"]), (&json!("w"), &json!(27)));
    let steps = won["mainline"].as_array().unwrap();
    assert_eq!(steps.len(), 27);
    assert_eq!(steps[26]["dtz"], -1);
    // Too late: the draw is claimed before mate.
    let late = line("8/8/8/8/8/2k5/8/K6R w - - 90 100").await.json();
    assert_eq!((&late["winner"], &late["dtz"]), (&Json::Null, &json!(27)));
    assert_eq!(late["mainline"].as_array().unwrap().len(), 10);
    let drawn = line("8/8/8/8/8/2k5/8/K6N w - - 0 1").await.json();
    assert_eq!(drawn, json!({ "mainline": [], "winner": null, "dtz": 0, "precise_dtz": 0 }));
    for (text, expected) in [
        ("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1", "castling"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "32 men"),
    ] {
        let answer = line(text).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND);
        assert!(answer.text().contains(expected), "{}", answer.text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_known_again() {
    let uri = "/standard?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1";
    let first = get(&service(), uri).await;
    let tag = first.header("etag").unwrap().to_owned();
    let second = get_with(&service(), uri, header::IF_NONE_MATCH, &tag).await;
    assert_eq!((second.status, second.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(second.header("etag"), Some(tag.as_str()));
}

/// Mate under the 50-move rule has a field of its own where it is stored, at the
/// count of the FEN.
#[tokio::test(flavor = "multi_thread")]
async fn mate_under_the_rule_is_told_where_it_is_stored() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let build = Build::new().with_folder(directory.clone());
    let metrics = [Metric::Dtm, Metric::Dtz50, Metric::Dtm50];
    build.store(&["KRK".parse().unwrap()], &metrics, &Making::default()).unwrap();
    let service = app(Service::of_folder(directory, patient()));
    for (clock, plies, after) in [(0, 27, -26), (73, 27, -26), (74, 0, 0), (100, 0, 0)] {
        let text = format!("8/8/8/8/8/2k5/8/K6R w - - {clock} 90");
        let answer = get(&service, &format!("/standard?fen={}", fen(&text))).await.json();
        assert_eq!((&answer["dtm"], &answer["dtm50"]), (&json!(27), &json!(plies)), "{text}");
        assert_eq!(answer["moves"][0]["dtm50"], after, "{text}");
    }
    // It is not solved for an answer.
    assert!(standard("8/8/8/8/8/2k5/8/K6R w - - 0 1").await.get("dtm50").is_none());
}
