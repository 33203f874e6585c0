//! `molien probe`.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use molien_board::{FenOptions, Setup};
use molien_draw::Board;
use molien_probe::words::{best_moves, sentence, verdict};
use molien_probe::{Answer, MoveAnswer};
use molien_schema::PositionJson;
use molien_values::{Category, Metric};

use crate::Verdict;
use crate::cmd::{bulk, survey};
use crate::context::Context;
use crate::diagram::{Style, lines};
use crate::estimate::{self, Goal};
use crate::hint::missing_hint;
use crate::text::{print_answer, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien probe '8/8/8/8/8/2k5/8/K6R w - -'
  molien probe '8/8/8/8/8/2k5/8/K6R w - - 90 120'
  molien probe '8/8/8/8/8/2k5/8/K6R w - - 0 1 moves h1h3 c3c4'
  molien probe --json 8/8/8/8/8/2k5/8/K6R_b_-_-
  molien probe --metric dtm '8/8/8/8/8/2k5/8/K6R w - -'
  molien probe --metric dtm50 '8/8/8/8/8/2k5/8/K6R w - - 75 120'
  molien probe --svg board.svg '8/8/8/8/8/2k5/8/K6R w - -'

Plies are positive for a win of the side to move and negative for a loss; a
move's values are those of the position after it, seen from the side then to
move. Moves are grouped by what they achieve, the best first. The halfmove clock
of the FEN counts: a win that comes too late for it is a draw by the 50-move rule.
With --metric nothing else is solved; without dtz50 or dtm50 the rule is not looked at.
Plies in dtm50, mate under the rule, are those at the clock, of every move too. Tables
hold them at clock 0; where that does not tell, the board is solved for the clock.
With --syzygy positions that are not stored are looked up in Syzygy files, which know
dtz50 alone, often rounded: '12 or 13' is one of the two. To have another metric solved,
ask for it with --metric.
With --fens FILE every line of a file (of standard input for '-') is a position, and
a line of JSON, or of CSV with --format csv, is written for each, in order;
docs/json.md lists the fields.";

/// Which position.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ProbeArgs {
    /// The position as FEN, quoted or not
    #[arg(required_unless_present = "fens")]
    fen: Vec<String>,
    /// Metrics: dtm, dtc, dtz, dtz50, dtm50 [default: the first four, and dtm50 if it is stored]
    #[arg(long, value_delimiter = ',')]
    metric: Vec<Metric>,
    /// Answer as if castling rights were gone
    #[arg(long)]
    ignore_castling: bool,
    /// Show the board in letters
    #[arg(long)]
    ascii: bool,
    /// Draw the board into this file as well
    #[arg(long, value_name = "FILE", conflicts_with = "fens")]
    svg: Option<PathBuf>,
    /// Probe every line of a file; '-' is standard input
    #[arg(long, value_name = "FILE", conflicts_with = "fen")]
    fens: Option<PathBuf>,
    /// How answers to --fens are written
    #[arg(long, value_name = "FORMAT", default_value = "ndjson", requires = "fens")]
    format: bulk::Format,
}

/// Solves what is needed and prints the position's values and moves.
pub fn run(context: &Context, args: &ProbeArgs) -> anyhow::Result<Verdict> {
    let mut metrics =
        if args.metric.is_empty() { Metric::ALL.to_vec() } else { args.metric.clone() };
    let options = FenOptions { ignore_castling: args.ignore_castling };
    if let Some(path) = &args.fens {
        return bulk::run(&context.tablebase()?, path, &metrics, options, args.format);
    }
    let setup = Setup::parse(&args.fen.join(" "), options)?;
    // A large board is solved in one metric at a time.
    if survey::wants_card(context, setup.position.material()) {
        let metric = args.metric.first().copied().unwrap_or(Metric::Dtc);
        metrics = vec![metric];
        setup.position.check_legal()?;
        survey::announce(&*context.card()?, setup.position.material(), metric)?;
    }
    let tables = context.tablebase()?;
    if args.metric.is_empty() && tables.holds(setup.position.material(), Metric::Dtm50) {
        metrics.push(Metric::Dtm50);
    }
    estimate::check(context, Goal::Position(&setup.position), &metrics)?;
    if metrics.contains(&Metric::Dtm50) && setup.halfmove_clock > 0 {
        let (at_zero, _) = tables.values(&[setup.position], &metrics)?;
        let at_zero = at_zero.first().and_then(|values| values.get(Metric::Dtm50));
        at_zero.inspect(|&value| estimate::announce_clock(context, &setup, value));
    }
    // The moves first: they ask for all positions that are needed.
    let moves = tables.moves_at(&setup, &metrics)?;
    let answer = tables.probe_at(&setup, &metrics)?;
    estimate::say_what_keeps(context, &setup.position, &metrics);
    let view = View { setup: &setup, metrics: &metrics, answer: &answer, moves: &moves };
    if let Some(path) = &args.svg {
        std::fs::write(path, view.board().to_svg()).with_context(|| path.display().to_string())?;
    }
    if context.json {
        let json = PositionJson::new(&setup, &metrics, &answer).with_moves(&setup, &moves);
        return print_answer(&json).map(|()| Verdict::Done);
    }
    let style = if args.ascii { Style::Letters } else { Style::Figures };
    view.print(style)?;
    if let Some(path) = &args.svg {
        print_line(&format!("\nwrote {}", path.display()))?;
    }
    Ok(Verdict::Done)
}

/// The most moves that are named one by one.
const NAMED: usize = 4;

/// Width of a column of plies, and of one with plies that may be one more.
const WIDTH: usize = 7;
const ROUNDED_WIDTH: usize = 13;

/// `12`, or `12 or 13`.
fn either(number: i32, or: Option<i32>) -> String {
    match or {
        Some(or) => format!("{number} or {or}"),
        None => number.to_string(),
    }
}

/// A position's values and moves in some metrics.
struct View<'a> {
    setup: &'a Setup,
    metrics: &'a [Metric],
    answer: &'a Answer,
    moves: &'a [MoveAnswer],
}

impl View<'_> {
    /// The board as a picture, the best moves as arrows.
    fn board(&self) -> Board {
        let best = best_moves(self.metrics, self.moves);
        // Many good moves say nothing.
        let shown = if best.len() <= NAMED { best } else { &[] };
        Board {
            arrows: shown.iter().map(|m| (m.played.from, m.played.to)).collect(),
            captions: vec![self.sentence(), self.setup.to_string()],
            ..Board::from(&self.setup.position)
        }
    }

    /// The result in one sentence, and what to play.
    fn sentence(&self) -> String {
        sentence(self.setup, self.metrics, self.answer, self.moves)
    }

    /// How wide the column of a metric is: rounded plies need more room.
    fn width(&self, metric: Metric) -> usize {
        let after = self.moves.iter().map(|m| &m.after);
        let mut answers = after.chain([self.answer]);
        let rounded = answers.any(|answer| answer.values.or_plies(metric).is_some());
        if rounded { ROUNDED_WIDTH } else { WIDTH }
    }

    /// Something of every metric, in columns; draws have none.
    fn columns(&self, text: impl Fn(Metric) -> Option<String>) -> String {
        let column = |&metric: &Metric| {
            let text = text(metric).unwrap_or_else(|| "-".to_owned());
            format!("{text:>width$}", width = self.width(metric))
        };
        self.metrics.iter().map(column).collect()
    }

    /// The plies, and the winner's moves.
    fn print_row(&self, name: &str, answer: &Answer) -> anyhow::Result<()> {
        let or = |metric| answer.values.or_plies(metric);
        let plies = self.columns(|metric| Some(either(answer.values.plies(metric)?, or(metric))));
        let moves = |plies: i32| i32::from(winner_moves(plies.unsigned_abs() as u16));
        let moves = self.columns(|metric| {
            let (fewest, most) = (moves(answer.values.plies(metric)?), or(metric).map(moves));
            Some(either(fewest, most.filter(|&most| most != fewest)))
        });
        print_line(&format!("  {name:8} {plies}   {moves}"))
    }

    fn print(&self, style: Style) -> anyhow::Result<()> {
        let View { setup, metrics, answer, moves } = self;
        let position = &setup.position;
        print_line(&sentence(setup, metrics, answer, moves))?;
        print_line("")?;
        lines(position, style).iter().try_for_each(|line| print_line(line))?;
        print_line(&format!("\n{setup}"))?;
        let names = self.columns(|metric| Some(metric.name().to_owned()));
        let width = metrics.iter().map(|&metric| self.width(metric)).sum();
        print_line(&format!("\n  {:8} {:>width$}   {:>width$}", "", "plies", "winner's moves"))?;
        print_line(&format!("  {:8} {names}   {names}", ""))?;
        self.print_row("now", answer)?;
        // Best first, so that moves of one class stand together.
        for group in moves.chunk_by(|a, b| a.after.category == b.after.category) {
            let class = group.first().map_or(Category::Draw, |m| m.after.category.reverse());
            let plural = if group.len() == 1 { "move" } else { "moves" };
            let turn = position.turn();
            print_line(&format!("{} {plural}: {turn} {}", group.len(), verdict(class)))?;
            group.iter().try_for_each(|m| self.print_row(&m.san, &m.after))?;
        }
        for missing in &answer.missing {
            let hint = missing_hint(&missing.error).map(|hint| format!("; {hint}"));
            let (metric, error) = (missing.metric, &missing.error);
            print_line(&format!("{metric} is not known: {error}{}", hint.unwrap_or_default()))?;
        }
        Ok(())
    }
}
