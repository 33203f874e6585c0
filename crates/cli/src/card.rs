//! Large boards without pawns on the card, everything else as before.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use molien_board::{Material, Position};
use molien_cuda::{Attackers, CudaEngine, CudaError, Keep, Request};
use molien_probe::{ProbeError, Source};
use molien_reproduce::LargeBoards;
use molien_values::{Metric, Stats, Value};

/// Smaller boards are solved whole and kept, by whoever.
const LARGE_MEN: usize = 6;
/// Of boards with more men one side's wins fill the card.
pub const BOTH_SIDES_MEN: usize = 6;

/// Answers for six men and more without pawns from the card, unless they are
/// stored, and for the rest from another source.
pub struct CardSource {
    card: Arc<CudaEngine>,
    rest: Arc<dyn Source>,
    /// Values by canonical position and the metric that was solved.
    known: Mutex<HashMap<(Position, Metric), Value>>,
}

fn failed(material: Material, error: CudaError) -> ProbeError {
    ProbeError::Source { material, reason: error.to_string() }
}

/// Whether a board is for the card.
pub fn is_large(material: Material) -> bool {
    material.len() >= LARGE_MEN && !material.has_pawns()
}

/// The position under which values are kept, in canonical orientation.
fn key(position: &Position, metric: Metric) -> (Position, Metric) {
    let position = position.without_en_passant();
    let swap = !position.material().is_canonical();
    (if swap { position.swap_colors() } else { position }, metric.without_pawns())
}

impl CardSource {
    pub fn new(card: Arc<CudaEngine>, rest: Arc<dyn Source>) -> CardSource {
        CardSource { card, rest, known: Mutex::default() }
    }

    /// Whether the card is to answer: the board is large and no file knows.
    fn is_for_card(&self, material: Material, metric: Metric) -> bool {
        is_large(material) && !self.rest.is_stored(material, metric)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Position, Metric), Value>> {
        // Entries are only ever added.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One solve for all positions of a material that are not known yet.
    fn learn(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        let mut wanted: HashMap<Material, Vec<Position>> = HashMap::new();
        for position in positions {
            let key = key(position, metric);
            let material = key.0.material();
            let group = wanted.entry(material).or_default();
            if !self.known().contains_key(&key) && !group.contains(&key.0) {
                group.push(key.0);
            }
        }
        wanted.retain(|_, group| !group.is_empty());
        for (material, group) in wanted {
            let metric = metric.without_pawns();
            let values = self.card.values(material, metric, &group);
            let values = values.map_err(|error| failed(material, error))?;
            self.known().extend(group.into_iter().map(|p| (p, metric)).zip(values));
        }
        Ok(())
    }
}

impl Source for CardSource {
    fn value(&self, position: &Position, metric: Metric) -> Result<Value, ProbeError> {
        let material = position.material();
        if !self.is_for_card(material, metric) {
            return self.rest.value(position, metric);
        }
        self.learn(&[*position], metric)?;
        let found = self.known().get(&key(position, metric)).copied();
        found.ok_or(ProbeError::NoDepth { material, metric })
    }

    fn expect(&self, positions: &[Position], metric: Metric) -> Result<(), ProbeError> {
        let for_card = |position: &Position| self.is_for_card(position.material(), metric);
        let (large, small): (Vec<Position>, Vec<Position>) =
            positions.iter().copied().partition(for_card);
        self.learn(&large, metric)?;
        self.rest.expect(&small, metric)
    }

    fn stats(&self, material: Material, metric: Metric) -> Result<Stats, ProbeError> {
        if !self.is_for_card(material, metric) {
            return self.rest.stats(material, metric);
        }
        if material.len() > BOTH_SIDES_MEN {
            let reason = "the card counts the wins of one side only".to_owned();
            return Err(ProbeError::Source { material, reason });
        }
        let request = Request::new(material.canonical(), metric.without_pawns());
        self.card.statistics(&request).map_err(|error| failed(material, error))
    }

    fn prepare(&self, material: Material, metric: Metric) -> Result<(), ProbeError> {
        if self.is_for_card(material, metric) {
            return Ok(());
        }
        self.rest.prepare(material, metric)
    }
}

/// Counts White's wins on the card.
pub struct CardCounts(pub Arc<CudaEngine>);

impl LargeBoards for CardCounts {
    fn white_wins(&self, material: Material, opposite_bishops: bool) -> Result<Stats, ProbeError> {
        let request = Request {
            material,
            metric: Metric::Dtc,
            keep: Keep::Outcomes,
            attackers: Attackers::White,
            opposite_bishops,
        };
        self.0.statistics(&request).map_err(|error| failed(material, error))
    }
}
