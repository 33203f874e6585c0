//! What the system's allocator and the system are told and asked (FFI).

use super::extents::{CHUNK_BYTES, Extents, UNIT_BYTES, Unit};

/// From this size on the system's allocator has blocks from the system one by one.
const ALONE_BYTES: usize = 128 << 10;
/// Addresses for large blocks at most.
const MOST_ADDRESSES: usize = 1 << 42;
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
        libc::mallopt(libc::M_MMAP_THRESHOLD, ALONE_BYTES as libc::c_int);
        libc::mallopt(libc::M_ARENA_MAX, heaps);
    }
}

/// Addresses for so many bytes, or less if there are not so many, in whole large pages; with
/// what is free of them. None of it takes memory before it is written to. There are none where
/// a page of the system is more than a unit: units go back to it one by one.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn reserve(bytes: usize) -> Option<(usize, usize, Extents<'static>)> {
    if !UNIT_BYTES.is_multiple_of(page_bytes()?) {
        return None;
    }
    let most = bytes.min(MOST_ADDRESSES).next_multiple_of(CHUNK_BYTES);
    let sizes =
        std::iter::successors(Some(most), |size| Some(size / 2 / CHUNK_BYTES * CHUNK_BYTES));
    let mut sizes = sizes.take_while(|size| *size >= most / 16 && *size > 0);
    let (first, len) = sizes.find_map(|len| Some((map(len + CHUNK_BYTES)?, len)))?;
    let units = len / UNIT_BYTES;
    let (unit_bytes, bit_bytes) = (units * size_of::<Unit>(), units / 8);
    let pages = (len / CHUNK_BYTES).div_ceil(64);
    // If this fails the addresses above stay unused: they take no memory.
    let known = map(unit_bytes + bit_bytes + 2 * pages * size_of::<u64>())?;
    let skipped = first.align_offset(CHUNK_BYTES);
    // SAFETY: the first range lies in what was mapped, with room to be aligned. The others are
    // parts of a map of our own, apart from each other and aligned, that is never given back;
    // zeroes are units and words.
    unsafe {
        let start = first.add(skipped);
        let bits = known.add(unit_bytes).cast::<u64>();
        let known = std::slice::from_raw_parts_mut(known.cast::<Unit>(), units);
        let full = std::slice::from_raw_parts_mut(bits.add(units / 64), pages);
        let targets = std::slice::from_raw_parts_mut(bits.add(units / 64 + pages), pages);
        let bits = std::slice::from_raw_parts_mut(bits, units / 64);
        Some((start.expose_provenance(), len, Extents::new(known, bits, full, targets)))
    }
}

/// Asks for large pages for a large block, not all of which is in memory yet: the system
/// takes several times as long for 512 small pages as for a large one. Nothing depends on
/// whether it gives them. Large pages that are not the block's alone are left as they are, so
/// that all of a large page is in one mapping.
///
/// # Safety
/// The block is part of what was reserved.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) unsafe fn ask_for_large_pages(address: usize, bytes: usize) {
    let first = address.next_multiple_of(CHUNK_BYTES);
    let end = (address + bytes) / CHUNK_BYTES * CHUNK_BYTES;
    if first >= end {
        return;
    }
    let start = std::ptr::with_exposed_provenance_mut(first);
    // SAFETY: the range is mapped, as the caller promises; the advice changes no contents.
    unsafe { libc::madvise(start, end - first, libc::MADV_HUGEPAGE) };
}

/// Elsewhere pages are what they are.
///
/// # Safety
/// None is needed.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) unsafe fn ask_for_large_pages(_address: usize, _bytes: usize) {}

/// Addresses without memory.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn map(bytes: usize) -> Option<*mut u8> {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new map at an address of the system's choice touches no other.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, protection, flags, -1, 0) };
    (start != libc::MAP_FAILED).then_some(start.cast())
}

/// Gives the memory at some addresses back to the system; they are clear when they are
/// written to again.
///
/// # Safety
/// They are part of what was reserved, in whole units, and nobody uses them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) unsafe fn give_back(address: usize, bytes: usize) {
    let start = std::ptr::with_exposed_provenance_mut::<u8>(address);
    // SAFETY: as the caller promises; a unit is some pages of the system's, or nothing would
    // have been reserved. What the system does not take is cleared here.
    unsafe {
        if libc::madvise(start.cast(), bytes, libc::MADV_DONTNEED) != 0 {
            start.write_bytes(0, bytes);
        }
    }
}

/// Whether the system can move memory: tried with a page.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) fn can_move() -> bool {
    let Some(bytes) = page_bytes() else { return false };
    let Some(from) = map(2 * bytes) else { return false };
    // SAFETY: both pages are in a map of our own that nobody else knows of. If the system
    // could not, the second page may be another thread's by now, and is left alone.
    unsafe {
        let moved = remap(from.expose_provenance(), from.add(bytes).expose_provenance(), bytes);
        libc::munmap(from.cast(), if moved { 2 * bytes } else { bytes });
        moved
    }
}

/// Moves the memory of a large page to another that has none; what was there is clear when
/// it is written to again. Returns whether the system could. If not, the first is as it was,
/// and the second is never to be touched again: the system may have taken it away, and
/// another thread may have got its addresses.
///
/// # Safety
/// Both are large pages of what was reserved, each in one mapping, and nobody else uses them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(super) unsafe fn move_page(from: usize, to: usize) -> bool {
    // SAFETY: as the caller promises.
    unsafe { remap(from, to, CHUNK_BYTES) }
}

/// Moves the memory of some pages, which stay mapped. Returns whether the system could; if not,
/// the pages moved to may not be mapped any more.
///
/// # Safety
/// Both are mapped by us, and nobody else uses them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
unsafe fn remap(from: usize, to: usize, bytes: usize) -> bool {
    let at = std::ptr::with_exposed_provenance_mut::<libc::c_void>;
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP;
    // SAFETY: as the caller promises.
    unsafe { libc::mremap(at(from), bytes, bytes, flags, at(to)) != libc::MAP_FAILED }
}

/// A page of the system.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn page_bytes() -> Option<usize> {
    // SAFETY: asks for a number.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).ok().filter(|bytes| *bytes > 0)
}

/// Elsewhere nothing is reserved.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn can_move() -> bool {
    false
}

/// Elsewhere nothing is reserved.
///
/// # Safety
/// None is needed.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) unsafe fn move_page(_from: usize, _to: usize) -> bool {
    false
}

/// Elsewhere all blocks are the system allocator's.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn reserve(_bytes: usize) -> Option<(usize, usize, Extents<'static>)> {
    None
}

/// Elsewhere nothing is reserved.
///
/// # Safety
/// None is needed.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) unsafe fn give_back(_address: usize, _bytes: usize) {}

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
    let bytes = (memory_bytes / TOP_PART / heaps).clamp(ALONE_BYTES as u64, MOST_TOP_BYTES);
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
