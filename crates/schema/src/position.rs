//! A position, its values and its moves.

use molien_board::Setup;
use molien_probe::{Answer, MoveAnswer};
use molien_values::{Category, Metric};
use serde::Serialize;

use crate::value::{category_name, is_checkmate, is_stalemate, side_name};
use crate::{VERSION, ValuesJson};

/// A metric that was asked for but is not known.
#[derive(Clone, Debug, Serialize)]
pub struct MissingJson {
    /// Its name.
    pub metric: &'static str,
    /// Why.
    pub reason: String,
}

/// A legal move, and the position after it as the side then to move sees it.
#[derive(Clone, Debug, Serialize)]
pub struct MoveJson {
    /// Its name in UCI.
    pub uci: String,
    /// Its name in standard notation.
    pub san: String,
    /// The class of the position after it.
    #[serde(serialize_with = "category_name")]
    pub category: Category,
    /// Whether it is a capture or a pawn move, which starts the count of the
    /// 50-move rule anew.
    pub zeroing: bool,
    /// Whether it mates.
    pub checkmate: bool,
    /// Whether it stalemates.
    pub stalemate: bool,
    /// The depths after it.
    #[serde(flatten)]
    pub values: ValuesJson,
}

/// A position.
#[derive(Clone, Debug, Serialize)]
pub struct PositionJson {
    /// The version of the fields.
    pub schema: u32,
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
    /// What is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<MissingJson>,
    /// Every legal move, the best first; absent if moves were not asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveJson>>,
}

impl PositionJson {
    /// A position with its answer in these metrics, moves left out.
    pub fn new(setup: &Setup, metrics: &[Metric], answer: &Answer) -> PositionJson {
        let missing = |failure: &molien_probe::Failure| MissingJson {
            metric: failure.metric.name(),
            reason: failure.error.to_string(),
        };
        PositionJson {
            schema: VERSION,
            fen: setup.to_string(),
            side_to_move: side_name(setup.position.turn()),
            category: answer.category,
            checkmate: is_checkmate(&setup.position, &answer.values),
            stalemate: is_stalemate(&setup.position, &answer.values),
            values: ValuesJson::new(answer.values, metrics),
            missing: answer.missing.iter().map(missing).collect(),
            moves: None,
        }
    }

    /// With its moves.
    pub fn with_moves(mut self, setup: &Setup, moves: &[MoveAnswer]) -> PositionJson {
        let metrics = self.values.metrics();
        let of_move = |m: &MoveAnswer| {
            let after = setup.position.play(&m.played);
            MoveJson {
                uci: m.played.to_string(),
                san: m.san.clone(),
                category: m.after.category,
                zeroing: m.played.is_zeroing(),
                checkmate: is_checkmate(&after, &m.after.values),
                stalemate: is_stalemate(&after, &m.after.values),
                values: ValuesJson::new(m.after.values, metrics),
            }
        };
        self.moves = Some(moves.iter().map(of_move).collect());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_build::Build;
    use molien_probe::Tablebase;

    /// Every field is described in docs/json.md.
    fn assert_documented(object: &serde_json::Value) {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md");
        let docs = std::fs::read_to_string(docs).unwrap();
        for name in object.as_object().unwrap().keys() {
            assert!(docs.contains(&format!("`{name}`")), "{name}");
        }
        for category in Category::ALL {
            assert!(docs.contains(&format!("| `{category}` |")), "{category}");
        }
    }

    #[test]
    fn fields_are_named_as_documented() {
        let tables = Tablebase::solving(Build::new());
        let setup: Setup = "7k/8/6K1/8/8/8/6Q1/8 w - - 3 80".parse().unwrap();
        let metrics = [Metric::Dtm, Metric::Dtz50];
        let answer = tables.probe_at(&setup, &metrics).unwrap();
        let moves = tables.moves_at(&setup, &metrics).unwrap();
        let json = PositionJson::new(&setup, &metrics, &answer).with_moves(&setup, &moves);
        let json = serde_json::to_value(&json).unwrap();
        assert_eq!(json["schema"], 1);
        assert_eq!(json["fen"], "7k/8/6K1/8/8/8/6Q1/8 w - - 3 80");
        assert_eq!((&json["side_to_move"], &json["category"]), (&"white".into(), &"win".into()));
        assert_eq!((&json["dtm"], &json["dtz50"]), (&1.into(), &1.into()));
        assert!(json.get("dtc").is_none() && json.get("missing").is_none());
        let best = &json["moves"][0];
        assert_eq!((&best["category"], &best["dtm"]), (&"loss".into(), &0.into()));
        assert_eq!((&best["checkmate"], &best["zeroing"]), (&true.into(), &false.into()));
        assert_documented(&json);
        assert_documented(best);
    }
}
