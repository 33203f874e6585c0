//! Cells of a block in several metrics at once: whose win it is and where its
//! depth stands is found out once for all of them.

use molien_board::{Bitboard, Square, attacks};
use molien_values::Metric;

use crate::TableFile;
use crate::format::coding::{FOUR, Malformed, symbol_at};
use crate::keys::key::{DRAW, DRAW_KEY, NONE_KEY, ValueKey, after, outcome, plies};
use crate::read::block::{Block, Shared};

/// The most metrics a file can have.
const METRICS: usize = Metric::EVERY.len();

/// A value for each stored metric, by its place; nothing where it is not read.
pub(crate) type Keys = [ValueKey; METRICS];

/// Nothing known.
pub(crate) const NO_KEYS: Keys = [NONE_KEY; METRICS];

/// The stored metrics that are read, by their places.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// Those asked for, and those which they are counted from.
    read: [bool; METRICS],
    /// Where the answer to each metric is read.
    of: [Option<usize>; METRICS],
}

impl Places {
    /// Where a file holds the metrics that it has; none if none of them.
    pub fn new(file: &TableFile, metrics: &[Metric]) -> Option<Places> {
        let mut places = Places { read: [false; METRICS], of: [None; METRICS] };
        let stored = &file.shared.meta.metrics;
        for &metric in metrics {
            let mut next = file.find_depths(metric).ok().filter(|_| stored.len() <= METRICS);
            places.of[metric as usize] = next;
            while let Some(place) = next {
                places.read[place] = true;
                next = stored[place].coding.reference;
            }
        }
        places.read.contains(&true).then_some(places)
    }

    /// The place of a metric that is asked for.
    pub fn find(&self, metric: Metric) -> Option<usize> {
        self.of[metric as usize]
    }

    /// All of them, each after the one it is counted from.
    pub fn all(&self) -> impl Iterator<Item = usize> {
        let read = self.read;
        (0..METRICS).filter(move |&place| read[place])
    }
}

/// What is stored of a cell with the predicted side to move.
#[derive(Clone, Copy)]
pub(crate) struct OwnCell {
    /// How much better than promised.
    better: u8,
    symbols: [u16; METRICS],
}

impl OwnCell {
    /// The values, given what was promised.
    pub fn keys(
        &self,
        shared: &Shared,
        places: &Places,
        promised: &Keys,
    ) -> Result<Keys, Malformed> {
        let mut keys = NO_KEYS;
        let side = shared.meta.layout.predicted.index();
        for place in places.all() {
            let promised = promised[place];
            let found = (outcome(promised) + self.better) % 3;
            let alphabet = &shared.meta.metrics[place].coding.alphabets[side];
            keys[place] = match self.symbols[place] {
                _ if found == DRAW => DRAW_KEY,
                0 if promised != NONE_KEY && outcome(promised) == found => promised,
                0 => return Err(Malformed("as promised, without a promise")),
                symbol => alphabet.key(found, symbol, 1, 0)?,
            };
        }
        Ok(keys)
    }
}

/// Takes the better of each pair.
pub(crate) fn raise(best: &mut Keys, other: &Keys) {
    best.iter_mut().zip(other).for_each(|(best, other)| *best = (*best).max(*other));
}

impl Block {
    /// The base side's values of a cell of a tile; nothing if it is not stored.
    pub fn base_cell(
        &self,
        shared: &Shared,
        places: &Places,
        tile: usize,
        in_tile: usize,
    ) -> Result<Keys, Malformed> {
        let mut keys = NO_KEYS;
        let stored = self.shape.stored(!shared.meta.layout.predicted);
        let Some(rank) = stored.rank(tile, in_tile) else { return Ok(keys) };
        let base = self.base(shared)?;
        let outcome = base.outcome(rank);
        if outcome == DRAW {
            places.all().for_each(|place| keys[place] = DRAW_KEY);
            return Ok(keys);
        }
        let at = base.place(rank, outcome);
        for place in places.all() {
            let (bytes, alphabet) = self.base_depths(shared, place)?;
            let symbol = symbol_at(bytes, alphabet.width(), at)?;
            let reference = shared.meta.metrics[place].coding.reference;
            let counted_from = reference.map_or(0, |other| plies(keys[other]));
            keys[place] = alphabet.key(outcome, symbol, 0, counted_from)?;
        }
        Ok(keys)
    }

    /// What is stored of a cell of a tile with the predicted side to move; none
    /// if it is not stored.
    pub fn own_cell(
        &self,
        shared: &Shared,
        places: &Places,
        tile: usize,
        in_tile: usize,
    ) -> Result<Option<OwnCell>, Malformed> {
        let stored = self.shape.stored(shared.meta.layout.predicted);
        let Some(rank) = stored.rank(tile, in_tile) else { return Ok(None) };
        let own = self.own(shared)?;
        let better = FOUR[usize::from(own.better[rank / 4])][rank % 4];
        let mut symbols = [0; METRICS];
        for place in places.all() {
            let (bytes, alphabet) = self.own_depths(shared, place)?;
            symbols[place] = symbol_at(bytes, alphabet.width(), own.decided + rank)?;
        }
        Ok(Some(OwnCell { better, symbols }))
    }

    /// What the quiet moves of the predicted side's men of a tile promise in a
    /// cell of it, if different cells are different positions.
    pub fn promised_in_tile(
        &self,
        shared: &Shared,
        places: &Places,
        tile: usize,
        in_tile: usize,
    ) -> Result<Keys, Malformed> {
        let shape = &self.shape.tiles[tile];
        let (row, column) = (in_tile >> 6, in_tile & 63);
        let mut occupied = shape.men.occupied | Bitboard::from_square(Square::new(column));
        if shape.men.row.is_some() {
            occupied.insert(Square::new(row));
        }
        let mut best = NO_KEYS;
        for (man, by_row) in [(shape.men.row, true), (Some(shape.men.column), false)] {
            let own = man.filter(|man| man.color == shared.meta.layout.predicted);
            let Some(man) = own else { continue };
            let (from, other) = if by_row { (row, column) } else { (column, row) };
            for to in attacks::attacks(man.role, Square::new(from), occupied) - occupied {
                let cell = shape.cell(by_row, to.index(), other);
                raise(&mut best, &self.base_cell(shared, places, tile, cell)?.map(after));
            }
        }
        Ok(best)
    }

    /// What captures by the men of a tile promise in a cell of it.
    pub fn promised_by_hints(
        &self,
        shared: &Shared,
        places: &Places,
        tile: usize,
        in_tile: usize,
    ) -> Result<Keys, Malformed> {
        let mut best = NO_KEYS;
        for hint in self.hints_for(tile, in_tile) {
            for place in places.all() {
                let key = self.hint(shared, Some(place), hint)?.unwrap_or(NONE_KEY);
                best[place] = best[place].max(key);
            }
        }
        Ok(best)
    }
}
