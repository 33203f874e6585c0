//! Answers from Syzygy files, where nothing else is stored.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use molien_board::Material;
use molien_probe::chess::to_chess;
use molien_probe::{Source, Sources, StoredTables, Tablebase};
use molien_serve::{Config, Service, app};
use molien_syzygy::{SyzygyFolder, SyzygyTables};
use molien_table::Directory;
use molien_testing::{Random, Syzygy, oracle};
use serde_json::Value as Json;

use crate::client::{fen, get, patient};

/// A folder without tables, and Syzygy files behind it.
fn service(folder: &std::path::Path, files: &std::path::Path) -> Router {
    let directory = Directory::new(folder);
    let stored: Arc<dyn Source> = Arc::new(StoredTables::new(directory.clone()));
    let files = Arc::new(SyzygyTables::new(SyzygyFolder::open(&[files.to_owned()]).unwrap()));
    let nothing: Arc<dyn Source> = Arc::new(Sources::new(Vec::new()));
    let tables = Tablebase::new(Arc::new(Sources::new(vec![stored, files.before(nothing)])));
    let config = Config { solve_up_to_men: 0, ..patient() };
    app(Service::of_sources(directory, tables, config))
}

#[tokio::test(flavor = "multi_thread")]
async fn syzygy_files_answer_what_is_not_stored() {
    let Some(oracle) = oracle() else { return };
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), &oracle.join("syzygy/regular"));
    let syzygy = Syzygy::open(&oracle);
    let mut random = Random::new(9);
    let mut rounded = 0;
    for name in ["KRK", "KBNK", "KPKP", "KNKP"] {
        let material: Material = name.parse().unwrap();
        for _ in 0..25 {
            let position = random.position(material);
            let answer =
                get(&service, &format!("/standard?fen={}", fen(&position.to_string()))).await;
            assert_eq!(answer.status, StatusCode::OK, "{}", answer.text());
            let found = answer.json();
            let expected = syzygy.probe(&to_chess(&position).unwrap());
            assert_eq!(found["dtz"], expected.dtz, "{position}");
            // There are no other depths, and what may be off by one is not precise.
            assert_eq!(found["dtm"], Json::Null, "{position}");
            let precise = &found["precise_dtz"];
            assert!(*precise == found["dtz"] || precise.is_null(), "{position}: {found}");
            rounded += usize::from(precise.is_null());
        }
    }
    assert!(rounded > 0, "no depth was rounded");
    let page = get(&service, "/?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1").await;
    assert_eq!(page.status, StatusCode::OK, "{}", page.text());
    assert!(page.text().contains("White wins"), "{}", page.text());
}
