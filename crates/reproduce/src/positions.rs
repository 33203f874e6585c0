//! Nalimov, Wirth, Haworth, Table 1: positions with their depths.

use molien_board::{Color, Position};
use molien_values::{Metric, Value};

use crate::data::{Data, Row, data};
use crate::nalimov::PAPER;
use crate::report::{Cell, Section};
use crate::{Lab, ReproduceError};

const POSITIONS: Data = data!("nalimov_positions.tsv");

const NOT_PRINTED: &str = "not printed";
const ILLEGAL: &str = "illegal: the side that has just moved is in check";
const SIX_MEN: &str = "six men: left out unless the full table is asked for";
const TOO_MANY: &str = "more than six men";
const NO_VALUE: &str = "no value is printed";
/// Depths we find to be printed wrongly or counted otherwise.
const KNOWN: [(&str, &str); 5] = [
    ("I1", "1. a4 and a8=Q on move 5 is conversion in 9 plies"),
    ("I2", ILLEGAL),
    (
        "AN1",
        "after 1. Qd4 Black loses in 132 plies, the 66 moves of the text; 131 is 66 moves from here",
    ),
    ("BN1", "2 plies would need a capture forced on Black; 1. Qa2+ can be declined"),
    ("RR", "2 plies would need a capture forced on Black; 1. Ra3+ can be declined"),
];

const METRICS: [(usize, Metric, &str); 3] =
    [(3, Metric::Dtm, "dtm plies"), (4, Metric::Dtc, "dtc plies"), (5, Metric::Dtz, "dtf plies")];

/// Table 1: the positions, their values and depths; six men only if `full`.
///
/// # Errors
/// If a position cannot be solved.
pub fn table1(lab: &Lab, full: bool) -> Result<Section, ReproduceError> {
    if full {
        gather(lab)?;
    }
    let mut cells = Vec::new();
    for row in POSITIONS.rows() {
        let name = row.text(0)?;
        match row.text(1)?.parse::<Position>() {
            Err(_) => illegal(&row, &mut cells)?,
            Ok(position) => match position.material().len() {
                0..=5 => compare(lab, &row, &position, &mut cells)?,
                6 if full => match compare(lab, &row, &position, &mut cells) {
                    Err(error) if error.is_memory() => {
                        cells.push(Cell::skipped(name, "value", row.text(2)?, error.to_string()));
                    }
                    other => other?,
                },
                men => {
                    let why = if men == 6 { SIX_MEN } else { TOO_MANY };
                    cells.push(Cell::skipped(name, "value", row.text(2)?, why));
                }
            },
        }
    }
    Ok(Section { paper: PAPER, table: "1", title: "positions and their depths", cells })
}

/// Six men without pawns: all positions of a material in one solve.
fn gather(lab: &Lab) -> Result<(), ReproduceError> {
    let positions: Vec<Position> = POSITIONS
        .rows()
        .filter_map(|row| row.text(1).ok()?.parse::<Position>().ok())
        .filter(|position| position.material().len() == 6)
        .collect();
    lab.gather(&positions, Metric::Dtm)?;
    lab.gather(&positions, Metric::Dtc)
}

fn illegal(row: &Row, cells: &mut Vec<Cell>) -> Result<(), ReproduceError> {
    for (field, _, column) in METRICS {
        let cell = Cell::compare(row.text(0)?, column, row.text(field)?, "illegal");
        cells.push(cell.explain(ILLEGAL));
    }
    Ok(())
}

fn compare(
    lab: &Lab,
    row: &Row,
    position: &Position,
    cells: &mut Vec<Cell>,
) -> Result<(), ReproduceError> {
    let name = row.text(0)?;
    // The six-man tables with pawns of 1999 promoted to queens only.
    let queens = position.material().len() > 5 && position.material().has_pawns();
    let tables = if queens { lab.queens_tables() } else { lab.tables() };
    if row.text(2)? == "?" {
        cells.push(Cell::skipped(name, "value", "?", NO_VALUE));
        return Ok(());
    }
    for (field, metric, column) in METRICS {
        let printed = row.text(field)?;
        let is_number = printed.parse::<u16>().is_ok();
        if position.material().len() > 5 && !is_number {
            continue;
        }
        let value = tables.value(position, metric)?;
        if field == METRICS[0].0 {
            let cell = Cell::compare(name, "value", row.text(2)?, result(value, position.turn()));
            cells.push(cell);
        }
        let ours = value.plies().map_or("-".to_owned(), |plies| plies.to_string());
        let column = format!("{column}{}", if queens { ", queens only" } else { "" });
        let cell = Cell::compare(name, column, printed, ours);
        cells.push(match KNOWN.iter().find(|(known, _)| *known == name) {
            _ if !is_number && printed != cell.ours => cell.beside(NOT_PRINTED),
            Some((_, why)) => cell.explain(why),
            None => cell,
        });
    }
    if queens {
        cells.push(with_all_promotions(lab, row, position)?);
    }
    Ok(())
}

/// The depth in chess itself, beside what is printed without it.
fn with_all_promotions(lab: &Lab, row: &Row, position: &Position) -> Result<Cell, ReproduceError> {
    let (name, column) = (row.text(0)?, "dtm plies, all promotions");
    let error: ReproduceError = match lab.tables().value(position, Metric::Dtm) {
        Ok(value) => {
            let ours = value.plies().map_or("-".to_owned(), |plies| plies.to_string());
            return Ok(Cell::compare(name, column, "", ours).beside(NOT_PRINTED));
        }
        Err(error) => error.into(),
    };
    if error.is_memory() {
        Ok(Cell::skipped(name, column, "", error.to_string()))
    } else {
        Err(error)
    }
}

fn result(value: Value, turn: Color) -> &'static str {
    match (value, turn) {
        (Value::Draw, _) => "=",
        (Value::Win(_), Color::White) | (Value::Loss(_), Color::Black) => "1-0",
        (Value::Win(_), Color::Black) | (Value::Loss(_), Color::White) => "0-1",
    }
}
