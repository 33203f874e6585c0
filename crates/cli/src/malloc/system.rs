//! What the system's allocator and the system are told and asked (FFI).

use std::alloc::Layout;

use super::LARGE_BYTES;

/// From this size on blocks are put on large pages.
const LARGE_PAGES_BYTES: usize = 2 << 20;
/// Of the memory that may be used, the part that is given back only when a table
/// ends: one in this many, at the ends of all heaps together.
const TOP_PART: u64 = 64;
/// And no more than this at the end of a heap.
const MOST_TOP_BYTES: u64 = 64 << 20;

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

/// Asks for large pages for a new large block, of which nothing is in memory yet: the
/// system takes several times as long for 512 small pages as for a large one. Nothing
/// depends on whether it gives them.
///
/// # Safety
/// The block has this layout, unless there is none.
#[cfg(target_os = "linux")]
pub(super) unsafe fn on_large_pages(start: *mut u8, layout: Layout) -> *mut u8 {
    const PAGE_BYTES: usize = 4096;
    if layout.size() >= LARGE_PAGES_BYTES && !start.is_null() {
        // The block begins a few bytes into a page of its own; without that page the first
        // large one would be missing, often the only one.
        let skipped = start.addr() % PAGE_BYTES;
        // SAFETY: the range ends with the block, and the page it begins with is mapped as
        // the block is on it; the advice changes no contents.
        unsafe {
            let first = start.sub(skipped).cast();
            let _ = libc::madvise(first, layout.size() + skipped, libc::MADV_HUGEPAGE);
        }
    }
    start
}

/// Elsewhere pages are what they are.
///
/// # Safety
/// None is needed.
#[cfg(not(target_os = "linux"))]
pub(super) unsafe fn on_large_pages(start: *mut u8, _layout: Layout) -> *mut u8 {
    start
}

/// What the process takes now. Allocates nothing.
#[cfg(target_os = "linux")]
pub(super) fn resident_bytes() -> Option<usize> {
    const PATH: &std::ffi::CStr = c"/proc/self/statm";
    let mut text = [0u8; 128];
    // SAFETY: the path ends with a zero, the buffer is written within its length, and
    // the file is closed by whom it was opened.
    let (len, page_bytes) = unsafe {
        let file = libc::open(PATH.as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC);
        if file < 0 {
            return None;
        }
        let len = libc::read(file, text.as_mut_ptr().cast(), text.len());
        libc::close(file);
        (len, libc::sysconf(libc::_SC_PAGESIZE))
    };
    let text = std::str::from_utf8(text.get(..usize::try_from(len).ok()?)?).ok()?;
    let pages: usize = text.split(' ').nth(1)?.parse().ok()?;
    Some(pages * usize::try_from(page_bytes).ok()?)
}

/// Elsewhere it is not known.
#[cfg(not(target_os = "linux"))]
pub(super) fn resident_bytes() -> Option<usize> {
    None
}

/// Lets so much memory wait at the end of each heap. What is given up there went back
/// to the system at once otherwise, and was had from it again, cleared: a fifth of the
/// time of a solve.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn set_top(memory_bytes: u64) {
    let heaps = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let bytes = (memory_bytes / TOP_PART / heaps).clamp(LARGE_BYTES as u64, MOST_TOP_BYTES);
    // SAFETY: as in `set_up`.
    unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, bytes as libc::c_int) };
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
pub(super) fn set_top(_memory_bytes: u64) {}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_unused() {}
