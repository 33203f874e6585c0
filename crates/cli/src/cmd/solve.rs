//! `molien solve`.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use clap::Args;
use molien_board::{Color, Man, Material, Role};
use molien_build::{Build, dependencies};
use molien_probe::{FolderSource, Source as _};
use molien_values::{Counting, Metric, Stats};
use serde_json::json;

use crate::Verdict;
use crate::args::Materials;
use crate::context::Context;
use crate::progress::WriteBar;
use crate::text::{grouped, print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien solve KQKR KRKN
  molien solve KBBKN --metric dtc,dtm --json
  molien solve --men 3           every material of up to three men

Tables of up to five men are stored with all metrics, tables of six men without
pawns with those asked for (solve KRNKNN --metric dtc: minutes, and gigabytes of
memory and of disk until the file is written); larger ones and six men with pawns are solved for
their figures only. An interrupted solve goes on where it was.";

/// Materials and metrics to solve.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct SolveArgs {
    #[command(flatten)]
    which: Materials,
    /// Metrics: dtm, dtc, dtz, dtz50
    #[arg(long, value_delimiter = ',', default_value = "dtm,dtc,dtz,dtz50")]
    metric: Vec<Metric>,
    /// Check every value on the CUDA card against those one move on, before the
    /// table leaves it; a wrong one is an error
    #[arg(long)]
    check: bool,
}

/// Solves and prints a line for every table. Unless that is forbidden, tables
/// of up to five men are stored, all metrics of a material in one file, and
/// those of six men without pawns in the metrics asked for.
pub fn run(context: &Context, args: &SolveArgs) -> anyhow::Result<Verdict> {
    let materials = args.which.list()?;
    if args.check {
        context.card()?.check_tables();
    }
    match (context.folder(), args.which.men) {
        (Some(folder), _) => store(context, &folder, &materials, &args.metric),
        (None, Some(men)) => all(context, usize::from(men), &args.metric),
        (None, None) => in_memory(context, &materials, &args.metric),
    }
}

/// Whether tables of a material are stored at all.
fn is_stored(material: Material) -> bool {
    material.len() <= 5 || FolderSource::is_large(material)
}

/// Solves what is not in the folder yet, and reports from the files.
fn store(
    context: &Context,
    folder: &FolderSource,
    materials: &[Material],
    metrics: &[Metric],
) -> anyhow::Result<Verdict> {
    let (stored, others): (Vec<Material>, Vec<Material>) =
        materials.iter().partition(|&&material| is_stored(material));
    let mut seconds = make(context, folder, &stored)?;
    for &material in stored.iter().filter(|&&material| FolderSource::is_large(material)) {
        let start = Instant::now();
        make_large(context, folder, material, metrics)?;
        seconds.insert(material.canonical(), start.elapsed().as_secs_f64());
    }
    for material in stored {
        let seconds = seconds.get(&material.canonical()).copied().unwrap_or(0.0);
        for &metric in metrics {
            let stats = folder.stats(material, metric)?;
            let stats = if stats.material == material { stats } else { stats.swap_colors() };
            report(context, material, &stats, metric, seconds)?;
        }
    }
    for material in &others {
        eprintln!("{material}: solved but not stored: it has more than six men, or six and pawns");
    }
    in_memory(context, &others, metrics)
}

/// Makes a table that is too large for memory; what it depends on is there.
fn make_large(
    context: &Context,
    folder: &FolderSource,
    material: Material,
    metrics: &[Metric],
) -> anyhow::Result<()> {
    let bar = WriteBar::new(material);
    let watch = |written: usize, blocks: usize| {
        bar.show(written, blocks);
        !context.is_interrupted()
    };
    // The other half is room for what is being written.
    let made = folder.make_large(material, metrics, context.memory_bytes() / 2, &watch);
    bar.clear();
    Ok(made?)
}

/// Materials worked on at once with a card: one is solved there, others are
/// copied from it and written.
const AT_ONCE_WITH_CARD: usize = 12;

/// By how much like men make a table smaller.
fn likeness(material: &Material) -> usize {
    let like = |man: Man| (1..=material.count(man)).product::<usize>();
    Color::BOTH.into_iter().flat_map(|c| Role::ALL.map(|role| like(Man::new(c, role)))).product()
}

/// Makes the tables of some materials and of all they depend on. Returns the
/// seconds each took.
fn make(
    context: &Context,
    folder: &FolderSource,
    materials: &[Material],
) -> anyhow::Result<HashMap<Material, f64>> {
    let mut wanted: Vec<Material> = Vec::new();
    for &material in materials {
        let below = dependencies(material).into_iter().flatten();
        for needed in below.chain([material.canonical()]).filter(|m| (3..=5).contains(&m.len())) {
            if !wanted.contains(&needed) {
                wanted.push(needed);
            }
        }
    }
    // The largest first where the order is free: the last ones leave
    // processors idle.
    wanted.sort_by_key(|material| (material.len(), material.pawns(), likeness(material)));
    let card = context.card_if_wanted();
    card.iter().try_for_each(|card| card.prepare_tables())?;
    let card = card.is_some();
    let at_once = if card { AT_ONCE_WITH_CARD } else { 2 };
    let seconds = Mutex::new(HashMap::new());
    folder.make_all(&wanted, at_once, card, |material, time| {
        let mut seconds = seconds.lock().unwrap_or_else(PoisonError::into_inner);
        seconds.insert(material, time.as_secs_f64());
    })?;
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
    let tables = context.tablebase();
    for &material in materials {
        for &metric in metrics {
            let start = Instant::now();
            let stats = tables.stats(material, metric)?;
            report(context, material, &stats, metric, start.elapsed().as_secs_f64())?;
        }
    }
    Ok(Verdict::Done)
}

/// What a material reads.
fn read_by(material: Material) -> impl Iterator<Item = Material> {
    material.successors().into_iter().map(|sub| sub.canonical())
}

/// The same materials, each after what it reads and as soon after it as can
/// be, so that few tables wait for their readers.
fn depth_first(materials: &[Material]) -> Vec<Material> {
    fn visit(material: Material, among: &[Material], order: &mut Vec<Material>) {
        if order.contains(&material) || !among.contains(&material) {
            return;
        }
        read_by(material).for_each(|sub| visit(sub, among, order));
        order.push(material);
    }
    let mut order = Vec::with_capacity(materials.len());
    for pawns in (0..=materials.iter().map(Material::pawns).max().unwrap_or(0)).rev() {
        for &material in materials.iter().filter(|material| material.pawns() == pawns) {
            visit(material, materials, &mut order);
        }
    }
    order
}

/// Solves every material of up to so many men, metric by metric. Of the
/// largest tables only those are kept that another one is still to read.
fn all(context: &Context, men: usize, metrics: &[Metric]) -> anyhow::Result<Verdict> {
    let materials = Material::all(men);
    let solver = context.solver();
    if let Some(card) = context.card_if_wanted() {
        card.prepare_tables()?;
        return all_together(context, &solver, &materials, metrics);
    }
    let order = depth_first(&materials);
    for &metric in metrics {
        for (i, &material) in order.iter().enumerate() {
            let start = Instant::now();
            let table = solver.table(material, metric)?;
            report(context, material, &table.stats, metric, start.elapsed().as_secs_f64())?;
            let to_come: Vec<Material> = order[i + 1..].iter().copied().flat_map(read_by).collect();
            for done in order[..=i].iter().filter(|done| done.len() == men) {
                if !to_come.contains(done) {
                    solver.forget(*done, metric);
                }
            }
        }
    }
    Ok(Verdict::Done)
}

/// The same with a card, which solves every table alone: while it solves one
/// others are copied from it.
fn all_together(
    context: &Context,
    solver: &Build,
    materials: &[Material],
    metrics: &[Metric],
) -> anyhow::Result<Verdict> {
    for &metric in metrics {
        let (next, solved) = (AtomicUsize::new(0), Mutex::new(HashMap::new()));
        let solved = || solved.lock().unwrap_or_else(PoisonError::into_inner);
        let work = || {
            while let Some(&material) = materials.get(next.fetch_add(1, Ordering::Relaxed)) {
                let start = Instant::now();
                let stats = solver.table(material, metric).map(|table| table.stats.clone());
                solver.forget(material, metric);
                solved().insert(material, (stats, start.elapsed().as_secs_f64()));
            }
        };
        std::thread::scope(|scope| {
            (0..AT_ONCE_WITH_CARD).for_each(|_| drop(scope.spawn(work)));
        });
        for &material in materials {
            if let Some((stats, seconds)) = solved().remove(&material) {
                report(context, material, &stats?, metric, seconds)?;
            }
        }
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
    let legal = |color: Color| stats.number(stats.sides[color.index()].legal, Counting::Unique);
    let positions = legal(Color::White) + legal(Color::Black);
    let longest =
        |color: Color| stats.sides[color.index()].longest_win.as_ref().map(|longest| longest.plies);
    let (white, black) = (longest(Color::White), longest(Color::Black));
    if context.json {
        return print_json(&json!({
            "material": material.to_string(),
            "metric": metric.name(),
            "positions": positions,
            "longest_white_win_plies": white,
            "longest_black_win_plies": black,
            "seconds": (seconds * 1000.0).round() / 1000.0,
        }));
    }
    let describe = |plies: Option<u16>| match plies {
        None => "none".to_owned(),
        Some(plies) => format!("{plies} plies ({} moves)", winner_moves(plies)),
    };
    print_line(&format!(
        "{:8} {:5} {:>13} positions  longest win: White {}, Black {}  {seconds:.2} s",
        material.to_string(),
        metric.name(),
        grouped(positions),
        describe(white),
        describe(black),
    ))
}
