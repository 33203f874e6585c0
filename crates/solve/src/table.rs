//! A solved material.

use std::sync::Arc;

use molien_board::{Color, Material, Position, Symmetry};
use molien_hyper::{Hyperboard, KingAxis};
use molien_operators::SubGame;

use crate::{Metric, Placement, Stats};

/// The value of a position for the side to move, with its depth in plies.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Value {
    /// Won in so many plies.
    Win(u16),
    /// Drawn.
    Draw,
    /// Lost in so many plies.
    Loss(u16),
}

impl Value {
    /// Who comes out on top, without the depth.
    pub fn outcome(self) -> Outcome {
        match self {
            Value::Win(_) => Outcome::Win,
            Value::Draw => Outcome::Draw,
            Value::Loss(_) => Outcome::Loss,
        }
    }

    /// The depth; none for a draw.
    pub fn plies(self) -> Option<u16> {
        match self {
            Value::Win(plies) | Value::Loss(plies) => Some(plies),
            Value::Draw => None,
        }
    }

    /// Positive plies for a win, negative for a loss, 0 for mated, none for a
    /// draw: the form used in JSON.
    pub fn signed_plies(self) -> Option<i32> {
        match self {
            Value::Win(plies) => Some(i32::from(plies)),
            Value::Loss(plies) => Some(-i32::from(plies)),
            Value::Draw => None,
        }
    }
}

/// Win, draw or loss for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Outcome {
    /// The side to move loses.
    Loss,
    /// Nobody wins.
    Draw,
    /// The side to move wins.
    Win,
}

impl Outcome {
    /// The same, seen from the other side.
    pub fn reverse(self) -> Outcome {
        match self {
            Outcome::Loss => Outcome::Win,
            Outcome::Draw => Outcome::Draw,
            Outcome::Win => Outcome::Loss,
        }
    }

    /// `win`, `draw` or `loss`.
    pub const fn name(self) -> &'static str {
        match self {
            Outcome::Loss => "loss",
            Outcome::Draw => "draw",
            Outcome::Win => "win",
        }
    }
}

/// All values of one material in one metric.
#[derive(Clone, Debug)]
pub struct Table {
    /// The material, stronger side first.
    pub material: Material,
    /// What is counted.
    pub metric: Metric,
    /// One hyperboard without pawns; one for each placement of the pawns (up
    /// to the left-right mirror) otherwise, sorted by placement.
    pub parts: Vec<Arc<SubGame>>,
    /// Counts, maxima, zugzwangs.
    pub stats: Stats,
}

fn placement_of(board: &Hyperboard) -> Placement {
    Placement::new(Color::BOTH.map(|color| board.pawns(color)))
}

impl Table {
    /// The value of a position. En passant is ignored: the caller looks one
    /// move ahead for it. `None` if the table has no such position (other
    /// material, or a placement that was not solved).
    pub fn get(&self, position: &Position) -> Option<Value> {
        let position =
            if position.material() == self.material { *position } else { position.swap_colors() };
        if position.material() != self.material {
            return None;
        }
        let (part, position) = self.find_part(&position)?;
        let index = part.board.encode(&position)?;
        let values = &part.values[position.turn().index()];
        let depth = values.depth_at(index.tile, index.row, index.column);
        if values.won[index.tile].contains(index.row, index.column) {
            Some(Value::Win(depth))
        } else if values.lost[index.tile].contains(index.row, index.column) {
            Some(Value::Loss(depth))
        } else {
            Some(Value::Draw)
        }
    }

    /// The hyperboard that holds a position's pawns, and the position in its
    /// frame.
    fn find_part(&self, position: &Position) -> Option<(&SubGame, Position)> {
        let first = self.parts.first()?;
        if first.board.king_axis() == KingAxis::Pairs {
            return Some((first, *position));
        }
        let (pawns, mirrored) = Placement::of(position).canonical();
        let image = if mirrored { position.transform(Symmetry::MIRROR) } else { *position };
        self.part(pawns).map(|part| (&**part, image))
    }

    /// The hyperboard around a canonical placement of the pawns.
    pub fn part(&self, pawns: Placement) -> Option<&Arc<SubGame>> {
        let found = self.parts.binary_search_by_key(&pawns, |part| placement_of(&part.board));
        found.ok().map(|i| &self.parts[i])
    }

    /// Bytes the values take in memory.
    pub fn len_bytes(&self) -> usize {
        let graded = self.parts.iter().flat_map(|part| &part.values);
        graded.map(molien_operators::Graded::len_bytes).sum()
    }
}
