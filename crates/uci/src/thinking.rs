//! Positions no table knows: the search of pawn endings.

use std::io::Write;
use std::time::{Duration, Instant};

use molien_board::Move;
use molien_pawns::{Limits, Options, PROVED, SearchResult, Searcher, Value};
use molien_values::Category;

use crate::game::Game;
use crate::info::{Info, Output, Score};
use crate::job::Job;

/// Depth in plies of the search for progress once the value is known.
const PROGRESS_PLIES: u32 = 14;

/// Searches for the best line, and for others if they are wanted.
pub(crate) fn search(job: &mut Job, game: &Game, output: &Output<impl Write>) -> Vec<Move> {
    let mut searcher = job.searcher.take().unwrap_or_else(|| {
        Searcher::new(Options {
            oracle: Some(job.asked.clone()),
            ..job.settings.setup.search.clone()
        })
    });
    searcher.set_history(game.earlier().to_vec());
    let mut open = if job.root_moves.is_empty() {
        game.position().legal_moves()
    } else {
        job.root_moves.clone()
    };
    let lines = job.settings.multi_pv.min(open.len());
    let mut best = Vec::new();
    for i in 0..lines {
        searcher.set_root_moves(open.clone());
        let share = job.time().map(|time| time / lines as u32);
        let limits = Limits { time: share, ..job.limits };
        let number = (job.settings.multi_pv > 1).then_some(i + 1);
        let report = |result: &SearchResult| output.say(info(job, number, result));
        let line = one_line(job, game, &mut searcher, limits, report);
        let Some(first) = line.first().copied() else { break };
        open.retain(|m| *m != first);
        if i == 0 {
            best = line;
        }
        if job.control.is_stopped() {
            break;
        }
    }
    job.searcher = Some(searcher);
    best
}

/// The best line among the root moves.
fn one_line(
    job: &Job,
    game: &Game,
    searcher: &mut Searcher,
    mut limits: Limits,
    mut report: impl FnMut(&SearchResult),
) -> Vec<Move> {
    let started = Instant::now();
    let stop = job.control.stop_flag();
    if let Some(moves) = job.mate {
        limits.depth = Some(2 * moves - 1);
        return searcher.play(game.position(), limits, stop, report).pv;
    }
    let whole = limits.time;
    // A third of the time to find out what the position is worth ...
    limits.time = whole.map(|time| time / 3);
    let found = searcher.search_with(game.position(), limits, stop, &mut report);
    if job.control.is_stopped() || (found.category.is_none() && whole.is_none()) {
        return found.pv;
    }
    // ... and the rest to make progress.
    limits.time = whole.map(|time| time.saturating_sub(started.elapsed()));
    if limits.time.is_some_and(|time| time < Duration::from_millis(1)) {
        return found.pv;
    }
    limits.depth = limits.depth.or(Some(PROGRESS_PLIES));
    let played = searcher.play(game.position(), limits, stop, report);
    let agrees = match found.category {
        Some(Value::Win) => played.score >= PROVED,
        Some(Value::Draw) => false,
        Some(Value::Loss) | None => true,
    };
    if agrees && !played.pv.is_empty() { played.pv } else { found.pv }
}

fn info<'a>(job: &Job, multi_pv: Option<usize>, result: &'a SearchResult) -> Info<'a> {
    let known = result.category.map(|value| match value {
        Value::Win => Category::Win,
        Value::Draw => Category::Draw,
        Value::Loss => Category::Loss,
    });
    Info {
        depth: result.depth as usize,
        multi_pv,
        score: match result.mate {
            Some(plies) => Score::MatePlies(plies),
            None => Score::Centipawns(result.score),
        },
        wdl: known.filter(|_| job.settings.show_wdl),
        nodes: result.nodes,
        elapsed: result.elapsed,
        tb_hits: job.asked.hits(),
        line: &result.pv,
    }
}
