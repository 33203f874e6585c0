//! Boards that a shelf hands over end up in the same file as those solved here.

use std::path::Path;
use std::sync::Arc;

use molien_board::Material;
use molien_build::{Build, BuildError, Making};
use molien_table::Directory;
use molien_values::{BoardReceiver, BoardValues, Metric, Shelf, ShelfError, Stats, Table};

/// What goes wrong with the boards of a shelf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    None,
    /// One board is left out.
    Missing,
    /// One bit of a depth is another one.
    Changed,
}

/// Hands over the boards of tables that it solves itself, the last first.
struct Handing {
    build: Build,
    fault: Fault,
}

impl Shelf for Handing {
    fn contains(&self, _: Material, _: Metric) -> bool {
        false
    }

    fn load(&self, _: Material, _: Metric) -> Result<Option<Table>, ShelfError> {
        Ok(None)
    }

    fn has_boards(&self, material: Material, _: Metric) -> bool {
        material.has_pawns()
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
            Fault::Missing => drop(boards.pop()),
            Fault::Changed => {
                let side = &mut boards[0].values[0];
                let first = side.won.iter().position(|tile| !tile.is_empty()).unwrap();
                let (row, column) = side.won[first].pairs().next().unwrap();
                *side.depth[1][first].row_mut(row) ^= 1 << column.index();
            }
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

/// Where no log can be made, that is the error.
#[test]
fn a_log_that_cannot_be_made_is_an_error() {
    let goal: Material = "KPK".parse().unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("waves"), "no folder").unwrap();
    let found = store(folder.path(), goal, Fault::None);
    assert!(matches!(found, Err(BuildError::Table(_))), "{found:?}");
}
