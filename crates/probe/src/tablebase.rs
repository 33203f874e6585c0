//! The interface: positions in, answers out.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_solve::Solver;
use molien_values::{Category, Metric, Stats, Value};

use crate::order::quiet_moves_first;
use crate::{Answer, MoveAnswer, ProbeError, SolverSource, Source, Values, chess};
use molien_values::{MoveClass, better, value_before};

/// Answers for positions. Cheap to clone, and safe to share between threads.
#[derive(Clone)]
pub struct Tablebase {
    source: Arc<dyn Source>,
}

impl Tablebase {
    /// Answers from any source of values.
    pub fn new(source: Arc<dyn Source>) -> Tablebase {
        Tablebase { source }
    }

    /// Answers by solving on demand, keeping every table in memory.
    pub fn solving(solver: Solver) -> Tablebase {
        Tablebase::new(Arc::new(SolverSource::new(solver)))
    }

    /// The value of a position in one metric, en passant included.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        position.check_legal()?;
        let plain = position.without_en_passant();
        if position.en_passant().is_none() {
            return self.source.value(&plain, metric);
        }
        let moves = position.legal_moves();
        // Without the right, a position whose only moves are en-passant
        // captures would be mate or stalemate: its value does not count then.
        let mut best = None;
        if moves.iter().any(|m| !m.is_en_passant()) {
            best = Some(self.source.value(&plain, metric)?);
        }
        for m in moves.iter().filter(|m| m.is_en_passant()) {
            let after = self.source.value(&position.play(m), metric)?;
            let value = value_before(metric, MoveClass::of(m), after);
            best = Some(best.map_or(value, |best| better(best, value)));
        }
        match best {
            Some(value) => Ok(value),
            None => self.source.value(&plain, metric),
        }
    }

    /// Announces positions that will be asked for: large tables, which keep no
    /// depths, are then solved once for all of them.
    ///
    /// # Errors
    /// If the tables cannot be had.
    pub fn expect(&self, positions: &[Position], metrics: &[Metric]) -> Result<(), ProbeError> {
        let dtz50 = [Metric::Dtz50];
        let others = metrics.iter().filter(|&&metric| metric != Metric::Dtz50);
        dtz50.iter().chain(others).try_for_each(|&metric| self.source.expect(positions, metric))
    }

    /// The value of a position in every metric.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn probe(&self, position: &Position) -> Result<Answer, ProbeError> {
        self.probe_in(position, &Metric::ALL)
    }

    /// The value of a position in some metrics. DTZ50 is always among them:
    /// the category needs it.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn probe_in(&self, position: &Position, metrics: &[Metric]) -> Result<Answer, ProbeError> {
        let dtz50 = self.value(position, Metric::Dtz50)?;
        let mut values = Values::default();
        values.set(Metric::Dtz50, dtz50);
        for &metric in metrics.iter().filter(|&&metric| metric != Metric::Dtz50) {
            values.set(metric, self.value(position, metric)?);
        }
        Ok(Answer { category: Category::of(dtz50), values })
    }

    /// The value of a position in one metric and no other; its class is that
    /// without the 50-move rule (with it, if the metric is DTZ50).
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn probe_only(&self, position: &Position, metric: Metric) -> Result<Answer, ProbeError> {
        let value = self.value(position, metric)?;
        let mut values = Values::default();
        values.set(metric, value);
        let category =
            if metric == Metric::Dtz50 { Category::of(value) } else { value.outcome().into() };
        Ok(Answer { category, values })
    }

    /// Every legal move with the values after it in every metric, best first.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn moves(&self, position: &Position) -> Result<Vec<MoveAnswer>, ProbeError> {
        self.moves_in(position, &Metric::ALL)
    }

    /// Every legal move with the values after it in some metrics, best first.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn moves_in(
        &self,
        position: &Position,
        metrics: &[Metric],
    ) -> Result<Vec<MoveAnswer>, ProbeError> {
        position.check_legal()?;
        self.expect(&with_successors(position), metrics)?;
        self.answers(position, |position| self.probe_in(position, metrics))
    }

    /// Every legal move with the value after it in one metric and no other,
    /// as [`Tablebase::probe_only`] has it, best first.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn moves_only(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Vec<MoveAnswer>, ProbeError> {
        position.check_legal()?;
        self.source.expect(&with_successors(position), metric)?;
        self.answers(position, |position| self.probe_only(position, metric))
    }

    fn answers(
        &self,
        position: &Position,
        probe: impl Fn(&Position) -> Result<Answer, ProbeError>,
    ) -> Result<Vec<MoveAnswer>, ProbeError> {
        let mut answers = Vec::new();
        for played in quiet_moves_first(position) {
            let after = probe(&position.play(&played))?;
            answers.push(MoveAnswer { played, san: chess::san(position, &played), after });
        }
        answers.sort_by_cached_key(MoveAnswer::sort_key);
        Ok(answers)
    }

    /// The statistics of a material, in the orientation asked.
    ///
    /// # Errors
    /// If its table cannot be had.
    pub fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        let stats = self.source.stats(material, metric)?;
        Ok(if stats.material == material { stats } else { stats.swap_colors() })
    }

    /// Makes sure the table of a material is at hand.
    ///
    /// # Errors
    /// If its table cannot be had.
    pub fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        self.source.prepare(material, metric)
    }
}

/// A position and those one move on.
fn with_successors(position: &Position) -> Vec<Position> {
    let moves = position.legal_moves();
    [*position].into_iter().chain(moves.iter().map(|m| position.play(m))).collect()
}
