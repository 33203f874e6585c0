//! Boards that a shelf hands over end up in the same file as those solved here.

use std::path::Path;
use std::sync::Arc;

use molien_board::Material;
use molien_build::{Build, BuildError, Making, check_stored};
use molien_table::{Directory, TableFile, WriteOptions, write};
use molien_values::{BoardReceiver, BoardValues, Graded, Metric, Shelf, ShelfError, Stats, Table};

/// What goes wrong with the boards of a shelf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    /// One board is left out.
    Missing,
    /// One bit of a depth is another one.
    Changed,
    /// One bit of every depth is another one.
    AllChanged,
    /// There is no room for the metric that is solved last.
    NoRoom,
}

/// Exchanges one bit of a depth.
fn change_a_depth(board: &mut BoardValues) {
    let side = &mut board.values[0];
    let first = side.won.iter().position(|tile| !tile.is_empty()).unwrap();
    let (row, column) = side.won[first].pairs().next().unwrap();
    *side.depth[1][first].row_mut(row) ^= 1 << column.index();
}

/// Exchanges one bit of all depths.
fn change_all_depths(board: &mut BoardValues) {
    for Graded { won, lost, depth, .. } in &mut board.values {
        let Some(bits) = depth.get_mut(1) else { continue };
        for (bits, (won, lost)) in bits.iter_mut().zip(won.iter().zip(lost)) {
            *bits = bits.zip(&won.or(lost), |a, b| a ^ b);
        }
    }
}

/// Hands over the boards of tables that it solves itself, the last first.
struct Handing {
    build: Build,
    fault: Fault,
}

impl Shelf for Handing {
    fn has_boards(&self, material: Material, _: Metric) -> bool {
        material.has_pawns()
    }

    fn plan_boards(&self, material: Material, metric: Metric) -> Result<(), ShelfError> {
        match self.fault == Fault::NoRoom && metric == Metric::Dtm {
            true => Err(ShelfError::NoBoards { material, metric }),
            false => Ok(()),
        }
    }

    fn hand_over(
        &self,
        material: Material,
        metric: Metric,
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        let table = self.build.table(material, metric).unwrap();
        let mut boards: Vec<BoardValues> =
            table.parts.iter().rev().map(|part| BoardValues::clone(part)).collect();
        match self.fault {
            Fault::None => {}
            Fault::NoRoom => panic!("{material} in {metric} is solved without room for DTM"),
            Fault::Missing => drop(boards.pop()),
            Fault::Changed => change_a_depth(&mut boards[0]),
            Fault::AllChanged => boards.iter_mut().for_each(change_all_depths),
        }
        assert!(receiver.batch_bytes() > 0);
        while !boards.is_empty() {
            let batch = boards.split_off(boards.len().saturating_sub(3));
            if !receiver.take(batch) {
                return Err(ShelfError::NoBoards { material, metric });
            }
        }
        Ok(table.stats.clone())
    }
}

fn store(folder: &Path, goal: Material, fault: Fault) -> Result<(), BuildError> {
    let shelf = Handing { build: Build::new(), fault };
    let build = Build::new().with_folder(Directory::new(folder)).by_part_from(goal.len());
    // So little memory that batches wait for each other.
    let build = build.with_memory_limit(64 << 20).with_shelf(Arc::new(shelf));
    build.store(&[goal], &[Metric::Dtm, Metric::Dtz, Metric::Dtz50], &Making::default())
}

/// What does not fit is refused before anything is solved, whichever metric it is.
#[test]
fn no_room_is_said_first() {
    let (folder, goal) = (tempfile::tempdir().unwrap(), "KPK".parse().unwrap());
    let refused = store(folder.path(), goal, Fault::NoRoom).unwrap_err();
    assert!(refused.to_string().contains("KPK in dtm"), "{refused}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "no log, no table");
}

#[test]
fn boards_of_a_shelf_are_stored() {
    for name in ["KPK", "KPKP", "KRPK"] {
        let goal: Material = name.parse().unwrap();
        let [here, there] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let alone = Build::new().with_folder(Directory::new(there.path()));
        let metrics = [Metric::Dtm, Metric::Dtz, Metric::Dtz50];
        alone.store(&[goal], &metrics, &Making::default()).unwrap();
        store(here.path(), goal, Fault::None).unwrap();
        let [ours, theirs] = [&here, &there]
            .map(|folder| std::fs::read(Directory::new(folder.path()).path(goal)).unwrap());
        assert!(ours == theirs, "{name}");
        let files = std::fs::read_dir(here.path()).unwrap().count();
        assert_eq!(files, 1, "{name}: the table alone, and no log");
    }
}

/// What does not count what the shelf says is not stored; the next try starts anew.
#[test]
fn wrong_boards_are_not_stored() {
    let goal: Material = "KPK".parse().unwrap();
    for fault in [Fault::Missing, Fault::Changed] {
        let folder = tempfile::tempdir().unwrap();
        let found = store(folder.path(), goal, fault);
        assert!(matches!(found, Err(BuildError::HandedOver { .. })), "{fault:?}: {found:?}");
        assert!(Directory::new(folder.path()).open(goal).is_err());
        store(folder.path(), goal, Fault::None).unwrap();
    }
}

/// What the promotions of a stored table lead to is cut off the boards of a shelf: the file is
/// right; with one bit of a depth changed in it, or other depths on the shelf, it is not.
#[test]
fn files_are_checked_with_the_boards_of_a_shelf() {
    let (goal, metric) = ("KPKP".parse::<Material>().unwrap(), Metric::Dtm);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    let table = Build::new().table(goal, metric).unwrap();
    let check = |table: &Table, fault| {
        write(&path, &[table], &WriteOptions::quick(1)).unwrap();
        let shelf = Arc::new(Handing { build: Build::new(), fault });
        let build = Build::new().by_part_from(4).with_shelf(shelf);
        check_stored(&build, &Arc::new(TableFile::open(&path).unwrap()), metric)
    };
    let found = check(&table, Fault::None).unwrap();
    assert!(found.checked > 0);
    assert_eq!(found.failures, 0);
    assert!(check(&table, Fault::AllChanged).unwrap().failures > 0, "wrong slices are seen");
    assert!(matches!(check(&table, Fault::Missing), Err(BuildError::NotCovered { .. })));
    let mut wrong = Table::clone(&table);
    let part = wrong.parts.len() / 3;
    change_a_depth(Arc::make_mut(&mut wrong.parts[part]));
    assert!(check(&wrong, Fault::None).unwrap().failures > 0, "a wrong value is seen");
}

/// Where no log can be made, that is the error.
#[test]
fn a_log_that_cannot_be_made_is_an_error() {
    let goal: Material = "KPK".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("waves"), "no folder").unwrap();
    let found = store(folder.path(), goal, Fault::None);
    assert!(matches!(found, Err(BuildError::Table(_))), "{found:?}");
}
