//! Words of a hyperboard, brought into the file's order and made keys.

use molien_hyper::{Index, Tile};
use molien_values::Graded;

use crate::keys::arch::{self, RowKernels, Vectored};
use crate::keys::key::{NONE_KEY, ValueKey};

/// Bits of a depth a hyperboard holds, and more.
const MAX_DEPTH_BITS: usize = 14;

/// Legal, won, lost, and the bits of depths.
const PLANES: usize = 3 + MAX_DEPTH_BITS;

/// 64 words of each plane.
pub(crate) struct SlicedWords {
    planes: [[u64; 64]; PLANES],
    /// Planes in use.
    len: usize,
}

/// Where the words are: tile and row, and all ones or, for none, zero.
pub(crate) struct Addresses {
    at: [(u32, u32); 64],
    keep: [u64; 64],
}

impl Addresses {
    pub fn new(mut index: impl FnMut(usize) -> Option<Index>) -> Addresses {
        let mut addresses = Addresses { at: [(0, 0); 64], keep: [0; 64] };
        for i in 0..64 {
            if let Some(index) = index(i) {
                addresses.at[i] = (index.tile as u32, index.row.index() as u32);
                addresses.keep[i] = !0;
            }
        }
        addresses
    }

    fn set_words(&self, words: &[u64; 64], first_tile: usize, plane: &mut [Tile]) {
        for ((word, &(tile, row)), &keep) in words.iter().zip(&self.at).zip(&self.keep) {
            if keep != 0 {
                let tile = &mut plane[tile as usize - first_tile];
                tile.0[(row >> 3) as usize][(row & 7) as usize] = *word;
            }
        }
    }

    fn words(&self, plane: &[Tile], out: &mut [u64; 64]) {
        for ((out, &(tile, row)), keep) in out.iter_mut().zip(&self.at).zip(&self.keep) {
            *out = plane[tile as usize].0[(row >> 3) as usize][(row & 7) as usize] & keep;
        }
    }
}

impl SlicedWords {
    pub fn new() -> SlicedWords {
        SlicedWords { planes: [[0; 64]; PLANES], len: 0 }
    }

    /// Takes the words at these addresses. Depths are left out where nothing
    /// is decided.
    pub fn gather(&mut self, values: &Graded, at: &Addresses) {
        let outcomes = [&values.legal, &values.won, &values.lost];
        for (plane, out) in outcomes.into_iter().zip(&mut self.planes) {
            at.words(plane, out);
        }
        let decided = self.planes[1..3].as_flattened().iter().fold(0, |any, word| any | word);
        self.len = 3;
        if decided != 0 {
            self.len += values.depth.len().min(MAX_DEPTH_BITS);
            for (plane, out) in values.depth.iter().zip(&mut self.planes[3..]) {
                at.words(plane, out);
            }
        }
    }

    /// Writes the words to these addresses in planes that begin with a tile: who
    /// wins, who loses, and the bits of depths.
    pub fn scatter(&self, at: &Addresses, first_tile: usize, planes: &mut [&mut [Tile]]) {
        for (words, plane) in self.planes[1..self.len].iter().zip(planes) {
            at.set_words(words, first_tile, plane);
        }
    }

    /// Undoes [`SlicedWords::keys`], but for what is legal; with `bits` bits of
    /// depths.
    pub fn set_keys(
        &mut self,
        turn: WordTurn,
        seen: Seen,
        rows: &[[ValueKey; 64]],
        step: usize,
        bits: usize,
    ) {
        arch::run(Bits { words: self, turn, seen, rows, step, bits });
    }

    /// The keys of all words, `step` rows apart from each other.
    pub fn keys(&mut self, turn: WordTurn, seen: Seen, out: &mut [[ValueKey; 64]], step: usize) {
        arch::run(Keys { words: self, turn, seen, out, step });
    }
}

/// How words become rows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WordTurn {
    /// Word i is row i.
    Straight,
    /// Bit i of word j is bit j of row i.
    Across,
    /// The bits at this place are the only row.
    Pick(usize),
}

impl WordTurn {
    /// The man, counted from the last, in whose square the words of a block differ.
    pub fn along(self) -> usize {
        match self {
            WordTurn::Straight => 1,
            WordTurn::Across | WordTurn::Pick(_) => 0,
        }
    }
}

/// Who looks at a value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The side to move.
    ToMove,
    /// The other side, whose move led here: see [`crate::keys::key::after`].
    After,
}

struct Keys<'a> {
    words: &'a mut SlicedWords,
    turn: WordTurn,
    seen: Seen,
    out: &'a mut [[ValueKey; 64]],
    step: usize,
}

impl Vectored for Keys<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: RowKernels>(self) {
        let planes = &mut self.words.planes[..self.words.len];
        for plane in &mut *planes {
            match self.turn {
                WordTurn::Straight => {}
                WordTurn::Across => transpose(plane),
                WordTurn::Pick(bit) => {
                    let bits = plane.iter().enumerate();
                    plane[0] = bits.fold(0, |word, (i, from)| word | (from >> bit & 1) << i);
                }
            }
        }
        for (i, out) in self.out.iter_mut().step_by(self.step).enumerate().take(64) {
            *out = row_keys::<R>(planes, i, self.seen);
        }
    }
}

struct Bits<'a> {
    words: &'a mut SlicedWords,
    turn: WordTurn,
    seen: Seen,
    rows: &'a [[ValueKey; 64]],
    step: usize,
    bits: usize,
}

impl Vectored for Bits<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: RowKernels>(self) {
        let SlicedWords { planes, len } = self.words;
        let bits = self.bits.min(MAX_DEPTH_BITS);
        let (outcomes, depth) = planes.split_at_mut(3);
        let mut decided = 0;
        for (i, row) in self.rows.iter().step_by(self.step).enumerate().take(64) {
            let mut set_depth = |bit: usize, word: u64| depth[bit][i] = word;
            let [won, lost] = match self.seen {
                Seen::ToMove => R::bits(row, 0, bits, &mut set_depth),
                Seen::After => {
                    let [good, bad] = R::bits(row, 1, bits, &mut set_depth);
                    [bad, good]
                }
            };
            (outcomes[1][i], outcomes[2][i]) = (won, lost);
            decided |= won | lost;
        }
        *len = 3 + if decided == 0 { 0 } else { bits };
        if self.turn == WordTurn::Across {
            planes[1..*len].iter_mut().for_each(transpose);
        }
    }
}

/// The keys of the 64 bits of a word.
#[inline(always)]
fn row_keys<R: RowKernels>(planes: &[[u64; 64]], word: usize, seen: Seen) -> [ValueKey; 64] {
    let [legal, won, lost] = [0, 1, 2].map(|plane: usize| planes[plane][word]);
    if legal == 0 {
        return [NONE_KEY; 64];
    }
    let depth = planes[3..].iter().map(|plane| plane[word]);
    match seen {
        Seen::ToMove => R::keys([legal, won, lost], 0, depth),
        Seen::After => R::keys([legal, lost, won], 1, depth),
    }
}

/// Transposes 64 x 64 bits, by swapping blocks of 32, 16, ...
#[inline(always)]
fn transpose(words: &mut [u64; 64]) {
    swap_blocks::<32>(words, 0x0000_0000_ffff_ffff);
    swap_blocks::<16>(words, 0x0000_ffff_0000_ffff);
    swap_blocks::<8>(words, 0x00ff_00ff_00ff_00ff);
    swap_blocks::<4>(words, 0x0f0f_0f0f_0f0f_0f0f);
    swap_blocks::<2>(words, 0x3333_3333_3333_3333);
    swap_blocks::<1>(words, 0x5555_5555_5555_5555);
}

#[inline(always)]
fn swap_blocks<const WIDTH: usize>(words: &mut [u64; 64], mask: u64) {
    for base in (0..64).step_by(2 * WIDTH) {
        for i in base..base + WIDTH {
            let differ = (words[i] >> WIDTH ^ words[i + WIDTH]) & mask;
            words[i] ^= differ << WIDTH;
            words[i + WIDTH] ^= differ;
        }
    }
}
