//! What a writer of learnt contexts holds of the values at a time: who wins, and the depths
//! of a metric and of the one before it, one side to move. Tables that are in memory anyway
//! are read where they are; of others nothing else is brought there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use molien_board::Color;
use molien_hyper::Tile;
use molien_pack::Tables;
use molien_values::{BoardValues, FIFTY_MOVES_PLIES, Graded, Metric, Table};
use rayon::prelude::*;

use crate::write::Aliases;
use crate::write::block_encoder::SolvedMaterial;
use crate::write::solved::SolvedMetric;
use crate::write::unwritable::Unwritable;

/// The values of a material as they are packed.
pub(crate) struct Held<'a> {
    classes: Table,
    /// Whether the classes are those of the 50-move rule.
    pub fifty: bool,
    /// The metrics that have depths, in stored order.
    deep: Vec<&'a SolvedMetric<'a>>,
    /// Of each of them, the sides to move that were found to agree with the classes on who wins.
    agreed: Vec<[AtomicBool; 2]>,
    room_bytes: u64,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl<'a> Held<'a> {
    /// Values that are packed in so many bytes of memory, if they can be, unless somebody
    /// wants that to end.
    pub fn new(
        source: &'a SolvedMaterial<'a>,
        aliases: &Aliases,
        room_bytes: u64,
        is_stopped: &'a (dyn Fn() -> bool + Sync),
    ) -> Result<Held<'a>, Unwritable> {
        let all = &source.metrics;
        let is_fifty = |metric: Metric| matches!(metric, Metric::Dtz50 | Metric::Wdl);
        let alias = aliases.iter().find(|(metric, _)| is_fifty(*metric)).map(|(_, place)| *place);
        let told = all.iter().position(|known| is_fifty(known.metric)).or(alias);
        let own = &all[told.unwrap_or(0)];
        let is_late = told.is_some() && own.stats.is_cursed();
        let classes = load(own, |_, _| true, |_, values| classes_of(values, is_late))?;
        let deep: Vec<&SolvedMetric<'_>> =
            all.iter().filter(|known| known.metric != Metric::Wdl).collect();
        let agreed = deep.iter().map(|_| Default::default()).collect();
        Ok(Held { classes, fifty: told.is_some(), deep, agreed, room_bytes, is_stopped })
    }

    /// Who wins.
    pub fn classes(&self) -> &Table {
        &self.classes
    }

    /// How many metrics have depths.
    pub fn len(&self) -> usize {
        self.deep.len()
    }

    pub fn metric(&self, number: usize) -> Metric {
        self.deep[number].metric
    }

    /// Depths as a source of tiles; metrics are counted within this list.
    pub fn tables<'b>(&'b self, metrics: Vec<&'b Table>) -> Tables<'b> {
        Tables { classes: &self.classes, fifty: self.fifty, metrics, stop: Some(self.is_stopped) }
    }

    /// The memory that is left beside the classes, these depths, and so many bytes.
    pub fn room_beside(&self, depths: &[&Table], bytes: u64) -> u64 {
        let held = depths.iter().copied().chain([&self.classes]).map(own_bytes).sum::<u64>();
        self.room_bytes.saturating_sub(held + bytes)
    }

    /// The depths of a metric with these sides to move.
    ///
    /// # Errors
    /// If they cannot be read, or the metric disagrees on who wins.
    pub fn depths(&self, number: usize, sides: &[Color]) -> Result<Table, Unwritable> {
        let is_wanted = |side: usize| sides.iter().any(|wanted| wanted.index() == side);
        let is_new = |side: usize| is_wanted(side) && !self.agreed[number][side].load(Relaxed);
        let agrees = |part: usize, own: &Arc<BoardValues>| {
            let classes = &self.classes.parts[part];
            let both = own.values.iter().zip(&classes.values).enumerate();
            Arc::ptr_eq(own, classes)
                || both.filter(|(side, _)| is_new(*side)).all(|(_, (own, classes))| {
                    own.legal == classes.legal && own.won == classes.won && own.lost == classes.lost
                })
        };
        let kept = |side: usize, values: Graded| match is_wanted(side) {
            true => Graded { depth: values.depth, ..Graded::default() },
            false => Graded::default(),
        };
        let table = load(self.deep[number], agrees, kept)?;
        for side in sides {
            self.agreed[number][side.index()].store(true, Relaxed);
        }
        Ok(table)
    }

    /// Goes through the depths of each side to move that is wanted of a metric: its number,
    /// the side, the metric before it if that has just been held, its own.
    ///
    /// # Errors
    /// The first one, see [`Held::depths`].
    pub fn each(
        &self,
        wanted: impl Fn(usize) -> Vec<Color>,
        mut found: impl FnMut(usize, Color, Option<&Table>, &Table) -> Result<(), Unwritable>,
    ) -> Result<(), Unwritable> {
        for side in Color::BOTH {
            let mut before = None;
            for number in 0..self.len() {
                let own = match wanted(number).contains(&side) {
                    true => Some(self.depths(number, &[side])?),
                    false => None,
                };
                if let Some(own) = &own {
                    found(number, side, before.as_ref(), own)?;
                }
                before = own;
            }
        }
        Ok(())
    }
}

/// What a table takes that nobody else holds.
fn own_bytes(table: &Table) -> u64 {
    let own = table.parts.iter().filter(|part| Arc::strong_count(part) == 1);
    own.map(|part| part.len_bytes() as u64).sum()
}

/// A table of which only what is kept of each side to move is held, unless somebody else
/// holds all of it.
fn load(
    metric: &SolvedMetric<'_>,
    agrees: impl Fn(usize, &Arc<BoardValues>) -> bool + Sync,
    kept: impl Fn(usize, Graded) -> Graded + Sync,
) -> Result<Table, Unwritable> {
    let part = |number: usize| -> Result<Arc<BoardValues>, Unwritable> {
        let part = metric.written_part(number)?;
        if !agrees(number, &part) {
            return Err(Unwritable::Disagree);
        }
        Ok(match Arc::try_unwrap(part) {
            Ok(BoardValues { board, values: [white, black] }) => {
                Arc::new(BoardValues { board, values: [kept(0, white), kept(1, black)] })
            }
            Err(shared) => shared,
        })
    };
    let parts: Vec<Result<_, _>> = (0..metric.boards().len()).into_par_iter().map(part).collect();
    let parts = parts.into_iter().collect::<Result<_, _>>()?;
    let (material, stats) = (metric.material, metric.written_stats());
    Ok(Table { material, metric: metric.metric, parts, stats })
}

/// Who wins; of the depths, if that matters, whether they are beyond the 50-move rule.
fn classes_of(values: Graded, is_late: bool) -> Graded {
    let late = |tile: usize| values.deeper(tile, FIFTY_MOVES_PLIES);
    let late: Option<Vec<Tile>> = is_late.then(|| (0..values.legal.len()).map(late).collect());
    // One bit that counts for more than the rule allows; those below it are empty.
    let top = (u16::BITS - FIFTY_MOVES_PLIES.leading_zeros()) as usize;
    let below = if is_late { top } else { 0 };
    let depth = std::iter::repeat_n(Vec::new(), below).chain(late).collect();
    Graded { legal: values.legal, won: values.won, lost: values.lost, depth, ..Graded::default() }
}
