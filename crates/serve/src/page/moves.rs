//! The moves, in groups by what they do to the result.

use maud::{Markup, html};
use molien_board::Setup;
use molien_probe::{Answer, MoveAnswer};
use molien_values::{Category, Metric, Outcome, Value};

use super::board::class_of;
use super::view::{View, meaning, word};

/// A group's sign and name: colour is never alone.
fn heading(category: Category) -> (&'static str, &'static str) {
    match category {
        Category::Win => ("▲", "Wins"),
        Category::MaybeWin => ("△", "Wins, unless the 50-move rule comes first"),
        Category::CursedWin => ("△", "Would win, but drawn by the 50-move rule"),
        Category::Draw => ("■", "Draws"),
        Category::BlessedLoss => ("▽", "Would lose, but drawn by the 50-move rule"),
        Category::MaybeLoss => ("▽", "Loses, unless the 50-move rule comes first"),
        Category::Loss => ("▼", "Loses"),
    }
}

/// Half points of a result: 2, 1 or 0.
fn half_points(category: Category) -> Option<i32> {
    Some(match category.result()? {
        Outcome::Win => 2,
        Outcome::Draw => 1,
        Outcome::Loss => 0,
    })
}

/// What a move gives away, in words; nothing if it keeps the result.
pub(super) fn price(now: Category, after: Category) -> Option<&'static str> {
    match half_points(now)? - half_points(after.reverse())? {
        1 => Some("half a point"),
        2 => Some("a full point"),
        _ => None,
    }
}

/// Sorted by class and then by the metric that the reader chose.
fn ordered<'a>(view: &View, moves: &'a [MoveAnswer]) -> Vec<&'a MoveAnswer> {
    let mut ordered: Vec<&MoveAnswer> = moves.iter().collect();
    // Stable: what the metric does not tell apart stays as the tables order it.
    ordered.sort_by_key(|m| (m.after.category, -m.after.values.plies(view.order).unwrap_or(0)));
    ordered
}

/// The moves of a position.
pub(super) fn list(view: &View, setup: &Setup, answer: &Answer, moves: &[MoveAnswer]) -> Markup {
    let ordered = ordered(view, moves);
    let keeps = |m: &&MoveAnswer| price(answer.category, m.after.category).is_none();
    let only = (ordered.iter().filter(|m| keeps(m)).count() == 1 && moves.len() > 1)
        .then(|| ordered[0].played);
    html! {
        (order_switch(view))
        @for group in ordered.chunk_by(|a, b| a.after.category == b.after.category) {
            @let class = group[0].after.category.reverse();
            @let (sign, name) = heading(class);
            section.group.(class_of(class)) {
                h3 { span.sign aria-hidden="true" { (sign) } " " (name) " " small { (group.len()) } }
                ol {
                    @for m in group { (one(view, setup, answer, m, only == Some(m.played))) }
                }
            }
        }
    }
}

fn order_switch(view: &View) -> Markup {
    html! {
        p.order {
            "Order by "
            @for metric in Metric::ALL {
                @let href = view.ordered_by(metric).own_href();
                a.choice href=(href) data-order=(metric) title=(meaning(metric))
                    aria-current=[(metric == view.order).then_some("true")] { (word(metric)) }
                " "
            }
        }
    }
}

fn one(view: &View, setup: &Setup, answer: &Answer, m: &MoveAnswer, is_only: bool) -> Markup {
    let after = setup.play(&m.played);
    let fen = after.to_string();
    let position = &after.position;
    let depths: Vec<(Metric, u16)> = Metric::ALL
        .into_iter()
        .filter(|_| !position.is_checkmate())
        .filter_map(|metric| Some((metric, m.after.values.get(metric).and_then(Value::plies)?)))
        .collect();
    html! {
        li data-uci=(m.played) data-fen=(fen) {
            a href=(view.href(&fen)) {
                b.san { (m.san) }
                @let zeroing = if view.order == Metric::Dtz50 { Metric::Dtz50 } else { Metric::Dtz };
                @for metric in [Metric::Dtm, Metric::Dtc, zeroing] {
                    span.depth.first[metric == view.order] {
                        @if let Some((_, plies)) = depths.iter().find(|(known, _)| *known == metric) {
                            small { (short(metric)) } " " (view.units.of(*plies))
                        }
                    }
                }
                span.badges {
                    @for badge in badges(m, position.in_check(position.turn()), position.is_checkmate(), position.is_stalemate()) {
                        span.badge { (badge) }
                    }
                    @if is_only { span.badge.only { "only move" } }
                    @if let Some(price) = price(answer.category, m.after.category) {
                        span.price { "costs " (price) }
                    }
                }
            }
        }
    }
}

fn short(metric: Metric) -> &'static str {
    match metric {
        Metric::Dtm | Metric::Dtm50 => "mate",
        Metric::Dtc => "conv",
        Metric::Dtz | Metric::Dtz50 => "zero",
        Metric::Wdl => "",
    }
}

fn badges(m: &MoveAnswer, check: bool, mate: bool, stalemate: bool) -> Vec<&'static str> {
    let has = |sign: char| m.san.contains(sign);
    let named = [
        (mate, "mate"),
        (stalemate, "stalemate"),
        (check && !mate, "check"),
        (has('x'), "capture"),
        (has('='), "promotion"),
    ];
    named.into_iter().filter(|(is, _)| *is).map(|(_, name)| name).collect()
}
