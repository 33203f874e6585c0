//! Every legal move of a position, judged by a strategy.

use std::cmp::Reverse;

use molien_board::{Move, Position};
use molien_probe::{Tablebase, chess, quiet_moves_first};
use molien_values::{Metric, MoveClass, Outcome, Value, value_before};

use crate::{LineError, Strategy};

/// A legal move and what it is worth to the mover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The move.
    pub played: Move,
    /// Win, draw or loss for the mover.
    pub outcome: Outcome,
    /// Its worth in each metric of the strategy, counted from before the
    /// move, seen from the mover.
    pub values: Vec<Value>,
}

/// The judged moves of a position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Judged {
    /// The position.
    pub position: Position,
    /// All legal moves, the optimal ones first, then in order of their names.
    pub moves: Vec<Candidate>,
    /// How many of them are optimal.
    pub optimal: usize,
    /// How many keep the value (win, draw or loss) of the position.
    pub preserving: usize,
}

/// Orders values for the side they are seen from: greater is better.
fn rank(value: Value) -> (Outcome, i32) {
    match value {
        Value::Win(plies) => (Outcome::Win, -i32::from(plies)),
        Value::Draw => (Outcome::Draw, 0),
        Value::Loss(plies) => (Outcome::Loss, i32::from(plies)),
    }
}

impl Judged {
    /// Judges every legal move of a position.
    ///
    /// # Errors
    /// If a value cannot be had.
    pub fn new(
        tables: &Tablebase,
        position: &Position,
        strategy: &Strategy,
    ) -> Result<Judged, LineError> {
        let mut moves = Vec::new();
        for played in quiet_moves_first(position) {
            let after = position.play(&played);
            let value = |&metric: &Metric| {
                let value = tables.value(&after, metric)?;
                Ok::<Value, LineError>(value_before(metric, MoveClass::of(&played), value))
            };
            let values = strategy.metrics().iter().map(value).collect::<Result<Vec<_>, _>>()?;
            let outcome = values.first().map_or(Outcome::Draw, |value| value.outcome());
            moves.push(Candidate { played, outcome, values });
        }
        let key = |m: &Candidate| m.values.iter().map(|&value| rank(value)).collect::<Vec<_>>();
        moves.sort_by_cached_key(|m| (Reverse(key(m)), m.played.to_string()));
        let best = moves.first().cloned();
        let count = |good: &dyn Fn(&Candidate, &Candidate) -> bool| match &best {
            Some(best) => moves.iter().filter(|m| good(m, best)).count(),
            None => 0,
        };
        let optimal = count(&|m, best| m.values == best.values);
        let preserving = count(&|m, best| m.outcome == best.outcome);
        Ok(Judged { position: *position, moves, optimal, preserving })
    }

    /// The outcome of the position for the side to move; none if it has no
    /// legal move.
    pub fn outcome(&self) -> Option<Outcome> {
        self.moves.first().map(|best| best.outcome)
    }

    /// The candidate that is this move.
    pub fn find(&self, played: &Move) -> Option<&Candidate> {
        self.moves.iter().find(|m| m.played == *played)
    }

    /// The optimal moves.
    pub fn optimal_moves(&self) -> &[Candidate] {
        &self.moves[..self.optimal]
    }

    /// Whether the move is optimal.
    pub fn is_optimal(&self, played: &Move) -> bool {
        self.optimal_moves().iter().any(|m| m.played == *played)
    }

    /// Whether the move keeps the value of the position.
    pub fn is_preserving(&self, played: &Move) -> bool {
        self.find(played).map(|m| m.outcome) == self.outcome()
    }

    /// The moves that keep the value, the optimal ones first.
    pub fn preserving_moves(&self) -> impl Iterator<Item = &Candidate> {
        let outcome = self.outcome();
        self.moves.iter().filter(move |m| Some(m.outcome) == outcome)
    }

    /// The name of a move here.
    pub fn san(&self, candidate: &Candidate) -> String {
        chess::san(&self.position, &candidate.played)
    }
}
