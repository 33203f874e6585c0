//! K. Thompson, Retrograde Analysis of Certain Endgames, 1986.

use molien_board::{Material, Position};
use molien_lines::{Line, Mark, Play, check_line};
use molien_values::{Counting, Metric};

use crate::data::{Data, data};
use crate::moves::{longest_moves, percent, winner_moves};
use crate::report::{Cell, Section};
use crate::squares::{PawnSquare, by_pawn_square};
use crate::{Lab, ReproduceError};

const TABLE1: Data = data!("thompson_table1.tsv");
const PAWNS: Data = data!("thompson_pawns.tsv");
const LINES: Data = data!("thompson_lines.tsv");
const SLIPS: Data = data!("thompson_slips.tsv");

const PERCENT: &str = "he counts sub-games too, in a way not fully known";
const UNDERPROMOTION: &str = "with all promotions; he has queens only";
const PAPER: &str = "thompson";

/// Table 1: twelve endings without pawns, longest wins and share of wins.
///
/// # Errors
/// If a material cannot be solved.
pub fn table1(lab: &Lab) -> Result<Section, ReproduceError> {
    let mut cells = Vec::new();
    for row in TABLE1.rows() {
        let (material, metric): (Material, Metric) = (row.get(0)?, row.get(1)?);
        let stats = lab.tables().stats(material, metric)?;
        let [white, black] = &stats.sides;
        let ours = longest_moves(&white.longest_win).max(longest_moves(&black.longest_loss));
        let column = if metric == Metric::Dtm { "moves to mate" } else { "moves to win" };
        cells.push(Cell::compare(material, column, row.text(2)?, ours));
        let number = |count| stats.number(count, Counting::Stiller);
        let share = percent(number(white.total_wins()), number(white.legal), 1);
        cells.push(Cell::compare(material, "% wins", row.text(3)?, share).beside(PERCENT));
        lab.build().forget(material, metric);
    }
    let title = "endings without pawns";
    Ok(Section { paper: PAPER, table: "1", title, cells })
}

/// Tables 2 and 3: KQPKQ and KRPKR by the square of the pawn.
///
/// # Errors
/// If a material cannot be solved.
pub fn pawns(lab: &Lab, table: &'static str) -> Result<Section, ReproduceError> {
    let queens_only = table == "2";
    let (name, title) = if queens_only {
        ("KQPKQ", "KQPKQ by the square of the pawn, promotion to queens only")
    } else {
        ("KRPKR", "KRPKR by the square of the pawn")
    };
    let bad = |problem: String| ReproduceError::Data { file: PAWNS.file, row: 0, problem };
    let material: Material = name.parse().map_err(|error| bad(format!("{error}")))?;
    let truth = by_pawn_square(&*lab.build().table(material, Metric::Dtz)?);
    let his = match queens_only {
        true => Some(by_pawn_square(&*lab.queens_build().table(material, Metric::Dtz)?)),
        false => None,
    };
    let mut cells = Vec::new();
    for row in PAWNS.rows().filter(|row| row.text(0).is_ok_and(|number| number == table)) {
        let square = row.text(2)?;
        let find = |squares: &'_ [PawnSquare]| {
            let found = squares.iter().find(|s| s.square.to_string() == square);
            let figures = found.map(|s| (s.longest_moves, percent(s.wins, s.legal, 1)));
            figures.ok_or_else(|| bad(format!("no pawn on {square}")))
        };
        let (true_moves, true_share) = find(&truth)?;
        let (moves, share) = his.as_deref().map_or(Ok((true_moves, true_share)), find)?;
        cells.push(Cell::compare(square, "moves to win", row.text(3)?, moves));
        if his.is_some() {
            let all = Cell::compare(square, "moves, all promotions", row.text(3)?, true_moves);
            cells.push(all.explain(UNDERPROMOTION));
        }
        cells.push(Cell::compare(square, "% wins", row.text(4)?, share).beside(PERCENT));
    }
    Ok(Section { paper: PAPER, table, title, cells })
}

/// The best-play lines, accepted move by move; and the slips he found in
/// another program's line.
///
/// # Errors
/// If a line cannot be followed.
pub fn lines(lab: &Lab) -> Result<Section, ReproduceError> {
    let play = Play::both(Metric::Dtz);
    let mut cells = Vec::new();
    for row in LINES.rows() {
        let (name, start): (String, Position) = (row.get(0)?, row.get(1)?);
        let moves: Vec<&str> = row.text(2)?.split(' ').collect();
        let line = check_line(&lab.queens_tables(), start, &moves, &play)?;
        if name == "KF" {
            continue; // its moves are not optimal: see the slips
        }
        let optimal = line.plies.iter().filter(|ply| ply.mark != Mark::NotOptimal).count();
        cells.push(Cell::compare(&name, "optimal plies", moves.len(), optimal));
        cells.extend(slower(&name, &line));
    }
    slips(lab, &mut cells)?;
    let title = "best play, and the moves lost in the line of Komissarchik and Futer";
    Ok(Section { paper: PAPER, table: "lines", title, cells })
}

/// The moves of a line that are not optimal in plies.
fn slower(name: &str, line: &Line) -> Vec<Cell> {
    let plies = |value: molien_values::Value| value.plies().map_or(0, i32::from);
    let bad = line.plies.iter().filter(|ply| ply.mark == Mark::NotOptimal);
    bad.map(|ply| Cell::compare(name, &ply.san, plies(ply.got), plies(ply.best.1))).collect()
}

/// For every slip, how many moves the better move is worth.
fn slips(lab: &Lab, cells: &mut Vec<Cell>) -> Result<(), ReproduceError> {
    let strategy = Metric::Dtz.into();
    for row in SLIPS.rows() {
        let position: Position = row.get(1)?;
        let judged = molien_lines::Judged::new(&lab.queens_tables(), position, &strategy)?;
        let depth = |san: &str| {
            let bare = |name: &str| name.trim_end_matches(['+', '#']).to_owned();
            let found = judged.moves.iter().find(|m| bare(&judged.san(m)) == bare(san));
            found.and_then(|m| m.values.first()?.plies()).map_or(0, winner_moves)
        };
        let (played, better) = (row.text(2)?, row.text(3)?);
        let lost = depth(played).abs_diff(depth(better));
        let name = format!("KF {}: {played}, better {better}", row.text(0)?);
        cells.push(Cell::compare(name, "moves lost", row.text(4)?, lost));
    }
    Ok(())
}
