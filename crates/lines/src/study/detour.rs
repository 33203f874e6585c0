//! Moves that win or draw as well, but only by coming back to the solution.
//!
//! Composers do not count these as second solutions: the solver loses time,
//! or transposes, and has nothing better than the main line in the end.

use std::collections::HashSet;

use molien_board::{Move, Position, Setup};
use molien_probe::Tablebase;

use super::model::MoveReport;
use crate::{Judged, LineError, Strategy};

/// Moves of the solver looked ahead.
const DEPTH: usize = 3;
/// With more good moves than this nothing is forced.
const FEW: usize = 6;

/// Looks for ways back to the main line.
pub(super) struct Detours<'a> {
    pub tables: &'a Tablebase,
    /// What good moves are.
    pub strategy: Strategy,
    /// Positions of the main line, the solver to move.
    pub main: HashSet<Position>,
}

impl Detours<'_> {
    fn judged(&self, setup: Setup) -> Result<Judged, LineError> {
        Judged::new(self.tables, setup, &self.strategy)
    }

    /// The names of the moves among the others of a report that are detours.
    pub fn of(&self, report: &MoveReport) -> Result<Vec<String>, LineError> {
        if report.others.len() > FEW {
            return Ok(Vec::new());
        }
        let judged = self.judged(report.setup)?;
        let mut found = Vec::new();
        for candidate in judged.preserving_moves() {
            let name = judged.san(candidate);
            if report.others.contains(&name)
                && self.returns(&report.setup, &candidate.played, DEPTH)?
            {
                found.push(name);
            }
        }
        Ok(found)
    }

    /// Whether the opponent can answer the solver's move so that the solver
    /// has to come back to the main line.
    fn returns(&self, from: &Setup, played: &Move, depth: usize) -> Result<bool, LineError> {
        let after = from.play(played);
        let replies: Vec<Setup> =
            after.position.legal_moves().iter().map(|reply| after.play(reply)).collect();
        if replies.iter().any(|reply| self.main.contains(&reply.position)) {
            return Ok(true);
        }
        if depth == 1 {
            return Ok(false);
        }
        for reply in &replies {
            if self.forced_back(reply, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether every good move of the solver's leads back.
    fn forced_back(&self, setup: &Setup, depth: usize) -> Result<bool, LineError> {
        let judged = self.judged(*setup)?;
        if judged.preserving > FEW || judged.moves.is_empty() {
            return Ok(false);
        }
        for candidate in judged.preserving_moves() {
            if !self.returns(setup, &candidate.played, depth - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
