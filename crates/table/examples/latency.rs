//! Scratch: latency of random probes.
use molien_board::*;
use molien_solve::Metric;
use molien_table::TableFile;
use std::time::Instant;
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let file = TableFile::open_with_cache(&path, 1).unwrap();
    let men: Vec<Man> =
        file.material().men().chain(Color::BOTH.map(|c| Man::new(c, Role::King))).collect();
    let mut seed = 88172645463325252u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut positions = Vec::new();
    while positions.len() < 3000 {
        let turn = Color::BOTH[(next() & 1) as usize];
        let placed: Vec<(Man, Square)> =
            men.iter().map(|&m| (m, Square::new((next() >> 20) as usize))).collect();
        if let Ok(p) = Position::new(placed, turn) {
            positions.push(p);
        }
    }
    for metric in file.metrics() {
        for turn in Color::BOTH {
            let mut times: Vec<f64> = positions
                .iter()
                .filter(|p| p.turn() == turn)
                .map(|p| {
                    file.clear_cache();
                    let t = Instant::now();
                    file.get(p, metric).unwrap();
                    t.elapsed().as_secs_f64() * 1e6
                })
                .collect();
            times.sort_by(f64::total_cmp);
            let n = times.len();
            println!(
                "{metric} {turn} cold mean {:.1} p10 {:.1} median {:.1} p90 {:.1} p99 {:.1} us",
                times.iter().sum::<f64>() / n as f64,
                times[n / 10],
                times[n / 2],
                times[n * 9 / 10],
                times[n * 99 / 100]
            );
        }
    }
    let file = TableFile::open_with_cache(&path, 100000).unwrap();
    let few = &positions[..300];
    for p in few {
        file.get(p, Metric::Dtm).unwrap();
    }
    let t = Instant::now();
    for _ in 0..100 {
        for p in few {
            std::hint::black_box(file.get(p, Metric::Dtm).unwrap());
        }
    }
    println!("warm {:.3} us", t.elapsed().as_secs_f64() * 1e6 / 30000.0);
}
