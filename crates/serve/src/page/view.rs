//! What the reader looks at, as it stands in the address.

use molien_board::{FenOptions, Man, Setup};
use molien_probe::words::Unit;
use molien_values::Metric;
use serde::Deserialize;

use crate::Problem;

/// The position shown to who comes without one.
const WELCOME: &str = "8/8/8/8/8/8/2k3p1/K3R3 w - - 0 1";

/// The query of the address.
#[derive(Deserialize, Debug, Default)]
pub(super) struct ViewQuery {
    fen: Option<String>,
    order: Option<String>,
    units: Option<String>,
    free: Option<String>,
    #[serde(default)]
    flip: Option<String>,
}

/// What is looked at, and how.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The FEN as it was given.
    pub fen: String,
    /// The metric that orders the moves.
    pub order: Metric,
    /// How depths are shown.
    pub units: Unit,
    /// The man left free, if one is.
    pub free: Option<Man>,
    /// Whether Black's side is below.
    pub flipped: bool,
}

impl View {
    /// Reads the query; what is not understood is left at its default.
    pub fn read(query: &ViewQuery) -> View {
        let fen = query.fen.as_deref().map(str::trim).filter(|fen| !fen.is_empty());
        let order = query.order.as_deref().and_then(|name| name.parse::<Metric>().ok());
        let order = order.filter(|order| Metric::ALL.contains(order));
        let free = query.free.as_deref().and_then(|text| text.chars().next());
        View {
            fen: fen.unwrap_or(WELCOME).replace('_', " "),
            order: order.unwrap_or(Metric::Dtm),
            units: match query.units.as_deref() {
                Some("plies") => Unit::Plies,
                _ => Unit::Moves,
            },
            free: free.and_then(Man::from_letter),
            flipped: query.flip.as_deref() == Some("1"),
        }
    }

    /// The position.
    pub fn setup(&self) -> Result<Setup, Problem> {
        Ok(Setup::parse(&self.fen, FenOptions::default())?)
    }

    /// The metrics, the one that orders first.
    pub fn metrics(&self) -> Vec<Metric> {
        let others = Metric::ALL.into_iter().filter(|&metric| metric != self.order);
        [self.order].into_iter().chain(others).collect()
    }

    /// The address of the same view of another position.
    pub fn href(&self, fen: &str) -> String {
        let mut text = format!("/?fen={}", address(fen));
        if self.order != Metric::Dtm {
            text += &format!("&order={}", self.order);
        }
        if self.units == Unit::Plies {
            text += "&units=plies";
        }
        if let Some(man) = self.free {
            text += &format!("&free={}", man.letter());
        }
        if self.flipped {
            text += "&flip=1";
        }
        text
    }

    /// The address of the same position.
    pub fn own_href(&self) -> String {
        self.href(&self.fen)
    }

    /// With another metric first.
    pub fn ordered_by(&self, order: Metric) -> View {
        View { order, ..self.clone() }
    }

    /// With other units.
    pub fn counted_in(&self, units: Unit) -> View {
        View { units, ..self.clone() }
    }

    /// With a man left free, or none.
    pub fn with_free(&self, free: Option<Man>) -> View {
        View { free, ..self.clone() }
    }
}

/// A FEN in an address: only what needs no escaping is kept, and a FEN has
/// nothing else.
pub(super) fn address(fen: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '-' | '_');
    fen.replace(' ', "_").chars().filter(|&c| keep(c)).collect()
}

/// The plain word for a metric.
pub(super) fn word(metric: Metric) -> &'static str {
    match metric {
        Metric::Dtm => "mate",
        Metric::Dtc => "conversion",
        Metric::Dtz => "zeroing",
        Metric::Dtz50 => "zeroing (50)",
        Metric::Dtm50 => "mate (50)",
        Metric::Wdl => "result",
    }
}

/// What a metric counts, in one sentence.
pub(super) fn meaning(metric: Metric) -> &'static str {
    match metric {
        Metric::Dtm => "DTM: how long until mate.",
        Metric::Dtc => "DTC: how long until a capture, a promotion or mate.",
        Metric::Dtz => "DTZ: how long until a capture, a pawn move or mate.",
        Metric::Dtz50 => {
            "DTZ50: how long until a capture or pawn move that keeps the win under the 50-move rule."
        }
        Metric::Dtm50 => "DTM50: how long until mate if both sides mind the 50-move rule.",
        Metric::Wdl => "WDL: who wins, and nothing more.",
    }
}
