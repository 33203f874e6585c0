//! A position and its moves.

use molien_board::Position;
use molien_probe::chess::from_chess;
use molien_values::{
    Category, FIFTY_MOVES_PLIES, Metric, MoveClass, Precision, Value, Values, category_after,
    category_at, category_in, dtm50_of,
};
use serde::Serialize;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Move, Position as _};

use super::order::SortKey;
use super::request::Asked;
use crate::service::Found;
use crate::{Problem, Service};

/// A class, or `unknown`; and how exact the depth is that it follows from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MaybeCategory(pub Option<Category>, pub Precision);

impl MaybeCategory {
    pub fn reverse(self) -> MaybeCategory {
        MaybeCategory(self.0.map(Category::reverse), self.1)
    }

    /// Where a rounded depth leaves the class open, lichess has names of its own.
    fn name(self) -> &'static str {
        match self {
            MaybeCategory(Some(Category::MaybeWin), Precision::Rounded) => "syzygy-win",
            MaybeCategory(Some(Category::MaybeLoss), Precision::Rounded) => "syzygy-loss",
            MaybeCategory(category, _) => category.map_or("unknown", Category::name),
        }
    }
}

impl Serialize for MaybeCategory {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// What is said of a position, the fields in lichess' order.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct State {
    pub checkmate: bool,
    pub stalemate: bool,
    variant_win: bool,
    variant_loss: bool,
    pub insufficient_material: bool,
    pub dtz: Option<i32>,
    precise_dtz: Option<i32>,
    pub dtm: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtm50: Option<i32>,
    dtw: Option<i32>,
    pub dtc: Option<i32>,
    pub category: MaybeCategory,
}

/// A move and the position after it, as the opponent sees it.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct MoveState {
    pub uci: String,
    pub san: String,
    pub zeroing: bool,
    pub conversion: bool,
    #[serde(flatten)]
    pub after: State,
    #[serde(skip)]
    pub played: Move,
}

/// The answer.
#[derive(Serialize, Clone, Debug)]
pub(crate) struct PositionState {
    #[serde(flatten)]
    pub now: State,
    pub moves: Vec<MoveState>,
}

impl PositionState {
    /// Whether no table could add anything.
    pub fn is_complete(&self) -> bool {
        let known = |state: &State| state.category.0.is_some() && state.dtz.is_some();
        known(&self.now) && self.moves.iter().all(|m| known(&m.after))
    }
}

/// Signed plies: 0 for a draw.
fn plies(value: Value) -> i32 {
    value.signed_plies().unwrap_or(0)
}

/// DTZ as lichess gives it: mated is -1, since 0 is a draw.
pub(super) fn dtz(values: &Values) -> Option<i32> {
    match values.get(Metric::Dtz50)? {
        Value::Loss(0) => Some(-1),
        value => Some(plies(value)),
    }
}

/// The same if it is known to the ply.
pub(super) fn precise_dtz(values: &Values) -> Option<i32> {
    dtz(values).filter(|_| values.precision(Metric::Dtz50) == Precision::Exact)
}

/// Moves instead of plies, of the side that has them.
fn moves_to_conversion(value: Value) -> i32 {
    let plies = plies(value);
    (plies.abs() + 1) / 2 * plies.signum()
}

impl State {
    /// `clock` is the count of the 50-move rule that the category is for.
    fn new(chess: &Chess, values: &Values, clock: u32, category: Option<Category>) -> State {
        let (checkmate, stalemate) = (chess.is_checkmate(), chess.is_stalemate());
        let insufficient_material = chess.is_insufficient_material();
        let dtz = dtz(values);
        State {
            checkmate,
            stalemate,
            variant_win: false,
            variant_loss: false,
            insufficient_material,
            dtz,
            precise_dtz: precise_dtz(values),
            dtm: values.get(Metric::Dtm).filter(|_| !checkmate).map(plies),
            dtm50: dtm50_of(values, clock).filter(|_| !checkmate).map(plies),
            dtw: None,
            dtc: values.get(Metric::Dtc).map(moves_to_conversion),
            category: match stalemate || insufficient_material {
                true => MaybeCategory(Some(Category::Draw), Precision::Exact),
                false => MaybeCategory(category, values.precision(Metric::Dtz50)),
            },
        }
    }
}

/// What the values say at the root's own count.
fn category_now(values: &Values, clock: u32) -> Option<Category> {
    let told = |metric| Some(category_in(metric, values.get(metric)?, clock));
    match values.get(Metric::Dtz50) {
        Some(value) => Some(category_at(value, values.precision(Metric::Dtz50), clock)),
        None => told(Metric::Dtm),
    }
}

/// The kind of a move as the metrics see it.
pub(super) fn class(m: &Move) -> MoveClass {
    match (m.is_capture() || m.is_promotion(), m.is_zeroing()) {
        (true, _) => MoveClass::Conversion,
        (false, true) => MoveClass::Push,
        (false, false) => MoveClass::Quiet,
    }
}

/// The count after a move. Once the draw can be claimed no move helps.
fn counted(m: &Move, clock: u32) -> u32 {
    let zeroes = class(m) != MoveClass::Quiet && clock < u32::from(FIFTY_MOVES_PLIES);
    if zeroes { 0 } else { clock.saturating_add(1) }
}

/// What the values after a move say, the count being that before it.
fn category_then(values: &Values, chess: &Chess, m: &Move, clock: u32) -> Option<Category> {
    let class = class(m);
    // Mate needs no table.
    let mated = chess.is_checkmate().then_some(Value::Loss(0));
    match values.get(Metric::Dtz50).or(mated) {
        Some(value) => Some(category_after(value, values.precision(Metric::Dtz50), class, clock)),
        None => {
            let counted = if class == MoveClass::Quiet { clock.saturating_add(1) } else { 0 };
            Some(category_in(Metric::Dtm, values.get(Metric::Dtm)?, counted))
        }
    }
}

/// The position as the tables see it; none if it is outside their domain.
pub(super) fn in_domain(chess: &Chess) -> Option<Position> {
    from_chess(chess).filter(|position| position.material().is_within_limits())
}

/// The values of positions, those outside the domain left empty.
pub(super) async fn look_up(
    service: &Service,
    positions: &[Chess],
    metrics: &'static [Metric],
) -> Result<Vec<Values>, Problem> {
    let within: Vec<Option<Position>> = positions.iter().map(in_domain).collect();
    let asked: Vec<Position> = within.iter().flatten().copied().collect();
    let (_, Found { values, failures }) = service.values(asked, metrics).await?;
    // A table that is not there leaves a gap; one that is damaged is an error.
    if let Some(failure) = failures.into_iter().find(|f| f.error.missing_table().is_none()) {
        return Err(failure.error.into());
    }
    let mut values = values.into_iter();
    let value = |position: &Option<Position>| position.and_then(|_| values.next());
    Ok(within.iter().map(value).map(Option::unwrap_or_default).collect())
}

/// Finds all that is known of a position and its moves.
pub(crate) async fn find(
    service: &Service,
    asked: Asked,
    metrics: &'static [Metric],
) -> Result<PositionState, Problem> {
    let Asked { chess } = &asked;
    let moves: Vec<Move> = chess.legal_moves().into_iter().collect();
    let mut positions = vec![chess.clone()];
    positions.extend(moves.iter().map(|&m| {
        let mut after = chess.clone();
        after.play_unchecked(m);
        after
    }));
    let values = look_up(service, &positions, metrics).await?;
    Ok(assemble(&asked, moves, &positions, &values))
}

fn assemble(
    asked: &Asked,
    moves: Vec<Move>,
    positions: &[Chess],
    values: &[Values],
) -> PositionState {
    let (chess, clock) = (&asked.chess, asked.clock());
    let after = positions.iter().zip(values).skip(1);
    let of_move = |(m, (after, values)): (Move, (&Chess, &Values))| {
        let category = category_then(values, after, &m, clock);
        MoveState {
            uci: m.to_uci(CastlingMode::Standard).to_string(),
            san: SanPlus::from_move(chess.clone(), m).to_string(),
            zeroing: m.is_zeroing(),
            conversion: class(&m) == MoveClass::Conversion,
            after: State::new(after, values, counted(&m, clock), category),
            played: m,
        }
    };
    let mut moves: Vec<MoveState> = moves.into_iter().zip(after).map(of_move).collect();
    moves.sort_by_cached_key(SortKey::of);
    let category = category_now(&values[0], clock);
    let mut now = State::new(chess, &values[0], clock, category);
    if let Some(best) = moves.first().filter(|best| best.after.category.0.is_some()) {
        now.category = best.after.category.reverse();
    }
    PositionState { now, moves }
}
