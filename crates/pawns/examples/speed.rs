//! Nanoseconds of processor time per evaluation of the three functions, over a
//! million legal positions each: unlike the benchmark this can be read on a
//! machine that has other things to do.
//!
//! ```sh
//! cargo run --release -p molien-pawns --example speed
//! ```

use std::hint::black_box;
use std::time::Instant;

use molien_board::{Color, Man, Position, Role, Square};
use molien_pawns::{Error, Verdict, one_pawn, pawn_duel, two_pawns};

const POSITIONS: usize = 1_000_000;

/// Processor time of this thread where the system tells it, else elapsed time.
fn clock(start: Instant) -> f64 {
    let on_processor = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_processor.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.unwrap_or_else(|| start.elapsed().as_nanos() as f64)
}

fn positions(men: &[Man]) -> Vec<Position> {
    let mut random = molien_testing::Random::new(1);
    let mut found = Vec::with_capacity(POSITIONS);
    while found.len() < POSITIONS {
        let placed: Vec<(Man, Square)> =
            men.iter().map(|&man| (man, Square::new(random.below(64)))).collect();
        let turn = if random.below(2) == 0 { Color::White } else { Color::Black };
        found.extend(Position::new(placed, turn));
    }
    found
}

fn main() {
    let start = Instant::now();
    let man = Man::new;
    let kings = [man(Color::White, Role::King), man(Color::Black, Role::King)];
    let (white, black) = (man(Color::White, Role::Pawn), man(Color::Black, Role::Pawn));
    type Function = fn(&Position) -> Result<Verdict, Error>;
    let cases: [(&str, &[Man], Function); 3] = [
        ("one_pawn", &[white], one_pawn),
        ("two_pawns", &[white, white], two_pawns),
        ("pawn_duel", &[white, black], pawn_duel),
    ];
    for (name, pawns, function) in cases {
        let positions = positions(&[&kings[..], pawns].concat());
        let decided = |position: &Position| function(position).is_ok_and(|v| v.value.is_some());
        // What is thought through at first use is not counted.
        let share = positions.iter().filter(|position| decided(position)).count();
        let before = clock(start);
        for position in &positions {
            black_box(decided(black_box(position)));
        }
        let each = (clock(start) - before) / POSITIONS as f64;
        let share = 100.0 * share as f64 / POSITIONS as f64;
        println!("{name}: {each:.0} ns, {share:.2} % decided");
    }
}
