//! The values of single positions of large tables.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use molien_board::{Material, Position};
use molien_solve::Node;
use molien_values::{BoardReceiver, BoardValues, Metric, Placement, Stats, Table, Value};

use crate::{CudaEngine, CudaError};

/// Bytes of boards looked at together.
const BATCH_BYTES: u64 = 1 << 30;

/// Looks positions up on the boards of a table, which are given up then.
struct Lookup {
    material: Material,
    metric: Metric,
    /// By the pawns of their boards: positions, with their numbers.
    asked: HashMap<Placement, Vec<(usize, Position)>>,
    found: Mutex<Vec<Option<Value>>>,
}

impl Lookup {
    fn new(material: Material, metric: Metric, positions: &[Position]) -> Lookup {
        let mut asked: HashMap<Placement, Vec<(usize, Position)>> = HashMap::new();
        for (number, position) in positions.iter().enumerate() {
            asked.entry(Node::of(position).pawns).or_default().push((number, *position));
        }
        Lookup { material, metric, asked, found: Mutex::new(vec![None; positions.len()]) }
    }

    fn look(&self, board: BoardValues) -> Vec<(usize, Option<Value>)> {
        let pawns = pawns(&board);
        let stats = Stats::new(self.material, self.metric);
        let (material, metric, parts) = (self.material, self.metric, vec![board.into()]);
        let table = Table { material, metric, parts, stats };
        let asked = self.asked.get(&pawns).into_iter().flatten();
        asked.map(|(number, position)| (*number, table.get(position))).collect()
    }
}

fn pawns(board: &BoardValues) -> Placement {
    Placement::new(molien_board::Color::BOTH.map(|color| board.board.pawns(color)))
}

impl BoardReceiver for Lookup {
    fn batch_bytes(&self) -> u64 {
        BATCH_BYTES
    }

    fn wants(&self, pawns: Placement) -> bool {
        self.asked.contains_key(&pawns)
    }

    fn take(&self, boards: Vec<BoardValues>) -> bool {
        let values: Vec<_> = boards.into_iter().flat_map(|board| self.look(board)).collect();
        // Entries are only ever replaced whole.
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        values.into_iter().for_each(|(number, value)| found[number] = value);
        true
    }
}

impl CudaEngine {
    /// Whether values of single positions can be had of a large table, with pawns or
    /// without.
    pub(crate) fn tells_values(&self, material: Material, metric: Metric) -> bool {
        let large = material.len() == self.large_men && Metric::ALL.contains(&metric);
        large && (!material.has_pawns() || self.room_for_large(material, metric).is_ok())
    }

    /// The values of legal positions of a large table, all in canonical orientation. With
    /// pawns all that their boards can turn into is solved for them, in parts.
    pub(crate) fn values_of(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<Vec<Value>, CudaError> {
        if !material.has_pawns() {
            let planes = self.survey_request(material, metric).planes;
            return self.values_in(material, metric, positions, planes);
        }
        let lookup = Lookup::new(material, metric, positions);
        let pawns: Vec<Placement> = lookup.asked.keys().copied().collect();
        self.some_boards(material, metric, &pawns, &lookup)?;
        let found = lookup.found.into_inner().unwrap_or_else(PoisonError::into_inner);
        let found: Option<Vec<Value>> = found.into_iter().collect();
        found.ok_or(CudaError::NotOfBoard { material })
    }
}

#[cfg(test)]
mod tests {
    use molien_build::Build;
    use molien_testing::Random;

    use super::*;

    /// Positions of a table that is taken for a large one have its values, on whichever
    /// side of the board their pawns are.
    #[test]
    fn values_of_large_tables() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let engine = engine.with_large_tables(3, 4 * 512);
        let mut random = Random::new(5);
        for name in ["KPK", "KRK"] {
            let material: Material = name.parse().unwrap();
            for metric in [Metric::Dtm, Metric::Dtz50] {
                assert!(engine.tells_values(material, metric));
                let table = Build::new().table(material, metric).unwrap();
                let positions = (0..).map(|_| random.position(material));
                let legal = positions.filter(|position| table.get(position).is_some());
                let asked: Vec<Position> = legal.take(100).collect();
                let found = engine.values_of(material, metric, &asked).unwrap();
                for (position, value) in asked.iter().zip(found) {
                    assert_eq!(Some(value), table.get(position), "{metric} {position}");
                }
            }
        }
    }
}
