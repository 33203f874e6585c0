//! How much ranks would send each other while they solve a table: counted, not sent.
//!
//! `cargo run --release -p molien-build --example volumes -- KRBKR dtm 16 64 256`

use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Color, Material};
use molien_build::Build;
use molien_hyper::{KING_PAIRS, Plane};
use molien_solve::{OwnerMap, delta_bytes, dense_bytes};
use molien_values::{LogError, Metric, Run, RunLog, WaveLog};
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
}

impl Volume {
    fn new(ranks: usize, material: Material) -> Volume {
        let map = OwnerMap::new(ranks, material.is_symmetric());
        let readers = Color::BOTH.map(|side| map.readers(side));
        Volume { ranks, map, readers, sent: vec![0; ranks], dense: vec![0; ranks], most: 0 }
    }

    /// Half a wave: the bytes of each class, and of a class as it is.
    fn add(&mut self, side: Color, bytes: &[u64], whole: u64) {
        let mut sent = vec![0; self.ranks];
        for class in (0..KING_PAIRS).filter(|&class| bytes[class] > 0) {
            let readers = self.readers[side.index()][class].len() as u64;
            sent[self.map.owner(class)] += readers * bytes[class];
            self.dense[self.map.owner(class)] += readers * whole;
        }
        self.most = self.most.max(sent.iter().copied().max().unwrap_or(0));
        self.sent.iter_mut().zip(sent).for_each(|(all, now)| *all += now);
    }

    fn print(&self, plane_bytes: u64) {
        let traffic = Color::BOTH.map(|side| self.map.traffic(side));
        let classes = traffic.each_ref().map(|side| side.iter().map(|t| t.0).sum::<usize>());
        let busiest = traffic.iter().flatten().map(|t| t.0.max(t.1)).max().unwrap_or(0);
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        let all: u64 = self.sent.iter().sum();
        let dense: u64 = self.dense.iter().sum();
        let most = self.sent.iter().copied().max().unwrap_or(0);
        println!(
            "| {} | {} / {} | {busiest} | {:.1} | {:.1} | {:.2} | {:.2} | {:.2} |",
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
}

impl WaveLog for Counter {
    fn open(&self, run: &Run) -> Result<Option<Box<dyn RunLog>>, LogError> {
        let (attacker, tiles) = (run.attacker, run.tiles / run.classes);
        Ok(Some(Box::new(Counter { attacker, tiles, ..self.clone() })))
    }
}

impl RunLog for Counter {
    fn next(&mut self, _: &mut Plane, _: &mut Plane) -> bool {
        false
    }

    fn append(&mut self, lost: &Plane, won: &Plane) -> Result<(), LogError> {
        // The attacker moves to where it is lost, the defender to where it is won.
        for (plane, side) in [(lost, self.attacker), (won, !self.attacker)] {
            let bytes = |class: usize| {
                let tiles = class * self.tiles..(class + 1) * self.tiles;
                delta_bytes(&plane.tiles[tiles.clone()], &plane.live[tiles])
            };
            let bytes: Vec<u64> = (0..KING_PAIRS).into_par_iter().map(bytes).collect();
            let mut volumes = self.volumes.lock().unwrap_or_else(PoisonError::into_inner);
            volumes.iter_mut().for_each(|one| one.add(side, &bytes, dense_bytes(self.tiles)));
        }
        Ok(())
    }

    // One process appends whole waves and reads none.
    fn read_only(&mut self, _: &[bool]) {}

    fn code(&mut self, _: &Plane, _: &Plane, _: &[bool]) -> Result<Vec<u64>, LogError> {
        Ok(vec![0; KING_PAIRS])
    }

    fn write(&mut self, _: &[u64]) -> Result<(), LogError> {
        Ok(())
    }

    fn commit(&mut self, _: &[u64], _: bool) -> Result<(), LogError> {
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [material, metric, ranks @ ..] = &args[..] else {
        return Err("which material, which metric, how many ranks?".into());
    };
    let material: Material = material.parse()?;
    let metric = Metric::from_name(metric)?;
    let ranks = ranks.iter().map(|count| count.parse()).collect::<Result<Vec<usize>, _>>()?;
    let volumes = ranks.into_iter().map(|count| Volume::new(count, material)).collect();
    let volumes = Arc::new(Mutex::new(volumes));
    let counter = Counter { volumes: volumes.clone(), attacker: Color::White, tiles: 0 };
    Build::new().solve_logged(material.canonical(), metric, &counter)?;
    println!(
        "| ranks | classes sent when all change | busiest | MiB in all | dense | busiest rank | \
         in one half wave | planes |\n|---|---|---|---|---|---|---|---|"
    );
    let plane = molien_hyper::Hyperboard::pieces(material.canonical()).plane_bytes() as u64;
    volumes.lock().unwrap_or_else(PoisonError::into_inner).iter().for_each(|one| one.print(plane));
    Ok(())
}
