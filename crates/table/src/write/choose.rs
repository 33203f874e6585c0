//! Choosing, by trying them on a sample, the layout and the references that
//! compress best.

use molien_board::{Color, Man, Role};
use molien_hyper::{Hyperboard, KING_PAIRS};
use molien_values::SideStats;
use rayon::prelude::*;

use crate::TableError;
use crate::format::coding::{Alphabet, Coding, SeenDifferences};
use crate::format::compress::Packer;
use crate::format::layout::{BLOCK_CELLS, Layout, ScanOrder, placed_men};
use crate::keys::key::RULE_DRAW_PLIES;
use crate::write::block_encoder::{BlockSample, SolvedMaterial};
use crate::write::solved::SolvedMetric;
use crate::write::streams::{Coder, raw_streams};
use crate::write::unwritable::Unwritable;

/// Tiles tried for each layout: many, since layouts differ in the positions
/// they have in a tile.
const LAYOUT_SAMPLE: SampleSize = SampleSize { places: 24, blocks: 3 };
/// Blocks tried for each order and each reference.
const BLOCK_SAMPLE: SampleSize = SampleSize { places: 8, blocks: 2 };
/// The level of trial compression.
const TRIAL_LEVEL: i32 = 6;
/// The king's moves are looked at in parts of at most this many cells: their
/// values are then held in memory while a table is written or loaded.
pub(crate) const KING_MOVES_CELLS: usize = 1 << 28;

/// Numbers below `all` spread by the golden ratio, so that they do not keep
/// step with the squares of any man; all of them if there are no more.
fn spread(all: usize, wanted: usize) -> Vec<usize> {
    if all <= wanted {
        return (0..all).collect();
    }
    let step = (all as f64 * 0.618_033_988_749_895) as usize;
    let mut found: Vec<usize> = (0..wanted).map(|i| (all / 3 + i * step.max(1)) % all).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// How many blocks are looked at: a number of places, and at each place some of
/// the blocks that are next to each other and read together.
#[derive(Clone, Copy)]
pub(crate) struct SampleSize {
    pub places: usize,
    pub blocks: usize,
}

/// Tiles next to each other: those of one man's squares.
const PLACE_TILES: usize = 64;

/// Of parts with more cells only one is looked at: to bring one into memory
/// takes seconds, and gigabytes.
const LARGE_PART_CELLS: usize = 1 << 26;

/// Some blocks, by place. Of layouts with blocks of the same size the places
/// have the same pawns.
fn sample(layout: &Layout, size: SampleSize) -> Vec<Vec<usize>> {
    let part_cells = layout.tiles_per_part() * layout.tile_cells();
    if layout.material.has_pawns() && part_cells > LARGE_PART_CELLS {
        let per_part = layout.blocks_per_part();
        let before = layout.placements.len() / 3 * per_part;
        let mut places = sample_of(layout, per_part, size);
        places.iter_mut().flatten().for_each(|block| *block += before);
        return places;
    }
    sample_of(layout, layout.blocks(), size)
}

/// Some of the first `all` blocks.
fn sample_of(layout: &Layout, all: usize, size: SampleSize) -> Vec<Vec<usize>> {
    let together = (PLACE_TILES / layout.tiles_per_block).clamp(1, all);
    let places = spread(all.div_ceil(together), size.places);
    let place = |(i, place): (usize, &usize)| {
        let first = place * together;
        let here = together.min(all - first);
        // Others at each place, so that not always the same squares are seen.
        let shift = i * here / places.len();
        spread(here, size.blocks).into_iter().map(|j| first + (j + shift) % here).collect()
    };
    places.iter().enumerate().map(place).collect()
}

/// Some blocks in some metrics.
pub(crate) fn samples(
    source: &SolvedMaterial<'_>,
    layout: &Layout,
    size: SampleSize,
    metrics: &[usize],
) -> Result<Vec<BlockSample>, TableError> {
    let places = sample(layout, size).into_par_iter();
    let places = places.map(|blocks| source.samples(layout, &blocks, metrics));
    Ok(places.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The orders of the placed men worth a try: any two kinds of men as row and
/// column. The man along whom the hyperboard's words run comes next to them
/// if he is not one of them.
fn orders(table: &SolvedMetric<'_>) -> Vec<Vec<Man>> {
    let men = placed_men(&table.material);
    let along = table.boards().first().and_then(|board| board.column());
    let mut orders: Vec<Vec<Man>> = Vec::new();
    for i in 0..men.len() {
        for j in (0..men.len()).filter(|&j| j != i || men.len() == 1) {
            let rest = (0..men.len()).filter(|&k| k != i && k != j).map(|k| men[k]);
            let mut order: Vec<Man> = rest.collect();
            order.sort_by_key(|&man| Some(man) == along);
            order.push(men[i]);
            order.extend((i != j).then_some(men[j]));
            if !orders.contains(&order) {
                orders.push(order);
            }
        }
    }
    orders
}

/// All layouts worth a try: either side predicted if it has a man in the
/// tiles, or its king's moves are looked at.
fn candidates(table: &SolvedMetric<'_>, king_moves_cells: usize) -> Vec<Layout> {
    let placement = |board: &Hyperboard| {
        molien_values::Placement::new(Color::BOTH.map(|color| board.pawns(color)))
    };
    let placements: Vec<_> = table.boards().into_iter().map(placement).collect();
    let classes = if table.material.has_pawns() { 1 } else { KING_PAIRS };
    let mut layouts = Vec::new();
    for men in orders(table) {
        let king_moves = classes << (6 * men.len()) <= king_moves_cells;
        for predicted in Color::BOTH {
            let tile_men = &men[men.len().saturating_sub(2)..];
            if !tile_men.iter().any(|man| man.color == predicted) {
                continue;
            }
            let king = Man::new(predicted, Role::King);
            let tile_cells = if men.len() < 2 { 64 } else { 4096 };
            layouts.push(Layout {
                material: table.material,
                predicted,
                king_moves: king_moves && !tile_men.contains(&king),
                order: ScanOrder::Tiles,
                tiles_per_block: BLOCK_CELLS / tile_cells,
                placements: placements.clone(),
                men: men.clone(),
            });
        }
    }
    layouts
}

/// The depths that occur, by the statistics.
fn alphabet_of(stats: &SideStats) -> Alphabet {
    let list = |counts: &Vec<molien_values::Count>| {
        let found = counts.iter().enumerate().filter(|(_, count)| count.unique > 0);
        found.map(|(plies, _)| plies as i32).collect()
    };
    Alphabet { wins: list(&stats.wins), losses: list(&stats.losses) }
}

/// The coding of a table without a reference.
pub(crate) fn plain_coding(table: &SolvedMetric<'_>) -> Coding {
    let mut alphabets = table.stats.sides.each_ref().map(alphabet_of);
    if table.has_rule_draws() {
        for alphabet in &mut alphabets {
            alphabet.wins.push(i32::from(RULE_DRAW_PLIES) + 1);
            alphabet.losses.push(i32::from(RULE_DRAW_PLIES));
        }
    }
    Coding { stored: table.keeps_depths(), reference: None, alphabets }
}

/// The packed sizes of a block's streams.
fn stream_costs(
    layout: &Layout,
    sample: &BlockSample,
    codings: &[Coding],
) -> Result<Vec<usize>, Unwritable> {
    let mut coders: Vec<Coder> =
        codings.iter().map(|coding| Coder::new(coding, layout.predicted)).collect();
    let streams = raw_streams(layout, &sample.shape, &mut sample.keys(), &mut coders)?;
    let mut packer = Packer::new(TRIAL_LEVEL, &[])?;
    let costs = streams.iter().map(|stream| Ok(packer.pack(stream)?.len()));
    costs.collect()
}

/// Bytes per position of a sample, in small units.
fn layout_cost(
    source: &SolvedMaterial<'_>,
    layout: &Layout,
    tiles: usize,
) -> Result<usize, Unwritable> {
    // What suits the last metric, the costliest, suits the others too.
    let last = (0..source.metrics.len()).rev().find(|&i| source.metrics[i].keeps_depths());
    let metric = last.unwrap_or(0);
    let coding = [plain_coding(&source.metrics[metric])];
    let size = if tiles < layout.tiles_per_block { LAYOUT_SAMPLE } else { BLOCK_SAMPLE };
    let layout = &Layout { tiles_per_block: tiles, ..layout.clone() };
    let blocks = samples(source, layout, size, &[metric])?;
    let costs = blocks.par_iter().map(|block| stream_costs(layout, block, &coding));
    let costs: Vec<Vec<usize>> = costs.collect::<Result<_, _>>()?;
    let positions: usize = blocks.iter().map(BlockSample::positions).sum();
    Ok(costs.iter().flatten().sum::<usize>() * (1 << 20) / positions.max(1))
}

/// The layout that compresses the sample best; the first of equals.
///
/// # Errors
/// If the tables disagree on an outcome or cannot be read.
pub(crate) fn best_layout(source: &SolvedMaterial<'_>) -> Result<Layout, Unwritable> {
    let mut best: Option<(usize, Layout)> = None;
    for layout in candidates(&source.metrics[0], source.king_moves_cells) {
        let tiles = if layout.men.len() < 2 { layout.tiles_per_block } else { 1 };
        let cost = layout_cost(source, &layout, tiles)?;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, layout));
        }
    }
    // Whether to scan by rows is decided for the best men only.
    let (_, by_tiles) = best.ok_or(Unwritable::Disagree)?;
    let by_rows = Layout { order: ScanOrder::Rows, ..by_tiles.clone() };
    let cost = |layout: &Layout| layout_cost(source, layout, layout.tiles_per_block);
    Ok(if cost(&by_rows)? < cost(&by_tiles)? { by_rows } else { by_tiles })
}

/// For each metric the earlier metric from which to count, if that pays.
///
/// # Errors
/// If the tables disagree on an outcome or cannot be read.
pub(crate) fn best_references(
    source: &SolvedMaterial<'_>,
    layout: &Layout,
) -> Result<Vec<Option<usize>>, Unwritable> {
    let all: Vec<usize> = (0..source.metrics.len()).collect();
    let plain: Vec<Coding> = source.metrics.iter().map(plain_coding).collect();
    if all.len() < 2 {
        return Ok(vec![None; all.len()]);
    }
    let blocks = samples(source, layout, BLOCK_SAMPLE, &all)?;
    let base = !layout.predicted;
    let cost = |metric: usize, reference: Option<usize>| -> Result<usize, Unwritable> {
        let mut codings = plain.clone();
        if let Some(from) = reference {
            let mut seen = SeenDifferences::new();
            blocks.iter().for_each(|block| block.differences(base, metric, from, &mut seen));
            codings[metric].alphabets[base.index()] = seen.alphabet();
            codings[metric].reference = reference;
        }
        let costs = blocks.par_iter().map(|block| stream_costs(layout, block, &codings));
        let costs = costs.collect::<Result<Vec<_>, _>>()?;
        Ok(costs.iter().map(|costs| costs[2 + 2 * metric]).sum())
    };
    let best = |metric: usize| -> Result<Option<usize>, Unwritable> {
        let earlier = (0..metric).filter(|&earlier| plain[earlier].stored && plain[metric].stored);
        let mut best = (cost(metric, None)?, None);
        for from in earlier {
            best = best.min((cost(metric, Some(from))?, Some(from)));
        }
        Ok(best.1)
    };
    all.iter().map(|&metric| best(metric)).collect()
}
