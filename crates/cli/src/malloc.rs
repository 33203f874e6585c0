//! How large blocks of memory are had and given back (allocator and FFI).
//!
//! Planes have megabytes, live for a wave or a table, and the next one is as
//! large. The system clears every page that it hands out, which took a quarter
//! of the time of a solve: so a block that is given up stays, and serves the
//! next request of its size.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZeroU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Half a plane of the smallest boards that matter. Smaller blocks are the
/// system allocator's alone.
const LARGE_BYTES: usize = 1 << 20;
/// Blocks that stay at most.
const MOST_BLOCKS: usize = 64;
/// Of the memory that may be used, what such blocks may take: one part in this
/// many, and no more than is of use.
pub const KEPT_PART: NonZeroU64 = NonZeroU64::new(16).expect("not zero");
/// See [`KEPT_PART`].
pub const MOST_KEPT_BYTES: u64 = 512 << 20;

#[global_allocator]
static BLOCKS: Blocks = Blocks::new();

/// From now on blocks that were given up stay, of so much memory in all.
pub fn keep_given_up(memory_bytes: u64) {
    let bytes = (memory_bytes / KEPT_PART).min(MOST_KEPT_BYTES);
    BLOCKS.kept().limit_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
}

/// The system's allocator, and large blocks that were given up.
struct Blocks(Mutex<Given>);

/// Blocks that were given up, the oldest first.
struct Given {
    blocks: [Option<Block>; MOST_BLOCKS],
    bytes: usize,
    limit_bytes: usize,
}

#[derive(Clone, Copy)]
struct Block {
    start: *mut u8,
    layout: Layout,
}

// SAFETY: a block that was given up belongs to whoever has the list.
unsafe impl Send for Block {}

impl Given {
    /// Takes out a block of this layout, the latest one: it may still be in a
    /// cache.
    fn take(&mut self, layout: Layout) -> Option<*mut u8> {
        let fits = |block: &Option<Block>| block.is_some_and(|block| block.layout == layout);
        let place = self.blocks.iter().rposition(fits)?;
        self.take_at(place).map(|block| block.start)
    }

    fn take_at(&mut self, place: usize) -> Option<Block> {
        let block = self.blocks[place].take()?;
        self.blocks[place..].rotate_left(1);
        self.bytes -= block.layout.size();
        Some(block)
    }

    /// Adds a block if there is room for it; else what has to go first, or the
    /// block itself.
    fn add(&mut self, block: Block) -> Option<Block> {
        let size = block.layout.size();
        if size > self.limit_bytes {
            return Some(block);
        }
        match self.blocks.iter_mut().find(|place| place.is_none()) {
            Some(place) if self.bytes + size <= self.limit_bytes => {
                *place = Some(block);
                self.bytes += size;
                None
            }
            _ => self.take_at(0),
        }
    }
}

impl Blocks {
    const fn new() -> Blocks {
        Blocks(Mutex::new(Given { blocks: [None; MOST_BLOCKS], bytes: 0, limit_bytes: 0 }))
    }

    fn kept(&self) -> MutexGuard<'_, Given> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A large block that was given up.
    fn given_up(&self, layout: Layout) -> Option<*mut u8> {
        if layout.size() < LARGE_BYTES { None } else { self.kept().take(layout) }
    }
}

// SAFETY: every block comes from `System` with the layout it is handed out with,
// is in the hands of one caller or in the list, never both, and goes back to
// `System` with that layout.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about the layout is passed on.
        self.given_up(layout).unwrap_or_else(|| unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.given_up(layout) {
            Some(start) => {
                // SAFETY: the block has this size and is ours alone.
                unsafe { start.write_bytes(0, layout.size()) };
                start
            }
            // SAFETY: the caller's promise about the layout is passed on.
            None => unsafe { System.alloc_zeroed(layout) },
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if layout.size() >= LARGE_BYTES {
            let block = Block { start, layout };
            // The system is not waited for with the list locked.
            while let Some(oldest) = { self.kept().add(block) } {
                // SAFETY: it came from `System` with its layout, and nobody has
                // it any more.
                unsafe { System.dealloc(oldest.start, oldest.layout) };
                if oldest.start == start {
                    return;
                }
            }
            return;
        }
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(start, layout) }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // The system moves pages without copying them.
        // SAFETY: the caller's promise is passed on; the block is not in the list.
        unsafe { System.realloc(start, layout, new_size) }
    }
}

/// Sets the system allocator up: large blocks that do not stay go back to the system
/// at once, and there are not too many heaps.
///
/// glibc takes large blocks from the system one by one, but after the first
/// of a size is freed it carves later ones out of its heaps, where given-up
/// planes leave holes: solving tables one after the other grew to one and a
/// half times what was in use, and beyond `--memory`. A fixed threshold
/// turns that off.
///
/// It also gives a heap to every thread, up to eight for each core. Decoded blocks
/// of the service are made on any of its threads and given up on any other, and
/// the holes in so many heaps took as much again as the blocks: a heap for each
/// core is enough.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn set_up() {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let heaps = libc::c_int::try_from(cores).unwrap_or(libc::c_int::MAX);
    // SAFETY: mallopt takes two integers, touches the allocator's own settings
    // only, and is called before other threads are started. If it
    // fails, the allocator goes on as it was.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES as libc::c_int);
        libc::mallopt(libc::M_ARENA_MAX, heaps);
    }
}

/// Makes small blocks that were given up go back to the system. Every thread has a
/// heap of its own, and what is left in them after a table is of no use to the
/// next: sixteen threads held a gigabyte.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back_unused() {
    // SAFETY: takes a number, and touches nothing that is in use.
    unsafe { libc::malloc_trim(0) };
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn set_up() {}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_unused() {}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(mib: usize) -> Layout {
        Layout::from_size_align(mib << 20, 64).unwrap()
    }

    fn with_limit(mib: usize) -> Blocks {
        let blocks = Blocks::new();
        blocks.kept().limit_bytes = mib << 20;
        blocks
    }

    /// A block that was given up serves the next request of its layout, cleared
    /// if that is asked for.
    #[test]
    fn blocks_serve_again() {
        let blocks = with_limit(8);
        // SAFETY: every block is written within its size and given up once.
        unsafe {
            let first = blocks.alloc(layout(4));
            first.write_bytes(7, 4 << 20);
            blocks.dealloc(first, layout(4));
            assert_eq!(blocks.kept().bytes, 4 << 20);
            let other = blocks.alloc(layout(2));
            assert_ne!(first, other);
            let again = blocks.alloc_zeroed(layout(4));
            assert_eq!(first, again);
            assert!(std::slice::from_raw_parts(again, 4 << 20).iter().all(|byte| *byte == 0));
            assert_eq!(blocks.kept().bytes, 0);
            blocks.dealloc(again, layout(4));
            blocks.dealloc(other, layout(2));
            assert_eq!(blocks.kept().bytes, 6 << 20);
            blocks.kept().limit_bytes = 0;
            let last = blocks.alloc(layout(3));
            blocks.dealloc(last, layout(3));
        }
    }

    /// The oldest go when there is no room; what is too large never stays.
    #[test]
    fn the_limit_is_kept() {
        let blocks = with_limit(8);
        // SAFETY: every block is given up once.
        unsafe {
            let starts: Vec<*mut u8> = (0..5).map(|_| blocks.alloc(layout(3))).collect();
            for start in &starts {
                blocks.dealloc(*start, layout(3));
                assert!(blocks.kept().bytes <= 8 << 20);
            }
            let large = blocks.alloc(layout(9));
            blocks.dealloc(large, layout(9));
            assert_eq!(blocks.kept().bytes, 6 << 20);
            assert_eq!(blocks.alloc(layout(3)), starts[4]);
            assert_eq!(blocks.alloc(layout(3)), starts[3]);
            assert_eq!(blocks.kept().bytes, 0);
            blocks.dealloc(starts[3], layout(3));
            blocks.dealloc(starts[4], layout(3));
            let small = blocks.alloc(Layout::new::<u64>());
            blocks.dealloc(small, Layout::new::<u64>());
            assert_eq!(blocks.kept().bytes, 6 << 20);
        }
    }

    /// No block is in two hands.
    #[test]
    fn threads_get_blocks_of_their_own() {
        let blocks = with_limit(16);
        std::thread::scope(|scope| {
            for mark in 0..8u8 {
                let blocks = &blocks;
                scope.spawn(move || {
                    for _ in 0..200 {
                        // SAFETY: the block is written within its size, and given
                        // up once.
                        unsafe {
                            let start = blocks.alloc(layout(2));
                            start.write_bytes(mark, 4096);
                            std::thread::yield_now();
                            let read = std::slice::from_raw_parts(start, 4096);
                            assert!(read.iter().all(|byte| *byte == mark));
                            blocks.dealloc(start, layout(2));
                        }
                    }
                });
            }
        });
        assert!(blocks.kept().bytes <= 16 << 20);
    }
}
