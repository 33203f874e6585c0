//! Files with the depths of one side to move: the other side's are those that the
//! solver finds.

use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::{Build, Making};
use molien_hyper::{Index, Tile};
use molien_table::{Directory, OpenTables, Pack, Sides, TableError, WriteOptions};
use molien_values::{BoardValues, Graded, Metric, Table};

const ONE_SIDE: WriteOptions = WriteOptions::packed(Pack::Fast).with_sides(Sides::One);

fn is_exhaustive() -> bool {
    std::env::var_os("MOLIEN_EXHAUSTIVE").is_some()
}

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

fn store(folder: &Directory, names: &[&str], metrics: &[Metric]) {
    let build = Build::new().with_folder(folder.clone());
    let materials: Vec<Material> = names.iter().map(|name| material(name)).collect();
    let making = Making { options: ONE_SIDE, ..Making::default() };
    build.store(&materials, metrics, &making).unwrap();
}

/// Every so many positions of a table.
fn positions(table: &Table, step: usize) -> impl Iterator<Item = Position> + '_ {
    let of = move |part: &'_ Arc<BoardValues>| {
        let board = part.board.clone();
        let cells = (0..board.tiles())
            .flat_map(move |tile| Tile::FULL.pairs().map(move |(row, column)| (tile, row, column)));
        cells.step_by(step).flat_map(move |(tile, row, column)| {
            let at = Index { tile, row, column };
            Color::BOTH.map(|turn| board.decode(at, turn)).into_iter().flatten().collect::<Vec<_>>()
        })
    };
    table.parts.iter().flat_map(of)
}

/// Positions are read, and whole tables loaded, with the solver's values.
fn compare(folder: &Directory, name: &str, metrics: &[Metric], step: usize) {
    let (open, material) = (OpenTables::new(folder.clone()), material(name));
    let loading = Build::new().with_folder(folder.clone()).without_solving();
    let solver = Build::new();
    for &metric in metrics {
        let table = solver.table(material, metric).unwrap();
        let loaded = loading.table(material, metric).unwrap();
        assert_eq!(loaded.stats, table.stats);
        for (loaded, solved) in loaded.parts.iter().zip(&table.parts) {
            let trimmed = |part: &BoardValues| part.values.clone().map(Graded::without_empty_bits);
            assert!(trimmed(loaded) == trimmed(solved), "{name} {metric}");
        }
        assert!(open.holds(material, metric));
        for position in positions(&table, step) {
            let found = open.values(&position, &[metric]).unwrap().get(metric);
            assert_eq!(found, table.get(&position), "{metric} of {position}");
        }
    }
}

#[test]
fn three_men() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Directory::new(scratch.path());
    let names = ["KPK", "KQK", "KRK", "KBK", "KNK"];
    let metrics = [Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Dtz50, Metric::Wdl];
    store(&folder, &names, &metrics);
    for name in names {
        let file = folder.open(material(name)).unwrap();
        assert!(file.is_one_sided());
        file.verify().unwrap();
        compare(&folder, name, &metrics, if is_exhaustive() { 1 } else { 41 });
    }
}

#[test]
fn four_men() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Directory::new(scratch.path());
    let (names, metrics): (&[&str], &[Metric]) = match is_exhaustive() {
        true => (&["KRKN", "KQKP", "KBBK", "KPPK", "KPKP"], &Metric::ALL),
        false => (&["KRKB"], &[Metric::Dtm]),
    };
    store(&folder, names, metrics);
    for name in names {
        compare(&folder, name, metrics, if is_exhaustive() { 17 } else { 997 });
    }
}

/// A metric that is added leaves the others as they were.
#[test]
fn a_metric_is_added() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Directory::new(scratch.path());
    store(&folder, &["KRK"], &[Metric::Dtm]);
    store(&folder, &["KRK"], &[Metric::Dtc, Metric::Dtm50]);
    let at_once = tempfile::tempdir().unwrap();
    let other = Directory::new(at_once.path());
    let metrics = [Metric::Dtc, Metric::Dtm, Metric::Dtm50];
    store(&other, &["KRK"], &metrics);
    let bytes = |folder: &Directory| std::fs::read(folder.path(material("KRK"))).unwrap();
    assert!(bytes(&folder) == bytes(&other));
    compare(&folder, "KRK", &metrics, 7);
}

#[test]
fn tables_underneath_are_missed() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = Directory::new(scratch.path());
    store(&folder, &["KPK"], &[Metric::Dtm]);
    std::fs::remove_file(folder.path(material("KQK"))).unwrap();
    let open = OpenTables::new(folder.clone());
    assert!(!open.holds(material("KPK"), Metric::Dtm));
    // White's moves lead to the queen's table, Black's do not.
    let file = folder.open(material("KPK")).unwrap();
    let side = file.derived_side(Metric::Dtm).unwrap();
    let turn = if side == Color::White { 'w' } else { 'b' };
    let position: Position = format!("8/2P5/8/8/8/4k3/8/K7 {turn} - -").parse().unwrap();
    assert!(matches!(file.get(&position, Metric::Dtm), Err(TableError::OtherSide { .. })));
    let found = open.values(&position, &[Metric::Dtm]);
    match side {
        Color::White => assert!(matches!(found, Err(TableError::Underneath { .. })), "{found:?}"),
        Color::Black => {
            let table = Build::new().table(material("KPK"), Metric::Dtm).unwrap();
            assert_eq!(found.unwrap().get(Metric::Dtm), table.get(&position));
        }
    }
    assert!(matches!(file.load(Metric::Dtm), Err(TableError::OtherSide { .. })));
    // What is missing is made when it is asked for.
    store(&folder, &["KPK"], &[Metric::Dtm]);
    assert!(OpenTables::new(folder).holds(material("KPK"), Metric::Dtm));
}
