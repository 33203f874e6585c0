//! Boards too large to keep the depth of every position.

use molien_board::{Color, Material, Position};
use molien_values::{Metric, Stats, Value};

use crate::watch::positions;
use crate::waves::Extras;
use crate::{Attackers, CudaEngine, CudaError, Keep, Request};

/// Statistics of one side's wins, and the positions of its deepest ones.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Statistics; those of the other side's wins are left out.
    pub stats: Stats,
    /// The deepest wins, White to move; of mirror images one. Empty if there
    /// are more than 65536 addresses of them.
    pub deepest_wins: Vec<Position>,
    /// The deepest losses, Black to move, likewise.
    pub deepest_losses: Vec<Position>,
}

impl CudaEngine {
    /// White's wins with the least memory: statistics and the deepest
    /// positions.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn survey(&self, material: Material, metric: Metric) -> Result<Survey, CudaError> {
        let metric = metric.without_pawns();
        let (keep, attackers) = (Keep::Counts, Attackers::White);
        let request = Request { keep, attackers, ..Request::new(material, metric) };
        let _one = self.one_at_a_time();
        self.check_request(&request)?; // before anything is compiled
        let extras = Extras { deepest: true, ..Extras::default() };
        let (units, stats) = self.while_compiling(&request, || self.run(&request, extras))?;
        let (board, record) = (&units[0].board, &units[0].record);
        let survey = Survey {
            stats,
            deepest_wins: positions(board, Color::White, &record.deepest_won),
            deepest_losses: positions(board, Color::Black, &record.deepest_lost),
        };
        drop(units);
        self.forget_large();
        Ok(survey)
    }

    /// The values of legal positions of one material, whose depths are noted
    /// while the waves run: no depth needs to be kept. One side's wins are
    /// solved after the other's.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn values(
        &self,
        material: Material,
        metric: Metric,
        asked: &[Position],
    ) -> Result<Vec<Value>, CudaError> {
        let metric = metric.without_pawns();
        let request = Request { keep: Keep::Counts, ..Request::new(material, metric) };
        let _one = self.one_at_a_time();
        let mut values = vec![Value::Draw; asked.len()];
        for attacker in Color::BOTH {
            // One side's wins at a time, whichever they are.
            self.check_request(&Request { attackers: Attackers::White, ..request })?;
            let extras = Extras { watched: asked, ..Extras::default() };
            let solve = || self.timed_unit(&request, attacker, extras);
            let (unit, _) = self.while_compiling(&request, solve)?;
            for ((value, position), ply) in values.iter_mut().zip(asked).zip(&unit.record.watched) {
                match ply {
                    Some(ply) if position.turn() == attacker => *value = Value::Win(*ply),
                    Some(ply) => *value = Value::Loss(*ply),
                    None => {}
                }
            }
            drop(unit);
            self.forget_large();
        }
        Ok(values)
    }
}
