//! Damaged and hostile files: one sentence each, never a panic, never an endless
//! loop; and a wrong value is found whatever the checksum says.

mod common;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use common::{folder, written};
use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_hyper::{Index, Tile};
use molien_syzygy::{CheckError, Damage, Kind, Plies, ReadError, SyzygyFolder, TableFile, write};
use molien_testing::oracle;
use molien_values::{Place, Table};

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

/// The bytes of a written file.
fn file_of(name: &str, men: &str, kind: Kind) -> (PathBuf, Vec<u8>) {
    let folder = folder(name);
    written(&Build::new(), &folder, &[material(men)]);
    let path = folder.join(TableFile::name(&material(men), kind));
    let bytes = std::fs::read(&path).unwrap();
    (path, bytes)
}

/// The bytes of a written file of king and rook against king.
fn krk(name: &str, kind: Kind) -> (PathBuf, Vec<u8>) {
    file_of(name, "KRK", kind)
}

fn damage(path: &Path) -> Option<Damage> {
    match TableFile::at(path).unwrap().check() {
        Ok(()) => None,
        Err(CheckError::Damaged { damage, .. }) => Some(damage),
        Err(error) => panic!("{error}"),
    }
}

/// Bytes here and there; with `MOLIEN_EXHAUSTIVE` all of them.
#[test]
fn every_changed_byte_is_found() {
    let files = ["KRK", "KRKN"].into_iter().flat_map(|men| Kind::ALL.map(|kind| (men, kind)));
    for (men, kind) in files {
        let (path, bytes) = file_of(&format!("bytes-{men}-{}", kind.extension()), men, kind);
        assert_eq!(damage(&path), None);
        let all = std::env::var_os("MOLIEN_EXHAUSTIVE").is_some();
        let step = if all { 1 } else { 1 + bytes.len() / 500 };
        for at in (0..bytes.len()).step_by(step) {
            let mut changed = bytes.clone();
            changed[at] ^= 1 << (at % 8);
            std::fs::write(&path, &changed).unwrap();
            assert!(damage(&path).is_some(), "{}: byte {at}", path.display());
        }
    }
}

#[test]
fn files_made_elsewhere_are_whole() {
    let Some(oracle) = oracle() else { return };
    let files = TableFile::all_in(&oracle.join("syzygy/regular")).unwrap();
    assert_eq!(files.len(), 70);
    files.iter().for_each(|file| file.check().unwrap());
}

/// Values of files made elsewhere equal ours, symmetric tables with pawns
/// among them.
#[test]
fn values_made_elsewhere_are_right() {
    let Some(oracle) = oracle() else { return };
    let build = Build::new();
    let names = ["KQK", "KPK", "KQKR", "KPKP", "KBNK", "KPPK"];
    for file in TableFile::all_in(&oracle.join("syzygy/regular")).unwrap() {
        if !names.contains(&file.material.to_string().as_str())
            && std::env::var_os("MOLIEN_EXHAUSTIVE").is_none()
        {
            continue;
        }
        let table = build.table(file.material, molien_values::Metric::Dtz50).unwrap();
        let values = file.check_values(&build, &table).unwrap();
        assert_eq!(values.wrong, 0, "{}: {:?}", file.path.display(), values.first);
    }
}

/// A file of another material with a right checksum, under a wrong name.
#[test]
fn wrong_men_and_wrong_kinds_are_named() {
    let (path, bytes) = krk("names", Kind::Wdl);
    let build = Build::new();
    let elsewhere = path.with_file_name("KQvK.rtbw");
    std::fs::write(&elsewhere, &bytes).unwrap();
    let table = build.table(material("KQK"), molien_values::Metric::Dtz50).unwrap();
    let error = TableFile::at(&elsewhere).unwrap().check_values(&build, &table).unwrap_err();
    assert!(error.to_string().contains("not a file of KQK"), "{error}");
    let as_dtz = path.with_file_name("KRvK.rtbz");
    std::fs::write(&as_dtz, &bytes).unwrap();
    assert!(matches!(damage(&as_dtz), Some(Damage::Magic { .. })));
    assert!(TableFile::at(&path.with_file_name("KKvR.rtbw")).is_err());
    let position: Position = "8/8/8/8/8/2k5/8/K6Q w - -".parse().unwrap();
    let opened = SyzygyFolder::open(&[path.parent().unwrap().to_owned()]).unwrap();
    let error = opened.probe(&position).unwrap_err();
    assert!(matches!(&error, ReadError::Damaged { .. }), "{error}");
}

/// Where the head of the sub-table of `KRvK.rtbz` begins: after the first bytes,
/// the layout, the order and three men.
const HEAD: usize = 10;

/// Each kind of damage is said in a sentence of its own, and the reader's answer
/// to it, if there is none, names the file.
#[test]
fn every_kind_of_damage_has_its_sentence() {
    let build = Build::new();
    let table = build.table(material("KRK"), molien_values::Metric::Dtz50).unwrap();
    let (path, bytes) = krk("kinds", Kind::Dtz);
    let position: Position = "8/8/8/3k4/8/8/7R/K7 b - -".parse().unwrap();
    let said = |changed: &[u8]| {
        std::fs::write(&path, changed).unwrap();
        let folder = path.parent().unwrap().to_owned();
        if let Err(error) = SyzygyFolder::open(&[folder]).unwrap().probe(&position) {
            assert!(error.to_string().contains("KRvK.rtbz"), "{error}");
        }
        let error = TableFile::at(&path).unwrap().check_values(&build, &table).unwrap_err();
        assert!(matches!(error, CheckError::Damaged { .. }), "{error}");
        error.to_string()
    };
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut changed = bytes.clone();
        change(&mut changed);
        molien_syzygy::fuzzing::resign(&mut changed);
        changed
    };
    let wrong = [
        (Vec::new(), "0 bytes long"),
        (bytes[..bytes.len() - 7].to_vec(), "a whole file is 16 bytes longer"),
        (changed(&|bytes| bytes[0] = 0), "it begins with"),
        (changed(&|bytes| bytes.truncate(64 * 8 + 16)), "it ends within the"),
        (changed(&|bytes| bytes[HEAD + 4..HEAD + 8].fill(0xff)), "it ends within the"),
        (changed(&|bytes| bytes[HEAD + 2] = 0), "impossible sizes"),
        (changed(&|bytes| bytes[HEAD + 8] = 200), "impossible lengths"),
        (changed(&|bytes| bytes[HEAD - 3] ^= 8), "not a file of KRK"),
        (changed(&|bytes| itself(bytes)), "a symbol contains itself"),
    ];
    for (changed, sentence) in wrong {
        let said = said(&changed);
        assert!(said.contains(sentence) && said.contains("KRvK.rtbz"), "{said}: {sentence}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}

/// Makes the last symbol that is a pair begin with itself.
fn itself(bytes: &mut [u8]) {
    let lengths = usize::from(bytes[HEAD + 8] - bytes[HEAD + 9]) + 1;
    let count_at = HEAD + 10 + 2 * lengths;
    let count = usize::from(u16::from_le_bytes([bytes[count_at], bytes[count_at + 1]]));
    let at = |symbol: usize| count_at + 2 + 3 * symbol;
    let is_pair =
        |&symbol: &usize| (bytes[at(symbol) + 1] >> 4, bytes[at(symbol) + 2]) != (15, 255);
    let pair = (0..count).rev().find(is_pair).unwrap();
    let start = at(pair);
    bytes[start] = pair as u8;
    bytes[start + 1] = bytes[start + 1] & 0xf0 | (pair >> 8) as u8;
}

/// Whatever the bytes, reading ends, with an answer or a sentence.
#[test]
fn hostile_bytes_do_no_harm() {
    let mut seed = 3u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    };
    let build = Build::new();
    let table = build.table(material("KRK"), molien_values::Metric::Dtz50).unwrap();
    let position: Position = "8/8/8/3k4/8/8/7R/K7 b - -".parse().unwrap();
    for kind in Kind::ALL {
        let (path, bytes) = krk(&format!("hostile-{}", kind.extension()), kind);
        let folder = path.parent().unwrap().to_owned();
        for round in 0..100 {
            let mut changed = bytes.clone();
            // Mostly the head, where one byte changes the meaning of the rest.
            for _ in 0..1 + round % 4 {
                let end = if random(4) == 0 { bytes.len() } else { 64 };
                changed[random(end)] = random(256) as u8;
            }
            if round % 10 == 0 {
                changed.truncate(random(bytes.len()));
            }
            molien_syzygy::fuzzing::resign(&mut changed);
            std::fs::write(&path, &changed).unwrap();
            let _ = TableFile::at(&path).unwrap().check_values(&build, &table);
            let _ = SyzygyFolder::open(std::slice::from_ref(&folder)).unwrap().probe(&position);
        }
    }
}

/// One wrong value in a file whose checksum is right.
#[test]
fn a_wrong_value_is_found_behind_a_right_checksum() {
    let build = Build::new();
    let table = build.table(material("KRK"), molien_values::Metric::Dtz50).unwrap();
    let (path, bytes) = krk("wrong-value", Kind::Dtz);
    let mut found = 0;
    // Somewhere in the data, before the checksum.
    for back in [40, 100, 200, 400, 800, 1200] {
        let mut changed = bytes.clone();
        let at = bytes.len() - 16 - back;
        changed[at] ^= 0x10;
        molien_syzygy::fuzzing::resign(&mut changed);
        std::fs::write(&path, &changed).unwrap();
        assert_eq!(damage(&path), None);
        match TableFile::at(&path).unwrap().check_values(&build, &table) {
            Ok(values) if values.wrong > 0 => {
                let first = &values.first[0];
                assert_eq!(first.position.material(), material("KRK"));
                assert_ne!(first.found, first.expected);
                found += 1;
            }
            Ok(_) => {}
            Err(CheckError::Damaged { .. }) => found += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(found >= 4, "{found}");
}

/// Where a table holds a decided position that takes some plies.
fn slow_position(table: &Table, turn: Color) -> Place {
    let places = table.parts.iter().enumerate().flat_map(|(part, game)| {
        (0..game.board.tiles())
            .filter_map(|tile| game.board.cell(tile).map(|cell| (tile, cell)))
            .flat_map(move |(tile, cell)| {
                let index = move |(row, column)| Index { tile, row, column };
                let pairs: Vec<_> = game.board.representatives(&cell).pairs().collect();
                pairs.into_iter().map(move |pair| Place { part, turn, index: index(pair) })
            })
    });
    let slow = |place: &Place| {
        let position = table.parts[place.part].board.decode(place.index, turn);
        position.is_some() && table.at(*place).plies().is_some_and(|plies| plies >= 9)
    };
    let mut found = places.filter(slow);
    found.next().unwrap()
}

/// A table with one value changed: what was decided is a draw, or takes two plies more
/// or fewer.
fn with_one_wrong(table: &Table, place: Place, kind: Kind) -> Table {
    let Place { part, turn, index } = place;
    let mut wrong = table.clone();
    let values = &mut Arc::make_mut(&mut wrong.parts[part]).values[turn.index()];
    let remove = |plane: &mut Vec<Tile>, flip: u64| {
        let tile = plane[index.tile];
        plane[index.tile] = Tile::from_rows(|row| {
            let mask = if row == index.row { 1 << index.column.index() } else { 0 };
            tile.row(row) & !mask | (tile.row(row) ^ mask) & mask & flip
        });
    };
    match kind {
        Kind::Wdl => {
            remove(&mut values.won, 0);
            remove(&mut values.lost, 0);
        }
        Kind::Dtz => remove(&mut values.depth[1], !0),
    }
    wrong
}

/// One value of a hundred thousand and more is wrong, the file is whole, and the value is named.
#[test]
fn one_wrong_value_of_four_men_is_named() {
    let build = Build::new();
    let table = build.table(material("KRKN"), molien_values::Metric::Dtz50).unwrap();
    for kind in Kind::ALL {
        let mut found = 0;
        for turn in Color::BOTH {
            let place = slow_position(&table, turn);
            let wrong = with_one_wrong(&table, place, kind);
            let files = write(&build, &wrong, Plies::Exact).unwrap();
            let folder = folder(&format!("one-wrong-{}-{turn:?}", kind.extension()));
            let path = folder.join(TableFile::name(&table.material, kind));
            std::fs::write(&path, files.of(kind)).unwrap();
            assert_eq!(damage(&path), None);
            let values = TableFile::at(&path).unwrap().check_values(&build, &table).unwrap();
            // A position that is its own mirror image may be there twice.
            assert!(values.compared > 100_000 && values.wrong <= 2, "{values:?}");
            let named = values.first.iter().map(|wrong| table.locate(&wrong.position));
            assert!(named.into_iter().all(|named| named == Some(place)), "{values:?}");
            found += usize::from(values.wrong > 0);
        }
        // A DTZ file has one side to move.
        assert_eq!(found, if kind == Kind::Wdl { 2 } else { 1 }, "{kind:?}");
    }
}
