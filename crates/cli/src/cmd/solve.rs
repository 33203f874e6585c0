//! `molien solve`.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use molien_board::{Color, Material};
use molien_build::{Making, Storage, dependencies, storage};
use molien_probe::words::depth;
use molien_schema::SolvedJson;
use molien_table::{Directory, Pack, Sides, WriteOptions};
use molien_values::{Metric, Stats, Table};

use crate::Verdict;
use crate::args::Materials;
use crate::context::Context;
use crate::estimate;
use crate::progress::WriteBars;
use crate::text::{grouped, note, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien solve KQKR KRKN
  molien solve KBBKN --metric dtc,dtm --json
  molien solve --men 3           every material with up to three men
  molien solve KRK --rebuild     make a damaged table anew
  molien solve KRKN --metric wdl --pack small
  molien solve KRK --metric dtz50 --pack fast --sides one

Tables with up to six men are stored in the metrics asked for, and so are the tables
they depend on; a metric asked for later is added to the file. Six men take minutes to
hours, and gigabytes of memory and of disk: `molien plan KRPKRP` says how much. With a
CUDA card, six men with pawns are stored without the tables they depend on. Larger
tables are solved for their figures only. An interrupted solve resumes where it
stopped.";

/// Materials and metrics to solve.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct SolveArgs {
    #[command(flatten)]
    which: Materials,
    /// Metrics: dtm, dtc, dtz, dtz50; or wdl, who wins and whether in time for
    /// the 50-move rule, without any count
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "dtm,dtc,dtz,dtz50",
        value_parser = Metric::from_name
    )]
    metric: Vec<Metric>,
    /// Make the tables anew, even if they are stored; damaged ones that they depend
    /// on, too
    #[arg(long)]
    rebuild: bool,
    /// How files are coded [default: as the file that is there; a new one with wdl alone or one
    /// side fast, others quick]
    #[arg(long, value_name = "HOW")]
    pack: Option<PackArg>,
    /// Store depths of both sides to move, or of the one that takes fewer bytes: the
    /// other's are then worked out from those and from smaller tables, whenever
    /// they are asked for [default: as the file that is there, a new one both]
    #[arg(long, value_name = "WHICH")]
    sides: Option<SidesArg>,
    /// Check every value on the CUDA card against those one move on, before the
    /// table leaves it; a wrong one is an error
    #[arg(long)]
    check: bool,
    /// Write a line for every wave to a file, with a signature of what it decides:
    /// equal files, once sorted, are equal waves; several ranks write FILE, FILE.1, ...
    #[arg(long, value_name = "FILE")]
    waves: Option<PathBuf>,
}

/// How files are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PackArg {
    /// By contexts learnt from the table itself, up to five men: small for who wins and
    /// for one side, and read fast
    Fast,
    /// The same with larger models: the smallest
    Small,
    /// By moves and zstd: soonest written; who wins takes three times as much, depths of
    /// both sides about the same
    Quick,
}

impl From<PackArg> for Pack {
    fn from(pack: PackArg) -> Pack {
        match pack {
            PackArg::Fast => Pack::Fast,
            PackArg::Small => Pack::Small,
            PackArg::Quick => Pack::QUICK,
        }
    }
}

/// The sides to move whose depths are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SidesArg {
    /// Both
    Both,
    /// One, with files coded as by --pack fast or small
    One,
}

/// How files are written.
fn write_options(context: &Context, args: &SolveArgs) -> anyhow::Result<WriteOptions> {
    let sides = args.sides.map(|sides| match sides {
        SidesArg::Both => Sides::Both,
        SidesArg::One => Sides::One,
    });
    let pack = match (args.pack, sides) {
        (Some(PackArg::Quick), Some(Sides::One)) => {
            anyhow::bail!("--sides one takes files coded by --pack fast or small")
        }
        (None, Some(Sides::One)) => Some(Pack::Fast),
        (pack, _) => pack.map(Pack::from),
    };
    // Several processes share the work of quick coding only.
    let together = context.is_together();
    let new_pack = if together { Pack::QUICK } else { Pack::for_new(&args.metric) };
    Ok(WriteOptions { pack, new_pack, sides })
}

/// Solves and prints a line for every table. Unless that is forbidden, tables
/// that can be are stored, in the metrics asked for.
pub fn run(context: &Context, args: &SolveArgs) -> anyhow::Result<Verdict> {
    let materials = args.which.list()?;
    if let Some(path) = &args.waves {
        context.write_waves(path)?;
    }
    if context.is_together() && context.directory().is_none() {
        anyhow::bail!("several processes together store tables: they need a folder they share");
    }
    if args.check {
        context.card()?.check_tables();
    }
    if let Some(card) = context.card_if_wanted() {
        // Six men with pawns have kernels of their own, compiled while they are solved.
        let on_its_own = |m: &Material| storage(*m) == Storage::ByPart;
        if !materials.iter().all(on_its_own) {
            card.prepare_tables(&args.metric)?;
        }
    }
    if let Some(directory) = context.directory().filter(|_| args.rebuild && context.is_leader()) {
        remove_for_rebuild(directory, &materials)?;
    }
    match (context.directory(), args.which.men) {
        (Some(_), _) => store(context, &materials, args),
        (None, Some(_)) => {
            let is_whole = |m: &Material| storage(*m) == Storage::Whole || m.len() < 3;
            let (whole, large): (Vec<_>, Vec<_>) = materials.into_iter().partition(is_whole);
            all(context, &whole, &args.metric)?;
            in_memory(context, &large, &args.metric)
        }
        (None, None) => in_memory(context, &materials, &args.metric),
    }
}

/// Removes the files of some materials, and damaged ones of those they depend
/// on, so that they are made anew.
fn remove_for_rebuild(directory: &Directory, materials: &[Material]) -> anyhow::Result<()> {
    let named: HashSet<Material> = materials.iter().map(|material| material.canonical()).collect();
    let below = materials.iter().flat_map(|&material| dependencies(material));
    let below: HashSet<Material> = below.map(|material| material.canonical()).collect();
    let is_damaged = |material: &&Material| {
        directory.path(**material).exists() && directory.verify(**material).is_err()
    };
    for &material in named.iter().chain(below.difference(&named).filter(is_damaged)) {
        let _lock = directory.lock(material)?;
        let path = directory.path(material);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{} cannot be removed", path.display()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Solves what is not in the folder yet, and reports from the files.
fn store(context: &Context, materials: &[Material], args: &SolveArgs) -> anyhow::Result<Verdict> {
    let metrics = &args.metric[..];
    let is_large = |m: &Material| matches!(storage(*m), Storage::FromLog | Storage::ByPart);
    let large = materials.iter().find(|material| is_large(material));
    if let Some(material) = large.filter(|_| metrics.contains(&Metric::Dtm50)) {
        anyhow::bail!("{material}: dtm50 is stored with up to five men; --in-memory counts it");
    }
    let (stored, others): (Vec<Material>, Vec<Material>) =
        materials.iter().partition(|&&material| storage(material) != Storage::None);
    if context.is_together() && !others.is_empty() {
        anyhow::bail!("{}: several processes together solve up to six men", others[0]);
    }
    let options = write_options(context, args)?;
    if context.is_leader() {
        estimate::announce(context, &stored, metrics, &options);
    }
    let seconds = make(context, &stored, metrics, options)?;
    if !context.is_leader() {
        return Ok(Verdict::Done);
    }
    let tables = context.own_tablebase();
    for material in stored {
        let seconds = seconds.get(&material.canonical()).copied().unwrap_or(0.0);
        for &metric in metrics {
            let stats = tables.stats(material, metric)?;
            report(context, material, &stats, metric, seconds)?;
        }
    }
    for material in &others {
        note(format_args!("{material}: solved but not stored: it has more than six men"));
    }
    in_memory(context, &others, metrics)
}

/// Makes the tables of some materials and of all they depend on. Returns the
/// seconds each took.
fn make(
    context: &Context,
    materials: &[Material],
    metrics: &[Metric],
    options: WriteOptions,
) -> anyhow::Result<HashMap<Material, f64>> {
    let (bars, seconds) = (WriteBars::new(context.news()), Mutex::new(HashMap::new()));
    let done = |material: Material, time: Duration| {
        bars.clear(material);
        let mut seconds = seconds.lock().unwrap_or_else(PoisonError::into_inner);
        seconds.insert(material, time.as_secs_f64());
    };
    let writing = |material: Material, written: usize, blocks: usize| {
        bars.show(material, written, blocks);
        !context.is_interrupted()
    };
    // The other half is room for what is being written.
    let assembly_bytes = context.memory_bytes() / 2;
    let making = Making { options, assembly_bytes, done: &done, writing: &writing };
    context.build().store(materials, metrics, &making)?;
    Ok(seconds.into_inner().unwrap_or_else(PoisonError::into_inner))
}

fn in_memory(
    context: &Context,
    materials: &[Material],
    metrics: &[Metric],
) -> anyhow::Result<Verdict> {
    if materials.is_empty() {
        return Ok(Verdict::Done);
    }
    let tables = context.own_tablebase();
    for &material in materials {
        for &metric in metrics {
            let start = Instant::now();
            let stats = tables.stats(material, metric)?;
            report(context, material, &stats, metric, start.elapsed().as_secs_f64())?;
        }
    }
    Ok(Verdict::Done)
}

/// Solves many materials, metric by metric, and keeps only what others are
/// still to read.
fn all(context: &Context, materials: &[Material], metrics: &[Metric]) -> anyhow::Result<Verdict> {
    let build = context.build();
    for &metric in metrics {
        let failed = Mutex::new(Ok(()));
        let visit = |table: &Table, time: Duration| {
            let seconds = time.as_secs_f64();
            let printed = report(context, table.material, &table.stats, metric, seconds);
            let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
            if failed.is_ok() {
                *failed = printed;
            }
        };
        build.visit_tables(materials, metric, &visit)?;
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)?;
    }
    Ok(Verdict::Done)
}

fn report(
    context: &Context,
    material: Material,
    stats: &Stats,
    metric: Metric,
    seconds: f64,
) -> anyhow::Result<()> {
    let solved = SolvedJson::new(material, metric, stats, seconds);
    if context.json {
        return print_answer(&solved);
    }
    let describe = |plies: Option<u16>| plies.map_or("none".to_owned(), depth);
    if metric == Metric::Wdl {
        return print_line(&format!(
            "{:8} {:5} {:>13} positions  {}  {seconds:.2} s",
            material.to_string(),
            metric.name(),
            grouped(solved.positions),
            Color::BOTH.map(|color| classes(stats, color)).join("; "),
        ));
    }
    print_line(&format!(
        "{:8} {:5} {:>13} positions  longest win: White {}, Black {}  {seconds:.2} s",
        material.to_string(),
        metric.name(),
        grouped(solved.positions),
        describe(solved.longest_white_win_plies),
        describe(solved.longest_black_win_plies),
    ))
}

/// What a side to move can count on.
fn classes(stats: &Stats, color: Color) -> String {
    let side = &stats.sides[color.index()];
    let (wins, losses) = (side.total_wins().unique, side.total_losses().unique);
    let (cursed, blessed) = (side.cursed_wins().unique, side.blessed_losses().unique);
    let draws = side.legal.unique - wins - losses;
    let mut text = format!("{color} wins {}, draws {}", grouped(wins - cursed), grouped(draws));
    for (count, what) in [(cursed, "wins too late"), (blessed, "loses too late")] {
        if count > 0 {
            text += &format!(", {what} {}", grouped(count));
        }
    }
    format!("{text}, loses {}", grouped(losses - blessed))
}
