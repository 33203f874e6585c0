//! Values of single positions of tables too large to keep their depths.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_hyper::Hyperboard;
use molien_solve::{BishopPair, BoardSolve, Exchange, Exits, Keep, LeanSolve, Watch};
use molien_values::{BoardValues, Metric, Shelf, Stats, Table, Value, WaveLog};

use crate::build::outside_rayon;
use crate::cache::key;
use crate::flight::Claim;
use crate::inputs::Inputs;
use crate::lean::solve_lean;
use crate::limits::{is_small, keep_alone, keep_for_others};
use crate::memory::share_bytes;
use crate::needs::reads;
use crate::{Build, BuildError, lock};

/// A position with pawns that can turn into boards of so many addresses is asked of a shelf
/// that solves whole tables: two cores take minutes for so many.
pub(crate) const FROM_SHELF_ADDRESSES: u64 = 1 << 33;

/// What is different about the solve of a board without pawns.
#[derive(Default)]
pub(crate) struct Extras<'a> {
    pub watch: &'a [Position],
    pub bishops: Option<BishopPair>,
    pub log: Option<&'a dyn WaveLog>,
    /// The ranks that solve it together.
    pub ranks: Option<&'a dyn Exchange>,
}

impl Build {
    pub(crate) fn watched_value(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Value, BuildError> {
        self.watch(&[*position], metric)?;
        self.learnt_value(position, metric)
            .ok_or(BuildError::NotCovered { material: position.material() })
    }

    /// Learns the values of positions that will be asked for. Tables of six
    /// men and more do not keep depths: each call of this solves such a table
    /// once for all its positions not yet known; without it each position
    /// would cost a solve. With pawns a shelf is asked that has them, where what a
    /// position can turn into is much. Other positions are left alone.
    ///
    /// # Errors
    /// If a table needs too much memory or is cancelled.
    pub fn watch(&self, positions: &[Position], metric: Metric) -> Result<(), BuildError> {
        self.watch_those(positions, metric, |position| {
            Ok(self.cost(position, metric)?.positions >= self.from_shelf_addresses)
        })
    }

    /// The same, with pawns whatever a position can turn into: many positions are asked
    /// about.
    ///
    /// # Errors
    /// If a table needs too much memory or is cancelled.
    pub fn watch_many(&self, positions: &[Position], metric: Metric) -> Result<(), BuildError> {
        self.watch_those(positions, metric, |_| Ok(true))
    }

    fn watch_those(
        &self,
        positions: &[Position],
        metric: Metric,
        with_pawns: impl Fn(&Position) -> Result<bool, BuildError>,
    ) -> Result<(), BuildError> {
        let mut wanted: HashMap<Material, Vec<Position>> = HashMap::new();
        for position in self.unknown(positions, metric) {
            wanted.entry(position.material()).or_default().push(position);
        }
        for (material, positions) in wanted {
            // What one can turn into stands for all.
            if material.has_pawns() && !with_pawns(&positions[0])? {
                continue;
            }
            outside_rayon(|| self.learn_once(material, metric_of(material, metric), positions))?;
        }
        Ok(())
    }

    /// The value of a position, if it was learnt.
    pub(crate) fn learnt_value(&self, position: &Position, metric: Metric) -> Option<Value> {
        lock(&self.watched).get(&watch_key(position, metric)).copied()
    }

    /// Whether a shelf tells values of single positions of a large table.
    pub fn is_told(&self, material: Material, metric: Metric) -> bool {
        self.value_shelf(material.canonical(), metric).is_some()
    }

    /// The shelf that tells values of single positions of a large table, if there is one
    /// and the table is not stored.
    fn value_shelf(&self, material: Material, metric: Metric) -> Option<&Arc<dyn Shelf>> {
        let large = self.is_by_part(material) || self.is_logged(material);
        let metric = metric_of(material, metric);
        let known = self.is_known(material, metric, Keep::Depths);
        let apart = large && !known && self.may_solve && self.ranks().is_none();
        let shelf = |shelf: &&Arc<dyn Shelf>| shelf.has_values(material, metric);
        self.shelves.iter().filter(|_| apart).find(shelf)
    }

    /// Those positions, in canonical orientation, that only a solve can tell.
    fn unknown(&self, positions: &[Position], metric: Metric) -> Vec<Position> {
        let keys = positions.iter().map(|position| watch_key(position, metric));
        let keys: Vec<(Position, Metric)> = {
            let watched = lock(&self.watched);
            keys.filter(|key| !watched.contains_key(key)).collect()
        };
        let mut materials = HashMap::new();
        let mut is_learnt = |material: Material| {
            *materials.entry(material).or_insert_with(|| {
                keep_alone(material) == Keep::Outcomes || self.is_told(material, metric)
            })
        };
        let positions = keys.into_iter().map(|(position, _)| position);
        positions.filter(|position| is_learnt(position.material())).collect()
    }

    /// One thread at a time solves a material: others look again what is left.
    fn learn_once(
        &self,
        material: Material,
        metric: Metric,
        mut positions: Vec<Position>,
    ) -> Result<(), BuildError> {
        while !positions.is_empty() {
            match self.learning.claim((material, metric)) {
                Claim::Theirs(flight) => drop(flight.wait()),
                Claim::Mine(ticket) => {
                    positions = self.unknown(&positions, metric);
                    let learnt = match positions.is_empty() {
                        true => Ok(()),
                        false => self.learn(material, metric, &positions),
                    };
                    ticket.land(());
                    learnt?;
                }
            }
            positions = self.unknown(&positions, metric);
        }
        Ok(())
    }

    fn learn(
        &self,
        material: Material,
        metric: Metric,
        positions: &[Position],
    ) -> Result<(), BuildError> {
        if let Some(shelf) = self.value_shelf(material, metric) {
            let values = shelf.values(material, metric, positions)?;
            let found = positions.iter().map(|p| watch_key(p, metric)).zip(values);
            lock(&self.watched).extend(found);
            return Ok(());
        }
        let extras = Extras { watch: positions, ..Extras::default() };
        let (board, stats, values) = self.solve_pieces(material, metric, &extras)?;
        let table = Table { material, metric, parts: vec![Arc::new(board)], stats };
        self.keep(key(material, metric), Arc::new(table));
        let found = positions.iter().map(|p| watch_key(p, metric)).zip(values);
        lock(&self.watched).extend(found);
        Ok(())
    }

    /// Solves a board without pawns for who wins, whether or not its table is
    /// known, and what it reads if need be. Also returns the values of the
    /// watched positions, in their order.
    pub(crate) fn solve_pieces(
        &self,
        material: Material,
        metric: Metric,
        extras: &Extras<'_>,
    ) -> Result<(BoardValues, Stats, Vec<Value>), BuildError> {
        if material.has_pawns() {
            return Err(BuildError::HasPawns { material });
        }
        let inputs = Inputs::new(self.backend, metric, &self.promotions);
        // In this metric each rank solves all of it.
        let ranks = extras.ranks.filter(|_| metric != Metric::Dtm50);
        let mut rooms = Vec::new(); // what tables of which some is read take, and work
        for sub in reads(material) {
            let table = self.request(key(sub, metric), keep_for_others(sub, metric))?;
            let (table, room) = match ranks {
                Some(ranks) if !is_small(sub) => self.cut(ranks, material, table)?,
                _ => (table, None),
            };
            inputs.add_table(table);
            rooms.extend(room);
        }
        let (pieces_bytes, lean) = self.pieces_bytes(material, metric);
        let lean = lean && extras.ranks.is_none() && extras.bishops.is_none();
        let bytes = match ranks {
            Some(ranks) => share_bytes(material, metric, ranks.size()),
            None => pieces_bytes,
        };
        rooms.push(self.reserve((material, metric), bytes)?);
        self.pool().install(|| match lean {
            true => self.run_lean_pieces(material, metric, extras, inputs),
            false => self.run_pieces(material, metric, extras, &inputs),
        })
    }

    fn run_lean_pieces(
        &self,
        material: Material,
        metric: Metric,
        extras: &Extras<'_>,
        inputs: Inputs,
    ) -> Result<(BoardValues, Stats, Vec<Value>), BuildError> {
        let board = Hyperboard::pieces(material);
        let exits = inputs.exits(&board)?;
        drop(inputs);
        let solve = LeanSolve {
            backend: self.backend,
            progress: &*self.progress,
            board: &board,
            metric,
            keep: Keep::Outcomes,
            log: extras.log,
            spill: self.spill(material)?,
        };
        let mut watch = Watch::new(&board, extras.watch);
        let solved =
            self.announced((material, metric), &board, || solve_lean(&solve, exits, &mut watch));
        let (values, stats) = solved?;
        Ok((values, stats, watch.values(&board)))
    }

    fn run_pieces(
        &self,
        material: Material,
        metric: Metric,
        extras: &Extras<'_>,
        inputs: &Inputs,
    ) -> Result<(BoardValues, Stats, Vec<Value>), BuildError> {
        let board = Hyperboard::pieces(material);
        let exits = inputs.exits(&board)?;
        let solve = BoardSolve {
            log: extras.log,
            bishops: extras.bishops,
            ranks: extras.ranks,
            ..self.board_solve(&board, &*exits, metric)
        };
        let mut watch = Watch::new(&board, extras.watch);
        let solved = self.announced((material, metric), &board, || solve.run(&mut watch));
        let (values, stats) = solved?;
        Ok((values, stats, watch.values(&board)))
    }

    /// Solves a board for who wins, alone and without a log.
    pub(crate) fn board_solve<'a>(
        &'a self,
        board: &'a Hyperboard,
        exits: &'a dyn Exits,
        metric: Metric,
    ) -> BoardSolve<'a> {
        BoardSolve {
            backend: self.backend,
            progress: &*self.progress,
            board,
            exits,
            metric,
            rule_plies: self.rule_plies,
            keep: Keep::Outcomes,
            log: None,
            bishops: None,
            ranks: None,
        }
    }

    /// Solves the one board of a material, and says so.
    fn announced<T, E>(
        &self,
        (material, metric): (Material, Metric),
        board: &Hyperboard,
        solve: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let positions = board.tiles() as u64 * 4096;
        self.progress.begin(material, metric, positions);
        let solved = solve();
        if solved.is_ok() {
            self.progress.solved(material, metric, positions);
        }
        self.progress.end(material, metric);
        solved
    }
}

/// Positions that differ only by colours have one entry.
fn watch_key(position: &Position, metric: Metric) -> (Position, Metric) {
    let position = position.without_en_passant();
    let swap = !position.material().is_canonical();
    let metric = metric_of(position.material(), metric);
    (if swap { position.swap_colors() } else { position }, metric)
}

/// The metric in which a material is solved.
fn metric_of(material: Material, metric: Metric) -> Metric {
    if material.has_pawns() { metric } else { metric.without_pawns() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Square};
    use molien_hyper::Index;

    /// Watched positions get the depths that the table keeps.
    #[test]
    fn watching_equals_keeping() {
        for name in ["KQKR", "KQKQ"] {
            let build = Build::new();
            let material: Material = name.parse().unwrap();
            let table = build.table(material, Metric::Dtm).unwrap();
            let board = &table.parts[0].board;
            let index = |n: usize| Index {
                tile: n % board.tiles(),
                row: Square::new(n / 7),
                column: Square::new(n / 3),
            };
            let decode = |n: usize| board.decode(index(n * 977), Color::BOTH[n % 2]);
            let positions: Vec<Position> = (0..20_000).filter_map(decode).collect();
            assert!(positions.len() > 1000);
            let extras = Extras { watch: &positions, ..Extras::default() };
            let (_, _, values) = build.solve_pieces(material, Metric::Dtm, &extras).unwrap();
            for (position, value) in positions.iter().zip(values) {
                assert_eq!(table.get(position), Some(value), "{position}");
            }
        }
    }
}
