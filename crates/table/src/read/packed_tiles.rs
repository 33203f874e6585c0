//! Single tiles of files of learnt contexts.

use std::ops::Range;
use std::sync::Arc;

use molien_board::{Color, Position};
use molien_pack::{ClassTile, DepthTile, Known, Reach};
use molien_values::Value;

use crate::read::lookup::FilePlace;
use crate::read::packed::Packed;
use crate::{TableError, TableFile};

/// A decoded tile with one side to move, or the rows of it that were needed so
/// far.
pub(crate) struct KeptTile {
    rows: u64,
    cells: Cells,
}

enum Cells {
    Classes(Box<ClassTile>),
    Depths(Box<DepthTile>),
}

/// A cell of a file of learnt contexts.
#[derive(Clone, Copy)]
struct Cell {
    /// Counted through all parts.
    tile: usize,
    row: usize,
    turn: Color,
}

impl KeptTile {
    pub fn len_bytes(&self) -> u64 {
        let cells = match self.cells {
            Cells::Classes(_) => size_of::<ClassTile>(),
            Cells::Depths(_) => size_of::<DepthTile>(),
        };
        (size_of::<KeptTile>() + cells) as u64
    }

    fn classes(&self) -> Option<&ClassTile> {
        if let Cells::Classes(tile) = &self.cells { Some(tile) } else { None }
    }

    fn depths(&self) -> Option<&DepthTile> {
        if let Cells::Depths(tile) = &self.cells { Some(tile) } else { None }
    }

    fn covers(&self, packed: &Packed, row: usize, reach: Reach) -> bool {
        let all = if packed.layout.rows() == 1 { 1 } else { !0 };
        match reach {
            Reach::Row | Reach::Depth(_) => self.rows >> row & 1 != 0,
            Reach::Tile => self.rows & all == all,
        }
    }
}

/// The value of a class: the depths of [`Metric::Wdl`](molien_values::Metric::Wdl).
pub(crate) fn class_value(class: u8) -> Value {
    const LATE: u16 = molien_values::FIFTY_MOVES_PLIES + 1;
    let value = match class {
        0 => Value::Loss(0),
        1 => Value::Loss(LATE),
        2 => Value::Draw,
        3 => Value::Win(LATE),
        _ => Value::Win(1),
    };
    value.as_class()
}

/// Tiles read beforehand, which depths are read with.
struct Prefetched {
    first: usize,
    classes: Vec<Arc<KeptTile>>,
    earlier: Vec<Arc<KeptTile>>,
    none: ClassTile,
}

impl Known for Prefetched {
    fn classes(&mut self, tile: usize) -> &ClassTile {
        let kept = self.classes.get(tile - self.first).and_then(|kept| kept.classes());
        kept.unwrap_or(&self.none)
    }

    fn earlier(&mut self, tile: usize) -> Option<&DepthTile> {
        self.earlier.get(tile - self.first)?.depths()
    }
}

impl TableFile {
    /// The value of a place in the metric stored there; without a metric,
    /// that of its class. `None` if the cell holds no position.
    pub(crate) fn packed_value(
        &self,
        packed: &Packed,
        place: &FilePlace,
        metric: Option<usize>,
    ) -> Result<Option<Value>, TableError> {
        let (tile, turn) = (place.address.block, place.turn());
        let (row, column) = (place.address.cell >> 6, place.address.cell & 63);
        let cell = Cell { tile, row, turn };
        let metric = metric.filter(|&metric| self.is_deep(metric));
        let reach = metric.map_or(Reach::Row, |_| Reach::Depth(column));
        let kept = self.class_tile(packed, cell, reach)?;
        let class = kept.classes().and_then(|tile| tile.get(row, column));
        let Some(class) = class else { return Ok(None) };
        let value = class_value(class);
        let Some(metric) = metric.filter(|_| value != Value::Draw) else {
            return Ok(Some(value));
        };
        let kept = self.depth_tile(packed, metric, cell, Reach::Row)?;
        let plies = kept.depths().map_or(0, |tile| tile[row][column]);
        Ok(Some(match value {
            Value::Win(_) => Value::Win(plies),
            _ => Value::Loss(plies),
        }))
    }

    /// A tile that is kept, or is read now by `read`: as far as it has to be, and
    /// whole the second time.
    fn kept_tile(
        &self,
        packed: &Packed,
        number: usize,
        (row, reach): (usize, Reach),
        read: impl FnOnce(Reach) -> Result<KeptTile, TableError>,
    ) -> Result<Arc<KeptTile>, TableError> {
        let known = self.blocks.tile(number);
        if let Some(known) = known.as_ref().filter(|kept| kept.covers(packed, row, reach)) {
            return Ok(known.clone());
        }
        let tile = Arc::new(read(if known.is_some() { Reach::Tile } else { reach })?);
        self.blocks.insert_tile(number, tile.clone());
        Ok(tile)
    }

    /// The classes of a cell's tile.
    fn class_tile(
        &self,
        packed: &Packed,
        cell: Cell,
        reach: Reach,
    ) -> Result<Arc<KeptTile>, TableError> {
        let Cell { tile, row, turn } = cell;
        let number = packed.side(turn).unwrap_or(0) * packed.layout.tiles() + tile;
        self.kept_tile(packed, number, (row, reach), |reach| {
            let section = self.classes(packed)?;
            let stream = section.table.stream_of(tile, row);
            let stream = stream.map(|stream| section.table.range(stream));
            let data = self.stream_data(packed, &section.data, stream)?;
            let mut classes = Box::new(ClassTile::default());
            let rows = packed.with_scratch(|scratch| {
                let cells = (tile, turn);
                let scratch = &mut scratch.classes;
                section.table.read_rows(scratch, data, cells, row, reach, &mut classes)
            });
            let rows = rows.map_err(|error| self.bad_section(&error))?;
            Ok(KeptTile { rows, cells: Cells::Classes(classes) })
        })
    }

    /// The data of a section, the bytes of the stream that is read checked.
    pub(crate) fn stream_data(
        &self,
        packed: &Packed,
        data: &Range<usize>,
        stream: Option<Range<usize>>,
    ) -> Result<&[u8], TableError> {
        if let Some(range) = stream.filter(|range| !range.is_empty()) {
            self.checked_bytes(packed, data.start + range.start..data.start + range.end)?;
        }
        Ok(&self.bytes()[data.clone()])
    }

    /// The depths of a cell's tile.
    fn depth_tile(
        &self,
        packed: &Packed,
        metric: usize,
        cell: Cell,
        reach: Reach,
    ) -> Result<Arc<KeptTile>, TableError> {
        let Cell { tile, row, turn } = cell;
        let section_number = 1 + self.depth_section(metric, turn)?;
        let number = section_number * packed.layout.tiles() + tile;
        self.kept_tile(packed, number, (row, reach), |reach| {
            let section = self.depths(packed, metric, turn)?;
            let stream = section.table.stream_of(tile, row);
            let stream = stream.map(|stream| section.table.range(stream));
            let data = self.stream_data(packed, &section.data, stream)?;
            let tiles = section.table.tiles_before(tile, row);
            let mut known = self.prefetch(packed, metric, cell, tiles)?;
            let mut depths: Box<DepthTile> = Box::new([[0; 64]; 64]);
            let rows = packed.with_scratch(|scratch| {
                let (at, scratch) = ((tile, row), &mut scratch.depths);
                section.table.read_rows(scratch, data, at, reach, &mut known, &mut depths)
            });
            let rows = rows.map_err(|error| self.bad_section(&error))?;
            Ok(KeptTile { rows, cells: Cells::Depths(depths) })
        })
    }

    /// What depths of some tiles are read with.
    fn prefetch(
        &self,
        packed: &Packed,
        metric: usize,
        cell: Cell,
        tiles: Range<usize>,
    ) -> Result<Prefetched, TableError> {
        let first = tiles.start;
        let at = |tile: usize| Cell { tile, ..cell };
        let classes = tiles.clone().map(|tile| self.class_tile(packed, at(tile), Reach::Tile));
        let classes = classes.collect::<Result<_, _>>()?;
        let before = self.earlier(metric);
        let tiles = if before.is_some() { tiles } else { first..first };
        let before = before.unwrap_or(0);
        let earlier = tiles.map(|tile| self.depth_tile(packed, before, at(tile), Reach::Tile));
        let earlier = earlier.collect::<Result<_, _>>()?;
        Ok(Prefetched { first, classes, earlier, none: ClassTile::default() })
    }

    /// The orientation in which a position is looked up: where one side stands for
    /// both, White is to move.
    pub(crate) fn oriented(&self, position: &Position) -> Position {
        let one_side = self.packed.as_ref().is_some_and(|packed| packed.sides.len() == 1);
        match one_side && position.turn() == Color::Black {
            true => position.swap_colors(),
            false => *position,
        }
    }
}
