//! `molien clock`.

use clap::Args;
use molien_board::{Color, Move, Setup};
use molien_probe::{ClockAnswer, ClockMove, clock_line};
use molien_schema::ClockJson;
use molien_values::{ClockSpan, Value};

use crate::Verdict;
use crate::context::Context;
use crate::fen::FenArgs;
use crate::text::{print_answer, print_line, winner_moves};

const AFTER_HELP: &str = "\
Examples:
  molien clock '8/8/8/8/8/2k5/1R6/K7 w - - 60 90'
  molien clock --line '8/8/8/8/8/2k5/1R6/K7 w - - 60 90'
  molien clock --json '8/8/4k3/8/8/2K5/3P4/8 w - - 0 1'

The clock counts plies since the last capture or pawn move; at 100 the game is
drawn, unless it is mate. The values are those of mate under this rule (dtm50):
first at the clock of the FEN, with every move, then at all clocks. The tables that
captures and pawn moves lead to are solved in dtm50, then the board of the
position is, once for every ply by which its conversions differ: seconds with up
to four men, minutes with five.";

/// Which position.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ClockArgs {
    #[command(flatten)]
    fen: FenArgs,
    /// Show best play, too: mate as soon as the rule allows
    #[arg(long)]
    line: bool,
}

/// Says how mate depends on the count of the 50-move rule.
pub fn run(context: &Context, args: &ClockArgs) -> anyhow::Result<Verdict> {
    let setup = args.fen.setup()?;
    let build = context.build();
    let answer = ClockAnswer::new(&build, &setup)?;
    let line = args.line.then(|| clock_line(&build, &setup, answer.value)).transpose()?;
    if context.json {
        let json = ClockJson::new(&setup, &answer);
        print_answer(&match &line {
            Some(line) => json.with_line(line.iter().map(|(played, _)| played)),
            None => json,
        })?;
    } else {
        print(&setup, &answer)?;
        if let Some(line) = line.filter(|line| !line.is_empty()) {
            print_line("")?;
            print_line(&numbered(&setup, &line))?;
        }
    }
    Ok(Verdict::Done)
}

fn print(setup: &Setup, answer: &ClockAnswer) -> anyhow::Result<()> {
    let turn = setup.position.turn();
    print_line(&setup.to_string())?;
    let now = words(turn, answer.value);
    print_line(&format!("With {} counted: {now}.", plies(setup.halfmove_clock)))?;
    for ClockMove { san, after, .. } in &answer.moves {
        print_line(&format!("  {san:<8} {}", words(!turn, *after)))?;
    }
    print_line("")?;
    for ClockSpan { first, last, value } in answer.values.spans() {
        let clocks = if first == last { first.to_string() } else { format!("{first} to {last}") };
        print_line(&format!("  clock {clocks:<9}  {}", words(turn, value)))?;
    }
    Ok(())
}

/// The moves with their numbers, as in a book.
fn numbered(setup: &Setup, line: &[(Move, String)]) -> String {
    let mut now = *setup;
    let mut words = Vec::with_capacity(line.len());
    for (number, (played, san)) in line.iter().enumerate() {
        words.push(match (now.position.turn(), number) {
            (Color::White, _) => format!("{}. {san}", now.fullmove_number),
            (Color::Black, 0) => format!("{}... {san}", now.fullmove_number),
            (Color::Black, _) => san.clone(),
        });
        now = now.play(played);
    }
    words.join(" ")
}

fn plies(count: u32) -> String {
    if count == 1 { "1 ply".to_owned() } else { format!("{count} plies") }
}

/// A value in words, for the side to move.
fn words(turn: Color, value: Value) -> String {
    let name = |color: Color| if color == Color::White { "White" } else { "Black" };
    let winner = match value {
        Value::Draw => return "draw".to_owned(),
        Value::Loss(0) => return format!("{} is mated", name(turn)),
        Value::Win(_) => name(turn),
        Value::Loss(_) => name(!turn),
    };
    let plies = value.plies().unwrap_or(0);
    let moves = winner_moves(plies);
    let unit = if moves == 1 { "move" } else { "moves" };
    format!("{winner} mates in {moves} {unit} ({})", self::plies(plies.into()))
}
