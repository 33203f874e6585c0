//! Tables with pawns too large for memory: solved board by board into logs, and
//! written from them.

use std::sync::Arc;

use molien_board::Material;
use molien_table::{BoardLog, Directory, LoggedBoards, TableParts};
use molien_values::Metric;

use crate::cache::Key;
use crate::store::Making;
use crate::{Build, BuildError};

/// The order in which metrics are solved: DTZ50 may turn out to be DTZ.
pub(crate) const ORDER: [Metric; 5] =
    [Metric::Dtz, Metric::Dtz50, Metric::Dtc, Metric::Dtm, Metric::Dtm50];

impl Build {
    /// Solves and stores a material with pawns in some metrics, its values never
    /// being in memory as a whole. What it depends on is there. If this is
    /// interrupted, it resumes with the boards that are not in the log.
    pub(crate) fn store_by_part(
        &self,
        folder: &Directory,
        material: Material,
        metrics: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        let lock = || {
            let turn = self.wait_for_turn(material)?;
            // Given back in the other order.
            Ok((self.lock_table(folder, material)?, turn))
        };
        self.store_missing(folder, (material, metrics), lock, |wanted| {
            self.store_solved_boards(folder, material, wanted, making)
        })
    }

    /// The same for who has the turn and the lock.
    pub(crate) fn store_solved_boards(
        &self,
        folder: &Directory,
        material: Material,
        wanted: &[Metric],
        making: &Making<'_>,
    ) -> Result<(), BuildError> {
        for &metric in wanted {
            if let Some(shelf) = self.board_shelf(material, metric) {
                shelf.plan_boards(material, metric)?;
            }
        }
        let mut logged: Vec<LoggedBoards> = Vec::new();
        for metric in ORDER.into_iter().filter(|metric| wanted.contains(metric)) {
            let known = self.without_new_curses(material, metric, &logged)?;
            logged.push(match known {
                Some(known) => known,
                None => {
                    // The leader makes the log if there is none.
                    self.by_leader(|| {
                        folder.board_log(material, metric)?;
                        Ok(())
                    })?;
                    let log = Arc::new(folder.board_log(material, metric)?);
                    self.fill_log(folder, (material, metric), &log)?;
                    log.into_table()?
                }
            });
        }
        self.assemble(material, making, |assembly| folder.store_boards(&logged, assembly))
    }

    /// Sees to it that a log has all boards of a table.
    fn fill_log(
        &self,
        folder: &Directory,
        key: Key,
        log: &Arc<BoardLog>,
    ) -> Result<(), BuildError> {
        let (material, metric) = key;
        let Some(shelf) = self.board_shelf(material, metric) else {
            return self.solve_by_part(key, log);
        };
        let filled = self.log_handed_over(&**shelf, key, log);
        if let Err(BuildError::HandedOver { .. }) = &filled {
            // Nobody shall take it for finished.
            let removed = folder.wave_logs().remove(material, &[metric]);
            removed.map_err(|error| BuildError::packing(material, error))?;
        }
        filled
    }

    /// Where the 50-move rule spoils nothing that a move leads to, DTZ50 is DTZ. What the moves
    /// lead to is at hand where the table is solved here.
    fn without_new_curses(
        &self,
        material: Material,
        metric: Metric,
        logged: &[LoggedBoards],
    ) -> Result<Option<LoggedBoards>, BuildError> {
        let plain = logged.iter().find(|logged| logged.stats().metric == Metric::Dtz);
        let here = metric == Metric::Dtz50 && self.board_shelf(material, metric).is_none();
        let Some(plain) = plain.filter(|_| here) else { return Ok(None) };
        // Only a pawn's push starts the count anew among the same men.
        if plain.stats().is_cursed() || self.is_cursed_below(material)? {
            return Ok(None);
        }
        Ok(Some(plain.also(Metric::Dtz50)))
    }
}
