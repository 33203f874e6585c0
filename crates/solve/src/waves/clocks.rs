//! Mate under the 50-move rule at every clock, for chosen positions.

use molien_board::{Color, Position};
use molien_values::ClockValues;

use super::board::BoardSolve;
use super::counter::Counter;
use super::late::Runs;
use super::watch::{Watch, is_one_sided};
use super::{Decided, Listener, Tally, Waves};
use crate::{Progress, SolveError};

/// Watches one run.
struct Watching<'a> {
    attacker: Color,
    watch: Watch,
    progress: &'a dyn Progress,
}

impl Listener for Watching<'_> {
    fn decided(&mut self, ply: u16, decided: Decided<'_>, _: Tally) {
        self.watch.look(ply, self.attacker, &decided);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

impl BoardSolve<'_> {
    /// The values of positions of this board at every clock; the exits are those
    /// of [`Metric::Dtm50`](molien_values::Metric::Dtm50) at clock 0.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn at_clocks(&self, positions: &[Position]) -> Result<Vec<ClockValues>, SolveError> {
        let mut found = vec![ClockValues::drawn(self.rule_plies); positions.len()];
        let mut values = self.legal();
        let (backend, board) = (self.backend, self.board);
        let counter = Counter::new(backend, board);
        let attackers = if is_one_sided(board) { &Color::BOTH[..1] } else { &Color::BOTH[..] };
        for &attacker in attackers.iter().filter(|&&side| self.material().side_len(side) > 1) {
            let last_ply = self.rule_plies;
            let waves = Waves { backend, board, counter: &counter, attacker, last_ply };
            let runs = Runs::new(&waves, &self.start(attacker, &mut values));
            for sooner in 0..=runs.last() {
                let watch = Watch::new(board, positions);
                let mut watching = Watching { attacker, watch, progress: self.progress };
                runs.run(sooner, &mut watching).map_err(|stop| self.stopped(stop))?;
                let decided = watching.watch.values(board);
                found.iter_mut().zip(decided).for_each(|(values, one)| values.learn(sooner, one));
            }
        }
        Ok(found)
    }
}
