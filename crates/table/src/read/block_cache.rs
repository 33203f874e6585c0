//! One budget of decoded blocks for many files.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use quick_cache::Weighter;
use quick_cache::sync::Cache;

use crate::read::block::Block;
use crate::read::packed_tiles::KeptTile;

/// What a file on its own may keep.
const DEFAULT_BYTES: u64 = 64 << 20;
/// What a decoded block takes, roughly: the number of blocks that are expected.
const TYPICAL_BYTES: u64 = 1 << 16;

/// Decoded blocks of table files, those used last kept.
///
/// Clones share one budget of bytes, whatever files the blocks are of. Any
/// number of threads may use it: a look-up locks one part of many, and no lock
/// is held while a block is decoded.
#[derive(Clone)]
pub struct BlockCache(Arc<SharedBlocks>);

struct SharedBlocks {
    limit_bytes: u64,
    /// Made when the first block is kept.
    blocks: OnceLock<Cache<BlockId, Weighed, Bytes>>,
    /// Blocks that had to be decoded.
    misses: AtomicU64,
}

/// A file, by a number of its own, and a block of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct BlockId {
    file: u64,
    block: usize,
}

/// A block, and what it took when it was last weighed: a block grows as its
/// streams are asked for, but what the cache adds and what it takes off have to
/// be the same.
#[derive(Clone)]
struct Weighed {
    kept: Kept,
    bytes: u64,
}

/// What is kept: a block, or of a file of learnt contexts a tile.
#[derive(Clone)]
enum Kept {
    Block(Arc<Block>),
    Tile(Arc<KeptTile>),
}

#[derive(Clone)]
struct Bytes;

impl Weighter<BlockId, Weighed> for Bytes {
    fn weight(&self, _id: &BlockId, weighed: &Weighed) -> u64 {
        weighed.bytes
    }
}

impl Default for BlockCache {
    fn default() -> BlockCache {
        BlockCache::new(DEFAULT_BYTES)
    }
}

impl std::fmt::Debug for BlockCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BlockCache").field("limit_bytes", &self.0.limit_bytes).finish()
    }
}

impl BlockCache {
    /// Keeps at most `limit_bytes` of decoded blocks.
    pub fn new(limit_bytes: u64) -> BlockCache {
        let (blocks, misses) = (OnceLock::new(), AtomicU64::new(0));
        BlockCache(Arc::new(SharedBlocks { limit_bytes, blocks, misses }))
    }

    /// What may be kept.
    pub fn limit_bytes(&self) -> u64 {
        self.0.limit_bytes
    }

    /// What the blocks that are kept take.
    pub fn len_bytes(&self) -> u64 {
        self.0.blocks.get().map_or(0, Cache::weight)
    }

    /// How many blocks are kept.
    pub fn len_blocks(&self) -> usize {
        self.0.blocks.get().map_or(0, Cache::len)
    }

    /// How many blocks were not there when asked for, so far.
    pub fn misses(&self) -> u64 {
        self.0.misses.load(Relaxed)
    }

    fn blocks(&self) -> &Cache<BlockId, Weighed, Bytes> {
        self.0.blocks.get_or_init(|| {
            let expected = (self.0.limit_bytes / TYPICAL_BYTES).max(1) as usize;
            Cache::with_weighter(expected, self.0.limit_bytes, Bytes)
        })
    }
}

/// One file's share of a cache. Its blocks are given back with it.
pub(crate) struct FileBlocks {
    cache: BlockCache,
    file: u64,
}

impl FileBlocks {
    pub fn new(cache: BlockCache) -> FileBlocks {
        static FILES: AtomicU64 = AtomicU64::new(0);
        FileBlocks { cache, file: FILES.fetch_add(1, Relaxed) }
    }

    fn id(&self, block: usize) -> BlockId {
        BlockId { file: self.file, block }
    }

    /// Whether so many blocks can be kept, roughly.
    pub fn can_keep(&self, blocks: usize) -> bool {
        blocks as u64 * TYPICAL_BYTES <= self.cache.limit_bytes()
    }

    /// A block that is kept.
    pub fn get(&self, number: usize) -> Option<Arc<Block>> {
        match self.cache.blocks().get(&self.id(number))?.kept {
            Kept::Block(block) => Some(block),
            Kept::Tile(_) => None,
        }
    }

    /// A tile that is kept.
    pub fn tile(&self, number: usize) -> Option<Arc<KeptTile>> {
        match self.cache.blocks().get(&self.id(number))?.kept {
            Kept::Tile(tile) => Some(tile),
            Kept::Block(_) => None,
        }
    }

    /// Keeps a tile, giving up others if there is no room.
    pub fn insert_tile(&self, number: usize, tile: Arc<KeptTile>) {
        self.cache.0.misses.fetch_add(1, Relaxed);
        let weighed = Weighed { bytes: tile.len_bytes(), kept: Kept::Tile(tile) };
        self.cache.blocks().insert(self.id(number), weighed);
    }

    /// Keeps a block, giving up others if there is no room.
    pub fn insert(&self, block: Arc<Block>) {
        self.cache.0.misses.fetch_add(1, Relaxed);
        let id = self.id(block.number);
        let weighed = Weighed { bytes: block.weigh(), kept: Kept::Block(block) };
        self.cache.blocks().insert(id, weighed);
    }

    /// Says that a block was used; if it has grown, others may have to go.
    pub fn used(&self, block: &Arc<Block>) {
        if block.has_grown() {
            let weighed = Weighed { bytes: block.weigh(), kept: Kept::Block(block.clone()) };
            // If it has been given up meanwhile, so be it.
            let _ = self.cache.blocks().replace(self.id(block.number), weighed, true);
        }
    }

    /// Gives up all blocks of the file.
    pub fn clear(&self) {
        if let Some(blocks) = self.cache.0.blocks.get() {
            blocks.retain(|id, _| id.file != self.file);
        }
    }
}

impl Drop for FileBlocks {
    fn drop(&mut self) {
        // Nobody else's: it all goes anyway.
        if Arc::strong_count(&self.cache.0) > 1 {
            self.clear();
        }
    }
}
