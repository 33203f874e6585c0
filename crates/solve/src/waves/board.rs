//! Solving one hyperboard, given what the moves out of it achieve.

use molien_board::{Color, Material};
use molien_hyper::{Cell, Hyperboard, Plane, Tile};
use molien_operators::{Backend, Conversions, Goal, Release, valid};
use molien_values::{BoardValues, Graded, Metric, Placement, Run, RunLog, WaveLog};
use rayon::prelude::*;

use super::bishops::BishopPair;
use super::counter::{Counter, finish_stats};
use super::record::{Keep, Recorder};
use super::watch::Watch;
use super::{Start, Stop, Waves};
use crate::exits::Exits;
use crate::{Progress, SolveError, WaveReport};
use molien_operators::{complete_symmetric, empty_tiles};
use molien_values::Stats;

/// What solving one hyperboard needs.
pub struct BoardSolve<'a> {
    /// The tile operators.
    pub backend: &'a dyn Backend,
    /// Is told of every wave, and asked whether to stop.
    pub progress: &'a dyn Progress,
    /// The board.
    pub board: &'a Hyperboard,
    /// The moves out of it.
    pub exits: &'a dyn Exits,
    /// What is counted.
    pub metric: Metric,
    /// Whether depths are kept.
    pub keep: Keep,
    /// Where waves are logged, if they are.
    pub log: Option<&'a dyn WaveLog>,
    /// Only placements with these bishops on squares of both colours.
    pub bishops: Option<BishopPair>,
}

impl BoardSolve<'_> {
    fn material(&self) -> Material {
        self.board.material()
    }

    /// Solves the board; `watch` learns the depths of its positions.
    ///
    /// # Errors
    /// If it is cancelled or a wave cannot be logged.
    pub fn run(&self, watch: &mut Watch) -> Result<(BoardValues, Stats), SolveError> {
        let board = self.board;
        let tiles = board.tiles();
        let legal =
            |turn| self.each_tile(|cell| self.wanted(cell, self.backend.legal(board, turn, cell)));
        let values = Color::BOTH.map(|turn| Graded {
            legal: legal(turn),
            won: empty_tiles(tiles),
            lost: empty_tiles(tiles),
            depth: Vec::new(),
            stalemate: Vec::new(),
        });
        let mut game = BoardValues { board: board.clone(), values };
        let mut stats = Stats::new(self.material(), self.metric);
        let counter = Counter::new(self.backend, board);
        self.wins_of(Color::White, &mut game, &mut stats, &counter, watch)?;
        if self.material().is_symmetric() && !self.material().has_pawns() {
            complete_symmetric(self.backend, &mut game);
            complete_symmetric_stats(&mut stats);
        } else {
            self.wins_of(Color::Black, &mut game, &mut stats, &counter, watch)?;
        }
        let placements = |cell: &Cell| self.wanted(cell, valid(board, cell));
        finish_stats(&mut stats, &counter, &game, placements);
        Ok((game, stats))
    }

    /// The placements that are looked at, of some.
    fn wanted(&self, cell: &Cell, tile: Tile) -> Tile {
        self.bishops.map_or(tile, |pair| tile.and(&pair.opposite(cell)))
    }

    fn each_tile(&self, f: impl Fn(&Cell) -> Tile + Sync) -> Vec<Tile> {
        let tile = |number| self.board.cell(number).map_or(Tile::EMPTY, |cell| f(&cell));
        (0..self.board.tiles()).into_par_iter().with_min_len(16).map(tile).collect()
    }

    /// Adds the wins of one side to the values and statistics.
    fn wins_of(
        &self,
        attacker: Color,
        game: &mut BoardValues,
        stats: &mut Stats,
        counter: &Counter<'_>,
        watch: &mut Watch,
    ) -> Result<(), SolveError> {
        if self.material().side_len(attacker) == 1 {
            return Ok(()); // a bare king cannot win
        }
        let start = self.start(attacker, &game.values);
        let waves = Waves { backend: self.backend, board: self.board, attacker };
        let recorder = Recorder {
            backend: self.backend,
            board: self.board,
            counter,
            keep: self.keep,
            attacker,
        };
        let (material, metric) = (self.material(), self.metric);
        let log = self.open_log(attacker)?;
        let stop = waves.run(
            start,
            log,
            |ply, decided, addresses, tiles| {
                recorder.record(ply, &decided, &mut game.values, &mut stats.sides);
                watch.look(ply, attacker, &decided);
                let report =
                    WaveReport { material, metric, attacker, ply, decided: addresses, tiles };
                self.progress.wave(&report);
            },
            || self.progress.cancelled(),
        );
        match stop {
            Stop::Finished => Ok(()),
            Stop::Cancelled => Err(SolveError::Cancelled { material }),
            Stop::NotLogged(source) => Err(SolveError::WaveLog { material, source }),
        }
    }

    fn open_log(&self, attacker: Color) -> Result<Option<Box<dyn RunLog>>, SolveError> {
        let Some(log) = self.log else { return Ok(None) };
        let run = Run {
            material: self.material(),
            metric: self.metric,
            pawns: Placement::new(Color::BOTH.map(|color| self.board.pawns(color))),
            attacker,
            tiles: self.board.tiles(),
            classes: self.board.tiles() / self.board.axes().len(),
        };
        log.open(&run).map_err(|source| SolveError::WaveLog { material: run.material, source })
    }

    fn start(&self, attacker: Color, values: &[Graded; 2]) -> Start {
        let defender = !attacker;
        let conversions = |side: Color, goal: Goal, number: usize| -> Conversions {
            let mut found = self.exits.conversions(side, goal, number);
            found.restrict(&values[side.index()].legal[number]);
            found.release.trim();
            found
        };
        // Positions that can escape are no candidates.
        let candidate = |number: usize| {
            let found = conversions(defender, Goal::Hold, number);
            (values[defender.index()].legal[number].minus(&found.escape), found.release)
        };
        let numbers = || (0..self.board.tiles()).into_par_iter().with_min_len(16);
        let (candidates, holds): (Vec<Tile>, Vec<Release>) = numbers().map(candidate).unzip();
        Start {
            open: Plane::from_tiles(values[attacker.index()].legal.clone()),
            candidates: Plane::from_tiles(candidates),
            wins: numbers().map(|n| conversions(attacker, Goal::Win, n).release).collect(),
            holds,
        }
    }
}

/// Black's wins are White's with colours exchanged.
fn complete_symmetric_stats(stats: &mut Stats) {
    let mirrored = stats.swap_colors();
    for (mine, theirs) in stats.sides.iter_mut().zip(&mirrored.sides) {
        mine.absorb(theirs);
    }
}
