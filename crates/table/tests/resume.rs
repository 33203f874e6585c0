//! A solve stopped after any wave resumes from the log.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use molien_board::Material;
use molien_build::{Build, BuildError};
use molien_solve::{Progress, SolveError, WaveReport};
use molien_table::WaveLogs;
use molien_values::{Metric, Table};

/// Stops after so many waves of a material; counts those that were computed.
struct Stopper {
    material: Material,
    left: AtomicUsize,
    computed: AtomicUsize,
}

impl Stopper {
    fn new(material: Material, waves: usize) -> Arc<Stopper> {
        let (left, computed) = (AtomicUsize::new(waves), AtomicUsize::new(0));
        Arc::new(Stopper { material, left, computed })
    }
}

impl Progress for Stopper {
    fn wave(&self, report: &WaveReport) {
        if report.material == self.material {
            let left = self.left.load(Relaxed);
            self.left.store(left.saturating_sub(1), Relaxed);
            self.computed.fetch_add(usize::from(report.tiles > 0), Relaxed);
        }
    }

    fn cancelled(&self) -> bool {
        self.left.load(Relaxed) == 0
    }
}

fn same(a: &Table, b: &Table) {
    assert_eq!(a.stats, b.stats);
    for (a, b) in a.parts.iter().zip(&b.parts) {
        assert!(a.values == b.values);
    }
}

fn stop_and_go(name: &str, metric: Metric, stops: &[usize]) {
    let material: Material = name.parse().unwrap();
    let all = Stopper::new(material, usize::MAX);
    let expected = Build::new().with_progress(all.clone()).table(material, metric).unwrap();
    let whole = all.computed.load(Relaxed);
    for &waves in stops {
        let folder = tempfile::tempdir().unwrap();
        let logs = || Arc::new(WaveLogs::new(folder.path()).with_worth_tiles(1));
        let first = Stopper::new(material, waves);
        let solver = Build::new().with_wave_log(logs()).with_progress(first.clone());
        let stopped = solver.table(material, metric);
        let stopped = stopped.map(drop).expect_err("it has more waves");
        assert!(stopped.is_cancelled(), "{name}: {stopped}");
        let second = Stopper::new(material, usize::MAX);
        let solver = Build::new().with_wave_log(logs()).with_progress(second.clone());
        same(&solver.table(material, metric).unwrap(), &expected);
        let computed = second.computed.load(Relaxed);
        // Wave 0 is computed again; all others that were logged are not.
        assert!(computed + waves <= whole + 4, "{name}: {computed} + {waves} of {whole}");
    }
}

#[test]
fn pieces() {
    stop_and_go("KQKR", Metric::Dtm, &[1, 2, 3, 30, 61, 63, 64, 90]);
    stop_and_go("KRKN", Metric::Dtc, &[5, 20]);
}

#[test]
fn a_log_that_cannot_be_kept_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let material: Material = "KRK".parse().unwrap();
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "a file, not a folder").unwrap();
    let logs = WaveLogs::new(&blocked).with_worth_tiles(1);
    let result = Build::new().with_wave_log(Arc::new(logs)).table(material, Metric::Dtm);
    assert!(matches!(result, Err(BuildError::Solve(SolveError::WaveLog { .. }))));
}
