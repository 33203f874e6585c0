//! What a writer of learnt contexts holds of the values at a time: who wins, and the depths
//! of a metric and of the one before it, one side to move. Tables that are in memory anyway
//! are read where they are; of others nothing else is brought there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use molien_board::Color;
use molien_pack::{Late, Tables, late_of};
use molien_values::{BoardValues, Graded, Metric, Table};
use rayon::prelude::*;

use crate::write::Aliases;
use crate::write::block_encoder::SolvedMaterial;
use crate::write::solved::SolvedMetric;
use crate::write::unwritable::Unwritable;

/// The values of a material as they are packed.
pub(crate) struct Held<'a> {
    classes: Table,
    /// Positions beyond the 50-move rule, by part, if they have classes of their own.
    late: Option<Vec<Late>>,
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
        let part = |number: usize| -> Result<(Arc<BoardValues>, Option<Late>), Unwritable> {
            let part = own.written_part(number)?;
            let late = is_late.then(|| late_of(&part));
            let classes = |_, values| Graded { depth: Vec::new(), ..values };
            Ok((keeping(part, classes), late))
        };
        let (parts, late): (Vec<_>, Vec<_>) = all_parts(own, part)?.into_iter().unzip();
        let (classes, late) = (table_of(own, parts), late.into_iter().collect());
        let deep: Vec<&SolvedMetric<'_>> =
            all.iter().filter(|known| known.metric != Metric::Wdl).collect();
        let agreed = deep.iter().map(|_| Default::default()).collect();
        Ok(Held { classes, late, fifty: told.is_some(), deep, agreed, room_bytes, is_stopped })
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
        let late = self.late.as_deref();
        Tables { classes: &self.classes, late, metrics, stop: Some(self.is_stopped) }
    }

    /// The memory that is left beside the classes, these depths, and so many bytes.
    pub fn room_beside(&self, depths: &[&Table], bytes: u64) -> u64 {
        let held = depths.iter().copied().chain([&self.classes]).map(own_bytes).sum::<u64>();
        let late = self.late.iter().flatten().flatten().map(|plane| size_of_val(&plane[..]));
        self.room_bytes.saturating_sub(held + late.sum::<usize>() as u64 + bytes)
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
        let part = |part: usize| {
            let own = self.deep[number].written_part(part)?;
            if agrees(part, &own) { Ok(keeping(own, kept)) } else { Err(Unwritable::Disagree) }
        };
        let table = table_of(self.deep[number], all_parts(self.deep[number], part)?);
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

/// A part of which only what is kept of each side to move is held, unless somebody else holds
/// all of it.
fn keeping(part: Arc<BoardValues>, kept: impl Fn(usize, Graded) -> Graded) -> Arc<BoardValues> {
    match Arc::try_unwrap(part) {
        Ok(BoardValues { board, values: [white, black] }) => {
            Arc::new(BoardValues { board, values: [kept(0, white), kept(1, black)] })
        }
        Err(shared) => shared,
    }
}

/// Something of each part of a metric.
fn all_parts<T: Send>(
    metric: &SolvedMetric<'_>,
    part: impl Fn(usize) -> Result<T, Unwritable> + Sync,
) -> Result<Vec<T>, Unwritable> {
    let parts: Vec<Result<T, _>> = (0..metric.boards().len()).into_par_iter().map(&part).collect();
    // The first error of all, whichever thread was faster.
    parts.into_iter().collect()
}

/// The table of a metric, of which these parts are held.
fn table_of(metric: &SolvedMetric<'_>, parts: Vec<Arc<BoardValues>>) -> Table {
    let (material, stats) = (metric.material, metric.written_stats());
    Table { material, metric: metric.metric, parts, stats }
}
