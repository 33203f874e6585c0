//! Tables in little memory: their planes, compressed, in memory or in a file
//! without a name.
//!
//! Solving a table again costs seconds to minutes, to compress its planes
//! lightly and to bring them back costs tenths of a second.

use std::io;
use std::path::Path;
use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::Hyperboard;
use molien_table::{PackedSide, PlaneStore};
use molien_values::{BoardValues, Metric, Placement, Stats, Table};
use rayon::prelude::*;

/// A board of fewer tiles is compressed and brought back on one thread.
const SMALL_TILES: usize = 64;

/// A table whose planes are compressed.
pub(crate) struct PackedTable {
    pub material: Material,
    pub metric: Metric,
    pub stats: Stats,
    /// As the parts of the table, in their order.
    parts: Vec<PackedBoard>,
    has_depths: bool,
    store: PlaneStore,
    /// Whether its planes are in a file.
    is_aside: bool,
}

/// A board, both sides to move.
pub(crate) struct PackedBoard {
    board: Hyperboard,
    sides: [PackedSide; 2],
}

impl PackedTable {
    /// Compresses a table into memory, or into a file without a name in a
    /// folder. Its boards are given up on the way, unless others hold them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(table: Arc<Table>, folder: Option<&Path>) -> io::Result<PackedTable> {
        let store = match folder {
            None => PlaneStore::in_memory(),
            Some(folder) => PlaneStore::in_folder(folder)?,
        };
        let has_depths = table.has_depths();
        let Table { material, metric, parts, stats } = Arc::unwrap_or_clone(table);
        let small = parts.first().is_some_and(|part| part.board.tiles() < SMALL_TILES);
        let pack = |part: Arc<BoardValues>| PackedBoard::new(Arc::unwrap_or_clone(part), &store);
        let parts = if small {
            parts.into_par_iter().map(pack).collect::<io::Result<_>>()?
        } else {
            parts.into_iter().map(pack).collect::<io::Result<_>>()?
        };
        let is_aside = folder.is_some();
        Ok(PackedTable { material, metric, stats, parts, has_depths, store, is_aside })
    }

    /// Moves its planes from memory to a file without a name in a folder.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn set_aside(mut self, folder: &Path) -> io::Result<PackedTable> {
        if self.is_aside {
            return Ok(self);
        }
        let store = PlaneStore::in_folder(folder)?;
        for side in self.parts.iter_mut().flat_map(|part| &mut part.sides) {
            side.move_to(&store)?;
        }
        Ok(PackedTable { store, is_aside: true, ..self })
    }

    /// Whether its planes are in a file: to give it up would free little.
    pub fn is_aside(&self) -> bool {
        self.is_aside
    }

    /// Bytes held in memory.
    pub fn len_bytes(&self) -> u64 {
        self.parts.iter().map(PackedBoard::len_bytes).sum()
    }

    /// Whether depths are kept.
    pub fn has_depths(&self) -> bool {
        self.has_depths
    }

    /// The hyperboards of its parts.
    pub fn boards(&self) -> impl Iterator<Item = &Hyperboard> {
        self.parts.iter().map(|part| &part.board)
    }

    /// The number of the part around a canonical placement of the pawns.
    pub fn part_number(&self, pawns: Placement) -> Option<usize> {
        if pawns == Placement::NONE {
            return Some(0);
        }
        let placement =
            |part: &PackedBoard| Placement::new(Color::BOTH.map(|color| part.board.pawns(color)));
        self.parts.binary_search_by_key(&pawns, placement).ok()
    }

    /// A part, brought back on this thread alone.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn part(&self, number: usize) -> io::Result<BoardValues> {
        self.parts[number].unpack(&self.store)
    }

    /// The whole table again.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn unpack(&self) -> io::Result<Table> {
        let part = |part: &PackedBoard| part.unpack_by_all(&self.store).map(Arc::new);
        let parts = self.parts.par_iter().map(part).collect::<io::Result<Vec<_>>>()?;
        let (material, metric, stats) = (self.material, self.metric, self.stats.clone());
        Ok(Table { material, metric, parts, stats })
    }
}

impl PackedBoard {
    /// Compresses a board; its planes are given up on the way.
    pub fn new(values: BoardValues, store: &PlaneStore) -> io::Result<PackedBoard> {
        let BoardValues { board, values: [white, black] } = values;
        let white = PackedSide::new(white, store)?;
        let black = PackedSide::new(black, store)?;
        Ok(PackedBoard { board, sides: [white, black] })
    }

    /// Bytes held in memory.
    pub fn len_bytes(&self) -> u64 {
        let planes: u64 = self.sides.iter().map(PackedSide::len_bytes).sum();
        planes + size_of::<Hyperboard>() as u64
    }

    /// The board again, brought back on this thread alone.
    pub fn unpack(&self, store: &PlaneStore) -> io::Result<BoardValues> {
        let [white, black] = &self.sides;
        let values = [white.unpack(store)?, black.unpack(store)?];
        Ok(BoardValues { board: self.board.clone(), values })
    }

    /// The same, planes side by side.
    pub fn unpack_by_all(&self, store: &PlaneStore) -> io::Result<BoardValues> {
        let [white, black] = &self.sides;
        let values = [white.unpack_by_all(store)?, black.unpack_by_all(store)?];
        Ok(BoardValues { board: self.board.clone(), values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Build;

    /// Whatever is packed comes back as it was, in memory and from a file, as a
    /// whole and by parts; and it is smaller.
    #[test]
    fn what_is_packed_comes_back() {
        let build = Build::new();
        let scratch = tempfile::tempdir().unwrap();
        for name in ["KQK", "KQKR", "KPKP", "KRPK"] {
            let table = build.table(name.parse().unwrap(), Metric::Dtm).unwrap();
            for folder in [None, Some(scratch.path())] {
                let copy = Arc::new(Table::clone(&table));
                let packed = PackedTable::new(copy, folder).unwrap();
                assert!(packed.len_bytes() < table.len_bytes() as u64 / 2, "{name}");
                assert!(packed.has_depths());
                assert_eq!(packed.is_aside(), folder.is_some());
                same(&packed, &table);
                // From memory to a file.
                let in_file = packed.set_aside(folder.unwrap_or(scratch.path())).unwrap();
                assert!(in_file.is_aside());
                assert!(in_file.len_bytes() < table.len_bytes() as u64 / 8, "{name}");
                same(&in_file, &table);
            }
        }
    }

    fn same(packed: &PackedTable, table: &Table) {
        let name = table.material;
        let whole = packed.unpack().unwrap();
        assert_eq!(whole.stats, table.stats);
        assert_eq!(whole.parts.len(), table.parts.len());
        for (i, (part, expected)) in whole.parts.iter().zip(&table.parts).enumerate() {
            assert!(part.values == expected.values, "{name} {i}");
            assert!(packed.part(i).unwrap().values == expected.values, "{name} {i}");
            let pawns = Color::BOTH.map(|color| expected.board.pawns(color));
            assert_eq!(packed.part_number(Placement::new(pawns)), Some(i));
        }
    }
}
