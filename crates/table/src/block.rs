//! One block: its streams, decompressed as they are asked for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use molien_board::{Bitboard, Square};

use crate::coding::{Alphabet, FOUR, InOrder, Malformed, symbol_at};
use crate::compress::Unpacker;
use crate::key::{DRAW, Key, LOSS, NONE_KEY, WIN, key_of, outcome, plies};
use crate::meta::Meta;
use crate::shape::BlockShape;

/// What all blocks of a file share.
pub(crate) struct Shared {
    pub meta: Meta,
    pub unpackers: Vec<Unpacker>,
}

/// A block's values.
pub(crate) struct Block {
    pub number: usize,
    pub shape: BlockShape,
    /// The streams, still compressed.
    packed: Vec<Box<[u8]>>,
    base: OnceLock<BaseOutcomes>,
    own: OnceLock<OwnOutcomes>,
    /// Streams of depths, decompressed: base side's and predicted side's of
    /// each metric.
    depths: Vec<OnceLock<Vec<u8>>>,
    /// The predicted side's values by rank, as far as they were asked for, in
    /// each metric and without one: predicting takes microseconds.
    memory: Vec<OnceLock<Box<[AtomicI16]>>>,
}

/// The base side's outcomes: four to a byte.
struct BaseOutcomes {
    bytes: Vec<u8>,
    /// For each group of bytes, how many wins and losses come before it.
    before: Vec<[u32; 2]>,
    /// How many wins and losses there are.
    all: [usize; 2],
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
    fn new(mut bytes: Vec<u8>, cells: usize) -> Result<BaseOutcomes, Malformed> {
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
    fn outcome(&self, rank: usize) -> u8 {
        FOUR[usize::from(self.bytes[rank / 4])][rank % 4]
    }

    /// The place of a decided cell's symbol: wins come first.
    fn place(&self, rank: usize, outcome: u8) -> usize {
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
struct OwnOutcomes {
    /// For each hint 0 for nothing, else 1 more than the outcome.
    hints: Vec<u8>,
    /// For each hint how many decided ones come before it.
    decided_before: Vec<u16>,
    decided: usize,
    /// How much better than promised, four to a byte.
    better: Vec<u8>,
}

impl OwnOutcomes {
    fn new(bytes: &[u8], hints: usize, cells: usize) -> Result<OwnOutcomes, Malformed> {
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

    /// The value of a decided cell.
    #[inline]
    fn key(
        &self,
        bytes: &[u8],
        alphabet: &Alphabet,
        rank: usize,
        found: u8,
        promised: Key,
    ) -> Result<Key, Malformed> {
        match symbol_at(bytes, alphabet.width(), self.decided + rank)? {
            0 if promised != NONE_KEY && outcome(promised) == found => Ok(promised),
            0 => Err(Malformed("as promised, without a promise")),
            symbol => alphabet.key(found, symbol, 1, 0),
        }
    }
}

/// Fills a cell once. Two threads may compute the same; one result stays.
fn once<T>(
    cell: &OnceLock<T>,
    compute: impl FnOnce() -> Result<T, Malformed>,
) -> Result<&T, Malformed> {
    if let Some(value) = cell.get() {
        return Ok(value);
    }
    let value = compute()?;
    Ok(cell.get_or_init(|| value))
}

impl Block {
    pub fn new(shared: &Shared, number: usize, streams: &[&[u8]]) -> Block {
        Block {
            number,
            shape: BlockShape::new(&shared.meta.layout, number),
            packed: streams.iter().map(|&stream| stream.into()).collect(),
            base: OnceLock::new(),
            own: OnceLock::new(),
            depths: streams.iter().skip(2).map(|_| OnceLock::new()).collect(),
            memory: (0..=shared.meta.metrics.len()).map(|_| OnceLock::new()).collect(),
        }
    }

    fn base(&self, shared: &Shared) -> Result<&BaseOutcomes, Malformed> {
        once(&self.base, || {
            let cells = self.shape.stored(!shared.meta.layout.predicted).len;
            let bytes = shared.unpackers[0].unpack(&self.packed[0], cells.div_ceil(4))?;
            BaseOutcomes::new(bytes, cells)
        })
    }

    fn own(&self, shared: &Shared) -> Result<&OwnOutcomes, Malformed> {
        once(&self.own, || {
            let cells = self.shape.stored(shared.meta.layout.predicted).len;
            let len = self.shape.hints.div_ceil(4) + cells.div_ceil(4);
            let bytes = shared.unpackers[1].unpack(&self.packed[1], len)?;
            OwnOutcomes::new(&bytes, self.shape.hints, cells)
        })
    }

    /// A stream of depths, its length checked.
    fn depths(&self, shared: &Shared, stream: usize, len: usize) -> Result<&[u8], Malformed> {
        let bytes = once(&self.depths[stream - 2], || {
            let bytes = shared.unpackers[stream].unpack(&self.packed[stream], len)?;
            if bytes.len() == len {
                Ok(bytes)
            } else {
                Err(Malformed("the number of depths is wrong"))
            }
        })?;
        Ok(bytes)
    }

    fn base_depths<'a>(
        &'a self,
        shared: &'a Shared,
        metric: usize,
    ) -> Result<(&'a [u8], &'a Alphabet), Malformed> {
        let side = !shared.meta.layout.predicted;
        let alphabet = &shared.meta.metrics[metric].coding.alphabets[side.index()];
        let [wins, losses] = self.base(shared)?.all;
        let len = (wins + losses) * alphabet.width();
        Ok((self.depths(shared, 2 + 2 * metric, len)?, alphabet))
    }

    fn own_depths<'a>(
        &'a self,
        shared: &'a Shared,
        metric: usize,
    ) -> Result<(&'a [u8], &'a Alphabet), Malformed> {
        let side = shared.meta.layout.predicted;
        let alphabet = &shared.meta.metrics[metric].coding.alphabets[side.index()];
        let cells = self.shape.stored(side).len;
        let len = (self.own(shared)?.decided + cells) * alphabet.width();
        Ok((self.depths(shared, 3 + 2 * metric, len)?, alphabet))
    }

    /// The base side's value of a cell; nothing if the cell is not stored.
    /// Without a metric the depth is 0.
    pub fn base_key(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        cell: usize,
    ) -> Result<Key, Malformed> {
        match self.shape.rank(!shared.meta.layout.predicted, cell) {
            None => Ok(NONE_KEY),
            Some(rank) => self.base_key_at(shared, metric, rank),
        }
    }

    fn base_key_at(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        rank: usize,
    ) -> Result<Key, Malformed> {
        let base = self.base(shared)?;
        let outcome = base.outcome(rank);
        let Some(metric) = metric.filter(|_| outcome != DRAW) else {
            return Ok(key_of(outcome, 0));
        };
        let (bytes, alphabet) = self.base_depths(shared, metric)?;
        let symbol = symbol_at(bytes, alphabet.width(), base.place(rank, outcome))?;
        let reference = match shared.meta.metrics[metric].coding.reference {
            None => 0,
            Some(other) => plies(self.base_key_at(shared, Some(other), rank)?),
        };
        alphabet.key(outcome, symbol, 0, reference)
    }

    /// The base side's values of all cells; nothing where none is stored.
    pub fn base_keys(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        out: &mut [Key],
    ) -> Result<(), Malformed> {
        let base = self.base(shared)?;
        let coding = metric.map(|metric| &shared.meta.metrics[metric].coding);
        let reference = coding.and_then(|coding| coding.reference);
        if reference.is_some() {
            self.base_keys(shared, reference, out)?;
        }
        let none = Alphabet { losses: vec![0], wins: vec![0] };
        let (bytes, alphabet) = match metric {
            Some(metric) => self.base_depths(shared, metric)?,
            None => (&[][..], &none),
        };
        let mut depths = InOrder::new(bytes, alphabet, base.all[0]);
        let mut rank = 0;
        for (first, mask) in self.shape.rows(!shared.meta.layout.predicted) {
            for column in Bitboard(mask) {
                let key = &mut out[first + column.index()];
                let counted_from = if reference.is_some() { plies(*key) } else { 0 };
                *key = depths.next(base.outcome(rank), counted_from);
                rank += 1;
            }
        }
        depths.check()
    }

    /// The key of a hint, if it says something.
    fn hint(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        hint: usize,
    ) -> Result<Option<Key>, Malformed> {
        let own = self.own(shared)?;
        let Some(outcome) = own.hints[hint].checked_sub(1) else { return Ok(None) };
        let Some(metric) = metric.filter(|_| outcome != DRAW) else {
            return Ok(Some(key_of(outcome, 0)));
        };
        let (bytes, alphabet) = self.own_depths(shared, metric)?;
        let place = usize::from(own.decided_before[hint]);
        let symbol = symbol_at(bytes, alphabet.width(), place)?;
        alphabet.key(outcome, symbol, 0, 0).map(Some)
    }

    /// Raises what quiet moves promise in the cells of a tile by its hints.
    pub fn raise_by_hints(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        number: usize,
        best: &mut [Key],
    ) -> Result<(), Malformed> {
        let tile = &self.shape.tiles[number];
        let mut hint = tile.first_hint..;
        for capture in &tile.captures {
            for (other, hint) in (0..tile.capture_hints(capture)).zip(&mut hint) {
                let Some(key) = self.hint(shared, metric, hint)? else { continue };
                for from in capture.origins(&tile.frame, Square::new(other)) {
                    let cell = tile.cell(capture.by_row, from.index(), other);
                    best[cell] = best[cell].max(key);
                }
            }
        }
        Ok(())
    }

    /// The best of the hints for one cell of a tile.
    pub fn best_hint(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        number: usize,
        in_tile: usize,
    ) -> Result<Key, Malformed> {
        let tile = &self.shape.tiles[number];
        let (row, column) = (in_tile >> 6, in_tile & 63);
        let (mut best, mut first) = (NONE_KEY, tile.first_hint);
        for capture in &tile.captures {
            let (mover, other) = if capture.by_row { (row, column) } else { (column, row) };
            let origins = capture.origins(&tile.frame, Square::new(other));
            if origins.contains(Square::new(mover)) {
                best = best.max(self.hint(shared, metric, first + other)?.unwrap_or(NONE_KEY));
            }
            first += tile.capture_hints(capture);
        }
        Ok(best)
    }

    /// The predicted side's value at a rank, given what was promised.
    pub fn own_key(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        rank: usize,
        promised: Key,
    ) -> Result<Key, Malformed> {
        let own = self.own(shared)?;
        let better = FOUR[usize::from(own.better[rank / 4])][rank % 4];
        let found = (outcome(promised) + better) % 3;
        let Some(metric) = metric.filter(|_| found != DRAW) else {
            return Ok(key_of(found, 0));
        };
        let (bytes, alphabet) = self.own_depths(shared, metric)?;
        own.key(bytes, alphabet, rank, found, promised)
    }

    /// The predicted side's value at a rank, if it was asked for before.
    pub fn remembered(&self, metric: Option<usize>, rank: usize) -> Option<Key> {
        let known = self.memory[metric.map_or(0, |metric| metric + 1)].get()?;
        // Each value stands for itself: no order between them is needed.
        Some(known[rank].load(Relaxed)).filter(|&key| key != NONE_KEY)
    }

    /// Keeps the predicted side's value at a rank.
    pub fn remember(&self, shared: &Shared, metric: Option<usize>, rank: usize, key: Key) {
        let cells = self.shape.stored(shared.meta.layout.predicted).len;
        let blank = || (0..cells).map(|_| AtomicI16::new(NONE_KEY)).collect();
        let known = self.memory[metric.map_or(0, |metric| metric + 1)].get_or_init(blank);
        known[rank].store(key, Relaxed);
    }

    /// The predicted side's values of a tile, given what was promised.
    pub fn own_keys(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        number: usize,
        promised: &[Key],
        out: &mut [Key],
    ) -> Result<(), Malformed> {
        let stored = self.shape.stored(shared.meta.layout.predicted);
        let own = self.own(shared)?;
        let depths = metric.map(|metric| self.own_depths(shared, metric)).transpose()?;
        for (in_tile, rank) in stored.ranks(number) {
            let promised = promised[in_tile];
            let better = FOUR[usize::from(own.better[rank / 4])][rank % 4];
            let found = (outcome(promised) + better) % 3;
            out[in_tile] = match depths.filter(|_| found != DRAW) {
                None => key_of(found, 0),
                Some((bytes, alphabet)) => own.key(bytes, alphabet, rank, found, promised)?,
            };
        }
        Ok(())
    }
}
