//! What is read of a large table after a promotion, copied off it: from memory,
//! from its compressed form, from its file or from its log, a part at a time.

use std::collections::HashMap;
use std::sync::Arc;

use molien_solve::{SolveError, Wanted};
use molien_values::{Placement, Table};
use rayon::prelude::*;

use crate::cache::Key;
use crate::inputs::Inputs;
use crate::limits::{is_sooner_solved, keep_for_conversions};
use crate::memory::{board_bytes, cutting_bytes, decoding_bytes};
use crate::sources::BoardSource;
use crate::{Build, BuildError, lock};

/// Parts brought into memory at a time take at most this much, or are one.
const PARTS_BYTES: u64 = 256 << 20;

/// Slices that are wanted of a table.
#[derive(Clone, Copy)]
pub(crate) struct Slicing<'a> {
    /// Where they are kept.
    pub inputs: &'a Inputs,
    /// The table.
    pub key: Key,
    pub slices: &'a [Wanted],
}

/// Slices by the board that they are cut off.
pub(crate) fn by_board(slices: &[Wanted]) -> HashMap<Placement, Vec<&Wanted>> {
    let mut boards: HashMap<Placement, Vec<&Wanted>> = HashMap::new();
    for wanted in slices {
        boards.entry(wanted.node().pawns).or_default().push(wanted);
    }
    boards
}

impl Build {
    /// Copies slices of a table, which is made if need be, and lets go of it.
    pub(crate) fn copy_slices(&self, some: Slicing<'_>) -> Result<(), BuildError> {
        let key = some.key;
        let (material, metric) = key;
        if self.is_logged(material) {
            return self.copy_piece_slices(some);
        }
        if self.cut_handed_over(some)? {
            return Ok(());
        }
        let source = match self.sooner_solved(key)? {
            Some(table) => BoardSource::Planes(table),
            None => self.source(key, keep_for_conversions(material, metric))?,
        };
        self.copy_slices_from(some, &source)
    }

    /// Copies slices of boards that are read from a source.
    pub(crate) fn copy_slices_from(
        &self,
        Slicing { inputs, key, slices }: Slicing<'_>,
        source: &BoardSource,
    ) -> Result<(), BuildError> {
        let material = key.0;
        inputs.note_curses(source.is_cursed()?);
        let mut boards: Vec<(Placement, Vec<&Wanted>)> = by_board(slices).into_iter().collect();
        boards.sort_unstable_by_key(|(pawns, _)| *pawns);
        let each = match source {
            BoardSource::Planes(_) => cutting_bytes(material),
            BoardSource::Packed(_) | BoardSource::Log(_) => {
                board_bytes(material) + cutting_bytes(material)
            }
            BoardSource::File { .. } => board_bytes(material) + decoding_bytes(material),
        };
        let at_once = (PARTS_BYTES / each.max(1)).clamp(1, self.boards_at_once());
        let _room = self.reserve(key, at_once * each)?;
        self.pool().install(|| {
            boards.chunks(at_once as usize).try_for_each(|boards| {
                let cut = boards.par_iter().try_for_each(|(pawns, wanted)| {
                    let missing = BuildError::NotCovered { material };
                    if self.progress.cancelled() {
                        return Err(SolveError::Cancelled { material }.into());
                    }
                    let board = source.after_promotion(*pawns, wanted)?.ok_or(missing)?;
                    wanted.iter().try_for_each(|wanted| inputs.keep_slice(&board, wanted))?;
                    Ok(())
                });
                source.let_go();
                cut
            })
        })
    }

    /// A stored table that is solved in less time than its file is read in, if there
    /// is room to do so.
    fn sooner_solved(&self, key: Key) -> Result<Option<Arc<Table>>, BuildError> {
        let (material, metric) = key;
        let at_hand = lock(&self.tables).kept(&key).is_some();
        if at_hand || !self.may_solve || !is_sooner_solved(material) || !self.is_in_file(&key) {
            return Ok(None);
        }
        match self.make_from(key, keep_for_conversions(material, metric), false) {
            Ok(table) => Ok(Some(table)),
            Err(error) if error.is_too_large() => Ok(None),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Material;
    use molien_table::{Directory, WriteOptions};
    use molien_values::{Metric, Stats};

    /// A stored table is solved again where that is quick and allowed, and is the
    /// same; depths are there if they count after a promotion.
    #[test]
    fn stored_tables_are_solved_where_that_is_sooner() {
        let (rooks, pawns) = ("KRKB".parse::<Material>().unwrap(), "KPK".parse().unwrap());
        let scratch = tempfile::tempdir().unwrap();
        let folder = || Directory::new(scratch.path());
        let solving = Build::new();
        for material in [rooks, pawns] {
            let tables = [Metric::Dtm, Metric::Dtc].map(|m| solving.table(material, m).unwrap());
            folder().store(&[&tables[0], &tables[1]], &WriteOptions::default()).unwrap();
        }
        let build = Build::new().with_folder(folder());
        for (metric, counts) in [(Metric::Dtm, true), (Metric::Dtc, false)] {
            let solved = build.sooner_solved((rooks, metric)).unwrap().unwrap();
            let loaded = folder().open(rooks).unwrap().load(metric).unwrap();
            // Without depths, positions are counted by class.
            let by_class = Stats { metric, ..loaded.stats.as_classes() };
            assert_eq!(solved.stats, if counts { loaded.stats.clone() } else { by_class });
            assert_eq!(solved.has_depths(), counts, "{metric}");
            for (solved, loaded) in solved.parts.iter().zip(&loaded.parts) {
                let bits = |board: &molien_values::BoardValues| {
                    let mut values = board.values.clone();
                    values.iter_mut().filter(|_| !counts).for_each(|side| side.depth.clear());
                    values.map(molien_values::Graded::without_empty_bits)
                };
                assert!(bits(solved) == bits(loaded), "{metric}");
            }
        }
        assert!(build.sooner_solved((pawns, Metric::Dtc)).unwrap().is_none(), "pawns are read");
        assert!(build.sooner_solved((rooks, Metric::Dtz50)).unwrap().is_none(), "not stored");
        let reading = Build::new().with_folder(folder()).without_solving();
        assert!(reading.sooner_solved((rooks, Metric::Dtc)).unwrap().is_none(), "not allowed");
    }
}
