//! Tables that another process is making.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use molien_board::Material;
use molien_build::{Build, BuildError, Making};
use molien_solve::{Progress, SolveError};
use molien_table::Directory;
use molien_values::Metric;

/// Counts how often it is told to wait; has enough of it then.
#[derive(Default)]
struct Impatient(AtomicUsize);

impl Progress for Impatient {
    fn waiting(&self, _: Material) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }
}

#[test]
fn who_waits_for_a_lock_is_told_once_and_can_stop() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material: Material = "KQK".parse().unwrap();
    let lock = directory.lock(material).unwrap();
    let impatient = Arc::new(Impatient::default());
    let build = Build::new().with_folder(directory.clone()).with_progress(impatient.clone());
    let stopped = build.store(&[material], &[Metric::Dtm], &Making::default());
    let is_stop = |e: &BuildError| matches!(e, BuildError::Solve(SolveError::Cancelled { .. }));
    assert!(stopped.as_ref().is_err_and(is_stop), "{stopped:?}");
    assert_eq!(impatient.0.load(Ordering::Relaxed), 1);
    drop(lock);
    let patient = Build::new().with_folder(directory);
    patient.store(&[material], &[Metric::Dtm], &Making::default()).unwrap();
}
