//! What was found, in words.

use molien_values::Outcome;
use serde_json::{Value as Json, json};

use super::walk::{Flaw, GameReport, MoveReport};

/// The most moves that are named one by one.
const NAMED: usize = 4;

fn named(moves: &[String]) -> String {
    match moves.len() {
        0..=NAMED => moves.join(", "),
        more => format!("{} and {} more", moves[..NAMED].join(", "), more - NAMED),
    }
}

fn noun(outcome: Outcome) -> &'static str {
    outcome.name()
}

fn verb(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win => "wins",
        Outcome::Draw => "draws",
        Outcome::Loss => "loses",
    }
}

impl MoveReport {
    /// What there is to say about the move; nothing about moves in a lost
    /// position.
    pub fn remark(&self) -> String {
        if !self.kept() {
            let better = named(&self.others);
            let (had, has) = (noun(self.before), noun(self.after));
            return format!("throws away the {had} ({has}); better: {better}");
        }
        match (self.before, self.legal) {
            (Outcome::Loss, _) => String::new(),
            (_, 1) => "only legal move".to_owned(),
            _ if self.unique() => format!("only move that {}", verb(self.before)),
            _ if !self.dual() => format!("also, but losing time: {}", named(&self.detours)),
            _ => format!("also {}: {}", verb(self.before), named(&self.others)),
        }
    }

    fn to_json(&self) -> Json {
        json!({
            "line": self.line,
            "number": self.number,
            "san": self.san,
            "main_line": self.main,
            "before": self.before.name(),
            "after": self.after.name(),
            "kept": self.kept(),
            "unique": self.unique(),
            "dual": self.dual(),
            "others": self.others,
            "detours": self.detours,
        })
    }
}

impl GameReport {
    /// The verdict on a study.
    pub fn verdict(&self) -> Option<String> {
        if !self.study {
            return None;
        }
        let place = |at: usize| {
            self.moves.get(at).map_or(String::new(), |m| format!("{} {}", m.number, m.san))
        };
        Some(match self.flaw {
            None if self.moves.is_empty() => "study: not within reach".to_owned(),
            None => "study: sound, as far as it was within reach".to_owned(),
            Some(Flaw::WrongResult { at }) => {
                let value = self.moves.get(at).map_or("", |m| noun(m.before));
                let mover = self.moves.get(at).map_or(String::new(), |m| m.mover.to_string());
                format!("study: cooked before {}: it is a {value} for {mover}", place(at))
            }
            Some(Flaw::Mistake { at }) => format!("study: refuted: {} is a mistake", place(at)),
            Some(Flaw::SecondSolution { at }) => {
                let others = self.moves.get(at).map_or(String::new(), |m| named(&m.others));
                format!("study: cooked at {}; other solutions: {others}", place(at))
            }
        })
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Json {
        let flaw = self.flaw.map(|flaw| {
            let (kind, at) = match flaw {
                Flaw::WrongResult { at } => ("wrong-result", at),
                Flaw::Mistake { at } => ("mistake", at),
                Flaw::SecondSolution { at } => ("second-solution", at),
            };
            json!({ "kind": kind, "move": at })
        });
        let problem =
            self.problem.as_ref().map(|p| json!({ "line": p.line, "problem": p.problem }));
        json!({
            "game": self.number,
            "line": self.line,
            "title": self.title,
            "study": self.study,
            "flaw": flaw,
            "problem": problem,
            "passed_over": self.passed_over,
            "moves": self.moves.iter().map(MoveReport::to_json).collect::<Vec<_>>(),
        })
    }
}

/// The report as text.
pub fn to_text(report: &GameReport) -> String {
    let mut lines = vec![format!("game {} (line {}) {}", report.number, report.line, report.title)];
    if report.passed_over > 0 {
        lines.push(format!("  {} moves out of reach", report.passed_over));
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
