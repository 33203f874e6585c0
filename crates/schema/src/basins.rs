//! Basins of attraction.

use molien_board::{Material, Position, Setup};
use molien_mine::{Basin, BasinSize, BasinSizes};
use molien_values::{Category, Metric, category_in};
use serde::Serialize;

use crate::value::{category_name, side_name};
use crate::{VERSION, ValuesJson};

/// The basins of some goals.
#[derive(Clone, Debug, Serialize)]
pub struct BasinsJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What best play counts.
    pub metric: &'static str,
    /// The goals.
    pub goals: Vec<String>,
    /// Each basin.
    pub basins: Vec<BasinJson>,
}

/// One basin.
#[derive(Clone, Debug, Serialize)]
pub struct BasinJson {
    /// Which one.
    pub basin: &'static str,
    /// How many positions it has.
    pub count: u64,
    /// By side to move and value.
    pub sizes: Vec<BasinSizeJson>,
    /// Some of the positions that come last on the way back from the goals.
    pub fens: Vec<String>,
}

/// Positions of a basin with one side to move and one value.
#[derive(Clone, Debug, Serialize)]
pub struct BasinSizeJson {
    /// Who is to move.
    pub side_to_move: &'static str,
    /// Their class.
    #[serde(serialize_with = "category_name")]
    pub category: Category,
    /// Their depth.
    #[serde(flatten)]
    pub values: ValuesJson,
    /// How many there are.
    pub count: u64,
}

impl BasinsJson {
    /// The sizes of the basins of some goals.
    pub fn new(
        material: Material,
        metric: Metric,
        goals: &[Position],
        found: &BasinSizes,
    ) -> BasinsJson {
        let fen = |position: &Position| Setup::from(*position).to_string();
        let size = |size: &BasinSize, basin: Basin| BasinSizeJson {
            side_to_move: side_name(size.turn),
            category: category_in(metric, size.value, 0),
            values: ValuesJson::one(metric, size.value),
            count: size.positions[basin as usize],
        };
        let basin = |basin: Basin| {
            let sizes = found.sizes.iter().map(|one| size(one, basin));
            BasinJson {
                basin: basin.name(),
                count: found.total(basin, |_| true),
                sizes: sizes.filter(|size| size.count > 0).collect(),
                fens: found.examples[basin as usize].iter().map(|(one, _)| fen(one)).collect(),
            }
        };
        BasinsJson {
            schema: VERSION,
            material: material.to_string(),
            metric: metric.name(),
            goals: goals.iter().map(fen).collect(),
            basins: Basin::ALL.map(basin).into(),
        }
    }
}
