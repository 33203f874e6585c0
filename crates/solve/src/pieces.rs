//! Solving one material without pawns, its sub-games being solved.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, Plane, Tile};
use molien_operators::{Backend, Conversions, Goal, Graded, MAX_BITS, Release, Rule, SubGame};
use rayon::prelude::*;

use crate::record::{Keep, Recorder};
use crate::relayout;
use crate::stats::{Counter, Stats, finish_stats};
use crate::waves::{Start, Stop, Waves};
use crate::{Metric, Progress, SolveError, Table, WaveReport};

/// What solving one material needs.
pub(crate) struct PieceSolve<'a> {
    pub backend: &'a dyn Backend,
    pub progress: &'a dyn Progress,
    pub material: Material,
    pub metric: Metric,
    /// The sub-game without the i-th piece, in the board's order.
    pub subs: Vec<Option<Arc<SubGame>>>,
    pub keep: Keep,
}

/// Bits a ply can need: one more than the sub-games' depths under
/// [`Rule::Onward`].
pub(crate) fn release_bits<'a>(rule: Rule, subs: impl Iterator<Item = &'a SubGame>) -> usize {
    let deepest = subs.flat_map(|sub| &sub.values).map(|side| side.depth.len()).max().unwrap_or(0);
    match rule {
        Rule::One => 0,
        Rule::Onward => (deepest + 1).min(MAX_BITS),
        Rule::Fifty => 7,
    }
}

impl PieceSolve<'_> {
    pub fn run(&self) -> Result<Table, SolveError> {
        let board = Hyperboard::pieces(self.material);
        let tiles = board.tiles();
        self.progress.begin(self.material, self.metric, tiles as u64 * 4096);
        let legal = |turn| self.each_tile(&board, |cell| self.backend.legal(&board, turn, cell));
        let values = Color::BOTH.map(|turn| Graded {
            legal: legal(turn),
            won: vec![Tile::EMPTY; tiles],
            lost: vec![Tile::EMPTY; tiles],
            depth: Vec::new(),
        });
        let mut game = SubGame { board: board.clone(), values };
        let mut stats = Stats::new(self.material, self.metric);
        let counter = Counter::new(&board);
        self.wins_of(Color::White, &mut game, &mut stats, &counter)?;
        if self.material.is_symmetric() {
            relayout::complete_symmetric(&mut game);
            complete_symmetric_stats(&mut stats);
        } else {
            self.wins_of(Color::Black, &mut game, &mut stats, &counter)?;
        }
        finish_stats(&mut stats, &counter, &game);
        self.progress.end(self.material, self.metric);
        Ok(Table {
            material: self.material,
            metric: self.metric,
            parts: vec![Arc::new(game)],
            stats,
        })
    }

    fn each_tile(
        &self,
        board: &Hyperboard,
        f: impl Fn(&molien_hyper::Cell) -> Tile + Sync,
    ) -> Vec<Tile> {
        let tile = |number| board.cell(number).map_or(Tile::EMPTY, |cell| f(&cell));
        (0..board.tiles()).into_par_iter().with_min_len(16).map(tile).collect()
    }

    /// Adds the wins of one side to the values and statistics.
    fn wins_of(
        &self,
        attacker: Color,
        game: &mut SubGame,
        stats: &mut Stats,
        counter: &Counter<'_>,
    ) -> Result<(), SolveError> {
        if self.material.side_len(attacker) == 1 {
            return Ok(()); // a bare king cannot win
        }
        let board = game.board.clone();
        let start = self.start(&board, attacker, &game.values);
        let waves = Waves { backend: self.backend, board: &board, attacker };
        let recorder = Recorder { board: &board, counter, keep: self.keep, attacker };
        let stop = waves.run(
            start,
            |ply, decided, addresses, tiles| {
                recorder.record(ply, &decided, &mut game.values, &mut stats.sides);
                let (material, metric) = (self.material, self.metric);
                let report =
                    WaveReport { material, metric, attacker, ply, decided: addresses, tiles };
                self.progress.wave(&report);
            },
            || self.progress.cancelled(),
        );
        match stop {
            Stop::Finished => Ok(()),
            Stop::Cancelled => Err(SolveError::Cancelled { material: self.material }),
        }
    }

    fn start(&self, board: &Hyperboard, attacker: Color, values: &[Graded; 2]) -> Start {
        let rule = self.metric.conversion_rule();
        let subs: Vec<Option<&SubGame>> = self.subs.iter().map(|sub| sub.as_deref()).collect();
        let bits = release_bits(rule, subs.iter().copied().flatten());
        let conversions = |side: Color, goal: Goal, number: usize| -> Conversions {
            let mut found = Conversions::new(goal, bits);
            if let Some(cell) = board.cell(number) {
                found.add_piece_captures(board, side, &cell, &subs, rule);
                found.restrict(&values[side.index()].legal[number]);
            }
            if found.release.some.is_empty() {
                found.release = Release::new(0);
            }
            found
        };
        let numbers = || (0..board.tiles()).into_par_iter().with_min_len(16);
        Start {
            open: Plane::from_tiles(values[attacker.index()].legal.clone()),
            defending: Plane::from_tiles(values[attacker.other().index()].legal.clone()),
            wins: numbers().map(|n| conversions(attacker, Goal::Win, n).release).collect(),
            holds: numbers().map(|n| conversions(!attacker, Goal::Hold, n)).collect(),
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
