//! Which order of men, which base side: tried out on samples.

use molien_board::{Color, Man, Material};
use molien_values::Placement;
use rayon::prelude::*;

use crate::depth_pack::{DepthPacker, Metric};
use crate::error::PackError;
use crate::layout::Layout;
use crate::men::placed_men;
use crate::pack::{estimate_bases, stored_sides};
use crate::profile::Profile;
use crate::source::TileSource;

/// The orders of the placed men that differ in row or column, each once. The
/// man `near`, if he is an outer one, is the last of them: sources read whole
/// words along him.
pub fn orders(material: &Material, near: Option<Man>) -> Vec<Vec<Man>> {
    let men = placed_men(material);
    let mut all: Vec<Vec<Man>> = Vec::new();
    for row in 0..men.len() {
        for column in (0..men.len()).filter(|&column| column != row || men.len() == 1) {
            let outer = (0..men.len()).filter(|&i| i != row && i != column);
            let mut order: Vec<Man> = outer.map(|i| men[i]).collect();
            order.sort_by_key(|man| Some(*man) == near);
            if men.len() > 1 {
                order.push(men[row]);
            }
            order.push(men[column]);
            if !all.contains(&order) {
                all.push(order);
            }
        }
    }
    all
}

/// About what depths in some metrics take, each taken for as large as the first.
fn depth_cost<S: TileSource>(
    source: &S,
    layout: &Layout,
    metrics: usize,
    profile: &Profile,
) -> Result<u64, PackError> {
    let metric = Metric { number: 0, earlier: None };
    let trial = profile.trial();
    let trial = Profile { sample: trial.sample / 2, ..trial };
    let side = |side: Color| DepthPacker::new(source, layout, side, metric, trial).estimate();
    let sides = stored_sides(layout, Color::White);
    let sides = if metrics == 0 { &[][..] } else { &sides[..] };
    let sum = sides.par_iter().map(|&turn| side(turn)).sum::<Result<u64, PackError>>()?;
    Ok(sum * metrics as u64)
}

/// The layout and base side whose classes, and depths in so many metrics of the
/// source, are the smallest by trials as a profile has them.
///
/// # Errors
/// If the source has a depth that it does not count.
///
/// # Panics
/// If the material has too many men for any layout.
pub fn choose<S: TileSource>(
    source: &S,
    material: Material,
    placements: &[Placement],
    near: Option<Man>,
    metrics: usize,
    profile: &Profile,
) -> Result<(Layout, Color), PackError> {
    let layouts: Vec<Layout> = orders(&material, near)
        .iter()
        .filter_map(|order| Layout::new(material, order, placements.to_vec()))
        .collect();
    let depth_costs = layouts.par_iter().map(|layout| depth_cost(source, layout, metrics, profile));
    let depth_costs: Vec<u64> = depth_costs.collect::<Result<_, _>>()?;
    let class_trial = if metrics == 0 { profile.class_trial() } else { profile.trial() };
    let class_costs: Vec<Vec<u64>> =
        layouts.par_iter().map(|layout| estimate_bases(source, layout, &class_trial)).collect();
    let trials: Vec<(&Layout, Color, u64)> = layouts
        .iter()
        .zip(depth_costs.iter().zip(class_costs))
        .flat_map(|(layout, (depths, classes))| {
            Color::BOTH
                .into_iter()
                .zip(classes)
                .map(move |(side, cost)| (layout, side, cost + depths))
        })
        .collect();
    // The first of equals, so that the choice does not depend on threads.
    let best = (0..trials.len()).min_by_key(|&i| (trials[i].2, i));
    let (layout, base, _) = best.map(|i| trials[i]).expect("a material has a layout");
    Ok((layout.clone(), base))
}
