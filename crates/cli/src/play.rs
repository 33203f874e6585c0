//! Tables behind the engine.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Material, Move, Position};
use molien_pawns::uci::PerfectPlay;
use molien_pawns::{PROVED, WIN};
use molien_probe::Tablebase;
use molien_values::{Metric, Outcome};

/// Whether a material's tables can be asked without waiting.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    BeingSolved,
    Ready,
    Unavailable,
}

/// Plays from tables, which are solved in the background: the engine's clock
/// does not wait for them.
pub struct TablePlay {
    tables: Tablebase,
    most_men: usize,
    states: Arc<Mutex<HashMap<Material, State>>>,
}

impl TablePlay {
    /// Plays endings of up to so many men.
    pub fn new(tables: Tablebase, most_men: usize) -> Arc<TablePlay> {
        Arc::new(TablePlay { tables, most_men, states: Arc::default() })
    }

    /// The state of a material; the first question starts solving it.
    fn state(&self, material: Material) -> State {
        let material = material.canonical();
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        *states.entry(material).or_insert_with(|| {
            let (tables, states) = (self.tables.clone(), self.states.clone());
            std::thread::spawn(move || {
                let metrics = [Metric::Dtm, Metric::Dtz50];
                let solved =
                    metrics.into_iter().try_for_each(|metric| tables.prepare(material, metric));
                let state = if solved.is_ok() { State::Ready } else { State::Unavailable };
                let mut states = states.lock().unwrap_or_else(PoisonError::into_inner);
                states.insert(material, state);
            });
            State::BeingSolved
        })
    }
}

impl PerfectPlay for TablePlay {
    fn best_move(&self, position: &Position) -> Option<(Move, i32)> {
        let material = position.material();
        if material.len() > self.most_men || self.state(material) != State::Ready {
            return None;
        }
        // Moves lead to smaller materials too; all of them were solved with it.
        let moves = self.tables.moves_in(position, &[Metric::Dtm]).ok()?;
        let best = moves.first()?;
        let plies = best.after.values.plies(Metric::Dtm).unwrap_or(0);
        let score = match best.after.category.reverse().outcome() {
            Outcome::Win => WIN.max(PROVED) - plies.abs(),
            Outcome::Draw => 0,
            Outcome::Loss => plies.abs() - WIN.max(PROVED),
        };
        Some((best.played, score))
    }
}
