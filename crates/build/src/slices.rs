//! What is read of a large table after a promotion, copied off it: from memory,
//! from its compressed form, or from its file, a part at a time.

use std::collections::HashMap;
use std::sync::Arc;

use molien_solve::{Keep, Wanted};
use molien_table::TableFile;
use molien_values::{BoardValues, Metric, Placement, Table};
use rayon::prelude::*;

use crate::cache::{Kept, Key};
use crate::inputs::Inputs;
use crate::limits::keep_for_others;
use crate::memory::{board_bytes, cutting_bytes, decoding_bytes};
use crate::packed::PackedTable;
use crate::{Build, BuildError, lock};

/// A table that slices are cut from.
enum Source {
    Planes(Arc<Table>),
    Packed(Arc<PackedTable>),
    File { file: Box<TableFile>, metric: Metric },
}

/// Parts brought into memory at a time take at most this much, or are one.
const PARTS_BYTES: u64 = 256 << 20;

impl Source {
    fn is_cursed(&self) -> Result<bool, BuildError> {
        Ok(match self {
            Source::Planes(table) => table.stats.is_cursed(),
            Source::Packed(packed) => packed.stats.is_cursed(),
            Source::File { file, metric } => file.stats(*metric)?.is_cursed(),
        })
    }

    /// The board around some pawns; none if the table has none there.
    fn board(&self, pawns: Placement) -> Result<Option<Arc<BoardValues>>, BuildError> {
        Ok(match self {
            Source::Planes(table) if pawns == Placement::NONE => table.parts.first().cloned(),
            Source::Planes(table) => table.part(pawns).cloned(),
            Source::Packed(packed) => {
                let part = packed.part_number(pawns).map(|number| packed.part(number));
                part.transpose()
                    .map_err(|error| BuildError::packing(packed.material, error))?
                    .map(Arc::new)
            }
            Source::File { file, metric } => file.load_board(*metric, pawns)?.map(Arc::new),
        })
    }
}

impl Build {
    /// Copies slices of a table, which is made if need be, and lets go of it.
    pub(crate) fn copy_slices(
        &self,
        inputs: &Inputs,
        key: Key,
        slices: &[Wanted],
    ) -> Result<(), BuildError> {
        let (material, metric) = key;
        let source = self.slice_source(key, keep_for_others(material, metric))?;
        inputs.note_curses(source.is_cursed()?);
        let mut by_board: HashMap<Placement, Vec<&Wanted>> = HashMap::new();
        for wanted in slices {
            by_board.entry(wanted.node().pawns).or_default().push(wanted);
        }
        let mut boards: Vec<(Placement, Vec<&Wanted>)> = by_board.into_iter().collect();
        boards.sort_unstable_by_key(|(pawns, _)| *pawns);
        let each = match &source {
            Source::Planes(_) => cutting_bytes(material),
            Source::Packed(_) => board_bytes(material) + cutting_bytes(material),
            Source::File { .. } => board_bytes(material) + decoding_bytes(material),
        };
        let at_once = (PARTS_BYTES / each.max(1)).clamp(1, self.boards_at_once());
        let _room = self.reserve(key, at_once * each)?;
        self.pool().install(|| {
            boards.chunks(at_once as usize).try_for_each(|boards| {
                boards.par_iter().try_for_each(|(pawns, wanted)| {
                    let missing = BuildError::NotCovered { material };
                    let board = source.board(*pawns)?.ok_or(missing)?;
                    wanted.iter().for_each(|wanted| inputs.keep_slice(&board, wanted));
                    Ok(())
                })
            })
        })
    }

    /// Where slices are cut from: what is at hand, else the file, else a table
    /// made for it.
    fn slice_source(&self, key: Key, keep: Keep) -> Result<Source, BuildError> {
        let kept = lock(&self.tables).kept(&key);
        match kept {
            Some(Kept::Planes(table)) if keep == Keep::Outcomes || table.has_depths() => {
                return Ok(Source::Planes(table));
            }
            Some(Kept::Packed(packed)) if keep == Keep::Outcomes || packed.has_depths() => {
                return Ok(Source::Packed(packed));
            }
            _ => {}
        }
        let whole = self.is_stored(&key) && !self.is_one_sided(&key);
        if let Some(folder) = self.folder.as_ref().filter(|_| whole) {
            return Ok(Source::File { file: Box::new(folder.open(key.0)?), metric: key.1 });
        }
        self.make(key, keep).map(Source::Planes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Material};
    use molien_table::{Directory, WriteOptions};

    /// Boards are the same wherever they come from.
    #[test]
    fn every_source_has_the_same_boards() {
        let build = Build::new();
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::new(folder.path());
        for name in ["KRKN", "KRPK"] {
            let (material, metric) = (name.parse::<Material>().unwrap(), Metric::Dtm);
            let table = build.table(material, metric).unwrap();
            directory.store(&[&table], &WriteOptions::default()).unwrap();
            let packed = PackedTable::new(Arc::new(Table::clone(&table)), None).unwrap();
            let file = Box::new(directory.open(material).unwrap());
            let others = [Source::Packed(Arc::new(packed)), Source::File { file, metric }];
            let planes = Source::Planes(table.clone());
            for part in &table.parts {
                let pawns = Placement::new(Color::BOTH.map(|color| part.board.pawns(color)));
                let expected = planes.board(pawns).unwrap().unwrap();
                for source in &others {
                    let board = source.board(pawns).unwrap().unwrap();
                    let bits = |values: &[molien_values::Graded; 2]| {
                        values.clone().map(molien_values::Graded::without_empty_bits)
                    };
                    assert!(bits(&board.values) == bits(&expected.values), "{name}");
                }
            }
            for source in others.iter().chain([&planes]) {
                assert!(!source.is_cursed().unwrap());
            }
        }
    }
}
