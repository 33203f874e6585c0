//! The thirty studies with all functions, with `one_pawn` only and with none:
//! how many are solved, in how many nodes and how much processor time.
//!
//! ```sh
//! cargo run --release -p molien-pawns --example studies
//! ```

use std::time::{Duration, Instant};

use molien_pawns::Options;
use molien_pawns::studies::{Configuration, PIASETSKI, parse, reproduce};

/// Far more than any study needs, so that none is cut off on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// Processor time of this thread where the system tells it, else elapsed time.
fn clock(start: Instant) -> f64 {
    let on_processor = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = on_processor.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    nanoseconds.map_or(start.elapsed().as_secs_f64(), |ns| ns / 1e9)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let studies = parse(PIASETSKI)?;
    let start = Instant::now();
    for configuration in Configuration::without_tables() {
        let name = configuration.name;
        let (mut nodes, mut solved, mut slowest) = (0, 0, 0f64);
        let before = clock(start);
        let mut last = before;
        reproduce(&studies, &[configuration], LIMIT, &Options::default(), |_, row| {
            nodes += row.result.nodes;
            solved += usize::from(row.solved);
            let now = clock(start);
            slowest = slowest.max(now - last);
            last = now;
        });
        let seconds = last - before;
        println!("{name}: {solved} solved, {nodes} nodes, {seconds:.2} s, slowest {slowest:.2} s");
    }
    Ok(())
}
