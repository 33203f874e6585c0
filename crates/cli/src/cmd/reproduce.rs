//! `molien reproduce`.

use clap::Args;
use molien_reproduce::{Cell, Lab, Options, Paper, Section, reproduce};
use molien_schema::{CellJson, ReproducedJson};

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien reproduce nalimov --table 5
  molien reproduce thompson --table 1 --json
  molien reproduce stiller --table claims

Without a paper, all of them are compared; without a table, all that need no more than
five men. --full adds six men: seconds on a CUDA card, else minutes to hours and gigabytes. The tables are
  thompson   1, 2, 3, lines
  stiller    claims, 2 (or one row, such as KQQKQQ), 3
  nalimov    1, 2, 3, 5, B
  piasetski  studies (a minute or two; fewer functions leave some unsolved)
The exit code is 1 if a figure differs for no known reason.";

/// Which figures.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ReproduceArgs {
    /// thompson, stiller, nalimov or piasetski
    paper: Option<Paper>,
    /// One table only
    #[arg(long, value_name = "N", requires = "paper")]
    table: Option<String>,
    /// Six men too
    #[arg(long)]
    full: bool,
}

/// Solves what is needed and prints the tables side by side.
pub fn run(context: &Context, args: &ReproduceArgs) -> anyhow::Result<Verdict> {
    let options = Options { table: args.table.clone(), full: args.full };
    let papers = args.paper.map_or(Paper::ALL.to_vec(), |paper| vec![paper]);
    let mut lab = Lab::new(|| context.build_in_memory());
    if let Some(card) = context.card_if_wanted().filter(|_| args.full) {
        lab = lab.with_surveyor(card);
    }
    let (mut verdict, mut printed) = (Verdict::Done, Ok(()));
    for paper in papers {
        let mut done = |section: Section| {
            if section.has_unexplained() {
                verdict = Verdict::Failed;
            }
            let print = || match context.json {
                true => print_answer(&to_json(&section)),
                false => print_line(&format!("{}\n", section.to_text())),
            };
            if printed.is_ok() {
                printed = print();
            }
        };
        reproduce(paper, &options, &lab, &mut done)?;
    }
    printed.map(|()| verdict)
}

fn to_json(section: &Section) -> ReproducedJson {
    let cell = |cell: &Cell| CellJson {
        row: cell.row.clone(),
        column: cell.column.clone(),
        published: cell.published.clone(),
        ours: cell.ours.clone(),
        verdict: cell.verdict.name(),
        why: cell.verdict.why().map(str::to_owned),
    };
    let cells = section.cells.iter().map(cell).collect();
    ReproducedJson::new(section.paper, section.table, section.title, cells)
}
