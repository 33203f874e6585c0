//! L. Stiller, Multilinear Algebra and Chess Endgames, 1996.

use molien_board::{Color, Material, Position};
use molien_lines::{Mark, Play, check_line};
use molien_values::{Bishops, Counting, Metric, Stats};

use crate::around::around;
use crate::data::{Data, Row, data};
use crate::moves::{longest_moves, percent};
use crate::report::{Cell, Section};
use crate::{Lab, ReproduceError};

const PAPER: &str = "stiller";
const TABLE2: Data = data!("stiller_table2.tsv");
const CLAIMS: Data = data!("stiller_claims.tsv");
const LINE: Data = data!("stiller_line.tsv");

const SIX_MEN: &str = "six men: left out unless the full table is asked for";
const TOLD_APART: &str = "printed with the bishops told apart";
const COPIED: &str = "printed with the figure of the row beside it";

/// His depth: White's moves to conversion, White to move. An odd number of
/// plies ends with White's move; an even one ends with a conversion forced on
/// Black, after which he counts the move with which White takes his reward.
fn depth(stats: &Stats) -> u16 {
    stats.sides[0].longest_win.as_ref().map_or(0, |longest| longest.plies / 2 + 1)
}

/// Claims about five men: maxima and zugzwangs.
///
/// # Errors
/// If a material cannot be solved.
pub fn claims(lab: &Lab) -> Result<Section, ReproduceError> {
    let mut cells = Vec::new();
    for row in CLAIMS.rows() {
        let material: Material = row.get(0)?;
        let stats = lab.tables().stats(material, Metric::Dtc)?;
        let ours = longest_moves(&stats.sides[0].longest_win);
        cells.push(Cell::compare(material, "moves to win", row.text(1)?, ours));
        if row.text(2)? != "-" {
            let ours = stats.zugzwangs.white_wins.unique;
            cells.push(Cell::compare(material, "mutual zugzwangs", row.text(2)?, ours));
        }
    }
    Ok(Section { paper: PAPER, table: "claims", title: "five men", cells })
}

/// Table 2: 41 endings of six men; only if `full`.
///
/// # Errors
/// If a material cannot be solved.
pub fn table2(lab: &Lab, full: bool, only: Option<Material>) -> Result<Section, ReproduceError> {
    let mut cells = Vec::new();
    for row in TABLE2.rows() {
        let material: Material = row.get(0)?;
        if only.is_some_and(|only| only != material) {
            continue;
        }
        let opposite = row.text(1)? == "opposite";
        let bishops = if opposite { Bishops::Opposite } else { Bishops::Any };
        if !full && only.is_none() {
            cells.push(Cell::skipped(material, "wins", row.text(2)?, SIX_MEN));
            continue;
        }
        let stats = match lab.white_wins(material, bishops)? {
            Some(stats) => stats,
            None if opposite => {
                let found = lab.build().opposite_bishops(material, Metric::Dtc)?;
                found.ok_or_else(|| row.damaged(format!("{material} has no pair of bishops")))?
            }
            None => lab.tables().stats(material, Metric::Dtc)?,
        };
        table2_row(&row, material, opposite, &stats, &mut cells)?;
        lab.build().forget(material, Metric::Dtc);
    }
    Ok(Section { paper: PAPER, table: "2", title: "six men: wins, depth, zugzwangs", cells })
}

fn table2_row(
    row: &Row,
    material: Material,
    opposite: bool,
    stats: &Stats,
    cells: &mut Vec<Cell>,
) -> Result<(), ReproduceError> {
    // Bishops on squares of both colours are told apart by their squares.
    let factor = if opposite { 2 } else { 1 };
    let name = if opposite { format!("{material}+") } else { material.to_string() };
    let number = |count| stats.number(count, Counting::Stiller) / factor;
    let [white, _] = &stats.sides;
    let placements = number(white.legal) + number(white.broken);
    let wins = stats.wins(Color::White, Counting::Stiller) / factor;
    let zugzwangs = number(stats.zugzwangs.white_wins) + number(stats.zugzwangs.full_point);
    cells.push(Cell::compare(&name, "wins", row.text(2)?, wins));
    cells.push(Cell::compare(&name, "%", row.text(3)?, percent(wins, placements, 0)));
    cells.push(Cell::compare(&name, "D", row.text(4)?, depth(stats)));
    let cell = Cell::compare(&name, "Z", row.text(5)?, zugzwangs);
    cells.push(match row.text(0)? {
        "KQRKQB" | "KRRKRN" => cell.explain(COPIED),
        "KRBBKQ" if row.get::<u64>(5)? == 2 * zugzwangs => cell.explain(TOLD_APART),
        _ => cell,
    });
    Ok(())
}

/// The 243-move line of KRNKNN, accepted move by move; only if `full`.
///
/// # Errors
/// If it cannot be followed.
pub fn line(lab: &Lab, full: bool) -> Result<Section, ReproduceError> {
    let mut cells = Vec::new();
    for row in LINE.rows() {
        let start: Position = row.get(0)?;
        let moves: Vec<&str> = row.text(1)?.split(' ').collect();
        if !full {
            cells.push(Cell::skipped("KRNKNN", "optimal plies", moves.len(), SIX_MEN));
            continue;
        }
        lab.gather(&around(&start, &moves, |_| true), Metric::Dtc)?;
        let line = check_line(&lab.tables(), start, &moves, &Play::both(Metric::Dtc))?;
        let optimal = line.plies.iter().filter(|ply| ply.mark != Mark::NotOptimal).count();
        cells.push(Cell::compare("KRNKNN", "optimal plies", moves.len(), optimal));
        let slower = line.plies.iter().enumerate().filter(|(_, p)| p.mark == Mark::NotOptimal);
        for (i, ply) in slower {
            let depth = |value: molien_values::Value| value.plies().unwrap_or(0);
            let name = format!("{}. {}", i / 2 + 1, ply.san);
            cells.push(Cell::compare("KRNKNN", name, depth(ply.got), depth(ply.best.1)));
        }
        let variations = line.plies.iter().filter(|ply| ply.mark == Mark::OneOfSeveral).count();
        let cell = Cell::compare("KRNKNN", "plies with other optimal moves", "", variations);
        cells.push(cell.beside("\"occasional local variations\""));
    }
    Ok(Section { paper: PAPER, table: "3", title: "the line of 243 moves", cells })
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_build::Build;
    use molien_values::{Longest, SideStats};

    #[test]
    fn a_forced_conversion_counts_once() {
        let table = Build::new().table("KQK".parse().unwrap(), Metric::Dtc).unwrap();
        let mut stats = table.stats.clone();
        let position = stats.sides[0].longest_win.as_ref().unwrap().position;
        for (plies, moves) in [(1, 1), (19, 10), (304, 153), (485, 243)] {
            let side = &mut stats.sides[0];
            *side = SideStats { longest_win: Some(Longest { plies, position }), ..side.clone() };
            assert_eq!(depth(&stats), moves, "{plies} plies");
        }
    }
}
