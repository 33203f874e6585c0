//! How depths become symbols.

use crate::keys::key::{
    DRAW, DRAW_KEY, MAX_PLIES, ValueKey, WIN, key_of, loss, outcome, plies, win,
};
use crate::write::unwritable::Unwritable;

/// A stream does not fit what the format promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed(pub &'static str);

/// The depths that occur, each with a symbol: its place in the list. With a
/// reference metric, the differences to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alphabet {
    pub wins: Vec<i32>,
    pub losses: Vec<i32>,
}

impl Alphabet {
    /// Bytes of a symbol.
    pub fn width(&self) -> usize {
        if self.wins.len().max(self.losses.len()) < 256 { 1 } else { 2 }
    }

    /// The differences between these depths and those of a metric that counts
    /// less far, if they are few enough for one byte. None below 0 is to be
    /// expected: a line to mate has converted by then, one to a conversion has
    /// zeroed.
    pub fn few_differences(&self, from: &Alphabet, which: DifferenceRange) -> Option<Alphabet> {
        let range = |own: &[i32], other: &[i32]| -> Vec<i32> {
            let ends = |list: &[i32]| list.iter().min().copied().zip(list.iter().max().copied());
            let Some(((least, most), (low, high))) = ends(own).zip(ends(other)) else {
                return Vec::new();
            };
            let first = if which == DifferenceRange::Expected { 0 } else { least - high };
            (first..=most - low).collect()
        };
        let wins = range(&self.wins, &from.wins);
        let all = Alphabet { wins, losses: range(&self.losses, &from.losses) };
        (all.width() == 1).then_some(all)
    }

    /// The key of an outcome and a symbol, which is the place plus `first`.
    #[inline]
    pub fn key(
        &self,
        outcome: u8,
        symbol: u16,
        first: u16,
        reference: u16,
    ) -> Result<ValueKey, Malformed> {
        let list = match outcome {
            WIN => &self.wins,
            DRAW => return Ok(DRAW_KEY),
            _ => &self.losses,
        };
        let place = usize::from(symbol).checked_sub(usize::from(first));
        let value = place.and_then(|place| list.get(place));
        let depth = value.ok_or(BEYOND)? + i32::from(reference);
        match u16::try_from(depth) {
            Ok(depth) if depth <= MAX_PLIES => Ok(key_of(outcome, depth)),
            _ => Err(Malformed("a depth is wrong")),
        }
    }
}

const BEYOND: Malformed = Malformed("a symbol beyond the alphabet");

/// How a metric is written: what its depths are counted from, and with which
/// symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coding {
    /// Whether depths are written at all, or only counted in the statistics.
    pub stored: bool,
    /// The earlier metric (by place in the list) whose depths are subtracted
    /// from the base side's.
    pub reference: Option<usize>,
    /// For White and Black to move.
    pub alphabets: [Alphabet; 2],
}

/// Which differences of metrics can be written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DifferenceRange {
    /// Those to be expected; others are an error.
    Expected,
    /// All.
    Possible,
}

/// Marks a depth that the alphabet lacks.
const MISSING: u16 = u16::MAX;

/// Symbols by key.
pub(crate) struct Symbols {
    by_key: Vec<u16>,
    /// Whether a key without a symbol was met.
    missing: bool,
}

impl Symbols {
    /// The symbol of a depth is its place plus `first`; that of a draw is 0.
    pub fn new(alphabet: &Alphabet, first: u16) -> Symbols {
        let mut by_key = vec![MISSING; 1 << 16];
        by_key[0] = 0;
        for (list, key) in [(&alphabet.wins, win as fn(u16) -> ValueKey), (&alphabet.losses, loss)]
        {
            for (place, &depth) in list.iter().enumerate() {
                if let Some(depth) = u16::try_from(depth).ok().filter(|&depth| depth <= MAX_PLIES) {
                    by_key[usize::from(key(depth) as u16)] = place as u16 + first;
                }
            }
        }
        Symbols { by_key, missing: false }
    }

    #[inline(always)]
    pub fn of(&mut self, key: ValueKey) -> u16 {
        let symbol = self.by_key[usize::from(key as u16)];
        self.missing |= symbol == MISSING;
        symbol
    }

    /// # Errors
    /// If a key without a symbol was met.
    pub fn check(&self) -> Result<(), Unwritable> {
        if self.missing { Err(Unwritable::UncountedDepth) } else { Ok(()) }
    }
}

/// Differences reach from minus this to this.
const SPAN: i32 = MAX_PLIES as i32 + 1;

/// Symbols by difference of depths.
pub(crate) struct Differences {
    wins: Vec<u16>,
    losses: Vec<u16>,
    /// Whether a difference without a symbol was met.
    missing: bool,
}

impl Differences {
    pub fn new(alphabet: &Alphabet) -> Differences {
        let table = |list: &Vec<i32>| {
            let mut table = vec![MISSING; 2 * SPAN as usize];
            for (place, &difference) in list.iter().enumerate() {
                if let Some(entry) = table.get_mut((difference + SPAN) as usize) {
                    *entry = place as u16;
                }
            }
            table
        };
        let (wins, losses) = (table(&alphabet.wins), table(&alphabet.losses));
        Differences { wins, losses, missing: false }
    }

    /// The symbol of a decided key beside its reference.
    #[inline(always)]
    pub fn of(&mut self, key: ValueKey, reference: ValueKey) -> u16 {
        let difference = i32::from(plies(key)) - i32::from(plies(reference));
        let table = if outcome(key) == WIN { &self.wins } else { &self.losses };
        let symbol = table.get((difference + SPAN) as usize).copied().unwrap_or(MISSING);
        self.missing |= symbol == MISSING;
        symbol
    }

    /// # Errors
    /// If a difference without a symbol was met.
    pub fn check(&self) -> Result<(), Unwritable> {
        if self.missing { Err(Unwritable::UnexpectedDifference) } else { Ok(()) }
    }
}

/// The differences that occur.
#[derive(Clone)]
pub(crate) struct SeenDifferences([Vec<bool>; 2]);

impl SeenDifferences {
    pub fn new() -> SeenDifferences {
        SeenDifferences([vec![false; 2 * SPAN as usize], vec![false; 2 * SPAN as usize]])
    }

    #[inline]
    pub fn add(&mut self, key: ValueKey, reference: ValueKey) {
        if outcome(key) != DRAW {
            let difference = i32::from(plies(key)) - i32::from(plies(reference));
            self.0[usize::from(key > 0)][(difference + SPAN) as usize] = true;
        }
    }

    pub fn absorb(mut self, other: &SeenDifferences) -> SeenDifferences {
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            mine.iter_mut().zip(theirs).for_each(|(a, b)| *a |= b);
        }
        self
    }

    pub fn alphabet(&self) -> Alphabet {
        let list = |seen: &Vec<bool>| {
            let places = seen.iter().enumerate().filter(|(_, seen)| **seen);
            places.map(|(i, _)| i as i32 - SPAN).collect()
        };
        Alphabet { losses: list(&self.0[0]), wins: list(&self.0[1]) }
    }
}

/// Reads the depths of all cells one after the other, without a branch: which
/// cell is won is hard to foresee.
pub(crate) struct InOrder<'a> {
    bytes: &'a [u8],
    /// Where the second half of the symbols' bytes begins, if they have two.
    high: Option<usize>,
    /// By outcome: losses, draws, wins.
    lists: [&'a [i32]; 3],
    next: [usize; 3],
    wrong: bool,
}

impl<'a> InOrder<'a> {
    /// The symbols of `wins` wins come first, then those of losses.
    pub fn new(bytes: &'a [u8], alphabet: &'a Alphabet, wins: usize) -> InOrder<'a> {
        let lists = [&alphabet.losses[..], &[0], &alphabet.wins[..]];
        let high = (alphabet.width() == 2).then_some(bytes.len() / 2);
        InOrder { bytes, high, lists, next: [wins, 0, 0], wrong: false }
    }

    #[inline]
    pub fn next(&mut self, outcome: u8, counted_from: u16) -> ValueKey {
        const STEP: [usize; 3] = [1, 0, 1];
        const SIGN: [i32; 3] = [1, 0, -1];
        const END: [ValueKey; 3] = [loss(0), DRAW_KEY, win(0)];
        /// More than any depth, whatever it is counted from.
        const TOO_LONG: i32 = i32::MAX / 2;
        let which = usize::from(outcome);
        let place = self.next[which];
        self.next[which] += STEP[which];
        let byte = |at: usize| usize::from(self.bytes.get(at).copied().unwrap_or(0));
        let symbol = byte(place) + self.high.map_or(0, |high| byte(high + place) << 8);
        // A draw takes no symbol: its list has one depth, which counts nothing.
        let symbol = symbol * STEP[which];
        let depth = self.lists[which].get(symbol).copied().unwrap_or(TOO_LONG);
        let depth = (depth + i32::from(counted_from)) * SIGN[which];
        self.wrong |= !(0..=i32::from(MAX_PLIES)).contains(&(depth * SIGN[which]));
        END[which].wrapping_add(depth as ValueKey)
    }

    /// Whether all depths were in the alphabet.
    pub fn check(&self) -> Result<(), Malformed> {
        if self.wrong { Err(Malformed("a depth is wrong")) } else { Ok(()) }
    }
}

/// Packs outcomes (0, 1 or 2) four to a byte, the first in the lowest place,
/// base 3.
#[inline(always)]
pub(crate) fn pack_outcomes(outcomes: &[u8], out: &mut Vec<u8>) {
    let byte = |four: &[u8]| four.iter().rev().fold(0, |byte, outcome| byte * 3 + outcome);
    let (fours, rest) = outcomes.as_chunks::<4>();
    out.extend(fours.iter().map(|&[a, b, c, d]| a + 3 * b + 9 * c + 27 * d));
    out.extend(rest.chunks(4).map(byte));
}

/// The four outcomes of every byte.
pub(crate) const FOUR: [[u8; 4]; 81] = {
    let mut table = [[0; 4]; 81];
    let mut byte = 0;
    while byte < 81 {
        let b = byte as u8;
        table[byte] = [b % 3, b / 3 % 3, b / 9 % 3, b / 27];
        byte += 1;
    }
    table
};

/// Symbols as bytes: all low bytes, then (if the width is 2) all high bytes.
#[inline(always)]
pub(crate) fn symbols_to_bytes(symbols: &[u16], width: usize) -> Vec<u8> {
    let mut out: Vec<u8> = symbols.iter().map(|&symbol| symbol as u8).collect();
    if width == 2 {
        out.extend(symbols.iter().map(|&symbol| (symbol >> 8) as u8));
    }
    out
}

/// A symbol of a stream made by [`symbols_to_bytes`].
#[inline]
pub(crate) fn symbol_at(bytes: &[u8], width: usize, place: usize) -> Result<u16, Malformed> {
    let byte = |at: usize| bytes.get(at).copied().ok_or(Malformed("too few symbols"));
    match width {
        1 => byte(place).map(u16::from),
        _ => Ok(u16::from_le_bytes([byte(place)?, byte(bytes.len() / 2 + place)?])),
    }
}
