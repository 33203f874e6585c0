//! The transposition table of the alpha-beta search.

use molien_board::{Move, Position};

use super::hash::hash;

/// What a stored score means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bound {
    /// The score is exact.
    Exact = 1,
    /// The true score is this or more.
    Lower = 2,
    /// The true score is this or less.
    Upper = 3,
}

/// A move by its squares and promotion, enough to find it among legal moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Brief(u16);

impl Brief {
    pub fn of(m: &Move) -> Brief {
        let promotion = m.promotion.map_or(0, |role| role.index() as u16);
        // A move changes squares, so the number is never 0.
        Brief(m.from.index() as u16 | (m.to.index() as u16) << 6 | promotion << 12)
    }

    pub fn find(self, moves: &[Move]) -> Option<Move> {
        moves.iter().copied().find(|m| Brief::of(m) == self)
    }
}

/// One stored result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    pub score: i32,
    pub depth: i32,
    pub bound: Bound,
    pub best: Option<Brief>,
}

impl Entry {
    /// The entry with its score seen from elsewhere.
    pub fn with_score(self, score: i32) -> Entry {
        Entry { score, ..self }
    }

    /// Score in 32 bits, move in 16, depth in 8, bound in 8; never 0.
    fn pack(self) -> u64 {
        let best = self.best.map_or(0, |best| best.0);
        let depth = self.depth.clamp(0, 255) as u64;
        u64::from(self.score as u32)
            | u64::from(best) << 32
            | depth << 48
            | (self.bound as u64) << 56
    }

    /// `None` for 0, an empty slot.
    fn unpack(word: u64) -> Option<Entry> {
        let bound = match word >> 56 {
            1 => Bound::Exact,
            2 => Bound::Lower,
            3 => Bound::Upper,
            _ => return None,
        };
        let best = (word >> 32) as u16;
        Some(Entry {
            score: word as u32 as i32,
            depth: (word >> 48 & 255) as i32,
            bound,
            best: (best != 0).then_some(Brief(best)),
        })
    }
}

/// A fixed number of slots; the deeper or newer result stays.
pub(super) struct Table {
    /// Key and packed entry. Plain zeros when new: the system hands out such
    /// memory page by page as it is touched, so that a large table costs no
    /// time to make.
    slots: Vec<[u64; 2]>,
    /// Mixed into every key: a new salt makes all old entries strangers.
    salt: u64,
}

impl Table {
    /// A table of about this many MiB (at least a few slots).
    pub fn new(mebibytes: usize) -> Table {
        let count = (mebibytes << 20) / size_of::<[u64; 2]>();
        Table { slots: vec![[0; 2]; count.max(1024)], salt: 0 }
    }

    /// Forgets everything, without touching the memory.
    pub fn clear(&mut self) {
        self.salt = self.salt.wrapping_add(0x9e37_79b9_7f4a_7c15);
    }

    fn key(&self, position: &Position) -> u64 {
        hash(position) ^ self.salt
    }

    fn slot(&self, key: u64) -> usize {
        ((u128::from(key) * self.slots.len() as u128) >> 64) as usize
    }

    pub fn get(&self, position: &Position) -> Option<Entry> {
        let key = self.key(position);
        let [found, word] = self.slots[self.slot(key)];
        if found == key { Entry::unpack(word) } else { None }
    }

    pub fn put(&mut self, position: &Position, entry: Entry) {
        let key = self.key(position);
        let slot = self.slot(key);
        let [found, word] = self.slots[slot];
        let deeper = |old: Entry| old.depth > entry.depth;
        if found != key || !Entry::unpack(word).is_some_and(deeper) {
            self.slots[slot] = [key, entry.pack()];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_come_back_as_they_went_in() {
        let position: Position = "8/P7/8/8/8/8/8/K6k w - -".parse().unwrap();
        let mut table = Table::new(1);
        assert_eq!(table.get(&position), None);
        for m in position.legal_moves() {
            for (score, bound) in [(-6000, Bound::Upper), (0, Bound::Exact), (5975, Bound::Lower)] {
                let entry = Entry { score, depth: 7, bound, best: Some(Brief::of(&m)) };
                table.put(&position, entry);
                assert_eq!(table.get(&position), Some(entry));
                let best = entry.best.and_then(|best| best.find(&position.legal_moves()));
                assert_eq!(best, Some(m));
            }
        }
        let shallow = Entry { score: 1, depth: 6, bound: Bound::Exact, best: None };
        table.put(&position, shallow);
        assert_eq!(table.get(&position).map(|entry| entry.depth), Some(7), "the deeper one stays");
        table.clear();
        assert_eq!(table.get(&position), None);
    }
}
