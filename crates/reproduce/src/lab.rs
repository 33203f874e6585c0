//! Where our figures come from.

use std::sync::Arc;

use molien_board::{Material, Position, Role};
use molien_build::Build;
use molien_probe::{MadeTables, ProbeError, Source, Sources, SurveySource, Tablebase};
use molien_values::{Bishops, Metric, Stats, Surveyor, Values};

use crate::ReproduceError;

/// Tables of chess, and of chess with promotion to queens only.
pub struct Lab {
    chess: Arc<MadeTables>,
    /// Where values of chess come from: `chess`, or something before it.
    source: Arc<dyn Source>,
    /// Something faster for six men.
    surveyor: Option<Arc<dyn Surveyor>>,
    queens: Arc<MadeTables>,
}

impl Lab {
    /// Solves with what `build` makes.
    pub fn new(build: impl Fn() -> Build) -> Lab {
        let made = |build: Build| Arc::new(MadeTables::new(Arc::new(build), None));
        let chess = made(build());
        Lab {
            chess: chess.clone(),
            source: chess,
            surveyor: None,
            queens: made(build().with_promotions(&[Role::Queen])),
        }
    }

    /// Has large boards solved by this.
    pub fn with_surveyor(mut self, surveyor: Arc<dyn Surveyor>) -> Lab {
        let surveyed = Arc::new(SurveySource::new(surveyor.clone()));
        self.source = Arc::new(Sources::new(vec![surveyed, self.source]));
        self.surveyor = Some(surveyor);
        self
    }

    /// The statistics of White's wins in DTC, if there is something that
    /// counts them apart from Black's.
    pub(crate) fn white_wins(
        &self,
        material: Material,
        bishops: Bishops,
    ) -> Result<Option<Stats>, ReproduceError> {
        let Some(surveyor) = &self.surveyor else { return Ok(None) };
        let stats = surveyor.white_wins(material, Metric::Dtc, bishops);
        Ok(Some(stats.map_err(ProbeError::from)?))
    }

    /// Makes tables of chess.
    pub fn build(&self) -> &Build {
        self.chess.build()
    }

    /// Makes tables with promotion to queens only.
    pub fn queens_build(&self) -> &Build {
        self.queens.build()
    }

    /// Answers for chess.
    pub fn tables(&self) -> Tablebase {
        Tablebase::new(self.source.clone())
    }

    /// Answers with promotion to queens only.
    pub fn queens_tables(&self) -> Tablebase {
        Tablebase::new(self.queens.clone())
    }

    /// Makes sure that [`Lab::tables`] knows the depths of these positions,
    /// six men without pawns included.
    pub(crate) fn gather(
        &self,
        positions: &[Position],
        metric: Metric,
    ) -> Result<(), ReproduceError> {
        let mut found = vec![Values::default(); positions.len()];
        match self.source.values(positions, &[metric], &mut found).into_iter().next() {
            Some(failure) => Err(failure.error.into()),
            None => Ok(()),
        }
    }
}
