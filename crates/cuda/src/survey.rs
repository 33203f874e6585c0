//! Boards too large to keep the depth of every position.

use molien_board::{Color, Material, Position};
use molien_values::{Bishops, Metric, Rule, Stats, Survey, SurveyError, Surveyor, Value};

use crate::watch::positions;
use crate::waves::Extras;
use crate::{Attackers, CudaEngine, CudaError, Detail, Planes, Request};

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

    fn counts(&self, material: Material, metric: Metric) -> bool {
        self.surveys(material) || self.is_large(material) && Metric::ALL.contains(&metric)
    }

    fn expect(&self, materials: &[Material], metric: Metric) {
        self.expect_large(materials, metric);
    }

    fn is_one_sided(&self, material: Material) -> bool {
        material.len() > BOTH_SIDES_MEN
    }

    fn statistics(&self, material: Material, metric: Metric) -> Result<Stats, SurveyError> {
        if self.is_one_sided(material) {
            return Err(SurveyError::OneSided { material });
        }
        let stats = if self.is_large(material) {
            self.large_statistics(material, metric, None)
        } else if let Some(known) = self.known_large(material, metric) {
            Ok(known)
        } else {
            self.request_statistics(&Request::new(material, metric.without_pawns()))
        };
        stats.map_err(|error| survey_error(material, error))
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
            keep: Detail::Outcomes,
            attackers: Attackers::White,
            opposite_bishops: bishops == Bishops::Opposite,
            planes: Planes::Four,
        };
        self.request_statistics(&request).map_err(|error| survey_error(material, error))
    }

    fn survey(&self, material: Material, metric: Metric) -> Result<Survey, SurveyError> {
        let planes = self.survey_request(material, metric).planes;
        self.survey_in(material, metric, planes).map_err(|error| survey_error(material, error))
    }

    fn values(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<Vec<Value>, SurveyError> {
        let planes = self.survey_request(material, metric).planes;
        self.values_in(material, metric, positions, planes)
            .map_err(|error| survey_error(material, error))
    }
}

impl CudaEngine {
    /// White's wins with the least memory: statistics and the deepest
    /// positions.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn survey_in(
        &self,
        material: Material,
        metric: Metric,
        planes: Planes,
    ) -> Result<Survey, CudaError> {
        let request = Request { planes, ..self.survey_request(material, metric) };
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
    pub fn values_in(
        &self,
        material: Material,
        metric: Metric,
        asked: &[Position],
        planes: Planes,
    ) -> Result<Vec<Value>, CudaError> {
        let request = Request { planes, ..self.survey_request(material, metric) };
        let _one = self.one_at_a_time();
        let mut values = vec![Value::Draw; asked.len()];
        for attacker in Color::BOTH {
            self.check_request(&request)?;
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

    /// What a survey of a material asks of the card: one side's wins at a time,
    /// in four planes if they fit and in two if only they do.
    pub fn survey_request(&self, material: Material, metric: Metric) -> Request {
        let metric = metric.without_pawns();
        let (keep, attackers) = (Detail::Counts, Attackers::White);
        let four = Request { keep, attackers, ..Request::new(material, metric) };
        let two_would_do = metric.conversion_rule() == Rule::One && !material.has_pawns();
        let planes =
            if two_would_do && self.make_room(&four).is_err() { Planes::Two } else { Planes::Four };
        Request { planes, ..four }
    }
}
