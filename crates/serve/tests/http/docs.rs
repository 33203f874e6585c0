//! The examples of docs/serve.md are what really comes out.

use crate::client::{get, post};
use crate::mining::service;

const DOCS: &str = include_str!("../../../../docs/serve.md");
const HOST: &str = "http://127.0.0.1:9000";

/// A command of the text and what it prints.
struct Example {
    uri: String,
    body: Option<String>,
    printed: String,
}

/// The text between quotes, in order.
fn quoted(command: &str) -> Vec<&str> {
    command.split('\'').skip(1).step_by(2).collect()
}

fn examples() -> Vec<Example> {
    let blocks = DOCS.split("```console\n").skip(1).filter_map(|rest| rest.split("```").next());
    let read = |block: &str| {
        let (command, printed) = block.split_once('\n').unwrap_or((block, ""));
        let command = command.strip_prefix("$ curl -s ").unwrap_or_else(|| panic!("{command}"));
        let quoted = quoted(command);
        let uri = quoted.last().and_then(|uri| uri.strip_prefix(HOST)).unwrap_or_default();
        let body = command.contains("--data-binary").then(|| quoted[0].to_owned());
        Example { uri: uri.to_owned(), body, printed: printed.trim_end().to_owned() }
    };
    blocks.map(read).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn examples_print_what_they_say() {
    let examples = examples();
    assert!(examples.len() >= 6);
    let mut wrong = String::new();
    for Example { uri, body, printed } in examples {
        let answer = match body {
            Some(body) => post(&service(), &uri, body).await,
            None => get(&service(), &uri).await,
        };
        let text = answer.text();
        if text.trim_end() != printed {
            wrong += &format!("{uri}\n{text}\n");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
