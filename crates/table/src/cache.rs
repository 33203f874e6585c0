//! A bounded cache of decoded blocks, shared by threads.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use crate::block::Block;

/// Locks are held for a look-up only; this many keep threads apart.
const SHARDS: usize = 16;

type Shard = HashMap<usize, (Arc<Block>, u64)>;

/// The blocks used last.
pub(crate) struct Cache {
    shards: [Mutex<Shard>; SHARDS],
    clock: AtomicU64,
    /// Blocks kept in a shard.
    shard_limit: usize,
}

impl Cache {
    pub fn new(blocks: usize) -> Cache {
        Cache {
            shards: Default::default(),
            clock: AtomicU64::new(0),
            shard_limit: blocks.div_ceil(SHARDS).max(1),
        }
    }

    fn shard(&self, number: usize) -> std::sync::MutexGuard<'_, Shard> {
        // Entries are replaced whole: a panic elsewhere leaves them sound.
        self.shards[number % SHARDS].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, number: usize) -> Option<Arc<Block>> {
        let now = self.clock.fetch_add(1, Relaxed);
        let mut shard = self.shard(number);
        let (block, used) = shard.get_mut(&number)?;
        *used = now;
        Some(block.clone())
    }

    /// Keeps a block, dropping the one not used for longest if there is no
    /// room. If another thread was faster, its block stays.
    pub fn insert(&self, number: usize, block: Arc<Block>) -> Arc<Block> {
        let now = self.clock.fetch_add(1, Relaxed);
        let mut shard = self.shard(number);
        if let Some((earlier, _)) = shard.get(&number) {
            return earlier.clone();
        }
        if shard.len() >= self.shard_limit {
            let oldest = shard.iter().min_by_key(|(_, (_, used))| *used).map(|(&n, _)| n);
            oldest.map(|oldest| shard.remove(&oldest));
        }
        shard.insert(number, (block.clone(), now));
        block
    }

    /// Forgets all blocks.
    pub fn clear(&self) {
        for number in 0..SHARDS {
            self.shard(number).clear();
        }
    }
}
