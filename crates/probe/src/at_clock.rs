//! Values with the count of the 50-move rule counted in.

use molien_board::{Move, Position, Setup};
use molien_values::{
    FIFTY_MOVES_PLIES, Metric, MoveClass, Value, Values, better, dtm50_at, dtm50_of, value_before,
};

use crate::tablebase::en_passant_captures;
use crate::{AtClock, Failure, ProbeError, Tablebase};

impl Tablebase {
    /// The values of many positions in some metrics, as [`Tablebase::values`] has
    /// them, but mate under the 50-move rule at the count that stands beside each
    /// position. Where the value at clock 0 leaves that open and no board may be
    /// solved for it, it is not known.
    ///
    /// # Errors
    /// If a position is not legal.
    pub fn values_at(
        &self,
        setups: &[Setup],
        metrics: &[Metric],
    ) -> Result<(Vec<Values>, Vec<Failure>), ProbeError> {
        let positions: Vec<Position> = setups.iter().map(|setup| setup.position).collect();
        let (mut values, mut failures) = self.values(&positions, metrics)?;
        if !metrics.contains(&Metric::Dtm50) {
            return Ok((values, failures));
        }
        let mut open: Vec<usize> = Vec::new();
        for (number, (setup, values)) in setups.iter().zip(&mut values).enumerate() {
            let Some(at_zero) = values.get(Metric::Dtm50) else { continue };
            let clock = setup.halfmove_clock;
            let told = match self.rule_plies() {
                FIFTY_MOVES_PLIES => dtm50_of(values, clock),
                stricter => dtm50_at(at_zero, clock, stricter),
            };
            match told {
                Some(value) => values.set(Metric::Dtm50, value),
                None => {
                    values.unset(Metric::Dtm50);
                    open.push(number);
                }
            }
        }
        let asked: Vec<Setup> = open.iter().map(|&number| setups[number]).collect();
        match self.solved_at(&asked) {
            Ok(found) => {
                let found = open.into_iter().zip(found);
                found.for_each(|(number, value)| values[number].set(Metric::Dtm50, value));
            }
            Err(error) => failures.push(Failure { metric: Metric::Dtm50, error }),
        }
        Ok((values, failures))
    }

    fn rule_plies(&self) -> u16 {
        self.clocks().map_or(FIFTY_MOVES_PLIES, |clocks| clocks.rule_plies())
    }

    /// Has boards solved for what clock 0 does not tell.
    fn solved_at(&self, setups: &[Setup]) -> Result<Vec<Value>, ProbeError> {
        let Some(first) = setups.first() else { return Ok(Vec::new()) };
        let (material, clock) = (first.position.material(), first.halfmove_clock);
        let clocks = self.clocks().ok_or(ProbeError::UnknownAtClock { material, clock })?;
        let mut asked = Vec::with_capacity(setups.len());
        for setup in setups {
            let position = setup.position.without_en_passant();
            let at_zero = self.value(&position, Metric::Dtm50)?;
            asked.push(AtClock { position, clock: setup.halfmove_clock, at_zero });
        }
        let own = clocks.values(&asked)?;
        let with_captures =
            |(setup, own): (&Setup, Value)| match en_passant_captures(&setup.position) {
                captures if captures.is_empty() => Ok(own),
                captures => self.with_en_passant(&setup.position, own, &captures),
            };
        setups.iter().zip(own).map(with_captures).collect()
    }

    /// The better of a position's own value and its captures en passant; those
    /// alone where there is no other move.
    fn with_en_passant(
        &self,
        position: &Position,
        own: Value,
        captures: &[Move],
    ) -> Result<Value, ProbeError> {
        let others = position.legal_moves().len() > captures.len();
        let mut best = others.then_some(own);
        for m in captures {
            let after = self.value(&position.play(m), Metric::Dtm50)?;
            let value = value_before(Metric::Dtm50, MoveClass::of(m), after);
            best = Some(best.map_or(value, |best| better(best, value)));
        }
        Ok(best.unwrap_or(own))
    }
}
