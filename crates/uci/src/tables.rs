//! What the engine asks of tables.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Material, Move, Position};
use molien_pawns::Oracle;
use molien_values::{Outcome, Precision, Value};
use thiserror::Error;

/// What tables know of a position, seen from its side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Plies to a zeroing move or mate, as the 50-move rule counts them.
    pub dtz50: Value,
    /// How exact that is.
    pub precision: Precision,
    /// Plies to mate, if the tables say.
    pub dtm: Option<Value>,
    /// Plies to mate under the 50-move rule, the count at zero, if the tables
    /// say. They say it only beside DTZ50 itself.
    pub dtm50: Option<Value>,
}

/// Why tables could not answer although they are there, or could not be made.
#[derive(Clone, Debug, Error)]
#[error("{material}: {reason}")]
#[non_exhaustive]
pub struct TableProblem {
    /// Whose table.
    pub material: Material,
    /// What is wrong, in words.
    pub reason: String,
}

impl TableProblem {
    /// A problem with the table of a material.
    pub fn new(material: Material, reason: impl ToString) -> TableProblem {
        TableProblem { material, reason: reason.to_string() }
    }
}

/// Tables behind the engine: a position in, values out. Questions must be
/// answered at once; only [`Tables::make`] may take long.
pub trait Tables: Send + Sync {
    /// What is known of a legal position; none if no table has it.
    ///
    /// # Errors
    /// If a table is there but cannot be read.
    fn probe(&self, position: &Position) -> Result<Option<Known>, TableProblem>;

    /// Whether the table of a material is at hand.
    fn has(&self, material: Material) -> bool;

    /// Makes the table of a material and all it depends on. `news` is told how
    /// it is going, `stop` ends it early.
    ///
    /// # Errors
    /// If it cannot be made, or was stopped.
    fn make(
        &self,
        material: Material,
        news: Arc<dyn Fn(String) + Send + Sync>,
        stop: Arc<AtomicBool>,
    ) -> Result<(), TableProblem>;
}

/// Tables as one `go` asks them: up to so many men, and with a count of
/// answers.
pub(crate) struct Asked {
    tables: Option<Arc<dyn Tables>>,
    most_men: usize,
    hits: AtomicU64,
    problem: Mutex<Option<TableProblem>>,
}

/// A legal move and what is known of the position after it, seen from the side
/// then to move.
pub(crate) type KnownMove = (Move, Option<Known>);

impl Asked {
    pub fn new(tables: Option<Arc<dyn Tables>>, most_men: usize) -> Asked {
        Asked { tables, most_men, hits: AtomicU64::new(0), problem: Mutex::default() }
    }

    /// How many questions were answered so far.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    /// Counts from nothing again.
    pub fn forget_hits(&self) {
        self.hits.store(0, Ordering::Relaxed);
    }

    /// What the tables know. A table that cannot be read counts as missing;
    /// [`Asked::take_problem`] says why.
    pub fn probe(&self, position: &Position) -> Option<Known> {
        let tables = self.tables.as_ref()?;
        if position.occupied().len() > self.most_men {
            return None;
        }
        match tables.probe(position) {
            Ok(known) => {
                self.hits.fetch_add(u64::from(known.is_some()), Ordering::Relaxed);
                known
            }
            Err(problem) => {
                *self.problem.lock().unwrap_or_else(PoisonError::into_inner) = Some(problem);
                None
            }
        }
    }

    /// Every legal move with what is known after it.
    pub fn moves(&self, position: &Position) -> Vec<KnownMove> {
        let moves = position.legal_moves();
        moves.into_iter().map(|m| (m, self.probe(&position.play(&m)))).collect()
    }

    /// The last problem met, once.
    pub fn take_problem(&self) -> Option<TableProblem> {
        self.problem.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// The search does not know the 50-move rule.
impl Oracle for Asked {
    fn value(&self, position: &Position) -> Option<molien_pawns::Value> {
        let known = self.probe(position)?;
        Some(match known.dtm.unwrap_or(known.dtz50).outcome() {
            Outcome::Win => molien_pawns::Value::Win,
            Outcome::Draw => molien_pawns::Value::Draw,
            Outcome::Loss => molien_pawns::Value::Loss,
        })
    }
}
