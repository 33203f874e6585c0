//! Which parts of a stretch of addresses are in use, and of which the system has
//! given memory: arithmetic only.
//!
//! The stretch is cut into blocks of whole units, with no two free ones side by side.
//! The first and the last unit of a block know its length, so that a block that is
//! given up finds its neighbours; free ones are in lists by their length.

use std::ops::Range;

/// Blocks have so many bytes, or a multiple.
pub(super) const UNIT_BYTES: usize = 8 << 10;
/// A large page.
pub(super) const CHUNK_BYTES: usize = 2 << 20;
/// Units of a large page.
pub(super) const CHUNK_UNITS: usize = CHUNK_BYTES / UNIT_BYTES;
/// Units whose memory is noted in a word.
const WORD_UNITS: usize = u64::BITS as usize;

/// Lengths up to a power of two in steps of an eighth.
const STEPS_BITS: u32 = 3;
const LISTS: usize = 32 << STEPS_BITS;
/// The end of a list.
const NONE: u32 = u32::MAX;
/// A free block.
const FREE: u32 = 1 << 31;
/// So many blocks of about the length wanted are looked at for one that is long enough,
/// before a longer one is cut.
const LOOKS: usize = 16;
/// Shorter parts of a large page are not worth a call.
const LEAST_PART_UNITS: usize = 8;

/// What is known of a unit: only the ends of a block count.
#[derive(Clone, Copy, Default)]
pub(super) struct Unit {
    /// The length of the block, and whether it is free.
    tag: u32,
    /// The next and the one before in the list of a free block.
    next: u32,
    before: u32,
}

/// A block that was handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Taken {
    /// Its first unit.
    pub start: usize,
    /// Its units for which the system is going to give memory, cleared.
    pub fresh: usize,
}

/// A stretch of addresses.
pub(super) struct Extents<'a> {
    units: &'a mut [Unit],
    /// A bit for every unit that has memory.
    resident: &'a mut [u64],
    first: [u32; LISTS],
    /// A bit for every list that has a block.
    some: [u64; LISTS / WORD_UNITS],
    used: usize,
    resident_units: usize,
    /// No memory has been given from here on.
    top: usize,
}

/// The list for blocks of a length.
fn list_of(len: usize) -> usize {
    let bits = len.ilog2();
    if bits < STEPS_BITS {
        return len;
    }
    let shift = bits - STEPS_BITS;
    ((shift as usize + 1) << STEPS_BITS) + (len >> shift) - (1 << STEPS_BITS)
}

impl<'a> Extents<'a> {
    /// All units free and without memory: both slices are zero, and there is a bit for
    /// every unit, in whole large pages.
    pub fn new(units: &'a mut [Unit], resident: &'a mut [u64]) -> Extents<'a> {
        let (first, some) = ([NONE; LISTS], [0; LISTS / WORD_UNITS]);
        let (used, resident_units, top) = (0, 0, 0);
        let mut all = Extents { units, resident, first, some, used, resident_units, top };
        all.add_free(0, all.units.len());
        all
    }

    /// Bytes in use.
    pub fn used_bytes(&self) -> usize {
        self.used * UNIT_BYTES
    }

    /// Bytes for which the system has given memory, or will when they are written to.
    pub fn resident_bytes(&self) -> usize {
        self.resident_units * UNIT_BYTES
    }

    /// The length of a block in use.
    fn len_at(&self, start: usize) -> usize {
        (self.units[start].tag & !FREE) as usize
    }

    fn is_free(&self, unit: usize) -> bool {
        self.units[unit].tag & FREE != 0
    }

    fn tag(&mut self, start: usize, len: usize, free: u32) {
        let tag = len as u32 | free;
        self.units[start].tag = tag;
        self.units[start + len - 1].tag = tag;
    }

    fn add_free(&mut self, start: usize, len: usize) {
        self.tag(start, len, FREE);
        let list = list_of(len);
        let next = std::mem::replace(&mut self.first[list], start as u32);
        (self.units[start].next, self.units[start].before) = (next, NONE);
        if next != NONE {
            self.units[next as usize].before = start as u32;
        }
        self.some[list / WORD_UNITS] |= 1 << (list % WORD_UNITS);
    }

    /// Takes a free block out of its list. Returns its length.
    fn remove_free(&mut self, start: usize) -> usize {
        let Unit { next, before, .. } = self.units[start];
        let (len, list) = (self.len_at(start), list_of(self.len_at(start)));
        match before {
            NONE => self.first[list] = next,
            before => self.units[before as usize].next = next,
        }
        if next != NONE {
            self.units[next as usize].before = before;
        }
        if self.first[list] == NONE {
            self.some[list / WORD_UNITS] &= !(1 << (list % WORD_UNITS));
        }
        len
    }

    /// A free block that is long enough: one of the same length if there is one, the last
    /// that was given up, which may still be in a cache.
    fn find(&self, len: usize) -> Option<usize> {
        let list = list_of(len);
        let mut at = self.first[list];
        for _ in 0..LOOKS {
            if at == NONE {
                break;
            }
            if self.len_at(at as usize) >= len {
                return Some(at as usize);
            }
            at = self.units[at as usize].next;
        }
        let next = list + 1;
        let found = (next / WORD_UNITS..self.some.len()).find_map(|word| {
            let passed = if word == next / WORD_UNITS { next % WORD_UNITS } else { 0 };
            let lists = self.some[word] & (u64::MAX << passed);
            (lists != 0).then(|| word * WORD_UNITS + lists.trailing_zeros() as usize)
        })?;
        Some(self.first[found] as usize)
    }

    /// Takes a block of so many units; none if there is none.
    pub fn take(&mut self, len: usize) -> Option<Taken> {
        let start = self.find(len)?;
        let found = self.remove_free(start);
        if found > len {
            self.add_free(start + len, found - len);
        }
        self.tag(start, len, 0);
        self.used += len;
        Some(Taken { start, fresh: self.touch(start..start + len) })
    }

    /// Gives a block up.
    pub fn give_up(&mut self, start: usize) {
        let (mut start, mut len) = (start, self.len_at(start));
        self.used -= len;
        if start > 0 && self.is_free(start - 1) {
            let before = self.len_at(start - 1);
            start -= before;
            self.remove_free(start);
            len += before;
        }
        if start + len < self.units.len() && self.is_free(start + len) {
            len += self.remove_free(start + len);
        }
        self.add_free(start, len);
    }

    /// Makes a block longer or shorter where it is; the units for which the system is
    /// going to give memory, or none if there is no room.
    pub fn resize(&mut self, start: usize, len: usize) -> Option<usize> {
        let old = self.len_at(start);
        if len < old {
            self.tag(start, len, 0);
            self.tag(start + len, old - len, 0);
            self.give_up(start + len);
            return Some(0);
        }
        let (end, more) = (start + old, len - old);
        if more == 0 {
            return Some(0);
        }
        if end >= self.units.len() || !self.is_free(end) || self.len_at(end) < more {
            return None;
        }
        let found = self.remove_free(end);
        if found > more {
            self.add_free(end + more, found - more);
        }
        self.tag(start, len, 0);
        self.used += more;
        Some(self.touch(end..end + more))
    }

    /// Notes that units are written to. Returns how many get memory by that.
    fn touch(&mut self, units: Range<usize>) -> usize {
        let mut fresh = 0;
        for word in units.start / WORD_UNITS..units.end.div_ceil(WORD_UNITS) {
            let mask = mask_of(word * WORD_UNITS, &units);
            fresh += (mask & !self.resident[word]).count_ones() as usize;
            self.resident[word] |= mask;
        }
        self.resident_units += fresh;
        self.top = self.top.max(units.end.next_multiple_of(CHUNK_UNITS));
        fresh
    }

    /// Gives memory of free blocks back until so many units have been, if there are: large
    /// pages first, parts of them only then.
    pub fn give_back(&mut self, units: usize, give: &mut dyn FnMut(Range<usize>)) {
        let mut left = units;
        for whole in [true, false] {
            for list in (0..LISTS).rev() {
                let mut at = self.first[list];
                while at != NONE && left > 0 {
                    let block = at as usize..(at as usize + self.len_at(at as usize));
                    let gone = match whole {
                        true => self.give_back_chunks(block, left, give),
                        false => self.give_back_ends(block, give),
                    };
                    left = left.saturating_sub(gone);
                    at = self.units[at as usize].next;
                }
            }
        }
    }

    /// The last first: blocks are cut from the beginning.
    fn give_back_chunks(
        &mut self,
        block: Range<usize>,
        most: usize,
        give: &mut dyn FnMut(Range<usize>),
    ) -> usize {
        let mut gone = 0;
        let end = block.end.min(self.top) / CHUNK_UNITS;
        for chunk in (block.start.div_ceil(CHUNK_UNITS)..end).rev() {
            if gone >= most {
                break;
            }
            gone += self.give_back_part(chunk * CHUNK_UNITS..(chunk + 1) * CHUNK_UNITS, give);
        }
        gone
    }

    /// The parts of large pages at both ends.
    fn give_back_ends(&mut self, block: Range<usize>, give: &mut dyn FnMut(Range<usize>)) -> usize {
        let first = block.start.next_multiple_of(CHUNK_UNITS).min(block.end);
        let last = (block.end / CHUNK_UNITS * CHUNK_UNITS).max(first);
        let parts = [block.start..first, last..block.end];
        let worth = parts.into_iter().filter(|part| part.len() >= LEAST_PART_UNITS);
        worth.map(|part| self.give_back_part(part, give)).sum()
    }

    fn give_back_part(&mut self, part: Range<usize>, give: &mut dyn FnMut(Range<usize>)) -> usize {
        let mut gone = 0;
        for word in part.start / WORD_UNITS..part.end.div_ceil(WORD_UNITS) {
            let mask = mask_of(word * WORD_UNITS, &part);
            gone += (self.resident[word] & mask).count_ones() as usize;
            self.resident[word] &= !mask;
        }
        if gone > 0 {
            give(part);
        }
        self.resident_units -= gone;
        gone
    }
}

/// The bits of the word that begins with this unit which belong to some units.
fn mask_of(first: usize, units: &Range<usize>) -> u64 {
    let from = units.start.saturating_sub(first).min(WORD_UNITS);
    let to = units.end.saturating_sub(first).min(WORD_UNITS);
    if from >= to { 0 } else { (u64::MAX >> (WORD_UNITS - (to - from))) << from }
}

#[cfg(test)]
mod tests {
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
        test(&mut Extents::new(&mut units, &mut resident));
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
                let Some(taken) = extents.take(len) else { continue };
                let own = taken.start..taken.start + len;
                assert!(owner[own.clone()].iter().all(|taken| !taken));
                owner[own.clone()].fill(true);
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
                extents.give_back(numbers.below(400), &mut |part| {
                    assert!(owner[part.clone()].iter().all(|taken| !taken));
                    memory[part].fill(false);
                });
            }
            let used = blocks.iter().map(|(_, len)| len).sum::<usize>();
            assert_eq!(extents.used_bytes(), used * UNIT_BYTES);
            let resident = memory.iter().filter(|some| **some).count();
            assert_eq!(extents.resident_bytes(), resident * UNIT_BYTES);
        }
        blocks.iter().for_each(|(start, _)| extents.give_up(*start));
        extents.give_back(ALL, &mut |_| {});
        assert_eq!((extents.used_bytes(), extents.resident_bytes()), (0, 0));
        assert_eq!(extents.take(ALL), Some(Taken { start: 0, fresh: ALL }));
        assert_eq!(extents.take(1), None);
    }

    /// A block that was given up serves the next request of its length, and so does what
    /// is left of one.
    #[test]
    fn lengths_serve_again() {
        with_extents(|extents| {
            let [first, second, third] = [20, 30, 40].map(|len| extents.take(len).unwrap().start);
            extents.give_up(second);
            assert_eq!(extents.take(40).unwrap().start, third + 40);
            assert_eq!(extents.take(29).unwrap().start, second);
            assert_eq!(extents.take(1).unwrap().start, second + 29);
            assert_eq!(extents.resize(first, 21), None);
            assert_eq!(extents.resize(first, 10), Some(0));
            assert_eq!(extents.resize(first, 20), Some(0));
        });
    }
}
