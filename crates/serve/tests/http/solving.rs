//! Tables that are solved when they are asked for.

use axum::http::StatusCode;
use molien_serve::{Config, Service, app};
use molien_table::Directory;
use serde_json::json;

use crate::client::{get, patient};

const KQK: &str = "/standard?fen=8/8/8/8/8/2k5/8/K6Q_w_-_-_0_1";

#[tokio::test(flavor = "multi_thread")]
async fn a_small_table_is_solved_once_and_stored() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let service = app(Service::of_folder(directory.clone(), patient()));
    let asked: Vec<_> = (0..8)
        .map(|_| {
            tokio::spawn({
                let service = service.clone();
                async move { get(&service, KQK).await }
            })
        })
        .collect();
    for answer in asked {
        let answer = answer.await.unwrap();
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
        assert_eq!(answer.json()["category"], "win");
    }
    let names: Vec<String> =
        directory.list().unwrap().iter().map(|table| table.material.to_string()).collect();
    assert_eq!(names, ["KQK"]);
    let monitor = get(&service, "/monitor").await.text();
    assert!(monitor.starts_with("tablebase cache="), "{monitor}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_solved_beyond_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { solve_up_to_men: 3, ..patient() };
    let service = app(Service::of_folder(Directory::new(folder.path()), config));
    let four = "/standard?fen=8/8/8/8/8/2k5/7R/K6R_w_-_-_0_1";
    let answer = get(&service, four).await;
    assert_eq!((answer.status, &answer.json()["category"]), (StatusCode::OK, &json!("unknown")));
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    assert!(std::fs::read_dir(folder.path()).unwrap().next().is_none());
    let none = Config { solve_up_to_men: 0, ..patient() };
    let service = app(Service::of_folder(Directory::new(folder.path()), none));
    assert_eq!(get(&service, KQK).await.json()["category"], "unknown");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_cannot_wait_is_told_to_ask_again() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { time_limit: std::time::Duration::ZERO, ..patient() };
    let service = app(Service::of_folder(Directory::new(folder.path()), config));
    let answer = get(&service, KQK).await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.text());
    assert!(answer.text().starts_with("KQK is being solved"), "{}", answer.text());
    let after: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!(after > 0);
    // It goes on, and the answer comes in the end.
    for _ in 0..600 {
        let answer = get(&service, KQK).await;
        if answer.status == StatusCode::OK {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("KQK was not solved");
}
