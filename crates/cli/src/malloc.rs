//! How memory is had and given back (allocator and FFI).
//!
//! Planes have kilobytes to megabytes, live for a wave or a table, and the next one
//! is as large. The system clears every page that it hands out, which took a quarter
//! of the time of a solve. So large blocks are cut from a stretch of addresses of our own:
//! what is given up stays, as long as nobody else needs the memory, and serves the next
//! request, whatever its size: where a block has addresses without memory, large pages that
//! wait elsewhere are moved there, which takes a hundredth of the time of clearing new ones.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

mod extents;
mod system;

use extents::{CHUNK_BYTES, Extents, Moves, Taken, UNIT_BYTES};
use system::{
    ask_for_large_pages, can_move, give_back, move_page, reserve, resident_bytes, set_top,
};
pub use system::{give_back_unused, set_up};

/// Smaller blocks are the system allocator's. Planes are at least as large: in its heaps
/// they would leave holes that nothing else fits, on small pages.
const LARGE_BYTES: usize = 32 << 10;
/// Addresses for large blocks, as a multiple of the memory that may be used: holes between
/// blocks take addresses, but no memory.
const ADDRESSES: usize = 4;
/// From this size on blocks are put on large pages.
const LARGE_PAGES_BYTES: usize = 4 << 20;
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
    BLOCKS.have_addresses(bytes);
    set_top(memory_bytes);
}

/// Of blocks that were given up only so much stays, whatever the memory.
pub fn keep_at_most(bytes: usize) {
    BLOCKS.most_kept_bytes.store(bytes, Ordering::Relaxed);
    BLOCKS.fit();
}

/// The system's allocator, and large blocks.
struct Blocks {
    large: Mutex<Option<Extents<'static>>>,
    /// Where large blocks are: the first address and how many bytes.
    start: AtomicUsize,
    len: AtomicUsize,
    /// What large blocks take, and those that were given up: as [`Extents`] count it.
    large_bytes: AtomicUsize,
    resident_large_bytes: AtomicUsize,
    /// What has been given memory since it was looked at last what the process takes.
    fresh_bytes: AtomicUsize,
    /// Blocks of the system's allocator.
    in_use: InUse,
    /// For what is in use and what was given up.
    limit_bytes: AtomicUsize,
    /// For what was given up.
    most_kept_bytes: AtomicUsize,
    /// What was kept when no more of it could be given back, though it should.
    stuck_bytes: AtomicUsize,
    /// The system cannot move memory.
    cannot_move: AtomicBool,
    /// Somebody is giving memory back to the system: others need not.
    giving_back: AtomicBool,
    /// Moves the memory of a large page; see [`move_page`].
    move_page: unsafe fn(usize, usize) -> bool,
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

/// Memory is given back in steps: of that which may be used, one part in so many, up to so
/// many bytes.
const GIVEN_BACK_PART: usize = 32;
const MOST_GIVEN_BACK_BYTES: usize = 32 << 20;

impl Blocks {
    const fn new(resident_bytes: fn() -> Option<usize>) -> Blocks {
        Blocks {
            large: Mutex::new(None),
            start: AtomicUsize::new(0),
            len: AtomicUsize::new(0),
            large_bytes: AtomicUsize::new(0),
            resident_large_bytes: AtomicUsize::new(0),
            fresh_bytes: AtomicUsize::new(0),
            in_use: InUse::new(),
            limit_bytes: AtomicUsize::new(0),
            most_kept_bytes: AtomicUsize::new(usize::MAX),
            stuck_bytes: AtomicUsize::new(0),
            cannot_move: AtomicBool::new(false),
            giving_back: AtomicBool::new(false),
            move_page,
            resident_bytes,
            beside_bytes: AtomicUsize::new(0),
            tidied_bytes: AtomicUsize::new(0),
        }
    }

    /// Has large blocks cut from addresses of our own, for so much memory. Without them
    /// all blocks are the system allocator's.
    fn have_addresses(&self, memory_bytes: usize) {
        let mut large = self.large();
        if large.is_some() {
            return;
        }
        let wanted = memory_bytes.saturating_mul(ADDRESSES);
        let Some((start, len, extents)) = reserve(wanted) else { return };
        self.cannot_move.store(!can_move(), Ordering::Relaxed);
        self.start.store(start, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
        *large = Some(extents);
    }

    fn large(&self) -> MutexGuard<'_, Option<Extents<'static>>> {
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does something with the large blocks, if there are any.
    fn with_large<T>(&self, work: impl FnOnce(&mut Extents<'static>) -> Option<T>) -> Option<T> {
        let mut large = self.large();
        let extents = large.as_mut()?;
        let done = work(extents);
        self.large_bytes.store(extents.used_bytes(), Ordering::Relaxed);
        self.resident_large_bytes.store(extents.resident_bytes(), Ordering::Relaxed);
        done
    }

    /// The unit at which a large block of ours begins; none if it is the system's.
    fn unit_at(&self, block: *mut u8) -> Option<usize> {
        let from = block.addr().wrapping_sub(self.start.load(Ordering::Relaxed));
        (from < self.len.load(Ordering::Relaxed)).then_some(from / UNIT_BYTES)
    }

    /// Large blocks that were given up and still have memory.
    fn kept_bytes(&self) -> usize {
        let resident = self.resident_large_bytes.load(Ordering::Relaxed);
        resident.saturating_sub(self.large_bytes.load(Ordering::Relaxed))
    }

    fn in_use_bytes(&self) -> usize {
        self.in_use.bytes() + self.large_bytes.load(Ordering::Relaxed)
    }

    /// How much may be kept beside what is in use.
    fn room(&self) -> usize {
        let limit = self.limit_bytes.load(Ordering::Relaxed);
        let beside = self.beside_bytes.load(Ordering::Relaxed);
        let room = limit.saturating_sub(self.in_use_bytes().saturating_add(beside));
        room.max(limit / LEAST_PART).min(self.most_kept_bytes.load(Ordering::Relaxed))
    }

    /// Looks at what the process takes, with a large block of which so many bytes are not in
    /// memory yet. If that is too much without any block that waits, heaps are tidied up,
    /// unless they just were.
    ///
    /// What is in use need not be in memory yet: the first to write to a large block still
    /// is at it. Too little seems to be beside then, so that falls slowly only.
    fn look(&self, coming_bytes: usize) {
        let Some(resident) = (self.resident_bytes)() else { return };
        let large = self.resident_large_bytes.load(Ordering::Relaxed).saturating_sub(coming_bytes);
        let before = self.beside_bytes.load(Ordering::Relaxed);
        let beside = resident.saturating_sub(self.in_use.bytes() + large);
        let beside = beside.max(before - before / FALL_PART);
        self.beside_bytes.store(beside, Ordering::Relaxed);
        let in_use = self.in_use_bytes();
        let limit = self.limit_bytes.load(Ordering::Relaxed);
        let tidied = self.tidied_bytes.load(Ordering::Relaxed);
        if in_use + beside > limit.max(tidied + TIDY_STEP_BYTES) && limit > 0 {
            give_back_unused();
            self.tidied_bytes.store(in_use + beside, Ordering::Relaxed);
        } else if in_use + beside < tidied / 2 {
            self.tidied_bytes.store(0, Ordering::Relaxed);
        }
    }

    /// Gives memory of blocks that were given up back to the system until the rest leaves
    /// room for what is in use.
    fn fit(&self) {
        let (kept, room) = (self.kept_bytes(), self.room());
        let stuck = self.stuck_bytes.load(Ordering::Relaxed);
        if kept < stuck {
            self.stuck_bytes.store(kept, Ordering::Relaxed);
        }
        if kept <= room || (stuck > 0 && kept < stuck + STEP_BYTES.unsigned_abs()) {
            return;
        }
        if self.giving_back.swap(true, Ordering::Acquire) {
            return;
        }
        let limit = self.limit_bytes.load(Ordering::Relaxed);
        let step = (limit / GIVEN_BACK_PART).min(MOST_GIVEN_BACK_BYTES);
        self.shrink((kept - room).max(step));
        let kept = self.kept_bytes();
        self.stuck_bytes.store(if kept > room { kept } else { 0 }, Ordering::Relaxed);
        self.giving_back.store(false, Ordering::Release);
    }

    /// Gives memory of blocks that were given up back to the system: so many bytes, if there
    /// are. That takes the system a while, in which nobody waits for the large blocks.
    fn shrink(&self, bytes: usize) {
        let start = self.start.load(Ordering::Relaxed);
        let mut units = bytes.div_ceil(UNIT_BYTES);
        while units > 0 {
            let Some(parts) = self.with_large(|extents| Some(extents.cut_parts(units))) else {
                return;
            };
            if parts.is_empty() {
                return;
            }
            for part in parts.iter() {
                // SAFETY: the part was cut out of free blocks of the stretch that begins there:
                // nobody has it or gets it before it is put back.
                unsafe { give_back(start + part.start * UNIT_BYTES, part.len() * UNIT_BYTES) };
            }
            self.with_large(|extents| {
                parts.iter().for_each(|part| extents.put_back(part.start));
                Some(())
            });
            units = units.saturating_sub(parts.had_memory);
        }
    }

    /// Moves memory to where a block that was just taken has none. Returns whether the system
    /// could. If not, neither the block nor what follows it on its last large page may be
    /// used, ever: nobody knows whose addresses these are now.
    #[must_use]
    fn bring(&self, moves: &Moves) -> bool {
        if moves.is_empty() {
            return true;
        }
        let start = self.start.load(Ordering::Relaxed);
        let mut could = true;
        for (from, to) in moves.pairs().map(|(from, to)| (from * UNIT_BYTES, to * UNIT_BYTES)) {
            // SAFETY: both are large pages of the stretch that begins there. Nobody has the
            // first or gets it before it is put back; the second belongs to the block that was
            // taken, and to what follows it, which is put back only then, too. Each is in one
            // mapping, as all advice is about whole large pages.
            unsafe {
                could = could && (self.move_page)(start + from, start + to);
                if !could {
                    give_back(start + from, CHUNK_BYTES);
                }
            }
        }
        if !could {
            self.cannot_move.store(true, Ordering::Relaxed);
        }
        self.with_large(|extents| {
            match could {
                true => extents.put_back_moved(moves),
                false => extents.put_back_sources(moves),
            }
            Some(())
        });
        could
    }

    /// A large block of ours: its address, and whether it is cleared. None if it is to be the
    /// system's.
    fn taken(&self, layout: Layout) -> Option<(*mut u8, bool)> {
        if layout.size() < LARGE_BYTES || layout.align() > UNIT_BYTES {
            return None;
        }
        let units = layout.size().div_ceil(UNIT_BYTES);
        let mut moves = Moves::none(!self.cannot_move.load(Ordering::Relaxed));
        let taken = self.with_large(|extents| extents.take(units, &mut moves));
        let Taken { start, fresh } = taken?;
        if !self.bring(&moves) {
            return None;
        }
        let address = self.start.load(Ordering::Relaxed) + start * UNIT_BYTES;
        if layout.size() >= LARGE_PAGES_BYTES && fresh > 0 {
            // SAFETY: the block is ours alone.
            unsafe { ask_for_large_pages(address, layout.size()) };
        }
        self.came(fresh * UNIT_BYTES);
        Some((std::ptr::with_exposed_provenance_mut(address), fresh == units))
    }

    /// A large block gets memory, so many bytes: whether there is room is looked at from time
    /// to time.
    fn came(&self, fresh_bytes: usize) {
        if fresh_bytes == 0 {
            return;
        }
        let before = self.fresh_bytes.fetch_add(fresh_bytes, Ordering::Relaxed);
        let step = STEP_BYTES.unsigned_abs();
        if before / step != (before + fresh_bytes) / step {
            self.look(fresh_bytes);
        }
        self.fit();
    }

    /// A block of the system allocator's is about to be taken.
    fn count(&self, bytes: usize) {
        if self.in_use.add(bytes.cast_signed()) {
            self.look(0);
            self.fit();
        }
    }

    /// A block that another size does not fit where it is, elsewhere.
    ///
    /// # Safety
    /// As [`GlobalAlloc::realloc`].
    unsafe fn relocate(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is no larger than a layout's can be.
        let new = unsafe { Layout::from_size_align_unchecked(new_size, layout.align()) };
        // SAFETY: the new block is ours alone, and both are as long as what is copied; the
        // old one is given up once, with the layout it has.
        unsafe {
            let moved = self.alloc(new);
            if !moved.is_null() {
                start.copy_to_nonoverlapping(moved, layout.size().min(new_size));
                self.dealloc(start, layout);
            }
            moved
        }
    }
}

// SAFETY: every block either comes from `System` with the layout it is handed out with and
// goes back to it with that layout, or is a block of the extents: aligned to a unit, at
// least as long as asked for, and in the hands of one caller only until it is given up.
unsafe impl GlobalAlloc for Blocks {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match self.taken(layout) {
            Some((start, _)) => start,
            None => {
                self.count(layout.size());
                // SAFETY: the caller's promise about the layout is passed on.
                unsafe { System.alloc(layout) }
            }
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match self.taken(layout) {
            Some((start, true)) => start,
            Some((start, false)) => {
                // SAFETY: the block has this size and is ours alone.
                unsafe { start.write_bytes(0, layout.size()) };
                start
            }
            None => {
                self.count(layout.size());
                // SAFETY: the caller's promise about the layout is passed on.
                unsafe { System.alloc_zeroed(layout) }
            }
        }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        if let Some(unit) = self.unit_at(start) {
            self.with_large(|extents| {
                extents.give_up(unit);
                Some(())
            });
            return self.fit();
        }
        self.in_use.add(-layout.size().cast_signed());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(start, layout) };
    }

    unsafe fn realloc(&self, start: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if let Some(unit) = self.unit_at(start) {
            let units = new_size.div_ceil(UNIT_BYTES);
            let resized = (new_size >= LARGE_BYTES)
                .then(|| self.with_large(|extents| extents.resize(unit, units)))
                .flatten();
            if let Some(fresh) = resized {
                self.came(fresh * UNIT_BYTES);
                return start;
            }
            // SAFETY: the caller's promise is passed on.
            return unsafe { self.relocate(start, layout, new_size) };
        }
        if new_size >= LARGE_BYTES && self.len.load(Ordering::Relaxed) > 0 {
            // SAFETY: the caller's promise is passed on.
            return unsafe { self.relocate(start, layout, new_size) };
        }
        self.in_use.add(-layout.size().cast_signed());
        self.count(new_size);
        // The system moves pages without copying them.
        // SAFETY: the caller's promise is passed on; the block came from `System`.
        unsafe { System.realloc(start, layout, new_size) }
    }
}

#[cfg(test)]
mod tests;
