//! The interface: positions in, answers out.

use std::borrow::Cow;
use std::sync::Arc;

use molien_board::{Material, Move, Position, Setup};
use molien_build::Build;
use molien_table::Directory;
use molien_values::{
    FIFTY_MOVES_PLIES, Metric, MoveClass, Precision, Stats, Value, Values, better, value_before,
};

use crate::bulk::map_all;
use crate::order::quiet_moves_first;
use crate::{
    Answer, ClockTables, Failure, MadeTables, MoveAnswer, ProbeError, Source, Sources,
    StoredTables, chess,
};

/// Answers for positions. Cheap to clone, and safe to share between threads.
#[derive(Clone)]
pub struct Tablebase {
    source: Arc<dyn Source>,
    /// Solves boards for single clocks, if that may be done.
    clocks: Option<Arc<ClockTables>>,
}

impl Tablebase {
    /// Answers from any source of values.
    pub fn new(source: Arc<dyn Source>) -> Tablebase {
        Tablebase { source, clocks: None }
    }

    /// Solves boards for what tables alone do not tell: mate under the 50-move
    /// rule with plies counted already.
    pub fn with_clocks(mut self, clocks: Arc<ClockTables>) -> Tablebase {
        self.clocks = Some(clocks);
        self
    }

    pub(crate) fn clocks(&self) -> Option<&ClockTables> {
        self.clocks.as_deref()
    }

    /// Answers by solving on demand. If the build has a folder, whole tables are
    /// stored there and read from it; else every table is kept in memory.
    pub fn solving(build: impl Into<Arc<Build>>) -> Tablebase {
        let build = build.into();
        let stored = build.folder().map(|folder| Arc::new(StoredTables::new(folder.clone())));
        let made = MadeTables::new(build.clone(), stored.clone());
        let stored = stored.map(|stored| stored as Arc<dyn Source>);
        Tablebase::new(Arc::new(Sources::new(
            stored.into_iter().chain([Arc::new(made) as Arc<dyn Source>]).collect(),
        )))
        .with_clocks(Arc::new(ClockTables::new(build)))
    }

    /// Answers from stored tables and nothing else.
    pub fn stored(folder: Directory) -> Tablebase {
        Tablebase::new(Arc::new(StoredTables::new(folder)))
    }

    /// Whether the whole table of a material is at hand, so that nothing has to
    /// be solved for an answer.
    pub fn holds(&self, material: Material, metric: Metric) -> bool {
        self.source.holds(material, metric)
    }

    /// The values of many positions in some metrics, en passant included. What
    /// is not known is left out, with the reason.
    ///
    /// # Errors
    /// If a position is not legal.
    pub fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
    ) -> Result<(Vec<Values>, Vec<Failure>), ProbeError> {
        map_all(positions, Position::check_legal).into_iter().collect::<Result<(), _>>()?;
        // What captures en passant lead to, where there are any, is asked with the rest.
        let has_right = |&i: &usize| positions[i].en_passant().is_some();
        let with_right: Vec<(usize, Vec<Move>)> = (0..positions.len())
            .filter(has_right)
            .map(|i| (i, en_passant_captures(&positions[i])))
            .collect();
        let mut asked = Cow::Borrowed(positions);
        if !with_right.is_empty() {
            let asked = asked.to_mut();
            asked.iter_mut().for_each(|position| *position = position.without_en_passant());
            for (i, captures) in &with_right {
                asked.extend(captures.iter().map(|m| positions[*i].play(m).without_en_passant()));
            }
        }
        let mut found = vec![Values::default(); asked.len()];
        let failures = self.source.values(&asked, metrics, &mut found);
        let mut after = found.split_off(positions.len()).into_iter();
        for (i, captures) in &with_right {
            let after: Vec<Values> = after.by_ref().take(captures.len()).collect();
            found[*i] = with_captures(&positions[*i], found[*i], captures, &after);
        }
        Ok((found, failures))
    }

    /// The value of a position in one metric, en passant included. A source that
    /// rounds may be one ply short: [`Tablebase::values`] says where.
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let (values, failures) = self.values(&[*position], &[metric])?;
        let missing = || ProbeError::MissingTable { material: position.material(), metric };
        let failure = || failures.into_iter().next().map_or_else(missing, |f| f.error);
        values.first().and_then(|values| values.get(metric)).ok_or_else(failure)
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
    /// If the position is not legal or none of the values can be had.
    pub fn probe_in(&self, position: &Position, metrics: &[Metric]) -> Result<Answer, ProbeError> {
        self.probe_at(&Setup::from(*position), &with_dtz50(metrics))
    }

    /// The value of a position in these metrics, its class exact at the count of
    /// the 50-move rule that stands beside it (if DTZ50 or DTM50 is among the
    /// metrics), and so are plies in DTM50.
    ///
    /// # Errors
    /// If the position is not legal or none of the values can be had.
    pub fn probe_at(&self, setup: &Setup, metrics: &[Metric]) -> Result<Answer, ProbeError> {
        let (material, metric) = (setup.position.material(), Metric::Dtz50);
        let answer = self.answers_at(&[*setup], metrics)?.into_iter().next();
        answer.unwrap_or(Err(ProbeError::MissingTable { material, metric }))
    }

    /// The value of a position in one metric and no other; its class is that
    /// without the 50-move rule (with it, if the metric is DTZ50).
    ///
    /// # Errors
    /// If the position is not legal or its tables cannot be had.
    pub fn probe_only(&self, position: &Position, metric: Metric) -> Result<Answer, ProbeError> {
        self.probe_at(&Setup::from(*position), &[metric])
    }

    /// The answers for many positions: each says what is known in these metrics
    /// and what is not. A position of which nothing is known is an error of its
    /// own.
    ///
    /// # Errors
    /// If a position is not legal.
    pub fn answers(
        &self,
        positions: &[Position],
        metrics: &[Metric],
    ) -> Result<Vec<Result<Answer, ProbeError>>, ProbeError> {
        let setups: Vec<Setup> = positions.iter().copied().map(Setup::from).collect();
        self.answers_at(&setups, metrics)
    }

    /// The same, each position with its count of the 50-move rule.
    ///
    /// # Errors
    /// If a position is not legal.
    pub fn answers_at(
        &self,
        setups: &[Setup],
        metrics: &[Metric],
    ) -> Result<Vec<Result<Answer, ProbeError>>, ProbeError> {
        let (mut values, failures) = self.values_at(setups, metrics)?;
        self.add_classes(setups, metrics, &mut values)?;
        let asked: Vec<(&Setup, Values)> = setups.iter().zip(values).collect();
        let answer = |(setup, values): &(&Setup, Values)| {
            let position = &setup.position;
            let missing: Vec<Failure> = metrics
                .iter()
                .filter(|&&metric| values.get(metric).is_none())
                .map(|&metric| why(&failures, position, metric))
                .collect();
            Answer::new(*values, setup.halfmove_clock, missing)
                .map_err(|missing| why_unknown(position, &missing))
        };
        Ok(map_all(&asked, answer))
    }

    /// Where nothing is known in these metrics, the class alone will do, if that
    /// is stored.
    fn add_classes(
        &self,
        setups: &[Setup],
        metrics: &[Metric],
        values: &mut [Values],
    ) -> Result<(), ProbeError> {
        let unknown = |(_, values): &(usize, &Values)| {
            metrics.iter().all(|&metric| values.get(metric).is_none())
        };
        let material = |i: usize| setups[i].position.material();
        let has_class = |i: &usize| self.source.holds(material(*i), Metric::Wdl);
        let unknown = values.iter().enumerate().filter(unknown).map(|(i, _)| i);
        let unknown: Vec<usize> = unknown.filter(has_class).collect();
        let asked: Vec<Position> = unknown.iter().map(|&i| setups[i].position).collect();
        let (classes, _) = self.values(&asked, &[Metric::Wdl])?;
        for (i, found) in unknown.into_iter().zip(classes) {
            if let Some(value) = found.get(Metric::Wdl) {
                values[i].set(Metric::Wdl, value);
            }
        }
        Ok(())
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
    /// If the position is not legal or the values after a move cannot be had.
    pub fn moves_in(
        &self,
        position: &Position,
        metrics: &[Metric],
    ) -> Result<Vec<MoveAnswer>, ProbeError> {
        self.moves_at(&Setup::from(*position), &with_dtz50(metrics))
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
        self.moves_at(&Setup::from(*position), &[metric])
    }

    /// Every legal move with the values after it in these metrics, best first.
    /// Classes are exact at the count of the 50-move rule, which moves continue:
    /// a move wins in time exactly if it leaves a loss. With 100 plies already
    /// counted a draw can be claimed instead of any move.
    ///
    /// # Errors
    /// If the position is not legal or the values after a move cannot be had.
    pub fn moves_at(
        &self,
        setup: &Setup,
        metrics: &[Metric],
    ) -> Result<Vec<MoveAnswer>, ProbeError> {
        let position = &setup.position;
        position.check_legal()?;
        let played = quiet_moves_first(position);
        let after = |m: &Move| match setup.halfmove_clock >= u32::from(FIFTY_MOVES_PLIES) {
            // Too late even for a capture or mate.
            true => {
                Setup { halfmove_clock: setup.halfmove_clock.saturating_add(1), ..setup.play(m) }
            }
            false => setup.play(m),
        };
        // The position itself is asked with them: large tables, which keep no
        // depths, are then solved once for all, also if it is probed next.
        let asked: Vec<Setup> = [*setup].into_iter().chain(played.iter().map(after)).collect();
        let answers = self.answers_at(&asked, metrics)?.into_iter().skip(1);
        let mut moves = Vec::with_capacity(played.len());
        for (played, after) in played.into_iter().zip(answers) {
            let san = chess::san(position, &played);
            moves.push(MoveAnswer { played, san, after: after? });
        }
        moves.sort_by_cached_key(MoveAnswer::sort_key);
        Ok(moves)
    }

    /// The statistics of a material, in the orientation asked.
    ///
    /// # Errors
    /// If its table cannot be had.
    pub fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        let missing = ProbeError::MissingTable { material, metric };
        let stats = self.source.stats(material, metric)?.ok_or(missing)?;
        Ok(if stats.material == material { stats } else { stats.swap_colors() })
    }

    /// Makes sure the table of a material is at hand.
    ///
    /// # Errors
    /// If its table cannot be had.
    pub fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        match self.source.prepare(material, metric)? {
            true => Ok(()),
            false => Err(ProbeError::MissingTable { material, metric }),
        }
    }
}

fn with_dtz50(metrics: &[Metric]) -> Vec<Metric> {
    let others = metrics.iter().copied().filter(|&metric| metric != Metric::Dtz50);
    [Metric::Dtz50].into_iter().chain(others).collect()
}

/// Why nothing is known of a position.
fn why_unknown(position: &Position, missing: &[Failure]) -> ProbeError {
    // What went wrong says more than that there is no table.
    let failed = missing.iter().find(|failure| failure.error.missing_table().is_none());
    let error = failed.or(missing.first()).map(|failure| failure.error.clone());
    let (material, metric) = (position.material(), Metric::Dtz50);
    error.unwrap_or(ProbeError::MissingTable { material, metric })
}

/// Why a value is not known: a failure if there was one, else a missing table.
fn why(failures: &[Failure], position: &Position, metric: Metric) -> Failure {
    let missing = || {
        let material = position.material();
        Failure { metric, error: ProbeError::MissingTable { material, metric } }
    };
    failures.iter().find(|failure| failure.metric == metric).cloned().unwrap_or_else(missing)
}

pub(crate) fn en_passant_captures(position: &Position) -> Vec<Move> {
    position.legal_moves().iter().copied().filter(Move::is_en_passant).collect()
}

/// What captures en passant add to the values of a position without the right.
/// Without it, a position whose only moves are such captures would be mate or
/// stalemate: its value does not count then.
fn with_captures(position: &Position, own: Values, captures: &[Move], after: &[Values]) -> Values {
    let others = position.legal_moves().len() > captures.len();
    let mut found = Values::default();
    for metric in Metric::EVERY {
        let known = captures.iter().zip(after);
        let capture = |(m, after): (&Move, &Values)| {
            Some(value_before(metric, MoveClass::of(m), after.get(metric)?))
        };
        let best = known.map(capture).chain(others.then(|| own.get(metric)));
        let best: Option<Vec<Value>> = best.collect();
        if let Some(best) = best.and_then(|values| values.into_iter().reduce(better)) {
            // A capture zeroes: how far it is from there is not counted, so it
            // is exact even if what follows is rounded.
            let is_own = others && own.get(metric) == Some(best);
            let precision = if is_own { own.precision(metric) } else { Precision::Exact };
            found.set_to(metric, best, precision);
        }
    }
    found
}
