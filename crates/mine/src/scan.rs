//! Searching a table for the positions that match a query.

use std::ops::ControlFlow;

use molien_board::{Color, Position, Symmetry};
use molien_hyper::{Cell, Index, Tile};
use molien_values::{Metric, Place};
use rayon::prelude::*;

use crate::exact::Subject;
use crate::query::{Expr, Query};
use crate::tiles::TileView;
use crate::{MetricValues, MineError, TableSet};

/// Tiles searched side by side before their hits are handed on.
const BATCH: usize = 64;

/// A position that matches.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The position, in the orientation asked for.
    pub position: Position,
    /// Where the tables hold it.
    pub place: Place,
    /// Its values in the metrics of the tables.
    pub values: MetricValues,
}

/// A query made ready for the tables of a material.
///
/// Tables hold one position of each class under the symmetries of the board.
/// A query about squares is moved by each symmetry instead; the symmetries
/// that leave it unchanged (all of them, if it names no squares) need no
/// second look. So of positions that are mirror images of each other under a
/// symmetry of the query, one is found.
pub struct Search<'a> {
    tables: &'a TableSet,
    /// The distinct images of the query, each with the symmetry that made it.
    variants: Vec<(Symmetry, Expr)>,
    /// The symmetries that leave the query unchanged.
    own: Vec<Symmetry>,
    /// Running totals of tiles.
    ends: Vec<usize>,
}

impl<'a> Search<'a> {
    /// Prepares a query.
    ///
    /// # Errors
    /// If the tables lack a metric or depths that the query needs.
    pub fn new(tables: &'a TableSet, query: &Query) -> Result<Search<'a>, MineError> {
        for metric in query.metrics() {
            tables.with_depths(metric)?;
        }
        if query.needs_moves() && tables.moves.is_none() {
            let metric = Metric::Dtm;
            return Err(MineError::NoMetric { material: tables.material(), metric });
        }
        let expr = if tables.is_swapped() { query.expr.swap_colors() } else { query.expr.clone() };
        let group: &[Symmetry] = match tables.material().has_pawns() {
            true => &[Symmetry::IDENTITY, Symmetry::MIRROR],
            false => &Symmetry::ALL,
        };
        let mut variants: Vec<(Symmetry, Expr)> = Vec::new();
        let mut own = Vec::new();
        for &symmetry in group {
            let image = expr.transform(symmetry);
            if image == expr {
                own.push(symmetry);
            }
            if !variants.iter().any(|(_, known)| *known == image) {
                variants.push((symmetry, image));
            }
        }
        let mut ends: Vec<usize> = Vec::with_capacity(tables.parts().len());
        for part in tables.parts() {
            ends.push(ends.last().copied().unwrap_or(0) + part.board.tiles());
        }
        Ok(Search { tables, variants, own, ends })
    }

    fn tiles(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// The part and tile of a running number.
    fn address(&self, number: usize) -> (usize, usize) {
        let part = self.ends.partition_point(|&end| end <= number);
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        (part, number - start)
    }

    /// Hands every hit to `emit`, in the order of the table, until it breaks.
    /// `progress` is told the tiles searched and their total.
    pub fn each(
        &self,
        mut progress: impl FnMut(u64, u64),
        mut emit: impl FnMut(Hit) -> ControlFlow<()>,
    ) {
        let total = self.tiles();
        for start in (0..total).step_by(BATCH) {
            let end = total.min(start + BATCH);
            let batch: Vec<Vec<Hit>> =
                (start..end).into_par_iter().map(|number| self.hits(number)).collect();
            for hit in batch.into_iter().flatten() {
                if emit(hit).is_break() {
                    return;
                }
            }
            progress(end as u64, total as u64);
        }
    }

    /// Gathers something over all hits, tiles side by side.
    pub(crate) fn fold<T: Default + Send>(
        &self,
        mut progress: impl FnMut(u64, u64),
        add: impl Fn(&mut T, &Hit) + Sync,
        merge: impl Fn(&mut T, T),
    ) -> T {
        let total = self.tiles();
        let mut gathered = T::default();
        for start in (0..total).step_by(BATCH) {
            let end = total.min(start + BATCH);
            let of_tile = |number| {
                let mut gathered = T::default();
                self.hits(number).iter().for_each(|hit| add(&mut gathered, hit));
                gathered
            };
            let batch: Vec<T> = (start..end).into_par_iter().map(of_tile).collect();
            batch.into_iter().for_each(|part| merge(&mut gathered, part));
            progress(end as u64, total as u64);
        }
        gathered
    }

    /// How many positions match.
    pub fn count(&self, mut progress: impl FnMut(u64, u64)) -> u64 {
        let total = self.tiles();
        let mut found = 0;
        for start in (0..total).step_by(16 * BATCH) {
            let end = total.min(start + 16 * BATCH);
            found += (start..end).into_par_iter().map(|n| self.count_tile(n)).sum::<u64>();
            progress(end as u64, total as u64);
        }
        found
    }

    fn count_tile(&self, number: usize) -> u64 {
        let (part, tile) = self.address(number);
        let board = &self.tables.parts()[part].board;
        let Some(cell) = board.cell(tile) else { return 0 };
        // Where positions can be their own mirror images, several images of
        // the query may find the same one.
        if board.maps_to_itself(&cell) && self.variants.len() > 1 {
            return self.hits(number).len() as u64;
        }
        let count = |turn| {
            let masks = self.masks(part, &cell, turn);
            masks.iter().map(Tile::len).sum::<u64>()
        };
        Color::BOTH.into_iter().map(count).sum()
    }

    fn hits(&self, number: usize) -> Vec<Hit> {
        let (part, tile) = self.address(number);
        let board = &self.tables.parts()[part].board;
        let mut found = Vec::new();
        let Some(cell) = board.cell(tile) else { return found };
        let own_images = board.maps_to_itself(&cell);
        for turn in Color::BOTH {
            let masks = self.masks(part, &cell, turn);
            let any = masks.iter().fold(Tile::EMPTY, |any, mask| any.or(mask));
            for (row, column) in any.pairs() {
                let place = Place { part, turn, index: Index { tile, row, column } };
                self.images(place, &masks, own_images, &mut found);
            }
        }
        found
    }

    /// The matching representatives, for each image of the query.
    fn masks(&self, part: usize, cell: &Cell, turn: Color) -> Vec<Tile> {
        let view = TileView { tables: self.tables, part, cell, turn };
        let legal = view.legal();
        if legal.is_empty() {
            return Vec::new();
        }
        let bounds: Vec<_> = self.variants.iter().map(|(_, expr)| view.eval(expr)).collect();
        if bounds.iter().all(|bounds| bounds.maybe.and(&legal).is_empty()) {
            return Vec::new();
        }
        let wanted = legal.and(&self.tables.parts()[part].board.representatives(cell));
        let settle = |(bounds, (_, expr)): (&crate::tiles::Bounds, &(Symmetry, Expr))| {
            let mut yes = bounds.yes.and(&wanted);
            let open = bounds.maybe.minus(&bounds.yes).and(&wanted);
            for (row, column) in open.pairs() {
                let place = Place { part, turn, index: Index { tile: cell.tile, row, column } };
                if self.matches(place, expr) {
                    yes.insert(row, column);
                }
            }
            yes
        };
        bounds.iter().zip(&self.variants).map(settle).collect()
    }

    fn matches(&self, place: Place, expr: &Expr) -> bool {
        let board = &self.tables.parts()[place.part].board;
        let men = board.decode_men(place.index);
        let position = men.and_then(|men| Position::placement(men, place.turn));
        position
            .is_some_and(|position| Subject { tables: self.tables, place, position }.matches(expr))
    }

    /// The positions that one address stands for.
    fn images(&self, place: Place, masks: &[Tile], own_images: bool, found: &mut Vec<Hit>) {
        let Index { row, column, .. } = place.index;
        let Some(stored) = self.stored(place) else { return };
        let values = self.tables.values(place);
        let first = found.len();
        for (mask, (symmetry, _)) in masks.iter().zip(&self.variants) {
            if !mask.contains(row, column) {
                continue;
            }
            let image = stored.transform(symmetry.inverse());
            let is_known = |hit: &Hit| {
                let known = self.stored_orientation(&hit.position);
                self.own.iter().any(|&own| known.transform(own) == image)
            };
            if own_images && found[first..].iter().any(is_known) {
                continue;
            }
            found.push(Hit { position: self.stored_orientation(&image), place, values });
        }
    }

    fn stored(&self, place: Place) -> Option<Position> {
        let men = self.tables.parts()[place.part].board.decode_men(place.index)?;
        Position::placement(men, place.turn)
    }

    /// From the orientation asked for to the tables', or back.
    fn stored_orientation(&self, position: &Position) -> Position {
        if self.tables.is_swapped() { position.swap_colors() } else { *position }
    }
}
