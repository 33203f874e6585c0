//! The program `molien`.
//!
//! Exit codes: 0 done, 1 a check failed, 2 could not run.

mod args;
mod cmd;
mod context;
mod diagram;
mod estimate;
mod fen;
mod hint;
mod malloc;
mod news;
mod progress;
mod ranks;
mod scan_bar;
mod text;
mod wave_lines;

use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;
use molien_schema::ErrorJson;

use args::{Cli, Command};
use context::Context;
use ranks::Ranks;
use text::note;

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
    malloc::set_up();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let json = cli.common.json;
    let ranks = match Ranks::join() {
        Ok(ranks) => ranks,
        Err(error) => return could_not_run(json, None, &error),
    };
    match run(cli, &ranks) {
        Ok(Verdict::Done) => {
            ranks.finish();
            ExitCode::SUCCESS
        }
        Ok(Verdict::Failed) => ExitCode::from(FAILED),
        Err(error) if text::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => could_not_run(json, ranks.number(), &error),
    }
}

/// Says why, and which of several processes it was.
fn could_not_run(json: bool, rank: Option<usize>, error: &anyhow::Error) -> ExitCode {
    let who = rank.map_or(String::new(), |rank| format!("rank {rank}: "));
    say(json, &format!("{who}{}", sentence(error)), hint::hint(error));
    ExitCode::from(COULD_NOT_RUN)
}

/// An error and its causes; a cause that an error tells itself is not told
/// twice.
fn sentence(error: &anyhow::Error) -> String {
    let mut text = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Says what went wrong: on standard error, or as JSON where the answer would
/// have been.
fn say(json: bool, error: &str, hint: Option<String>) {
    match (json, hint) {
        (true, hint) => {
            // Nothing can be done if standard output is closed.
            let _ = text::print_answer(&ErrorJson::new(None, error).with_hint(hint));
        }
        (false, Some(hint)) => note(format_args!("error: {error} ({hint})")),
        (false, None) => note(format_args!("error: {error}")),
    }
}

fn run(cli: Cli, ranks: &Ranks) -> anyhow::Result<Verdict> {
    if ranks.number().is_some() && !matches!(cli.command, Command::Solve(_)) {
        anyhow::bail!("only `molien solve` can be run by several processes together");
    }
    let context = Context::new(&cli.common, ranks.exchange())?;
    match cli.command {
        Command::Solve(args) => cmd::solve::run(&context, &args),
        Command::Plan(args) => cmd::plan::run(&context, &args),
        Command::Compare(args) => cmd::compare::run(&context, &args),
        Command::Stats(args) => cmd::stats::run(&context, &args),
        Command::Probe(args) => cmd::probe::run(&context, &args),
        Command::Clock(args) => cmd::clock::run(&context, &args),
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
        Command::Basins(args) => cmd::basins::run(&context, &args),
        Command::OnlyMoves(args) => cmd::only_moves::run(&context, &args),
        Command::Export(args) => cmd::export::run(&context, &args),
        Command::Syzygy(args) => cmd::syzygy::run(&context, &args),
        Command::Completions(args) => cmd::completions::completions(&args),
        Command::Man(args) => cmd::completions::man(&args),
    }
}

/// Help and version are answers; a wrong value gets one sentence, other
/// mistakes the usage as well.
fn usage(error: &clap::Error) -> ExitCode {
    // The arguments could not be read: whether JSON was asked for is guessed.
    let json = std::env::args_os().any(|argument| argument == "--json");
    let first_line = |text: &str| {
        let line = text.lines().next().unwrap_or("error: invalid value");
        line.strip_prefix("error: ").unwrap_or(line).to_owned()
    };
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // Nothing can be done if standard output is closed.
            let _ = error.print();
            return ExitCode::SUCCESS;
        }
        ErrorKind::InvalidValue => say(json, &one_sentence(&error.to_string()), None),
        ErrorKind::ValueValidation => say(json, &first_line(&error.to_string()), None),
        _ if json => say(json, &first_line(&error.to_string()), None),
        _ => {
            let _ = error.print();
        }
    }
    ExitCode::from(COULD_NOT_RUN)
}

/// The first line of a complaint, with the values that are allowed.
fn one_sentence(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let first = lines.first().map_or("invalid value", |line| line.trim_start_matches("error: "));
    let allowed = lines.iter().find_map(|line| line.strip_prefix("[possible values: "));
    match allowed {
        Some(allowed) => format!("{first}; use one of {}", allowed.trim_end_matches(']')),
        None => first.to_owned(),
    }
}
