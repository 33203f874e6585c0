//! The figures of a material.

use std::collections::BTreeMap;

use molien_board::{Color, Setup};
use molien_mine::Figures;
use molien_values::{Longest, Value, Zugzwangs, category_in};
use serde::Serialize;

use crate::{VERSION, ValuedJson, ValuesJson};

/// Statistics of a material in one metric.
#[derive(Clone, Debug, Serialize)]
pub struct StatsJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material, in the orientation asked.
    pub material: String,
    /// What the plies count.
    pub metric: &'static str,
    /// How positions are counted.
    pub counting: String,
    /// The positions with White to move.
    pub white_to_move: SideStatsJson,
    /// The positions with Black to move.
    pub black_to_move: SideStatsJson,
    /// Mutual zugzwangs by kind.
    pub mutual_zugzwangs: ZugzwangCountsJson,
}

/// Statistics of one side to move.
#[derive(Clone, Debug, Serialize)]
pub struct SideStatsJson {
    /// All positions.
    pub legal: u64,
    /// Won; without the cursed ones where those are counted.
    pub wins: u64,
    /// Won, but drawn by the 50-move rule; in DTZ50 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursed_wins: Option<u64>,
    /// Drawn.
    pub draws: u64,
    /// Lost, but drawn by the 50-move rule; in DTZ50 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blessed_losses: Option<u64>,
    /// Lost.
    pub losses: u64,
    /// A longest win.
    pub longest_win: Option<ValuedJson>,
    /// A longest loss.
    pub longest_loss: Option<ValuedJson>,
    /// Wins by depth in plies.
    pub win_plies: BTreeMap<usize, u64>,
    /// Losses by depth in plies.
    pub loss_plies: BTreeMap<usize, u64>,
    /// The share of wins; none of nothing.
    pub win_percent: Option<f64>,
    /// The horizon by ply.
    pub horizon_percent: BTreeMap<usize, f64>,
}

/// Mutual zugzwangs by kind.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ZugzwangCountsJson {
    /// White to move draws, Black to move loses.
    pub white_wins: u64,
    /// Black to move draws, White to move loses.
    pub black_wins: u64,
    /// Whoever moves loses.
    pub full_point: u64,
}

impl StatsJson {
    /// The figures of a material.
    pub fn new(figures: &Figures<'_>) -> StatsJson {
        let Zugzwangs { white_wins, black_wins, full_point, .. } = figures.stats.zugzwangs;
        StatsJson {
            schema: VERSION,
            material: figures.stats.material.to_string(),
            metric: figures.metric.name(),
            counting: figures.counting.to_string(),
            white_to_move: SideStatsJson::new(figures, Color::White),
            black_to_move: SideStatsJson::new(figures, Color::Black),
            mutual_zugzwangs: ZugzwangCountsJson {
                white_wins: figures.number(white_wins),
                black_wins: figures.number(black_wins),
                full_point: figures.number(full_point),
            },
        }
    }
}

impl SideStatsJson {
    fn new(figures: &Figures<'_>, side: Color) -> SideStatsJson {
        let (stats, shares) = (&figures.stats.sides[side.index()], figures.shares(side));
        let (legal, rule) = (shares.total(), figures.minds_the_rule());
        let plies = figures.plies(side);
        let longest = |longest: &Option<Longest>, value: fn(u16) -> Value| {
            let Longest { plies, position } = longest.as_ref()?;
            let (setup, value) = (Setup::from(*position), value(*plies));
            let values = ValuesJson::one(figures.metric, value);
            Some(ValuedJson::new(&setup, category_in(figures.metric, value, 0), values))
        };
        let occurring = |numbers: &[u64]| {
            let numbers = numbers.iter().copied().enumerate();
            numbers.filter(|&(_, number)| number > 0).collect()
        };
        let [wins_by_ply, losses_by_ply] = figures.by_ply(side);
        SideStatsJson {
            legal,
            wins: shares.wins,
            cursed_wins: rule.then_some(shares.cursed_wins),
            draws: shares.draws,
            blessed_losses: rule.then_some(shares.blessed_losses),
            losses: shares.losses,
            longest_win: longest(&stats.longest_win, Value::Win),
            longest_loss: longest(&stats.longest_loss, Value::Loss),
            win_plies: occurring(&wins_by_ply),
            loss_plies: occurring(&losses_by_ply),
            win_percent: (legal > 0).then(|| rounded(shares.wins as f64 * 100.0 / legal as f64)),
            horizon_percent: plies.iter().map(|at| (at.ply, rounded(100.0 * at.horizon))).collect(),
        }
    }
}

/// With two digits.
fn rounded(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}
