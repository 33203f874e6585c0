//! The kernels against the processor's tables: on a card where there is one,
//! and on the host through the emulator.

use molien_cuda::conformance::{differences, pieces_only};
use molien_cuda::{CudaEngine, CudaError};
use molien_solve::{Metric, Solver};

const METRICS: [Metric; 3] = [Metric::Dtm, Metric::Dtc, Metric::Dtz50];

fn check(engine: &CudaEngine, solver: &Solver, name: &str) {
    let material = name.parse().unwrap();
    for metric in METRICS {
        let ours = engine.solve(material, metric).unwrap();
        let theirs = solver.solve(material, metric).unwrap();
        let found = differences(&theirs, &ours);
        assert!(found.is_empty(), "{name} {metric}: {found:?}");
    }
}

#[test]
fn on_the_card() {
    let engine = match CudaEngine::new() {
        Ok(engine) => engine,
        Err(CudaError::NoDevice(why)) => {
            println!("skipped: no CUDA device ({why})");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let solver = Solver::new();
    for material in (3..=4).flat_map(pieces_only) {
        check(&engine, &solver, &material.to_string());
    }
    for name in ["KQNKR", "KRBKN", "KBBKN", "KNNNK", "KQKRR"] {
        check(&engine, &solver, name);
    }
}

#[cfg(feature = "emulator")]
#[test]
fn in_the_emulator() {
    let engine = match CudaEngine::emulated() {
        Ok(engine) => engine,
        Err(error) => {
            println!("skipped: {error}");
            return;
        }
    };
    let solver = Solver::new();
    let wanted = std::env::var("MOLIEN_EMULATE");
    let names = wanted.as_deref().unwrap_or("KQK KRK KBK KNK KQKR KBNK KRRK KNKN");
    for name in names.split_whitespace() {
        let started = std::time::Instant::now();
        check(&engine, &solver, name);
        println!("{name} {:.1} s", started.elapsed().as_secs_f64());
    }
}
