//! Piasetski's thirty studies of 1977, searched again.

use std::time::Duration;

use molien_pawns::studies::{Configuration, In1977, PIASETSKI, Row, Study, parse, reproduce};
use molien_pawns::{Functions, Options};

use crate::{Cell, Lab, ReproduceError, Section, TableOracle};

/// Time for a study with all functions.
const FULL_TIME: Duration = Duration::from_secs(10);
/// Time for a study with fewer functions, where many are not solved at all.
const SHORT_TIME: Duration = Duration::from_secs(1);

const OTHER_PROGRAM: &str = "another program and machine: shown beside";

/// The studies with all functions, with `one_pawn` only, with none, and with
/// tables of up to four men.
pub(crate) fn studies(lab: &Lab) -> Result<Section, ReproduceError> {
    let studies = parse(PIASETSKI).map_err(|error| ReproduceError::Data {
        file: "studies",
        row: 0,
        problem: error.to_string(),
    })?;
    let mut configurations = Configuration::without_tables();
    configurations.push(Configuration {
        name: "tables",
        functions: Functions::All,
        oracle: Some(TableOracle::new(lab.tables())),
    });
    let mut cells = Vec::new();
    for configuration in &configurations {
        let time = if configuration.name == "all" { FULL_TIME } else { SHORT_TIME };
        let one = std::slice::from_ref(configuration);
        reproduce(&studies, one, time, &Options::default(), |study, row| {
            cells.push(cell(study, row));
        });
    }
    let title = "studies solved: right first move and right result proved";
    Ok(Section { paper: "piasetski", table: "studies", title, cells })
}

fn cell(study: &Study, row: &Row) -> Cell {
    let name = format!("{} {} {}", study.number, study.composer, study.year);
    let compared = Cell::compare(name, row.configuration, in_1977(&study.in_1977), ours(row));
    // With all functions every study must be solved; how is another matter.
    if row.configuration == "all" && !row.solved {
        compared
    } else {
        compared.beside(OTHER_PROGRAM)
    }
}

fn in_1977(figures: &In1977) -> String {
    let solved = if figures.solved { "solved" } else { "not solved" };
    let (ply, nodes) = (figures.ply, figures.terminal_nodes);
    format!("{solved}: ply {ply}, {nodes} terminal nodes, {} s", figures.seconds)
}

fn ours(row: &Row) -> String {
    let solved = if row.solved { "solved" } else { "not solved" };
    let (depth, nodes) = (row.result.depth, row.result.nodes);
    format!("{solved}: depth {depth}, {nodes} nodes, {:.3} s", row.result.elapsed.as_secs_f64())
}
