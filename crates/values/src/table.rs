//! A solved material, and where it holds a position.

use std::sync::Arc;

use molien_board::{Color, Material, Position, Symmetry};
use molien_hyper::{Index, KingAxis};

use crate::{BoardValues, Graded, Metric, Placement, Stats, Value};

/// All values of one material in one metric.
#[derive(Clone, Debug)]
pub struct Table {
    /// The material, stronger side first.
    pub material: Material,
    /// What is counted.
    pub metric: Metric,
    /// One hyperboard without pawns; one for each placement of the pawns (up
    /// to the left-right mirror) otherwise, sorted by placement.
    pub parts: Vec<Arc<BoardValues>>,
    /// Counts, maxima, zugzwangs.
    pub stats: Stats,
}

/// Where a table holds a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// Which hyperboard.
    pub part: usize,
    /// Which side is to move there.
    pub turn: Color,
    /// Where on it.
    pub index: Index,
}

impl Table {
    /// Where the position is held. Tables of one material have the same
    /// places in every metric. `None` if the table has no such position.
    pub fn locate(&self, position: &Position) -> Option<Place> {
        let position =
            if position.material() == self.material { *position } else { position.swap_colors() };
        let turn = position.turn();
        let first = self.parts.first()?;
        if first.board.king_axis() == KingAxis::Pairs {
            return Some(Place { part: 0, turn, index: first.board.encode(&position)? });
        }
        let (pawns, mirrored) = Placement::of(&position).canonical();
        let image = if mirrored { position.transform(Symmetry::MIRROR) } else { position };
        let part = self.part_number(pawns)?;
        Some(Place { part, turn, index: self.parts[part].board.encode(&image)? })
    }

    fn part_number(&self, pawns: Placement) -> Option<usize> {
        let placement = |part: &Arc<BoardValues>| {
            Placement::new(Color::BOTH.map(|color| part.board.pawns(color)))
        };
        self.parts.binary_search_by_key(&pawns, placement).ok()
    }

    /// The hyperboard around a canonical placement of the pawns.
    pub fn part(&self, pawns: Placement) -> Option<&Arc<BoardValues>> {
        self.part_number(pawns).map(|i| &self.parts[i])
    }

    /// The value of a position. En passant is ignored: the caller looks one
    /// move ahead for it. `None` if the table has no such position (other
    /// material, or a placement that was not solved).
    pub fn get(&self, position: &Position) -> Option<Value> {
        self.locate(position).map(|place| self.at(place))
    }

    /// The value at a place that [`Table::locate`] gave.
    pub fn at(&self, place: Place) -> Value {
        self.parts[place.part].at(place.turn, place.index)
    }

    /// A table in DTZ50 as one of the classes alone. If it keeps no depths, it has
    /// none then either.
    pub fn as_classes(&self) -> Table {
        if !self.has_depths() {
            let stats = self.stats.as_classes();
            return Table { metric: Metric::Wdl, stats, ..self.clone() };
        }
        let part = |part: &Arc<BoardValues>| {
            let values = part.values.each_ref().map(Graded::as_classes);
            Arc::new(BoardValues { board: part.board.clone(), values })
        };
        Table {
            material: self.material,
            metric: Metric::Wdl,
            parts: self.parts.iter().map(part).collect(),
            stats: self.stats.as_classes(),
        }
    }

    /// Bytes the values take in memory.
    pub fn len_bytes(&self) -> usize {
        let graded = self.parts.iter().flat_map(|part| &part.values);
        graded.map(Graded::len_bytes).sum()
    }

    /// Whether depths were kept (large tables only count them).
    pub fn has_depths(&self) -> bool {
        let mut sides = self.parts.iter().flat_map(|part| &part.values);
        let undecided =
            self.stats.sides.iter().all(|side| side.wins.len() + side.losses.len() == 0);
        undecided || sides.any(|side| !side.depth.is_empty())
    }
}
