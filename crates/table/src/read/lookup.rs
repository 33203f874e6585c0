//! Single positions: from a position to its cell, from the cell's block to the
//! value.

use std::sync::Arc;

use molien_board::{Color, Man, Position, Role, Square, attacks};
use molien_values::{Metric, Outcome, Value, Values};

use crate::format::coding::Malformed;
use crate::format::layout::CellAddress;
use crate::keys::key::{DRAW, NONE_KEY, RULE_DRAW_PLIES, ValueKey, WIN, after, outcome, plies};
use crate::read::block::Block;
use crate::{TableError, TableFile};

/// Where a file holds a position, and as which of its images.
pub(crate) struct FilePlace {
    pub address: CellAddress,
    pub image: Position,
}

impl FilePlace {
    /// The side to move.
    pub fn turn(&self) -> Color {
        self.image.turn()
    }
}

/// The value that a key stands for; `None` if it stands for nothing.
fn value_of_key(key: ValueKey) -> Option<Value> {
    match (key, outcome(key)) {
        (NONE_KEY, _) => None,
        (_, WIN) => Some(Value::Win(plies(key))),
        (_, DRAW) => Some(Value::Draw),
        _ => Some(Value::Loss(plies(key))),
    }
}

/// The value in a metric that is read from a key.
pub(crate) fn value_of(metric: Metric, key: ValueKey) -> Option<Value> {
    value_of_key(key).map(|value| as_told(metric, value))
}

/// The value in a metric that is stored as this one.
fn as_told(metric: Metric, value: Value) -> Value {
    match metric {
        Metric::Wdl => value.as_class(),
        Metric::Dtm50 if value.plies() >= Some(RULE_DRAW_PLIES) => Value::Draw,
        _ => value,
    }
}

impl TableFile {
    /// Who wins a position of this material, in either orientation.
    ///
    /// # Errors
    /// If the position is not in the table, or its block is damaged.
    pub fn outcome(&self, position: &Position) -> Result<Outcome, TableError> {
        let value = self.value_at(&self.locate(position)?, None)?;
        value.map(Value::outcome).ok_or_else(|| self.no_position(position))
    }

    /// The value of a position of this material, in either orientation. En
    /// passant is ignored: the caller looks one move ahead for it.
    ///
    /// # Errors
    /// If the metric or the position is not in the table, or its block is
    /// damaged.
    pub fn get(&self, position: &Position, metric: Metric) -> Result<Value, TableError> {
        let value = self.value_in(&self.locate(position)?, metric)?;
        value.ok_or_else(|| self.no_position(position))
    }

    /// The values of a position of this material, in either orientation, in those
    /// of the metrics that are stored: they are set in `found` unless it has
    /// them. En passant is ignored.
    ///
    /// # Errors
    /// If the position is not in the table, or its block is damaged.
    pub fn fill(
        &self,
        position: &Position,
        metrics: &[Metric],
        found: &mut Values,
    ) -> Result<(), TableError> {
        let place = self.locate(position)?;
        self.fill_at(&place, position, metrics, found).map_err(|(_, error)| error)
    }

    /// The same, of a place; an error comes with the metric that has it.
    pub(crate) fn fill_at(
        &self,
        place: &FilePlace,
        position: &Position,
        metrics: &[Metric],
        found: &mut Values,
    ) -> Result<(), (Metric, TableError)> {
        for &metric in metrics.iter().filter(|&&metric| self.holds(metric)) {
            if found.get(metric).is_none() {
                let value = self.value_in(place, metric);
                let value = value.and_then(|v| v.ok_or_else(|| self.no_position(position)));
                found.set(metric, value.map_err(|error| (metric, error))?);
            }
        }
        Ok(())
    }

    /// The value in a metric; `None` if the cell holds no position.
    fn value_in(&self, place: &FilePlace, metric: Metric) -> Result<Option<Value>, TableError> {
        let stored = self.find_depths(metric)?;
        // Learnt contexts code classes by themselves.
        let classes = metric == Metric::Wdl && self.packed.is_some();
        let value = self.value_at(place, (!classes).then_some(stored))?;
        Ok(value.map(|value| as_told(metric, value)))
    }

    fn no_position(&self, position: &Position) -> TableError {
        TableError::NoPosition { path: self.path().to_owned(), position: position.to_string() }
    }

    /// Where the file holds a position.
    pub(crate) fn locate(&self, position: &Position) -> Result<FilePlace, TableError> {
        let material = self.material();
        let own = position.material() == material;
        let oriented = if own { self.oriented(position) } else { position.swap_colors() };
        if !own && oriented.material() != material {
            return Err(self.no_position(position));
        }
        let found = self.shared.meta.layout.locate_image(&oriented);
        let (address, image) = found.ok_or_else(|| self.no_position(position))?;
        Ok(FilePlace { address, image })
    }

    /// The value in the metric stored at this place; without a metric, with
    /// depth 0. `None` if the cell holds no position.
    fn value_at(
        &self,
        place: &FilePlace,
        metric: Option<usize>,
    ) -> Result<Option<Value>, TableError> {
        if let Some(packed) = &self.packed {
            return self.packed_value(packed, place, metric);
        }
        let FilePlace { address, image } = place;
        let key = match image.turn() == self.shared.meta.layout.predicted {
            false => self.base_key(*address, metric)?,
            true => self.own_key(*address, image, metric)?,
        };
        Ok(value_of_key(key))
    }

    fn base_key(
        &self,
        address: CellAddress,
        metric: Option<usize>,
    ) -> Result<ValueKey, TableError> {
        let block = self.block(address.block)?;
        let key = block.base_key(&self.shared, metric, address.cell);
        self.blocks.used(&block);
        key.map_err(|Malformed(why)| self.malformed(address.block, why))
    }

    /// The predicted side's value of a position given as the file holds it.
    fn own_key(
        &self,
        address: CellAddress,
        position: &Position,
        metric: Option<usize>,
    ) -> Result<ValueKey, TableError> {
        let block = self.block(address.block)?;
        let malformed = |Malformed(why)| self.malformed(address.block, why);
        let layout = &self.shared.meta.layout;
        let Some(rank) = block.shape.rank(layout.predicted, address.cell) else {
            return Ok(NONE_KEY);
        };
        if let Some(key) = block.remembered(metric, rank) {
            return Ok(key);
        }
        let Some(tile) = block.shape.tile_of(address.cell) else { return Ok(NONE_KEY) };
        let in_tile = address.cell - block.shape.tiles[tile].first_cell;
        let mut best = self.best_quiet_move(&block, address, tile, position, metric)?;
        let hint = block.best_hint(&self.shared, metric, tile, in_tile).map_err(malformed)?;
        best = best.max(hint);
        let key = block.own_key(&self.shared, metric, rank, best).map_err(malformed)?;
        block.remember(&self.shared, metric, rank, key);
        self.blocks.used(&block);
        Ok(key)
    }

    /// What the quiet moves that are looked at promise.
    fn best_quiet_move(
        &self,
        block: &Block,
        address: CellAddress,
        tile: usize,
        position: &Position,
        metric: Option<usize>,
    ) -> Result<ValueKey, TableError> {
        let layout = &self.shared.meta.layout;
        let shape = &block.shape.tiles[tile];
        let occupied = position.occupied();
        let in_tile = address.cell - shape.first_cell;
        let (row, column) = (in_tile >> 6, in_tile & 63);
        let is_plain = layout.is_plain(address.part, address.tile);
        let own = |man: &Man| man.color == layout.predicted;
        let mut best = NONE_KEY;
        // The tile's men stay in the tile. If each of its cells is another
        // position, the cell can be told at once.
        for (man, by_row) in [(layout.row(), true), (layout.column(), false)] {
            let Some(man) = man.filter(own) else { continue };
            let (from, other) = if by_row { (row, column) } else { (column, row) };
            let from = Square::new(from);
            for to in attacks::attacks(man.role, from, occupied) - occupied {
                let key = if is_plain {
                    let cell = shape.first_cell + shape.cell(by_row, to.index(), other);
                    let key = block.base_key(&self.shared, metric, cell);
                    key.map_err(|Malformed(why)| self.malformed(block.number, why))?
                } else {
                    self.key_of_move(position, from, to, metric)?
                };
                best = best.max(after(key));
            }
        }
        let king = Man::new(layout.predicted, Role::King);
        if layout.king_moves && layout.row() != Some(king) && layout.column() != Some(king) {
            let from = position.king(layout.predicted);
            for to in attacks::king(from) - occupied {
                best = best.max(after(self.key_of_move(position, from, to, metric)?));
            }
        }
        Ok(best)
    }

    /// The base side's value after a move of the other; nothing if the move
    /// leaves the king in check.
    fn key_of_move(
        &self,
        position: &Position,
        from: Square,
        to: Square,
        metric: Option<usize>,
    ) -> Result<ValueKey, TableError> {
        let layout = &self.shared.meta.layout;
        let men = position.men().map(|(m, square)| (m, if square == from { to } else { square }));
        // A cell that is not legal is not stored: no need to look.
        let moved = Position::placement(men, !layout.predicted);
        match moved.and_then(|moved| layout.locate(&moved)) {
            None => Ok(NONE_KEY),
            Some(address) => self.base_key(address, metric),
        }
    }

    pub(super) fn block(&self, number: usize) -> Result<Arc<Block>, TableError> {
        if let Some(block) = self.blocks.get(number) {
            return Ok(block);
        }
        let block = Arc::new(self.read_block(number)?);
        self.blocks.insert(block.clone());
        Ok(block)
    }
}
