//! Files in the binary.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use molien_board::{Color, Man, Role};
use molien_draw::man_svg;

use super::{problem_page, shown};
use crate::Problem;
use crate::reply::{Lasting, tagged};

const SCRIPT: &str = "text/javascript; charset=utf-8";
const FILES: [(&str, &str, &str); 7] = [
    ("style.css", "text/css; charset=utf-8", include_str!("../../web/style.css")),
    ("app.js", SCRIPT, include_str!("../../web/app.js")),
    ("board.js", SCRIPT, include_str!("../../web/board.js")),
    ("editor.js", SCRIPT, include_str!("../../web/editor.js")),
    ("fen.js", SCRIPT, include_str!("../../web/fen.js")),
    ("play.js", SCRIPT, include_str!("../../web/play.js")),
    ("tables.js", SCRIPT, include_str!("../../web/tables.js")),
];

/// `GET /web/NAME`.
pub(super) async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    match FILES.iter().find(|(known, ..)| *known == name) {
        Some((_, kind, text)) => tagged(&headers, kind, text.as_bytes().to_vec(), Lasting::Changes),
        None => problem_page(&Problem::NotFound(format!("There is no file {name}."))),
    }
}

/// The man of a picture's name, such as `wK.svg`.
fn named(name: &str) -> Option<Man> {
    let mut letters = name.strip_suffix(".svg")?.chars();
    let color = match letters.next()? {
        'w' => Color::White,
        'b' => Color::Black,
        _ => return None,
    };
    let role = Role::from_letter(letters.next()?)?;
    letters.next().is_none().then_some(Man::new(color, role))
}

/// `GET /men/NAME.svg`.
pub(super) async fn man(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let missing = || Problem::NotFound(format!("There is no man {name}."));
    let found = named(&name).ok_or_else(missing).map(|man| {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 100 100\">{}</svg>",
            man_svg(man)
        );
        tagged(&headers, "image/svg+xml", svg.into_bytes(), Lasting::Forever)
    });
    shown(found)
}
