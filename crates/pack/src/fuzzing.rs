//! What fuzzing calls: reading bytes that need not be packed values.

use std::sync::Arc;

use molien_board::{Color, Square};

use crate::{Address, ClassTile, Classes, Depths, Layout};

/// Reads bytes as classes and asks for cells and streams. Errors are fine;
/// panics are not.
pub fn read_classes(bytes: &[u8], layout: &Arc<Layout>) {
    let Ok(classes) = Classes::read(&mut &bytes[..], layout) else { return };
    let mut scratch = classes.scratch();
    for i in 0..16 {
        let at = Address {
            part: i * 7 % layout.placements().len().max(1),
            tile: i * 1009 % layout.tiles_per_part(),
            row: Square::new(i * 13 % layout.rows()),
            column: Square::new(i * 29),
        };
        let _ = classes.get(&mut scratch, at, Color::BOTH[i & 1]);
    }
    for stream in (0..classes.streams()).take(8) {
        let _ = classes.read_stream(&mut scratch, stream, |_, _, _, _| ());
    }
}

/// Reads bytes as depths, with classes that the caller knows.
pub fn read_depths(bytes: &[u8], layout: &Arc<Layout>, classes: &ClassTile) {
    let Ok(depths) = Depths::read(&mut &bytes[..], layout, false) else { return };
    let mut scratch = depths.scratch();
    let give = |tile: usize, out: &mut ClassTile| {
        *out = classes.clone();
        if let Some(frame) = layout.frame(tile) {
            frame.keep_stored(out);
        }
    };
    for stream in (0..depths.streams()).take(8) {
        let _ = depths.read_stream(&mut scratch, stream, give, |_, _| false, |_, _, _| ());
    }
}
