//! The page as it comes from the server, before any script runs.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use molien_board::Material;
use molien_serve::{Config, Service, app};
use molien_table::Directory;

use crate::client::{get, get_with, patient, send};
use crate::mining::service;

const ROOK: &str = "/?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1";

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_is_in_the_first_html() {
    let page = get(&service(), ROOK).await;
    assert_eq!(page.status, StatusCode::OK);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let text = page.text();
    for part in [
        "White wins: mate in 14 moves with best play.",
        "data-uci=\"h1h4\"",
        "href=\"/?fen=8/8/8/8/7R/2k5/8/K7_b_-_-_1_1\"",
        "aria-label=\"a1, white king\"",
        "Best play",
        "class=\"histogram\"",
        "If Black were to move",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let plies = get(&service(), &format!("{ROOK}&units=plies&order=dtz")).await.text();
    assert!(plies.contains("mate in 27 plies"), "{plies}");
    let tag = page.header("etag").unwrap();
    let again = get_with(&service(), ROOK, header::IF_NONE_MATCH, tag).await;
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_unfurl_with_a_picture() {
    let request = Request::get(ROOK).header(header::HOST, "example.org:9000").body(Body::empty());
    let text = send(&service(), request.unwrap()).await.text();
    let picture = "http://example.org:9000/board.png?fen=8/8/8/8/8/2k5/8/K6R_w_-_-_0_1";
    assert!(text.contains(&format!("property=\"og:image\" content=\"{picture}\"")), "{text}");
    assert!(text.contains("property=\"og:title\" content=\"White wins"), "{text}");
    let png = get(&service(), "/board.png?fen=8/8/8/8/8/2k5/8/K6R_w").await;
    assert_eq!(png.header("content-type"), Some("image/png"));
    assert!(png.body.starts_with(b"\x89PNG"));
    let svg = get(&service(), "/board.svg?fen=8/8/8/8/8/2k5/8/K6R_w&flip=1").await;
    assert!(svg.text().starts_with("<svg "));
}

#[tokio::test(flavor = "multi_thread")]
async fn mistakes_are_shown_where_they_are() {
    for (fen, status, expected) in [
        ("8/8/8/8/8/2k5/2K5/7R_w", StatusCode::BAD_REQUEST, "data-wrong=\"c2 c3\""),
        ("8/8/8/8/8/2k5/8/K6P_w", StatusCode::BAD_REQUEST, "data-wrong=\"h1\""),
        ("hello", StatusCode::BAD_REQUEST, "ranks"),
        ("8/8/8/8/8/2k5/7N/K6R_w", StatusCode::OK, "molien solve"),
        ("2k5/8/8/8/pppppp2/8/PPPPPP2/K6R_w", StatusCode::OK, "Take men off the board"),
        ("<script>_w", StatusCode::BAD_REQUEST, "&lt;script&gt;"),
    ] {
        let page =
            get(&service(), &format!("/?fen={}", fen.replace('<', "%3c").replace('>', "%3e")))
                .await;
        assert_eq!(page.status, status, "{fen}: {}", page.text());
        assert!(page.text().contains(expected), "{fen}: {}", page.text());
        assert!(!page.text().contains("<script>_"), "{fen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_that_are_missing_say_what_they_take() {
    let folder = tempfile::tempdir().unwrap();
    let config = Config { solve_up_to_men: 0, ..patient() };
    let making = |material: Material| (material.len() < 6).then(|| "7 min".to_owned());
    let service = Service::of_folder(Directory::new(folder.path()), config);
    let service = app(service.telling_times(Arc::new(making)));
    for (path, is_told) in [
        ("/?fen=8/8/8/8/8/2k5/4P3/K6R_w_-_-", true),
        ("/endgame/KRPKR", true),
        ("/endgame/KRPPKR", false),
    ] {
        let text = get(&service, path).await.text();
        assert!(text.contains("molien solve K"), "{path}: {text}");
        assert_eq!(text.contains(" makes it: about 7 min on this machine."), is_told, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_is_there_and_small() {
    for path in ["/endgames", "/endgame/KRK", "/endgame/KRvK", "/find", "/study", "/about"] {
        assert_eq!(get(&service(), path).await.status, StatusCode::OK, "{path}");
    }
    for path in ["/nothing", "/web/nothing.js", "/men/xK.svg"] {
        assert_eq!(get(&service(), path).await.status, StatusCode::NOT_FOUND, "{path}");
    }
    let mut bytes = 0;
    for name in ["app", "board", "editor", "fen", "play", "tables"] {
        let script = get(&service(), &format!("/web/{name}.js")).await;
        assert_eq!(script.header("content-type"), Some("text/javascript; charset=utf-8"));
        bytes += script.body.len();
    }
    for man in ["wK", "wQ", "wR", "wB", "wN", "wP", "bK", "bQ", "bR", "bB", "bN", "bP"] {
        bytes += get(&service(), &format!("/men/{man}.svg")).await.body.len();
    }
    assert!(bytes < 60_000, "{bytes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn queries_and_games_need_no_scripts() {
    let found = get(&service(), "/find?material=KRK&query=wtm+and+dtm+%3D+31").await.text();
    assert_eq!(found.matches("<figure").count(), 24);
    let wrong = get(&service(), "/find?material=KRK&query=wtm+and").await;
    assert_eq!(wrong.status, StatusCode::BAD_REQUEST);
    assert!(wrong.text().contains("Query, column 8"), "{}", wrong.text());
    let game = "pgn=%5BFEN+%228/8/8/8/8/2k5/8/K6R+w+-+-+0+1%22%5D%0A%0A1.+Rh3%2B+Kc4+2.+Rc3%2B+*";
    let post = |body: String| {
        let kind = (header::CONTENT_TYPE, "application/x-www-form-urlencoded");
        Request::post("/study").header(kind.0, kind.1).body(Body::from(body)).unwrap()
    };
    let judged = send(&service(), post(game.to_owned())).await;
    assert_eq!(judged.status, StatusCode::OK, "{}", judged.text());
    assert!(judged.text().contains("2. Rc3+??"), "{}", judged.text());
    let saved = send(&service(), post(format!("{game}&format=pgn"))).await;
    assert_eq!(saved.header("content-type"), Some("application/x-chess-pgn"));
    assert!(saved.text().contains("Rc3+ $4"), "{}", saved.text());
}
