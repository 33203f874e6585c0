//! What was found, in words.

use molien_board::Color;
use molien_values::{Category, Outcome};

use super::model::{Flaw, GameReport, MoveReport};

/// The most moves that are named one by one.
const NAMED: usize = 4;

fn named(moves: &[String]) -> String {
    match moves {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if moves.len() <= NAMED => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} more", moves[..NAMED].join(", "), moves.len() - NAMED),
    }
}

fn plural<'a>(count: usize, one: &'a str, several: &'a str) -> &'a str {
    if count == 1 { one } else { several }
}

/// What a class is called as something to have, keep or throw away.
fn noun(category: Category) -> &'static str {
    match category.result() {
        Some(Outcome::Win) => "win",
        Some(Outcome::Loss) => "loss",
        _ => "draw",
    }
}

/// What a move of this class does.
fn verb(category: Category, count: usize) -> &'static str {
    match category.result() {
        Some(Outcome::Win) => plural(count, "wins", "win"),
        Some(Outcome::Loss) => plural(count, "loses", "lose"),
        _ => plural(count, "draws", "draw"),
    }
}

/// What is true of a position, in a sentence; the class is White's.
fn sentence(for_white: Category) -> String {
    let would_win = |side: Color| format!("{side} would win, but it is a draw by the 50-move rule");
    match for_white {
        Category::Win | Category::MaybeWin => format!("{} wins", Color::White),
        Category::Loss | Category::MaybeLoss => format!("{} wins", Color::Black),
        Category::CursedWin => would_win(Color::White),
        Category::BlessedLoss => would_win(Color::Black),
        Category::Draw => "it is a draw".to_owned(),
    }
}

impl MoveReport {
    /// What there is to say about the move; nothing about moves in a lost
    /// position.
    pub fn remark(&self) -> String {
        if !self.kept() {
            let better = named(&self.others);
            let rule = match self.after {
                Category::CursedWin | Category::BlessedLoss => "draw by the 50-move rule",
                after => noun(after),
            };
            return format!("throws away the {} ({rule}); better: {better}", noun(self.before));
        }
        match self.legal {
            _ if self.before == Category::Loss => String::new(),
            1 => "only legal move".to_owned(),
            _ if self.unique() => format!("only move that {}", verb(self.before, 1)),
            _ => self.alternatives(),
        }
    }

    /// The other moves that would have done, those apart that gain nothing.
    fn alternatives(&self) -> String {
        let real = self.others.iter().filter(|name| !self.detours.contains(name));
        let real: Vec<String> = real.cloned().collect();
        let also = |moves: &[String], end: &str| {
            let count = moves.len();
            (count > 0).then(|| format!("{} also {}{end}", named(moves), verb(self.before, count)))
        };
        let slow = format!(" but only {} time", plural(self.detours.len(), "loses", "lose"));
        let parts = [also(&real, ""), also(&self.detours, &slow)];
        parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
    }
}

impl GameReport {
    /// The verdict on a study.
    pub fn verdict(&self) -> Option<String> {
        if !self.study {
            return None;
        }
        let Some(flaw) = self.flaw else {
            return Some(match (self.moves.is_empty(), self.passed_over.is_empty()) {
                (true, _) => "study: no position within reach".to_owned(),
                (false, true) => "study: sound".to_owned(),
                (false, false) => "study: sound as far as it was within reach".to_owned(),
            });
        };
        let (Flaw::WrongResult { at } | Flaw::Mistake { at } | Flaw::SecondSolution { at }) = flaw;
        let m = self.moves.get(at)?;
        let place = format!("{} {}", m.number, m.san);
        Some(match flaw {
            Flaw::WrongResult { .. } => {
                let from = match at == 0 && self.passed_over.is_empty() {
                    true => "from the start".to_owned(),
                    false => format!("before {place}"),
                };
                format!("study: stated result is wrong: {} {from}", sentence(m.for_white()))
            }
            Flaw::Mistake { .. } => format!("study: refuted: {place} {}", m.remark()),
            Flaw::SecondSolution { .. } => format!("study: cooked at {place}: {}", m.remark()),
        })
    }
}

/// The report as text.
pub fn to_text(report: &GameReport) -> String {
    let title = format!("game {} (line {}) {}", report.number, report.line, report.title);
    let mut lines = vec![title.trim_end().to_owned()];
    for (why, count) in &report.passed_over {
        lines.push(format!("  {count} {} not judged: {why}", plural(*count, "move", "moves")));
    }
    for m in &report.moves {
        let variation = if m.main { "" } else { "(variation) " };
        let remark = m.remark();
        let text = format!("  {:>6} {:8} {variation}{remark}", m.number, m.san);
        lines.push(text.trim_end().to_owned());
    }
    lines.extend(report.verdict().map(|verdict| format!("  {verdict}")));
    lines.extend(report.problem.as_ref().map(|problem| format!("  malformed: {problem}")));
    lines.join("\n")
}

/// Counts over many games.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// Games read.
    pub games: usize,
    /// Games that are malformed.
    pub malformed: usize,
    /// Moves judged.
    pub judged: usize,
    /// Moves not judged.
    pub passed_over: usize,
    /// Moves that threw something away.
    pub mistakes: usize,
    /// Studies without a flaw, of those within reach.
    pub sound: usize,
    /// Studies whose stated result is wrong.
    pub wrong_result: usize,
    /// Studies whose solution is a mistake.
    pub refuted: usize,
    /// Studies with a second solution.
    pub cooked: usize,
    /// Studies of which nothing was within reach.
    pub out_of_reach: usize,
}

impl Summary {
    /// Counts a game.
    pub fn add(&mut self, report: &GameReport) {
        self.games += 1;
        self.malformed += usize::from(report.problem.is_some());
        self.judged += report.moves.len();
        self.passed_over += report.passed_over_moves();
        self.mistakes += report.moves.iter().filter(|m| !m.kept()).count();
        if report.study {
            *match report.flaw {
                _ if report.moves.is_empty() => &mut self.out_of_reach,
                None => &mut self.sound,
                Some(Flaw::WrongResult { .. }) => &mut self.wrong_result,
                Some(Flaw::Mistake { .. }) => &mut self.refuted,
                Some(Flaw::SecondSolution { .. }) => &mut self.cooked,
            } += 1;
        }
    }

    /// The counts in words, one line each.
    pub fn to_text(&self) -> String {
        let games = format!(
            "{} {}, {} malformed",
            self.games,
            plural(self.games, "game", "games"),
            self.malformed
        );
        let moves = format!(
            "{} {} judged, {} not; {} {}",
            self.judged,
            plural(self.judged, "move", "moves"),
            self.passed_over,
            self.mistakes,
            plural(self.mistakes, "mistake", "mistakes"),
        );
        let studies = format!(
            "studies: {} sound, {} cooked, {} refuted, {} with a wrong result, {} out of reach",
            self.sound, self.cooked, self.refuted, self.wrong_result, self.out_of_reach
        );
        [games, moves, studies].join("\n")
    }
}
