//! What is in the tables.

use std::sync::OnceLock;

use axum::Router;
use axum::http::StatusCode;
use molien_serve::{Config, Service, app};
use molien_table::Directory;
use serde_json::{Value as Json, json};
use tempfile::TempDir;

use crate::client::{get, patient};

/// A service that solves three men into a folder which all tests share.
pub fn service() -> Router {
    static SERVICE: OnceLock<(TempDir, Router)> = OnceLock::new();
    let make = || {
        let folder = tempfile::tempdir().unwrap();
        let config = Config { solve_up_to_men: 3, ..patient() };
        let service = app(Service::of_folder(Directory::new(folder.path()), config));
        (folder, service)
    };
    SERVICE.get_or_init(make).1.clone()
}

async fn lines(uri: &str) -> Vec<Json> {
    let answer = get(&service(), uri).await;
    assert_eq!(answer.status, StatusCode::OK, "{uri}: {}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_find_and_count() {
    let uri = "/api/v1/find?material=KRK&query=wtm+and+dtm+%3D+31";
    let found = lines(&format!("{uri}&limit=1000")).await;
    assert_eq!(lines(uri).await.len(), 100);
    assert!(found.iter().all(|hit| hit["dtm"] == 31 && hit["category"] == "win"), "{found:?}");
    let count = get(&service(), &format!("{uri}&count=true")).await.json();
    assert_eq!((&count["count"], found.len()), (&json!(121), 121));
    let files = [("fen", "8/8/"), ("csv", "fen,turn,category"), ("parquet", "PAR1")];
    for (format, begin) in files {
        let file = get(&service(), &format!("{uri}&limit=1000&format={format}")).await;
        assert!(file.text().starts_with(begin), "{format}: {}", file.text());
        assert!(file.header("content-disposition").unwrap().contains("KRvK."), "{format}");
    }
    let csv = get(&service(), &format!("{uri}&limit=1000&format=csv")).await;
    assert_eq!(csv.text().lines().count(), 122);
    assert_eq!(lines(&format!("{uri}&limit=2")).await.len(), 2);
    for (uri, expected) in [
        ("/api/v1/find?material=KRK&query=wtm+and", "query, column"),
        ("/api/v1/find?material=KXK&query=wtm", "not a man"),
        ("/api/v1/find?material=KRK&query=wtm&limit=0", "from 1 to 10000"),
    ] {
        let answer = get(&service(), uri).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{uri}");
        let error = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(error.contains(expected), "{uri}: {error}");
    }
    let missing = get(&service(), "/api/v1/find?material=KRKN&query=wtm").await;
    assert_eq!(missing.status, StatusCode::NOT_FOUND, "{}", missing.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn zugzwangs_are_listed() {
    let found = lines("/api/v1/zugzwangs?material=KPK").await;
    assert_eq!(found.len(), 80);
    assert!(found.iter().all(|zugzwang| zugzwang["type"] == "white-wins"));
    assert!(lines("/api/v1/zugzwangs?material=KPK&type=full-point").await.is_empty());
    let wrong = get(&service(), "/api/v1/zugzwangs?material=KPK&type=half").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn maxima_and_figures_agree() {
    let maxima = get(&service(), "/api/v1/maxima?material=KRK").await.json();
    let deepest = &maxima["maxima"][0];
    assert_eq!((&deepest["side_to_move"], &deepest["dtm"]), (&json!("white"), &json!(31)));
    let stats = get(&service(), "/api/v1/stats?material=KRK").await.json();
    let at_31 = &stats["white_to_move"]["win_plies"]["31"];
    assert_eq!(deepest["count"], *at_31);
    let wrong = get(&service(), "/api/v1/stats?material=KRK&counting=twice").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_free_man_is_tried_on_every_square() {
    let uri = "/api/v1/free?fen=8/8/8/8/8/2k5/8/K7_w_-_-&man=R";
    let found = get(&service(), uri).await.json();
    assert_eq!(found["squares"]["h1"]["dtm"], 27);
    let wrong = get(&service(), "/api/v1/free?fen=8/8/8/8/8/2k5/8/K7_w_-_-&man=x").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
}
