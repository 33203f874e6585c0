//! Many positions at once, block by block.
//!
//! The value of a position with the predicted side to move hangs on cells of
//! up to nine blocks. Read one position after the other, as
//! [`lookup`](crate::read::lookup) does, blocks are decoded again and again if
//! they do not all fit the cache. Here the cells that are needed are listed
//! first, then visited in the order of their blocks, then put together.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI16, Ordering::Relaxed};

use molien_board::{Man, Move, MoveKind, Position, Role, Square, attacks};
use molien_values::{Metric, Values};
use rayon::prelude::*;

use crate::format::coding::Malformed;
use crate::keys::key::after;
use crate::read::block::Block;
use crate::read::cells::{Keys, NO_KEYS, OwnCell, Places};
use crate::read::lookup::{FilePlace, value_of};
use crate::{TableError, TableFile};

/// Positions that one thread takes at a time; so few are not worth a second
/// thread.
const AT_ONCE: usize = 1 << 10;

/// A file that is swept.
pub(crate) struct SweptFile {
    file: Arc<TableFile>,
    places: Places,
}

impl SweptFile {
    /// None if its positions have to be read one by one, or nothing that is
    /// asked for is stored.
    pub fn new(file: &Arc<TableFile>, metrics: &[Metric]) -> Option<SweptFile> {
        let blocks = u32::try_from(file.shared.meta.layout.blocks()).ok();
        blocks.filter(|_| file.packed.is_none())?;
        Some(SweptFile { file: file.clone(), places: Places::new(file, metrics)? })
    }
}

/// Questions about many positions.
pub(crate) struct Sweep<'a> {
    pub files: &'a [Option<SweptFile>],
    pub metrics: &'a [Metric],
    /// Legal positions; en passant is ignored.
    pub positions: &'a [Position],
    /// The number of each position's file; none where nothing is to be read.
    pub numbers: &'a [Option<u32>],
}

/// What a visit to a cell is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// The value of the position.
    Value,
    /// What a move of the position promises.
    Promise,
    /// What is stored of the position beyond what is promised.
    Own,
    /// The same, and what the moves inside the tile promise.
    OwnAndTile,
}

/// A cell to be visited for a position.
#[derive(Clone, Copy)]
struct Visit {
    file: u32,
    block: u32,
    position: u32,
    cell: u16,
    purpose: Purpose,
}

/// How far a position has come.
#[derive(Clone, Copy)]
enum State {
    /// Nothing to be read.
    Empty,
    /// Its value is in a cell of its own.
    Base,
    /// Its value is what is promised, or better.
    Own(Option<OwnCell>),
    /// To be read the slow way, which tells what is wrong.
    Failed,
}

/// What visits have found beside values.
#[derive(Default)]
struct Found {
    own: Vec<(u32, OwnCell)>,
    failed: Vec<u32>,
}

impl Found {
    fn absorb(mut self, other: Found) -> Found {
        self.own.extend(other.own);
        self.failed.extend(other.failed);
        self
    }
}

/// The best value met so far. Visits may add to it in any order.
struct Best([AtomicI16; NO_KEYS.len()]);

impl Best {
    fn new() -> Best {
        Best(NO_KEYS.map(AtomicI16::new))
    }

    fn raise(&self, places: &Places, keys: &Keys) {
        for place in places.all() {
            self.0[place].fetch_max(keys[place], Relaxed);
        }
    }

    fn keys(&self) -> Keys {
        std::array::from_fn(|place| self.0[place].load(Relaxed))
    }
}

/// Does a work in parts, on several threads if it is worth them.
fn in_parts<T: Send>(len: usize, work: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    if len <= AT_ONCE {
        return vec![work(0..len)];
    }
    let part = |i: usize| work(i * AT_ONCE..len.min((i + 1) * AT_ONCE));
    (0..len.div_ceil(AT_ONCE)).into_par_iter().map(part).collect()
}

impl Sweep<'_> {
    /// Sets the values of the positions where they are not known. Returns those
    /// that have to be read one by one, in order.
    pub fn run(&self, values: &mut [Values]) -> Vec<usize> {
        let parts = in_parts(self.positions.len(), |range| self.plan(range));
        let mut visits = Vec::with_capacity(parts.iter().map(|(some, _)| some.len()).sum());
        let mut states = Vec::with_capacity(self.positions.len());
        for (some, of_some) in parts {
            visits.extend(some);
            states.extend(of_some);
        }
        let key = |visit: &Visit| (visit.file, visit.block);
        match visits.len() <= AT_ONCE {
            true => visits.sort_unstable_by_key(key),
            false => visits.par_sort_unstable_by_key(key),
        }
        let best: Vec<Best> = self.positions.iter().map(|_| Best::new()).collect();
        let found = self.visit_all(&visits, &best);
        found.own.into_iter().for_each(|(i, cell)| states[i as usize] = State::Own(Some(cell)));
        found.failed.into_iter().for_each(|i| states[i as usize] = State::Failed);
        let finish = |(i, values)| (!self.finish(i, states[i], &best[i], values)).then_some(i);
        match values.len() <= AT_ONCE {
            true => values.iter_mut().enumerate().filter_map(finish).collect(),
            false => {
                let values = values.par_iter_mut().with_min_len(AT_ONCE);
                values.enumerate().filter_map(finish).collect()
            }
        }
    }

    /// The cells to be visited for some of the positions.
    fn plan(&self, range: Range<usize>) -> (Vec<Visit>, Vec<State>) {
        let (mut visits, mut states) = (Vec::new(), Vec::with_capacity(range.len()));
        for i in range {
            states.push(match self.numbers[i] {
                None => State::Empty,
                Some(number) => self.plan_one(i as u32, number, &mut visits),
            });
        }
        (visits, states)
    }

    fn plan_one(&self, position: u32, number: u32, visits: &mut Vec<Visit>) -> State {
        let Some(SweptFile { file, .. }) = &self.files[number as usize] else {
            return State::Failed;
        };
        let Ok(place) = file.locate(&self.positions[position as usize]) else {
            return State::Failed;
        };
        let FilePlace { address, image } = &place;
        let mut visit = |block: usize, cell: usize, purpose: Purpose| {
            let (block, cell) = (block as u32, cell as u16);
            visits.push(Visit { file: number, block, position, cell, purpose });
        };
        let layout = &file.shared.meta.layout;
        if image.turn() != layout.predicted {
            visit(address.block, address.cell, Purpose::Value);
            return State::Base;
        }
        let is_plain = layout.is_plain(address.part, address.tile);
        let purpose = if is_plain { Purpose::OwnAndTile } else { Purpose::Own };
        visit(address.block, address.cell, purpose);
        let king = Man::new(layout.predicted, Role::King);
        let in_tile = [layout.row(), layout.column()];
        let by_king = Some(king).filter(|_| layout.king_moves && !in_tile.contains(&Some(king)));
        let own = in_tile.into_iter().flatten().filter(|man| man.color == layout.predicted);
        for man in own.filter(|_| !is_plain).chain(by_king) {
            for moved in quiet_moves(image, man) {
                if let Some(to) = layout.locate(&moved) {
                    visit(to.block, to.cell, Purpose::Promise);
                }
            }
        }
        State::Own(None)
    }

    /// Visits cells, given in the order of their blocks.
    fn visit_all(&self, visits: &[Visit], best: &[Best]) -> Found {
        let same = |a: &Visit, b: &Visit| (a.file, a.block) == (b.file, b.block);
        let keep = self.fit_the_cache(visits.chunk_by(same));
        let one = |mut found: Found, visits: &[Visit]| {
            self.visit_block(visits, keep, best, &mut found);
            found
        };
        match visits.len() <= AT_ONCE {
            true => visits.chunk_by(same).fold(Found::default(), one),
            false => {
                let blocks = visits.par_chunk_by(same);
                blocks.fold(Found::default, one).reduce(Found::default, Found::absorb)
            }
        }
    }

    /// Whether these blocks can all be kept: else each would push out another
    /// before it is asked for again.
    fn fit_the_cache<'v>(&self, blocks: impl Iterator<Item = &'v [Visit]>) -> bool {
        let file = self.files.iter().flatten().next();
        file.is_some_and(|swept| swept.file.blocks.can_keep(blocks.count()))
    }

    /// Visits the cells of one block.
    fn visit_block(&self, visits: &[Visit], keep: bool, best: &[Best], found: &mut Found) {
        let [Visit { file, block: number, .. }, ..] = *visits else { return };
        let Some(swept) = &self.files[file as usize] else { return };
        let Ok(block) = swept.block(number as usize, keep) else {
            found.failed.extend(visits.iter().map(|visit| visit.position));
            return;
        };
        for visit in visits {
            let best = &best[visit.position as usize];
            match swept.visit(&block, visit, best) {
                Ok(None) => {}
                Ok(Some(own)) => found.own.push((visit.position, own)),
                Err(Malformed(_)) => found.failed.push(visit.position),
            }
        }
        swept.file.blocks.used(&block);
    }

    /// Sets the values of a position; whether that was possible.
    fn finish(&self, i: usize, state: State, best: &Best, values: &mut Values) -> bool {
        let swept = self.numbers[i].and_then(|number| self.files[number as usize].as_ref());
        let keys = match (state, swept) {
            (State::Empty, _) => return true,
            (State::Base, Some(_)) => Some(best.keys()),
            (State::Own(Some(own)), Some(SweptFile { file, places })) => {
                own.keys(&file.shared, places, &best.keys()).ok()
            }
            _ => None,
        };
        let Some((keys, swept)) = keys.zip(swept) else { return false };
        let mut is_whole = true;
        for &metric in self.metrics {
            let place = swept.places.find(metric).filter(|_| values.get(metric).is_none());
            let Some(place) = place else { continue };
            match value_of(metric, keys[place]) {
                Some(value) => values.set(metric, value),
                None => is_whole = false,
            }
        }
        is_whole
    }
}

/// The positions after quiet moves of a man of the side to move that leave its
/// king out of check. (Others are not stored.)
fn quiet_moves(position: &Position, man: Man) -> impl Iterator<Item = Position> {
    let (occupied, role) = (position.occupied(), man.role);
    let targets =
        move |from: Square| (attacks::attacks(role, from, occupied) - occupied).into_iter();
    let moves = position.of(man).into_iter().flat_map(move |from| {
        let quiet = MoveKind::Quiet;
        let to = move |to| Move { role, from, to, kind: quiet, captured: None, promotion: None };
        targets(from).map(to)
    });
    moves.map(|m| position.play(&m)).filter(move |moved| !moved.in_check(man.color))
}

impl SweptFile {
    fn block(&self, number: usize, keep: bool) -> Result<Arc<Block>, TableError> {
        match self.file.blocks.get(number) {
            Some(block) => Ok(block),
            None if keep => self.file.block(number),
            None => self.file.read_block(number).map(Arc::new),
        }
    }

    /// Visits a cell: adds to the best value, and returns what else is stored.
    fn visit(
        &self,
        block: &Block,
        visit: &Visit,
        best: &Best,
    ) -> Result<Option<OwnCell>, Malformed> {
        let (shared, places) = (&self.file.shared, &self.places);
        let cell = usize::from(visit.cell);
        let Some(tile) = block.shape.tile_of(cell) else { return Ok(None) };
        let in_tile = cell - block.shape.tiles[tile].first_cell;
        match visit.purpose {
            Purpose::Value => best.raise(places, &block.base_cell(shared, places, tile, in_tile)?),
            Purpose::Promise => {
                let keys = block.base_cell(shared, places, tile, in_tile)?;
                best.raise(places, &keys.map(after));
            }
            purpose @ (Purpose::Own | Purpose::OwnAndTile) => {
                if purpose == Purpose::OwnAndTile {
                    let keys = block.promised_in_tile(shared, places, tile, in_tile)?;
                    best.raise(places, &keys);
                }
                best.raise(places, &block.promised_by_hints(shared, places, tile, in_tile)?);
                return block.own_cell(shared, places, tile, in_tile);
            }
        }
        Ok(None)
    }
}
