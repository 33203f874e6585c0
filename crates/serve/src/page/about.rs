//! What the numbers mean.

use axum::http::HeaderMap;
use axum::response::Response;
use maud::html;
use molien_values::Metric;

use super::view::{meaning, word};
use super::{html as reply, layout};

/// `GET /about`.
pub(super) async fn page(headers: HeaderMap) -> Response {
    let body = html! {
        h1 { "What the numbers mean" }
        p { "Every answer on these pages is exact: all positions of an endgame were worked out backwards from mate, \
             and each was checked by rules that somebody else wrote. \"Best play\" is best play." }
        dl {
            @for metric in Metric::ALL { dt { (word(metric)) } dd { (meaning(metric)) } }
            dt { "moves and plies" }
            dd { "A ply is a move of one side. \"Mate in 18\" counts the winner's moves." }
            dt { "the 50-move rule" }
            dd { "After 50 moves of both sides without a capture or a pawn move a player may claim a draw. \
                  The count stands in the FEN, and answers take it into account." }
            dt { "mutual zugzwang" }
            dd { "Whoever is to move is worse off than if the other side were." }
        }
        h2 { "Keys" }
        p { kbd { "space" } " plays the best move, " kbd { "backspace" } " takes a move back, " kbd { "f" }
            " flips the board. On the board, arrows move a cursor, a letter of KQRBNP (capital for White) places a man, \
             " kbd { "Enter" } " picks a man up and drops it, " kbd { "Delete" } " removes it." }
        h2 id="play" { "Playing it out" }
        p { "\"Play it out\" lets you play the side to move against the tables. After each move you are told what it cost. \
             The defence is the one that lasts longest, or the one that leaves you the fewest good answers." }
        h2 { "For programs" }
        p { "The same answers are there " a href="/api/v1/openapi.json" { "as JSON" }
            ", and at " code { "/standard" } " in the format of lichess' tablebase server." }
    };
    reply(&headers, layout::page("About · Molien", None, "/about", body))
}
