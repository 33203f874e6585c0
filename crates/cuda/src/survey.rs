//! Boards too large to keep the depth of every position.

use molien_board::{Color, Material, Position};
use molien_values::{Bishops, Metric, Stats, Survey, SurveyError, Surveyor, Value};

use crate::watch::positions;
use crate::waves::Extras;
use crate::{Attackers, CudaEngine, CudaError, Keep, Request};

/// Smaller boards are solved as tables, and kept.
const SURVEYED_MEN: usize = 6;
/// Of boards with more men one side's wins fill the card.
const BOTH_SIDES_MEN: usize = 6;

fn survey_error(material: Material, error: CudaError) -> SurveyError {
    match error {
        CudaError::Memory { material, metric, needed_mib, plan, free_mib } => {
            let plan = format!("on the card: {plan}");
            SurveyError::Memory { material, metric, needed_mib, plan, free_mib }
        }
        CudaError::Cancelled { material } => SurveyError::Cancelled { material },
        other => SurveyError::Failed { material, reason: other.to_string() },
    }
}

impl Surveyor for CudaEngine {
    fn surveys(&self, material: Material) -> bool {
        material.len() >= SURVEYED_MEN && !material.has_pawns()
    }

    fn is_one_sided(&self, material: Material) -> bool {
        material.len() > BOTH_SIDES_MEN
    }

    fn statistics(&self, material: Material, metric: Metric) -> Result<Stats, SurveyError> {
        if self.is_one_sided(material) {
            return Err(SurveyError::OneSided { material });
        }
        let request = Request::new(material, metric.without_pawns());
        self.request_statistics(&request).map_err(|error| survey_error(material, error))
    }

    fn white_wins(
        &self,
        material: Material,
        metric: Metric,
        bishops: Bishops,
    ) -> Result<Stats, SurveyError> {
        let request = Request {
            material,
            metric: metric.without_pawns(),
            keep: Keep::Outcomes,
            attackers: Attackers::White,
            opposite_bishops: bishops == Bishops::Opposite,
        };
        self.request_statistics(&request).map_err(|error| survey_error(material, error))
    }

    fn survey(&self, material: Material, metric: Metric) -> Result<Survey, SurveyError> {
        self.survey_white(material, metric).map_err(|error| survey_error(material, error))
    }

    fn values(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<Vec<Value>, SurveyError> {
        self.watched_values(material, metric, positions)
            .map_err(|error| survey_error(material, error))
    }
}

impl CudaEngine {
    /// White's wins with the least memory: statistics and the deepest
    /// positions.
    fn survey_white(&self, material: Material, metric: Metric) -> Result<Survey, CudaError> {
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
    fn watched_values(
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
