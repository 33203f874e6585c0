//! A damaged file gives an error, never a wrong value or a panic.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::{Color, Position};
use molien_build::Build;
use molien_hyper::{Index, Tile};
use molien_table::{Directory, Pack, TableError, TableFile, WriteOptions, write};
use molien_values::{Metric, Table, Value};

fn small_table() -> Arc<Table> {
    Build::new().table("KQK".parse().unwrap(), Metric::Dtm).unwrap()
}

fn write_to(folder: &Path) -> (PathBuf, Arc<Table>) {
    write_in(folder, &WriteOptions::quick(9))
}

fn write_in(folder: &Path, options: &WriteOptions) -> (PathBuf, Arc<Table>) {
    let path = folder.join("KQvK.mol");
    let table = small_table();
    write(&path, &[&table], options).unwrap();
    (path, table)
}

/// Both codings.
const CODINGS: [WriteOptions; 2] = [WriteOptions::quick(9), WriteOptions::packed(Pack::Fast)];

/// Some positions with their values.
fn samples(table: &Table, step: usize) -> Vec<(Position, Value)> {
    let board = &table.parts[0].board;
    let mut found = Vec::new();
    for tile in 0..board.tiles() {
        for (row, column) in Tile::FULL.pairs() {
            for turn in Color::BOTH {
                if let Some(position) = board.decode(Index { tile, row, column }, turn) {
                    found.push((position, table.get(&position).unwrap()));
                }
            }
        }
    }
    found.into_iter().step_by(step).collect()
}

#[test]
fn every_flipped_byte_is_noticed() {
    CODINGS.iter().for_each(flip_bytes);
}

fn flip_bytes(options: &WriteOptions) {
    let folder = tempfile::tempdir().unwrap();
    let (path, table) = write_in(folder.path(), options);
    let good = std::fs::read(&path).unwrap();
    let samples = samples(&table, 397);
    let bad_path = folder.path().join("bad.mol");
    // Every byte of head, description and index, and of the start of the
    // first record; a sample of the rest.
    let front = good.len().min(2500);
    for at in (0..front).chain((front..good.len()).step_by(11)) {
        // One bit, another one each time, and now and then the whole byte.
        for mask in [1u8 << (at % 8), 0xff].into_iter().take(1 + usize::from(at % 16 == 0)) {
            let mut bytes = good.clone();
            bytes[at] ^= mask;
            std::fs::write(&bad_path, &bytes).unwrap();
            let Ok(file) = TableFile::open(&bad_path) else { continue };
            let error = file.verify().expect_err("damage must be noticed");
            assert!(error.is_damage(), "byte {at}: {error}");
            for (position, value) in &samples {
                match file.get(position, Metric::Dtm) {
                    Ok(found) => assert_eq!(found, *value, "byte {at}: {position}"),
                    Err(error) => assert!(error.is_damage(), "byte {at}: {error}"),
                }
            }
        }
    }
}

#[test]
fn every_truncation_is_noticed() {
    CODINGS.iter().for_each(truncate);
}

fn truncate(options: &WriteOptions) {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = write_in(folder.path(), options);
    let good = std::fs::read(&path).unwrap();
    let bad_path = folder.path().join("bad.mol");
    for len in (0..200).chain((200..good.len()).step_by(13)) {
        std::fs::write(&bad_path, &good[..len]).unwrap();
        let error = TableFile::open(&bad_path).err().expect("truncation must be noticed");
        assert!(error.is_damage(), "{len}: {error}");
    }
    let longer: Vec<u8> = good.iter().copied().chain([0]).collect();
    std::fs::write(&bad_path, longer).unwrap();
    assert!(matches!(TableFile::open(&bad_path), Err(TableError::Length { .. })));
}

#[test]
fn errors_say_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = write_to(folder.path());
    let good = std::fs::read(&path).unwrap();
    let bad = folder.path().join("bad.mol");
    let open = |bytes: &[u8]| {
        std::fs::write(&bad, bytes).unwrap();
        TableFile::open(&bad).err().unwrap()
    };
    assert!(matches!(open(&[0; 4096]), TableError::Foreign { .. }));
    assert!(matches!(open(b"short"), TableError::Foreign { .. }));
    for version in [1, 4, 9] {
        let mut other = good.clone();
        other[8] = version;
        let remedy = match version {
            1 | 4 => "remove the file and solve the table again",
            _ => "use a newer version of the program",
        };
        let expected =
            format!("format version {version}, but this build reads versions 2, 3 and 5: {remedy}");
        let error = open(&other);
        assert!(error.to_string().ends_with(&expected), "{error}");
        // An old table is solved again; a newer one is left alone.
        assert_eq!(error.is_missing(), version < 5);
    }
    assert!(matches!(
        TableFile::open(folder.path().join("none.mol")),
        Err(TableError::Missing { .. })
    ));
    assert!(TableFile::open(folder.path()).err().unwrap().is_damage());
    let file = TableFile::open(&path).unwrap();
    assert!(matches!(
        file.get(&"8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap(), Metric::Dtm),
        Err(TableError::NoPosition { .. })
    ));
    assert!(matches!(
        file.get(&"8/8/8/8/8/2k5/8/K6Q w - -".parse().unwrap(), Metric::Dtz50),
        Err(TableError::NoMetric { .. })
    ));
}

/// A table under another's name must not answer for it.
#[test]
fn a_renamed_file_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = write_to(folder.path());
    std::fs::rename(path, folder.path().join("KRvK.mol")).unwrap();
    let directory = Directory::new(folder.path());
    assert!(directory.open("KRK".parse().unwrap()).err().unwrap().is_damage());
    assert!(directory.open("KQK".parse().unwrap()).err().unwrap().is_missing());
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (path, table) = write_to(folder.path());
    let before = std::fs::read(&path).unwrap();
    // Every write to this device fails for want of room.
    let full = folder.path().join(format!("KQvK.{}.tmp", std::process::id()));
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let options = WriteOptions::quick(1);
    let error = write(&path, &[&table], &options).expect_err("no room");
    assert!(matches!(error, TableError::Io { .. }), "{error}");
    assert!(error.to_string().contains("No space left"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_folder_that_cannot_be_written_to() {
    let folder = tempfile::tempdir().unwrap();
    // A file where the folder should be: refused even to the superuser.
    let blocked = folder.path().join("tables");
    std::fs::write(&blocked, "in the way").unwrap();
    let directory = Directory::new(blocked.join("deeper"));
    let error = directory.store(&[&small_table()], &WriteOptions::default()).unwrap_err();
    assert!(matches!(error, TableError::Io { .. }), "{error}");
}
