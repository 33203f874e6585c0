//! What is said of a position: a sentence first, then numbers.

use maud::{Markup, html};
use molien_board::{Color, Man, Role, Setup, Square};
use molien_pawns::explain;
use molien_probe::words::{Unit, result_in, with_advice};
use molien_probe::{Answer, Tablebase};
use molien_values::{Category, FIFTY_MOVES_PLIES, Metric, Outcome, Value};

use super::moves;
use super::view::{View, meaning, word};
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
        div.answer role="status" aria-live="polite" data-check=[checked(setup)] {
            p.verdict { (with_advice(result_in(view.units, setup, answer), &view.metrics(), all)) }
            @for text in remarks(view.units, setup, answer) { p.remark { (text) } }
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

/// The square of a king in check.
fn checked(setup: &Setup) -> Option<Square> {
    let position = &setup.position;
    let king = Man::new(position.turn(), Role::King);
    let square = position.men().find(|(man, _)| *man == king).map(|(_, square)| square);
    square.filter(|_| position.in_check(position.turn()))
}

/// What the depths mean, beyond the result.
fn remarks(unit: Unit, setup: &Setup, answer: &Answer) -> Vec<String> {
    let depth = |metric| answer.values.get(metric).and_then(Value::plies);
    let mut texts = Vec::new();
    let is_over = setup.position.legal_moves().is_empty();
    if let (Some(mate), Some(next), false) = (depth(Metric::Dtm), depth(Metric::Dtc), is_over)
        && next < mate
    {
        let text = unit.say(next);
        texts.push(format!("The next capture or promotion can be forced in {text}."));
    }
    texts.extend(clock(unit, setup, answer).filter(|_| !is_over));
    texts
}

/// Whether the 50-move rule interferes.
fn clock(unit: Unit, setup: &Setup, answer: &Answer) -> Option<String> {
    let counted = setup.halfmove_clock;
    let depth = answer.values.get(Metric::Dtz50)?.plies()?;
    let so_far = match unit {
        Unit::Moves => format!("{} of 50 moves", counted / 2),
        Unit::Plies => format!("{counted} of {FIFTY_MOVES_PLIES} plies"),
    };
    match answer.category {
        Category::Win | Category::Loss if counted == 0 => {
            Some("The 50-move rule does not matter here.".to_owned())
        }
        Category::Win | Category::Loss => Some(format!(
            "The 50-move clock stands at {so_far}; the next capture, pawn move or mate comes in time, in {}.",
            unit.say(depth)
        )),
        Category::CursedWin | Category::BlessedLoss => {
            let mate = answer.values.get(Metric::Dtm).and_then(Value::plies);
            let without = mate.map_or(String::new(), |mate| {
                format!(" Without the rule it would be mate in {}.", unit.say(mate))
            });
            let clock = match counted {
                0 => String::new(),
                _ => format!("The 50-move clock stands at {so_far}. "),
            };
            Some(format!(
                "{clock}No mate, capture or pawn move can be forced before the draw is claimed.{without}"
            ))
        }
        _ => None,
    }
}

/// Why, for pawn endings that rules decide.
fn reasons(setup: &Setup) -> Vec<String> {
    let found = explain(&setup.position).ok().filter(|found| found.value.is_some());
    let sentences = found.map(|found| found.sentences).unwrap_or_default();
    // The first says who wins, as the verdict does.
    sentences.into_iter().skip(1).map(|text| format!("{text}.")).collect()
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
                @for units in [Unit::Moves, Unit::Plies] {
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
            a href=(href) { "If " (turn) " were to move" } ": " (result_in(view.units, &turned.setup, &turned.answer))
            @if let Some(text) = zugzwang(setup, answer, turned) { " " strong.zugzwang { (text) } }
        }
    }
}
