//! Memory for many tiles.
#![expect(unsafe_code, reason = "asks the system for large pages")]

use molien_hyper::Tile;
use rayon::prelude::*;

/// From this size on planes are put on large pages. The system takes several
/// times as long for 512 small pages as for a large one of the same size.
const LARGE_BYTES: usize = 4 << 20;
/// Tiles a thread makes at a time.
const CHUNK_TILES: usize = 64;

/// Tiles of no position. Many are made by all threads: what the system takes
/// for a fresh page is more than what it takes to fill it.
pub fn empty_tiles(tiles: usize) -> Vec<Tile> {
    make_tiles(tiles, |_| Tile::EMPTY)
}

/// Tiles by their numbers, made by all threads.
pub fn make_tiles(tiles: usize, tile: impl Fn(usize) -> Tile + Send + Sync) -> Vec<Tile> {
    let mut out = Vec::with_capacity(tiles);
    ask_for_large_pages(&mut out);
    (0..tiles).into_par_iter().with_min_len(CHUNK_TILES).map(tile).collect_into_vec(&mut out);
    out
}

/// Short lists of tiles, one after the other in a few large blocks: what the
/// system takes for many small blocks is more than what it takes to fill them.
#[derive(Default)]
pub struct TileHeap {
    blocks: Vec<Vec<Tile>>,
}

/// Where a list of tiles is in a heap.
#[derive(Clone, Copy, Debug, Default)]
pub struct TileRange {
    block: u32,
    start: u32,
    len: u32,
}

impl TileRange {
    /// The part of it that starts at a place and has a length.
    pub fn part(self, start: usize, len: usize) -> TileRange {
        TileRange { block: self.block, start: self.start + start as u32, len: len as u32 }
    }
}

/// Tiles of a block of a heap.
const BLOCK_TILES: usize = 1 << 14;

impl TileHeap {
    /// Adds a list. If a new block is needed it has room for so many tiles,
    /// within reason.
    pub fn add(&mut self, tiles: &[Tile], expected: usize) -> TileRange {
        let has_room = |block: &Vec<Tile>| block.capacity() - block.len() >= tiles.len();
        if !self.blocks.last().is_some_and(has_room) {
            let room = expected.min(BLOCK_TILES).max(tiles.len());
            let mut block = Vec::with_capacity(room);
            ask_for_large_pages(&mut block);
            self.blocks.push(block);
        }
        let number = self.blocks.len() - 1;
        let block = &mut self.blocks[number];
        let start = block.len() as u32;
        block.extend_from_slice(tiles);
        TileRange { block: number as u32, start, len: tiles.len() as u32 }
    }

    /// A list.
    #[inline(always)]
    pub fn get(&self, range: TileRange) -> &[Tile] {
        if range.len == 0 {
            return &[];
        }
        &self.blocks[range.block as usize][range.start as usize..][..range.len as usize]
    }
}

/// Asks for large pages where a vector will grow to. Nothing depends on whether
/// the system gives them.
#[cfg(target_os = "linux")]
fn ask_for_large_pages(tiles: &mut Vec<Tile>) {
    let spare = tiles.spare_capacity_mut();
    let bytes = size_of_val(spare);
    if bytes < LARGE_BYTES {
        return;
    }
    // Whole large pages only: an allocator that moves memory moves these, and advice that
    // ends within one would cut it into two mappings.
    const LARGE_PAGE_BYTES: usize = 2 << 20;
    let first = spare.as_mut_ptr().cast::<u8>();
    let skipped = first.align_offset(LARGE_PAGE_BYTES);
    let whole = bytes.saturating_sub(skipped) / LARGE_PAGE_BYTES * LARGE_PAGE_BYTES;
    if whole == 0 {
        return;
    }
    // SAFETY: the range lies in the spare capacity; the advice changes no contents.
    unsafe {
        let _ = libc::madvise(first.add(skipped).cast(), whole, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn ask_for_large_pages(_tiles: &mut Vec<Tile>) {}
