//! Latency of random probes: cold (no block decoded) and warm, one and two
//! threads.

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion};
use molien_board::{Material, Position};
use molien_build::Build;
use molien_table::{BlockCache, TableFile, WriteOptions, write};
use molien_testing::Random;
use molien_values::{Metric, Table};

/// `BENCH_MATERIAL` names another.
fn material() -> Material {
    let name = std::env::var("BENCH_MATERIAL").unwrap_or_else(|_| "KRBKR".to_owned());
    name.parse().expect("a material")
}

/// Random legal positions of a material, the same every time.
fn positions(material: Material, count: usize) -> Vec<Position> {
    let mut random = Random::new(0x2545_f491_4f6c_dd1d);
    (0..count).map(|_| random.position(material)).collect()
}

/// Probes on several threads; returns the time of one probe, on average.
fn threaded(file: &TableFile, positions: &[Position], threads: usize, rounds: u64) -> Duration {
    let start = Instant::now();
    std::thread::scope(|scope| {
        for thread in 0..threads {
            scope.spawn(move || {
                for i in 0..rounds as usize {
                    let position = &positions[(i * threads + thread) % positions.len()];
                    black_box(file.get(position, Metric::Dtm).expect("a value"));
                }
            });
        }
    });
    start.elapsed()
}

fn probes(criterion: &mut Criterion) {
    let material = material().canonical();
    let solver = Build::new();
    let tables = [Metric::Dtc, Metric::Dtm].map(|m| solver.table(material, m).expect("solved"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("bench.mol");
    let all: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    write(&path, &all, &WriteOptions::default()).expect("written");
    let positions = positions(material, 4096);
    let mut group = criterion.benchmark_group(material.to_string());
    for metric in [Metric::Dtc, Metric::Dtm] {
        let cold = TableFile::open_with_cache(&path, &BlockCache::new(4 << 20)).expect("open");
        let mut next = positions.iter().cycle();
        group.bench_function(format!("cold {metric}"), |bencher| {
            let setup = || {
                cold.clear_cache();
                next.next().expect("a position")
            };
            bencher.iter_batched(setup, |p| cold.get(p, metric), BatchSize::PerIteration);
        });
    }
    let warm = TableFile::open_with_cache(&path, &BlockCache::new(1 << 32)).expect("open");
    let few = &positions[..256];
    for threads in [1, 2] {
        threaded(&warm, few, 1, few.len() as u64);
        group.bench_function(format!("warm dtm, threads: {threads}"), |bencher| {
            bencher.iter_custom(|rounds| threaded(&warm, few, threads, rounds));
        });
    }
    group.finish();
}

fn main() {
    let time = Duration::from_secs(3);
    let criterion = Criterion::default().sample_size(20).measurement_time(time);
    let mut criterion = criterion.configure_from_args();
    probes(&mut criterion);
    criterion.final_summary();
}
