//! One hyperboard of a table, in the metrics that are looked at.

use std::sync::{Arc, OnceLock};

use molien_board::{Bitboard, Color};
use molien_hyper::{Hyperboard, Index, Plane, Tile};
use molien_operators::fastest;
use molien_values::{BoardValues, Graded, Metric, Outcome, Place, Value};

/// The values of one part. A side to move that was not asked for is empty.
pub(crate) struct Part {
    pub number: usize,
    /// Any metric: it says who wins.
    pub first: Arc<BoardValues>,
    pub by_metric: [Option<Arc<BoardValues>>; Metric::EVERY.len()],
    /// The legal positions of both sides, made when first wanted.
    legal: [OnceLock<Plane>; 2],
}

impl Part {
    pub fn new(
        number: usize,
        first: Arc<BoardValues>,
        by_metric: [Option<Arc<BoardValues>>; Metric::EVERY.len()],
    ) -> Part {
        Part { number, first, by_metric, legal: Default::default() }
    }

    pub fn board(&self) -> &Hyperboard {
        &self.first.board
    }

    /// Who wins, with a side to move.
    pub fn side(&self, turn: Color) -> &Graded {
        &self.first.values[turn.index()]
    }

    /// Whether the values of a side to move were read.
    pub fn has(&self, turn: Color) -> bool {
        !self.side(turn).legal.is_empty()
    }

    pub fn outcome(&self, place: Place) -> Outcome {
        self.first.at(place.turn, place.index).outcome()
    }

    /// The value in a metric that was read.
    pub fn value(&self, metric: Metric, turn: Color, index: Index) -> Option<Value> {
        Some(self.by_metric[metric as usize].as_ref()?.at(turn, index))
    }

    /// The legal positions with a side to move, whether its values were read or
    /// not.
    pub fn legal(&self, turn: Color) -> &Plane {
        let of_tile = |tile| match self.board().cell(tile) {
            Some(cell) => fastest().legal(self.board(), turn, &cell),
            None => Tile::EMPTY,
        };
        let tiles = || match self.has(turn) {
            true => self.side(turn).legal.clone(),
            false => (0..self.board().tiles()).map(of_tile).collect(),
        };
        self.legal[turn.index()].get_or_init(|| Plane::from_tiles(tiles()))
    }
}

/// A part that is to be looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PartPlan {
    pub number: usize,
    /// The sides to move in which something can match, in the table's
    /// orientation.
    pub turns: [bool; 2],
    /// The sides to move whose values are needed.
    pub sides: [bool; 2],
}

/// What is known of a part before it is read: where its pawns stand.
pub(crate) type Pawns = [Bitboard; 2];
