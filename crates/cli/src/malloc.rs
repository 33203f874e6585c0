//! How memory is had and given back (allocator and FFI).
//!
//! Planes have kilobytes to megabytes, live for a wave or a table, and the next one
//! is as large. The system clears every page that it hands out, which took a quarter
//! of the time of a solve: so a block that is given up stays, as long as nobody else
//! needs the memory, and serves the next request of its size.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

mod system;

pub use system::{give_back_unused, set_up};
use system::{on_large_pages, resident_bytes, set_top};

/// Smaller blocks are the system allocator's alone. Planes of a piece or two are
/// larger: in its heaps they would leave holes that nothing else fits.
const LARGE_BYTES: usize = 128 << 10;
/// Blocks that stay at most.
const MOST_BLOCKS: usize = 1024;
/// Of the memory that may be used, what is lost in holes of the system allocator's
/// heaps and in blocks that wait: one part in this many, up to so many bytes.
pub const KEPT_PART: NonZeroU64 = NonZeroU64::new(16).expect("not zero");
/// See [`KEPT_PART`].
pub const MOST_KEPT_BYTES: u64 = 1 << 30;
/// Of the memory that may be used, the part that blocks in use and blocks that wait
/// leave free: one in this many, for the program and for holes.
const FREE_PART: usize = 24;
/// Of that, the part in which blocks wait even if there is no room: one in this many. Waves
/// take and give up the same few planes again and again.
const LEAST_PART: usize = 64;

#[global_allocator]
static BLOCKS: Blocks = Blocks::new(resident_bytes);

/// From now on blocks that were given up stay, as long as they and all that is in use
/// fit into so much memory. To be called before other threads are started.
pub fn keep_given_up(memory_bytes: u64) {
    let bytes = usize::try_from(memory_bytes).unwrap_or(usize::MAX);
    BLOCKS.limit_bytes.store(bytes - bytes / FREE_PART, Ordering::Relaxed);
    set_top(memory_bytes);
}

/// Of blocks that were given up only so much stays, whatever the memory.
pub fn keep_at_most(bytes: usize) {
    BLOCKS.most_kept_bytes.store(bytes, Ordering::Relaxed);
    BLOCKS.fit();
}

/// The system's allocator, and large blocks that were given up.
struct Blocks {
    given: Mutex<Given>,
    in_use: InUse,
    /// For what is in use and what was given up.
    limit_bytes: AtomicUsize,
    /// For what was given up.
    most_kept_bytes: AtomicUsize,
    /// Tells what the process takes now, if that is known.
    resident_bytes: fn() -> Option<usize>,
    /// What the process takes beside both, when that was looked at last: the program,
    /// holes in heaps, pages of files.
    beside_bytes: AtomicUsize,
    /// What was in use and beside when heaps were tidied up last because of the limit.
    tidied_bytes: AtomicUsize,
}

/// Counters of bytes: threads that allocate at the same time seldom share one.
const COUNTERS: usize = 16;
/// Stacks are at least so far apart.
const STACK_BYTES: usize = 1 << 21;
/// Smaller blocks are not counted.
const LEAST_COUNTED_BYTES: usize = 512;
/// Whenever a counter has grown by about so much, it is seen to it that blocks that
/// were given up leave room for it.
const STEP_BYTES: isize = 4 << 20;

/// Of what seems to be beside, the part by which that falls at most when it is looked at:
/// one in this many.
const FALL_PART: usize = 256;

/// Heaps are tidied up again only if the process has grown by so much since.
const TIDY_STEP_BYTES: usize = 32 << 20;

/// Bytes in use, by thread. A counter can be negative: who gives a block up need not
/// be who has taken it.
struct InUse([Counter; COUNTERS]);

#[repr(align(128))]
struct Counter(AtomicIsize);

impl InUse {
    const fn new() -> InUse {
        InUse([const { Counter(AtomicIsize::new(0)) }; COUNTERS])
    }

    /// Adds so many bytes, and says whether the limit is to be looked at. The least
    /// blocks are many, and come to little.
    fn add(&self, bytes: isize) -> bool {
        if bytes.unsigned_abs() < LEAST_COUNTED_BYTES {
            return false;
        }
        let on_stack = 0u8;
        let number = (&raw const on_stack).addr() / STACK_BYTES % COUNTERS;
        let before = self.0[number].0.fetch_add(bytes, Ordering::Relaxed);
        bytes > 0 && before.div_euclid(STEP_BYTES) != (before + bytes).div_euclid(STEP_BYTES)
    }

    fn bytes(&self) -> usize {
        let counters = self.0.iter().map(|counter| counter.0.load(Ordering::Relaxed));
        usize::try_from(counters.sum::<isize>()).unwrap_or(0)
    }
}

/// Blocks that were given up, the oldest first.
struct Given {
    blocks: [Option<Block>; MOST_BLOCKS],
    len: usize,
    bytes: usize,
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
        let place = self.blocks[..self.len].iter().rposition(fits)?;
        self.take_at(place).map(|block| block.start)
    }

    fn take_at(&mut self, place: usize) -> Option<Block> {
        let block = self.blocks[place].take()?;
        self.blocks[place..self.len].rotate_left(1);
        self.len -= 1;
        self.bytes -= block.layout.size();
        Some(block)
    }

    /// Adds a block if there is room for it among so many bytes; else what has to go
    /// first, or the block itself.
    fn add(&mut self, block: Block, limit_bytes: usize) -> Option<Block> {
        let size = block.layout.size();
        if size > limit_bytes {
            return Some(block);
        }
        if self.len == MOST_BLOCKS || self.bytes + size > limit_bytes {
            return self.take_at(0);
        }
        self.blocks[self.len] = Some(block);
        self.len += 1;
        self.bytes += size;
        None
    }

    /// The oldest if they have more than so many bytes.
    fn surplus(&mut self, limit_bytes: usize) -> Option<Block> {
        if self.bytes > limit_bytes { self.take_at(0) } else { None }
    }
}

impl Blocks {
    const fn new(resident_bytes: fn() -> Option<usize>) -> Blocks {
        Blocks {
            given: Mutex::new(Given { blocks: [None; MOST_BLOCKS], len: 0, bytes: 0 }),
            in_use: InUse::new(),
            limit_bytes: AtomicUsize::new(0),
            most_kept_bytes: AtomicUsize::new(usize::MAX),
            resident_bytes,
            beside_bytes: AtomicUsize::new(0),
            tidied_bytes: AtomicUsize::new(0),
        }
    }

    fn given(&self) -> MutexGuard<'_, Given> {
        self.given.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How much may be kept beside what is in use.
    fn room(&self) -> usize {
        let limit = self.limit_bytes.load(Ordering::Relaxed);
        let beside = self.beside_bytes.load(Ordering::Relaxed);
        let room = limit.saturating_sub(self.in_use.bytes().saturating_add(beside));
        room.max(limit / LEAST_PART).min(self.most_kept_bytes.load(Ordering::Relaxed))
    }

    /// Looks at what the process takes, before a block of so many bytes is taken. If that
    /// is too much without any block that waits, heaps are tidied up, unless they just were.
    ///
    /// What is in use need not be in memory yet: the first to write to a large block still
    /// is at it. Too little seems to be beside then, so that falls slowly only.
    fn look(&self, coming_bytes: usize) {
        let Some(resident) = (self.resident_bytes)() else { return };
        let in_use = self.in_use.bytes();
        let kept = { self.given().bytes };
        let before = self.beside_bytes.load(Ordering::Relaxed);
        let beside = resident.saturating_sub(in_use + kept).max(before - before / FALL_PART);
        self.beside_bytes.store(beside, Ordering::Relaxed);
        let in_use = in_use + coming_bytes;
        let limit = self.limit_bytes.load(Ordering::Relaxed);
        let tidied = self.tidied_bytes.load(Ordering::Relaxed);
        if in_use + beside > limit.max(tidied + TIDY_STEP_BYTES) && limit > 0 {
            give_back_unused();
            self.tidied_bytes.store(in_use + beside, Ordering::Relaxed);
        } else if in_use + beside < tidied / 2 {
            self.tidied_bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Gives blocks back to the system until those that stay leave room for what is in
    /// use. The system is not waited for with the list locked.
    fn fit(&self) {
        let room = self.room();
        while let Some(oldest) = { self.given().surplus(room) } {
            // SAFETY: it came from `System` with its layout, and nobody has it any more.
            unsafe { System.dealloc(oldest.start, oldest.layout) };
        }
    }

    /// Counts a block that is about to be taken. Returns a large one that was given up;
    /// if there is none, those of other sizes make room for a new one.
    fn given_up(&self, layout: Layout) -> Option<*mut u8> {
        let is_large = layout.size() >= LARGE_BYTES;
        let found = if is_large { self.given().take(layout) } else { None };
        // Nothing of a new block is in memory: it is looked at what is before it counts.
        let looks_first = found.is_none() && layout.size() >= STEP_BYTES.unsigned_abs();
        if looks_first {
            self.look(layout.size());
        }
        let grown = self.in_use.add(layout.size().cast_signed());
        if found.is_none() && grown && !looks_first {
            self.look(0);
        }
        if found.is_none() && (is_large || grown) {
            self.fit();
        }
        found
    }

    /// Keeps a block for later, or gives it back to the system.
    ///
    /// # Safety
    /// It came from `System` with its layout, and nobody uses it any more.
    unsafe fn give_up(&self, block: Block) {
        let room = self.room();
        while let Some(oldest) = { self.given().add(block, room) } {
            // SAFETY: it came from `System` with its layout, and nobody has it any more.
            unsafe { System.dealloc(oldest.start, oldest.layout) };
            if oldest.start == block.start {
                return;
            }
        }
    }
}

// SAFETY: every block comes from `System` with the layout it is handed out with,
// is in the hands of one caller or in the list, never both, and goes back to
// `System` with that layout.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promise about the layout is passed on.
        self.given_up(layout)
            .unwrap_or_else(|| unsafe { on_large_pages(System.alloc(layout), layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.given_up(layout) {
            Some(start) => {
                // SAFETY: the block has this size and is ours alone.
                unsafe { start.write_bytes(0, layout.size()) };
                start
            }
            // SAFETY: the caller's promise about the layout is passed on.
            None => unsafe { on_large_pages(System.alloc_zeroed(layout), layout) },
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.in_use.add(-layout.size().cast_signed());
        match layout.size() {
            // SAFETY: the caller's promise is passed on.
            0..LARGE_BYTES => unsafe { System.dealloc(start, layout) },
            // SAFETY: the caller gives the block up, and it came with this layout.
            _ => unsafe { self.give_up(Block { start, layout }) },
        }
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        self.in_use.add(-layout.size().cast_signed());
        if self.in_use.add(new_size.cast_signed()) {
            self.fit();
        }
        // The system moves pages without copying them.
        // SAFETY: the caller's promise is passed on; the block is not in the list.
        unsafe { System.realloc(start, layout, new_size) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(mib: usize) -> Layout {
        Layout::from_size_align(mib << 20, 64).unwrap()
    }

    fn with_limit(mib: usize) -> Blocks {
        let blocks = Blocks::new(|| None);
        blocks.limit_bytes.store(mib << 20, Ordering::Relaxed);
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
            assert_eq!(blocks.given().bytes, 4 << 20);
            let other = blocks.alloc(layout(2));
            assert_ne!(first, other);
            let again = blocks.alloc_zeroed(layout(4));
            assert_eq!(first, again);
            assert!(std::slice::from_raw_parts(again, 4 << 20).iter().all(|byte| *byte == 0));
            assert_eq!(blocks.given().bytes, 0);
            blocks.dealloc(again, layout(4));
            blocks.dealloc(other, layout(2));
            assert_eq!(blocks.given().bytes, 6 << 20);
            blocks.limit_bytes.store(0, Ordering::Relaxed);
            let last = blocks.alloc(layout(3));
            blocks.dealloc(last, layout(3));
            assert_eq!(blocks.given().bytes, 0);
        }
    }

    /// What stays makes room for what is in use, the oldest first; what is too large
    /// never stays.
    #[test]
    fn the_limit_is_kept() {
        let blocks = with_limit(8);
        let all_bytes = || blocks.given().bytes + blocks.in_use.bytes();
        // SAFETY: every block is given up once.
        unsafe {
            let starts: Vec<*mut u8> = (0..5).map(|_| blocks.alloc(layout(3))).collect();
            assert_eq!(blocks.in_use.bytes(), 15 << 20);
            for start in &starts {
                blocks.dealloc(*start, layout(3));
                assert!(blocks.given().bytes == 0 || all_bytes() <= 8 << 20);
            }
            assert_eq!(blocks.given().bytes, 6 << 20);
            assert_eq!(blocks.alloc(layout(3)), starts[4]);
            assert_eq!(blocks.alloc(layout(3)), starts[3]);
            assert_eq!(blocks.given().bytes, 0);
            blocks.dealloc(starts[3], layout(3));
            blocks.dealloc(starts[4], layout(3));
            let other = blocks.alloc(layout(4));
            assert_eq!(all_bytes(), 7 << 20, "the oldest has made room");
            blocks.dealloc(other, layout(4));
            let large = blocks.alloc(layout(9));
            assert_eq!(blocks.given().bytes, 0);
            blocks.dealloc(large, layout(9));
            assert_eq!(all_bytes(), 0);
        }
    }

    /// What the process takes beside its blocks leaves less room for those that wait, also
    /// while blocks in use are not in memory yet.
    #[test]
    fn holes_are_counted() {
        static RESIDENT_MIB: AtomicUsize = AtomicUsize::new(12);
        let blocks = Blocks::new(|| Some(RESIDENT_MIB.load(Ordering::Relaxed) << 20));
        blocks.limit_bytes.store(24 << 20, Ordering::Relaxed);
        // SAFETY: every block is given up once.
        unsafe {
            let first = blocks.alloc(layout(8));
            assert_eq!(blocks.room(), 4 << 20, "12 MiB are beside");
            RESIDENT_MIB.store(20, Ordering::Relaxed);
            blocks.dealloc(first, layout(8));
            assert_eq!(blocks.given().bytes, 8 << 20);
            let other = blocks.alloc(layout(6));
            assert_eq!(blocks.given().bytes, 0, "6 MiB are left beside the other");
            RESIDENT_MIB.store(12, Ordering::Relaxed);
            let third = blocks.alloc(layout(5));
            assert!(blocks.room() < 2 << 20, "the other is not in memory yet");
            RESIDENT_MIB.store(14, Ordering::Relaxed);
            (0..4000).for_each(|_| blocks.look(0));
            assert_eq!(blocks.room(), 10 << 20, "3 MiB are beside");
            blocks.dealloc(third, layout(5));
            blocks.dealloc(other, layout(6));
        }
        assert!(resident_bytes().is_none_or(|bytes| bytes > 1 << 20));
    }

    /// Small blocks that add up make large ones go that wait.
    #[test]
    fn small_blocks_are_counted() {
        let blocks = with_limit(16);
        let small = Layout::from_size_align(64 << 10, 64).unwrap();
        // SAFETY: every block is given up once.
        unsafe {
            let large = blocks.alloc(layout(12));
            blocks.dealloc(large, layout(12));
            assert_eq!(blocks.given().bytes, 12 << 20);
            let starts: Vec<*mut u8> = (0..192).map(|_| blocks.alloc(small)).collect();
            assert_eq!(blocks.in_use.bytes(), 12 << 20);
            assert_eq!(blocks.given().bytes, 0);
            starts.into_iter().for_each(|start| blocks.dealloc(start, small));
        }
        assert_eq!(blocks.in_use.bytes(), 0);
    }

    /// Blocks that grow and shrink keep their contents, whoever has them.
    #[test]
    fn blocks_change_their_size() {
        let blocks = with_limit(16);
        for align in [8, 64] {
            let sizes = [100, 1 << 16, 1 << 17, 1 << 21, 5 << 20, 1 << 21, 200 << 10, 100, 60];
            let mut size = 50;
            // SAFETY: the block is read within what was written, and given up once.
            unsafe {
                let of = |size| Layout::from_size_align(size, align).unwrap();
                let mut start = blocks.alloc_zeroed(of(size));
                for (byte, new) in (1..).zip(sizes) {
                    start.write_bytes(byte, size);
                    start = blocks.realloc(start, of(size), new);
                    let kept = std::slice::from_raw_parts(start, size.min(new));
                    assert!(kept.iter().all(|kept| *kept == byte), "{size} to {new}");
                    assert_eq!(start.align_offset(align), 0);
                    size = new;
                    let counted = if size < LEAST_COUNTED_BYTES { 0 } else { size };
                    assert_eq!(blocks.in_use.bytes(), counted);
                }
                blocks.dealloc(start, of(size));
            }
        }
        assert_eq!(blocks.in_use.bytes(), 0);
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
        assert!(blocks.given().bytes <= 16 << 20);
    }
}
