//! What all pages have around them.

use maud::{DOCTYPE, Markup, html};

/// What the script `app.js` imports.
const MODULES: [&str; 5] = ["board", "editor", "fen", "play", "tables"];

/// A picture and a description for links to a page.
pub(super) struct Card {
    /// In a sentence.
    pub description: String,
    /// The whole address of the page.
    pub address: String,
    /// The whole address of the picture.
    pub picture: String,
}

/// A whole page. `here` is the address of its entry in the menu.
pub(super) fn page(title: &str, card: Option<&Card>, here: &str, body: Markup) -> Markup {
    let menu = [
        ("/", "Position"),
        ("/endgames", "Endgames"),
        ("/find", "Find"),
        ("/study", "Study"),
        ("/about", "About"),
    ];
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                meta property="og:title" content=(title);
                @if let Some(card) = card {
                    meta name="description" content=(card.description);
                    meta property="og:description" content=(card.description);
                    meta property="og:type" content="website";
                    meta property="og:url" content=(card.address);
                    meta property="og:image" content=(card.picture);
                    meta property="og:image:type" content="image/png";
                    meta property="og:image:width" content="600";
                    meta property="og:image:height" content="600";
                    meta name="twitter:card" content="summary";
                }
                link rel="stylesheet" href="/web/style.css";
                link rel="icon" href="/men/wN.svg" type="image/svg+xml";
                // The first picture is the whole page: the script adds the tools below the board.
                @for name in MODULES { link rel="modulepreload" href={ "/web/" (name) ".js" }; }
                script type="module" src="/web/app.js" blocking="render" {}
            }
            body {
                header {
                    a.name href="/" { "Molien" }
                    nav aria-label="Pages" {
                        @for (href, name) in menu {
                            a href=(href) aria-current=[(href == here).then_some("page")] { (name) }
                        }
                    }
                }
                main { (body) }
                footer {
                    "Molien " (env!("CARGO_PKG_VERSION"))
                    " · " a href="/endgames" { "tables at hand" }
                    " · " a href="/api/v1/openapi.json" { "API" }
                    " · " a href="/about" { "what the numbers mean" }
                }
            }
        }
    }
}
