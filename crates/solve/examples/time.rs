//! Solves materials and prints what was found and how long it took.
use molien_solve::{Counting, Metric, Solver};
use std::time::Instant;
fn cpu() -> f64 {
    let s = std::fs::read_to_string("/proc/self/stat").unwrap();
    let f: Vec<&str> = s.rsplit(')').next().unwrap().split_whitespace().collect();
    (f[11].parse::<f64>().unwrap() + f[12].parse::<f64>().unwrap()) / 100.0
}
fn main() {
    let solver = Solver::new();
    for arg in std::env::args().skip(2) {
        let (t, c) = (Instant::now(), cpu());
        let metric: Metric = std::env::args().nth(1).unwrap().parse().unwrap();
        let table = solver.solve(arg.parse().unwrap(), metric).unwrap();
        let s = &table.stats;
        println!(
            "{arg} {metric} {:.2}s cpu {:.2}s {} MiB",
            t.elapsed().as_secs_f64(),
            cpu() - c,
            table.len_bytes() >> 20
        );
        for side in [0, 1] {
            let x = &s.sides[side];
            println!(
                "  {side}: legal {:?} wins {:?} losses {:?} lw {:?} ll {:?}",
                x.legal.unique,
                x.total_wins(),
                x.total_losses(),
                x.longest_win.as_ref().map(|l| (l.plies, l.position.to_string())),
                x.longest_loss.as_ref().map(|l| (l.plies, l.position.to_string()))
            );
        }
        println!(
            "  z {:?} stiller wins {}",
            s.zugzwangs,
            s.wins(molien_board::Color::White, Counting::Stiller)
        );
    }
}
