//! Large tables read from their file, one class of king pairs at a time.

use std::sync::Arc;

use molien_board::Color;
use molien_hyper::{Hyperboard, Plane, Tile};
use molien_values::{BoardValues, Graded, Metric, Table};
use rayon::prelude::*;

use crate::keys::board_map::{BoardMap, ValuePlanes};
use crate::keys::gather::Seen;
use crate::read::cut::CutCells;
use crate::read::decode::PartDecoder;
use crate::read::packed_load::Told;
use crate::write::classes::{ByClass, ClassValues, Classes, legal_class};
use crate::{TableError, TableFile};

/// The values of a file in one of its metrics. Only of files in which no
/// king's moves count: there a class can be decoded alone.
pub(crate) struct FileClasses {
    file: Arc<TableFile>,
    board: Hyperboard,
    /// Its place among the stored metrics; without one, outcomes only.
    metric: Option<usize>,
    depth_bits: usize,
}

impl FileClasses {
    /// `None` if a class of the file cannot be decoded alone.
    pub fn new(file: Arc<TableFile>, metric: Metric, depths: bool) -> Option<FileClasses> {
        let layout = &file.shared.meta.layout;
        let packed = file.packed.is_some();
        if layout.king_moves || layout.material.has_pawns() || packed {
            return None;
        }
        let place = file.find(metric).ok()?;
        let stored = &file.shared.meta.metrics[place];
        let deepest = if depths { stored.stats.deepest() } else { 0 };
        Some(FileClasses {
            board: Hyperboard::pieces(layout.material),
            metric: (depths && stored.coding.stored).then_some(place),
            depth_bits: (usize::BITS - deepest.leading_zeros()) as usize,
            file,
        })
    }

    /// What a class takes in memory.
    pub fn class_bytes(&self) -> u64 {
        2 * ((3 + self.depth_bits) * self.board.axes().len() * size_of::<Tile>()) as u64
    }

    fn decode(&self, class: usize) -> Result<ClassValues, TableError> {
        let layout = &self.file.shared.meta.layout;
        let told = self.metric.map_or(Told::Outcomes, Told::Depths);
        let decoder = PartDecoder { file: &self.file, told, cells: CutCells::ALL };
        let [base, own] = decoder.class(class)?;
        let places = BoardMap::new(layout, &self.board);
        Ok(Color::BOTH.map(|turn| {
            let predicted = turn == layout.predicted;
            let (seen, keys) = if predicted { (Seen::ToMove, &own) } else { (Seen::After, &base) };
            let ValuePlanes { won, lost, depth } =
                places.class_planes(class, seen, keys, self.depth_bits);
            let legal = legal_class(&self.board, class, turn);
            Graded { legal, won, lost, depth, stalemate: Vec::new() }
        }))
    }
}

impl Classes for FileClasses {
    fn board(&self) -> &Hyperboard {
        &self.board
    }

    fn load(&self, class: usize) -> Result<ClassValues, TableError> {
        self.decode(class)
    }
}

impl TableFile {
    /// A table without pawns, to be read class by class; as a whole if its
    /// classes cannot be decoded alone.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    pub fn by_class(self: &Arc<TableFile>, metric: Metric) -> Result<ByClass, TableError> {
        let stats = self.stats(metric)?;
        let classes: Arc<dyn Classes> = match FileClasses::new(self.clone(), metric, true) {
            Some(classes) => Arc::new(classes),
            None => Arc::new(Arc::new(self.load(metric)?)),
        };
        Ok(ByClass::new(stats, classes))
    }

    /// Reads who wins every position into memory, without depths: what the
    /// solver keeps of large tables. `None` if the table is not a large one.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    pub fn load_outcomes(
        self: &Arc<TableFile>,
        metric: Metric,
    ) -> Result<Option<Table>, TableError> {
        let stats = self.stats(metric)?;
        let Some(classes) = FileClasses::new(self.clone(), metric, false) else { return Ok(None) };
        let board = classes.board.clone();
        let empty = || Plane::empty(board.tiles()).tiles;
        let mut values = Color::BOTH.map(|_| Graded {
            legal: empty(),
            won: empty(),
            lost: empty(),
            ..Graded::default()
        });
        let per_class = board.axes().len();
        let [white, black] = values.each_mut().map(|side| {
            let Graded { legal, won, lost, .. } = side;
            let pairs = legal.par_chunks_mut(per_class).zip(won.par_chunks_mut(per_class));
            pairs.zip(lost.par_chunks_mut(per_class))
        });
        white.zip(black).enumerate().try_for_each(|(class, sides)| {
            let found = classes.decode(class)?;
            for (((legal, won), lost), found) in <[_; 2]>::from(sides).into_iter().zip(&found) {
                legal.copy_from_slice(&found.legal);
                won.copy_from_slice(&found.won);
                lost.copy_from_slice(&found.lost);
            }
            Ok::<(), TableError>(())
        })?;
        let (material, metric) = (stats.material, metric.without_pawns());
        let parts = vec![Arc::new(BoardValues { board, values })];
        Ok(Some(Table { material, metric, parts, stats }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write::solved::SolvedMetric;
    use crate::write::{STORED_ORDER, arrange, write_source};
    use molien_build::Build;
    use molien_hyper::KING_PAIRS;

    /// A table written as if it were a large one, with like men.
    #[test]
    fn classes_are_those_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("KNNvKN.mol");
        let table = Build::new().table("KNNKN".parse().unwrap(), Metric::Dtc).unwrap();
        let (mut source, aliases) =
            arrange(vec![SolvedMetric::by_part(&table)], STORED_ORDER).unwrap();
        source.king_moves_cells = 0;
        write_source(&path, &source, aliases, 1, None).unwrap();
        let file = Arc::new(TableFile::open(&path).unwrap());
        let classes = FileClasses::new(file.clone(), Metric::Dtc, true).unwrap();
        for class in (0..KING_PAIRS).step_by(3) {
            let expected = table.load(class).unwrap();
            let found = classes.load(class).unwrap().map(Graded::without_empty_bits);
            assert!(found == expected.map(Graded::without_empty_bits), "class {class}");
        }
        let outcomes = file.load_outcomes(Metric::Dtz).unwrap().unwrap();
        assert_eq!((outcomes.metric, &outcomes.stats.sides), (Metric::Dtc, &table.stats.sides));
        for (found, expected) in outcomes.parts[0].values.iter().zip(&table.parts[0].values) {
            assert!(found.legal == expected.legal && found.depth.is_empty());
            assert!(found.won == expected.won && found.lost == expected.lost);
        }
    }
}
