//! The thirty studies the program of 1977 was tried on, and the question it
//! left open: are the evaluation functions worth their cost?

use std::sync::Arc;
use std::time::Duration;

use molien_board::{Color, Position};

use crate::error::Error;
use crate::knowledge::Functions;
use crate::search::{Limits, Options, Oracle, SearchResult, Searcher};
use crate::value::Value;

/// The studies of Piasetski's thesis, as a table (see [`parse`]).
pub const PIASETSKI: &str = include_str!("../data/piasetski.tsv");

/// A study with its solution and the figures of 1977.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its number in the thesis.
    pub number: u32,
    /// Who composed or played it.
    pub composer: String,
    /// When, or where.
    pub year: String,
    /// `blocked`, `adjacent` or `passed`.
    pub category: String,
    /// The position.
    pub position: Position,
    /// The result for the side to move.
    pub result: Value,
    /// The first moves that keep the result, in UCI notation.
    pub first_moves: Vec<String>,
    /// What the program of 1977 did.
    pub in_1977: In1977,
}

/// The last row of the table printed in 1977.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct In1977 {
    /// Whether the study counted as solved.
    pub solved: bool,
    /// The deepest search printed, in plies.
    pub ply: u32,
    /// Its terminal nodes.
    pub terminal_nodes: u64,
    /// Its CPU time on an IBM 360/75.
    pub seconds: f64,
}

/// Reads studies from a table: one line each, fields separated by tabs, lines
/// beginning with `#` left out. The fields are those of [`Study`], the result
/// from White's side, the first moves separated by commas.
///
/// # Errors
/// If a line does not have eleven fields or one of them cannot be read.
pub fn parse(table: &str) -> Result<Vec<Study>, Error> {
    let lines = table.lines().enumerate();
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
        .map(|(i, line)| {
            parse_line(line).map_err(|problem| Error::StudyTable { line: i + 1, problem })
        })
        .collect()
}

fn parse_line(line: &str) -> Result<Study, String> {
    let fields: Vec<&str> = line.split('\t').collect();
    let [number, composer, year, category, fen, result, moves, solved, ply, nodes, seconds] =
        fields[..]
    else {
        return Err(format!("{} fields instead of 11", fields.len()));
    };
    let position: Position = fen.parse().map_err(|e| format!("{e}"))?;
    let for_white = match result {
        "win" => Value::Win,
        "draw" => Value::Draw,
        "loss" => Value::Loss,
        other => return Err(format!("'{other}' is not win, draw or loss")),
    };
    let number_of = |text: &str| text.parse().map_err(|_| format!("'{text}' is not a number"));
    Ok(Study {
        number: number_of(number)?,
        composer: composer.to_owned(),
        year: year.to_owned(),
        category: category.to_owned(),
        result: if position.turn() == Color::White { for_white } else { -for_white },
        position,
        first_moves: moves.split(',').map(str::to_owned).collect(),
        in_1977: In1977 {
            solved: solved == "yes",
            ply: number_of(ply)?,
            terminal_nodes: u64::from(number_of(nodes)?),
            seconds: seconds.parse().map_err(|_| format!("'{seconds}' is not a time"))?,
        },
    })
}

/// One way of running the studies.
#[derive(Clone)]
pub struct Configuration {
    /// Its name in the table.
    pub name: &'static str,
    /// The functions the search may ask.
    pub functions: Functions,
    /// Tables, if they are to be asked too.
    pub oracle: Option<Arc<dyn Oracle>>,
}

impl Configuration {
    /// With all functions, with `one_pawn` only, with none.
    pub fn without_tables() -> Vec<Configuration> {
        [("all", Functions::All), ("one_pawn", Functions::OnePawn), ("none", Functions::None)]
            .into_iter()
            .map(|(name, functions)| Configuration { name, functions, oracle: None })
            .collect()
    }
}

/// How one study went under one configuration.
#[derive(Clone, Debug)]
pub struct Row {
    /// The study's number.
    pub study: u32,
    /// The configuration's name.
    pub configuration: &'static str,
    /// Right first move, and right result proved.
    pub solved: bool,
    /// What the search found: depth, nodes, time and the rest.
    pub result: SearchResult,
}

/// Runs the studies under each configuration with this much time for each and
/// the memory `options` allow; `each` sees every row as it comes.
pub fn reproduce(
    studies: &[Study],
    configurations: &[Configuration],
    time: Duration,
    options: &Options,
    mut each: impl FnMut(&Study, &Row),
) -> Vec<Row> {
    let mut rows = Vec::new();
    for study in studies {
        for configuration in configurations {
            let mut searcher = Searcher::new(Options {
                functions: configuration.functions,
                oracle: configuration.oracle.clone(),
                ..options.clone()
            });
            let limits = Limits { time: Some(time), ..Limits::default() };
            let result = searcher.search(&study.position, limits);
            let row = Row {
                study: study.number,
                configuration: configuration.name,
                solved: is_solved(study, &result),
                result,
            };
            each(study, &row);
            rows.push(row);
        }
    }
    rows
}

/// Right first move for the right reason.
fn is_solved(study: &Study, result: &SearchResult) -> bool {
    let right_move = result
        .best_move
        .is_some_and(|best| study.first_moves.iter().any(|m| *m == best.to_string()));
    right_move && result.category == Some(study.result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads() {
        let studies = parse(PIASETSKI).unwrap();
        assert_eq!(studies.len(), 30);
        assert_eq!(studies.iter().filter(|s| s.in_1977.solved).count(), 23);
        for study in &studies {
            let legal: Vec<String> =
                study.position.legal_moves().iter().map(ToString::to_string).collect();
            assert!(study.first_moves.iter().all(|m| legal.contains(m)), "{}", study.number);
        }
    }

    #[test]
    fn errors_name_the_line() {
        let error = parse("# a comment\n1\tx").unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
