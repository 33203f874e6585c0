//! Which blocks are handed out, and what becomes of their memory.

use super::*;

const CHUNKS: usize = 8;
const ALL: usize = CHUNKS * CHUNK_UNITS;

/// Numbers that look random, the same every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 33) as usize % limit
    }
}

fn with_extents(test: impl FnOnce(&mut Extents<'_>)) {
    let (mut units, mut resident) = (vec![Unit::default(); ALL], vec![0; ALL / WORD_UNITS]);
    let [mut full, mut targets] = [[0; CHUNKS.div_ceil(WORD_UNITS)]; 2];
    test(&mut Extents::new(&mut units, &mut resident, &mut full, &mut targets));
}

/// Lists are in the order of the lengths in them.
#[test]
fn lists_are_in_order() {
    let lists: Vec<usize> = (1..100_000).map(list_of).collect();
    assert!(lists.is_sorted());
    assert!(list_of(FREE as usize - 1) < LISTS);
    assert_eq!((list_of(1), list_of(15), list_of(16), list_of(17)), (1, 15, 16, 16));
}

/// No two blocks overlap, what is given up serves again, and in the end all of it is one
/// free block.
#[test]
fn blocks_are_apart() {
    with_extents(check_blocks);
}

fn check_blocks(extents: &mut Extents<'_>) {
    let (mut numbers, mut blocks) = (Numbers(7), Vec::<(usize, usize)>::new());
    let mut owner = vec![false; ALL];
    let mut memory = [false; ALL];
    for _ in 0..20_000 {
        if numbers.below(2) == 0 {
            let most = if numbers.below(4) == 0 { 300 } else { 20 };
            let len = 1 + numbers.below(most);
            let mut moves = Moves::none(true);
            let Some(taken) = extents.take(len, &mut moves) else { continue };
            let own = taken.start..taken.start + len;
            assert!(owner[own.clone()].iter().all(|taken| !taken));
            owner[own.clone()].fill(true);
            move_memory(&moves, &mut memory, &owner, &own);
            extents.put_back_moved(&moves);
            let clear = memory[own.clone()].iter().filter(|some| !**some).count();
            assert_eq!(taken.fresh, clear);
            memory[own].fill(true);
            blocks.push((taken.start, len));
        } else if let Some(last) = blocks.len().checked_sub(1) {
            let i = numbers.below(last + 1);
            let (start, len) = blocks[i];
            let new = 1 + numbers.below(40);
            if numbers.below(3) > 0 {
                extents.give_up(start);
                owner[start..start + len].fill(false);
                blocks.swap_remove(i);
            } else if extents.resize(start, new).is_some() {
                owner[start..start + len].fill(false);
                assert!(owner[start..start + new].iter().all(|taken| !taken));
                owner[start..start + new].fill(true);
                memory[start..start + new].fill(true);
                blocks[i].1 = new;
            }
        }
        if numbers.below(100) == 0 {
            give_back(extents, numbers.below(400), &owner, &mut memory);
        }
        let used = blocks.iter().map(|(_, len)| len).sum::<usize>();
        assert_eq!(extents.used_bytes(), used * UNIT_BYTES);
        let resident = memory.iter().filter(|some| **some).count();
        assert_eq!(extents.resident_bytes(), resident * UNIT_BYTES);
    }
    blocks.iter().for_each(|(start, _)| extents.give_up(*start));
    give_back(extents, ALL, &[false; ALL], &mut memory);
    assert_eq!((extents.used_bytes(), extents.resident_bytes()), (0, 0));
    assert_eq!(take(extents, ALL), Some(Taken { start: 0, fresh: ALL }));
    assert_eq!(take(extents, 1), None);
}

fn take(extents: &mut Extents<'_>, len: usize) -> Option<Taken> {
    let mut moves = Moves::none(true);
    let taken = extents.take(len, &mut moves);
    extents.put_back_moved(&moves);
    taken
}

/// Memory is moved from where nobody is to where the block is that was taken, or nobody.
fn move_memory(moves: &Moves, memory: &mut [bool], owner: &[bool], own: &Range<usize>) {
    for (from, to) in moves.pairs() {
        let [from, to] = [from, to].map(|start| start..start + CHUNK_UNITS);
        assert!(owner[from.clone()].iter().all(|taken| !taken));
        assert!(to.clone().all(|unit| own.contains(&unit) || !owner[unit]));
        assert!(memory[from.clone()].iter().all(|some| *some));
        assert!(memory[to.clone()].iter().all(|some| !*some));
        memory[from].fill(false);
        memory[to].fill(true);
    }
}

fn give_back(extents: &mut Extents<'_>, mut units: usize, owner: &[bool], memory: &mut [bool]) {
    while units > 0 {
        let parts = extents.cut_parts(units);
        if parts.is_empty() {
            return;
        }
        // Whoever comes now gets something else.
        let other = take(extents, 1).map(|taken| taken.start);
        for part in parts.iter() {
            assert!(owner[part.clone()].iter().all(|taken| !taken));
            assert!(other.is_none_or(|other| !part.contains(&other)));
            let had_memory = memory[part.clone()].iter().filter(|some| **some).count();
            units = units.saturating_sub(had_memory);
            memory[part].fill(false);
        }
        if let Some(other) = other {
            memory[other] = true;
            extents.give_up(other);
        }
        parts.iter().for_each(|part| extents.put_back(part.start));
    }
}

/// Memory that waits is moved to a block that has none, whole large pages of it.
#[test]
fn memory_is_moved() {
    with_extents(|extents| {
        let starts = [0, 1, 2].map(|_| take(extents, CHUNK_UNITS).unwrap().start);
        assert_eq!(starts, [0, CHUNK_UNITS, 2 * CHUNK_UNITS]);
        extents.give_up(starts[1]);
        let mut moves = Moves::none(true);
        let taken = extents.take(2 * CHUNK_UNITS, &mut moves).unwrap();
        assert_eq!(taken, Taken { start: 3 * CHUNK_UNITS, fresh: CHUNK_UNITS });
        let pairs: Vec<_> = moves.pairs().collect();
        assert_eq!(pairs, [(CHUNK_UNITS, 3 * CHUNK_UNITS)]);
        // Nobody gets it before it has been moved.
        assert_eq!(take(extents, 1).unwrap().start, 5 * CHUNK_UNITS);
        extents.put_back_moved(&moves);
        assert_eq!(take(extents, 2).unwrap(), Taken { start: CHUNK_UNITS, fresh: 2 });
        assert_eq!(extents.resident_bytes(), 4 * CHUNK_BYTES + 3 * UNIT_BYTES);
    });
}

/// Memory is moved to so many large pages and no more, but to these again and again.
#[test]
fn targets_are_limited() {
    with_extents(|extents| {
        extents.targets_left = 1;
        let [waits, _kept] = [2, 1].map(|pages| take(extents, pages * CHUNK_UNITS).unwrap().start);
        extents.give_up(waits);
        let first = take(extents, 3 * CHUNK_UNITS).unwrap();
        assert_eq!(first, Taken { start: 3 * CHUNK_UNITS, fresh: 2 * CHUNK_UNITS });
        let second = take(extents, 2 * CHUNK_UNITS).unwrap();
        assert_eq!(second, Taken { start: waits, fresh: CHUNK_UNITS });
        extents.give_up(first.start);
        extents.cut_parts(ALL).iter().for_each(|part| extents.put_back(part.start));
        extents.give_up(second.start);
        assert_eq!(take(extents, 3 * CHUNK_UNITS), Some(Taken { fresh: 2 * CHUNK_UNITS, ..first }));
    });
}

/// What follows a block on its large page moves with it.
#[test]
fn what_follows_a_block_has_memory_too() {
    with_extents(|extents| {
        let starts = [1, 1, 2, 1].map(|pages| take(extents, pages * CHUNK_UNITS).unwrap().start);
        extents.give_up(starts[0]);
        extents.cut_parts(ALL).iter().for_each(|part| extents.put_back(part.start));
        assert_eq!(extents.resident_bytes(), 4 * CHUNK_BYTES);
        extents.give_up(starts[2]);
        let mut moves = Moves::none(true);
        let taken = extents.take(CHUNK_UNITS - 1, &mut moves).unwrap();
        assert_eq!(taken, Taken { start: 0, fresh: 0 });
        assert_eq!(moves.pairs().collect::<Vec<_>>(), [(3 * CHUNK_UNITS, 0)]);
        extents.put_back_moved(&moves);
        assert_eq!(take(extents, 1), Some(Taken { start: CHUNK_UNITS - 1, fresh: 0 }));
        assert_eq!(extents.resident_bytes(), 4 * CHUNK_BYTES);
    });
}

/// A block that was given up serves the next request of its length, and so does what
/// is left of one.
#[test]
fn lengths_serve_again() {
    with_extents(|extents| {
        let [first, second, third] = [20, 30, 40].map(|len| take(extents, len).unwrap().start);
        extents.give_up(second);
        assert_eq!(take(extents, 40).unwrap().start, third + 40);
        assert_eq!(take(extents, 29).unwrap().start, second);
        assert_eq!(take(extents, 1).unwrap().start, second + 29);
        assert_eq!(extents.resize(first, 21), None);
        assert_eq!(extents.resize(first, 10), Some(0));
        assert_eq!(extents.resize(first, 20), Some(0));
    });
}
