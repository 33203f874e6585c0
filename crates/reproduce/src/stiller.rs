//! L. Stiller, Multilinear Algebra and Chess Endgames, 1996.

use molien_board::{Color, Material, Position};
use molien_lines::{Mark, Play, check_line};
use molien_solve::{Counting, Metric, Stats};

use crate::around::around;
use crate::data::{Data, data};
use crate::moves::{longest_moves, percent};
use crate::report::{Cell, Section};
use crate::{Lab, ReproduceError};

const PAPER: &str = "stiller";
const TABLE2: Data = data!("stiller_table2.tsv");
const CLAIMS: Data = data!("stiller_claims.tsv");
const LINE: Data = data!("stiller_line.tsv");

const SIX_MEN: &str = "six men: use --full";
const BISHOPS: &str = "not counted: needs the bishop colour";
const COPIED: &str = "printed with the figure of the row beside it";

/// Placements of six men in his counting: king pairs, then free squares.
const PLACEMENTS: u64 = 462 * 62 * 61 * 60 * 59;

/// His depth: White's moves to conversion. A line that ends with the loser's
/// own forced conversion has one move more.
fn depth(stats: &Stats) -> u16 {
    let [white, black] = &stats.sides;
    let moves = longest_moves(&white.longest_win).max(longest_moves(&black.longest_loss));
    let plies = |longest: &Option<molien_solve::Longest>| longest.as_ref().map_or(0, |l| l.plies);
    let forced = plies(&white.longest_win).is_multiple_of(2) && plies(&white.longest_win) > 0;
    moves + u16::from(forced)
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
        if row.text(1)? == "opposite" {
            cells.push(Cell::skipped(material, "opposite bishops", row.text(2)?, BISHOPS));
        } else if !full && only.is_none() {
            cells.push(Cell::skipped(material, "wins", row.text(2)?, SIX_MEN));
        } else {
            let stats = lab.tables().stats(material, Metric::Dtc)?;
            let wins = stats.wins(Color::White, Counting::Stiller);
            cells.push(Cell::compare(material, "wins", row.text(2)?, wins));
            cells.push(Cell::compare(material, "%", row.text(3)?, percent(wins, PLACEMENTS, 0)));
            cells.push(Cell::compare(material, "D", row.text(4)?, depth(&stats)));
            let zugzwangs = stats.number(stats.zugzwangs.white_wins, Counting::Stiller)
                + stats.number(stats.zugzwangs.full_point, Counting::Stiller);
            let cell = Cell::compare(material, "Z", row.text(5)?, zugzwangs);
            let copied = ["KQRKQB", "KRRKRN"].contains(&row.text(0)?);
            cells.push(if copied { cell.explain(COPIED) } else { cell });
            lab.solver().forget(material, Metric::Dtc);
        }
    }
    Ok(Section { paper: PAPER, table: "2", title: "six men: wins, depth, zugzwangs", cells })
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
        lab.gather(&around(&start, &moves), Metric::Dtc)?;
        let line = check_line(&lab.tables(), &start, &moves, &Play::both(Metric::Dtc))?;
        let optimal = line.plies.iter().filter(|ply| ply.mark != Mark::NotOptimal).count();
        cells.push(Cell::compare("KRNKNN", "optimal plies", moves.len(), optimal));
        let slower = line.plies.iter().enumerate().filter(|(_, p)| p.mark == Mark::NotOptimal);
        for (i, ply) in slower {
            let depth = |value: molien_solve::Value| value.plies().unwrap_or(0);
            let name = format!("{}. {}", i / 2 + 1, ply.san);
            cells.push(Cell::compare("KRNKNN", name, depth(ply.got), depth(ply.best.1)));
        }
        let variations = line.plies.iter().filter(|ply| ply.mark == Mark::OneOfSeveral).count();
        let cell = Cell::compare("KRNKNN", "plies with other optimal moves", "", variations);
        cells.push(cell.beside("\"occasional local variations\""));
    }
    Ok(Section { paper: PAPER, table: "3", title: "the line of 243 moves", cells })
}
