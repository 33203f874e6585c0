//! Which order of men, which base side: tried out on samples.

use molien_board::{Color, Man, Material};
use molien_values::Placement;
use rayon::prelude::*;

use crate::layout::Layout;
use crate::men::placed_men;
use crate::pack::ClassPacker;
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

/// The layout and base side whose classes are the smallest by trial.
///
/// # Panics
/// If the material has too many men for any layout.
pub fn choose<S: TileSource>(
    source: &S,
    material: Material,
    placements: &[Placement],
    near: Option<Man>,
) -> (Layout, Color) {
    let layouts: Vec<Layout> = orders(&material, near)
        .iter()
        .filter_map(|order| Layout::new(material, order, placements.to_vec()))
        .collect();
    let sides = if material.is_symmetric() { &Color::BOTH[..1] } else { &Color::BOTH[..] };
    let trials: Vec<(&Layout, Color)> =
        layouts.iter().flat_map(|layout| sides.iter().map(move |&side| (layout, side))).collect();
    let cost = |&(layout, base): &(&Layout, Color)| {
        ClassPacker::new(source, layout, base, Profile::TRIAL).estimate()
    };
    let costs: Vec<u64> = trials.par_iter().map(cost).collect();
    // The first of equals, so that the choice does not depend on threads.
    let best = (0..trials.len()).min_by_key(|&i| (costs[i], i));
    let (layout, base) = best.map(|i| trials[i]).expect("a material has a layout");
    (layout.clone(), base)
}
