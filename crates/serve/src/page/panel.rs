//! What is said of a position: a sentence first, then numbers.

use maud::{Markup, html};
use molien_board::{Color, Setup};
use molien_pawns::explain;
use molien_probe::words::{moves as so_many_moves, result, sentence};
use molien_probe::{Answer, Tablebase};
use molien_values::{Category, FIFTY_MOVES_PLIES, Metric, Outcome, Value, winner_moves};

use super::moves;
use super::view::{Units, View, meaning, word};
use crate::api::Findings;

/// The other side to move, and what it would be worth.
pub(super) struct Turned {
    /// The position.
    setup: Setup,
    /// Its value.
    answer: Answer,
}

impl Turned {
    /// None if the other side cannot be to move, or nothing is known of it.
    pub fn look(tables: &Tablebase, setup: &Setup) -> Option<Turned> {
        let position = setup.position.without_en_passant();
        let position = position.with_turn(!position.turn());
        position.check_legal().ok()?;
        let setup = Setup { position, ..*setup };
        let answer = tables.probe_at(&setup, &Metric::ALL).ok()?;
        Some(Turned { setup, answer })
    }
}

/// The panel beside the board.
pub(super) fn panel(
    view: &View,
    setup: &Setup,
    findings: &Findings,
    turned: Option<&Turned>,
) -> Markup {
    let Findings { answer, moves: all } = findings;
    html! {
        div.answer role="status" aria-live="polite" {
            p.verdict { (sentence(setup, &view.metrics(), answer, all)) }
            @for text in remarks(setup, answer) { p.remark { (text) } }
            @for text in reasons(setup) { p.reason { (text) } }
        }
        (depths(view, answer))
        @for missing in &answer.missing {
            p.missing { (missing.metric) " is not known: " (missing.error) "." }
        }
        (moves::list(view, setup, answer, all))
        @if let Some(turned) = turned { (what_if(view, setup, answer, turned)) }
    }
}

/// What the depths mean, beyond the result.
fn remarks(setup: &Setup, answer: &Answer) -> Vec<String> {
    let depth = |metric| answer.values.get(metric).and_then(Value::plies);
    let mut texts = Vec::new();
    let is_over = setup.position.legal_moves().is_empty();
    if let (Some(mate), Some(next), false) = (depth(Metric::Dtm), depth(Metric::Dtc), is_over)
        && next < mate
    {
        let text = so_many_moves(winner_moves(next));
        texts.push(format!("The next capture or promotion can be forced in {text}."));
    }
    texts.extend(clock(setup, answer).filter(|_| !is_over));
    texts
}

/// Whether the 50-move rule interferes.
fn clock(setup: &Setup, answer: &Answer) -> Option<String> {
    let counted = setup.halfmove_clock;
    let depth = answer.values.get(Metric::Dtz50)?.plies()?;
    let mate = answer.values.get(Metric::Dtm).and_then(Value::plies).map(winner_moves);
    match answer.category {
        Category::Win | Category::Loss => {
            let left = u32::from(FIFTY_MOVES_PLIES).saturating_sub(counted + u32::from(depth));
            Some(match (counted, left) {
                (0, _) => "The 50-move rule does not matter here.".to_owned(),
                (_, left) => format!(
                    "The 50-move clock stands at {counted} plies; the next zeroing move comes in time, with {left} to spare."
                ),
            })
        }
        Category::CursedWin | Category::BlessedLoss => {
            let without = mate.map_or(String::new(), |mate| {
                format!(" Without the rule it would be mate in {}.", so_many_moves(mate))
            });
            Some(format!("The winning side cannot make progress before the 50-move rule is claimed.{without}"))
        }
        _ => None,
    }
}

/// Why, for pawn endings that rules decide.
fn reasons(setup: &Setup) -> Vec<String> {
    let found = explain(&setup.position).ok().filter(|found| found.value.is_some());
    let sentences = found.map(|found| found.sentences).unwrap_or_default();
    sentences.into_iter().map(|text| format!("{text}.")).collect()
}

/// Every metric side by side, and the switch of units.
fn depths(view: &View, answer: &Answer) -> Markup {
    html! {
        p.depths {
            @for metric in Metric::ALL {
                @if let Some(plies) = answer.values.get(metric).and_then(Value::plies) {
                    span.chip title=(meaning(metric)) {
                        (word(metric)) " " b { (view.units.of(plies)) }
                        " " small { (metric.name().to_uppercase()) }
                    }
                    " "
                }
            }
            span.units {
                @for units in [Units::Moves, Units::Plies] {
                    a.choice href=(view.counted_in(units).own_href()) data-units=(units.name())
                        aria-current=[(units == view.units).then_some("true")] { (units.name()) }
                    " "
                }
            }
        }
    }
}

/// What each side gets if it is to move: half points for White.
fn for_white(turn: Color, answer: &Answer) -> Option<i32> {
    let outcome = match turn {
        Color::White => answer.category.result()?,
        Color::Black => answer.category.result()?.reverse(),
    };
    Some(match outcome {
        Outcome::Win => 2,
        Outcome::Draw => 1,
        Outcome::Loss => 0,
    })
}

/// Who would rather not move.
fn zugzwang(setup: &Setup, answer: &Answer, turned: &Turned) -> Option<String> {
    let turn = setup.position.turn();
    let own = for_white(turn, answer)?;
    let other = for_white(turned.setup.position.turn(), &turned.answer)?;
    let (white_to_move, black_to_move) =
        if turn == Color::White { (own, other) } else { (other, own) };
    // White would rather have Black move, and Black the other way round.
    if white_to_move >= black_to_move {
        return None;
    }
    Some(match (white_to_move, black_to_move) {
        (0, 2) => "Mutual zugzwang: whoever moves loses.".to_owned(),
        (1, 2) => "Mutual zugzwang: Black to move loses, White to move only draws.".to_owned(),
        _ => "Mutual zugzwang: White to move loses, Black to move only draws.".to_owned(),
    })
}

fn what_if(view: &View, setup: &Setup, answer: &Answer, turned: &Turned) -> Markup {
    let href = view.href(&turned.setup.to_string());
    let turn = turned.setup.position.turn();
    html! {
        p.what-if {
            a href=(href) { "If " (turn) " were to move" } ": " (result(&turned.setup, &turned.answer))
            @if let Some(text) = zugzwang(setup, answer, turned) { " " strong.zugzwang { (text) } }
        }
    }
}
