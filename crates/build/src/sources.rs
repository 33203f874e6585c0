//! Where the boards of a table come from, one at a time.

use std::sync::Arc;

use molien_board::{Bitboard, Color};
use molien_solve::{Keep, Wanted};
use molien_table::{BoardLog, Cut, Reading, TableFile};
use molien_values::{BoardValues, Metric, Placement, Rule, Table};

use crate::cache::{Kept, Key};
use crate::limits::keep_for_others;
use crate::packed::PackedTable;
use crate::{Build, BuildError, lock};

/// A table whose boards are read one at a time.
pub(crate) enum BoardSource {
    Planes(Arc<Table>),
    Packed(Arc<PackedTable>),
    File { file: Arc<TableFile>, metric: Metric },
    Log(Arc<BoardLog>),
}

impl BoardSource {
    /// Whether the 50-move rule spoils something.
    pub fn is_cursed(&self) -> Result<bool, BuildError> {
        Ok(match self {
            BoardSource::Planes(table) => table.stats.is_cursed(),
            BoardSource::Packed(packed) => packed.stats.is_cursed(),
            BoardSource::File { file, metric } => file.stats(*metric)?.is_cursed(),
            BoardSource::Log(log) => log.stats()?.is_cursed(),
        })
    }

    /// Lets go of the memory that holds what has been read of a file.
    pub fn let_go(&self) {
        if let BoardSource::File { file, .. } = self {
            file.let_go();
        }
    }

    /// The board around some pawns; none if the table has none there. The side
    /// that is not to move may be left out.
    pub fn board(
        &self,
        pawns: Placement,
        turn: Option<Color>,
    ) -> Result<Option<Arc<BoardValues>>, BuildError> {
        Ok(match self {
            BoardSource::Planes(table) if pawns == Placement::NONE => table.parts.first().cloned(),
            BoardSource::Planes(table) => table.part(pawns).cloned(),
            BoardSource::Packed(packed) => {
                let part = packed.part_number(pawns).map(|number| packed.part(number));
                part.transpose()
                    .map_err(|error| BuildError::packing(packed.material, error))?
                    .map(Arc::new)
            }
            BoardSource::File { file, metric } => file.load_board(*metric, pawns)?.map(Arc::new),
            BoardSource::Log(log) => log.board(pawns, turn)?.map(Arc::new),
        })
    }

    /// What promotions read of the board around some pawns: at least the slices that are
    /// wanted, and depths only where they count.
    pub fn after_promotion(
        &self,
        pawns: Placement,
        wanted: &[&Wanted],
    ) -> Result<Option<Arc<BoardValues>>, BuildError> {
        let sides = Color::BOTH.map(|side| wanted.iter().any(|w| w.stored_turn() == side));
        let BoardSource::File { file, metric } = self else {
            let only = Color::BOTH.into_iter().find(|side| !sides[side.other().index()]);
            return self.board(pawns, only);
        };
        let count = match metric.conversion_rule() {
            Rule::One => false,
            Rule::Fifty => self.is_cursed()?,
            Rule::Onward => true,
        };
        let (metric, cut) = (Some(*metric).filter(|_| count), cut(wanted));
        let reading = Reading { metric, sides, cut };
        let part = file.placements().iter().position(|placement| *placement == pawns);
        Ok(part.map(|part| file.read_part(part, reading)).transpose()?.map(Arc::new))
    }
}

/// Where the new man stands in all of these; nothing if he is not always the same.
fn cut(wanted: &[&Wanted]) -> Option<Cut> {
    let (man, _) = wanted.first()?.stored_fixed()?;
    let square = |wanted: &&Wanted| {
        let (other, square) = wanted.stored_fixed()?;
        (other == man).then_some(square)
    };
    let squares = wanted.iter().map(square).collect::<Option<Bitboard>>()?;
    Some(Cut { man, squares })
}

impl Build {
    /// Where the boards of a table are read: what is at hand, else the file, else
    /// a table made for it.
    pub(crate) fn source(&self, key: Key, keep: Keep) -> Result<BoardSource, BuildError> {
        let kept = lock(&self.tables).kept(&key);
        match kept.filter(|kept| kept.keeps(keep)) {
            Some(Kept::Planes(table)) => return Ok(BoardSource::Planes(table)),
            Some(Kept::Packed(packed)) => return Ok(BoardSource::Packed(packed)),
            None => {}
        }
        if let Some(file) = self.stored_file(key)? {
            return Ok(BoardSource::File { file, metric: key.1 });
        }
        if self.is_by_part(key.0) {
            return self.unnamed_log(key).map(BoardSource::Log);
        }
        self.make(key, keep).map(BoardSource::Planes)
    }

    /// Whether the 50-move rule spoils something in a table, which is made if it
    /// is not stored.
    pub(crate) fn is_cursed(&self, key: Key) -> Result<bool, BuildError> {
        if let Some(file) = self.stored_file(key)? {
            return Ok(file.stats(key.1)?.is_cursed());
        }
        Ok(self.request(key, keep_for_others(key.0, key.1))?.stats.is_cursed())
    }

    /// The file of a table, if a folder has one with this metric.
    pub(crate) fn stored_file(
        &self,
        (material, metric): Key,
    ) -> Result<Option<Arc<TableFile>>, BuildError> {
        // Of a file of one side to move the other is derived from what it reads.
        let is_whole = |file: &TableFile| !file.is_one_sided() && file.holds(metric);
        let own = match self.open_file(material) {
            Err(error) if !error.is_missing() => return Err(error.into()),
            own => own.ok().flatten().filter(is_whole),
        };
        // What cannot be read in a folder of others is looked for elsewhere.
        let mut others = self.read_folders.iter().filter_map(|folder| folder.open(material).ok());
        let other = || others.find(is_whole).map(|file| self.stopping(file));
        Ok(own.or_else(other).map(Arc::new))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Man, Material, Role, Square};
    use molien_hyper::Tile;
    use molien_table::{Directory, WriteOptions};
    use molien_values::Graded;

    /// What is read after a pawn beside these became a rook.
    fn promoted(pawns: Placement, square: Square) -> Wanted {
        let fixed = Some((Man::new(Color::White, Role::Rook), square));
        Wanted { men: Vec::new(), pawns, fixed, turn: Color::Black, depths: true }
    }

    /// Of a file only what counts after a promotion is read.
    #[test]
    fn promotions_read_one_side_and_no_depths() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = Directory::new(scratch.path());
        let (material, build) = ("KRPK".parse::<Material>().unwrap(), Build::new());
        let tables =
            [Metric::Dtm, Metric::Dtc].map(|metric| build.table(material, metric).unwrap());
        directory.store(&[&tables[0], &tables[1]], &WriteOptions::default()).unwrap();
        let file = Arc::new(directory.open(material).unwrap());
        for table in &tables {
            let part = &table.parts[7];
            let pawns = Placement::new(Color::BOTH.map(|color| part.board.pawns(color)));
            let source = BoardSource::File { file: file.clone(), metric: table.metric };
            let squares = (56..64).map(Square::new);
            let wanted: Vec<Wanted> = squares.map(|square| promoted(pawns, square)).collect();
            let wanted: Vec<&Wanted> = wanted.iter().collect();
            let read = source.after_promotion(pawns, &wanted).unwrap().unwrap();
            let [white, black] = &read.values;
            assert!(white.won.is_empty() && white.lost.is_empty());
            let cut = |tiles: &Vec<Tile>| tiles[56..].to_vec();
            let [black, expected] = [black, &part.values[Color::Black.index()]].map(|side| {
                let depth = side.depth.iter().map(cut).collect();
                let (legal, won, lost) = (cut(&side.legal), cut(&side.won), cut(&side.lost));
                Graded { legal, won, lost, depth, stalemate: Vec::new() }.without_empty_bits()
            });
            match table.metric {
                Metric::Dtm => assert!(black == expected),
                _ => assert!(black.depth.is_empty() && black.won == expected.won),
            }
            assert!(black.lost == expected.lost && black.legal == expected.legal);
        }
    }

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
            let file = Arc::new(directory.open(material).unwrap());
            let mut others =
                vec![BoardSource::Packed(Arc::new(packed)), BoardSource::File { file, metric }];
            if material.has_pawns() {
                let log = directory.board_log(material, metric).unwrap();
                table.parts.iter().for_each(|part| log.add(part, &table.stats).unwrap());
                others.push(BoardSource::Log(Arc::new(log)));
            }
            let planes = BoardSource::Planes(table.clone());
            for part in &table.parts {
                let pawns = Placement::new(Color::BOTH.map(|color| part.board.pawns(color)));
                let expected = planes.board(pawns, None).unwrap().unwrap();
                for source in &others {
                    let board = source.board(pawns, None).unwrap().unwrap();
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
