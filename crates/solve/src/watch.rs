//! Depths of single positions of tables that keep none: the waves are run
//! with an eye on them.

use std::sync::{Mutex, PoisonError};

use molien_board::{Color, Position};
use molien_hyper::{Hyperboard, Index};

use crate::waves::Decided;
use crate::{Metric, SolveError, Solver, Value};

/// Positions of one hyperboard, and what the waves have decided about them.
pub(crate) struct Watch {
    places: Vec<(Color, Option<Index>)>,
    found: Mutex<Vec<Option<Value>>>,
}

impl Watch {
    fn new(board: &Hyperboard, positions: &[Position]) -> Watch {
        let place = |position: &Position| (position.turn(), board.encode(position));
        let places: Vec<_> = positions.iter().map(place).collect();
        let found = Mutex::new(vec![None; places.len()]);
        Watch { places, found }
    }

    /// Takes in what one wave has decided.
    pub fn note(&self, attacker: Color, ply: u16, decided: &Decided<'_>) {
        let (turn, plane, value) = match decided {
            Decided::Won(plane) => (attacker, plane, Value::Win(ply)),
            Decided::Lost(plane) => (!attacker, plane, Value::Loss(ply)),
            Decided::Stalemate(_) => return,
        };
        let mut found = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        for ((side, place), found) in self.places.iter().zip(found.iter_mut()) {
            let Some(Index { tile, row, column }) = *place else { continue };
            if *side == turn && plane.live[tile] && plane.tiles[tile].contains(row, column) {
                *found = Some(value);
            }
        }
    }

    fn into_found(self) -> Vec<Option<Value>> {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Solver {
    /// The values of positions of one material without pawns, also where the
    /// table is too large to keep depths: it is solved once more for them, so
    /// ask for many at a time.
    ///
    /// # Errors
    /// If it needs too much memory, is cancelled, or the positions differ in
    /// material or have pawns.
    pub fn values_of(
        &self,
        positions: &[Position],
        metric: Metric,
    ) -> Result<Vec<Value>, SolveError> {
        let Some(first) = positions.first() else { return Ok(Vec::new()) };
        let material = first.material().canonical();
        let turned = |position: &Position| match position.material() == material {
            true => *position,
            false => position.swap_colors(),
        };
        let turned: Vec<Position> = positions.iter().map(turned).collect();
        if material.has_pawns() || turned.iter().any(|p| p.material() != material) {
            return Err(SolveError::NotCovered { material });
        }
        self.solve_dependencies(material, metric)?;
        // With equal forces only White's wins are computed: Black's are found
        // with colours exchanged.
        let swapped = turned.iter().filter(|_| material.is_symmetric()).map(Position::swap_colors);
        let watched: Vec<Position> = turned.iter().copied().chain(swapped).collect();
        let watch = Watch::new(&Hyperboard::pieces(material), &watched);
        self.solve_watching(material, metric, &watch)?;
        let found = watch.into_found();
        let value = |i: usize| {
            let other = found.get(turned.len() + i).copied().flatten();
            found[i].or(other).unwrap_or(Value::Draw)
        };
        Ok((0..turned.len()).map(value).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn watched_values_are_those_of_the_table() {
        for (material, metric) in [("KQKR", Metric::Dtm), ("KQKQ", Metric::Dtc)] {
            let solver = Solver::new();
            let table = solver.solve(material.parse().unwrap(), metric).unwrap();
            let board = &table.parts[0].board;
            let mut positions = Vec::new();
            for tile in (0..board.tiles()).step_by(7) {
                for turn in Color::BOTH {
                    let pairs = table.parts[0].values[turn.index()].legal[tile].pairs().step_by(97);
                    positions.extend(pairs.filter_map(|(row, column)| {
                        board.decode(Index { tile, row, column }, turn)
                    }));
                }
            }
            let expected: Vec<_> = positions.iter().filter_map(|p| table.get(p)).collect();
            assert_eq!(solver.values_of(&positions, metric).unwrap(), expected);
        }
    }
}
