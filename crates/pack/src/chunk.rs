//! Stretches of tiles that are worked on together.

use molien_board::Color;

use crate::classes::ClassTile;
use crate::error::PackError;
use crate::fixed_men::FixedMen;
use crate::layout::Layout;
use crate::source::{Stretch, TileSource};

/// The most tiles of a stretch: a part is cut into such stretches, and no stream
/// with bytes goes beyond one.
pub const CHUNK: usize = 64;

/// All stretches of a layout: first tile and number of tiles.
pub(crate) fn chunks(layout: &Layout) -> Vec<(usize, usize)> {
    let per_part = layout.tiles_per_part();
    let part_chunks = |part: usize| {
        let first = (0..per_part).step_by(CHUNK);
        first.map(move |first| (part * per_part + first, CHUNK.min(per_part - first)))
    };
    (0..layout.placements().len()).flat_map(part_chunks).collect()
}

/// The stored cells of a stretch of tiles, both sides to move. One that has been read can be read
/// anew: large memory is slow to come by.
#[derive(Default)]
pub(crate) struct Chunk {
    pub first: usize,
    /// The frames of the tiles; `None` where nothing is stored.
    pub frames: Vec<Option<FixedMen>>,
    /// The classes of sides to move that have been asked for.
    pub classes: [Vec<ClassTile>; 2],
}

impl Chunk {
    /// Reads the classes of a stretch with some sides to move.
    pub fn read(
        &mut self,
        source: &impl TileSource,
        layout: &Layout,
        sides: &[Color],
        at: (usize, usize),
    ) {
        self.read_with(source, layout, sides, at, |_| ());
    }

    /// The same, and what else is read of its tiles; nothing if none of them is stored.
    pub fn read_with<S: TileSource>(
        &mut self,
        source: &S,
        layout: &Layout,
        sides: &[Color],
        (first, count): (usize, usize),
        others: impl FnOnce(&S::Stretch<'_>),
    ) {
        // Where packing is to end, nothing is stored any more.
        let is_stopped = source.is_stopped();
        let frame = |tile: usize| layout.frame(tile).filter(|_| !is_stopped);
        self.first = first;
        self.frames.clear();
        self.frames.extend((first..first + count).map(frame));
        if self.live().next().is_none() {
            return;
        }
        let stretch = source.stretch(layout, first, count);
        for &side in sides {
            let tiles = &mut self.classes[side.index()];
            tiles.resize(count, ClassTile::default());
            stretch.classes(side, tiles);
            for (tile, frame) in tiles.iter_mut().zip(&self.frames) {
                match frame {
                    Some(frame) => frame.keep_stored(tile),
                    None => tile.clear(),
                }
            }
        }
        others(&stretch);
    }

    /// An error if packing is to end, in which case what was made of chunks means nothing.
    pub fn go_on(source: &impl TileSource) -> Result<(), PackError> {
        if source.is_stopped() { Err(PackError::Stopped) } else { Ok(()) }
    }

    /// The tiles with stored cells, counted from the first of the stretch.
    pub fn live(&self) -> impl Iterator<Item = (usize, &FixedMen)> {
        self.frames.iter().enumerate().filter_map(|(i, frame)| Some((i, frame.as_ref()?)))
    }
}
