//! The program `molien`.
//!
//! Exit codes: 0 done, 1 a check failed, 2 could not run.

mod args;
mod cmd;
mod context;
mod diagram;
mod fen;
mod malloc;
mod memory;
mod progress;
mod scan_bar;
mod text;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use molien_board::FenError;
use molien_build::{BuildError, Storage, storage};
use molien_probe::ProbeError;

use args::{Cli, Command};
use context::Context;

/// A check failed.
const FAILED: u8 = 1;
/// The command could not run.
const COULD_NOT_RUN: u8 = 2;

/// How a command ended, if it could run.
enum Verdict {
    /// All is well.
    Done,
    /// A check failed.
    Failed,
}

fn main() -> ExitCode {
    malloc::give_back_large_blocks();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    match run(cli) {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::Failed) => ExitCode::from(FAILED),
        Err(error) => {
            eprintln!("error: {error:#}{}", hint(&error).unwrap_or_default());
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}

/// What the user can do about an error, in the words of the command line.
fn hint(error: &anyhow::Error) -> Option<String> {
    let fen = || error.chain().find_map(|cause| cause.downcast_ref::<FenError>());
    if let Some(FenError::Castling(_)) = fen() {
        return Some(" (--ignore-castling does that)".to_owned());
    }
    let probe = || error.chain().find_map(|cause| cause.downcast_ref::<ProbeError>());
    let build = || error.chain().find_map(|cause| cause.downcast_ref::<BuildError>());
    let missing = || match build()? {
        &BuildError::Missing { material, metric } => Some((material, metric)),
        _ => None,
    };
    if let Some((material, _)) = probe().and_then(ProbeError::missing_table).or_else(missing)
        && storage(material) != Storage::None
    {
        return Some(format!("; `molien solve {material}` makes it"));
    }
    let is_memory = |error: &BuildError| matches!(error, BuildError::Memory { .. });
    let memory = match probe() {
        Some(ProbeError::Build(error)) => is_memory(error),
        _ => build().is_some_and(is_memory),
    };
    memory.then(|| " (--memory raises it)".to_owned())
}

fn run(cli: Cli) -> anyhow::Result<Verdict> {
    let context = Context::new(&cli.common)?;
    match cli.command {
        Command::Solve(args) => cmd::solve::run(&context, &args),
        Command::Stats(args) => cmd::stats::run(&context, &args),
        Command::Probe(args) => cmd::probe::run(&context, &args),
        Command::Line(args) => cmd::line::run(&context, &args),
        Command::Study(args) => cmd::study::run(&context, &args),
        Command::Reproduce(args) => cmd::reproduce::run(&context, &args),
        Command::Tables(args) => cmd::tables::run(&context, &args),
        Command::Verify(args) => cmd::verify::run(&context, &args),
        Command::Bench(args) => cmd::bench::run(&context, &args),
        Command::Explain(args) => cmd::explain::run(&context, &args),
        Command::Search(args) => cmd::search::run(&context, &args),
        Command::Uci(args) => cmd::uci::run(&context, &args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => cmd::serve::run(&context, &args),
        Command::Find(args) => cmd::find::run(&context, &args),
        Command::Free(args) => cmd::free::run(&context, &args),
        Command::Maxima(args) => cmd::maxima::run(&context, &args),
        Command::Zugzwangs(args) => cmd::zugzwangs::run(&context, &args),
        Command::OnlyMoves(args) => cmd::only_moves::run(&context, &args),
        Command::Export(args) => cmd::export::run(&context, &args),
        Command::Syzygy(args) => cmd::syzygy::run(&context, &args),
    }
}

/// Help and version are answers; a wrong value gets one sentence, other
/// mistakes the usage as well.
fn usage(error: &clap::Error) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nothing can be done if standard output is closed.
            let _ = error.print();
            ExitCode::SUCCESS
        }
        ErrorKind::ValueValidation | ErrorKind::InvalidValue => {
            let text = error.to_string();
            eprintln!("{}", text.lines().next().unwrap_or("error: invalid value"));
            ExitCode::from(COULD_NOT_RUN)
        }
        _ => {
            let _ = error.print();
            ExitCode::from(COULD_NOT_RUN)
        }
    }
}
