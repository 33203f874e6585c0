//! `molien stats`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_board::{Color, Material};
use molien_mine::plot::{Plot, Scale};
use molien_mine::{Figures, PlyFigures};
use molien_probe::words::depth;
use molien_schema::StatsJson;
use molien_values::{Counting, Longest, Metric, Stats};

use crate::Verdict;
use crate::cmd::survey;
use crate::context::Context;
use crate::estimate::{self, Goal};
use crate::text::{grouped, note, percent, print_answer, print_line};

const AFTER_HELP: &str = "\
Examples:
  molien stats KQKR
  molien stats KQKQ --metric dtm --counting nalimov --json
  molien stats KRKN --histogram
  molien stats KRK --metric dtc --csv
  molien stats KRK --chart
  molien stats KRK --plot KRK.svg
  molien stats KRKN --metric dtm,dtc --plot KRKN.png --log

All figures are seen from the side to move. In dtz50, wins that the 50-move rule
spoils are cursed wins and losses that it saves are blessed losses; they are counted
separately. `stiller` tells like men apart and counts White to move with Black in
check as won; those wins are in the totals but have no ply. H % is the horizon: of
the positions not decided within so many plies, the share that is decided later.";

/// Which statistics.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct StatsArgs {
    /// A material such as KQKR
    material: String,
    /// What the plies count: dtm, dtc, dtz, dtz50, or several of them
    #[arg(long, default_value = "dtm", value_delimiter = ',')]
    metric: Vec<Metric>,
    /// How positions are counted: unique, nalimov or stiller
    #[arg(long, default_value = "unique")]
    counting: Counting,
    /// Print the number of wins and losses at every ply
    #[arg(long)]
    histogram: bool,
    /// Print the numbers at every ply as CSV
    #[arg(long, conflicts_with_all = ["histogram", "chart", "json"])]
    csv: bool,
    /// Print a bar for every ply
    #[arg(long, conflicts_with = "json")]
    chart: bool,
    /// Draw the numbers at every ply into a file, .svg or .png; several
    /// metrics into one picture
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Draw the numbers on a logarithmic axis
    #[arg(long, requires = "plot")]
    log: bool,
    /// Check every value on the CUDA card against those one move on; a wrong one is an
    /// error. For tables, not for seven men
    #[arg(long)]
    check: bool,
}

/// Solves what is needed and prints its statistics.
pub fn run(context: &Context, args: &StatsArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    if args.check {
        context.card()?.check_tables();
    }
    if survey::wants_card(context, material) {
        let plain = !(args.histogram || args.csv || args.chart || args.plot.is_some());
        anyhow::ensure!(plain, "{material}: of so large a board only the figures are printed");
        for &metric in &args.metric {
            survey::stats(context, material, metric, args.counting)?;
        }
        return Ok(Verdict::Done);
    }
    estimate::check(context, Goal::Tables(&[material]), &args.metric)?;
    let tables = context.own_tablebase();
    let stats = args.metric.iter().map(|&metric| Ok((metric, tables.stats(material, metric)?)));
    let stats = stats.collect::<anyhow::Result<Vec<(Metric, Stats)>>>()?;
    let counting = args.counting;
    let views: Vec<View<'_>> = stats
        .iter()
        .map(|(metric, stats)| View(Figures { stats, metric: *metric, counting }))
        .collect();
    if let Some(path) = &args.plot {
        let scale = if args.log { Scale::Logarithmic } else { Scale::Linear };
        let figures: Vec<Figures<'_>> = views.iter().map(|view| view.0).collect();
        Plot::of(&figures, scale).write(path).with_context(|| path.display().to_string())?;
    }
    if args.csv {
        print_line("material,metric,counting,side_to_move,plies,wins,losses,horizon_percent")?;
    }
    for (i, view) in views.iter().enumerate() {
        if i > 0 && !context.json && !args.csv {
            print_line("")?;
        }
        view.print_as(context, args)?;
    }
    if let (Some(path), false) = (&args.plot, context.json) {
        // Beside figures for another program it would be in the way.
        let wrote = format!("wrote {}", path.display());
        if args.csv { note(&wrote) } else { print_line(&format!("\n{wrote}"))? }
    }
    Ok(Verdict::Done)
}

/// Statistics on paper.
struct View<'a>(Figures<'a>);

impl View<'_> {
    /// Prints in the form asked for.
    fn print_as(&self, context: &Context, args: &StatsArgs) -> anyhow::Result<()> {
        if context.json {
            return print_answer(&StatsJson::new(&self.0));
        }
        if args.csv {
            return self.print_csv();
        }
        self.print(args.histogram)?;
        match args.chart {
            true => Color::BOTH.into_iter().try_for_each(|side| self.print_chart(side)),
            false => Ok(()),
        }
    }

    fn print(&self, histogram: bool) -> anyhow::Result<()> {
        let Figures { stats, metric, counting } = self.0;
        let rule = self.0.minds_the_rule();
        print_line(&format!("{} in {metric}, counting {counting}", stats.material))?;
        for side in Color::BOTH {
            let shares = self.0.shares(side);
            let legal = shares.total();
            let width = if rule { 14 } else { 9 };
            let row = |name: &str, number: u64| {
                print_line(&format!(
                    "  {name:width$} {:>17}  {:>8}",
                    grouped(number),
                    percent(number, legal)
                ))
            };
            print_line(&format!("\n{side} to move"))?;
            row("positions", legal)?;
            row("wins", shares.wins)?;
            if rule {
                row("cursed wins", shares.cursed_wins)?;
            }
            row("draws", shares.draws)?;
            if rule {
                row("blessed losses", shares.blessed_losses)?;
            }
            row("losses", shares.losses)?;
            let stats = &stats.sides[side.index()];
            print_longest("longest win", &stats.longest_win)?;
            print_longest("longest loss", &stats.longest_loss)?;
            if histogram {
                self.print_histogram(side)?;
            }
        }
        let zugzwangs = &stats.zugzwangs;
        print_line(&format!(
            "\nmutual zugzwangs: White wins {}, Black wins {}, full point {}",
            grouped(self.0.number(zugzwangs.white_wins)),
            grouped(self.0.number(zugzwangs.black_wins)),
            grouped(self.0.number(zugzwangs.full_point)),
        ))
    }

    fn print_histogram(&self, side: Color) -> anyhow::Result<()> {
        print_line(&format!("  {:>5} {:>17} {:>17} {:>7}", "plies", "wins", "losses", "H %"))?;
        for PlyFigures { ply, wins, losses, horizon, .. } in self.0.plies(side) {
            let (wins, losses, h) = (grouped(wins), grouped(losses), 100.0 * horizon);
            print_line(&format!("  {ply:>5} {wins:>17} {losses:>17} {h:>7.2}"))?;
        }
        Ok(())
    }

    fn print_csv(&self) -> anyhow::Result<()> {
        let Figures { stats: Stats { material, .. }, metric, counting } = self.0;
        for side in Color::BOTH {
            let name = side.to_string().to_lowercase();
            for PlyFigures { ply, wins, losses, horizon, .. } in self.0.plies(side) {
                let h = 100.0 * horizon;
                print_line(&format!(
                    "{material},{metric},{counting},{name},{ply},{wins},{losses},{h:.2}"
                ))?;
            }
        }
        Ok(())
    }

    fn print_chart(&self, side: Color) -> anyhow::Result<()> {
        const WIDTH: f64 = 60.0;
        let plies = self.0.plies(side);
        let highest = plies.iter().map(|at| at.wins + at.losses).max().unwrap_or(1);
        print_line(&format!("\n{side} to move (# wins, - losses)"))?;
        for PlyFigures { ply, wins, losses, .. } in plies {
            // What occurs at all is at least one mark long.
            let marks = |count: u64, mark: &str| {
                let len = (WIDTH * count as f64 / highest as f64).round() as usize;
                mark.repeat(len.max(usize::from(count > 0)))
            };
            let bar = marks(wins, "#") + &marks(losses, "-");
            print_line(&format!("  {ply:>4} {bar} {}", grouped(wins + losses)))?;
        }
        Ok(())
    }
}

fn print_longest(name: &str, longest: &Option<Longest>) -> anyhow::Result<()> {
    let Some(longest) = longest else { return Ok(()) };
    print_line(&format!("  {name}: {}  {}", depth(longest.plies), longest.position))
}
