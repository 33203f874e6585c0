//! Files written by us, read by shakmaty-syzygy.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_hyper::Index;
use molien_syzygy::{Plies, write};
use molien_values::{Category, Metric, Place, Table, Value};
use rayon::prelude::*;
use shakmaty::{CastlingMode, Chess, fen::Fen};
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{MaybeRounded, Tablebase, Wdl};

/// Files in memory.
#[derive(Default)]
struct InMemory(HashMap<PathBuf, Arc<Vec<u8>>>);

struct Bytes(Arc<Vec<u8>>);

impl Filesystem for InMemory {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        Ok(self.0[path].len() as u64)
    }

    fn read_dir(&self, _: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(self.0.keys().cloned().collect())
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Bytes(self.0[path].clone())))
    }
}

impl RandomAccessFile for Bytes {
    fn read_at(&self, buf: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let rest = self.0.get(offset as usize..).unwrap_or_default();
        let len = rest.len().min(buf.len());
        buf[..len].copy_from_slice(&rest[..len]);
        Ok(len)
    }
}

fn chess(position: &Position) -> Chess {
    let fen: Fen = position.to_string().parse().unwrap();
    fen.into_position(CastlingMode::Standard).unwrap()
}

fn class(wdl: Wdl) -> i32 {
    match wdl {
        Wdl::Loss => -2,
        Wdl::BlessedLoss => -1,
        Wdl::Draw => 0,
        Wdl::CursedWin => 1,
        Wdl::Win => 2,
    }
}

fn check(tables: &Tablebase<Chess>, table: &Table, step: usize) {
    let tiles: Vec<(usize, usize)> = (table.parts.iter().enumerate())
        .flat_map(|(part, game)| (0..game.board.tiles()).map(move |tile| (part, tile)))
        .step_by(step)
        .collect();
    tiles.par_iter().for_each(|&(part, tile)| {
        let board = &table.parts[part].board;
        let Some(cell) = board.cell(tile) else { return };
        for (row, column) in board.representatives(&cell).pairs() {
            for turn in Color::BOTH {
                let place = Place { part, turn, index: Index { tile, row, column } };
                let Some(position) = board.decode(place.index, turn) else { continue };
                check_position(tables, &position, table.at(place));
            }
        }
    });
}

fn check_position(tables: &Tablebase<Chess>, position: &Position, ours: Value) {
    let chess = chess(position);
    let wdl = class(tables.probe_wdl_after_zeroing(&chess).unwrap());
    let expected = match Category::of(ours) {
        Category::Win => 2,
        Category::CursedWin => 1,
        Category::Draw => 0,
        Category::BlessedLoss => -1,
        Category::Loss => -2,
        maybe => panic!("{maybe} is not a class of a table"),
    };
    assert_eq!(wdl, expected, "{position}: {ours:?}");
    let theirs = tables.probe_dtz(&chess).unwrap();
    let rounded = matches!(theirs, MaybeRounded::Rounded(_));
    let theirs = theirs.ignore_rounding().0;
    let ours_signed = match ours {
        Value::Loss(0) => -1,
        value => value.signed_plies().unwrap_or(0),
    };
    let excess = ours_signed.abs() - theirs.abs();
    let slack = i32::from(rounded || position.material().has_pawns());
    assert!(
        ours_signed.signum() == theirs.signum() && (0..=slack).contains(&excess),
        "{position}: {ours:?} but {theirs} {rounded}"
    );
}

#[test]
fn written_files_say_what_the_tables_say() {
    let solver = Build::new();
    let mut files = InMemory::default();
    let names = std::env::var("NAMES").unwrap_or("KQK KRK KPK KBK KNK".to_owned());
    let mut tables = Vec::new();
    if let Some(oracle) = molien_testing::oracle() {
        for entry in std::fs::read_dir(oracle.join("syzygy/regular")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            files.0.insert(PathBuf::from(path.file_name().unwrap()), Arc::new(bytes));
        }
    }
    for material in Material::all(4) {
        if material.len() > 3 && !names.contains(&material.to_string()) {
            continue;
        }
        let table = solver.table(material, Metric::Dtz50).unwrap();
        let written = write(&solver, &table, Plies::Rounded).unwrap();
        for (bytes, extension) in [(written.wdl, "rtbw"), (written.dtz, "rtbz")] {
            let path = PathBuf::from(format!("{}.{extension}", material.file_name()));
            files.0.insert(path, Arc::new(bytes));
        }
        tables.push(table);
    }
    let mut tablebase = Tablebase::with_filesystem(Arc::new(files));
    tablebase.add_directory(".").unwrap();
    for table in tables {
        check(&tablebase, &table, 1);
    }
}
