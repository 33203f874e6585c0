//! `molien study`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_lines::study::{Options, annotated, check_game, read, to_text};

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_json, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien study studies.pgn
  molien study studies.pgn --out annotated.pgn --max-men 4

Every move is judged once the men on the board are few enough and castling
rights are gone: whether it keeps the value, whether it is the only move that
does. Of a study (a game with a FEN and a result) the first flaw is named.
The exit code is 1 if a game is malformed; the others are checked all the same.";

/// Which file.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct StudyArgs {
    /// Games and studies in PGN
    file: PathBuf,
    /// Write the games with annotations to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Judge positions with at most so many men
    #[arg(long, default_value_t = 5, value_name = "N")]
    max_men: usize,
}

/// Checks every game and prints what was found.
pub fn run(context: &Context, args: &StudyArgs) -> anyhow::Result<Verdict> {
    let name = args.file.display();
    let bytes = std::fs::read(&args.file).with_context(|| format!("{name} cannot be read"))?;
    // Old files are not always UTF-8; moves are plain ASCII in any case.
    let text = String::from_utf8_lossy(&bytes);
    let tables = context.tablebase();
    let options = Options { max_men: args.max_men };
    let (mut verdict, mut pgn) = (Verdict::Done, Vec::new());
    for game in read(&text) {
        let report = check_game(&tables, &game, &options)?;
        if context.json {
            print_json(&report.to_json())?;
        } else {
            print_line(&to_text(&report))?;
        }
        if report.problem.is_some() {
            verdict = Verdict::Failed;
        }
        pgn.push(annotated(&game, &report));
    }
    if let Some(out) = &args.out {
        let write = std::fs::write(out, pgn.join("\n"));
        write.with_context(|| format!("{} cannot be written", out.display()))?;
    }
    Ok(verdict)
}
