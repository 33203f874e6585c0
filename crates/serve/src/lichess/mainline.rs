//! The line that reaches the next zeroing move soonest.

use molien_board::MAX_MEN;
use molien_probe::ProbeError;
use molien_values::{Metric, Value, Values, category_after};
use serde::Serialize;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Color, Move, Position as _};

use super::answer::{class, dtz, in_domain, look_up, precise_dtz};
use super::request::Asked;
use crate::{Problem, Service};

/// What a move of the line needs.
const METRIC: &[Metric] = &[Metric::Dtz50];
/// Plies counted when the draw is claimed and the line ends.
const CLAIMED: u32 = 100;
/// Longer lines than any table has.
const MOST_PLIES: usize = 2000;

/// A move of the line and the depth after it.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Step {
    uci: String,
    san: String,
    dtz: i32,
    precise_dtz: Option<i32>,
}

/// The line.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct Mainline {
    mainline: Vec<Step>,
    winner: Option<char>,
    dtz: i32,
    precise_dtz: Option<i32>,
}

/// Why there is no line: the position is outside the tables.
fn outside(chess: &Chess) -> Problem {
    let men = chess.board().occupied().count();
    Problem::NotFound(match chess.castles().any() {
        true => "positions with castling rights are not in the tables".to_owned(),
        false => match in_domain(chess) {
            Some(position) => format!("there is no table of {}", position.material()),
            None if men > MAX_MEN => ProbeError::TooManyMen { men }.to_string(),
            None => "the position is not in the tables".to_owned(),
        },
    })
}

/// Plays the best moves by DTZ from a decided position.
pub(crate) async fn find(service: &Service, asked: Asked) -> Result<Mainline, Problem> {
    let mut chess = asked.chess;
    let values = look_up(service, std::slice::from_ref(&chess), METRIC).await?;
    let depth = dtz(&values[0]).ok_or_else(|| outside(&chess))?;
    let mut line = Vec::new();
    while depth != 0 && chess.halfmoves() < CLAIMED && line.len() < MOST_PLIES {
        let Some((m, after)) = best(service, &chess).await? else { break };
        let uci = m.to_uci(CastlingMode::Standard).to_string();
        let san = SanPlus::from_move_and_play_unchecked(&mut chess, m).to_string();
        let dtz = dtz(&after).unwrap_or(0);
        line.push(Step { uci, san, dtz, precise_dtz: precise_dtz(&after) });
    }
    let letter = |color: Color| color.char();
    let winner = chess.is_checkmate().then(|| letter(!chess.turn()));
    Ok(Mainline { mainline: line, winner, dtz: depth, precise_dtz: precise_dtz(&values[0]) })
}

/// The best move and the values after it; none if there is no move.
async fn best(service: &Service, chess: &Chess) -> Result<Option<(Move, Values)>, Problem> {
    let moves: Vec<Move> = chess.legal_moves().into_iter().collect();
    let after: Vec<Chess> = moves
        .iter()
        .map(|&m| {
            let mut after = chess.clone();
            after.play_unchecked(m);
            after
        })
        .collect();
    let values = look_up(service, &after, METRIC).await?;
    let mut found: Vec<(Rank, Move, Values)> = Vec::with_capacity(moves.len());
    for ((m, after), values) in moves.into_iter().zip(&after).zip(values) {
        let rank = rank(chess, &m, &values).ok_or_else(|| outside(after))?;
        found.push((rank, m, values));
    }
    let best = found.into_iter().min_by(|(a, ..), (b, ..)| a.cmp(b));
    Ok(best.map(|(_, m, values)| (m, values)))
}

/// Smaller is better: the opponent's class, then mate, then a zeroing move if
/// it wins, then the depth; then the name.
type Rank = (molien_values::Category, bool, bool, i32, String);

fn rank(chess: &Chess, m: &Move, values: &Values) -> Option<Rank> {
    let value = values.get(Metric::Dtz50)?;
    let precision = values.precision(Metric::Dtz50);
    let category = category_after(value, precision, class(m), chess.halfmoves());
    let loses = matches!(value, Value::Win(_));
    let depth = -value.signed_plies().unwrap_or(0);
    let is_mate = value == Value::Loss(0);
    let name = m.to_uci(CastlingMode::Standard).to_string();
    Some((category, !is_mate, m.is_zeroing() == loses, depth, name))
}
