//! `molien uci`.

use std::io::BufReader;
use std::sync::Arc;

use clap::Args;
use molien_board::MAX_MEN;
use molien_syzygy::{SyzygyFolder, SyzygyTables};
use molien_table::Directory;
use molien_uci::{Places, PlayTables, Setup, Tables, run as serve};

use crate::Verdict;
use crate::context::Context;

const AFTER_HELP: &str = "\
Examples:
  printf 'position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1\\ngo depth 1\\n' | molien uci

Register `molien uci` as an engine in any chess program. It plays whatever the
folder of tables knows perfectly and within the 50-move rule, and king and pawn
endings beyond by search. Tables that are missing are solved only if the option
SolveMissing is set, and then in the background. With --syzygy, or the option
SyzygyPath, it plays from Syzygy files what the folder does not have.
docs/engine.md lists the options.";

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
    // The folder of the command line may come with others to read from.
    let ours = context.directory().cloned();
    let open = move |places: &Places| -> Result<Arc<dyn Tables>, String> {
        let tables = match &places.folder {
            Some(folder) => {
                let ours = ours.clone().filter(|ours| ours.folder() == folder);
                let directory = ours.unwrap_or_else(|| Directory::new(folder));
                PlayTables::in_folder(directory, make_build.clone())
            }
            None => PlayTables::in_memory(make_build.clone()),
        };
        if places.syzygy.is_empty() {
            return Ok(Arc::new(tables));
        }
        let files = SyzygyFolder::open(&places.syzygy).map_err(|error| error.to_string())?;
        Ok(Arc::new(tables.with_source(Arc::new(SyzygyTables::new(files)))))
    };
    let places = Places {
        folder: context.directory().map(|folder| folder.folder().to_owned()),
        syzygy: context.syzygy_folders().to_vec(),
    };
    let setup = Setup {
        name: format!("Molien {}", env!("CARGO_PKG_VERSION")),
        tables: Some(open(&places).map_err(anyhow::Error::msg)?),
        places,
        open: context.promotes_to_all().then(|| Arc::new(open) as _),
        most_men: args.men.min(MAX_MEN),
        may_solve: context.may_solve(),
        ..Setup::default()
    };
    serve(BufReader::new(std::io::stdin()), std::io::stdout(), setup)?;
    Ok(Verdict::Done)
}
