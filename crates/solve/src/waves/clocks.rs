//! Mate under the 50-move rule at every clock, for chosen positions.

use molien_board::{Color, Position};
use molien_hyper::Tile;
use molien_operators::empty_tiles;
use molien_values::{BoardValues, ClockValues, Graded};

use super::board::BoardSolve;
use super::counter::Counter;
use super::late::Runs;
use super::record::take_off;
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
        self.watch.look(ply, self.attacker, &decided, Some);
    }

    fn cancelled(&self) -> bool {
        self.progress.cancelled()
    }
}

/// Takes stalemates off what may be lost.
struct Losable<'a> {
    tiles: Vec<Tile>,
    progress: &'a dyn Progress,
}

impl Listener for Losable<'_> {
    fn decided(&mut self, _: u16, decided: Decided<'_>, _: Tally) {
        if let Decided::Stalemate(plane) = decided {
            take_off(&mut self.tiles, plane);
        }
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
        let mut values = self.legal(self.board);
        let (backend, board, boards) = (self.backend, self.board, [self.board; 2]);
        let counter = Counter::new(backend, board, None);
        let attackers = if is_one_sided(board) { &Color::BOTH[..1] } else { &Color::BOTH[..] };
        for &attacker in attackers.iter().filter(|&&side| self.material().side_len(side) > 1) {
            let last_ply = self.rule_plies;
            let (counter, progress, share, signed) = (&counter, self.progress, None, false);
            let waves =
                Waves { backend, boards, counter, attacker, last_ply, share, signed, progress };
            let runs = Runs::new(&waves, &self.start(attacker, &mut values, None));
            for sooner in 0..=runs.last() {
                let watch = Watch::new(board, positions);
                let mut watching = Watching { attacker, watch, progress: self.progress };
                runs.run(sooner, false, &mut watching).map_err(|stop| self.stopped(stop))?;
                let decided = watching.watch.values(board);
                found.iter_mut().zip(decided).for_each(|(values, one)| values.learn(sooner, one));
            }
        }
        Ok(found)
    }

    /// Gets the runs of this board ready in which one side, the attacker, wins.
    pub fn with_clock_runs<T>(&self, attacker: Color, work: impl FnOnce(&ClockRuns<'_>) -> T) -> T {
        let mut values = self.legal(self.board);
        let (backend, board, boards) = (self.backend, self.board, [self.board; 2]);
        let counter = Counter::new(backend, board, None);
        let last_ply = self.rule_plies;
        let (counter, progress, share, signed) = (&counter, self.progress, None, false);
        let waves = Waves { backend, boards, counter, attacker, last_ply, share, signed, progress };
        let start = self.start(attacker, &mut values, None);
        let runs = Runs::new(&waves, &start);
        drop(start);
        work(&ClockRuns { solve: self, attacker, runs })
    }
}

/// The runs of a board under the 50-move rule (see `late`) in which one side
/// wins, made one at a time.
pub struct ClockRuns<'a> {
    solve: &'a BoardSolve<'a>,
    attacker: Color,
    runs: Runs<'a>,
}

impl ClockRuns<'_> {
    /// From this one on all runs are alike.
    pub fn last(&self) -> u16 {
        self.runs.last()
    }

    /// The run in which conversions count so many plies `sooner`: as depths, the
    /// steps at which it decides positions that the attacker wins.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn run(&self, sooner: u16) -> Result<BoardValues, SolveError> {
        let ClockRuns { solve, attacker, runs } = self;
        let tiles = runs.losable().to_vec();
        let mut losable = Losable { tiles, progress: solve.progress };
        let ran = runs.run(sooner, true, &mut losable);
        let left = ran.map_err(|stop| solve.stopped(stop))?;
        let nothing = || empty_tiles(solve.board.tiles());
        let (won, win_steps) = solve.decided(left.open, runs.open());
        let (lost, loss_steps) = solve.decided(left.candidates, &losable.tiles);
        let own = Graded { won, lost: nothing(), depth: win_steps, ..Graded::default() };
        let their = Graded { won: nothing(), lost, depth: loss_steps, ..Graded::default() };
        let values = match attacker {
            Color::White => [own, their],
            Color::Black => [their, own],
        };
        Ok(BoardValues { board: solve.board.clone(), values })
    }
}
