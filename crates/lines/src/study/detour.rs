//! Moves that win or draw as well, but only by coming back to the solution.
//!
//! Composers do not count these as second solutions: the solver loses time,
//! or transposes, and has nothing better than the main line in the end.

use std::collections::HashSet;

use molien_board::{Move, Position};
use molien_probe::Tablebase;
use molien_values::Metric;

use super::walk::MoveReport;
use crate::{Judged, LineError, Strategy};

/// Moves of the solver looked ahead.
const DEPTH: usize = 3;
/// With more good moves than this nothing is forced.
const FEW: usize = 6;

/// Positions of the main line, the solver to move.
pub(super) struct Detours<'a> {
    tables: &'a Tablebase,
    main: HashSet<Position>,
}

impl<'a> Detours<'a> {
    pub fn new<'m>(
        tables: &'a Tablebase,
        moves: impl Iterator<Item = &'m MoveReport>,
    ) -> Detours<'a> {
        Detours { tables, main: moves.map(|m| m.position).collect() }
    }

    fn judged(&self, position: &Position) -> Result<Judged, LineError> {
        Judged::new(self.tables, position, &Strategy::from(Metric::Dtz))
    }

    /// The names of the moves among the others of a report that are detours.
    pub fn of(&self, report: &MoveReport) -> Result<Vec<String>, LineError> {
        if report.others.len() > FEW {
            return Ok(Vec::new());
        }
        let judged = self.judged(&report.position)?;
        let mut found = Vec::new();
        for candidate in judged.preserving_moves() {
            let name = judged.san(candidate);
            if report.others.contains(&name)
                && self.returns(&report.position, &candidate.played, DEPTH)?
            {
                found.push(name);
            }
        }
        Ok(found)
    }

    /// Whether the opponent can answer the solver's move so that the solver
    /// has to come back to the main line.
    fn returns(&self, from: &Position, played: &Move, depth: usize) -> Result<bool, LineError> {
        let after = from.play(played);
        let replies: Vec<Position> =
            after.legal_moves().iter().map(|reply| after.play(reply)).collect();
        if replies.iter().any(|position| self.main.contains(position)) {
            return Ok(true);
        }
        if depth == 1 {
            return Ok(false);
        }
        for position in &replies {
            if self.forced_back(position, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether every good move of the solver's leads back.
    fn forced_back(&self, position: &Position, depth: usize) -> Result<bool, LineError> {
        let judged = self.judged(position)?;
        if judged.preserving > FEW || judged.moves.is_empty() {
            return Ok(false);
        }
        for candidate in judged.preserving_moves() {
            if !self.returns(position, &candidate.played, depth - 1)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
