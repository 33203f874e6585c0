//! Follows a schedule: solves its boards, stage by stage.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use molien_board::Material;
use molien_operators::Backend;
use molien_solve::{BoardSolve, Keep, LeanSolve, Node, Progress, SolveError, Spill, Watch};
use molien_values::{BoardValues, Metric, Placement, Stats, Table, WaveLog};
use rayon::prelude::*;

use crate::inputs::Inputs;
use crate::lean::solve_lean;
use crate::limits::is_small;
use crate::lock;
use crate::plan::{Schedule, Stage};

/// Takes each board as it is finished.
pub(crate) trait Sink: Sync {
    /// A board and its statistics.
    ///
    /// # Errors
    /// If the board cannot be put away.
    fn take(&self, node: &Node, board: &Arc<BoardValues>, stats: Stats) -> Result<(), SolveError>;
}

/// Solves the boards of a schedule with what they read.
pub(crate) struct Run<'a> {
    pub backend: &'static dyn Backend,
    pub progress: &'a dyn Progress,
    pub log: Option<&'a dyn WaveLog>,
    pub metric: Metric,
    pub rule_plies: u16,
    pub keep: fn(Material, Metric) -> Keep,
    pub inputs: &'a Inputs,
    pub sink: &'a dyn Sink,
    /// Boards of a stage that are in work at a time.
    pub at_once: usize,
    /// Where things wait while a board is solved, if boards are solved in little
    /// memory.
    pub spill: Option<&'a SpillFor<'a>>,
}

/// A place where things wait while a board of a material is solved.
pub(crate) type SpillFor<'a> =
    dyn Fn(Material) -> Result<Arc<dyn Spill>, SolveError> + Send + Sync + 'a;

impl Run<'_> {
    /// Follows the whole schedule; the tables it reads are at hand.
    pub fn follow(&self, schedule: &Schedule) -> Result<(), SolveError> {
        schedule.stages.iter().try_for_each(|stage| self.stage(stage))
    }

    /// Solves the boards of one stage, then gives up what nobody reads.
    pub fn stage(&self, stage: &Stage) -> Result<(), SolveError> {
        // Large boards are parallel inside; one at a time is enough to hold.
        let large = |node: &Node| node.pawns == Placement::NONE && !is_small(node.material);
        if stage.boards.iter().any(large) {
            stage.boards.iter().try_for_each(|node| self.board(node))?;
        } else {
            let some = stage.boards.chunks(self.at_once.max(1));
            some.into_iter()
                .try_for_each(|some| some.par_iter().try_for_each(|node| self.board(node)))?;
        }
        for wanted in &stage.keep {
            self.inputs.keep_view(wanted)?;
        }
        stage.give_up.iter().for_each(|node| self.inputs.forget_board(node));
        stage.forget.iter().for_each(|wanted| self.inputs.forget_view(wanted));
        Ok(())
    }

    fn board(&self, node: &Node) -> Result<(), SolveError> {
        let board = node.board();
        let exits = self.inputs.exits(&board)?;
        if let Some(spill) = self.spill {
            let solve = LeanSolve {
                backend: self.backend,
                progress: self.progress,
                board: &board,
                metric: self.metric,
                keep: (self.keep)(node.material, self.metric),
                log: self.log,
                spill: spill(node.material)?,
            };
            return self.solved(node, solve_lean(&solve, exits, &mut Watch::nothing())?);
        }
        let solve = BoardSolve {
            backend: self.backend,
            progress: self.progress,
            board: &board,
            exits: &*exits,
            metric: self.metric,
            rule_plies: self.rule_plies,
            keep: (self.keep)(node.material, self.metric),
            log: self.log,
            bishops: None,
            ranks: None,
        };
        // Boards around pawns are many: a table of them is announced as a whole.
        let announced = node.pawns == Placement::NONE;
        if announced {
            self.progress.begin(node.material, self.metric, board.tiles() as u64 * 4096);
        }
        let solved = solve.run(&mut Watch::nothing());
        if announced {
            self.progress.end(node.material, self.metric);
        }
        self.solved(node, solved?)
    }

    /// A board is solved: puts it where it is read.
    fn solved(&self, node: &Node, solved: (BoardValues, Stats)) -> Result<(), SolveError> {
        let (mut values, stats) = solved;
        self.inputs.confine(node, &mut values);
        let positions = values.board.tiles() as u64 * 4096;
        self.progress.solved(node.material, self.metric, positions);
        let values = Arc::new(values);
        self.sink.take(node, &values, stats)?;
        self.inputs.add_board(*node, values);
        Ok(())
    }
}

/// Gathers all boards of a material.
#[derive(Default)]
pub(crate) struct Gathered(Mutex<HashMap<Placement, (Arc<BoardValues>, Stats)>>);

impl Sink for Gathered {
    fn take(&self, node: &Node, board: &Arc<BoardValues>, stats: Stats) -> Result<(), SolveError> {
        lock(&self.0).insert(node.pawns, (board.clone(), stats));
        Ok(())
    }
}

impl Gathered {
    /// The table, its boards sorted by placement. Statistics are added up in
    /// that order, so that of equal depths the first position stays.
    pub fn into_table(self, material: Material, metric: Metric) -> Table {
        let boards = self.0.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut boards: Vec<_> = boards.into_iter().collect();
        boards.sort_unstable_by_key(|(placement, _)| *placement);
        let mut stats = Stats::new(material, metric);
        let mut parts = Vec::with_capacity(boards.len());
        for (_, (board, counted)) in boards {
            stats.absorb(&counted);
            parts.push(board);
        }
        Table { material, metric, parts, stats }
    }
}

/// Keeps nothing but what the run itself keeps.
pub(crate) struct Nowhere;

impl Sink for Nowhere {
    fn take(&self, _: &Node, _: &Arc<BoardValues>, _: Stats) -> Result<(), SolveError> {
        Ok(())
    }
}

/// By stage: the tables that no later stage reads.
pub(crate) fn last_read(stages: &[Stage]) -> Vec<Vec<Material>> {
    let mut seen: HashSet<Material> = HashSet::new();
    let mut last: Vec<Vec<Material>> = stages
        .iter()
        .rev()
        .map(|stage| stage.tables.iter().copied().filter(|m| seen.insert(*m)).collect())
        .collect();
    last.reverse();
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Build;
    use crate::cache::key;
    use molien_operators::{Scalar, fastest};
    use molien_values::Graded;
    use std::num::NonZeroUsize;

    /// A table for its winners alone, by these operators. With one thread a board of four men
    /// is worked on in more than one stretch.
    fn winners(backend: &'static dyn Backend, material: Material, metric: Metric) -> Arc<Table> {
        let build = Build::new().with_backend(backend).with_threads(NonZeroUsize::MIN);
        build.make(key(material, metric), Keep::Winners).unwrap()
    }

    /// Who wins is who wins by the waves, and as many: of pieces and of pawns, of symmetric
    /// material, of like men, where nobody wins, where a bare king is stalemated, and after
    /// captures en passant.
    #[test]
    fn winners_are_those_of_the_waves() {
        let pieces = ["KQK", "KBK", "KRKR", "KQKR", "KBNK", "KNNK", "KQKQ", "KRRK", "KNKB"];
        let pawns = ["KPK", "KPKP", "KPPK", "KRPK", "KNKP", "KQKP"];
        let with = |metric: Metric| move |name: &'static str| (name, metric);
        let all = pieces.map(with(Metric::Dtc)).into_iter().chain(pawns.map(with(Metric::Dtz)));
        for (name, metric) in all.chain(pawns.map(with(Metric::Dtm))) {
            let material = name.parse().unwrap();
            let found = winners(fastest(), material, metric);
            compare(&found, &Build::new().table(material, metric).unwrap());
            let together = Build::new().make(key(material, metric), Keep::Winners).unwrap();
            compare_boards(&found, &together, Graded::clone);
        }
    }

    /// The slow, obvious operators find the same winners, and their waves do.
    #[test]
    fn winners_are_those_of_the_meaning() {
        for (name, metric) in [("KRK", Metric::Dtc), ("KPK", Metric::Dtz), ("KQK", Metric::Dtc)] {
            let material = name.parse().unwrap();
            let waves = Build::new().with_backend(&Scalar).table(material, metric).unwrap();
            compare(&winners(fastest(), material, metric), &waves);
            compare(&winners(&Scalar, material, metric), &waves);
        }
    }

    /// Counts by depth are not taken from a table that was made for its winners alone, nor
    /// are depths.
    #[test]
    fn winners_do_not_pass_for_counts() {
        let wanted = key("KQKR".parse().unwrap(), Metric::Dtc);
        let counts = Build::new().make(wanted, Keep::Outcomes).unwrap();
        for keep in [Keep::Outcomes, Keep::Depths] {
            let build = Build::new();
            build.make(wanted, Keep::Winners).unwrap();
            assert!(build.is_known(wanted.0, wanted.1, Keep::Winners));
            assert!(!build.is_known(wanted.0, wanted.1, keep));
            assert_eq!(build.make(wanted, keep).unwrap().stats, counts.stats);
            assert!(build.is_known(wanted.0, wanted.1, keep));
        }
    }

    fn compare(found: &Table, waves: &Table) {
        let name = format!("{} {}", waves.material, waves.metric);
        compare_boards(found, waves, |side| Graded { depth: Vec::new(), ..side.clone() });
        let expected = Stats { metric: waves.metric, ..waves.stats.as_classes() };
        assert_eq!(found.stats, expected, "{name}");
        let decided = expected.sides.iter().any(|side| side.wins.len() + side.losses.len() > 0);
        assert_eq!(found.has_depths(), !decided, "{name}");
    }

    fn compare_boards(found: &Table, other: &Table, kept: fn(&Graded) -> Graded) {
        let name = format!("{} {}", other.material, other.metric);
        assert_eq!(found.parts.len(), other.parts.len(), "{name}");
        for (i, (found, other)) in found.parts.iter().zip(&other.parts).enumerate() {
            assert!(found.values == other.values.each_ref().map(kept), "{name}, board {i}");
        }
    }
}
