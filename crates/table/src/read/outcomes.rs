//! The outcomes of a block: who wins, four cells to a byte.

use crate::format::coding::{Alphabet, FOUR, Malformed, symbol_at};
use crate::keys::key::{DRAW, LOSS, NONE_KEY, ValueKey, WIN, outcome};

/// The base side's outcomes: four to a byte.
pub(crate) struct BaseOutcomes {
    bytes: Vec<u8>,
    /// For each group of bytes, how many wins and losses come before it.
    before: Vec<[u32; 2]>,
    /// How many wins and losses there are.
    pub all: [usize; 2],
}

/// Bytes in a group: sixty-four outcomes.
const GROUP: usize = 16;

/// How many wins and losses are in each byte.
const COUNTS: [[u8; 2]; 81] = {
    let mut table = [[0; 2]; 81];
    let mut byte = 0;
    while byte < 81 {
        let mut i = 0;
        while i < 4 {
            match FOUR[byte][i] {
                WIN => table[byte][0] += 1,
                LOSS => table[byte][1] += 1,
                _ => {}
            }
            i += 1;
        }
        byte += 1;
    }
    table
};

const NO_OUTCOMES: Malformed = Malformed("a byte is not four outcomes");

fn count(bytes: &[u8]) -> [u32; 2] {
    bytes.iter().fold([0, 0], |[wins, losses], &byte| {
        let [w, l] = COUNTS.get(usize::from(byte)).copied().unwrap_or_default();
        [wins + u32::from(w), losses + u32::from(l)]
    })
}

impl BaseOutcomes {
    pub fn new(mut bytes: Vec<u8>, cells: usize) -> Result<BaseOutcomes, Malformed> {
        if bytes.len() != cells.div_ceil(4) {
            return Err(Malformed("the number of outcomes is wrong"));
        }
        if bytes.iter().any(|&byte| byte >= 81) {
            return Err(NO_OUTCOMES);
        }
        // What fills up the last byte must not count: make it draws.
        if let Some(last) = bytes.last_mut().filter(|_| !cells.is_multiple_of(4)) {
            let four = FOUR[usize::from(*last)].into_iter().enumerate();
            let kept = four.map(|(i, o)| if i < cells % 4 { o } else { DRAW });
            *last = kept.rev().fold(0, |byte, outcome| byte * 3 + outcome);
        }
        let mut before = Vec::with_capacity(bytes.len() / GROUP + 1);
        let mut all = [0, 0];
        for group in bytes.chunks(GROUP) {
            before.push(all);
            let [wins, losses] = count(group);
            all = [all[0] + wins, all[1] + losses];
        }
        Ok(BaseOutcomes { bytes, before, all: all.map(|count| count as usize) })
    }

    #[inline]
    pub fn outcome(&self, rank: usize) -> u8 {
        FOUR[usize::from(self.bytes[rank / 4])][rank % 4]
    }

    /// Bytes held.
    pub fn len_bytes(&self) -> usize {
        self.bytes.len() + size_of_val(&self.before[..])
    }

    /// The place of a decided cell's symbol: wins come first.
    pub fn place(&self, rank: usize, outcome: u8) -> usize {
        let which = usize::from(outcome == LOSS);
        let group = rank / 4 / GROUP;
        let bytes = &self.bytes[group * GROUP..rank / 4];
        let four = &FOUR[usize::from(self.bytes[rank / 4])][..rank % 4];
        let here = four.iter().filter(|&&other| other == outcome).count();
        let before = (self.before[group][which] + count(bytes)[which]) as usize;
        before + here + if which == 0 { 0 } else { self.all[0] }
    }
}

/// The predicted side's outcomes.
pub(crate) struct OwnOutcomes {
    /// For each hint 0 for nothing, else 1 more than the outcome.
    pub hints: Vec<u8>,
    /// For each hint how many decided ones come before it.
    pub decided_before: Vec<u16>,
    pub decided: usize,
    /// How much better than promised, four to a byte.
    pub better: Vec<u8>,
}

impl OwnOutcomes {
    pub fn new(bytes: &[u8], hints: usize, cells: usize) -> Result<OwnOutcomes, Malformed> {
        let hint_bytes = hints.div_ceil(4);
        if bytes.len() != hint_bytes + cells.div_ceil(4) {
            return Err(Malformed("the number of outcomes is wrong"));
        }
        let (hint_bytes, better) = bytes.split_at(hint_bytes);
        if better.iter().any(|&byte| byte >= 81) {
            return Err(NO_OUTCOMES);
        }
        let hints: Vec<u8> = (0..hints).map(|i| hint_bytes[i / 4] >> (2 * (i % 4)) & 3).collect();
        let mut decided = 0;
        let before = hints.iter().map(|&class| {
            let before = decided;
            decided += u16::from(class != 0 && class != DRAW + 1);
            before
        });
        let decided_before = before.collect();
        let decided = usize::from(decided);
        Ok(OwnOutcomes { hints, decided_before, decided, better: better.to_vec() })
    }

    /// Bytes held.
    pub fn len_bytes(&self) -> usize {
        self.hints.len() + size_of_val(&self.decided_before[..]) + self.better.len()
    }

    /// The value of a decided cell.
    #[inline]
    pub fn key(
        &self,
        bytes: &[u8],
        alphabet: &Alphabet,
        rank: usize,
        found: u8,
        promised: ValueKey,
    ) -> Result<ValueKey, Malformed> {
        match symbol_at(bytes, alphabet.width(), self.decided + rank)? {
            0 if promised != NONE_KEY && outcome(promised) == found => Ok(promised),
            0 => Err(Malformed("as promised, without a promise")),
            symbol => alphabet.key(found, symbol, 1, 0),
        }
    }
}
