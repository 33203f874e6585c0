//! Several ranks make the files of a folder together.
//!
//! Rank 0, the leader, looks at the folder, holds the locks and writes the files; the
//! others do as it says. Tables without pawns are solved by all, each rank for its
//! classes of king pairs, into one wave log; of tables with pawns each rank solves
//! some boards of a stage, and reads the others' from one board log. Both logs are as
//! one process would have left them, so a run that died goes on with any number of
//! ranks.

use std::sync::Arc;
use std::time::Instant;

use molien_board::Material;
use molien_hyper::Tile;
use molien_operators::{make_tiles, swapped_class};
use molien_solve::{Exchange, ExchangeError, Keep, OwnerMap, SolveError};
use molien_table::{BoardLog, Directory, Logged, Sides, WaveLogs};
use molien_values::{BoardValues, Graded, Metric, Table};

use crate::by_part::LogSink;
use crate::cache::Key;
use crate::inputs::unreadable;
use crate::limits::Storage;
use crate::memory::{Reservation, cut_bytes, kept_of_cut};
use crate::needs::order;
use crate::plan::{Schedule, Stage};
use crate::run::Run;
use crate::store::{Making, stored_metrics};
use crate::watch::Extras;
use crate::{Build, BuildError, store_boards, store_log};

const LEADER: usize = 0;

/// How ranks make a table.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    /// There is nothing to do.
    Not,
    /// The leader makes it alone.
    Alone,
    Together,
}

impl How {
    const ALL: [How; 3] = [How::Not, How::Alone, How::Together];
}

fn apart(material: Material) -> impl Fn(ExchangeError) -> BuildError {
    move |source| SolveError::Ranks { material, source }.into()
}

impl Build {
    /// The ranks that make tables together, if there are several.
    pub(crate) fn ranks(&self) -> Option<&dyn Exchange> {
        Some(&*self.exchange).filter(|ranks| ranks.size() > 1)
    }

    /// Whether this process does what is done once: it leads, or is alone.
    pub fn is_leader(&self) -> bool {
        self.exchange.rank() == LEADER
    }

    /// Done by the leader while the others wait.
    pub(crate) fn by_leader(
        &self,
        work: impl FnOnce() -> Result<(), BuildError>,
    ) -> Result<(), BuildError> {
        if self.is_leader() {
            work()?;
        }
        let Some(ranks) = self.ranks() else { return Ok(()) };
        ranks.barrier().map_err(|source| BuildError::Ranks { source })
    }

    /// Tells all ranks the leader's numbers.
    fn told(&self, ranks: &dyn Exchange, numbers: &mut [u64]) -> Result<(), BuildError> {
        if !self.is_leader() {
            numbers.fill(0);
        }
        ranks.sum(numbers).map_err(|source| BuildError::Ranks { source })
    }

    /// Makes what the leader finds to be needed for the goals.
    pub(crate) fn store_together(
        &self,
        ranks: &dyn Exchange,
        folder: &Directory,
        (goals, needed): (&[Material], &[Material]),
        metrics: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let all = order(goals, |material| material.len() <= 2);
        let mut wanted: Vec<u64> =
            all.iter().map(|material| u64::from(needed.contains(material))).collect();
        self.told(ranks, &mut wanted)?;
        let wanted = all.into_iter().zip(wanted).filter(|(_, wanted)| *wanted != 0);
        let wanted: Vec<Material> = wanted.map(|(material, _)| material).collect();
        let large = wanted.iter().copied().filter(|&m| self.storage(m) != Storage::Whole);
        let large: Vec<Material> = large.collect();
        self.by_leader(|| self.check_disk(folder, &large, metrics))?;
        for material in wanted {
            let start = Instant::now();
            self.store_one_together(ranks, folder, material, metrics, making)?;
            (making.done)(material, start.elapsed());
        }
        Ok(())
    }

    fn store_one_together(
        &self,
        ranks: &dyn Exchange,
        folder: &Directory,
        material: Material,
        metrics: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let lock = self.is_leader().then(|| self.lock_table(folder, material)).transpose()?;
        let stored = stored_metrics(material, metrics);
        let missing = self.missing(folder, material, metrics);
        let how = self.how(folder, material, &missing, making);
        let mut said = vec![How::ALL.iter().position(|one| *one == how).unwrap_or(0) as u64];
        said.extend(stored.iter().map(|metric| u64::from(missing.contains(metric))));
        self.told(ranks, &mut said)?;
        let wanted = stored.into_iter().zip(&said[1..]).filter(|(_, missing)| **missing != 0);
        let wanted: Vec<Metric> = wanted.map(|(metric, _)| metric).collect();
        match (How::ALL[said[0] as usize], self.storage(material)) {
            (How::Not, _) => Ok(()),
            (How::Together, Storage::FromLog) => {
                self.store_waves(folder, material, &wanted, making)
            }
            (How::Together, Storage::ByPart) => {
                self.store_solved_boards(folder, material, &wanted, making)
            }
            _ => {
                drop(lock);
                self.by_leader(|| self.store_one(folder, material, metrics, making, u64::MAX))
            }
        }
    }

    /// Logs give files of the usual kind, with depths of both sides to move; what else
    /// is asked for of a table that fits in memory the leader makes.
    fn how(
        &self,
        folder: &Directory,
        material: Material,
        missing: &[Metric],
        making: &Making<'_>,
    ) -> How {
        if missing.is_empty() {
            return How::Not;
        }
        let solved: &[Metric] = match self.storage(material) {
            Storage::FromLog => &store_log::ORDER,
            Storage::ByPart => &store_boards::ORDER,
            _ => return How::Alone,
        };
        if crate::storage(material) != Storage::Whole {
            return How::Together;
        }
        let usual = !making.options.is_packed()
            && making.options.sides != Some(Sides::One)
            && !folder.path(material).exists();
        match usual && missing.iter().all(|metric| solved.contains(metric)) {
            true => How::Together,
            false => How::Alone,
        }
    }

    /// The log of a material without pawns, to which each rank adds its part.
    pub(crate) fn logged_together(
        &self,
        ranks: &dyn Exchange,
        logs: &WaveLogs,
        (material, metric): Key,
    ) -> Result<Logged, BuildError> {
        let mut known = [u64::from(logs.finished(material, metric).is_some())];
        self.told(ranks, &mut known)?;
        if known == [0] {
            let extras = Extras { log: Some(logs), ranks: Some(ranks), ..Extras::default() };
            let (_, stats, _) = self.solve_pieces(material, metric, &extras)?;
            self.by_leader(|| {
                logs.finish(&stats)?;
                Ok(())
            })?;
        }
        let what = "the finished log, which must be in a folder they share";
        let missing = || apart(material)(ExchangeError::Differ { what });
        logs.finished(material, metric).ok_or_else(missing)
    }

    /// Of a table that a board reads after captures only the classes of king pairs
    /// that this rank's moves lead to; and the memory they take. The table itself is
    /// given up.
    pub(crate) fn cut(
        &self,
        ranks: &dyn Exchange,
        reader: Material,
        table: Arc<Table>,
    ) -> Result<(Arc<Table>, Option<Reservation<'_>>), BuildError> {
        let (material, metric) = (table.material, table.metric);
        let classes = classes_read(ranks, reader, material);
        let bytes = cut_bytes(material, reader, metric, ranks.size());
        let room = self.hold((reader, metric), bytes)?;
        let keep = kept_of_cut(metric);
        let cut = |board: &Arc<BoardValues>| Arc::new(cut_board(board, &classes, keep));
        let parts = self.pool().install(|| table.parts.iter().map(cut).collect());
        self.forget(material, metric);
        let stats = table.stats.clone();
        Ok((Arc::new(Table { material, metric, parts, stats }), Some(room)))
    }

    /// Follows a schedule: each rank solves some boards of every stage.
    pub(crate) fn follow_together(
        &self,
        ranks: &dyn Exchange,
        run: &Run<'_>,
        schedule: &Schedule,
        log: &Arc<BoardLog>,
    ) -> Result<(), SolveError> {
        for stage in &schedule.stages {
            self.stage_together(ranks, run, stage, log)?;
        }
        Ok(())
    }

    fn stage_together(
        &self,
        ranks: &dyn Exchange,
        run: &Run<'_>,
        stage: &Stage,
        log: &Arc<BoardLog>,
    ) -> Result<(), SolveError> {
        let (rank, size) = (ranks.rank(), ranks.size());
        let Some(material) = stage.boards.first().map(|node| node.material) else { return Ok(()) };
        let folder = self.scratch_folder().map_err(unreadable(material))?;
        let own = BoardLog::unnamed(folder, material, run.metric).map_err(unreadable(material))?;
        let share = Stage {
            boards: stage.boards.iter().copied().skip(rank).step_by(size).collect(),
            tables: Vec::new(),
            keep: stage.keep.clone(),
            give_up: stage.give_up.clone(),
            forget: stage.forget.clone(),
        };
        Run { sink: &LogSink(&own), ..*run }.stage(&share)?;
        let apart = |source| SolveError::Ranks { material, source };
        let mut lengths = vec![0; size];
        lengths[rank] = own.records_len();
        ranks.sum(&mut lengths).map_err(apart)?;
        let further = lengths[..rank].iter().sum();
        log.copy_records(&own, further).map_err(unreadable(material))?;
        ranks.barrier().map_err(apart)?;
        log.take_in(lengths.iter().sum()).map_err(unreadable(material))
    }
}

/// The classes of king pairs of a table that this rank's captures on a board lead to,
/// as the table has them: after some captures its colours are exchanged.
fn classes_read(ranks: &dyn Exchange, reader: Material, table: Material) -> Vec<usize> {
    let map = OwnerMap::known(ranks.size(), reader.is_symmetric());
    let read = map.read(ranks.rank());
    let after = reader.men().filter_map(|man| reader.without(man));
    let after: Vec<Material> = after.filter(|less| less.canonical() == table).collect();
    let own = read.iter().copied().filter(|_| after.contains(&table));
    let swapped = read.iter().map(|&class| swapped_class(class));
    let swapped = swapped.filter(|_| after.iter().any(|less| *less != table));
    let mut classes: Vec<usize> = own.chain(swapped).collect();
    classes.sort_unstable();
    classes.dedup();
    classes
}

/// Some classes of king pairs of a board.
fn cut_board(whole: &BoardValues, classes: &[usize], keep: Keep) -> BoardValues {
    let (board, len) = (whole.board.with_classes(classes), whole.board.axes().len());
    let plane = |plane: &Vec<Tile>| {
        make_tiles(board.tiles(), |tile| {
            plane[whole.board.class_start(board.class_at(tile / len)) + tile % len]
        })
    };
    let side = |side: &Graded| Graded {
        legal: plane(&side.legal),
        won: plane(&side.won),
        lost: plane(&side.lost),
        depth: side.depth.iter().filter(|_| keep == Keep::Depths).map(plane).collect(),
        stalemate: Vec::new(),
    };
    BoardValues { values: whole.values.each_ref().map(side), board: board.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Color;
    use molien_hyper::{Hyperboard, KING_PAIRS};
    use molien_operators::Goal;
    use molien_solve::thread_ranks;

    use crate::inputs::Inputs;
    use crate::memory::share_bytes;
    use crate::needs::reads;

    /// Each rank has the values of its own classes of king pairs, those of one
    /// process, and no memory for others; the statistics are those of all.
    fn check(name: &str, metric: Metric, ranks: usize) {
        let material: Material = name.parse().unwrap();
        let whole = Build::new().table(material, metric).unwrap();
        let work = |rank: &dyn Exchange, whole: &Table| {
            let extras = Extras { ranks: Some(rank), ..Extras::default() };
            let build = Build::new().with_threads(std::num::NonZeroUsize::MIN);
            let (found, stats, _) = build.solve_pieces(material, metric, &extras).unwrap();
            assert_eq!(stats, whole.stats);
            let (part, len) = (&whole.parts[0], found.board.axes().len());
            let map = OwnerMap::known(ranks, material.is_symmetric());
            assert_eq!(found.board.classes(), map.owned(rank.rank()).len());
            for (side, expected) in found.values.iter().zip(&part.values) {
                let planes = |side: &Graded| [&side.legal, &side.won, &side.lost].map(Vec::clone);
                for (plane, expected) in planes(side).iter().zip(&planes(expected)) {
                    assert_eq!(plane.len(), found.board.tiles());
                    for (place, class) in plane.chunks(len).enumerate() {
                        let start = part.board.class_start(found.board.class_at(place));
                        assert!(class == &expected[start..start + len], "{name} {ranks}");
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for rank in thread_ranks(ranks) {
                let (work, whole) = (&work, &whole);
                scope.spawn(move || work(&rank, whole));
            }
        });
    }

    #[test]
    fn a_rank_holds_its_own_classes() {
        check("KRKN", Metric::Dtm, 4);
        check("KBNK", Metric::Dtc, 7);
        check("KQKQ", Metric::Dtm, 3);
    }

    /// Captures from the classes of a rank lead to the same values in what it keeps of
    /// other tables.
    fn check_captures(name: &str, metric: Metric, ranks: usize) {
        let (material, build) = (name.parse::<Material>().unwrap(), Build::new());
        let board = Hyperboard::pieces(material);
        let inputs = || Inputs::new(build.backend, metric, &build.promotions);
        let tables = || reads(material).into_iter().map(|sub| build.table(sub, metric).unwrap());
        let whole = inputs();
        tables().for_each(|table| whole.add_table(table));
        let whole = whole.exits(&board).unwrap();
        for rank in thread_ranks(ranks) {
            let some = inputs();
            for table in tables() {
                let tiles = table.parts[0].board.tiles();
                let (cut, room) = build.cut(&rank, material, table).unwrap();
                assert!(cut.parts[0].board.tiles() < tiles && room.is_some());
                some.add_table(cut);
            }
            let some = some.exits(&board).unwrap();
            let own = OwnerMap::known(ranks, material.is_symmetric()).owned(rank.rank());
            let tiles = own.iter().flat_map(|&class| {
                let start = board.class_start(class);
                start..start + board.axes().len()
            });
            for tile in tiles.step_by(7) {
                let [win, hold] =
                    [Goal::Win, Goal::Hold].map(|g| Color::BOTH.map(|side| (side, g)));
                for (side, goal) in win.into_iter().chain(hold) {
                    let found = some.conversions(side, goal, tile);
                    let expected = whole.conversions(side, goal, tile);
                    assert!(found.escape == expected.escape, "{name} {tile}");
                    assert!(found.release == expected.release, "{name} {tile}");
                }
            }
        }
    }

    #[test]
    fn a_rank_keeps_what_its_captures_lead_to() {
        check_captures("KRBKR", Metric::Dtm, 7);
        check_captures("KQKQ", Metric::Dtc, 3);
        check_captures("KRKN", Metric::Dtz50, 2);
    }

    /// What a rank takes falls with their number, to little more than its part.
    #[test]
    fn ranks_divide_the_memory() {
        for name in ["KRNKNN", "KQRKRB"] {
            let material: Material = name.parse().unwrap();
            let alone = Build::new().whole(material, Metric::Dtc, Keep::Outcomes);
            let alone = alone.schedule.cost.bytes;
            let bytes = |ranks| share_bytes(material, Metric::Dtc, ranks);
            let all = [2, 4, 16, 64].map(bytes);
            assert!(all[0] < alone && all.windows(2).all(|two| two[1] < two[0]), "{name} {all:?}");
            assert!(bytes(4) < alone * 2 / 5 && bytes(64) < alone / 16, "{name} {alone} {all:?}");
            assert_eq!(bytes(KING_PAIRS), bytes(KING_PAIRS + 1));
        }
    }
}
