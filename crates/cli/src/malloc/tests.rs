//! Blocks from several threads, with little memory.

use super::*;

fn layout(mib: usize) -> Layout {
    Layout::from_size_align(mib << 20, 64).unwrap()
}

fn with_limit(mib: usize) -> Blocks {
    limited(mib, || None)
}

fn limited(mib: usize, resident_bytes: fn() -> Option<usize>) -> Blocks {
    let blocks = Blocks::new(resident_bytes);
    blocks.limit_bytes.store(mib << 20, Ordering::Relaxed);
    blocks.have_addresses(mib << 20);
    assert_eq!(blocks.unit_at(std::ptr::null_mut()), None);
    blocks
}

/// Memory that was given up serves the next request, of whatever size, cleared if that
/// is asked for.
#[test]
fn blocks_serve_again() {
    let blocks = with_limit(8);
    // SAFETY: every block is written within its size and given up once.
    unsafe {
        let first = blocks.alloc(layout(4));
        first.write_bytes(7, 4 << 20);
        blocks.dealloc(first, layout(4));
        assert_eq!(blocks.kept_bytes(), 4 << 20);
        let again = blocks.alloc_zeroed(layout(3));
        assert_eq!(first, again);
        assert!(std::slice::from_raw_parts(again, 3 << 20).iter().all(|byte| *byte == 0));
        assert_eq!(blocks.kept_bytes(), 1 << 20);
        let other = blocks.alloc_zeroed(layout(2));
        assert_eq!(blocks.kept_bytes(), 0);
        assert!(std::slice::from_raw_parts(other, 2 << 20).iter().all(|byte| *byte == 0));
        blocks.dealloc(again, layout(3));
        blocks.dealloc(other, layout(2));
        assert_eq!(blocks.kept_bytes(), 5 << 20);
        blocks.limit_bytes.store(0, Ordering::Relaxed);
        let last = blocks.alloc(layout(3));
        blocks.dealloc(last, layout(3));
        assert_eq!(blocks.kept_bytes(), 0);
    }
}

/// What stays makes room for what is in use.
#[test]
fn the_limit_is_kept() {
    let blocks = with_limit(8);
    let all_bytes = || blocks.kept_bytes() + blocks.in_use_bytes();
    // SAFETY: every block is given up once.
    unsafe {
        let starts: Vec<*mut u8> = (0..5).map(|_| blocks.alloc(layout(3))).collect();
        assert_eq!(blocks.in_use_bytes(), 15 << 20);
        for start in &starts {
            blocks.dealloc(*start, layout(3));
            assert!(blocks.kept_bytes() <= blocks.room());
        }
        assert!(all_bytes() <= 8 << 20);
        let other = blocks.alloc(layout(4));
        assert!((4 << 20..=8 << 20).contains(&all_bytes()));
        blocks.dealloc(other, layout(4));
        let large = blocks.alloc(layout(9));
        assert!(blocks.kept_bytes() <= 8 << 14, "hardly anything but the large one");
        blocks.dealloc(large, layout(9));
        assert!(all_bytes() <= 8 << 20);
    }
}

/// What the process takes beside its blocks leaves less room for those that wait, also
/// while blocks in use are not in memory yet.
#[test]
fn holes_are_counted() {
    static RESIDENT_MIB: AtomicUsize = AtomicUsize::new(12);
    let blocks = limited(24, || Some(RESIDENT_MIB.load(Ordering::Relaxed) << 20));
    // SAFETY: every block is given up once.
    unsafe {
        let first = blocks.alloc(layout(8));
        assert_eq!(blocks.room(), 4 << 20, "12 MiB are beside");
        RESIDENT_MIB.store(20, Ordering::Relaxed);
        blocks.dealloc(first, layout(8));
        assert_eq!(blocks.kept_bytes(), 8 << 20);
        let other = blocks.alloc(layout(14));
        assert!(blocks.kept_bytes() <= 1 << 20);
        RESIDENT_MIB.store(12, Ordering::Relaxed);
        let third = blocks.alloc(layout(5));
        assert!(blocks.room() < 1 << 20, "the other is not in memory yet");
        RESIDENT_MIB.store(22, Ordering::Relaxed);
        (0..4000).for_each(|_| blocks.look(0));
        assert_eq!(blocks.room(), 2 << 20, "3 MiB are beside");
        blocks.dealloc(third, layout(5));
        blocks.dealloc(other, layout(14));
    }
    assert!(resident_bytes().is_none_or(|bytes| bytes > 1 << 20));
}

/// Small blocks that add up make large ones go that wait.
#[test]
fn small_blocks_are_counted() {
    let blocks = with_limit(16);
    let small = Layout::from_size_align(16 << 10, 64).unwrap();
    // SAFETY: every block is given up once.
    unsafe {
        let large = blocks.alloc(layout(12));
        blocks.dealloc(large, layout(12));
        assert_eq!(blocks.kept_bytes(), 12 << 20);
        let starts: Vec<*mut u8> = (0..768).map(|_| blocks.alloc(small)).collect();
        assert_eq!(blocks.in_use.bytes(), 12 << 20);
        assert!(blocks.kept_bytes() <= 4 << 20);
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
                let counted = match size {
                    0..LEAST_COUNTED_BYTES => 0,
                    LEAST_COUNTED_BYTES..LARGE_BYTES => size,
                    _ => size.next_multiple_of(UNIT_BYTES),
                };
                assert_eq!(blocks.in_use_bytes(), counted);
            }
            blocks.dealloc(start, of(size));
        }
    }
    assert_eq!(blocks.in_use_bytes(), 0);
}

/// Memory in holes that are too small for a block becomes that of its addresses.
#[test]
fn memory_that_waits_is_moved() {
    let blocks = with_limit(16);
    // SAFETY: every block is written and read within its size, and given up once.
    unsafe {
        let starts = [1, 2, 3, 4].map(|mark| {
            let start = blocks.alloc(layout(2));
            start.write_bytes(mark, 2 << 20);
            start
        });
        blocks.dealloc(starts[0], layout(2));
        blocks.dealloc(starts[2], layout(2));
        assert_eq!(blocks.kept_bytes(), 4 << 20);
        let large = blocks.alloc_zeroed(layout(4));
        assert_eq!(blocks.kept_bytes(), if can_move() { 0 } else { 4 << 20 });
        assert!(std::slice::from_raw_parts(large, 4 << 20).iter().all(|byte| *byte == 0));
        for (i, mark) in [(1, 2), (3, 4)] {
            let kept = std::slice::from_raw_parts(starts[i], 2 << 20);
            assert!(kept.iter().all(|byte| *byte == mark));
            blocks.dealloc(starts[i], layout(2));
        }
        assert_eq!(blocks.cannot_move.load(Ordering::Relaxed), !can_move());
        // What it was moved from is clear.
        let again = [0, 1, 2].map(|_| blocks.alloc_zeroed(layout(2)));
        for start in again {
            let read = std::slice::from_raw_parts(start, 2 << 20);
            assert!(read.iter().all(|byte| *byte == 0));
            blocks.dealloc(start, layout(2));
        }
        blocks.dealloc(large, layout(4));
    }
}

/// Where the system fails to move memory, the addresses it was to be moved to are left alone,
/// and blocks come from elsewhere.
#[test]
fn addresses_that_may_be_lost_are_not_used() {
    let mut blocks = with_limit(16);
    blocks.cannot_move.store(false, Ordering::Relaxed);
    blocks.move_page = |_, _| false;
    // SAFETY: every block is written and read within its size, and given up once.
    unsafe {
        let [first, second, third] = [1u8, 2, 3].map(|mark| {
            let start = blocks.alloc(layout(2));
            start.write_bytes(mark, 2 << 20);
            start
        });
        blocks.dealloc(first, layout(2));
        assert_eq!(blocks.unit_at(first), Some(0));
        let large = blocks.alloc_zeroed(layout(4));
        assert_eq!(blocks.unit_at(large), None, "the system's");
        assert!(blocks.cannot_move.load(Ordering::Relaxed));
        assert!(std::slice::from_raw_parts(large, 4 << 20).iter().all(|byte| *byte == 0));
        let other = blocks.alloc(layout(4));
        let (lost, other_unit) = (6 << 20, blocks.unit_at(other).unwrap());
        assert!(other_unit * UNIT_BYTES >= lost + (4 << 20), "after what may be lost");
        // What was to be moved is given back, and serves again, cleared.
        let again = blocks.alloc_zeroed(layout(2));
        assert_eq!(again, first);
        assert!(std::slice::from_raw_parts(again, 2 << 20).iter().all(|byte| *byte == 0));
        for (start, mark) in [(second, 2), (third, 3)] {
            let kept = std::slice::from_raw_parts(start, 2 << 20);
            assert!(kept.iter().all(|byte| *byte == mark));
            blocks.dealloc(start, layout(2));
        }
        blocks.dealloc(again, layout(2));
        for start in [large, other] {
            blocks.dealloc(start, layout(4));
        }
    }
}

/// Blocks of all sizes keep their contents while memory is moved and given back beside
/// them, and are cleared where that is asked for.
#[test]
fn contents_stay_while_others_come_and_go() {
    let blocks = with_limit(24);
    std::thread::scope(|scope| {
        for mark in 1..5usize {
            let blocks = &blocks;
            scope.spawn(move || {
                let mut own: Vec<(*mut u8, Layout, u8)> = Vec::new();
                for i in 0..150 {
                    let size = (32 << 10) + (i * 7919 + mark * 104_729) % 97 * (61 << 10);
                    let of_size = Layout::from_size_align(size, 64).unwrap();
                    let byte = (i % 251) as u8;
                    // SAFETY: every block is written and read within its size, and given
                    // up once.
                    unsafe {
                        let start = blocks.alloc_zeroed(of_size);
                        let read = std::slice::from_raw_parts(start, size);
                        assert!(read.iter().all(|byte| *byte == 0));
                        start.write_bytes(byte, size);
                        own.push((start, of_size, byte));
                        if own.len() > 3 {
                            let (start, layout, byte) = own.swap_remove(i % 3);
                            let read = std::slice::from_raw_parts(start, layout.size());
                            assert!(read.iter().all(|read| *read == byte));
                            blocks.dealloc(start, layout);
                        }
                    }
                }
                // SAFETY: each is given up once.
                own.iter().for_each(|(start, of, _)| unsafe { blocks.dealloc(*start, *of) });
            });
        }
    });
    assert_eq!(blocks.in_use_bytes(), 0);
}

/// What goes back to the system is counted by what had memory: a little in each of many
/// large pages is much to look for, and little.
#[test]
fn scattered_memory_goes_back() {
    const PAGES: usize = 20;
    let blocks = with_limit(64);
    let [large, small] = [(2 << 20) - LARGE_BYTES, LARGE_BYTES]
        .map(|size| Layout::from_size_align(size, 64).unwrap());
    // SAFETY: every block is given up once.
    unsafe {
        let pairs = [(); PAGES].map(|()| [blocks.alloc(large), blocks.alloc(small)]);
        pairs.iter().for_each(|[start, _]| blocks.dealloc(*start, large));
        blocks.shrink(PAGES * large.size());
        assert_eq!(blocks.kept_bytes(), 0);
        pairs.iter().for_each(|[_, start]| blocks.dealloc(*start, small));
    }
    assert_eq!(blocks.kept_bytes(), PAGES * small.size());
    blocks.shrink(PAGES * small.size());
    assert_eq!(blocks.kept_bytes(), 0);
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
    assert!(blocks.kept_bytes() <= 16 << 20);
}
