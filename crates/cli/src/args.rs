//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::anyhow;
use clap::{Args, Parser, Subcommand, ValueEnum};
use molien::local::MemoryLimit;
use molien_board::{Material, Role};
use molien_operators::{Backend as Operators, by_name};

use crate::cmd;

const AFTER_HELP: &str = "\
Examples:
  molien solve KQKR              solve queen against rook in every metric
  molien stats KRK --metric dtm  counts, histograms, the longest wins
  molien probe '8/8/8/8/8/2k5/8/K6R w - -'
  molien verify KBNK             check every position of a table

Material is written White's men, then Black's: KQKR or KQvKR.";

/// Solves chess endgames exactly.
#[derive(Parser, Debug)]
#[command(name = "molien", version, after_help = AFTER_HELP)]
pub struct Cli {
    #[command(flatten)]
    pub common: Common,
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of every command")]
pub struct Common {
    /// Print JSON instead of text
    #[arg(long, global = true)]
    pub json: bool,
    /// Use at most this much memory: 8G, 500M, or 50% of the machine's
    #[arg(long, global = true, default_value = "70%", value_name = "SIZE")]
    pub memory: MemoryLimit,
    /// Keep tables in this folder; if given several times, new tables go to the first
    /// folder and the others are only read [default: $MOLIEN_TABLES, else the
    /// platform's data folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub tables: Vec<PathBuf>,
    /// Also answer from Syzygy files in these folders [default: $SYZYGY_PATH]
    #[arg(long, global = true, value_name = "DIR[:DIR]")]
    pub syzygy: Option<OsString>,
    /// Use stored tables only; a missing one is an error
    #[arg(long, global = true)]
    pub no_solve: bool,
    /// Begin long solves without asking first
    #[arg(long, global = true)]
    pub yes: bool,
    /// Solve in memory, without reading or storing tables
    #[arg(long, global = true, conflicts_with_all = ["tables", "no_solve"])]
    pub in_memory: bool,
    /// What pawns may promote to; 'queen' is not chess, but it is what Thompson
    /// assumed for KQPKQ in 1986
    #[arg(long, global = true, default_value = "all", value_name = "ROLES")]
    pub promote: Promote,
    /// Where to solve tables
    #[arg(long, global = true, default_value = "auto", value_name = "WHICH")]
    pub backend: Backend,
    /// Use at most this much of the card's memory, such as 24G
    #[arg(long, global = true, value_name = "SIZE", value_parser = parse_size)]
    pub card_memory: Option<u64>,
    /// Solve with this instruction set, to compare speeds [default: the fastest
    /// that the processor has]
    #[arg(long, global = true, value_name = "SET")]
    pub instructions: Option<Instructions>,
    /// Put temporary files into this folder [default: the folder of tables, else
    /// the system's temporary folder]
    #[arg(long, global = true, value_name = "DIR")]
    pub temp: Option<PathBuf>,
    /// Solve tables with N men and more a part at a time, in little memory
    #[arg(long, global = true, value_name = "N", default_value_t = 6, hide = true,
          value_parser = clap::value_parser!(u8).range(3..=6))]
    pub by_part: u8,
    /// Where standard error is not a terminal, report progress every so many
    /// seconds; 0 is never
    #[arg(long, global = true, value_name = "SECONDS", default_value = "60",
          value_parser = parse_seconds)]
    pub news: Duration,
    /// Use this many threads [default: one for each processor]
    #[arg(long, global = true, value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,
}

/// A number of bytes, such as `24G`.
fn parse_size(text: &str) -> Result<u64, String> {
    match text.parse()? {
        MemoryLimit::Bytes(bytes) => Ok(bytes),
        MemoryLimit::Percent(_) => Err("a size such as 24G is expected".to_owned()),
    }
}

/// A number of seconds, such as `60` or `0.5`.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "a number of seconds, such as 60 or 0.5, is expected".to_owned())
}

/// What solves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// A CUDA card if one is found, else the processor
    Auto,
    /// The processor
    Cpu,
    /// A CUDA card; having none is an error
    Cuda,
}

/// Instructions of a processor. The tables are the same with all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Instructions {
    /// x86 with registers of 512 bits
    Avx512,
    /// x86 with registers of 256 bits
    Avx2,
    /// ARM with registers of 128 bits
    Neon,
    /// What every processor has
    Plain,
}

impl Instructions {
    /// The operators that use them.
    pub fn operators(self) -> anyhow::Result<&'static dyn Operators> {
        let name = self.to_possible_value().map(|value| value.get_name().to_owned());
        let name = name.unwrap_or_default();
        by_name(&name).ok_or_else(|| anyhow!("this processor does not have {name} instructions"))
    }
}

/// What pawns promote to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Promote {
    /// Queen, rook, bishop and knight
    All,
    /// Queen only
    Queen,
}

impl Promote {
    /// The roles.
    pub fn roles(self) -> &'static [Role] {
        match self {
            Promote::All => &Role::PROMOTIONS,
            Promote::Queen => &[Role::Queen],
        }
    }
}

/// The commands, one file each under `cmd`.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Give the value of a position and of every legal move
    Probe(cmd::probe::ProbeArgs),
    /// Show how mate depends on the count of the 50-move rule
    Clock(cmd::clock::ClockArgs),
    /// Show best play by both sides, annotated
    Line(cmd::line::LineArgs),
    /// Judge every move of games and studies
    Study(cmd::study::StudyArgs),
    /// Say in words why a simple pawn ending is won or drawn
    Explain(cmd::explain::ExplainArgs),
    /// Search a king and pawn ending and prove its value
    Search(cmd::search::SearchArgs),
    /// Give the value for every square of one man
    Free(cmd::free::FreeArgs),
    /// Show counts, histograms, the longest wins and zugzwangs of a material
    Stats(cmd::stats::StatsArgs),
    /// Find the positions of a material that match a query
    Find(cmd::find::FindArgs),
    /// List all the deepest wins and losses of a material
    Maxima(cmd::maxima::MaximaArgs),
    /// List the mutual zugzwangs of a material
    Zugzwangs(cmd::zugzwangs::ZugzwangsArgs),
    /// Find the positions from which best play leads to given ones
    Basins(cmd::basins::BasinsArgs),
    /// Count positions with a single good move, by depth
    OnlyMoves(cmd::only_moves::OnlyMovesArgs),
    /// Write positions and values as CSV or Parquet
    Export(cmd::export::ExportArgs),
    /// Solve materials and everything they depend on
    Solve(cmd::solve::SolveArgs),
    /// Say what solving takes: time, memory and disk
    Plan(cmd::plan::PlanArgs),
    /// Compare figures found elsewhere with our own
    Compare(cmd::compare::CompareArgs),
    /// List the stored tables
    Tables(cmd::tables::TablesArgs),
    /// Check tables against themselves and against a referee
    Verify(cmd::verify::VerifyArgs),
    /// Write and check Syzygy files
    Syzygy(cmd::syzygy::SyzygyArgs),
    /// Run as a UCI engine
    Uci(cmd::uci::UciArgs),
    /// Answer over HTTP
    #[cfg(feature = "serve")]
    Serve(cmd::serve::ServeArgs),
    /// Compare published figures with our own
    Reproduce(cmd::reproduce::ReproduceArgs),
    /// Measure how fast this machine solves
    Bench(cmd::bench::BenchArgs),
    /// Print a script that completes commands in a shell
    Completions(cmd::completions::CompletionsArgs),
    /// Write the manual pages
    Man(cmd::completions::ManArgs),
}

/// Which materials: by name, or all of a size.
#[derive(Args, Debug)]
pub struct Materials {
    /// Materials such as KQKR
    #[arg(required_unless_present = "men")]
    material: Vec<String>,
    /// All materials with up to N men
    #[arg(long, value_name = "N", conflicts_with = "material",
          value_parser = clap::value_parser!(u8).range(3..=6))]
    pub men: Option<u8>,
}

impl Materials {
    /// The materials; the first mistake is the error.
    pub fn list(&self) -> anyhow::Result<Vec<Material>> {
        match self.men {
            Some(men) => Ok(Material::all(usize::from(men))),
            None => self.material.iter().map(|name| Ok(name.parse::<Material>()?)).collect(),
        }
    }
}
