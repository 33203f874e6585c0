//! How much ranks would send each other while they solve a table: counted, not sent.
//!
//! `cargo run --release -p molien-build --example volumes -- KRBKR dtm 16 64 256`
//!
//! With `--log FOLDER` the waves are those of a log that is there, nothing being solved;
//! with `--waves` there is a line for each half wave.

use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Color, Material};
use molien_build::Build;
use molien_hyper::{Hyperboard, KING_PAIRS, Plane, Tile};
use molien_solve::{OwnerMap, delta_bytes, dense_bytes};
use molien_table::WaveLogs;
use molien_values::{LogError, Metric, Placement, Run, RunLog, WaveLog};
use rayon::prelude::*;

/// What so many ranks would send.
struct Volume {
    ranks: usize,
    map: OwnerMap,
    readers: [Vec<Vec<usize>>; 2],
    /// By rank, bytes sent in all.
    sent: Vec<u64>,
    /// The same if classes were sent as they are.
    dense: Vec<u64>,
    /// Of the busiest rank in the half wave with most to send.
    most: u64,
    /// Whether each half wave is printed.
    prints: bool,
}

impl Volume {
    fn new(ranks: usize, material: Material, prints: bool) -> Volume {
        let map = OwnerMap::new(ranks, material.is_symmetric());
        let readers = Color::BOTH.map(|side| map.readers(side));
        let (sent, dense) = (vec![0; ranks], vec![0; ranks]);
        Volume { ranks, map, readers, sent, dense, most: 0, prints }
    }

    /// Half a wave: the bytes of each class, and of a class as it is.
    fn add(&mut self, half: &str, side: Color, bytes: &[u64], whole: u64) {
        let (mut sent, mut dense) = (vec![0; self.ranks], vec![0; self.ranks]);
        for class in (0..KING_PAIRS).filter(|&class| bytes[class] > 0) {
            let readers = self.readers[side.index()][class].len() as u64;
            sent[self.map.owner(class)] += readers * bytes[class];
            dense[self.map.owner(class)] += readers * whole;
        }
        let most = sent.iter().copied().max().unwrap_or(0);
        self.most = self.most.max(most);
        if self.prints {
            let (all, as_it_is) = (sent.iter().sum::<u64>(), dense.iter().sum::<u64>());
            println!("{half} {} ranks: {all} bytes, {most} busiest, {as_it_is} dense", self.ranks);
        }
        self.sent.iter_mut().zip(sent).for_each(|(all, now)| *all += now);
        self.dense.iter_mut().zip(dense).for_each(|(all, now)| *all += now);
    }

    fn print(&self, plane_bytes: u64) {
        let traffic = Color::BOTH.map(|side| self.map.traffic(side));
        let classes = traffic.each_ref().map(|side| side.iter().map(|t| t.0).sum::<usize>());
        let busiest = traffic.iter().flatten().map(|t| t.0.max(t.1)).max().unwrap_or(0);
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let all: u64 = self.sent.iter().sum();
        let dense: u64 = self.dense.iter().sum();
        let most = self.sent.iter().copied().max().unwrap_or(0);
        let (owned, ghosts) = self.map.most_held();
        println!(
            "| {} | {owned} | {ghosts} | {} / {} | {busiest} | {:.1} | {:.1} | {:.2} | {:.2} | {:.2} |",
            self.ranks,
            classes[0],
            classes[1],
            mib(all),
            mib(dense),
            mib(most),
            mib(self.most),
            all as f64 / plane_bytes as f64,
        );
    }
}

/// Listens to the waves as a log would.
#[derive(Clone)]
struct Counter {
    volumes: Arc<Mutex<Vec<Volume>>>,
    attacker: Color,
    tiles: usize,
    waves: u64,
}

impl WaveLog for Counter {
    fn open(&self, run: &Run) -> Result<Option<Box<dyn RunLog>>, LogError> {
        let (attacker, tiles) = (run.attacker, run.tiles / run.classes);
        Ok(Some(Box::new(Counter { attacker, tiles, waves: 0, ..self.clone() })))
    }
}

impl RunLog for Counter {
    fn next(&mut self, _: &mut Plane, _: &mut Plane) -> bool {
        false
    }

    fn append(&mut self, lost: &Plane, won: &Plane) -> Result<(), LogError> {
        // The attacker moves to where it is lost, the defender to where it is won.
        for (what, plane, side) in [("lost", lost, self.attacker), ("won", won, !self.attacker)] {
            let bytes = |class: usize| {
                let tiles = class * self.tiles..(class + 1) * self.tiles;
                delta_bytes(&plane.tiles[tiles.clone()], &plane.live[tiles])
            };
            let bytes: Vec<u64> = (0..KING_PAIRS).into_par_iter().map(bytes).collect();
            let half = format!("{} wins, ply {}, {what}:", self.attacker, self.waves);
            let whole = dense_bytes(self.tiles);
            let mut volumes = self.volumes.lock().unwrap_or_else(PoisonError::into_inner);
            volumes.iter_mut().for_each(|one| one.add(&half, side, &bytes, whole));
        }
        self.waves += 1;
        Ok(())
    }

    // One process appends whole waves and reads none.
    fn hold_only(&mut self, _: &[usize]) {}

    fn code(&mut self, _: &Plane, _: &Plane) -> Result<Vec<u64>, LogError> {
        Ok(vec![0; KING_PAIRS])
    }

    fn write(&mut self, _: &[u64]) -> Result<(), LogError> {
        Ok(())
    }

    fn commit(&mut self, _: &[u64], _: bool) -> Result<(), LogError> {
        Ok(())
    }
}

/// Counts the waves of a log in a folder.
fn count_logged(
    folder: &str,
    material: Material,
    metric: Metric,
    counter: &Counter,
) -> Result<(), Box<dyn std::error::Error>> {
    let board = Hyperboard::pieces(material);
    let logs = WaveLogs::new(folder).with_worth_tiles(0);
    let attackers = if material.is_symmetric() { &Color::BOTH[..1] } else { &Color::BOTH[..] };
    for &attacker in attackers {
        let (tiles, classes) = (board.tiles(), KING_PAIRS);
        let pawns = Placement::NONE;
        let run = Run { material, metric, pawns, attacker, tiles, classes };
        let (log, counter) = (logs.open(&run)?, counter.open(&run)?);
        let (mut log, mut counter) = log.zip(counter).ok_or("there is no log")?;
        let empty = || Plane::from_tiles(vec![Tile::EMPTY; tiles]);
        let (mut lost, mut won) = (empty(), empty());
        while log.next(&mut lost, &mut won) {
            counter.append(&lost, &won)?;
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args: Vec<String> = std::env::args().skip(1).collect();
    let prints = args.iter().any(|arg| arg == "--waves");
    args.retain(|arg| arg != "--waves");
    let log = args.iter().position(|arg| arg == "--log");
    let log = log.filter(|at| at + 1 < args.len()).map(|at| args.drain(at..at + 2).next_back());
    let [material, metric, ranks @ ..] = &args[..] else {
        return Err("which material, which metric, how many ranks?".into());
    };
    let material = material.parse::<Material>()?.canonical();
    let metric = Metric::from_name(metric)?;
    let ranks = ranks.iter().map(|count| count.parse()).collect::<Result<Vec<usize>, _>>()?;
    let volumes = ranks.into_iter().map(|count| Volume::new(count, material, prints)).collect();
    let volumes = Arc::new(Mutex::new(volumes));
    let (attacker, tiles, waves) = (Color::White, 0, 0);
    let counter = Counter { volumes: volumes.clone(), attacker, tiles, waves };
    match log.flatten() {
        Some(folder) => count_logged(&folder, material, metric, &counter)?,
        None => drop(Build::new().solve_logged(material, metric, &counter)?),
    }
    println!(
        "| ranks | classes of a rank | it reads | classes sent when all change | busiest | \
         MiB in all | dense | busiest rank | in one half wave | planes |\n\
         |---|---|---|---|---|---|---|---|---|---|"
    );
    let plane = Hyperboard::pieces(material).plane_bytes() as u64;
    volumes.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|one| one.print(plane));
    Ok(())
}
