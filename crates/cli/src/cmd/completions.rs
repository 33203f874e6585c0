//! `molien completions` and `molien man`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, CommandFactory as _};
use clap_complete::{Shell, generate};

use crate::Verdict;
use crate::args::Cli;
use crate::text::print_line;

const COMPLETIONS_HELP: &str = "\
Examples:
  molien completions bash > ~/.local/share/bash-completion/completions/molien
  molien completions zsh > ~/.zfunc/_molien
  molien completions fish > ~/.config/fish/completions/molien.fish
  molien completions powershell >> $PROFILE";

const MAN_HELP: &str = "\
Examples:
  molien man --out ~/.local/share/man/man1
  molien man --out target/man

One page for the program and one for each command: molien.1, molien-probe.1 ...";

/// Which shell.
#[derive(Args, Debug)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Where the pages go.
#[derive(Args, Debug)]
#[command(after_help = MAN_HELP)]
pub struct ManArgs {
    /// The folder
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
}

/// Prints a script for the shell.
pub fn completions(args: &CompletionsArgs) -> anyhow::Result<Verdict> {
    let mut script = Vec::new();
    generate(args.shell, &mut Cli::command(), "molien", &mut script);
    print_line(String::from_utf8(script)?.trim_end())?;
    Ok(Verdict::Done)
}

/// Writes the manual pages.
pub fn man(args: &ManArgs) -> anyhow::Result<Verdict> {
    let failed = || format!("{} cannot be written", args.out.display());
    std::fs::create_dir_all(&args.out).with_context(failed)?;
    // Without `molien help`, which is the pages themselves.
    let program = Cli::command().disable_help_subcommand(true);
    clap_mangen::generate_to(program, &args.out).with_context(failed)?;
    print_line(&format!("wrote the manual pages to {}", args.out.display()))?;
    Ok(Verdict::Done)
}
