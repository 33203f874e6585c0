//! Piasetski's thirty studies of 1977, searched again, and the question the
//! thesis left open: do the evaluation functions repay their cost?

use std::time::Duration;

use molien_board::Material;
use molien_pawns::studies::{Configuration, In1977, PIASETSKI, Row, Study, parse, reproduce};
use molien_pawns::{Functions, Options};
use molien_values::Metric;

use crate::{Cell, Lab, ReproduceError, Section, TableOracle};

/// Time for a study: many times what the functions need, and enough to see
/// where the search is lost without them.
const TIME: Duration = Duration::from_secs(10);

/// Materials of up to four men that the studies turn into.
const FOUR_MEN: [&str; 2] = ["KPKP", "KPPK"];

const SOLVED: &str = "solved";
const SOLVED_NOW: &str = "solved; not in 1977";
const NOT_SOLVED: &str = "not solved in 10 s";

/// The studies with all functions, with `one_pawn` only, with none, and with
/// tables of up to four men, one section each; then the comparison.
pub(crate) fn studies(lab: &Lab, done: &mut dyn FnMut(Section)) -> Result<(), ReproduceError> {
    let studies = parse(PIASETSKI).map_err(|error| data_error(&error))?;
    let mut configurations = Configuration::without_tables();
    configurations.push(with_tables(lab)?);
    let mut runs: Vec<Vec<Row>> = Vec::new();
    for configuration in &configurations {
        let mut cells = Vec::new();
        let one = std::slice::from_ref(configuration);
        let rows = reproduce(&studies, one, TIME, &Options::default(), |study, row| {
            cells.push(cell(study, row));
        });
        cells.push(total(&studies, &rows, configuration.name));
        runs.push(rows);
        done(section(title(configuration.name), cells));
    }
    let [all, one_pawn, none, ..] = &runs[..] else { return Ok(()) };
    let question = "do the functions repay their cost? (studies that both ways solve)";
    let cells = vec![
        repaid("one_pawn, none", one_pawn, none),
        repaid("all, one_pawn", all, one_pawn),
        repaid("all, none", all, none),
    ];
    done(section(question, cells));
    Ok(())
}

/// The tables are solved before the clock starts.
fn with_tables(lab: &Lab) -> Result<Configuration, ReproduceError> {
    for name in FOUR_MEN {
        let material: Material = name.parse().map_err(|error| data_error(&error))?;
        lab.build().table(material, Metric::Dtc)?;
    }
    let oracle = TableOracle::new(lab.tables());
    Ok(Configuration { name: "tables", functions: Functions::All, oracle: Some(oracle) })
}

fn data_error(error: &dyn std::fmt::Display) -> ReproduceError {
    ReproduceError::Data { file: "studies", row: 0, problem: error.to_string() }
}

fn section(title: &'static str, cells: Vec<Cell>) -> Section {
    Section { paper: "piasetski", table: "studies", title, cells }
}

fn title(configuration: &str) -> &'static str {
    match configuration {
        "all" => "right first move and result proved, with all functions",
        "one_pawn" => "the same with one_pawn only",
        "none" => "the same with none of the functions",
        _ => "the same with tables of up to four men",
    }
}

fn cell(study: &Study, row: &Row) -> Cell {
    let name = format!("{} {} {}", study.number, study.composer, study.year);
    let compared = Cell::compare(name, row.configuration, in_1977(&study.in_1977), ours(row));
    match (row.solved, study.in_1977.solved) {
        (true, true) => compared.beside(SOLVED),
        (true, false) => compared.beside(SOLVED_NOW),
        // With all functions, and with tables, every study must be solved.
        (false, _) if matches!(row.configuration, "all" | "tables") => compared,
        (false, _) => compared.beside(NOT_SOLVED),
    }
}

fn in_1977(figures: &In1977) -> String {
    let solved = if figures.solved { "" } else { "not solved: " };
    let (ply, nodes) = (figures.ply, figures.terminal_nodes);
    format!("{solved}ply {ply}, {nodes} terminal nodes, {} s", figures.seconds)
}

fn ours(row: &Row) -> String {
    let solved = if row.solved { "" } else { "not solved: " };
    let (depth, nodes) = (row.result.depth, row.result.nodes);
    format!("{solved}depth {depth}, {nodes} nodes, {:.3} s", row.result.elapsed.as_secs_f64())
}

/// The last row of a section.
fn total(studies: &[Study], rows: &[Row], configuration: &'static str) -> Cell {
    let (nodes, seconds) = sum(rows.iter());
    let solved = rows.iter().filter(|row| row.solved).count();
    let before = || studies.iter().map(|study| &study.in_1977);
    let published = format!(
        "{} of {} solved, {} terminal nodes, {:.1} s",
        before().filter(|figures| figures.solved).count(),
        studies.len(),
        before().map(|figures| figures.terminal_nodes).sum::<u64>(),
        before().map(|figures| figures.seconds).sum::<f64>(),
    );
    let ours = format!("{solved} of {} solved, {nodes} nodes, {seconds:.3} s", rows.len());
    Cell::compare("together", configuration, published, ours).beside("another program and machine")
}

fn sum<'a>(rows: impl Iterator<Item = &'a Row>) -> (u64, f64) {
    rows.fold((0, 0.0), |(nodes, seconds), row| {
        (nodes + row.result.nodes, seconds + row.result.elapsed.as_secs_f64())
    })
}

/// Nodes and time with more functions and with fewer, over the studies that
/// both ways solve; the time decides.
fn repaid(name: &str, more: &[Row], fewer: &[Row]) -> Cell {
    let both = || more.iter().zip(fewer).filter(|(a, b)| a.solved && b.solved);
    let (nodes, seconds) = sum(both().map(|(row, _)| row));
    let (fewer_nodes, fewer_seconds) = sum(both().map(|(_, row)| row));
    let ours = format!(
        "{} studies: {nodes} nodes in {seconds:.3} s, {fewer_nodes} nodes in {fewer_seconds:.3} s",
        both().count(),
    );
    let verdict = if seconds < fewer_seconds { "repaid" } else { "not repaid" };
    Cell::compare("cost", name, "left open", ours).beside(verdict)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every study under a configuration, with its nodes and time.
    fn rows(configuration: &'static str, solved: bool) -> Vec<Row> {
        let studies = parse(PIASETSKI).unwrap();
        let quick = Configuration::without_tables();
        let one = &quick[..1];
        let mut rows = reproduce(&studies[..3], one, TIME, &Options::default(), |_, _| {});
        rows.iter_mut().for_each(|row| {
            row.configuration = configuration;
            row.solved &= solved;
        });
        rows
    }

    #[test]
    fn unsolved_studies_differ_only_where_all_must_be_solved() {
        let studies = parse(PIASETSKI).unwrap();
        for (configuration, solved, verdict) in [
            ("all", true, "not-comparable"),
            ("all", false, "differs"),
            ("none", false, "not-comparable"),
            ("tables", false, "differs"),
        ] {
            let rows = rows(configuration, solved);
            assert_eq!(cell(&studies[0], &rows[0]).verdict.name(), verdict, "{configuration}");
        }
    }

    #[test]
    fn only_studies_solved_both_ways_are_compared() {
        let (more, mut fewer) = (rows("all", true), rows("none", true));
        fewer[1].solved = false;
        assert!(repaid("all, none", &more, &fewer).ours.starts_with("2 studies"));
    }
}
