//! Boards.

use axum::extract::Query;
use axum::http::HeaderMap;
use axum::response::Response;
use maud::{Markup, html};
use molien_board::{Color, FenFields, FenOptions, Man, Role, Square};
use molien_draw::Board;
use molien_mine::FreeSquare;
use molien_probe::words::Unit;
use molien_values::{Category, Metric, Outcome, Value};

use super::view::{View, ViewQuery};
use crate::reply::{Lasting, tagged};

/// The name of a man's picture: `wK`, `bP`.
pub(super) fn picture_name(man: Man) -> String {
    let color = if man.color == Color::White { 'w' } else { 'b' };
    format!("{color}{}", man.role.letter().to_ascii_uppercase())
}

/// `white king`.
pub(super) fn man_name(man: Man) -> String {
    let role = match man.role {
        Role::King => "king",
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
    };
    format!("{} {role}", man.color.to_string().to_lowercase())
}

/// The men of a FEN, whether or not they make a legal position; none if the
/// text is no board at all.
pub(super) fn men(fen: &str) -> Option<Vec<(Man, Square)>> {
    let (fields, _) = FenFields::parse(fen, FenOptions { ignore_castling: true }).ok()?;
    Some(fields.men)
}

/// The colour of a class, by the name of a style.
pub(super) fn class_of(category: Category) -> &'static str {
    match category {
        Category::Win => "win",
        Category::MaybeWin | Category::CursedWin => "cursed",
        Category::Draw => "draw",
        Category::BlessedLoss | Category::MaybeLoss => "blessed",
        Category::Loss => "loss",
    }
}

/// What a square shows when a man is left free.
fn heat(square: &FreeSquare, metric: Metric, units: Unit) -> Option<(&'static str, String)> {
    let FreeSquare::Legal(answer) = square else { return None };
    let plies = answer.values.get(metric).and_then(Value::plies);
    let depth = plies.map_or(String::new(), |plies| units.of(plies).to_string());
    let text = match answer.category.outcome() {
        Outcome::Win => format!("+{depth}"),
        Outcome::Draw => "=".to_owned(),
        Outcome::Loss => format!("-{depth}"),
    };
    Some((class_of(answer.category), text))
}

/// What a board shows.
pub(super) struct Shown<'a> {
    /// How it is looked at.
    pub view: &'a View,
    /// The men, whether or not they make a legal position.
    pub men: &'a [(Man, Square)],
    /// Squares that are wrong.
    pub wrong: &'a [Square],
    /// What each square would be worth to the free man.
    pub heat_map: Option<&'a [FreeSquare]>,
}

impl Shown<'_> {
    /// The board as scripts take it over, and as it is without them.
    pub fn markup(&self) -> Markup {
        let mut ranks: Vec<usize> = (0..8).rev().collect();
        let mut files: Vec<usize> = (0..8).collect();
        if self.view.flipped {
            ranks.reverse();
            files.reverse();
        }
        html! {
            chess-board id="board" fen=(self.view.fen) flipped[self.view.flipped] {
                div.board role="grid" aria-label="Chess board" {
                    @for &rank in &ranks {
                        div role="row" {
                            @for &file in &files {
                                // Ranks are named to the left, files below.
                                (self.cell(Square::new(rank * 8 + file), file == files[0], rank == ranks[7]))
                            }
                        }
                    }
                }
            }
        }
    }

    fn cell(&self, square: Square, names_rank: bool, names_file: bool) -> Markup {
        let shade = if square.is_dark() { "dark" } else { "light" };
        // The free man is nowhere in particular.
        let hidden = self.view.free.filter(|_| self.heat_map.is_some());
        let stands = |(man, at): &&(Man, Square)| *at == square && Some(*man) != hidden;
        let man = self.men.iter().find(stands).map(|(man, _)| *man);
        let label = match man {
            Some(man) => format!("{square}, {}", man_name(man)),
            None => square.to_string(),
        };
        let (order, units) = (self.view.order, self.view.units);
        let warm = self.heat_map.and_then(|squares| heat(&squares[square.index()], order, units));
        let (warmth, text) = warm.map_or(("", None), |(class, text)| (class, Some(text)));
        let wrong = if self.wrong.contains(&square) { "wrong" } else { "" };
        let name = square.to_string();
        html! {
            div.sq.(shade).(warmth).(wrong) role="gridcell" data-square=(name) aria-label=(label)
                data-file=[names_file.then(|| &name[..1])] data-rank=[names_rank.then(|| &name[1..])] {
                @if let Some(man) = man {
                    img src={ "/men/" (picture_name(man)) ".svg" } alt=(man_name(man)) draggable="false";
                }
                @if let Some(text) = text { span.heat { (text) } }
            }
        }
    }
}

/// A small board that leads to its position.
pub(super) fn small(fen: &str, caption: &str) -> Markup {
    let address = super::view::address(fen);
    html! {
        figure.small {
            a href={ "/?fen=" (address) } {
                img src={ "/board.svg?fen=" (address) } alt=(fen) width="160" height="160" loading="lazy";
            }
            figcaption { (caption) }
        }
    }
}

/// The board that an address asks for.
fn pictured(query: &ViewQuery) -> Board {
    let view = View::read(query);
    let mut board = Board::new(men(&view.fen).unwrap_or_default());
    if view.flipped {
        board.seen_from = Color::Black;
    }
    board
}

/// `GET /board.svg`: a picture of a position.
pub(super) async fn picture(Query(query): Query<ViewQuery>, headers: HeaderMap) -> Response {
    let svg = pictured(&query).to_svg();
    tagged(&headers, "image/svg+xml", svg.into_bytes(), Lasting::Forever)
}

/// `GET /board.png`: the same for those who take no SVG, without names.
pub(super) async fn bitmap(Query(query): Query<ViewQuery>, headers: HeaderMap) -> Response {
    tagged(&headers, "image/png", pictured(&query).to_png(), Lasting::Forever)
}
