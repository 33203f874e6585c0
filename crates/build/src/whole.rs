//! A whole table: its boards in stages, and what they read of other tables.
//!
//! A promotion leads to a table with as many men, which may be as large as the
//! table itself; but it is read only where the new man stands on his promotion
//! square, one side to move. Those slices are copied before the first board is
//! solved, one table after the other, and forgotten once they have been read:
//! so none of the large tables need stay in memory.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Color, Man, Material, Role, Square};
use molien_solve::{Closure, Cost, Keep, Node, Wanted};
use molien_values::{Metric, Placement};
use rayon::prelude::*;

use crate::limits::is_small;
use crate::memory::{copied_bytes, kept_bytes, lean_bytes, working_bytes};
use crate::plan::{Schedule, Stage, reads_of};

/// How a whole table is made.
pub(crate) struct Whole {
    pub schedule: Schedule,
    /// Slices to copy, by the table they are cut from.
    pub slices: Vec<(Material, Vec<Wanted>)>,
    /// What all slices take together.
    pub slices_bytes: u64,
    /// What every board reads takes together.
    pub common_bytes: u64,
    /// What is in memory at each stage, boards finished in it included, and how
    /// many those are.
    alive: Vec<(u64, u64)>,
    /// What solving a board takes on top.
    solving_bytes: u64,
    /// What a board takes while it is solved: itself, what solving it takes, and
    /// what it reads, all of it brought into memory for it.
    pub in_work_bytes: u64,
    /// The same if boards are solved in little memory.
    pub lean_bytes: u64,
    /// Tiles of each board, and what is counted.
    pub tiles: u64,
    pub metric: Metric,
}

/// All boards of a material in stages that read only earlier stages: the
/// furthest advanced pawns first.
pub(crate) fn stages(material: Material) -> Vec<Vec<Node>> {
    if !material.has_pawns() {
        return vec![vec![Node { material, pawns: Placement::NONE }]];
    }
    let mut placements = Placement::all(&material);
    placements.sort_by_key(|placement| std::cmp::Reverse(placement.advancement()));
    let node = |&pawns: &Placement| Node { material, pawns };
    let levels = placements.chunk_by(|a, b| a.advancement() == b.advancement());
    levels.map(|level| level.iter().map(node).collect()).collect()
}

/// What a finished table takes.
pub(crate) fn table_bytes(material: Material, keep: Keep) -> u64 {
    let boards = match material.has_pawns() {
        true => Placement::all(&material),
        false => vec![Placement::NONE],
    };
    let first = boards.first().map(|&pawns| Node { material, pawns });
    let each = first.map_or(0, |node| kept_bytes(material, node.tiles(), keep));
    each * boards.len() as u64
}

/// What the boards of a table read.
#[derive(Default)]
struct Reads {
    /// The last stage that reads each slice.
    slices: HashMap<Wanted, usize>,
    /// What every board reads.
    common: HashMap<Wanted, u64>,
    /// The most that one board copies for itself.
    copied_bytes: u64,
    /// The same with slices, and with what copies are made of, where nothing of
    /// that is in memory before.
    alive_bytes: u64,
    /// The same if of the promotions on a square only the best is kept.
    merged_bytes: u64,
}

impl Reads {
    fn add_stage(
        &mut self,
        stage: usize,
        boards: &[Node],
        (metric, promotions, closure): (Metric, &[Role], &Closure),
        is_slice: IsSlice,
    ) {
        let read = boards.par_iter().map(|node| reads_of(node, metric, promotions, closure));
        let read: Vec<Vec<Wanted>> = read.collect();
        for (node, read) in boards.iter().zip(read) {
            let (mut copied, mut alive, mut merged) = (0, 0, Merged::default());
            for wanted in read {
                let bytes = copied_bytes(&wanted);
                merged.add(&wanted, bytes);
                if is_slice(&wanted, node.material) {
                    self.slices.insert(wanted, stage);
                    alive += bytes;
                } else if wanted.is_common() {
                    self.common.entry(wanted).or_insert(bytes);
                } else {
                    let copy = if wanted.is_copied() { bytes } else { 0 };
                    copied += copy;
                    alive += bytes + copy;
                }
            }
            self.copied_bytes = self.copied_bytes.max(copied);
            self.alive_bytes = self.alive_bytes.max(alive);
            self.merged_bytes = self.merged_bytes.max(merged.bytes());
        }
    }
}

/// What a board has in memory of what it reads, if of the promotions on a square only
/// the best is kept: while they are merged, one more.
#[derive(Default)]
struct Merged {
    promotions: HashMap<(Vec<Man>, Placement, Square, Color), u64>,
    others: u64,
}

impl Merged {
    fn add(&mut self, wanted: &Wanted, bytes: u64) {
        match wanted.fixed {
            Some((_, square)) => {
                let key = (wanted.men.clone(), wanted.pawns, square, wanted.turn);
                self.promotions.insert(key, bytes);
            }
            None if wanted.is_common() => {}
            None => self.others += bytes * if wanted.is_copied() { 2 } else { 1 },
        }
    }

    fn bytes(&self) -> u64 {
        let one_more = self.promotions.values().copied().max().unwrap_or(0);
        self.others + self.promotions.values().sum::<u64>() + one_more
    }
}

/// Whether what a board of a material reads is copied before the first board is
/// solved.
pub(crate) type IsSlice = fn(&Wanted, Material) -> bool;

/// Whether it is a slice of another large table.
fn is_slice(wanted: &Wanted, reader: Material) -> bool {
    let source = wanted.material();
    wanted.fixed.is_some() && source.len() == reader.len() && !is_small(source)
}

impl Whole {
    /// All boards of a material, `at_once` of a stage side by side, and all of
    /// them kept. What they read of smaller tables is left out of the cost.
    pub fn new(
        material: Material,
        metric: Metric,
        keep: Keep,
        promotions: &[Role],
        at_once: u64,
    ) -> Whole {
        let (boards, closure) = (stages(material), Arc::default());
        Whole::of_boards(boards, metric, keep, promotions, at_once, is_slice, closure)
    }

    /// The same of some of the boards of a material, in stages, and of what can come
    /// about.
    pub fn of_boards(
        boards: Vec<Vec<Node>>,
        metric: Metric,
        keep: Keep,
        promotions: &[Role],
        at_once: u64,
        is_slice: IsSlice,
        closure: Arc<Closure>,
    ) -> Whole {
        let material = boards.iter().flatten().next().map_or(Material::KINGS, |n| n.material);
        let mut reads = Reads::default();
        if material.has_pawns() {
            for (i, stage) in boards.iter().enumerate() {
                reads.add_stage(i, stage, (metric, promotions, &closure), is_slice);
            }
        }
        let tiles = boards.iter().flatten().next().map_or(0, Node::tiles);
        let placements: u64 = boards.iter().map(|stage| stage.len() as u64).sum();
        let slices_bytes = reads.slices.keys().map(copied_bytes).sum();
        let each = kept_bytes(material, tiles, keep);
        let solving_bytes = working_bytes(material, tiles, metric) + reads.copied_bytes;
        let mut forgotten = vec![0; boards.len()];
        for (wanted, &last) in &reads.slices {
            forgotten[last] += copied_bytes(wanted);
        }
        let common_bytes = reads.common.values().sum::<u64>();
        let (mut now, mut alive) = (slices_bytes + common_bytes, Vec::new());
        for (stage, forgotten) in boards.iter().zip(forgotten) {
            now += each * stage.len() as u64;
            alive.push((now, stage.len() as u64));
            now -= forgotten;
        }
        let bytes = peak(&alive, solving_bytes, at_once);
        let positions = placements * tiles * 4096;
        let cost = Cost { placements, positions, bytes, ..Cost::default() };
        let stage = |boards| Stage { boards, ..Stage::default() };
        let mut stages: Vec<Stage> = boards.into_iter().map(stage).collect();
        let mut slices: HashMap<Material, Vec<Wanted>> = HashMap::new();
        for (wanted, last) in reads.slices {
            stages[last].forget.push(wanted.clone());
            slices.entry(wanted.node().material).or_default().push(wanted);
        }
        let mut slices: Vec<_> = slices.into_iter().collect();
        slices.sort_by_key(|(source, _)| (source.pawns(), source.to_string()));
        let in_work_bytes = each + working_bytes(material, tiles, metric) + reads.alive_bytes;
        let lean_bytes = lean_bytes(material, tiles, keep).max(reads.merged_bytes);
        let schedule = Schedule { cost, stages, closure };
        Whole {
            schedule,
            slices,
            slices_bytes,
            common_bytes,
            alive,
            solving_bytes,
            in_work_bytes,
            lean_bytes,
            tiles,
            metric,
        }
    }

    /// What it takes at the peak with so many boards of a stage side by side.
    pub fn bytes(&self, at_once: u64) -> u64 {
        peak(&self.alive, self.solving_bytes, at_once)
    }

    /// How many boards of a stage, of so many at most, may be side by side for
    /// all to fit into so much memory; one if none does.
    pub fn at_once_within(&self, room_bytes: u64, at_most: u64) -> u64 {
        let fits = |at_once: &u64| self.bytes(*at_once) <= room_bytes;
        (1..=at_most).rev().find(fits).unwrap_or(1)
    }
}

fn peak(alive: &[(u64, u64)], solving_bytes: u64, at_once: u64) -> u64 {
    let stage = |&(alive, boards): &(u64, u64)| alive + at_once.min(boards) * solving_bytes;
    alive.iter().map(stage).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole table is in as many stages as its pawns have levels.
    #[test]
    fn a_whole_table_has_all_its_boards() {
        let material: Material = "KPKP".parse().unwrap();
        let whole = Whole::new(material, Metric::Dtm, Keep::Depths, &Role::PROMOTIONS, 2);
        let schedule = whole.schedule;
        let boards: usize = schedule.stages.iter().map(|stage| stage.boards.len()).sum();
        assert_eq!(boards, Placement::all(&material).len());
        let advancement = |stage: &Stage| stage.boards[0].pawns.advancement();
        assert!(schedule.stages.windows(2).all(|w| advancement(&w[0]) > advancement(&w[1])));
        assert!(whole.slices.is_empty(), "small tables are read whole");
    }

    /// Every table that a promotion leads to is read in slices, all of which
    /// are forgotten; and they take less than the tables.
    #[test]
    fn promotions_read_slices() {
        let material: Material = "KRPKP".parse().unwrap();
        let whole = Whole::new(material, Metric::Dtm, Keep::Depths, &Role::PROMOTIONS, 2);
        let found: Vec<String> = whole.slices.iter().map(|(m, _)| m.to_string()).collect();
        let names = ["KQRKP", "KRBKP", "KRNKP", "KRRKP", "KRPKB", "KRPKN", "KRPKQ", "KRPKR"];
        assert_eq!(found.len(), names.len());
        assert!(names.iter().all(|name| found.iter().any(|found| found == name)), "{found:?}");
        let forgotten: usize = whole.schedule.stages.iter().map(|s| s.forget.len()).sum();
        assert_eq!(forgotten, whole.slices.iter().map(|(_, w)| w.len()).sum::<usize>());
        let tables: u64 =
            whole.slices.iter().map(|(source, _)| table_bytes(*source, Keep::Depths)).sum();
        assert!(whole.slices_bytes * 8 < tables);
        assert!(
            whole.schedule.cost.bytes
                < whole.slices_bytes + 2 * table_bytes(material, Keep::Depths)
        );
    }
}
