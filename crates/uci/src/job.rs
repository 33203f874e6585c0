//! One `go`: from tables where they know, else by search.

use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use molien_board::Move;
use molien_pawns::{Limits, Searcher};
use molien_values::Category;

use crate::choice::{Choice, is_settled, rank};
use crate::control::Control;
use crate::game::Game;
use crate::info::{Info, Output, Score};
use crate::line::{Line, follow};
use crate::options::Settings;
use crate::tables::{Asked, KnownMove};
use crate::{thinking, tricky};

/// A win known only by its class and its plies to a zeroing move.
const SURE_WIN: i32 = 20_000;
/// The line of a timed move takes at most this part of its time.
const LINE_SHARE: u32 = 2;

/// One `go`, carried out in a thread of its own.
pub(crate) struct Job {
    pub game: Option<Game>,
    pub settings: Settings,
    pub asked: Arc<Asked>,
    /// Made at the first search, and handed back for the next.
    pub searcher: Option<Searcher>,
    /// Moves to choose from; none means all.
    pub root_moves: Vec<Move>,
    /// How far to search; the time is left out while pondering.
    pub limits: Limits,
    /// Mate in so many moves is wanted.
    pub mate: Option<u32>,
    pub started: Instant,
    pub control: Arc<Control>,
}

impl Job {
    /// Thinks, waits until an answer is allowed, and gives it.
    pub fn run(mut self, output: &Output<impl Write>) -> Option<Searcher> {
        let line = match self.game.take() {
            Some(game) => self.think(&game, output),
            None => Vec::new(),
        };
        if let Some(problem) = self.asked.take_problem() {
            output.say(format_args!("info string {problem}"));
        }
        self.control.finish();
        match line[..] {
            [] => output.say("bestmove 0000"),
            [best] => output.say(format_args!("bestmove {best}")),
            [best, answer, ..] => output.say(format_args!("bestmove {best} ponder {answer}")),
        }
        self.searcher
    }

    /// The line to play.
    fn think(&mut self, game: &Game, output: &Output<impl Write>) -> Vec<Move> {
        let position = game.position();
        if position.legal_moves().is_empty() {
            let mated = position.is_checkmate();
            let score = if mated { Score::MatePlies(0) } else { Score::Centipawns(0) };
            output.say(format_args!("info depth 0 score {score}"));
            return Vec::new();
        }
        let moves = self.known_moves(game);
        // What is known of the position need not hold for some of its moves.
        let here = if self.root_moves.is_empty() { self.asked.probe(position) } else { None };
        if is_settled(game, here, &moves) {
            self.play_from_tables(game, &moves, output)
        } else {
            thinking::search(self, game, output)
        }
    }

    /// The moves to choose from, with what tables know of each.
    fn known_moves(&self, game: &Game) -> Vec<KnownMove> {
        let mut moves = self.asked.moves(game.position());
        if !self.root_moves.is_empty() {
            moves.retain(|(m, _)| self.root_moves.contains(m));
        }
        moves
    }

    fn play_from_tables(
        &self,
        game: &Game,
        moves: &[KnownMove],
        output: &Output<impl Write>,
    ) -> Vec<Move> {
        let mut choices = rank(game, moves);
        let deadline = self.limits.time.map(|time| self.started + time / LINE_SHARE);
        let mut late = || {
            self.control.is_stopped() || deadline.is_some_and(|deadline| Instant::now() > deadline)
        };
        if self.settings.trickiest {
            tricky::sort(&self.asked, game, &mut choices, &mut late);
        }
        let shown = self.settings.multi_pv.min(choices.len());
        let mut best = Vec::new();
        for (i, choice) in choices[..shown].iter().enumerate() {
            let line = follow(&self.asked, game, choice, &mut late);
            self.say_line(output, i, choice, &line);
            if i == 0 {
                self.say_detour(output, &choices, &line);
                best = line.moves;
            }
        }
        best
    }

    fn say_line(&self, output: &Output<impl Write>, i: usize, choice: &Choice, line: &Line) {
        output.say(Info {
            depth: line.moves.len(),
            multi_pv: (self.settings.multi_pv > 1).then_some(i + 1),
            score: score(choice, line),
            wdl: self.settings.show_wdl.then_some(choice.category),
            nodes: self.asked.hits(),
            elapsed: self.started.elapsed(),
            tb_hits: self.asked.hits(),
            line: &line.moves,
        });
    }

    /// Says so where the clock forbids the shortest mate: the mate shown is
    /// then that of the line, and nobody can tell from tables whether there is
    /// a shorter one in time.
    fn say_detour(&self, output: &Output<impl Write>, choices: &[Choice], line: &Line) {
        let shortest =
            choices.iter().filter_map(Choice::free_mate_plies).filter(|plies| *plies > 0);
        let Some(shortest) = shortest.min() else { return };
        let won = choices.first().is_some_and(|choice| choice.category == Category::Win);
        if won && line.mates && line.moves.len() > shortest as usize {
            let moves = (shortest + 1) / 2;
            output.say(format_args!(
                "info string mate in {moves} is possible but not within the 50-move rule"
            ));
        }
    }

    /// How long the search may take.
    pub fn time(&self) -> Option<Duration> {
        self.limits.time
    }
}

/// The score of a move for the mover.
fn score(choice: &Choice, line: &Line) -> Score {
    let length = line.moves.len() as i32;
    let sign = match choice.category {
        Category::Win | Category::MaybeWin => 1,
        Category::Loss | Category::MaybeLoss => -1,
        // A win that the 50-move rule spoils is a little better than nothing.
        Category::CursedWin => return Score::Centipawns(1),
        Category::BlessedLoss => return Score::Centipawns(-1),
        Category::Draw => return Score::Centipawns(0),
    };
    if line.mates {
        return Score::MatePlies(sign * length);
    }
    match choice.mate_plies() {
        Some(plies) => Score::MatePlies(plies),
        None => {
            let plies = choice.after.dtz50.plies().map_or(0, i32::from);
            Score::Centipawns(sign * (SURE_WIN - plies))
        }
    }
}

#[cfg(test)]
mod tests {
    use molien_values::{Precision, Value};

    use super::*;
    use crate::tables::Known;

    #[test]
    fn wins_without_plies_to_mate_score_by_zeroing() {
        let position: molien_board::Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
        let after =
            Known { dtz50: Value::Loss(12), precision: Precision::Exact, dtm: None, dtm50: None };
        let played = position.legal_moves()[0];
        let moves = [(played, Some(after))];
        let choice = rank(&Game::new(position.into()), &moves)[0];
        let line = Line { moves: vec![played], mates: false };
        assert_eq!(score(&choice, &line), Score::Centipawns(SURE_WIN - 12));
    }
}
