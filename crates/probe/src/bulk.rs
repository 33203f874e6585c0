//! Many positions at once.

use molien_board::{FenError, FenOptions, Setup};
use molien_values::Metric;
use rayon::prelude::*;
use thiserror::Error;

use crate::{Answer, ProbeError, Tablebase};

/// So few are not worth a second thread.
const ON_ONE_THREAD: usize = 1 << 10;
/// Positions answered together: each block of a table is decoded once for all
/// of them, so the more the better; each takes half a kilobyte meanwhile.
const AT_ONCE: usize = 1 << 20;

/// Why a line has no answer.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub enum FenProbeError {
    /// It is not the FEN of a legal position.
    #[error(transparent)]
    Fen(#[from] FenError),
    /// Nothing is known of the position.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// The results for all items, in order, on several threads if there are many.
pub(crate) fn map_all<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    match items.len() <= ON_ONE_THREAD {
        true => items.iter().map(work).collect(),
        false => items.par_iter().with_min_len(ON_ONE_THREAD).map(&work).collect(),
    }
}

impl Tablebase {
    /// The answers to many FENs, in their order, each as
    /// [`Tablebase::probe_at`] gives it. Given many at once, each part of a table
    /// is read once for all of them, by all threads.
    ///
    /// ```
    /// use molien_board::FenOptions;
    /// use molien_build::Build;
    /// use molien_probe::Tablebase;
    /// use molien_values::Metric;
    ///
    /// let tables = Tablebase::solving(Build::new());
    /// let fens = ["8/8/8/8/8/2k5/8/K6R w - - 0 1", "8/8/8/8/8/8/8/8 w - - 0 1"];
    /// let answers = tables.answer_fens(&fens, &[Metric::Dtm], FenOptions::default());
    /// let (_, answer) = answers[0].as_ref().unwrap();
    /// assert_eq!(answer.values.plies(Metric::Dtm), Some(27));
    /// let error = answers[1].as_ref().unwrap_err();
    /// assert_eq!(error.to_string(), "illegal position: White has 0 kings instead of one");
    /// ```
    pub fn answer_fens(
        &self,
        fens: &[impl AsRef<str> + Sync],
        metrics: &[Metric],
        options: FenOptions,
    ) -> Vec<Result<(Setup, Answer), FenProbeError>> {
        let mut answers = Vec::with_capacity(fens.len());
        for fens in fens.chunks(AT_ONCE) {
            let setups = map_all(fens, |fen| Setup::parse(fen.as_ref().trim(), options));
            let good: Vec<Setup> =
                setups.iter().filter_map(|setup| setup.as_ref().ok()).copied().collect();
            let failed = |error: ProbeError| vec![Err(error); good.len()];
            let mut found = self.answers_at(&good, metrics).unwrap_or_else(failed).into_iter();
            answers.extend(setups.into_iter().map(|setup| {
                let setup = setup?;
                // There are as many answers as good positions.
                let material = setup.position.material();
                let missing = || ProbeError::MissingTable { material, metric: Metric::Dtz50 };
                Ok((setup, found.next().unwrap_or_else(|| Err(missing()))?))
            }));
        }
        answers
    }
}
