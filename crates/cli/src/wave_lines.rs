//! A line for every wave.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use molien_board::Material;
use molien_solve::{Cost, Progress, WaveReport};
use molien_values::Metric;

/// Writes them to a file.
pub struct WaveLines(File);

impl WaveLines {
    pub fn create(path: &Path) -> std::io::Result<WaveLines> {
        File::create(path).map(WaveLines)
    }

    fn write(&self, report: &WaveReport) {
        let WaveReport { material, metric, attacker, ply, decided, signature, .. } = report;
        let signature = signature.unwrap_or(0);
        let line = format!("{material} {metric} {attacker} {ply} {decided} {signature:016x}\n");
        // One call, so that lines of several threads do not mix; a full disk is no reason
        // not to solve.
        let _ = (&self.0).write_all(line.as_bytes());
    }
}

/// Lines, and what else is to be told.
pub struct Both(pub Arc<WaveLines>, pub Arc<dyn Progress>);

impl Progress for Both {
    fn plan(&self, material: Material, metric: Metric, cost: &Cost) {
        self.1.plan(material, metric, cost);
    }

    fn begin(&self, material: Material, metric: Metric, positions: u64) {
        self.1.begin(material, metric, positions);
    }

    fn wave(&self, report: &WaveReport) {
        self.0.write(report);
        self.1.wave(report);
    }

    fn wants_signatures(&self) -> bool {
        true
    }

    fn solved(&self, material: Material, metric: Metric, positions: u64) {
        self.1.solved(material, metric, positions);
    }

    fn end(&self, material: Material, metric: Metric) {
        self.1.end(material, metric);
    }

    fn made_room(&self) {
        self.1.made_room();
    }

    fn waiting(&self, material: Material) {
        self.1.waiting(material);
    }

    fn cancelled(&self) -> bool {
        self.1.cancelled()
    }
}
