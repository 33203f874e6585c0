//! Folders of written files that tests share.
#![allow(dead_code)] // not every test uses all of it

use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_hyper::Index;
use molien_syzygy::{Kind, Plies, TableFile, write};
use molien_values::{Metric, Place, Table, Value};

/// A folder of this test, empty.
pub fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Makes the tables of materials and writes their files into a folder.
pub fn written(build: &Build, folder: &Path, materials: &[Material]) -> Vec<Arc<Table>> {
    let write_one = |&material: &Material| {
        let table = build.table(material, Metric::Dtz50).unwrap();
        let files = write(build, &table, Plies::Rounded).unwrap();
        for kind in Kind::ALL {
            let path = folder.join(TableFile::name(&material, kind));
            std::fs::write(path, files.of(kind)).unwrap();
        }
        table
    };
    materials.iter().map(write_one).collect()
}

/// Calls `f` with every position of one tile in so many, and its value.
pub fn for_each_position(table: &Table, step: usize, f: impl Fn(&Position, Value) + Sync) {
    use rayon::prelude::*;
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
                if let Some(position) = board.decode(place.index, turn) {
                    f(&position, table.at(place));
                }
            }
        }
    });
}

/// A value as the files count: mated is one ply, too.
pub fn plies(value: Value) -> u16 {
    value.plies().unwrap_or(0).max(u16::from(value != Value::Draw))
}
