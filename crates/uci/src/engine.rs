//! The engine: hears commands and events, and keeps what lasts between them.

use std::io::{BufRead, Write};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};
use std::time::{Duration, Instant};

use molien_board::{Color, Move};
use molien_pawns::{Limits, Searcher};

use crate::command::{Command, Go};
use crate::control::Control;
use crate::game::Game;
use crate::info::Output;
use crate::job::Job;
use crate::maker::Maker;
use crate::options::{Change, Settings, Setup};
use crate::tables::Asked;
use crate::time::budget;

/// How long an answer may take once the input has ended: nobody may be
/// listening any more.
const LAST_ANSWER: Duration = Duration::from_secs(10);

/// What the engine waits for.
pub(crate) enum Event {
    Line(String),
    /// From the thread that makes tables.
    News(String),
    /// There will be no more lines.
    End(std::io::Result<()>),
}

/// Serves one user interface until `quit` or the end of the input.
///
/// # Errors
/// If the input cannot be read.
pub fn run(
    input: impl BufRead + Send,
    output: impl Write + Send,
    setup: Setup,
) -> std::io::Result<()> {
    let output = Output::new(output);
    let (sender, events) = channel();
    std::thread::scope(|scope| {
        let mut engine = Engine::new(scope, &output, setup, sender.clone());
        scope.spawn(move || read_lines(input, &sender));
        let mut result = Ok(());
        for event in events {
            match event {
                Event::Line(line) => {
                    let command = Command::read(&line);
                    if command == Command::Quit {
                        break;
                    }
                    engine.obey(command);
                }
                Event::News(text) => output.say(format_args!("info string {text}")),
                Event::End(end) => {
                    engine.wait();
                    result = end;
                    break;
                }
            }
        }
        engine.stop();
        result
    })
}

/// Sends the lines on; ends with the input or after `quit`, so that nothing is
/// left that could wait for ever.
fn read_lines(mut input: impl BufRead, events: &Sender<Event>) {
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match input.read_until(b'\n', &mut bytes) {
            Ok(0) => return drop(events.send(Event::End(Ok(())))),
            Ok(_) => {}
            Err(error) => return drop(events.send(Event::End(Err(error)))),
        }
        let line = String::from_utf8_lossy(&bytes).into_owned();
        let last = Command::read(&line) == Command::Quit;
        if events.send(Event::Line(line)).is_err() || last {
            return;
        }
    }
}

/// A `go` under way.
struct Thinking<'scope> {
    control: Arc<Control>,
    thread: ScopedJoinHandle<'scope, Option<Searcher>>,
    /// The settings of the search have not changed since it began.
    is_current: bool,
}

struct Engine<'scope, 'env, W> {
    scope: &'scope Scope<'scope, 'env>,
    output: &'env Output<W>,
    settings: Settings,
    game: Option<Game>,
    asked: Arc<Asked>,
    /// Lent to the thread that thinks; its table is worth keeping.
    searcher: Option<Searcher>,
    thinking: Option<Thinking<'scope>>,
    maker: Maker,
}

impl<'scope, 'env, W: Write + Send> Engine<'scope, 'env, W> {
    fn new(
        scope: &'scope Scope<'scope, 'env>,
        output: &'env Output<W>,
        setup: Setup,
        events: Sender<Event>,
    ) -> Self {
        let asked = Arc::new(Asked::new(setup.tables.clone(), setup.most_men));
        Engine {
            scope,
            output,
            settings: Settings::new(setup),
            game: None,
            asked,
            searcher: None,
            thinking: None,
            maker: Maker::new(events),
        }
    }

    fn obey(&mut self, command: Command<'_>) {
        if command.ends_thinking() {
            self.stop();
        }
        match command {
            Command::Uci => self.introduce(),
            Command::IsReady => self.output.say("readyok"),
            Command::NewGame => {
                self.game = None;
                self.searcher.as_mut().into_iter().for_each(Searcher::clear);
            }
            Command::Position(words) => self.set_position(&words),
            Command::Go(go) => self.go(&go),
            Command::PonderHit => {
                self.thinking.iter().for_each(|thinking| thinking.control.ponder_hit());
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Unknown(word) => self.complain(&format!("unknown command '{word}'")),
            Command::Stop | Command::Quit | Command::Ignored => {}
        }
    }

    fn complain(&self, problem: &str) {
        self.output.say(format_args!("info string {problem}"));
    }

    fn introduce(&self) {
        self.output.say(format_args!("id name {}", self.settings.setup.name));
        self.output.say("id author the Molien developers");
        self.settings.declarations().iter().for_each(|line| self.output.say(line));
        self.output.say("uciok");
    }

    fn set_position(&mut self, words: &[&str]) {
        match Game::read(words) {
            Ok(game) => {
                self.game = Some(game);
                self.order_table();
            }
            Err(problem) => {
                // Better no move than one in the position before.
                self.game = None;
                self.complain(&problem);
            }
        }
    }

    fn set_option(&mut self, name: &str, value: &str) {
        let (places, men) = (self.settings.setup.places.clone(), self.settings.setup.most_men);
        let solving = self.settings.solve_missing;
        match self.settings.set(name, value) {
            Ok(Change::None) => return,
            Ok(Change::Search | Change::Tables) => {}
            Err(problem) => self.complain(&problem),
        }
        // A new table of the search is made when it is first used, so nothing
        // waits here.
        self.searcher = None;
        self.thinking.iter_mut().for_each(|thinking| thinking.is_current = false);
        let setup = &self.settings.setup;
        if places != setup.places || men != setup.most_men {
            self.asked = Arc::new(Asked::new(setup.tables.clone(), setup.most_men));
        }
        if places != setup.places || (solving && !self.settings.solve_missing) {
            self.maker.cancel();
        }
        self.order_table();
    }

    /// Has the table of the position made if that is wished for.
    fn order_table(&mut self) {
        let setup = &self.settings.setup;
        let wanted = self.game.as_ref().map(|game| game.position().material());
        if let (true, Some(tables), Some(material)) =
            (self.settings.solve_missing, &setup.tables, wanted)
            && material.len() <= setup.most_men
        {
            self.maker.order(tables, material);
        }
    }

    fn go(&mut self, go: &Go<'_>) {
        let turn = self.game.as_ref().map_or(Color::White, |game| game.position().turn());
        let time = budget(go, turn, self.settings.overhead);
        let control = Arc::new(match (go.infinite, go.ponder) {
            (true, _) => Control::infinite(),
            (false, true) => Control::pondering(time),
            (false, false) => Control::free(),
        });
        self.asked.forget_hits();
        let job = Job {
            game: self.game.clone(),
            settings: self.settings.clone(),
            asked: self.asked.clone(),
            searcher: self.searcher.take(),
            root_moves: self.root_moves(&go.search_moves),
            limits: Limits {
                depth: go.depth,
                nodes: go.nodes,
                time: time.filter(|_| !go.ponder && !go.infinite),
            },
            mate: go.mate,
            started: Instant::now(),
            control: control.clone(),
        };
        if go.ponder {
            let control = control.clone();
            self.scope.spawn(move || control.watch_clock());
        }
        let output = self.output;
        let thread = self.scope.spawn(move || job.run(output));
        self.thinking = Some(Thinking { control, thread, is_current: true });
    }

    /// The moves named; those that are not legal are complained of.
    fn root_moves(&self, names: &[&str]) -> Vec<Move> {
        let Some(game) = &self.game else { return Vec::new() };
        let find = |name: &&str| match game.position().find_move(name) {
            Ok(found) => Some(found),
            Err(problem) => {
                self.complain(&problem.to_string());
                None
            }
        };
        names.iter().filter_map(find).collect()
    }

    /// Waits a while for the answer to the last `go`: whoever pipes commands in
    /// has no other way to get one.
    fn wait(&self) {
        self.thinking.iter().for_each(|thinking| thinking.control.wait(LAST_ANSWER));
    }

    /// Has the answer given, if one is due, and waits for it.
    fn stop(&mut self) {
        if let Some(Thinking { control, thread, is_current }) = self.thinking.take() {
            control.stop();
            // A panic there has been reported already.
            let searcher = thread.join().ok().flatten();
            self.searcher = searcher.filter(|_| is_current);
        }
    }
}
