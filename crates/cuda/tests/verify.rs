//! A stored table taken for a large one is checked with what the card knows: slices of the
//! tables without pawns it promotes to, and single positions of them.

mod common;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use molien_board::{Material, Position};
use molien_build::Build;
use molien_cuda::{CudaEngine, CudaShelf};
use molien_table::{TableFile, WriteOptions, write};
use molien_testing::Random;
use molien_values::{
    BoardReceiver, Graded, Metric, PieceSlice, Shelf, ShelfError, Stats, Table, Value,
};
use molien_verify::{Options, Report, verify_stored};

/// The card, and how often it was asked.
struct Counting {
    card: CudaShelf,
    slices: AtomicUsize,
    values: AtomicUsize,
}

impl Shelf for Counting {
    fn has_boards(&self, material: Material, metric: Metric) -> bool {
        self.card.has_boards(material, metric)
    }

    fn hand_over(
        &self,
        material: Material,
        metric: Metric,
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        self.card.hand_over(material, metric, receiver)
    }

    fn has_slices(&self, material: Material, metric: Metric) -> bool {
        self.card.has_slices(material, metric)
    }

    fn slices(
        &self,
        material: Material,
        metric: Metric,
        wanted: &[PieceSlice],
    ) -> Result<(Vec<Graded>, Stats), ShelfError> {
        self.slices.fetch_add(wanted.len(), Ordering::Relaxed);
        self.card.slices(material, metric, wanted)
    }

    fn has_values(&self, material: Material, metric: Metric) -> bool {
        self.card.has_values(material, metric)
    }

    fn values(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<Vec<Value>, ShelfError> {
        self.values.fetch_add(positions.len(), Ordering::Relaxed);
        self.card.values(material, metric, positions)
    }
}

/// Checks a file, every board of which is taken for too large for memory.
fn verified(path: &Path, shelf: &Arc<Counting>) -> Report {
    let solver = Build::new().by_part_from(3).with_shelf(shelf.clone());
    let file = Arc::new(TableFile::open(path).unwrap());
    let options = Options { sample: Some(300), en_passant: true, ..Options::default() };
    verify_stored(&solver, file, &options, 0).unwrap()
}

/// Exchanges one bit of one depth of a table.
fn change_a_depth(table: &Table) -> Table {
    let mut wrong = Table::clone(table);
    let middle = wrong.parts.len() / 2;
    let side = &mut Arc::make_mut(&mut wrong.parts[middle]).values[0];
    let first = side.won.iter().position(|tile| !tile.is_empty()).unwrap();
    let (row, column) = side.won[first].pairs().next().unwrap();
    *side.depth[1][first].row_mut(row) ^= 1 << column.index();
    wrong
}

fn check(engine: CudaEngine, name: &str) {
    let material: Material = name.parse().unwrap();
    let card = CudaShelf::new(Arc::new(engine.with_large_tables(material.len(), 4 * 512 * 64)));
    let (slices, values) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let shelf = Arc::new(Counting { card, slices, values });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    let solver = Build::new();
    let [dtm, dtz50] = [Metric::Dtm, Metric::Dtz50].map(|m| solver.table(material, m).unwrap());
    write(&path, &[&dtm, &dtz50], &WriteOptions::quick(1)).unwrap();
    let report = verified(&path, &shelf);
    assert_eq!(report.failures(), 0, "{name}: {:?}", report.referee);
    assert_eq!(report.planes.len(), 2);
    assert!(report.planes.iter().all(|plane| plane.depths && plane.found.checked > 0));
    assert!(report.referee.checked >= 300);
    for asked in [&shelf.slices, &shelf.values] {
        assert!(asked.load(Ordering::Relaxed) > 0, "{name}: the card was not asked");
    }
    write(&path, &[&change_a_depth(&dtm), &dtz50], &WriteOptions::quick(1)).unwrap();
    let planes = verified(&path, &shelf).planes;
    let failures = planes.iter().map(|plane| (plane.metric, plane.found.failures));
    let [dtm, dtz50]: [(Metric, u64); 2] = failures.collect::<Vec<_>>().try_into().unwrap();
    assert!(dtm.0 == Metric::Dtm && dtm.1 > 0, "{name}: the changed depth is found");
    assert_eq!(dtz50, (Metric::Dtz50, 0), "{name}");
}

#[test]
fn stored_tables_are_checked_in_the_emulator() {
    let Some(engine) = common::in_the_emulator() else { return };
    check(engine, "KPK");
}

#[test]
fn stored_tables_are_checked_with_the_card() {
    for name in ["KPK", "KNKP", "KPKP"] {
        let Some(engine) = common::on_the_card() else { return };
        check(engine, name);
    }
}

/// Positions of a table with pawns taken for a large one are told by the card where many are
/// asked about, and have the values of the table; one that can turn into little is not worth
/// a table.
#[test]
fn positions_are_told_by_the_card() {
    let Some(engine) = common::in_the_emulator() else { return };
    let material: Material = "KPK".parse().unwrap();
    let card = CudaShelf::new(Arc::new(engine.with_large_tables(3, 4 * 512 * 64)));
    let (slices, values) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let shelf = Arc::new(Counting { card, slices, values });
    let solver = Build::new().by_part_from(3).with_shelf(shelf.clone());
    let table = Build::new().table(material, Metric::Dtm).unwrap();
    let mut random = Random::new(23);
    let legal = (0..).map(|_| random.position(material)).filter(|p| table.get(p).is_some());
    let asked: Vec<Position> = legal.take(50).collect();
    solver.watch(&asked, Metric::Dtm).unwrap();
    assert_eq!(shelf.values.load(Ordering::Relaxed), 0);
    let swapped: Vec<Position> = asked.iter().map(|position| position.swap_colors()).collect();
    solver.watch_many(&swapped, Metric::Dtm).unwrap();
    let told = shelf.values.load(Ordering::Relaxed);
    assert!((1..=50).contains(&told), "{told}");
    for position in &asked {
        assert_eq!(solver.value(position, Metric::Dtm).ok(), table.get(position), "{position}");
    }
    solver.watch_many(&asked, Metric::Dtm).unwrap();
    assert_eq!(shelf.values.load(Ordering::Relaxed), told, "what is known is not asked again");
}
