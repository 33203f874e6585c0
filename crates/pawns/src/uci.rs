//! The engine side of the Universal Chess Interface.
//!
//! [`run`] reads commands from one stream and writes answers to another, with
//! the search in a thread of its own so that `stop` is heard at once. It plays
//! the endings this crate knows; whatever a plugged-in [`PerfectPlay`] can
//! answer is played from there.

use std::io::{BufRead, Write};
use std::str::SplitWhitespace;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use molien_board::{Color, Move, Position};

use crate::knowledge::Functions;
use crate::search::{Limits, Options, PROVED, SearchResult, Searcher};

/// Moves from outside knowledge, tables above all.
pub trait PerfectPlay: Send + Sync {
    /// The best move and its score for the side to move, if known. It should
    /// make progress: a player that follows it must win what is won.
    fn best_move(&self, position: &Position) -> Option<(Move, i32)>;
}

/// How the engine starts.
#[derive(Clone)]
pub struct Setup {
    /// The name shown to the user interface.
    pub name: String,
    /// The options of the search.
    pub options: Options,
    /// Outside knowledge, if any.
    pub perfect: Option<Arc<dyn PerfectPlay>>,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { name: "Molien".to_owned(), options: Options::default(), perfect: None }
    }
}

/// Kept back from the clock for reading and writing.
const OVERHEAD: Duration = Duration::from_millis(30);
/// Moves a game is assumed to last still.
const MOVES_TO_GO: u32 = 30;

/// Serves one user interface until `quit` or the end of the input.
///
/// # Errors
/// If a stream fails.
pub fn run(input: impl BufRead, output: impl Write + Send, setup: Setup) -> std::io::Result<()> {
    let output = Mutex::new(output);
    std::thread::scope(|scope| {
        let searcher = Arc::new(Mutex::new(Searcher::new(setup.options.clone())));
        let mut engine = Engine { setup, output: &output, game: None, searcher };
        let stop = Arc::new(AtomicBool::new(false));
        let mut thinking: Option<std::thread::ScopedJoinHandle<'_, ()>> = None;
        let mut result = Ok(());
        for line in input.lines() {
            let line = match line {
                Ok(line) => line,
                Err(error) => {
                    result = Err(error);
                    break;
                }
            };
            let mut words = line.split_whitespace();
            let command = words.next();
            if matches!(command, Some("stop" | "quit" | "go" | "position" | "ucinewgame")) {
                stop.store(true, Ordering::Relaxed);
                finish(&mut thinking);
                stop.store(false, Ordering::Relaxed);
            }
            match command {
                Some("quit") => break,
                Some("go") => {
                    let request = Request::read(words, engine.turn());
                    let job = engine.job(request, Arc::clone(&stop));
                    let output = &output;
                    thinking = Some(scope.spawn(move || job.run(output)));
                }
                Some(command) => engine.obey(command, words),
                None => {}
            }
        }
        stop.store(true, Ordering::Relaxed);
        finish(&mut thinking);
        result
    })
}

/// Waits for the search thread; a panic there has been reported already.
fn finish(thinking: &mut Option<std::thread::ScopedJoinHandle<'_, ()>>) {
    if let Some(thread) = thinking.take() {
        let _ = thread.join();
    }
}

/// The position on the board, with those before it.
#[derive(Clone)]
struct Game {
    position: Position,
    earlier: Vec<Position>,
}

struct Engine<'a, W> {
    setup: Setup,
    output: &'a Mutex<W>,
    game: Option<Game>,
    /// Made once, because its table is large; the search thread borrows it.
    searcher: Arc<Mutex<Searcher>>,
}

/// Writes a line; a user interface that has gone away is not an error here,
/// because reading from it will end too.
fn say(output: &Mutex<impl Write>, line: &str) {
    let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
    let _ = writeln!(output, "{line}");
    let _ = output.flush();
}

impl<W: Write + Send> Engine<'_, W> {
    fn turn(&self) -> Color {
        self.game.as_ref().map_or(Color::White, |game| game.position.turn())
    }

    fn obey(&mut self, command: &str, words: SplitWhitespace<'_>) {
        match command {
            "uci" => {
                say(self.output, &format!("id name {}", self.setup.name));
                say(self.output, "id author the Molien developers");
                let hash = self.setup.options.tt_mib;
                say(
                    self.output,
                    &format!("option name Hash type spin default {hash} min 1 max 4096"),
                );
                let functions = "option name Functions type combo default all \
                                 var all var one_pawn var none";
                say(self.output, functions);
                say(self.output, "uciok");
            }
            "isready" => say(self.output, "readyok"),
            "ucinewgame" => self.game = None,
            "position" => match read_position(words) {
                Ok(game) => self.game = Some(game),
                Err(problem) => {
                    // Better no move than one in the position before.
                    self.game = None;
                    say(self.output, &format!("info string {problem}"));
                }
            },
            "setoption" => self.set_option(words),
            "stop" | "debug" | "register" | "ponderhit" => {}
            other => say(self.output, &format!("info string unknown command '{other}'")),
        }
    }

    fn set_option(&mut self, words: SplitWhitespace<'_>) {
        let words: Vec<&str> = words.collect();
        let at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
        let name = words.get(1..at).map(|name| name.join(" ")).unwrap_or_default();
        let value = words.get(at + 1..).map(|value| value.join(" ")).unwrap_or_default();
        let options = &mut self.setup.options;
        match (name.to_ascii_lowercase().as_str(), value.as_str()) {
            ("hash", size) => match size.parse::<usize>() {
                Ok(size) => options.tt_mib = size.clamp(1, 4096),
                Err(_) => say(self.output, &format!("info string '{size}' is not a size in MiB")),
            },
            ("functions", "all") => options.functions = Functions::All,
            ("functions", "one_pawn") => options.functions = Functions::OnePawn,
            ("functions", "none") => options.functions = Functions::None,
            _ => say(self.output, &format!("info string no option '{name}' with value '{value}'")),
        }
        self.searcher = Arc::new(Mutex::new(Searcher::new(self.setup.options.clone())));
    }

    fn job(&self, request: Request, stop: Arc<AtomicBool>) -> Job {
        Job {
            game: self.game.clone(),
            perfect: self.setup.perfect.clone(),
            searcher: Arc::clone(&self.searcher),
            request,
            stop,
        }
    }
}

/// Reads `fen <fields> [moves <move>...]`.
fn read_position(mut words: SplitWhitespace<'_>) -> Result<Game, String> {
    match words.next() {
        Some("fen") => {}
        Some("startpos") => {
            return Err("this engine plays endings: set one up with 'position fen ...'".to_owned());
        }
        _ => return Err("expected 'position fen ... [moves ...]'".to_owned()),
    }
    let words: Vec<&str> = words.collect();
    let at = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
    let mut position: Position = words[..at].join(" ").parse().map_err(|e| format!("{e}"))?;
    let mut earlier = Vec::new();
    for text in words.iter().skip(at + 1) {
        let Some(m) = position.legal_moves().into_iter().find(|m| m.to_string() == *text) else {
            return Err(format!("'{text}' is not a legal move in {position}"));
        };
        if m.is_zeroing() {
            earlier.clear();
        } else {
            earlier.push(position);
        }
        position = position.play(&m);
    }
    Ok(Game { position, earlier })
}

/// What `go` asks for.
#[derive(Clone, Copy, Default)]
struct Request {
    limits: Limits,
    infinite: bool,
}

impl Request {
    fn read(mut words: SplitWhitespace<'_>, turn: Color) -> Request {
        let mut request = Request::default();
        let (mut clock, mut increment, mut moves_to_go) = (None, Duration::ZERO, MOVES_TO_GO);
        while let Some(word) = words.next() {
            if word == "infinite" {
                request.infinite = true;
                continue;
            }
            let Some(number) = words.clone().next().and_then(|text| text.parse::<i64>().ok())
            else {
                continue;
            };
            let count = number.max(0) as u64;
            let mine = (turn == Color::White) == word.starts_with('w');
            match word {
                "depth" => request.limits.depth = Some(count.clamp(1, 100) as u32),
                "nodes" => request.limits.nodes = Some(count.max(1)),
                "movetime" => {
                    let time = Duration::from_millis(count);
                    request.limits.time = Some(time.saturating_sub(OVERHEAD).max(time / 4));
                }
                "wtime" | "btime" if mine => clock = Some(Duration::from_millis(count)),
                "winc" | "binc" if mine => increment = Duration::from_millis(count),
                "movestogo" => moves_to_go = count.clamp(1, 100) as u32,
                _ => {}
            }
        }
        if let (Some(clock), None) = (clock, request.limits.time) {
            let share = clock / (moves_to_go + 1) + increment * 3 / 4;
            let most = clock.saturating_sub(OVERHEAD) / 2;
            request.limits.time = Some(share.min(most).max(Duration::from_millis(1)));
        }
        request
    }
}

/// One `go`, carried out in the search thread.
struct Job {
    game: Option<Game>,
    perfect: Option<Arc<dyn PerfectPlay>>,
    searcher: Arc<Mutex<Searcher>>,
    request: Request,
    stop: Arc<AtomicBool>,
}

impl Job {
    fn run(self, output: &Mutex<impl Write>) {
        let best = self.game.as_ref().and_then(|game| self.think(game, output));
        if self.request.infinite {
            // The protocol forbids an answer before `stop`.
            while !self.stop.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
        match best {
            Some(best) => say(output, &format!("bestmove {best}")),
            None => say(output, "bestmove 0000"),
        }
    }

    fn think(&self, game: &Game, output: &Mutex<impl Write>) -> Option<Move> {
        let perfect = self.perfect.as_ref().and_then(|p| p.best_move(&game.position));
        if let Some((best, score)) = perfect {
            say(output, &format!("info depth 1 score cp {score} pv {best}"));
            return Some(best);
        }
        let started = Instant::now();
        let mut searcher = self.searcher.lock().unwrap_or_else(PoisonError::into_inner);
        searcher.set_history(game.earlier.clone());
        let mut limits = self.request.limits;
        if limits.time.is_none() && limits.depth.is_none() && limits.nodes.is_none() {
            limits.time = if self.request.infinite { None } else { Some(Duration::from_secs(5)) };
        }
        let whole = limits.time;
        // A third of the time to find out what the position is worth ...
        limits.time = whole.map(|time| time / 3);
        let report = |result: &SearchResult| say(output, &info(result));
        let found = searcher.search_with(&game.position, limits, &self.stop, report);
        if found.category.is_none() && whole.is_none() {
            return found.best_move;
        }
        // ... and the rest to make progress.
        limits.time = whole.map(|time| time.saturating_sub(started.elapsed()));
        limits.depth = limits.depth.or(Some(14));
        let played = searcher.play(&game.position, limits, &self.stop, report);
        let agrees = match found.category {
            Some(crate::Value::Win) => played.score >= PROVED,
            Some(crate::Value::Draw) => false,
            Some(crate::Value::Loss) | None => true,
        };
        if agrees { played.best_move.or(found.best_move) } else { found.best_move }
    }
}

/// An `info` line.
fn info(result: &SearchResult) -> String {
    let milliseconds = result.elapsed.as_millis();
    let per_second = result.nodes as u128 * 1000 / milliseconds.max(1);
    let line: Vec<String> = result.pv.iter().map(ToString::to_string).collect();
    format!(
        "info depth {} score cp {} nodes {} nps {per_second} time {milliseconds} pv {}",
        result.depth,
        result.score,
        result.nodes,
        line.join(" ")
    )
}
