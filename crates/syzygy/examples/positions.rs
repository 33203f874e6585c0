//! Random positions of a material with their values, for other readers to compare:
//! lines "FEN;class;plies" with the class from -2, a loss, to 2, a win, and plies to
//! a zeroing move as Syzygy counts them, 0 for a draw.
//!
//! `positions COUNT SEED MATERIAL...`
use std::io::Write as _;

use molien_build::Build;
use molien_testing::Random;
use molien_values::{Category, Metric};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mut next = || args.next().ok_or("positions COUNT SEED MATERIAL...");
    let (count, seed): (usize, u64) = (next()?.parse()?, next()?.parse()?);
    let build = Build::new();
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for name in std::env::args().skip(3) {
        let material = name.parse()?;
        let table = build.table(material, Metric::Dtz50)?;
        let mut random = Random::new(seed);
        for _ in 0..count {
            let position = random.position(material);
            let Some(value) = table.get(&position) else { continue };
            let class = Category::of(value).wdl().unwrap_or(0);
            let plies = value.plies().map_or(0, |plies| plies.max(1));
            writeln!(out, "{position};{class};{plies}")?;
        }
    }
    Ok(())
}
