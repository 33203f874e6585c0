//! Written files, read by shakmaty-syzygy: every position must have the value of
//! our table and that of the files made elsewhere.
//!
//! By default all values are compared as our own code decodes them, and by the
//! library one tile in a few of
//! all tables of three men and some of four. With `MOLIEN_EXHAUSTIVE` set it is every position of
//! all 35 tables; that takes 25 minutes of CPU time.

mod common;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use common::{folder, for_each_position, plies, written};
use molien_board::Material;
use molien_build::Build;
use molien_syzygy::{Kind, SyzygyFolder, TableFile};
use molien_testing::oracle;
use molien_values::{Category, Table};

fn exhaustive() -> bool {
    std::env::var_os("MOLIEN_EXHAUSTIVE").is_some()
}

fn theirs(oracle: &Path) -> PathBuf {
    oracle.join("syzygy/regular")
}

/// Compares a table with our files (before theirs, which serve what ours do
/// not cover) and with theirs; how many positions.
fn compare(ours: &SyzygyFolder, theirs: &SyzygyFolder, table: &Table, step: usize) -> u64 {
    let compared = AtomicU64::new(0);
    for_each_position(table, step, |position, value| {
        compared.fetch_add(1, Ordering::Relaxed);
        let (our_answer, their_answer) =
            (ours.probe(position).unwrap(), theirs.probe(position).unwrap());
        let category = Category::of(value);
        assert_eq!(our_answer.category, category, "{position}");
        assert_eq!(their_answer.category, category, "{position}");
        for answer in [our_answer, their_answer] {
            match answer.plies {
                None => assert_eq!(category, Category::Draw, "{position}"),
                Some(found) => assert!(
                    (found.least..=found.most).contains(&plies(value)),
                    "{position}: {found}, but {value:?}"
                ),
            }
        }
    });
    compared.into_inner()
}

fn compare_all(name: &str, materials: &[Material], step: usize) {
    let Some(oracle) = oracle() else { return };
    let build = Build::new();
    let folder = folder(name);
    let tables = written(&build, &folder, materials);
    let theirs = theirs(&oracle);
    let ours = SyzygyFolder::open_in_memory(&[folder.clone(), theirs.clone()]).unwrap();
    let theirs = SyzygyFolder::open_in_memory(&[theirs]).unwrap();
    for table in &tables {
        let compared = compare(&ours, &theirs, table, step);
        eprintln!("{}: {compared} positions, none wrong", table.material);
        for kind in Kind::ALL {
            let path = folder.join(TableFile::name(&table.material, kind));
            let values = TableFile::at(&path).unwrap().check_values(&build, table).unwrap();
            assert_eq!(values.wrong, 0, "{}: {:?}", path.display(), values.first);
        }
    }
}

fn materials(names: &[&str]) -> Vec<Material> {
    names.iter().map(|name| name.parse().unwrap()).collect()
}

#[test]
fn three_men() {
    compare_all("three", &Material::all(3), if exhaustive() { 1 } else { 3 });
}

#[test]
fn four_men() {
    if exhaustive() {
        let four: Vec<Material> = Material::all(4).into_iter().filter(|m| m.len() == 4).collect();
        compare_all("four", &four, 1);
    } else {
        // Three men in front; two kings; two pawns of one colour and of both.
        compare_all("some-of-four", &materials(&["KRKN", "KNNK", "KPKP"]), 397);
    }
}

/// Positions with answers that other programs agree on, en passant among them.
#[test]
fn positions_of_a_test_suite() {
    let Some(oracle) = oracle() else { return };
    let folder = folder("suite");
    written(&Build::new(), &folder, &materials(&["KPK", "KQK", "KRK", "KBK", "KNK"]));
    let ours = SyzygyFolder::open(&[folder, theirs(&oracle)]).unwrap();
    let theirs = SyzygyFolder::open(&[theirs(&oracle)]).unwrap();
    let text = std::fs::read_to_string(oracle.join("endgame.epd")).unwrap();
    let mut compared = 0;
    for line in text.lines() {
        let fen: Vec<&str> = line.split_whitespace().take(4).collect();
        let Ok(position) = fen.join(" ").parse::<molien_board::Position>() else { continue };
        if position.material().len() <= 4 {
            assert_eq!(ours.probe(&position).unwrap(), theirs.probe(&position).unwrap(), "{line}");
            compared += 1;
        }
    }
    assert!(compared > 20, "{compared} positions");
}

/// Written one by one, plies are known exactly.
#[test]
fn exact_plies() {
    let build = Build::new();
    let table = build.table("KRK".parse().unwrap(), molien_values::Metric::Dtz50).unwrap();
    let files = molien_syzygy::write(&build, &table, molien_syzygy::Plies::Exact).unwrap();
    let folder = folder("exact");
    for kind in Kind::ALL {
        let path = folder.join(TableFile::name(&table.material, kind));
        std::fs::write(path, files.of(kind)).unwrap();
    }
    let ours = SyzygyFolder::open(&[folder]).unwrap();
    for_each_position(&table, 1, |position, value| {
        let found = ours.probe(position).unwrap().plies;
        let exact = found.map_or(0, |found| {
            assert_eq!(found.least, found.most, "{position}");
            found.least
        });
        assert_eq!(exact, plies(value), "{position}");
    });
}
