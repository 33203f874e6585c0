//! `molien compare`.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, bail};
use clap::Args;
use molien_board::{Color, Material};
use molien_probe::Tablebase;
use molien_schema::ComparedJson;
use molien_values::{Count, Metric, Stats, Surveyor as _};

use crate::Verdict;
use crate::context::Context;
use crate::text::{print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien compare --with prophet_max_dtm_ply_6_men.tsv KRPKRP KQPKQP
  molien compare --with prophet_max_dtm_ply_6_men.tsv --pieces     on a card: minutes
  molien compare --with syzygy_summary.tsv --with syzygy_histogram.tsv KNNNKP

Files are tab-separated, with column names in the first line. Three kinds are known:
longest mates (max_dtm_ply_first_side_to_move_and_wins, ...second...), classes under the
50-move rule (w_win, w_cursed_win, ... b_loss), and DTZ50 by ply (stm, kind, ply, count).
The last two tell like men apart, and without pawns they count mirror images in a way
that can be compared only if no two men are alike. The exit code is 1 if a figure differs
or a table is not available.";

/// What to compare.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct CompareArgs {
    /// Materials [default: all that the files name]
    material: Vec<String>,
    /// Files of figures
    #[arg(long = "with", value_name = "FILE", required = true)]
    with: Vec<PathBuf>,
    /// Only materials without pawns
    #[arg(long, conflicts_with = "pawns")]
    pieces: bool,
    /// Only materials with pawns
    #[arg(long)]
    pawns: bool,
    /// Check every value on the CUDA card against those one move on; a wrong one is an
    /// error
    #[arg(long)]
    check: bool,
}

/// The side to move, whether it wins, and in how many plies.
type PlyKey = (usize, bool, usize);

/// Positions by ply.
type Plies = BTreeMap<PlyKey, u64>;

/// Figures of one table, found elsewhere.
#[derive(Default)]
struct Figures {
    /// Longest mates, White and Black to move; of symmetric men one.
    longest: Option<[Option<u16>; 2]>,
    /// Of each side to move: wins, cursed wins, draws, blessed losses, losses.
    classes: Option<[[u64; 5]; 2]>,
    /// DTZ50.
    plies: Plies,
}

impl Figures {
    /// Whether positions are counted.
    fn has_counts(&self) -> bool {
        self.classes.is_some() || !self.plies.is_empty()
    }
}

const FIRST: &str = "max_dtm_ply_first_side_to_move_and_wins";
const SECOND: &str = "max_dtm_ply_second_side_to_move_and_wins";
const CLASSES: [&str; 5] = ["win", "cursed_win", "draw", "cursed_loss", "loss"];

/// Compares every table the files name.
pub fn run(context: &Context, args: &CompareArgs) -> anyhow::Result<Verdict> {
    let mut figures: HashMap<Material, Figures> = HashMap::new();
    let mut order: Vec<Material> = Vec::new();
    for path in &args.with {
        read(path, &mut figures, &mut order).with_context(|| path.display().to_string())?;
    }
    let mut wanted = order;
    if !args.material.is_empty() {
        let named = args.material.iter().map(|name| Ok(name.parse::<Material>()?.canonical()));
        wanted = named.collect::<anyhow::Result<_>>()?;
    }
    wanted.retain(|m| !(args.pieces && m.has_pawns() || args.pawns && !m.has_pawns()));
    if args.check {
        context.card()?.check_tables();
    }
    let tables = context.own_tablebase();
    announce(context, &figures, &mut wanted);
    let (mut verdict, mut equal) = (Verdict::Done, 0);
    for material in &wanted {
        let Some(figures) = figures.get(material) else { bail!("{material} is in no file") };
        match compare(context, &tables, *material, figures)? {
            true => equal += 1,
            false => verdict = Verdict::Failed,
        }
    }
    if !context.json {
        print_line(&format!("{equal} of {} tables equal", wanted.len()))?;
    }
    Ok(verdict)
}

/// Tells the card, if there is one, what will be asked, and asks in the order in which
/// it solves: what several tables share is then solved once.
fn announce(context: &Context, figures: &HashMap<Material, Figures>, wanted: &mut [Material]) {
    let Some(card) = context.card_if_wanted() else { return };
    let with = |is_wanted: fn(&Figures) -> bool| -> Vec<Material> {
        let known = |material: &&Material| figures.get(*material).is_some_and(is_wanted);
        wanted.iter().filter(known).copied().collect()
    };
    card.expect(&with(|figures| figures.longest.is_some()), Metric::Dtm);
    card.expect(&with(Figures::has_counts), Metric::Dtz50);
    let order = molien_build::order(wanted, |_| false);
    wanted.sort_by_key(|material| order.iter().position(|m| m == material));
}

/// Reads a file; what it names for the first time is added to the order.
fn read(
    path: &Path,
    figures: &mut HashMap<Material, Figures>,
    order: &mut Vec<Material>,
) -> anyhow::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    for line in lines.filter(|line| !line.is_empty()) {
        let cells = line.split('\t').chain(std::iter::repeat(""));
        let row: HashMap<&str, &str> = names.iter().copied().zip(cells).collect();
        let cell = |name: &str| row.get(name).copied().unwrap_or_default();
        let number = |name: &str| -> anyhow::Result<u64> {
            cell(name).parse::<u64>().with_context(|| format!("'{line}' has no {name}"))
        };
        let material: Material = cell("table").parse().with_context(|| format!("'{line}'"))?;
        let figures = figures.entry(material).or_insert_with(|| {
            order.push(material);
            Figures::default()
        });
        if row.contains_key(FIRST) {
            figures.longest = Some([FIRST, SECOND].map(|name| cell(name).parse().ok()));
        } else if row.contains_key("w_cursed_win") {
            let mut classes = [[0; 5]; 2];
            for (side, classes) in ["w", "b"].iter().zip(&mut classes) {
                for (name, count) in CLASSES.iter().zip(classes) {
                    *count = number(&format!("{side}_{name}"))?;
                }
            }
            figures.classes = Some(classes);
        } else if row.contains_key("kind") {
            let key = (usize::from(cell("stm") == "b"), cell("kind") == "win");
            figures.plies.insert((key.0, key.1, number("ply")? as usize), number("count")?);
        } else {
            bail!("its columns are not known");
        }
    }
    Ok(())
}

fn compare(
    context: &Context,
    tables: &Tablebase,
    material: Material,
    figures: &Figures,
) -> anyhow::Result<bool> {
    let start = Instant::now();
    let (mut compared, mut wrong): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let stats = |metric| match tables.stats(material, metric) {
        // One table that cannot be had is no reason to give up the others.
        Err(error) if !context.is_interrupted() => {
            Ok(Err(format!("{metric} not compared: {error}")))
        }
        other => other.map(Ok),
    };
    if let Some(longest) = figures.longest {
        match stats(Metric::Dtm)? {
            Ok(stats) => compared.push(check_longest(&stats, longest, &mut wrong)),
            Err(missing) => wrong.push(missing),
        }
    }
    if figures.has_counts() && (material.has_pawns() || likeness(&material) == 1) {
        match stats(Metric::Dtz50)? {
            Ok(stats) => compared.extend(check_counts(&stats, figures, &mut wrong)),
            Err(missing) => wrong.push(missing),
        }
    }
    let (equal, seconds) = (wrong.is_empty(), start.elapsed().as_secs_f64());
    if context.json {
        print_answer(&ComparedJson::new(material.to_string(), compared, wrong, seconds))?;
        return Ok(equal);
    }
    let verdict = if equal { "equal" } else { "DIFFERENT" };
    let what = compared.join(", ");
    print_line(&format!("{:8} {verdict}: {what}  {seconds:.1} s", material.to_string()))?;
    wrong.iter().try_for_each(|wrong| print_line(&format!("    {wrong}")))?;
    Ok(equal)
}

fn check_counts(stats: &Stats, figures: &Figures, wrong: &mut Vec<String>) -> Vec<String> {
    let classes = figures.classes.as_ref().map(|classes| check_classes(stats, classes, wrong));
    let has_plies = !figures.plies.is_empty();
    let plies = has_plies.then(|| check_plies(stats, &figures.plies, wrong));
    classes.into_iter().chain(plies).collect()
}

/// In how many ways like men can be exchanged.
fn likeness(material: &Material) -> u64 {
    Stats::new(*material, Metric::Dtz50).labelled_factor()
}

fn check_longest(stats: &Stats, there: [Option<u16>; 2], wrong: &mut Vec<String>) -> String {
    let here = Color::BOTH
        .map(|side| stats.sides[side.index()].longest_win.as_ref().map(|longest| longest.plies));
    let sides = if stats.material.is_symmetric() { 1 } else { 2 };
    for (side, (here, there)) in Color::BOTH.iter().zip(here.iter().zip(there)).take(sides) {
        if *here != there {
            let plies = |plies: Option<u16>| plies.map_or("none".to_owned(), |p| p.to_string());
            let (here, there) = (plies(*here), plies(there));
            wrong.push(format!("longest mate, {side} to move and wins: {there}, here {here}"));
        }
    }
    let plies = here.map(|plies| plies.map_or("-".to_owned(), |plies| plies.to_string()));
    format!("longest mates {} plies", plies.join(" and "))
}

fn check_classes(stats: &Stats, there: &[[u64; 5]; 2], wrong: &mut Vec<String>) -> String {
    let factor = likeness(&stats.material);
    for (side, there) in Color::BOTH.iter().zip(there) {
        let own = &stats.sides[side.index()];
        let (wins, cursed) = (own.total_wins().unique, own.cursed_wins().unique);
        let (losses, blessed) = (own.total_losses().unique, own.blessed_losses().unique);
        let draws = own.legal.unique - wins - losses;
        let here = [wins - cursed, cursed, draws, blessed, losses - blessed];
        for ((name, here), there) in CLASSES.iter().zip(here).zip(there) {
            if here * factor != *there {
                wrong.push(format!("{side} to move, {name}: {there}, here {}", here * factor));
            }
        }
    }
    "classes".to_owned()
}

/// How many positions there are at a ply.
fn at(plies: &Plies, key: &PlyKey) -> u64 {
    plies.get(key).copied().unwrap_or(0)
}

fn check_plies(stats: &Stats, there: &Plies, wrong: &mut Vec<String>) -> String {
    let factor = likeness(&stats.material);
    let mut here = Plies::new();
    for (side, own) in stats.sides.iter().enumerate() {
        let counts = |won: bool| if won { &own.wins } else { &own.losses };
        for won in [true, false] {
            let found = counts(won).iter().map(|count: &Count| count.unique).enumerate();
            for (plies, count) in found.filter(|(_, count)| *count > 0) {
                here.insert((side, won, plies), count * factor);
            }
        }
    }
    let keys = here.keys().chain(there.keys().filter(|key| !here.contains_key(*key)));
    for key in keys.filter(|key| at(&here, key) != at(there, key)) {
        let (side, won, plies) = *key;
        let (side, what) = (Color::BOTH[side], if won { "won" } else { "lost" });
        let (there, here) = (at(there, key), at(&here, key));
        wrong.push(format!("{side} to move, {what} in {plies} plies: {there}, here {here}"));
    }
    format!("DTZ50 at {} plies", there.len())
}
