//! One block: its streams, decompressed as they are asked for.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicI16, AtomicU64, Ordering::Relaxed};

use molien_board::{Bitboard, Square};

use crate::format::coding::{Alphabet, FOUR, InOrder, Malformed, symbol_at};
use crate::format::compress::Unpacker;
use crate::format::meta::Meta;
use crate::format::shape::BlockShape;
use crate::keys::key::{DRAW, LOSS, NONE_KEY, ValueKey, WIN, key_of, outcome, plies};
use crate::read::cut::CutCells;
use crate::read::outcomes::{BaseOutcomes, OwnOutcomes};

/// The keys of outcomes without a depth.
const OUTCOME_KEYS: [ValueKey; 3] = [key_of(LOSS, 0), key_of(DRAW, 0), key_of(WIN, 0)];

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
    /// Bytes held now, and when the cache last asked. They are estimates, and
    /// no other memory depends on them.
    bytes: AtomicU64,
    weighed: AtomicU64,
}

impl Block {
    pub fn new(shared: &Shared, number: usize, streams: &[&[u8]]) -> Block {
        let shape = BlockShape::new(&shared.meta.layout, number);
        let packed: usize = streams.iter().map(|stream| stream.len()).sum();
        let bytes = size_of::<Block>() + shape.len_bytes() + packed;
        Block {
            number,
            shape,
            packed: streams.iter().map(|&stream| stream.into()).collect(),
            base: OnceLock::new(),
            own: OnceLock::new(),
            depths: streams.iter().skip(2).map(|_| OnceLock::new()).collect(),
            memory: (0..=shared.meta.metrics.len()).map(|_| OnceLock::new()).collect(),
            bytes: AtomicU64::new(bytes as u64),
            weighed: AtomicU64::new(0),
        }
    }

    /// Whether it holds more than when it was last weighed.
    pub fn has_grown(&self) -> bool {
        self.bytes.load(Relaxed) != self.weighed.load(Relaxed)
    }

    /// Bytes held, noted as weighed.
    pub fn weigh(&self) -> u64 {
        let bytes = self.bytes.load(Relaxed);
        self.weighed.store(bytes, Relaxed);
        bytes
    }

    /// Fills a cell once. Two threads may compute the same; one result stays.
    fn once<'a, T>(
        &self,
        cell: &'a OnceLock<T>,
        len_bytes: impl FnOnce(&T) -> usize,
        compute: impl FnOnce() -> Result<T, Malformed>,
    ) -> Result<&'a T, Malformed> {
        if let Some(value) = cell.get() {
            return Ok(value);
        }
        let value = compute()?;
        Ok(cell.get_or_init(|| {
            self.bytes.fetch_add(len_bytes(&value) as u64, Relaxed);
            value
        }))
    }

    pub(super) fn base(&self, shared: &Shared) -> Result<&BaseOutcomes, Malformed> {
        self.once(&self.base, BaseOutcomes::len_bytes, || {
            let cells = self.shape.stored(!shared.meta.layout.predicted).len;
            let bytes = shared.unpackers[0].unpack(&self.packed[0], cells.div_ceil(4))?;
            BaseOutcomes::new(bytes, cells)
        })
    }

    pub(super) fn own(&self, shared: &Shared) -> Result<&OwnOutcomes, Malformed> {
        self.once(&self.own, OwnOutcomes::len_bytes, || {
            let cells = self.shape.stored(shared.meta.layout.predicted).len;
            let len = self.shape.hints.div_ceil(4) + cells.div_ceil(4);
            let bytes = shared.unpackers[1].unpack(&self.packed[1], len)?;
            OwnOutcomes::new(&bytes, self.shape.hints, cells)
        })
    }

    /// A stream of depths, its length checked.
    fn depths(&self, shared: &Shared, stream: usize, len: usize) -> Result<&[u8], Malformed> {
        let bytes = self.once(&self.depths[stream - 2], Vec::len, || {
            let bytes = shared.unpackers[stream].unpack(&self.packed[stream], len)?;
            if bytes.len() == len {
                Ok(bytes)
            } else {
                Err(Malformed("the number of depths is wrong"))
            }
        })?;
        Ok(bytes)
    }

    pub(super) fn base_depths<'a>(
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

    pub(super) fn own_depths<'a>(
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
    ) -> Result<ValueKey, Malformed> {
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
    ) -> Result<ValueKey, Malformed> {
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

    /// Who wins with the base side to move, in some cells; nothing where none is stored.
    pub fn base_outcomes(
        &self,
        shared: &Shared,
        cells: &CutCells,
        out: &mut [ValueKey],
    ) -> Result<(), Malformed> {
        let base = self.base(shared)?;
        let stored = self.shape.stored(!shared.meta.layout.predicted);
        for (number, tile) in self.shape.tiles.iter().enumerate() {
            let out = &mut out[tile.range()];
            for (in_tile, rank) in stored.ranks(number, cells.rows(tile.number)) {
                out[in_tile] = OUTCOME_KEYS[usize::from(base.outcome(rank))];
            }
        }
        Ok(())
    }

    /// The base side's values of all cells; nothing where none is stored.
    pub fn base_keys(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        out: &mut [ValueKey],
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
    pub(super) fn hint(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        hint: usize,
    ) -> Result<Option<ValueKey>, Malformed> {
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
        best: &mut [ValueKey],
    ) -> Result<(), Malformed> {
        let tile = &self.shape.tiles[number];
        let mut hint = tile.first_hint..;
        for capture in &tile.captures {
            for (other, hint) in (0..tile.capture_hints(capture)).zip(&mut hint) {
                let Some(key) = self.hint(shared, metric, hint)? else { continue };
                for from in capture.origins(&tile.men, Square::new(other)) {
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
    ) -> Result<ValueKey, Malformed> {
        let mut best = NONE_KEY;
        for hint in self.hints_for(number, in_tile) {
            best = best.max(self.hint(shared, metric, hint)?.unwrap_or(NONE_KEY));
        }
        Ok(best)
    }

    /// The hints for one cell of a tile.
    pub(super) fn hints_for(
        &self,
        number: usize,
        in_tile: usize,
    ) -> impl Iterator<Item = usize> + '_ {
        let tile = &self.shape.tiles[number];
        let (row, column) = (in_tile >> 6, in_tile & 63);
        let mut first = tile.first_hint;
        tile.captures.iter().filter_map(move |capture| {
            let (mover, other) = if capture.by_row { (row, column) } else { (column, row) };
            let hint = first + other;
            first += tile.capture_hints(capture);
            let origins = capture.origins(&tile.men, Square::new(other));
            origins.contains(Square::new(mover)).then_some(hint)
        })
    }

    /// The predicted side's value at a rank, given what was promised.
    pub fn own_key(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        rank: usize,
        promised: ValueKey,
    ) -> Result<ValueKey, Malformed> {
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
    pub fn remembered(&self, metric: Option<usize>, rank: usize) -> Option<ValueKey> {
        let known = self.memory[metric.map_or(0, |metric| metric + 1)].get()?;
        // Each value stands for itself: no order between them is needed.
        Some(known[rank].load(Relaxed)).filter(|&key| key != NONE_KEY)
    }

    /// Keeps the predicted side's value at a rank.
    pub fn remember(&self, shared: &Shared, metric: Option<usize>, rank: usize, key: ValueKey) {
        let cells = self.shape.stored(shared.meta.layout.predicted).len;
        let blank = || {
            self.bytes.fetch_add((cells * size_of::<AtomicI16>()) as u64, Relaxed);
            (0..cells).map(|_| AtomicI16::new(NONE_KEY)).collect()
        };
        let known = self.memory[metric.map_or(0, |metric| metric + 1)].get_or_init(blank);
        known[rank].store(key, Relaxed);
    }

    /// The predicted side's values of some rows of a tile, given what was promised.
    pub fn own_keys(
        &self,
        shared: &Shared,
        metric: Option<usize>,
        (number, rows): (usize, u64),
        promised: &[ValueKey],
        out: &mut [ValueKey],
    ) -> Result<(), Malformed> {
        let stored = self.shape.stored(shared.meta.layout.predicted);
        let own = self.own(shared)?;
        let depths = metric.map(|metric| self.own_depths(shared, metric)).transpose()?;
        for (in_tile, rank) in stored.ranks(number, rows) {
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
