//! How much storing mate under the 50-move rule at every clock would take.
//!
//! ```text
//! cargo run --release -p molien-verify --example clock_breakpoints -- KQKR FILE
//! ```
//!
//! Of a position that is won at clock 0 in n plies, DTM50 at clock 0 tells its value
//! up to clock 100 - n, and DTZ50 tells the last clock at which it is won. What
//! lies between is written to FILE, to be compressed by a program for that: for
//! every position by how much the runs (docs/dtm50.md) that decide it rise from
//! clock to clock, and how often they do not. Prints how many positions there are
//! and how many of them have anything between.

use std::fs::File;
use std::io::{BufWriter, Write};

use molien_board::{Color, Material, Position};
use molien_build::{Build, ClockKey, ClockRun, ClockRuns};
use molien_hyper::Index;
use molien_values::{Metric, Place, Value};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let (Some(name), Some(path)) = (args.next(), args.next()) else {
        return Err("expected a material and a file".into());
    };
    let material: Material = name.parse()?;
    let build = Build::new();
    let table = build.table(material, Metric::Dtm50)?;
    let mut file = BufWriter::new(File::create(path)?);
    let (mut legal, mut between, mut changes) = (0u64, 0u64, 0u64);
    for (part, game) in table.parts.iter().enumerate() {
        let mut found: Vec<(Place, Position)> = Vec::new();
        for turn in Color::BOTH {
            for (tile, legal) in game.values[turn.index()].legal.iter().enumerate() {
                let places = legal.pairs().map(|(row, column)| Index { tile, row, column });
                let position =
                    |index| Some((Place { part, turn, index }, game.board.decode(index, turn)?));
                found.extend(places.filter_map(position));
            }
        }
        legal += found.len() as u64;
        let Some((_, any)) = found.first() else { continue };
        for winner in Color::BOTH.into_iter().filter(|side| material.side_len(*side) > 1) {
            let key = ClockKey::new(any, winner);
            let all = |runs: &ClockRuns<'_>| {
                (0..=runs.last()).map(|sooner| runs.run(sooner)).collect::<Result<Vec<_>, _>>()
            };
            let runs: Vec<ClockRun> = build.with_clock_runs(&key, all)??;
            let wins = |place: &Place| match table.at(*place) {
                Value::Win(plies) if place.turn == winner => Some(plies),
                Value::Loss(plies) if place.turn != winner => Some(plies),
                _ => None,
            };
            for (place, position) in &found {
                let Some(plies) = wins(place) else { continue };
                let steps = rises(&runs, position, plies);
                between += u64::from(!steps.is_empty());
                changes += steps.len() as u64 / 2;
                if !steps.is_empty() {
                    file.write_all(&steps)?;
                }
            }
        }
    }
    file.flush()?;
    println!("{material}: {legal} positions, {between} with values between, {changes} changes");
    Ok(())
}

/// Rise and length, in turn, of the runs that decide a position at the clocks
/// between: a rise of the deciding run, and at how many clocks it stays.
fn rises(runs: &[ClockRun], position: &Position, plies: u16) -> Vec<u8> {
    let mut found = Vec::new();
    let (mut run, mut stays) = (0u8, 0u8);
    for left in (1..plies.min(100)).rev() {
        let decides = |run: &ClockRun| run.step(position).is_some_and(|step| step <= left);
        let Some(first) = runs.iter().position(decides).map(|first| first as u8) else { break };
        if first != run && stays > 0 {
            found.extend([stays, first - run]);
            stays = 0;
        } else if first != run {
            found.push(first - run);
        }
        (run, stays) = (first, stays + 1);
    }
    if stays > 0 {
        found.push(stays);
    }
    found
}
