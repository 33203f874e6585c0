//! `molien syzygy`.

use clap::{Args, Subcommand};

use crate::Verdict;
use crate::cmd::syzygy_check::{self, CheckArgs};
use crate::cmd::syzygy_write::{self, WriteArgs};
use crate::context::Context;

const AFTER_HELP: &str = "\
Examples:
  molien syzygy write KRPKR --out syzygy
  molien syzygy check syzygy --values
  molien probe --syzygy syzygy '8/8/8/8/8/2k5/8/K6R w - -'

Engines read Syzygy files: point their option SyzygyPath at the folder.
docs/syzygy.md describes the files, and how well these do.";

/// What to do with Syzygy files.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct SyzygyArgs {
    #[command(subcommand)]
    command: SyzygyCommand,
}

#[derive(Subcommand, Debug)]
enum SyzygyCommand {
    /// Write tables as Syzygy files
    Write(WriteArgs),
    /// Check the files of a folder
    Check(CheckArgs),
}

/// Writes or checks.
pub fn run(context: &Context, args: &SyzygyArgs) -> anyhow::Result<Verdict> {
    match &args.command {
        SyzygyCommand::Write(args) => syzygy_write::run(context, args),
        SyzygyCommand::Check(args) => syzygy_check::run(context, args),
    }
}
