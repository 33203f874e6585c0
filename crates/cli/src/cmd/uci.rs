//! `molien uci`.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use clap::Args;
use molien_board::MAX_MEN;
use molien_table::Directory;
use molien_uci::{PlayTables, Setup, Tables, run as serve};

use crate::Verdict;
use crate::context::Context;

const AFTER_HELP: &str = "\
Examples:
  printf 'position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1\\ngo depth 1\\n' | molien uci

Register `molien uci` as an engine in any chess program. It plays whatever the
folder of tables knows perfectly and within the 50-move rule, and king and pawn
endings beyond by search. Tables that are missing are solved only if the option
SolveMissing is set, and then in the background. With --syzygy it plays from Syzygy
files what the folder does not have. docs/engine.md lists the
options.";

/// Which tables to use.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct UciArgs {
    /// Use tables with at most N men
    #[arg(long, value_name = "N", default_value_t = MAX_MEN)]
    men: usize,
}

/// Runs as a UCI engine on standard input and output.
pub fn run(context: &Context, args: &UciArgs) -> anyhow::Result<Verdict> {
    let make_build = context.build_maker();
    let syzygy = context.syzygy()?;
    let with_syzygy = move |tables: PlayTables| -> Arc<dyn Tables> {
        Arc::new(match &syzygy {
            Some(files) => tables.with_source(files.clone()),
            None => tables,
        })
    };
    let tables = with_syzygy(match context.directory() {
        Some(folder) => PlayTables::in_folder(folder.clone(), make_build.clone()),
        None => PlayTables::in_memory(make_build.clone()),
    });
    let open = move |folder: &Path| {
        with_syzygy(PlayTables::in_folder(Directory::new(folder), make_build.clone()))
    };
    let setup = Setup {
        name: format!("Molien {}", env!("CARGO_PKG_VERSION")),
        tables: Some(tables),
        folder: context.directory().map(|folder| folder.folder().to_owned()),
        open: context.promotes_to_all().then(|| Arc::new(open) as _),
        most_men: args.men.min(MAX_MEN),
        may_solve: context.may_solve(),
        ..Setup::default()
    };
    serve(BufReader::new(std::io::stdin()), std::io::stdout(), setup)?;
    Ok(Verdict::Done)
}
