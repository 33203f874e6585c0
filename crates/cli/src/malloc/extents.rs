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
const CHUNK_WORDS: usize = CHUNK_UNITS / WORD_UNITS;

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
/// Large pages that are moved for one block at most, and parts that are given back at a time.
pub(super) const MOST_MOVES: usize = 64;
/// Large pages that memory is moved to, at most, the same ones any number of times: each
/// may cut the stretch twice more, and the system has some 65,000 mappings for a process.
const MOST_TARGETS: usize = 1 << 14;
const MOST_PARTS: usize = 16;

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

/// Large pages whose memory is to be moved: of what was given up, to where a block that was
/// handed out has none. Until they are put back nobody else gets them.
pub(super) struct Moves {
    pairs: [(u32, u32); MOST_MOVES],
    len: usize,
    /// What follows the block on its last large page, if that is among them.
    rest: Option<usize>,
    allowed: bool,
}

impl Moves {
    /// None yet; whether there may be any.
    pub const fn none(allowed: bool) -> Moves {
        Moves { pairs: [(0, 0); MOST_MOVES], len: 0, rest: None, allowed }
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The first unit of each, and that of the large page it becomes.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let unit = |chunk: u32| chunk as usize * CHUNK_UNITS;
        self.pairs[..self.len].iter().map(move |&(from, to)| (unit(from), unit(to)))
    }

    fn is_full(&self) -> bool {
        !self.allowed || self.len == MOST_MOVES
    }

    fn push(&mut self, from: usize, to: usize) {
        self.pairs[self.len] = (from as u32, to as u32);
        self.len += 1;
    }
}

/// Parts of free blocks whose memory goes back to the system. Until they are put back
/// nobody gets them.
pub(super) struct Parts {
    parts: [(usize, usize); MOST_PARTS],
    len: usize,
    /// Units of them that had memory.
    pub had_memory: usize,
}

impl Parts {
    pub fn iter(&self) -> impl Iterator<Item = Range<usize>> {
        self.parts[..self.len].iter().map(|&(start, end)| start..end)
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

/// A stretch of addresses.
pub(super) struct Extents<'a> {
    units: &'a mut [Unit],
    /// A bit for every unit that has memory.
    resident: &'a mut [u64],
    /// A bit for every large page all of whose units have memory.
    full: &'a mut [u64],
    /// A bit for every large page that memory has been moved to, and how many there may be
    /// more.
    targets: &'a mut [u64],
    targets_left: usize,
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
    /// All units free and without memory: all slices are zero, and there is a bit for
    /// every unit, in whole large pages, and in the others one for each of these.
    pub fn new(
        units: &'a mut [Unit],
        resident: &'a mut [u64],
        full: &'a mut [u64],
        targets: &'a mut [u64],
    ) -> Extents<'a> {
        let mut all = Extents {
            units,
            resident,
            full,
            targets,
            targets_left: MOST_TARGETS,
            first: [NONE; LISTS],
            some: [0; LISTS / WORD_UNITS],
            used: 0,
            resident_units: 0,
            top: 0,
        };
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

    /// The length of the block that begins or ends here.
    fn len_at(&self, start: usize) -> usize {
        (self.units[start].tag & !FREE) as usize
    }

    fn is_free(&self, unit: usize) -> bool {
        self.units[unit].tag & FREE != 0
    }

    fn is_resident(&self, unit: usize) -> bool {
        self.resident[unit / WORD_UNITS] >> (unit % WORD_UNITS) & 1 != 0
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

    /// Takes a block of so many units; none if there is none. Where whole large pages of it
    /// have no memory, that of others which wait is to be moved there, as far as there are any.
    pub fn take(&mut self, len: usize, moves: &mut Moves) -> Option<Taken> {
        let found = self.find(len)?;
        let block = found..found + self.remove_free(found);
        let aligned = block.start.next_multiple_of(CHUNK_UNITS);
        let fits = len >= CHUNK_UNITS && aligned + len <= block.end;
        // Memory that is there is used where it is.
        let start = if fits && !self.is_resident(block.start) { aligned } else { block.start };
        if block.start < start {
            self.add_free(block.start, start - block.start);
        }
        let end = start + len;
        self.tag(start, len, 0);
        // What follows on the same large page moves with it.
        let rest = end..end.next_multiple_of(CHUNK_UNITS).min(block.end);
        self.free(rest.end..block.end);
        if !rest.is_empty() {
            self.tag(rest.start, rest.len(), 0);
        }
        if self.move_to(start..rest.end, moves) > end {
            moves.rest = Some(rest.start);
        } else if !rest.is_empty() {
            self.put_back(rest.start);
        }
        self.used += len;
        Some(Taken { start, fresh: self.touch(start..end) })
    }

    /// Gives a block up.
    pub fn give_up(&mut self, start: usize) {
        self.used -= self.len_at(start);
        self.put_back(start);
    }

    /// Has memory that waits moved to large pages among some units which have none. Returns
    /// where the last of them ends.
    fn move_to(&mut self, units: Range<usize>, moves: &mut Moves) -> usize {
        let mut end = units.start;
        for to in units.start.div_ceil(CHUNK_UNITS)..units.end / CHUNK_UNITS {
            let chunk = to * CHUNK_UNITS..(to + 1) * CHUNK_UNITS;
            if moves.is_full() || self.has_memory(&chunk) || !self.may_be_target(to) {
                continue;
            }
            let Some((block, from)) = self.find_full() else { break };
            self.note_target(to);
            self.cut(block, from * CHUNK_UNITS..(from + 1) * CHUNK_UNITS);
            end = chunk.end;
            self.touch(chunk);
            moves.push(from, to);
        }
        end
    }

    /// Whether memory may be moved to a large page.
    fn may_be_target(&self, page: usize) -> bool {
        self.targets_left > 0 || self.targets[page / WORD_UNITS] >> (page % WORD_UNITS) & 1 != 0
    }

    /// Notes that memory is moved to a large page, which may be.
    fn note_target(&mut self, page: usize) {
        let (word, bit) = (&mut self.targets[page / WORD_UNITS], 1 << (page % WORD_UNITS));
        self.targets_left -= usize::from(*word & bit == 0);
        *word |= bit;
    }

    /// Whether some units have memory, of whole words.
    fn has_memory(&self, units: &Range<usize>) -> bool {
        self.resident[units.start / WORD_UNITS..units.end / WORD_UNITS].iter().any(|word| *word > 0)
    }

    /// A free block, and a large page in it all of which has memory.
    fn find_full(&self) -> Option<(usize, usize)> {
        if self.resident_units < self.used + CHUNK_UNITS {
            return None;
        }
        let in_block = |block: Range<usize>| {
            let end = block.end.min(self.top) / CHUNK_UNITS;
            let chunks = block.start.div_ceil(CHUNK_UNITS)..end;
            let words = chunks.start / WORD_UNITS..chunks.end.div_ceil(WORD_UNITS);
            let last = words.rev().find_map(|word| {
                let found = self.full[word] & mask_of(word * WORD_UNITS, &chunks);
                Some(word * WORD_UNITS + found.checked_ilog2()? as usize)
            });
            Some((block.start, last?))
        };
        let mut lists = list_of(CHUNK_UNITS)..LISTS;
        lists.find_map(|list| self.blocks(list).take(LOOKS).find_map(in_block))
    }

    /// The free blocks of a list.
    fn blocks(&self, list: usize) -> impl Iterator<Item = Range<usize>> {
        let at = |at: u32| (at != NONE).then_some(at as usize);
        let starts =
            std::iter::successors(at(self.first[list]), move |start| at(self.units[*start].next));
        starts.map(|start| start..start + self.len_at(start))
    }

    /// Cuts some units out of the free block that begins here. They lose their memory, and are
    /// nobody's until they are put back. Returns how many had any.
    fn cut(&mut self, start: usize, part: Range<usize>) -> usize {
        let end = start + self.remove_free(start);
        self.free(start..part.start);
        self.free(part.end..end);
        self.tag(part.start, part.len(), 0);
        self.lose(part)
    }

    /// Makes a free block of some units, if there are any. What is beside them is not free.
    fn free(&mut self, units: Range<usize>) {
        if !units.is_empty() {
            self.add_free(units.start, units.len());
        }
    }

    /// Puts back what memory was moved from.
    pub fn put_back_sources(&mut self, moves: &Moves) {
        moves.pairs().for_each(|(from, _)| self.put_back(from));
    }

    /// Puts back what memory was moved from, and what moved with a block.
    pub fn put_back_moved(&mut self, moves: &Moves) {
        self.put_back_sources(moves);
        moves.rest.into_iter().for_each(|rest| self.put_back(rest));
    }

    /// Puts back what was cut out, or given up.
    pub fn put_back(&mut self, start: usize) {
        let (mut start, mut len) = (start, self.len_at(start));
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
        for page in units.start / CHUNK_UNITS..units.end.div_ceil(CHUNK_UNITS) {
            let words = &self.resident[page * CHUNK_WORDS..(page + 1) * CHUNK_WORDS];
            if words.iter().all(|word| *word == u64::MAX) {
                self.full[page / WORD_UNITS] |= 1 << (page % WORD_UNITS);
            }
        }
        self.resident_units += fresh;
        self.top = self.top.max(units.end.next_multiple_of(CHUNK_UNITS));
        fresh
    }

    /// Cuts out parts of free blocks whose memory is to go back to the system, until so many
    /// units have been, if there are: large pages first, parts of them only then.
    pub fn cut_parts(&mut self, units: usize) -> Parts {
        let mut parts = Parts { parts: [(0, 0); MOST_PARTS], len: 0, had_memory: 0 };
        let mut some_whole = true;
        while parts.had_memory < units && parts.len < MOST_PARTS {
            let left = units - parts.had_memory;
            let whole =
                some_whole.then(|| self.find_part(|all, block| all.large_pages(block, left)));
            let whole = whole.flatten();
            some_whole = whole.is_some();
            let found = whole.or_else(|| self.find_part(Self::end_of_page));
            let Some((block, part)) = found else { break };
            parts.parts[parts.len] = (part.start, part.end);
            parts.len += 1;
            parts.had_memory += self.cut(block, part);
        }
        parts
    }

    /// The first block, the longest first, that has such a part, and this.
    fn find_part(
        &self,
        part: impl Fn(&Self, Range<usize>) -> Option<Range<usize>>,
    ) -> Option<(usize, Range<usize>)> {
        let of_block = |block: Range<usize>| Some((block.start, part(self, block)?));
        (0..LISTS).rev().find_map(|list| self.blocks(list).find_map(of_block))
    }

    /// Large pages of a free block that have memory, so many units of them or one: the last,
    /// since blocks are cut from the beginning.
    fn large_pages(&self, block: Range<usize>, most: usize) -> Option<Range<usize>> {
        let pages = block.start.div_ceil(CHUNK_UNITS)..block.end.min(self.top) / CHUNK_UNITS;
        let has_memory =
            |page: &usize| self.has_memory(&(page * CHUNK_UNITS..(page + 1) * CHUNK_UNITS));
        let last = pages.clone().rev().find(has_memory)?;
        let wanted = most.div_ceil(CHUNK_UNITS);
        let others = (pages.start..last).rev().take_while(has_memory).take(wanted - 1).count();
        Some((last - others) * CHUNK_UNITS..(last + 1) * CHUNK_UNITS)
    }

    /// The part of a large page at one end of a free block, if it has memory.
    fn end_of_page(&self, block: Range<usize>) -> Option<Range<usize>> {
        let first = block.start.next_multiple_of(CHUNK_UNITS).min(block.end);
        let last = (block.end / CHUNK_UNITS * CHUNK_UNITS).max(first);
        let worth = |part: &Range<usize>| {
            let some = |word| self.resident[word] & mask_of(word * WORD_UNITS, part) != 0;
            let mut words = part.start / WORD_UNITS..part.end.div_ceil(WORD_UNITS);
            part.len() >= LEAST_PART_UNITS && words.any(some)
        };
        [block.start..first, last..block.end].into_iter().find(worth)
    }

    /// Notes that units have lost their memory. Returns how many had any.
    fn lose(&mut self, units: Range<usize>) -> usize {
        let mut gone = 0;
        for word in units.start / WORD_UNITS..units.end.div_ceil(WORD_UNITS) {
            let mask = mask_of(word * WORD_UNITS, &units);
            gone += (self.resident[word] & mask).count_ones() as usize;
            self.resident[word] &= !mask;
        }
        for page in units.start / CHUNK_UNITS..units.end.div_ceil(CHUNK_UNITS) {
            self.full[page / WORD_UNITS] &= !(1 << (page % WORD_UNITS));
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
mod tests;
