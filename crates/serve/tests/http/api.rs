//! Our own interface.

use axum::http::{StatusCode, header};
use molien_board::Material;
use molien_testing::Random;
use molien_values::Metric;
use serde_json::{Value as Json, json};

use crate::client::{fen, get, get_with, post, service, tables};

#[tokio::test(flavor = "multi_thread")]
async fn a_position_has_its_values_and_moves() {
    let uri = "/api/v1/position?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1&metric=dtm,dtc";
    let found = get(&service(), uri).await;
    assert_eq!(found.status, StatusCode::OK, "{}", found.text());
    let found = found.json();
    assert_eq!((&found["category"], &found["dtm"]), (&json!("win"), &json!(27)));
    assert!(found.get("dtz").is_none());
    assert_eq!(found["moves"].as_array().unwrap().len(), 15);
    assert_eq!(found["moves"][0]["category"], "loss");
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_answered_as_json() {
    for (uri, status, expected) in [
        ("/api/v1/position", StatusCode::BAD_REQUEST, "fen"),
        ("/api/v1/position?fen=hello", StatusCode::BAD_REQUEST, "of 8 ranks"),
        ("/api/v1/position?fen=4k3/8/8/8/8/8/8/4K2R_w_K_-", StatusCode::BAD_REQUEST, "castling"),
        ("/api/v1/position?fen=8/8/8/8/8/2k5/8/K6R_w&metric=dtx", StatusCode::BAD_REQUEST, "dtx"),
        ("/api/v1/line?fen=8/8/8/8/8/2k5/8/K6R_w&strategy=Q", StatusCode::BAD_REQUEST, "strategy"),
        ("/api/v1/line?fen=8/8/8/8/8/2k5/8/K6R_w&format=xml", StatusCode::BAD_REQUEST, "xml"),
        ("/api/v1/explain?fen=8/8/8/8/8/2k5/8/K6R_w", StatusCode::NOT_FOUND, "pawn"),
        ("/api/v1/solve?material=KQK", StatusCode::NOT_FOUND, "not solved here"),
        ("/api/v1/nothing", StatusCode::NOT_FOUND, "openapi"),
    ] {
        let answer = get(&service(), uri).await;
        assert_eq!(answer.status, status, "{uri}: {}", answer.text());
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(expected), "{uri}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_says_what_single_probes_do_in_order() {
    let mut random = Random::new(18);
    let materials: Vec<Material> =
        ["KQK", "KRK", "KPK"].iter().map(|name| name.parse().unwrap()).collect();
    let positions: Vec<_> = (0..700).map(|i| random.position(materials[i % 3])).collect();
    let mut lines: Vec<String> = positions.iter().map(ToString::to_string).collect();
    lines[350] = "nonsense".to_owned();
    let answer = post(&service(), "/api/v1/positions?metric=dtm", lines.join("\n")).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    let text = answer.text();
    let found: Vec<Json> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(found.len(), positions.len());
    for (i, (found, position)) in found.iter().zip(&positions).enumerate() {
        if i == 350 {
            assert_eq!(found["input"], "nonsense");
            continue;
        }
        let expected = tables().value(position, Metric::Dtm).unwrap();
        assert_eq!(found["dtm"], json!(expected.signed_plies()), "{position}");
    }
    let array = serde_json::to_string(&lines[..3]).unwrap();
    let answer = post(&service(), "/api/v1/positions?metric=dtm", array).await;
    assert_eq!(answer.text(), text.lines().take(3).map(|l| format!("{l}\n")).collect::<String>());
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_are_bounded() {
    let many = "8/8/8/8/8/2k5/8/K6R w\n".repeat(10_001);
    let answer = post(&service(), "/api/v1/positions", many).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", answer.text());
    assert!(answer.json()["error"].as_str().unwrap().contains("10000"));
    let long = vec![b'x'; 3 << 20];
    let answer = post(&service(), "/api/v1/positions", long).await;
    assert_eq!(answer.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", answer.text());
    let answer = post(&service(), "/api/v1/positions", "[1, 2]").await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.text());
    let answer = post(&service(), "/api/v1/positions", vec![0xff, 0xfe]).await;
    assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{}", answer.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_are_played_to_mate() {
    let uri = format!("/api/v1/line?fen={}", fen("8/8/8/8/8/2k5/8/K6R w - - 0 1"));
    let line = get(&service(), &uri).await.json();
    assert_eq!((&line["plies"], &line["end"]), (&json!(27), &json!("mate")));
    let pgn = get(&service(), &format!("{uri}&format=pgn")).await;
    assert_eq!(pgn.header("content-type"), Some("application/x-chess-pgn"));
    assert!(pgn.text().contains("[Result \"1-0\"]"), "{}", pgn.text());
}

/// Black is lost; the trickiest defence leaves White no more good answers than
/// any other that lasts half as long.
#[tokio::test(flavor = "multi_thread")]
async fn defences_are_long_or_tricky() {
    let asked = "8/8/8/8/8/2k5/7R/K7 b - - 0 1";
    let reply = |style: &str| {
        let uri = format!("/api/v1/reply?fen={}&style={style}", fen(asked));
        async move { get(&service(), &uri).await.json() }
    };
    let best = tables().moves(&asked.parse().unwrap()).unwrap();
    assert_eq!(reply("longest").await["uci"], best[0].played.to_string());
    let good = |text: &str| {
        let answers = tables().moves(&text.parse().unwrap()).unwrap();
        answers.iter().filter(|m| m.after.category == answers[0].after.category).count()
    };
    let tricky = reply("trickiest").await;
    let longest = reply("longest").await;
    let count = |reply: &Json| good(reply["fen"].as_str().unwrap().rsplitn(3, ' ').nth(2).unwrap());
    assert!(count(&tricky) <= count(&longest), "{tricky} {longest}");
    let over = get(&service(), "/api/v1/reply?fen=k7/8/1K6/8/8/8/8/R7_b").await;
    assert_eq!(over.status, StatusCode::OK);
}

#[tokio::test(flavor = "multi_thread")]
async fn pawn_endings_are_explained() {
    let found = get(&service(), "/api/v1/explain?fen=4k3/8/4K3/4P3/8/8/8/8_b_-_-").await.json();
    assert_eq!((&found["category"], &found["winner"]), (&json!("loss"), &json!("white")));
    assert!(!found["sentences"].as_array().unwrap().is_empty());
}

const GAME: &str = "[Event \"?\"]\n[SetUp \"1\"]\n[FEN \"8/8/8/8/8/2k5/8/K6R w - - 0 1\"]\n\
                    [Result \"1-0\"]\n\n1. Rh3+ Kc4 2. Rc3+ Kxc3 1-0\n";

#[tokio::test(flavor = "multi_thread")]
async fn games_are_judged() {
    let found = post(&service(), "/api/v1/study?max_men=3", GAME).await;
    assert_eq!(found.status, StatusCode::OK, "{}", found.text());
    let found = found.json();
    assert_eq!(found["games"].as_array().unwrap().len(), 1);
    assert!(found["pgn"].as_str().unwrap().contains("Rc3+"));
    let many = post(&service(), "/api/v1/study", GAME.repeat(101)).await;
    assert_eq!(many.status, StatusCode::PAYLOAD_TOO_LARGE, "{}", many.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_description_names_every_route() {
    let described = get(&service(), "/api/v1/openapi.json").await.json();
    let paths = described["paths"].as_object().unwrap();
    for path in [
        "position",
        "positions",
        "line",
        "reply",
        "free",
        "find",
        "zugzwangs",
        "maxima",
        "stats",
        "explain",
        "study",
        "tables",
        "solve",
    ] {
        assert!(paths.contains_key(&format!("/api/v1/{path}")), "{path}");
    }
    // Every path described is there: another method than its own is refused.
    for (path, methods) in paths {
        let is_post = methods.get("post").is_some();
        let answer = match is_post {
            true => get(&service(), path).await,
            false => post(&service(), path, "").await,
        };
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_carries_the_headers_of_a_public_service() {
    let uri = "/api/v1/position?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1";
    let answer = get_with(&service(), uri, header::ACCEPT_ENCODING, "zstd").await;
    assert_eq!(answer.header("content-encoding"), Some("zstd"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
    let policy = answer.header("content-security-policy").unwrap();
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let gzip = get_with(&service(), uri, header::ACCEPT_ENCODING, "gzip").await;
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
}
