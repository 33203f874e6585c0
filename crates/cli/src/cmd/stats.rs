//! `molien stats`.

use clap::Args;
use molien_board::{Color, Material};
use molien_solve::{Count, Counting, Longest, Metric, Stats};
use serde_json::{Map, Value as Json, json};

use crate::Verdict;
use crate::context::Context;
use crate::text::{grouped, percent, print_json, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien stats KQKR
  molien stats KQKQ --metric dtm --counting nalimov --json
  molien stats KRKN --histogram

Each side's figures are seen from the side to move. `stiller` tells like men
apart and counts White to move with Black in check as won; those wins are in
the totals but have no ply.";

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
}

/// Solves what is needed and prints its statistics.
pub fn run(context: &Context, args: &StatsArgs) -> anyhow::Result<Verdict> {
    let material: Material = args.material.parse()?;
    let stats = context.tablebase().stats(material, args.metric)?;
    let view = View { stats: &stats, metric: args.metric, counting: args.counting };
    if context.json {
        print_json(&view.json())?;
    } else {
        view.print(args.histogram)?;
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
                self.print_histogram("win in", &stats.wins)?;
                self.print_histogram("loss in", &stats.losses)?;
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

    fn print_histogram(&self, name: &str, counts: &[Count]) -> anyhow::Result<()> {
        for (ply, number) in self.histogram(counts) {
            print_line(&format!("    {name:7} {ply:>4} plies {:>17}", grouped(number)))?;
        }
        Ok(())
    }
}

fn print_longest(name: &str, longest: &Option<Longest>) -> anyhow::Result<()> {
    let Some(longest) = longest else { return Ok(()) };
    let moves = winner_moves(longest.plies);
    let position = &longest.position;
    print_line(&format!("  {name}: {} plies ({moves} moves)  {position}", longest.plies))
}
