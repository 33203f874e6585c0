//! What is found in tables.

use std::collections::BTreeMap;

use molien_board::{Material, Position, Setup, Square};
use molien_mine::{FreeMan, FreeSquare, Hit, OnlyMoveCounts, OnlyMoves, Zugzwang};
use molien_values::{Category, Metric, Value, Values, category_in};
use serde::Serialize;

use crate::value::{category_name, side_name};
use crate::{VERSION, ValuedJson, ValuesJson, ZugzwangCountsJson};

/// A position that matches a query.
#[derive(Clone, Debug, Serialize)]
pub struct HitJson {
    /// The version of the fields.
    pub schema: u32,
    /// The position.
    #[serde(flatten)]
    pub found: ValuedJson,
}

impl HitJson {
    /// A hit with its depths in these metrics.
    pub fn new(hit: &Hit, metrics: &[Metric]) -> HitJson {
        let mut values = Values::default();
        for &metric in metrics {
            if let Some(value) = hit.values[metric as usize] {
                values.set(metric, value);
            }
        }
        let values = ValuesJson::new(values, metrics);
        let found = ValuedJson::new(&Setup::from(hit.position), hit.category, values);
        HitJson { schema: VERSION, found }
    }

    /// A position with its depth in one metric.
    pub fn of(position: Position, metric: Metric, value: Value) -> HitJson {
        let values = ValuesJson::one(metric, value);
        let category = category_in(metric, value, 0);
        let found = ValuedJson::new(&Setup::from(position), category, values);
        HitJson { schema: VERSION, found }
    }
}

/// How many positions match a query.
#[derive(Clone, Debug, Serialize)]
pub struct CountJson {
    /// The version of the fields.
    pub schema: u32,
    /// Where it was searched.
    pub material: String,
    /// The query.
    pub query: String,
    /// How many.
    pub count: u64,
}

impl CountJson {
    /// So many positions of a material match.
    pub fn new(material: Material, query: &str, count: u64) -> CountJson {
        let (material, query) = (material.to_string(), query.to_owned());
        CountJson { schema: VERSION, material, query, count }
    }
}

/// The deepest positions of a material.
#[derive(Clone, Debug, Serialize)]
pub struct MaximaJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What is counted.
    pub metric: &'static str,
    /// The deepest wins and losses of each side to move.
    pub maxima: Vec<MaximumJson>,
}

/// The deepest wins or losses of one side to move.
#[derive(Clone, Debug, Serialize)]
pub struct MaximumJson {
    /// Who is to move.
    pub side_to_move: &'static str,
    /// Their class.
    #[serde(serialize_with = "category_name")]
    pub category: Category,
    /// Their depth.
    #[serde(flatten)]
    pub values: ValuesJson,
    /// The winner's moves.
    pub moves: u16,
    /// How many there are.
    pub count: usize,
    /// All of them.
    pub fens: Vec<String>,
}

impl MaximaJson {
    /// Groups of deepest positions, none of them empty.
    pub fn new(material: Material, metric: Metric, groups: &[Vec<Hit>]) -> MaximaJson {
        let maximum = |hits: &Vec<Hit>| {
            let first = hits.first()?;
            let value = first.values[metric as usize]?;
            let fens = hits.iter().map(|hit| Setup::from(hit.position).to_string());
            Some(MaximumJson {
                side_to_move: side_name(first.position.turn()),
                category: category_in(metric, value, 0),
                values: ValuesJson::one(metric, value),
                moves: value.plies().unwrap_or(0).div_ceil(2),
                count: hits.len(),
                fens: fens.collect(),
            })
        };
        MaximaJson {
            schema: VERSION,
            material: material.to_string(),
            metric: metric.name(),
            maxima: groups.iter().filter_map(maximum).collect(),
        }
    }
}

/// A mutual zugzwang.
#[derive(Clone, Debug, Serialize)]
pub struct ZugzwangJson {
    /// The version of the fields.
    pub schema: u32,
    /// Who gains.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The placement with White to move.
    pub white_to_move: ValuedJson,
    /// The placement with Black to move.
    pub black_to_move: ValuedJson,
}

impl ZugzwangJson {
    /// A zugzwang with its depths, if there are any.
    pub fn new(zugzwang: &Zugzwang, metric: Option<Metric>) -> ZugzwangJson {
        let with = |color: molien_board::Color| {
            let setup = Setup::from(zugzwang.position.with_turn(color));
            let value = zugzwang.values[color.index()];
            match metric {
                Some(metric) => {
                    let category = category_in(metric, value, 0);
                    ValuedJson::new(&setup, category, ValuesJson::one(metric, value))
                }
                None => ValuedJson::new(&setup, uncounted(value), ValuesJson::default()),
            }
        };
        ZugzwangJson {
            schema: VERSION,
            kind: zugzwang.kind.name(),
            white_to_move: with(molien_board::Color::White),
            black_to_move: with(molien_board::Color::Black),
        }
    }
}

/// The class of an outcome whose depth is not known.
fn uncounted(value: Value) -> Category {
    match value {
        Value::Win(_) => Category::MaybeWin,
        Value::Draw => Category::Draw,
        Value::Loss(_) => Category::MaybeLoss,
    }
}

/// How many mutual zugzwangs a material has.
#[derive(Clone, Debug, Serialize)]
pub struct ZugzwangsJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// How many of each kind.
    #[serde(flatten)]
    pub counts: ZugzwangCountsJson,
}

impl ZugzwangsJson {
    /// The counts of a material.
    pub fn new(material: Material, counts: ZugzwangCountsJson) -> ZugzwangsJson {
        ZugzwangsJson { schema: VERSION, material: material.to_string(), counts }
    }
}

/// How often there is a single good move.
#[derive(Clone, Debug, Serialize)]
pub struct OnlyMovesJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What is counted.
    pub metric: &'static str,
    /// With White to move.
    pub white_to_move: SideOnlyMovesJson,
    /// With Black to move.
    pub black_to_move: SideOnlyMovesJson,
}

/// How often one side to move has a single good move.
#[derive(Clone, Debug, Serialize)]
pub struct SideOnlyMovesJson {
    /// Wins by depth in plies.
    pub wins: BTreeMap<usize, OnlyMoveCountsJson>,
    /// Draws.
    pub draws: OnlyMoveCountsJson,
    /// Losses by depth in plies.
    pub losses: BTreeMap<usize, OnlyMoveCountsJson>,
}

/// Positions that have a move, and those in which exactly one is ...
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OnlyMoveCountsJson {
    /// All of them.
    pub positions: u64,
    /// ... one that keeps the outcome.
    pub one_keeping: u64,
    /// ... optimal.
    pub one_optimal: u64,
    /// ... legal.
    pub one_legal: u64,
}

impl From<&OnlyMoveCounts> for OnlyMoveCountsJson {
    fn from(counts: &OnlyMoveCounts) -> OnlyMoveCountsJson {
        let &OnlyMoveCounts { positions, one_keeping, one_optimal, one_legal } = counts;
        OnlyMoveCountsJson { positions, one_keeping, one_optimal, one_legal }
    }
}

impl From<&OnlyMoves> for SideOnlyMovesJson {
    fn from(side: &OnlyMoves) -> SideOnlyMovesJson {
        let by_ply = |counts: &[OnlyMoveCounts]| {
            let occurring = counts.iter().enumerate().filter(|(_, counts)| counts.positions > 0);
            occurring.map(|(ply, counts)| (ply, counts.into())).collect()
        };
        SideOnlyMovesJson {
            wins: by_ply(&side.wins),
            draws: (&side.draws).into(),
            losses: by_ply(&side.losses),
        }
    }
}

impl OnlyMovesJson {
    /// The counts of White and Black to move.
    pub fn new(material: Material, metric: Metric, sides: &[OnlyMoves; 2]) -> OnlyMovesJson {
        let [white, black] = sides;
        OnlyMovesJson {
            schema: VERSION,
            material: material.to_string(),
            metric: metric.name(),
            white_to_move: white.into(),
            black_to_move: black.into(),
        }
    }
}

/// One man tried on every square.
#[derive(Clone, Debug, Serialize)]
pub struct FreeJson {
    /// The version of the fields.
    pub schema: u32,
    /// The man, a letter as in a FEN.
    pub man: String,
    /// Who is to move.
    pub side_to_move: &'static str,
    /// What is counted.
    pub metric: &'static str,
    /// The squares on which the position is legal.
    pub squares: BTreeMap<String, ValuedJson>,
}

impl FreeJson {
    /// The meaning of every square, a1 first.
    pub fn new(free: &FreeMan, squares: &[FreeSquare], metric: Metric) -> FreeJson {
        let legal = |(square, found): (Square, &FreeSquare)| match found {
            FreeSquare::Legal(answer) => {
                let setup = free.setup(square).ok()?;
                let values = ValuesJson::new(answer.values, &[metric]);
                Some((square.to_string(), ValuedJson::new(&setup, answer.category, values)))
            }
            _ => None,
        };
        FreeJson {
            schema: VERSION,
            man: free.free().letter().to_string(),
            side_to_move: side_name(free.turn()),
            metric: metric.name(),
            squares: Square::all().zip(squares).filter_map(legal).collect(),
        }
    }
}

/// A file that was written.
#[derive(Clone, Debug, Serialize)]
pub struct ExportJson {
    /// The version of the fields.
    pub schema: u32,
    /// The file.
    pub file: String,
    /// How many rows it has.
    pub positions: u64,
}

impl ExportJson {
    /// A file with so many rows.
    pub fn new(file: &str, positions: u64) -> ExportJson {
        ExportJson { schema: VERSION, file: file.to_owned(), positions }
    }
}
