//! Self-consistency: every value follows from the values one move on.
//!
//! A forward pass over finished tables. It knows nothing of waves, schedules
//! or dirty tiles: it states what a solution is and looks at every position,
//! a tile at a time: who wins here, how fast in `depths`.

mod depths;
mod derive;
mod plies;

pub use derive::derive_depths;

use std::fmt;

use molien_board::{Color, Position};
use molien_hyper::{Cell, Hyperboard, Index, Plane, Tile};
use molien_operators::{Backend, Conversions, Goal};
use molien_values::{BoardValues, Graded};
use rayon::prelude::*;

use crate::exits::Exits;
use crate::{Progress, SolveError};

/// How many failures are kept with their positions.
const KEPT_FAILURES: usize = 10;

/// A law of solved tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Law {
    /// The legal positions are those the rules say.
    Legal,
    /// A position has one value, and only legal positions have one.
    OneValue,
    /// A win has a move to a lost position, and nothing else has.
    Win,
    /// A loss has no move but to won positions, and is check if it has none.
    Loss,
    /// A draw has a move that does not lose, or is stalemate.
    Draw,
    /// A win in p plies has a move that wins in p, and none sooner.
    WinDepth,
    /// A loss in p plies has a move that lasts p, and none longer.
    LossDepth,
    /// Mate under the 50-move rule agrees with DTZ50 on who wins, and with DTM
    /// on how fast.
    UnderTheRule,
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Law::Legal => "legality is not as the rules say",
            Law::OneValue => "more than one value, or the value of an illegal position",
            Law::Win => "won without a move to a lost position, or not won with one",
            Law::Loss => "lost, but a move holds, or no move and no check",
            Law::Draw => "drawn, but every move loses, or mated",
            Law::WinDepth => "the depth of the win is not the least of its moves",
            Law::LossDepth => "the depth of the loss is not the greatest of its moves",
            Law::UnderTheRule => "mate under the 50-move rule is not what DTM and DTZ50 allow",
        })
    }
}

/// A position that breaks a law.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Inconsistency {
    /// Which law.
    pub law: Law,
    /// Where; none if the address is not a legal position.
    pub position: Option<Position>,
}

/// What the check found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Consistency {
    /// Legal addresses looked at, both sides to move.
    pub checked: u64,
    /// How often a law was broken.
    pub failures: u64,
    /// The first of them.
    pub first: Vec<Inconsistency>,
}

impl Consistency {
    /// What two checks found together.
    pub fn merge(mut self, other: Consistency) -> Consistency {
        self.checked += other.checked;
        self.failures += other.failures;
        let room = KEPT_FAILURES.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
        self
    }
}

/// Checks every position of a board against the positions one move on, those
/// that the moves out of it lead to included.
///
/// # Errors
/// If it is cancelled.
pub fn check_board(
    backend: &dyn Backend,
    game: &BoardValues,
    exits: &dyn Exits,
    progress: &dyn Progress,
) -> Result<Consistency, SolveError> {
    let check = Check { backend, game, exits, progress };
    let side = |side: Color| {
        let cancelled = || SolveError::Cancelled { material: game.board.material() };
        check.side(side).ok_or_else(cancelled)
    };
    Ok(side(Color::White)?.merge(side(Color::Black)?))
}

/// One tile in so many asks whether to stop.
const ASKING_TILES: usize = 256;

/// What its methods find is `None` if the check was cancelled.
struct Check<'a> {
    backend: &'a dyn Backend,
    game: &'a BoardValues,
    exits: &'a dyn Exits,
    progress: &'a dyn Progress,
}

/// The moves out of the board of one tile, seen as attack and as defence.
struct Out {
    wins: Conversions,
    holds: Conversions,
}

impl Check<'_> {
    fn board(&self) -> &Hyperboard {
        &self.game.board
    }

    fn side(&self, side: Color) -> Option<Consistency> {
        let values = &self.game.values;
        let (own, their) = (&values[side.index()], &values[side.other().index()]);
        let mut out = self.moves_out(side)?;
        let mut found = self.outcomes(side, own, their, &out)?;
        if !own.depth.is_empty() || !their.depth.is_empty() {
            found = found.merge(self.depths(side, &mut out)?);
        }
        Some(found)
    }

    /// Does something to a tile, unless the check is to end.
    fn unless_cancelled<T>(&self, tile: usize, work: impl FnOnce() -> T) -> Option<T> {
        let asks = tile.is_multiple_of(ASKING_TILES);
        (!asks || !self.progress.cancelled()).then(work)
    }

    fn moves_out(&self, side: Color) -> Option<Vec<Out>> {
        let conversions = |goal, tile| {
            let mut found = self.exits.conversions(side, goal, tile);
            found.restrict(&self.game.values[side.index()].legal[tile]);
            found
        };
        let out =
            |tile| Out { wins: conversions(Goal::Win, tile), holds: conversions(Goal::Hold, tile) };
        let tiles = (0..self.board().tiles()).into_par_iter().with_min_len(16);
        tiles.map(|tile| self.unless_cancelled(tile, || out(tile))).collect()
    }

    /// Runs a check on every tile.
    fn each_tile(&self, check: impl Fn(&Cell) -> Consistency + Sync) -> Option<Consistency> {
        let check = |tile: usize| {
            let cell = self.board().cell(tile);
            self.unless_cancelled(tile, || cell.map_or_else(Consistency::default, |c| check(&c)))
        };
        let tiles = (0..self.board().tiles()).into_par_iter().with_min_len(16);
        tiles.map(check).try_reduce(Consistency::default, |a, b| Some(a.merge(b)))
    }

    fn quiet(&self, side: Color, plane: &Plane, cell: &Cell) -> Tile {
        self.backend.quiet(self.board(), side, plane, cell)
    }

    fn report(&self, side: Color, cell: &Cell, law: Law, bad: &Tile) -> Consistency {
        let position = |(row, column)| {
            let position = self.board().decode(Index { tile: cell.tile, row, column }, side);
            Inconsistency { law, position }
        };
        let first = bad.pairs().take(KEPT_FAILURES).map(position).collect();
        Consistency { checked: 0, failures: bad.len(), first }
    }

    /// The laws of win, draw and loss.
    fn outcomes(
        &self,
        side: Color,
        own: &Graded,
        their: &Graded,
        out: &[Out],
    ) -> Option<Consistency> {
        let lost = Plane::from_tiles(their.lost.clone());
        let legal = Plane::from_tiles(their.legal.clone());
        let not_won = Plane::from_tiles(
            their.legal.par_iter().zip(&their.won).map(|(l, w)| l.minus(w)).collect(),
        );
        self.each_tile(|cell| {
            let t = cell.tile;
            let (legal_here, won_here, lost_here) = (&own.legal[t], &own.won[t], &own.lost[t]);
            let (wins, holds) = (&out[t].wins, &out[t].holds);
            let winning = self.quiet(side, &lost, cell).or(&wins.release.some).and(legal_here);
            let holding = self.quiet(side, &not_won, cell).or(&holds.escape).and(legal_here);
            let moving = self.quiet(side, &legal, cell).or(&holds.release.some).or(&holds.escape);
            let check = self.backend.in_check(self.board(), side, cell);
            let draw = legal_here.minus(won_here).minus(lost_here);
            let rules_say = self.backend.legal(self.board(), side, cell);
            let both = won_here.and(lost_here);
            let decided = won_here.or(lost_here);
            let unequal = |a: &Tile, b: &Tile| a.zip(b, |a, b| a ^ b);
            let broken = [
                (Law::Legal, unequal(legal_here, &rules_say)),
                (Law::OneValue, both.or(&decided.minus(legal_here))),
                (Law::Win, unequal(won_here, &winning)),
                (Law::Loss, lost_here.and(&holding).or(&lost_here.minus(&moving).minus(&check))),
                (Law::Draw, draw.minus(&holding).and(&moving.or(&check))),
            ];
            let start = Consistency { checked: legal_here.len(), ..Consistency::default() };
            broken
                .iter()
                .fold(start, |found, (law, bad)| found.merge(self.report(side, cell, *law, bad)))
        })
    }
}
