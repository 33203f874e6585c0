//! `molien uci`.

use std::io::BufReader;

use clap::Args;
use molien_pawns::uci::{Setup, run as serve};
use molien_probe::Tablebase;

use crate::Verdict;
use crate::context::Context;
use crate::play::TablePlay;

const AFTER_HELP: &str = "\
Examples:
  printf 'uci\\nposition fen 8/8/8/8/8/2k5/8/K6R w - -\\ngo movetime 500\\nquit\\n' | molien uci

Register `molien uci` as an engine in any chess program. It plays king and pawn
endings by search, and endings of up to --men men perfectly from tables, which
are solved in the background when a position asks for them.";

/// How large tables may be.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct UciArgs {
    /// Most men of tables to solve while playing
    #[arg(long, value_name = "N", default_value_t = 4)]
    men: usize,
}

/// Serves a chess program on standard input and output.
pub fn run(context: &Context, args: &UciArgs) -> anyhow::Result<Verdict> {
    let perfect = TablePlay::new(
        context.stored_tablebase().unwrap_or_else(|| Tablebase::solving(context.build_in_memory())),
        args.men,
    );
    let setup = Setup {
        name: format!("Molien {}", env!("CARGO_PKG_VERSION")),
        perfect: Some(perfect),
        ..Setup::default()
    };
    serve(BufReader::new(std::io::stdin()), std::io::stdout(), setup)?;
    Ok(Verdict::Done)
}
