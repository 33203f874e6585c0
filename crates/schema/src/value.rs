//! Values and classes, and the positions they stand beside.

use molien_board::{Color, Position, Setup};
use molien_values::{Category, Metric, Precision, Value, Values};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

/// The depths in the metrics asked for, as fields of the object around them.
#[derive(Clone, Debug, Default)]
pub struct ValuesJson {
    values: Values,
    metrics: Vec<Metric>,
}

impl ValuesJson {
    /// The depths in these metrics.
    pub fn new(values: Values, metrics: &[Metric]) -> ValuesJson {
        ValuesJson { values, metrics: metrics.to_vec() }
    }

    /// The depth in one metric.
    pub fn one(metric: Metric, value: Value) -> ValuesJson {
        ValuesJson::one_to(metric, value, Precision::Exact)
    }

    /// The depth in one metric, and how exact it is.
    pub fn one_to(metric: Metric, value: Value, precision: Precision) -> ValuesJson {
        let mut values = Values::default();
        values.set_to(metric, value, precision);
        ValuesJson { values, metrics: vec![metric] }
    }

    /// The metrics asked for.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }

    /// The plies in the metrics asked for, in their order.
    pub fn plies(&self) -> impl Iterator<Item = Option<i32>> {
        self.metrics.iter().map(|&metric| self.values.plies(metric))
    }

    /// The plies in the metrics asked for as text: `12 or 13` where a source
    /// rounds, nothing for draws and what is not known.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.metrics.iter().map(|&metric| {
            match (self.values.plies(metric), self.values.or_plies(metric)) {
                (Some(plies), Some(or)) => format!("{plies} or {or}"),
                (Some(plies), None) => plies.to_string(),
                (None, _) => String::new(),
            }
        })
    }
}

impl Serialize for ValuesJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for &metric in &self.metrics {
            map.serialize_entry(metric.name(), &self.values.plies(metric))?;
            if let Some(or) = self.values.or_plies(metric) {
                map.serialize_entry(&format!("{metric}_or"), &or)?;
            }
        }
        map.end()
    }
}

/// A position with its class and depths, inside another answer.
#[derive(Clone, Debug, Serialize)]
pub struct ValuedJson {
    /// The position, all six fields.
    pub fen: String,
    /// `white` or `black`.
    pub side_to_move: &'static str,
    /// The class at the count of the 50-move rule in the FEN.
    #[serde(serialize_with = "category_name")]
    pub category: Category,
    /// Whether the side to move is mated.
    pub checkmate: bool,
    /// Whether the side to move is stalemated.
    pub stalemate: bool,
    /// The depths.
    #[serde(flatten)]
    pub values: ValuesJson,
}

impl ValuedJson {
    /// A position with what is known of it.
    pub fn new(setup: &Setup, category: Category, values: ValuesJson) -> ValuedJson {
        ValuedJson {
            fen: setup.to_string(),
            side_to_move: side_name(setup.position.turn()),
            category,
            checkmate: is_checkmate(&setup.position, &values.values),
            stalemate: is_stalemate(&setup.position, &values.values),
            values,
        }
    }
}

/// Whether the side to move is mated. A value tells without a look at the
/// moves: only mate is lost in no plies.
pub(crate) fn is_checkmate(position: &Position, values: &Values) -> bool {
    match values.known().next().and_then(|metric| values.get(metric)) {
        Some(value) => value == Value::Loss(0),
        None => position.is_checkmate(),
    }
}

/// Whether the side to move is stalemated, which is a draw.
pub(crate) fn is_stalemate(position: &Position, values: &Values) -> bool {
    match values.known().next().and_then(|metric| values.get(metric)) {
        Some(value) if value != Value::Draw => false,
        _ => position.is_stalemate(),
    }
}

/// A class by its name.
pub(crate) fn category_name<S: Serializer>(
    category: &Category,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(category.name())
}

/// `white` or `black`.
pub(crate) fn side_name(color: Color) -> &'static str {
    match color {
        Color::White => "white",
        Color::Black => "black",
    }
}
