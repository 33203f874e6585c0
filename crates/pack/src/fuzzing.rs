//! What fuzzing calls: reading bytes that need not be packed values.

use std::sync::Arc;

use molien_board::{Color, Square};

use crate::{Address, ClassTile, Classes, DepthScratch, DepthTile, Depths, Known, Layout, Scratch};

/// Reads bytes as classes and asks for cells and streams. Errors are fine;
/// panics are not.
pub fn read_classes(bytes: &[u8], layout: &Arc<Layout>) {
    let mut data = bytes;
    let Ok(classes) = Classes::read(&mut data, layout) else { return };
    let mut scratch = Scratch::default();
    for i in 0..16 {
        let at = Address {
            part: i * 7 % layout.placements().len().max(1),
            tile: i * 1009 % layout.tiles_per_part(),
            row: Square::new(i * 13 % layout.rows()),
            column: Square::new(i * 29),
        };
        let _ = classes.get(&mut scratch, data, at, Color::BOTH[i & 1]);
    }
    for stream in (0..classes.streams()).take(8) {
        let _ = classes.read_stream(&mut scratch, data, stream, 0..64, |_, _, _, _| ());
    }
}

/// The same classes in every tile, as far as they are stored.
struct Everywhere<'a> {
    classes: &'a ClassTile,
    layout: &'a Layout,
    room: ClassTile,
}

impl Known for Everywhere<'_> {
    fn classes(&mut self, tile: usize) -> &ClassTile {
        self.room = self.classes.clone();
        if let Some(frame) = self.layout.frame(tile) {
            frame.keep_stored(&mut self.room);
        }
        &self.room
    }

    fn earlier(&mut self, _: usize) -> Option<&DepthTile> {
        None
    }
}

/// Reads bytes as depths, with classes that the caller knows.
pub fn read_depths(bytes: &[u8], layout: &Arc<Layout>, classes: &ClassTile) {
    let mut data = bytes;
    let Ok(depths) = Depths::read(&mut data, layout, false) else { return };
    let mut known = Everywhere { classes, layout, room: ClassTile::default() };
    let mut scratch = DepthScratch::default();
    for stream in (0..depths.streams()).take(8) {
        let some = (stream, 0..64);
        let _ = depths.read_stream(&mut scratch, data, some, &mut known, |_, _, _| ());
    }
}
