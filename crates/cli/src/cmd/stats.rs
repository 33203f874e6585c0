//! `molien stats`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_board::{Color, Material};
use molien_mine::horizon;
use molien_mine::plot::{Panel, histograms};
use molien_values::{Count, Counting, Longest, Metric, Stats};
use serde_json::{Map, Value as Json, json};

use crate::Verdict;
use crate::cmd::survey;
use crate::context::Context;
use crate::text::{grouped, percent, print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien stats KQKR
  molien stats KQKQ --metric dtm --counting nalimov --json
  molien stats KRKN --histogram
  molien stats KRK --metric dtc --csv
  molien stats KRK --chart
  molien stats KRK --plot KRK.svg

Each side's figures are seen from the side to move. `stiller` tells like men
apart and counts White to move with Black in check as won; those wins are in
the totals but have no ply. H % is the horizon: the share of decided positions
among those not decided within so many plies.";

/// Which statistics.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct StatsArgs {
    /// A material such as KQKR
    material: String,
    /// What the plies count: dtm, dtc, dtz or dtz50
    #[arg(long, default_value = "dtm")]
    metric: Metric,
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
    /// Draw the numbers at every ply into a file, .svg or .png
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

/// Solves what is needed and prints its statistics.
pub fn run(context: &Context, args: &StatsArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    if survey::wants_card(context, material) {
        let plain = !(args.histogram || args.csv || args.chart || args.plot.is_some());
        anyhow::ensure!(plain, "{material}: of so large a board only the figures are printed");
        return survey::stats(context, material, args.metric, args.counting);
    }
    let stats = context.tablebase().stats(material, args.metric)?;
    let view = View { stats: &stats, metric: args.metric, counting: args.counting };
    if let Some(path) = &args.plot {
        let panels = Color::BOTH.map(|side| view.panel(side));
        let title = format!("{material} in {}, {} positions", args.metric, args.counting);
        histograms(path, &title, &panels).with_context(|| path.display().to_string())?;
    }
    if context.json {
        print_json(&view.json())?;
    } else if args.csv {
        view.print_csv()?;
    } else {
        view.print(args.histogram)?;
        if args.chart {
            Color::BOTH.into_iter().try_for_each(|side| view.print_chart(side))?;
        }
    }
    Ok(Verdict::Done)
}

/// Statistics in one counting.
struct View<'a> {
    stats: &'a Stats,
    /// As asked; the table may be that of an equal metric.
    metric: Metric,
    counting: Counting,
}

impl View<'_> {
    fn number(&self, count: Count) -> u64 {
        self.stats.number(count, self.counting)
    }

    /// Positions, wins, draws and losses of a side to move.
    fn totals(&self, side: Color) -> [u64; 4] {
        let stats = &self.stats.sides[side.index()];
        let wins = self.stats.wins(side, self.counting);
        // Placements that only a convention counts as wins count as positions.
        let conventional = wins - self.number(stats.total_wins());
        let legal = self.number(stats.legal) + conventional;
        let losses = self.number(stats.total_losses());
        [legal, wins, legal.saturating_sub(wins + losses), losses]
    }

    fn json(&self) -> Json {
        let zugzwangs = &self.stats.zugzwangs;
        json!({
            "material": self.stats.material.to_string(),
            "metric": self.metric.name(),
            "counting": self.counting.to_string(),
            "white_to_move": self.side_json(Color::White),
            "black_to_move": self.side_json(Color::Black),
            "mutual_zugzwangs": {
                "white_wins": self.number(zugzwangs.white_wins),
                "black_wins": self.number(zugzwangs.black_wins),
                "full_point": self.number(zugzwangs.full_point),
            },
        })
    }

    fn side_json(&self, side: Color) -> Json {
        let stats = &self.stats.sides[side.index()];
        let [legal, wins, draws, losses] = self.totals(side);
        let longest = |longest: &Option<Longest>| {
            longest.as_ref().map(
                |longest| json!({ "plies": longest.plies, "fen": longest.position.to_string() }),
            )
        };
        json!({
            "legal": legal,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "longest_win": longest(&stats.longest_win),
            "longest_loss": longest(&stats.longest_loss),
            "win_plies": self.histogram_json(&stats.wins),
            "loss_plies": self.histogram_json(&stats.losses),
            "win_percent": share(wins, legal),
            "horizon_percent": self.horizon_json(side),
        })
    }

    /// The plies that occur, with their numbers.
    fn histogram(&self, counts: &[Count]) -> Vec<(usize, u64)> {
        let numbers = counts.iter().map(|&count| self.number(count)).enumerate();
        numbers.filter(|&(_, number)| number > 0).collect()
    }

    fn histogram_json(&self, counts: &[Count]) -> Map<String, Json> {
        let entry = |(ply, number): (usize, u64)| (ply.to_string(), Json::from(number));
        self.histogram(counts).into_iter().map(entry).collect()
    }

    fn print(&self, histogram: bool) -> anyhow::Result<()> {
        let (material, metric, counting) = (self.stats.material, self.metric, self.counting);
        print_line(&format!("{material} in {metric}, counting {counting}"))?;
        for side in Color::BOTH {
            let [legal, wins, draws, losses] = self.totals(side);
            let row = |name: &str, number: u64| {
                print_line(&format!(
                    "  {name:9} {:>17}  {:>8}",
                    grouped(number),
                    percent(number, legal)
                ))
            };
            print_line(&format!("\n{side} to move"))?;
            row("positions", legal)?;
            row("wins", wins)?;
            row("draws", draws)?;
            row("losses", losses)?;
            let stats = &self.stats.sides[side.index()];
            print_longest("longest win", &stats.longest_win)?;
            print_longest("longest loss", &stats.longest_loss)?;
            if histogram {
                self.print_histogram(side)?;
            }
        }
        let zugzwangs = &self.stats.zugzwangs;
        print_line(&format!(
            "\nmutual zugzwangs: White wins {}, Black wins {}, full point {}",
            grouped(self.number(zugzwangs.white_wins)),
            grouped(self.number(zugzwangs.black_wins)),
            grouped(self.number(zugzwangs.full_point)),
        ))
    }

    /// Wins, losses and horizon at every ply that occurs.
    fn plies(&self, side: Color) -> Vec<(usize, u64, u64, f64)> {
        let Panel { wins, losses, .. } = self.panel(side);
        let at = |counts: &[u64], ply: usize| counts.get(ply).copied().unwrap_or(0);
        let legal = self.number(self.stats.sides[side.index()].legal);
        let row = |(ply, horizon)| (ply, at(&wins, ply), at(&losses, ply), 100.0 * horizon);
        let rows = horizon(legal, &wins, &losses).into_iter().enumerate().map(row);
        rows.filter(|(_, wins, losses, _)| wins + losses > 0).collect()
    }

    fn horizon_json(&self, side: Color) -> Map<String, Json> {
        let plies = self.plies(side).into_iter();
        plies.map(|(ply, _, _, h)| (ply.to_string(), Json::from(round(h)))).collect()
    }

    fn panel(&self, side: Color) -> Panel {
        let stats = &self.stats.sides[side.index()];
        let numbers = |counts: &[Count]| counts.iter().map(|&count| self.number(count)).collect();
        let title = format!("{side} to move");
        Panel { title, wins: numbers(&stats.wins), losses: numbers(&stats.losses) }
    }

    fn print_histogram(&self, side: Color) -> anyhow::Result<()> {
        print_line(&format!("  {:>5} {:>17} {:>17} {:>7}", "plies", "wins", "losses", "H %"))?;
        for (ply, wins, losses, h) in self.plies(side) {
            let (wins, losses) = (grouped(wins), grouped(losses));
            print_line(&format!("  {ply:>5} {wins:>17} {losses:>17} {h:>7.2}"))?;
        }
        Ok(())
    }

    fn print_csv(&self) -> anyhow::Result<()> {
        print_line("material,metric,counting,side_to_move,plies,wins,losses,horizon_percent")?;
        let (material, metric, counting) = (self.stats.material, self.metric, self.counting);
        for side in Color::BOTH {
            let name = side.to_string().to_lowercase();
            for (ply, wins, losses, h) in self.plies(side) {
                print_line(&format!(
                    "{material},{metric},{counting},{name},{ply},{wins},{losses},{h:.2}"
                ))?;
            }
        }
        Ok(())
    }

    fn print_chart(&self, side: Color) -> anyhow::Result<()> {
        const WIDTH: f64 = 60.0;
        let plies = self.plies(side);
        let highest = plies.iter().map(|(_, wins, losses, _)| wins + losses).max().unwrap_or(1);
        print_line(&format!("\n{side} to move (# wins, - losses)"))?;
        for (ply, wins, losses, _) in plies {
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

/// A share in per cent with two digits; none of nothing.
fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| round(part as f64 * 100.0 / whole as f64))
}

fn round(percent: f64) -> f64 {
    (percent * 100.0).round() / 100.0
}

fn print_longest(name: &str, longest: &Option<Longest>) -> anyhow::Result<()> {
    let Some(longest) = longest else { return Ok(()) };
    let moves = winner_moves(longest.plies);
    let position = &longest.position;
    print_line(&format!("  {name}: {} plies ({moves} moves)  {position}", longest.plies))
}
