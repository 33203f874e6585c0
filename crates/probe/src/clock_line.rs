//! Best play under the 50-move rule.
//!
//! Along quiet moves of best play the clock and the plies to mate add up to the
//! same sum, so all of it lies in one run of the board (see `molien-solve`).
//! What the loser must avoid, a faster mate, lies in the run before. A board is
//! solved twice at most, however long the line.

use std::sync::Arc;

use molien_board::{Color, Move, Position, Setup};
use molien_build::{Build, ClockRun};
use molien_values::{Metric, MoveClass, Value};

use crate::{ProbeError, Tablebase, chess};

/// Best play of both sides under the 50-move rule: the winner mates as soon as
/// the rule allows, the loser holds out as long as he can. Of several such moves
/// the first by name is played. Empty if nobody wins.
///
/// `value` is that of the position at its clock, as
/// [`ClockAnswer`](crate::ClockAnswer) gives it.
///
/// # Errors
/// If a table that is needed cannot be had.
pub fn clock_line(
    build: &Arc<Build>,
    setup: &Setup,
    value: Value,
) -> Result<Vec<(Move, String)>, ProbeError> {
    let tables = Tablebase::solving(build.clone());
    let (mut now, mut value, mut line) = (*setup, value, Vec::new());
    let mut runs = None;
    while let Some(after) = one_ply_on(value) {
        let winner = match value {
            Value::Win(_) => now.position.turn(),
            _ => !now.position.turn(),
        };
        let wish = Wish { winner, after, clock: now.halfmove_clock };
        let runs = wish.runs(build, &now.position, &mut runs)?;
        let mut moves: Vec<(String, Move)> =
            now.position.legal_moves().iter().map(|m| (chess::san(&now.position, m), *m)).collect();
        moves.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let mut best = None;
        for (san, played) in moves {
            let next = now.position.play(&played);
            let as_wished = match MoveClass::of(&played) {
                MoveClass::Quiet => runs.comes_to(&next, &wish),
                _ => tables.value(&next, Metric::Dtm50)? == after,
            };
            if as_wished {
                best = Some((played, san));
                break;
            }
        }
        // There is one, unless the value was not that of the position.
        let Some((played, san)) = best else { break };
        (now, value) = (now.play(&played), after);
        line.push((played, san));
    }
    Ok(line)
}

/// What the best move leads to, seen from the side then to move; none if the game
/// is over or drawn.
fn one_ply_on(value: Value) -> Option<Value> {
    match value {
        Value::Draw | Value::Loss(0) => None,
        Value::Win(plies) => Some(Value::Loss(plies.saturating_sub(1))),
        Value::Loss(plies) => Some(Value::Win(plies - 1)),
    }
}

/// What the next move must lead to.
struct Wish {
    winner: Color,
    after: Value,
    /// Before the move.
    clock: u32,
}

/// The runs in which best play on one board lies.
struct Runs {
    winner: Color,
    sooner: u16,
    this: ClockRun,
    /// With conversions one ply less soon.
    faster: Option<ClockRun>,
    rule_plies: u16,
}

impl Wish {
    fn plies(&self) -> u16 {
        self.after.plies().unwrap_or(0)
    }

    /// The runs of a position's board, made if they are not those at hand.
    fn runs<'a>(
        &self,
        build: &Build,
        position: &Position,
        at_hand: &'a mut Option<Runs>,
    ) -> Result<&'a Runs, ProbeError> {
        let rule_plies = build.rule_plies();
        let sum = u32::from(self.plies()) + 1 + self.clock;
        let sooner = u16::try_from(sum).unwrap_or(u16::MAX).saturating_sub(rule_plies);
        let is_right = |runs: &Runs| {
            runs.winner == self.winner && runs.sooner == sooner && runs.this.has(position)
        };
        let made = match at_hand.take().filter(is_right) {
            Some(runs) => runs,
            None => {
                let run = |sooner| build.clock_run(position, self.winner, sooner);
                let faster = sooner.checked_sub(1).map(run).transpose()?;
                Runs { winner: self.winner, sooner, this: run(sooner)?, faster, rule_plies }
            }
        };
        Ok(at_hand.insert(made))
    }
}

impl Runs {
    /// Whether a quiet move to a position leads to what is wished for.
    fn comes_to(&self, next: &Position, wish: &Wish) -> bool {
        let Some(faster) = &self.faster else {
            return self.this.step(next) == Some(wish.plies());
        };
        let left = u32::from(self.rule_plies).saturating_sub(wish.clock + 1);
        let in_time = |run: &ClockRun| run.step(next).is_some_and(|step| u32::from(step) <= left);
        in_time(&self.this) && !in_time(faster)
    }
}
