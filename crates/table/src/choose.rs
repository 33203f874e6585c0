//! Choosing, by trying them on a sample, the layout and the references that
//! compress best.

use molien_board::{Color, Man};
use molien_solve::Table;
use rayon::prelude::*;

use crate::codec::{Coding, Malformed};
use crate::compress::Packer;
use crate::encode::{Found, depth_streams, outcome_streams};
use crate::layout::{BLOCK_CELLS, Layout, ScanOrder, placed_men};
use crate::shape::BlockShape;
use crate::source::{BlockValues, Source};

/// Blocks tried for each layout.
const LAYOUT_SAMPLE: usize = 8;
/// Blocks tried for each reference.
const REFERENCE_SAMPLE: usize = 16;
/// The level of trial compression.
const TRIAL_LEVEL: i32 = 7;

/// Evenly spread block numbers.
pub(crate) fn sample(blocks: usize, wanted: usize) -> Vec<usize> {
    let count = wanted.min(blocks);
    // The middle of each stretch: the first blocks are often the odd ones.
    (0..count).map(|i| (2 * i + 1) * blocks / (2 * count)).collect()
}

/// A block's shape and values.
pub(crate) type Sampled = (BlockShape, BlockValues);

pub(crate) fn sampled(source: &Source<'_>, layout: &Layout, wanted: usize) -> Option<Vec<Sampled>> {
    let blocks = sample(layout.blocks(), wanted);
    let read = |block: usize| {
        let shape = BlockShape::new(layout, block);
        let values = source.block(layout, &shape, block)?;
        Some((shape, values))
    };
    blocks.into_par_iter().map(read).collect()
}

/// All layouts worth a try: any two kinds of men as row and column, either
/// side predicted if it has a man among them.
pub(crate) fn candidates(table: &Table) -> Vec<Layout> {
    let men = placed_men(&table.material);
    let placements = table
        .parts
        .iter()
        .map(|part| molien_solve::Placement::new(Color::BOTH.map(|color| part.board.pawns(color))));
    let placements: Vec<_> = placements.collect();
    let mut orders: Vec<Vec<Man>> = Vec::new();
    for i in 0..men.len() {
        for j in (0..men.len()).filter(|&j| j != i || men.len() == 1) {
            let rest = (0..men.len()).filter(|&k| k != i && k != j).map(|k| men[k]);
            let tile = if i == j { vec![men[i]] } else { vec![men[i], men[j]] };
            let order: Vec<Man> = rest.chain(tile).collect();
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    let mut layouts = Vec::new();
    for men in orders {
        for predicted in Color::BOTH {
            let tile_men = &men[men.len().saturating_sub(2)..];
            if !tile_men.iter().any(|man| man.color == predicted) {
                continue;
            }
            let tile_cells = if men.len() < 2 { 64 } else { 4096 };
            layouts.push(Layout {
                material: table.material,
                men: men.clone(),
                predicted,
                order: ScanOrder::Tiles,
                tiles_per_block: BLOCK_CELLS / tile_cells,
                placements: placements.clone(),
            });
        }
    }
    layouts
}

/// The alphabets of a metric over some blocks.
pub(crate) fn alphabets_of(
    layout: &Layout,
    blocks: &[Sampled],
    metric: usize,
    reference: Option<usize>,
) -> Coding {
    let alphabets = Color::BOTH.map(|side| {
        let mut found = Found::default();
        for (shape, values) in blocks {
            found.add(shape, side, values, metric, reference, side == layout.predicted);
        }
        found.alphabet()
    });
    Coding { stored: true, reference, alphabets }
}

fn packed_len(stream: &[u8]) -> usize {
    let packed = Packer::new(TRIAL_LEVEL, &[]).and_then(|mut packer| packer.pack(stream));
    packed.map_or(stream.len(), |packed| packed.len())
}

fn depth_cost(layout: &Layout, blocks: &[Sampled], metric: usize, coding: &Coding) -> usize {
    let cost = |(shape, values): &Sampled| -> Result<usize, Malformed> {
        let streams = depth_streams(layout, shape, values, metric, coding)?;
        Ok(streams.iter().map(|stream| packed_len(stream)).sum())
    };
    blocks.par_iter().map(|block| cost(block).unwrap_or(usize::MAX / 1024)).sum()
}

fn outcome_cost(layout: &Layout, blocks: &[Sampled]) -> usize {
    let streams = blocks.par_iter().map(|(shape, values)| outcome_streams(layout, shape, values));
    streams.map(|pair| pair.iter().map(|stream| packed_len(stream)).sum::<usize>()).sum()
}

/// Whether a table knows the depth of each position, or only their number.
pub(crate) fn keeps_depths(table: &Table) -> bool {
    let deep = |counts: &Vec<molien_solve::Count>| counts.len() > 1;
    let any = table.stats.sides.iter().any(|side| deep(&side.wins) || deep(&side.losses));
    !any || table.parts.iter().flat_map(|part| &part.values).any(|side| !side.depth.is_empty())
}

/// Bytes per position of a sample, in small units. `None` if the tables
/// disagree on an outcome.
fn layout_cost(source: &Source<'_>, layout: &Layout) -> Option<usize> {
    let blocks = sampled(source, layout, LAYOUT_SAMPLE)?;
    // What suits the last metric, the costliest, suits the others too.
    let metric = (0..source.tables.len()).rev().find(|&i| keeps_depths(source.tables[i]));
    let depths = metric.map_or(0, |metric| {
        let coding = alphabets_of(layout, &blocks, metric, None);
        depth_cost(layout, &blocks, metric, &coding)
    });
    let count =
        |(shape, _): &Sampled| shape.cells(Color::White).len() + shape.cells(Color::Black).len();
    let positions: usize = blocks.iter().map(count).sum();
    Some((depths + outcome_cost(layout, &blocks)) * (1 << 20) / positions.max(1))
}

/// The layout that compresses the sample best; the first of equals. `None` if
/// the tables disagree on an outcome.
pub(crate) fn best_layout(source: &Source<'_>) -> Option<Layout> {
    let mut best: Option<(usize, Layout)> = None;
    let mut consider = |layout: Layout| {
        let cost = layout_cost(source, &layout)?;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, layout));
        }
        best.as_ref().map(|(_, layout)| layout.clone())
    };
    let mut found = None;
    for layout in candidates(source.tables[0]) {
        found = Some(consider(layout)?);
    }
    // Whether to scan by rows is decided for the best men only.
    consider(Layout { order: ScanOrder::Rows, ..found? })
}

/// For each metric the earlier metric from which to count, if that pays.
pub(crate) fn best_references(source: &Source<'_>, layout: &Layout) -> Option<Vec<Option<usize>>> {
    let blocks = sampled(source, layout, REFERENCE_SAMPLE)?;
    let best = |metric: usize| {
        let earlier = (0..metric).filter(|&earlier| keeps_depths(source.tables[earlier]));
        let options = std::iter::once(None).chain(earlier.map(Some));
        let cost = |reference: &Option<usize>| {
            let coding = alphabets_of(layout, &blocks, metric, *reference);
            depth_cost(layout, &blocks, metric, &coding)
        };
        options.min_by_key(cost).flatten()
    };
    Some((0..source.tables.len()).map(best).collect())
}
