//! Requests that nobody in his right mind would send.

use std::sync::Arc;

use axum::Router;
use axum::http::StatusCode;
use molien_board::Material;
use molien_mine::Query;
use molien_probe::{Sources, Tablebase};
use molien_serve::{Service, app};
use molien_testing::Random;

use crate::client::{get, patient, post};

/// A service without tables: what is refused needs none.
fn service() -> Router {
    let tables = Tablebase::new(Arc::new(Sources::new(Vec::new())));
    app(Service::of_tables(tables, patient()))
}

/// Texts that look a little like the given ones.
fn mutated(random: &mut Random, seeds: &[&str], letters: &[char]) -> String {
    let mut text: Vec<char> = random.choose(seeds).chars().collect();
    for _ in 0..1 + random.below(6) {
        let (at, letter) = (random.below(text.len() + 1), *random.choose(letters));
        match random.below(4) {
            0 if at < text.len() => text[at] = letter,
            1 if at < text.len() => drop(text.remove(at)),
            2 if at < text.len() => text.truncate(at),
            _ => text.insert(at, letter),
        }
    }
    text.into_iter().collect()
}

fn escaped(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn any_text_as_a_position_gets_an_answer() {
    let service = service();
    let mut random = Random::new(3);
    let seeds = [
        "8/8/8/8/8/2k5/8/K6R w - - 0 1",
        "8/2p5/8/1P6/8/8/k7/2K5 b - b6 99 4000000000",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "8/8/8/8/8/2k5/8/K6R w - - 0 1 moves h1h8 c3c4",
        "",
    ];
    let letters: Vec<char> = "/128kKqRbnPp wb-_%&?é♔\0\n'<a3h9".chars().collect();
    for _ in 0..400 {
        let text = mutated(&mut random, &seeds, &letters);
        for path in ["/standard", "/standard/mainline", "/", "/panel", "/more", "/board.svg"] {
            let answer = get(&service, &format!("{path}?fen={}", escaped(&text))).await;
            assert!(answer.status.as_u16() < 500, "{path} {text:?}: {}", answer.text());
        }
        let path = format!("/api/v1/free?fen={}&man=R", escaped(&text));
        assert!(get(&service, &path).await.status.as_u16() < 500, "{text:?}");
    }
}

#[test]
fn any_text_is_a_query_or_a_mistake_that_is_pointed_at() {
    let mut random = Random::new(4);
    let material: Material = "KRPKN".parse().unwrap();
    let seeds = [
        "white to move and dtm >= 30",
        "(k on edge or n in a1..c3) and not only-move",
        "distance N k = 3 and P on ranks 6..7 and R attacks k",
        "((((((((zugzwang))))))))",
    ];
    let letters: Vec<char> = "()andort=<>!.,0189 KkRré♔\0\n".chars().collect();
    for _ in 0..20_000 {
        let text = mutated(&mut random, &seeds, &letters);
        if let Err(error) = Query::parse(&text, material) {
            assert!((1..=text.chars().count() + 1).contains(&error.column), "{text:?}: {error}");
        }
    }
    let deep = "(".repeat(100_000);
    assert!(Query::parse(&deep, material).is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn any_body_gets_an_answer() {
    let service = service();
    let mut random = Random::new(5);
    for _ in 0..100 {
        let bytes: Vec<u8> = (0..random.below(300)).map(|_| random.number() as u8).collect();
        for path in ["/api/v1/positions", "/api/v1/study"] {
            let answer = post(&service, path, bytes.clone()).await;
            assert!(answer.status.as_u16() < 500, "{path} {bytes:?}: {}", answer.text());
        }
    }
    for text in ["[", "[\"", "[[[[", "{}", "[null]", "[\"8/8/8/8/8/2k5/8/K6R w\", 1]"] {
        let answer = post(&service, "/api/v1/positions", text).await;
        let is_refused = answer.status == StatusCode::BAD_REQUEST;
        // What is no array is taken as lines, each with its own mistake.
        assert!(is_refused || answer.text().contains("\"error\""), "{text}: {}", answer.text());
    }
}
