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

/// The stored cells of a stretch of tiles, both sides to move.
pub(crate) struct Chunk {
    pub first: usize,
    /// The frames of the tiles; `None` where nothing is stored.
    pub frames: Vec<Option<FixedMen>>,
    pub classes: [Vec<ClassTile>; 2],
}

impl Chunk {
    pub fn read(
        source: &impl TileSource,
        layout: &Layout,
        sides: &[Color],
        (first, count): (usize, usize),
    ) -> Chunk {
        Chunk::read_with(source, layout, sides, (first, count), |_| ()).0
    }

    /// The same, and what else is read of its tiles; nothing if none of them is stored.
    pub fn read_with<S: TileSource, T: Default>(
        source: &S,
        layout: &Layout,
        sides: &[Color],
        (first, count): (usize, usize),
        others: impl FnOnce(&S::Stretch<'_>) -> T,
    ) -> (Chunk, T) {
        // Where packing is to end, nothing is stored any more.
        let is_stopped = source.is_stopped();
        let frame = |tile: usize| layout.frame(tile).filter(|_| !is_stopped);
        let frames: Vec<Option<FixedMen>> = (first..first + count).map(frame).collect();
        let mut chunk = Chunk { first, frames, classes: Default::default() };
        if chunk.live().next().is_none() {
            return (chunk, T::default());
        }
        let stretch = source.stretch(layout, first, count);
        for &side in sides {
            let tiles = &mut chunk.classes[side.index()];
            tiles.resize(count, ClassTile::default());
            stretch.classes(side, tiles);
            for (tile, frame) in tiles.iter_mut().zip(&chunk.frames) {
                match frame {
                    Some(frame) => frame.keep_stored(tile),
                    None => tile.clear(),
                }
            }
        }
        let others = others(&stretch);
        (chunk, others)
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
