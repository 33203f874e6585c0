//! Nalimov, Wirth, Haworth, appendix B: annotated lines.
//!
//! A move of the data file is its UCI name, then the signs printed with it,
//! then the other optimal moves in brackets or, after `^`, how many there are.

use molien_board::{Material, Position};
use molien_lines::{Judged, Mark, Strategy};
use molien_values::Metric;

use crate::around::around;
use crate::data::{Data, data};
use crate::nalimov::PAPER;
use crate::report::{Cell, Section};
use crate::{Lab, ReproduceError};

const LINES: Data = data!("nalimov_lines.tsv");
/// The men that a full reproduction reaches.
const FULL_MEN: usize = 6;

/// Signs that are printed wrongly: line, ply, what is wrong.
const KNOWN: [(&str, &str, &str); 6] = [
    ("B2-Z1", "ply 12 ", "printed one too few: there are six"),
    ("B4.2", "ply 37 ", "printed one too few: 17 moves draw"),
    ("B4.2", "ply 45 ", "Qe5 draws as well"),
    ("B5.3-main", "ply 14 ", "two moves are legal"),
    ("B5.3-note-iv", "ply 15 ", "Qc7 mates as fast; it is printed one move later"),
    ("B5.3-note-iv", "ply 17 ", "the other move is Qca6; Qc7 belongs one move earlier"),
];

/// A printed move.
struct Printed {
    uci: String,
    sign: Option<Mark>,
    others: Option<Vec<String>>,
    count: Option<usize>,
}

impl Printed {
    fn parse(token: &str) -> Printed {
        let (token, count) = match token.split_once('^') {
            Some((token, count)) => (token, count.parse().ok()),
            None => (token, None),
        };
        let (token, others) = match token.split_once('[') {
            Some((token, list)) => {
                let list = list.trim_end_matches(']').split(',').map(str::to_owned);
                (token, Some(list.collect()))
            }
            None => (token, None),
        };
        let is_uci = |c: char| c.is_ascii_alphanumeric();
        let end = token.find(|c| !is_uci(c)).unwrap_or(token.len());
        let sign = match token[end..].chars().next() {
            Some('\'') => Some(Mark::OnlyOptimal),
            Some('"') => Some(Mark::OnlyPreserving),
            Some('°') => Some(Mark::OnlyLegal),
            _ => None,
        };
        Printed { uci: token[..end].to_owned(), sign, others, count }
    }

    /// What is printed about the move.
    fn claim(&self) -> String {
        match (&self.others, self.count) {
            (Some(others), _) => format!("[{}]", others.join(",")),
            (None, Some(count)) => format!("^{count}"),
            (None, None) => self.sign.map_or("", Mark::sign).to_owned(),
        }
    }

    /// What we say, in the same form.
    fn ours(&self, judged: &Judged, played: &molien_board::Move) -> String {
        let mark = Mark::of(judged, played);
        let others = judged.optimal_moves().iter().filter(|m| m.played != *played);
        match (mark, &self.others) {
            (Mark::OneOfSeveral, Some(printed)) => {
                let mut others: Vec<String> = others.map(|m| m.played.to_string()).collect();
                // In the order printed, for the eye.
                let place = |uci: &String| printed.iter().position(|p| p == uci);
                others.sort_by_key(|uci| place(uci).unwrap_or(usize::MAX));
                format!("[{}]", others.join(","))
            }
            (Mark::OneOfSeveral, None) => format!("^{}", judged.optimal),
            (Mark::NotOptimal, _) => "not optimal".to_owned(),
            _ => mark.sign().to_owned(),
        }
    }
}

/// Appendix B: the signs of every move in reach, compared. `full` adds the
/// moves with six men.
///
/// # Errors
/// If a line cannot be followed.
pub fn lines(lab: &Lab, full: bool) -> Result<Section, ReproduceError> {
    let max_men = if full { FULL_MEN } else { 5 };
    let mut cells = Vec::new();
    if full {
        gather(lab)?;
    }
    for row in LINES.rows() {
        let (name, start): (&str, Position) = (row.text(0)?, row.get(1)?);
        let moves: Vec<Printed> = row.text(2)?.split(' ').map(Printed::parse).collect();
        check(lab, (name, &start), &moves, max_men, &mut cells)?;
    }
    let title = "annotated lines: signs printed and ours";
    Ok(Section { paper: PAPER, table: "B", title, cells })
}

fn metric_of(name: &str) -> Metric {
    if name.contains("DTC") { Metric::Dtc } else { Metric::Dtm }
}

fn gather(lab: &Lab) -> Result<(), ReproduceError> {
    for metric in [Metric::Dtm, Metric::Dtc] {
        let mut positions = Vec::new();
        for row in LINES.rows() {
            let (name, start): (&str, Position) = (row.text(0)?, row.get(1)?);
            let moves: Vec<Printed> = row.text(2)?.split(' ').map(Printed::parse).collect();
            let names: Vec<&str> = moves.iter().map(|m| m.uci.as_str()).collect();
            if metric_of(name) == metric {
                let large = |m: Material| m.len() == FULL_MEN && !m.has_pawns();
                positions.extend(around(&start, &names, |p| large(p.material())));
            }
        }
        match lab.gather(&positions, metric) {
            Err(error) if error.is_memory() => {} // said where the line is checked
            other => other?,
        }
    }
    Ok(())
}

fn check(
    lab: &Lab,
    (name, start): (&str, &Position),
    moves: &[Printed],
    max_men: usize,
    cells: &mut Vec<Cell>,
) -> Result<(), ReproduceError> {
    let (tables, strategy) = (lab.tables(), Strategy::from(metric_of(name)));
    let (mut now, mut claims, mut equal) = (*start, 0, 0);
    let mut out_of_reach = None;
    let mut different = Vec::new();
    for (i, printed) in moves.iter().enumerate() {
        let legal = now.legal_moves();
        let Some(played) = legal.iter().find(|m| m.to_string() == printed.uci) else {
            cells.push(Cell::compare(name, format!("ply {}", i + 1), &printed.uci, "illegal"));
            return Ok(());
        };
        let claim = printed.claim();
        if now.material().len() <= max_men && !claim.is_empty() {
            let column = format!("ply {} {}", i + 1, printed.uci);
            match Judged::new(&tables, now, &strategy).map_err(ReproduceError::from) {
                Ok(judged) => {
                    claims += 1;
                    let ours = printed.ours(&judged, played);
                    let cell = Cell::compare(name, column, claim, ours);
                    match cell.verdict {
                        crate::Verdict::Equal => equal += 1,
                        _ => different.push(explain(cell)),
                    }
                }
                // The first of them says enough.
                Err(error) if error.is_memory() => {
                    let skipped = || Cell::skipped(name, column, claim, error.to_string());
                    out_of_reach.get_or_insert_with(skipped);
                }
                Err(error) => return Err(error),
            }
        }
        now = now.play(played);
    }
    if claims > 0 {
        let sum = Cell::compare(name, "signs", claims, equal);
        cells.push(sum.explain("see the plies below"));
    }
    cells.extend(different.into_iter().chain(out_of_reach));
    Ok(())
}

/// Signs that are weaker or stronger than ours for a known reason.
fn explain(cell: Cell) -> Cell {
    let known =
        KNOWN.iter().find(|(line, ply, _)| *line == cell.row && cell.column.starts_with(ply));
    match (cell.published.as_str(), cell.ours.as_str()) {
        _ if known.is_some() => cell.explain(known.map_or("", |(_, _, why)| why)),
        ("'", "\"") => cell.explain("it is the only move that keeps the value as well"),
        _ => cell,
    }
}
