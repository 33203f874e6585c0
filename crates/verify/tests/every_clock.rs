//! Mate under the 50-move rule at every clock of every position, against the
//! definition.

use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::{Build, ClockKey, ClockRuns, order};
use molien_probe::chess::to_chess;
use molien_probe::{AtClock, ClockTables, Tablebase};
use molien_testing::{Random, is_exhaustive};
use molien_values::{Metric, Place, Table, Value, better};
use molien_verify::{ClockLayer, ClockedValues};
use rayon::prelude::*;

/// No run decides it.
const NEVER: u8 = u8::MAX;

/// What the waves say of one part of a table, clock by clock from the last.
struct Waves {
    rule_plies: u16,
    sides: Vec<Side>,
}

/// The positions that one side wins.
struct Side {
    winner: Color,
    /// By run, by place: the step at which the run decides it.
    steps: Vec<Vec<u8>>,
    /// By place: the first run that decides it by now; the number of runs if
    /// none does.
    first: Vec<u16>,
}

impl Waves {
    fn new(build: &Build, table: &Table, layer: &ClockLayer<'_>) -> Waves {
        let board = &table.parts[layer.part].board;
        let decode = |place: &Place| board.decode(place.index, place.turn).expect("a position");
        let positions: Vec<Position> = layer.places.par_iter().map(decode).collect();
        let side = |winner: Color| {
            let key = ClockKey::new(&positions[0], winner);
            let steps = |runs: &ClockRuns<'_>| {
                let steps = |sooner| {
                    let run = runs.run(sooner).expect("not cancelled");
                    let step = |p: &Position| run.step(p).map_or(NEVER, |step| step as u8);
                    positions.par_iter().map(step).collect()
                };
                (0..=runs.last()).map(steps).collect::<Vec<Vec<u8>>>()
            };
            let steps = build.with_clock_runs(&key, steps).expect("solved");
            let first = vec![steps.len() as u16; positions.len()];
            Side { winner, steps, first }
        };
        let can_win = |side: &Color| table.material.side_len(*side) > 1;
        let sides = Color::BOTH.into_iter().filter(can_win).map(side).collect();
        Waves { rule_plies: build.rule_plies(), sides }
    }

    /// Goes on to the next clock, which is one less.
    fn go_to(&mut self, clock: u16) {
        let left = self.rule_plies - clock;
        for Side { steps, first, .. } in &mut self.sides {
            first.par_iter_mut().enumerate().for_each(|(number, first)| {
                while *first > 0 && u16::from(steps[usize::from(*first) - 1][number]) <= left {
                    *first -= 1;
                }
            });
        }
    }

    fn value(&self, number: usize, turn: Color, clock: u16) -> Value {
        for Side { winner, steps, first } in &self.sides {
            let run = usize::from(first[number]);
            let Some(step) = steps.get(run).map(|steps| u16::from(steps[number])) else { continue };
            let left = self.rule_plies - clock;
            let plies = if run == 0 { step } else { left + first[number] };
            return if *winner == turn { Value::Win(plies) } else { Value::Loss(plies) };
        }
        Value::Draw
    }
}

/// Compares every position at every clock, and says what was seen.
fn compare(build: &Build, values: &mut ClockedValues<'_>, material: Material) -> u64 {
    let table = build.table(material, Metric::Dtm50).unwrap();
    let (mut waves, mut checked, mut late) = (None, 0u64, 0u64);
    let visit = |layer: &ClockLayer<'_>| {
        let clock = layer.clock;
        if clock + 1 == build.rule_plies() {
            waves = (!layer.places.is_empty()).then(|| Waves::new(build, &table, layer));
        }
        let Some(waves) = &mut waves else { return };
        waves.go_to(clock);
        let places = layer.places.par_iter().zip(layer.values).enumerate();
        let count = |(number, (place, &expected)): (usize, (&Place, &Value))| {
            let found = waves.value(number, place.turn, clock);
            assert_eq!(found, expected, "{material} {place:?} clock {clock}");
            assert!(clock > 0 || table.at(*place) == expected, "{material} {place:?}");
            let plies = expected.plies().unwrap_or(0);
            u64::from(plies + clock > build.rule_plies())
        };
        late += places.map(count).sum::<u64>();
        checked += layer.places.len() as u64;
    };
    values.each_layer(material, visit).unwrap();
    println!("{material}: {checked} values at all clocks, {late} of them beyond the rule");
    late
}

#[test]
fn three_men() {
    let build = Build::new();
    let mut values = ClockedValues::new(&build, []);
    for name in ["KQK", "KRK", "KPK"] {
        compare(&build, &mut values, name.parse().unwrap());
    }
}

/// Under a stricter rule mates in many moves need a capture in time.
#[test]
fn a_stricter_rule() {
    let build = Build::new().with_rule_plies(16);
    let mut values = ClockedValues::new(&build, []).with_rule_plies(16);
    assert!(compare(&build, &mut values, "KPK".parse().unwrap()) > 10_000);
}

/// Like men in either order are one position.
#[test]
fn like_men() {
    let build = Build::new().with_rule_plies(6);
    let mut values = ClockedValues::new(&build, []).with_rule_plies(6);
    compare(&build, &mut values, "KNNK".parse().unwrap());
}

/// Every position of every table of three and four men at every clock.
#[test]
fn every_table_of_four_men() {
    if !is_exhaustive() {
        return;
    }
    let build = Build::new();
    let mut values = ClockedValues::new(&build, []);
    // Each after what it leads to.
    for material in order(&Material::all(4), |_| false) {
        compare(&build, &mut values, material);
    }
}

/// Values at a clock, each worked out by itself, and what moves make of them:
/// positions of five men, by shakmaty's moves.
fn moves_agree(build: &Arc<Build>, name: &str, sample: usize) {
    let material: Material = name.parse().unwrap();
    let (clocks, tables) = (ClockTables::new(build.clone()), Tablebase::solving(build.clone()));
    let zero = |p: &Position| tables.value(p, Metric::Dtm50).unwrap();
    let mut random = Random::new(50);
    let (mut seen, mut late) = (0, 0);
    while seen < sample {
        let position = random.position(material);
        let at_zero = zero(&position);
        // At this clock the rule has a say, if it is not too late.
        let Some(plies) = at_zero.plies().filter(|plies| *plies > 30) else { continue };
        let clock = (101u32.saturating_sub(plies.into())).max(1) + random.below(20) as u32;
        let mut asked = vec![AtClock { position, clock, at_zero }];
        let mut best = None;
        let chess = to_chess(&position).unwrap();
        let mut quiet = Vec::new();
        for m in shakmaty::Position::legal_moves(&chess) {
            let mut after = chess.clone();
            shakmaty::Position::play_unchecked(&mut after, m);
            let next = molien_probe::chess::from_chess(&after).unwrap();
            match m.is_zeroing() {
                true => best = best.into_iter().chain([before(zero(&next))]).reduce(better),
                false => quiet.push(next),
            }
        }
        let at_next = |p: &Position| AtClock { position: *p, clock: clock + 1, at_zero: zero(p) };
        asked.extend(quiet.iter().map(at_next));
        let found = clocks.values(&asked).unwrap();
        let expected = found[1..].iter().map(|&v| before(v)).chain(best).reduce(better);
        assert_eq!(Some(found[0]), expected, "{position} clock {clock}");
        late += usize::from(found[0] != Value::Draw);
        seen += 1;
    }
    println!("{name}: {seen} positions and their moves, {late} won beyond the rule");
    assert!(late > 0, "{name}");
}

/// One ply more, seen from the other side.
fn before(value: Value) -> Value {
    match value {
        Value::Win(plies) => Value::Loss(plies + 1),
        Value::Loss(plies) => Value::Win(plies + 1),
        Value::Draw => Value::Draw,
    }
}

#[test]
fn samples_agree_with_their_moves() {
    let build = Arc::new(Build::new());
    moves_agree(&build, "KQKR", 12);
    if is_exhaustive() {
        ["KRBKR", "KRNKR", "KQRKQ"].iter().for_each(|name| moves_agree(&build, name, 40));
    }
}

/// The longest wins under the rule that chesstb's statistics name (docs/stats.json
/// of its repository, 10 October 2026), of tables without pawns; and two wins that
/// the rule takes away.
const NAMED: [(&str, Value); 12] = [
    ("8/6k1/8/8/q7/8/8/KR5Q w - -", Value::Win(121)),
    ("8/8/8/8/8/5r2/7B/k1K1R3 w - -", Value::Win(111)),
    ("8/4Q3/b7/r7/8/8/8/K5k1 w - -", Value::Win(139)),
    ("8/5Q2/8/n7/8/4k3/8/3K2r1 w - -", Value::Win(137)),
    ("8/8/7Q/8/4b3/2b5/8/K2k4 w - -", Value::Win(123)),
    ("8/8/8/8/3b4/1Q6/3kn3/K7 w - -", Value::Win(105)),
    ("8/8/8/7Q/4n3/8/2k5/K1n5 w - -", Value::Win(123)),
    ("1n3B2/8/8/8/8/8/6B1/K1k5 w - -", Value::Win(131)),
    ("8/8/1B6/1n6/8/4N3/8/1K5k w - -", Value::Win(159)),
    ("8/8/8/8/8/1r6/6Q1/k1K5 b - -", Value::Win(37)),
    ("8/3B4/8/1R6/5r2/8/3K4/5k2 w - -", Value::Draw),
    ("7B/6n1/8/6k1/6B1/8/8/K7 w - -", Value::Draw),
];

#[test]
fn positions_named_elsewhere() {
    let tables = Tablebase::solving(Build::new());
    let men = |fen: &str| fen.split(' ').next().unwrap_or("").matches(char::is_alphabetic).count();
    for (fen, expected) in NAMED.into_iter().filter(|(fen, _)| is_exhaustive() || men(fen) < 5) {
        let position: Position = fen.parse().unwrap();
        assert_eq!(tables.value(&position, Metric::Dtm50).unwrap(), expected, "{fen}");
    }
}
