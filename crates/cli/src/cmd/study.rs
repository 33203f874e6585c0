//! `molien study`.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use molien_lines::study::{GameReport, Options, Summary, annotated, check_game, read, to_text};
use molien_schema::{GameJson, SummaryJson};

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien study studies.pgn
  molien study studies.pgn --out annotated.pgn --max-men 4
  molien study studies.pgn --summary

Every move is judged once few enough men are on the board and castling is no
longer possible: whether it keeps the win or draw, and whether it is the only
move that does. The 50-move rule counts, from the clock of the FEN on. Of a study
(a game with a FEN and a result) the first flaw is named.

With --out the games are written with their annotations; where there is nothing to
say, the text stays as it was, byte for byte. An input file is never overwritten.
'-' stands for standard input, and with --out for standard output; then only
the games are printed.

The exit code is 1 if a game is malformed; the others are checked all the same.";

/// Which files.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct StudyArgs {
    /// Games and studies in PGN; '-' is standard input
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// Write the games with annotations to this file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Judge positions with at most this many men
    #[arg(long, default_value_t = Options::default().max_men, value_name = "N")]
    max_men: usize,
    /// Judge as if there were no 50-move rule, as composers do
    #[arg(long)]
    no_50_move_rule: bool,
    /// Print counts over all games instead of the games
    #[arg(long)]
    summary: bool,
}

fn is_dash(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Checks every game and prints what was found.
pub fn run(context: &Context, args: &StudyArgs) -> anyhow::Result<Verdict> {
    // All input before any output: what is read cannot be overwritten.
    let inputs = args.file.iter().map(|path| load(path)).collect::<Result<Vec<_>, _>>()?;
    let mut out = args.out.as_deref().map(|out| Out::open(out, &args.file)).transpose()?;
    let tables = context.tablebase()?;
    let options = Options { max_men: args.max_men, fifty_moves: !args.no_50_move_rule };
    let report_games = !args.summary && !out.as_ref().is_some_and(|out| out.is_stdout);
    let mut summary = Summary::default();
    for (path, bytes) in args.file.iter().zip(inputs) {
        let games = read(&bytes);
        if let Some(out) = &mut out {
            out.next_file();
        }
        if games.is_empty() && report_games && !context.json {
            print_line(&format!("{}: the file is empty", name(path)))?;
        }
        if report_games && args.file.len() > 1 && !context.json {
            print_line(&format!("{}:", name(path)))?;
        }
        for game in games {
            let report = check_game(&tables, &game, &options)?;
            summary.add(&report);
            if report_games {
                print(context, path, &report)?;
            }
            if let Some(out) = &mut out {
                out.bytes.extend(annotated(&game, &report));
            }
        }
    }
    if args.summary && context.json {
        print_answer(&SummaryJson::from(&summary))?;
    } else if args.summary {
        print_line(&summary.to_text())?;
    }
    if let Some(out) = out {
        out.finish()?;
    }
    Ok(if summary.malformed > 0 { Verdict::Failed } else { Verdict::Done })
}

fn name(path: &Path) -> String {
    if is_dash(path) { "standard input".to_owned() } else { path.display().to_string() }
}

fn load(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = match is_dash(path) {
        true => std::io::stdin().read_to_end(&mut bytes).map(|_| bytes),
        false => std::fs::read(path),
    };
    read.with_context(|| format!("{} cannot be read", name(path)))
}

fn print(context: &Context, path: &Path, report: &GameReport) -> anyhow::Result<()> {
    if !context.json {
        return print_line(&to_text(report));
    }
    print_answer(&GameJson::new(name(path), report))
}

/// Where annotated games go: a file that appears when it is complete, or
/// standard output.
struct Out {
    path: PathBuf,
    is_stdout: bool,
    bytes: Vec<u8>,
}

impl Out {
    fn open(path: &Path, inputs: &[PathBuf]) -> anyhow::Result<Out> {
        let is_stdout = is_dash(path);
        if !is_stdout && let Some(input) = inputs.iter().find(|input| same_file(input, path)) {
            let (out, input) = (path.display(), input.display());
            anyhow::bail!("{out} is the input {input}: name another file to write to");
        }
        Ok(Out { path: path.to_owned(), is_stdout, bytes: Vec::new() })
    }

    /// Begins the games of another file, which a blank line sets apart.
    fn next_file(&mut self) {
        let missing: &[u8] = match &self.bytes {
            bytes if bytes.is_empty() || bytes.ends_with(b"\n\n") => b"",
            bytes if bytes.ends_with(b"\n") => b"\n",
            _ => b"\n\n",
        };
        self.bytes.extend_from_slice(missing);
    }

    fn finish(self) -> anyhow::Result<()> {
        let failed = || format!("{} cannot be written", self.path.display());
        if self.is_stdout {
            return std::io::stdout().write_all(&self.bytes).with_context(failed);
        }
        let write = File::create(&self.path).and_then(|mut file| file.write_all(&self.bytes));
        write.with_context(failed)
    }
}

/// Whether two names lead to one file, through links too.
fn same_file(a: &Path, b: &Path) -> bool {
    let same_path = || -> Option<bool> { Some(a.canonicalize().ok()? == b.canonicalize().ok()?) };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let id = |path: &Path| std::fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
        if id(a).is_some() && id(a) == id(b) {
            return true;
        }
    }
    same_path().unwrap_or(false)
}
