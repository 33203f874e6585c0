//! Commands of the user interface, taken apart.

use std::time::Duration;

use molien_board::Color;

/// One line from the user interface.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Command<'a> {
    Uci,
    IsReady,
    NewGame,
    /// The words after `position`.
    Position(Vec<&'a str>),
    Go(Go<'a>),
    Stop,
    PonderHit,
    SetOption {
        name: String,
        value: String,
    },
    Quit,
    /// Nothing to do: an empty line, or a command that needs no answer.
    Ignored,
    Unknown(&'a str),
}

impl<'a> Command<'a> {
    pub fn read(line: &'a str) -> Command<'a> {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("uci") => Command::Uci,
            Some("isready") => Command::IsReady,
            Some("ucinewgame") => Command::NewGame,
            Some("position") => Command::Position(words.collect()),
            Some("go") => Command::Go(Go::read(&words.collect::<Vec<_>>())),
            Some("stop") => Command::Stop,
            Some("ponderhit") => Command::PonderHit,
            Some("setoption") => set_option(&words.collect::<Vec<_>>()),
            Some("quit") => Command::Quit,
            Some("debug" | "register") | None => Command::Ignored,
            Some(other) => Command::Unknown(other),
        }
    }

    /// Whether the engine has to finish thinking first.
    pub fn ends_thinking(&self) -> bool {
        matches!(
            self,
            Command::Stop
                | Command::Quit
                | Command::Go(_)
                | Command::Position(_)
                | Command::NewGame
        )
    }
}

/// `name <words> [value <words>]`; both may hold blanks.
fn set_option<'a>(words: &[&str]) -> Command<'a> {
    let value_at = words.iter().position(|&word| word == "value").unwrap_or(words.len());
    let name = words.get(1..value_at).map(|name| name.join(" ")).unwrap_or_default();
    let value = words.get(value_at + 1..).map(|value| value.join(" ")).unwrap_or_default();
    Command::SetOption { name, value }
}

/// What `go` asks for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Go<'a> {
    /// Moves to choose from; none means all.
    pub search_moves: Vec<&'a str>,
    pub ponder: bool,
    pub infinite: bool,
    /// Plies to search.
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Moves in which to mate.
    pub mate: Option<u32>,
    pub move_time: Option<Duration>,
    /// Time left and increment, White's first.
    pub clocks: [Option<Duration>; 2],
    pub increments: [Duration; 2],
    pub moves_to_go: Option<u32>,
}

const KEYWORDS: [&str; 12] = [
    "searchmoves",
    "ponder",
    "infinite",
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
];

impl<'a> Go<'a> {
    fn read(words: &[&'a str]) -> Go<'a> {
        let mut go = Go::default();
        let mut rest = words.iter().copied().peekable();
        while let Some(word) = rest.next() {
            match word {
                "ponder" => go.ponder = true,
                "infinite" => go.infinite = true,
                "searchmoves" => {
                    while let Some(m) = rest.next_if(|next| !KEYWORDS.contains(next)) {
                        go.search_moves.push(m);
                    }
                }
                _ => {
                    if let Some(number) = rest.peek().and_then(|text| text.parse::<i64>().ok()) {
                        rest.next();
                        // A clock may have run below zero.
                        go.set(word, number.max(0) as u64);
                    }
                }
            }
        }
        go
    }

    fn set(&mut self, word: &str, number: u64) {
        let time = Duration::from_millis(number);
        let few = |most: u64| number.clamp(1, most) as u32;
        match word {
            "depth" => self.depth = Some(few(100)),
            "nodes" => self.nodes = Some(number.max(1)),
            "mate" => self.mate = Some(few(500)),
            "movetime" => self.move_time = Some(time),
            "wtime" => self.clocks[Color::White.index()] = Some(time),
            "btime" => self.clocks[Color::Black.index()] = Some(time),
            "winc" => self.increments[Color::White.index()] = time,
            "binc" => self.increments[Color::Black.index()] = time,
            "movestogo" => self.moves_to_go = Some(few(100)),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn go_is_read_in_any_order() {
        let Command::Go(go) =
            Command::read("go wtime -5 searchmoves a1a2 b1b2 btime 900 ponder depth 7 mate 3")
        else {
            panic!("not a go");
        };
        assert_eq!(go.search_moves, ["a1a2", "b1b2"]);
        assert_eq!(go.clocks, [Some(Duration::ZERO), Some(Duration::from_millis(900))]);
        assert!(go.ponder && !go.infinite);
        assert_eq!((go.depth, go.mate, go.move_time), (Some(7), Some(3), None));
    }

    #[test]
    fn options_may_have_blanks_and_no_value() {
        let option = |name: &str, value: &str| Command::SetOption {
            name: name.to_owned(),
            value: value.to_owned(),
        };
        let read = Command::read("setoption name Move Overhead value 20");
        assert_eq!(read, option("Move Overhead", "20"));
        assert_eq!(Command::read("setoption name Clear"), option("Clear", ""));
        assert_eq!(Command::read("setoption"), option("", ""));
    }

    #[test]
    fn nonsense_is_named() {
        assert_eq!(Command::read("  frobnicate now"), Command::Unknown("frobnicate"));
        assert_eq!(Command::read(""), Command::Ignored);
        assert_eq!(Command::read("go depth"), Command::Go(Go::default()));
    }
}
