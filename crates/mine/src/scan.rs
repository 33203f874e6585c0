//! Searching a table for the positions that match a query.

use std::ops::ControlFlow;

use molien_board::{Color, Position, Symmetry};
use molien_hyper::{Cell, Index, Tile};
use molien_values::{Category, Metric, Place, Value};
use rayon::prelude::*;

use crate::exact::Subject;
use crate::part::{Part, PartPlan, Pawns};
use crate::query::{Atom, Expr, Query};
use crate::tiles::{Bounds, TileView};
use crate::{MetricValues, MineError, TableSet};

/// Tiles searched side by side before their hits are handed on.
const BATCH: usize = 256;

/// A position that matches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hit {
    /// The position, in the orientation asked for.
    pub position: Position,
    /// Its class for the side to move, the count of the 50-move rule at zero,
    /// as far as the tables at hand tell.
    pub category: Category,
    /// Its values in the metrics of the tables.
    pub values: MetricValues,
    /// The value in the first metric of the same placement with the other side
    /// to move, where it was looked at.
    pub opposite: Option<Value>,
    /// The same of the position itself.
    pub own: Value,
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
    /// The parts in which something can match.
    plans: Vec<PartPlan>,
}

impl<'a> Search<'a> {
    /// Prepares a query.
    ///
    /// # Errors
    /// If the tables lack a metric or depths that the query needs.
    pub fn new(tables: &'a TableSet, query: &Query) -> Result<Search<'a>, MineError> {
        for metric in query.metrics() {
            tables.check_depths(metric)?;
        }
        let material = tables.material();
        if query.minds_the_rule() && tables.cursed() != Some(false) {
            tables.check_depths(Metric::Dtz50)?;
        }
        if query.needs_moves() && tables.moves.is_none() {
            return Err(MineError::NoMetric { material, metric: Metric::Dtm });
        }
        let expr = if tables.is_swapped() { query.expr.swap_colors() } else { query.expr.clone() };
        let group: &[Symmetry] = match material.has_pawns() {
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
        let both = query.needs_both_sides();
        let plan = |number| plan(&variants, number, &tables.pawns(number), both);
        let plans = (0..tables.parts()).filter_map(plan).collect();
        Ok(Search { tables, variants, own, plans })
    }

    /// Searches the tiles of all parts, several side by side, and hands on what
    /// was made of each in the order of the table, until `take` breaks.
    fn scan<T: Send>(
        &self,
        mut progress: impl FnMut(u64, u64),
        of_tile: impl Fn(&Part, &PartPlan, usize) -> Result<T, MineError> + Sync,
        mut take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), MineError> {
        let per_part = self.tables.tiles_per_part();
        let total = (self.plans.len() * per_part) as u64;
        // Reading a part keeps a few threads busy; more parts than that, unless they
        // are small, take memory and no less time.
        let at_once = rayon::current_num_threads().div_ceil(4).max(BATCH / per_part.max(1));
        let mut done = 0;
        for plans in self.plans.chunks(at_once) {
            let read = plans.par_iter().map(|plan| self.tables.part(plan));
            self.tables.check_wanted()?;
            let parts = read.collect::<Result<Vec<Part>, MineError>>()?;
            let tiles: Vec<(usize, usize)> =
                (0..parts.len()).flat_map(|i| (0..per_part).map(move |tile| (i, tile))).collect();
            for batch in tiles.chunks(BATCH) {
                self.tables.check_wanted()?;
                let made = batch.par_iter().map(|&(i, tile)| of_tile(&parts[i], &plans[i], tile));
                for one in made.collect::<Result<Vec<T>, MineError>>()? {
                    if take(one).is_break() {
                        return Ok(());
                    }
                }
                done += batch.len() as u64;
                progress(done, total);
            }
        }
        Ok(())
    }

    /// Hands every hit to `emit`, in the order of the table, until it breaks.
    /// `progress` is told the tiles searched and their total.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn each(
        &self,
        progress: impl FnMut(u64, u64),
        mut emit: impl FnMut(Hit) -> ControlFlow<()>,
    ) -> Result<(), MineError> {
        let of_tile = |part: &Part, plan: &PartPlan, tile| self.hits(part, plan, tile);
        self.scan(progress, of_tile, |hits| hits.into_iter().try_for_each(&mut emit))
    }

    /// Makes something of the hits of each tile, tiles side by side, and hands it
    /// on in the order of the table until `take` breaks.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn each_tile<T: Send>(
        &self,
        progress: impl FnMut(u64, u64),
        make: impl Fn(&[Hit]) -> T + Sync,
        take: impl FnMut(T) -> ControlFlow<()>,
    ) -> Result<(), MineError> {
        let of_tile = |part: &Part, plan: &PartPlan, tile| Ok(make(&self.hits(part, plan, tile)?));
        self.scan(progress, of_tile, take)
    }

    /// Gathers something over all hits, tiles side by side.
    pub(crate) fn fold<T: Default + Send>(
        &self,
        progress: impl FnMut(u64, u64),
        add: impl Fn(&mut T, &Hit) -> Result<(), MineError> + Sync,
        merge: impl Fn(&mut T, T),
    ) -> Result<T, MineError> {
        let of_tile = |part: &Part, plan: &PartPlan, tile| {
            let mut gathered = T::default();
            self.hits(part, plan, tile)?.iter().try_for_each(|hit| add(&mut gathered, hit))?;
            Ok(gathered)
        };
        let mut gathered = T::default();
        self.scan(progress, of_tile, |of_tile| {
            merge(&mut gathered, of_tile);
            ControlFlow::Continue(())
        })?;
        Ok(gathered)
    }

    /// How many positions match.
    ///
    /// # Errors
    /// If a table cannot be read.
    pub fn count(&self, progress: impl FnMut(u64, u64)) -> Result<u64, MineError> {
        let mut found = 0;
        let of_tile = |part: &Part, plan: &PartPlan, tile| self.count_tile(part, plan, tile);
        self.scan(progress, of_tile, |count| {
            found += count;
            ControlFlow::Continue(())
        })?;
        Ok(found)
    }

    fn count_tile(&self, part: &Part, plan: &PartPlan, tile: usize) -> Result<u64, MineError> {
        let Some(cell) = part.board().cell(tile) else { return Ok(0) };
        // Where positions can be their own mirror images, several images of
        // the query may find the same one.
        if part.board().maps_to_itself(&cell) && self.variants.len() > 1 {
            return Ok(self.hits(part, plan, tile)?.len() as u64);
        }
        let mut count = 0;
        for turn in turns(plan) {
            count += self.masks(part, &cell, turn)?.iter().map(Tile::len).sum::<u64>();
        }
        Ok(count)
    }

    fn hits(&self, part: &Part, plan: &PartPlan, tile: usize) -> Result<Vec<Hit>, MineError> {
        let mut found = Vec::new();
        let Some(cell) = part.board().cell(tile) else { return Ok(found) };
        let own_images = part.board().maps_to_itself(&cell);
        for turn in turns(plan) {
            let masks = self.masks(part, &cell, turn)?;
            let any = masks.iter().fold(Tile::EMPTY, |any, mask| any.or(mask));
            for (row, column) in any.pairs() {
                let index = Index { tile, row, column };
                let place = Place { part: part.number, turn, index };
                let Some(position) = stored(part, &cell, place) else { continue };
                self.images(part, place, &position, &masks, own_images, &mut found)?;
            }
        }
        Ok(found)
    }

    /// The matching representatives, for each image of the query.
    fn masks(&self, part: &Part, cell: &Cell, turn: Color) -> Result<Vec<Tile>, MineError> {
        let view = TileView { part, cell, turn };
        let legal = view.legal();
        if legal.is_empty() {
            return Ok(Vec::new());
        }
        let bounds: Vec<Bounds> = self.variants.iter().map(|(_, expr)| view.eval(expr)).collect();
        if bounds.iter().all(|bounds| bounds.maybe.and(&legal).is_empty()) {
            return Ok(Vec::new());
        }
        let wanted = legal.and(&part.board().representatives(cell));
        let settle = |(bounds, (_, expr)): (&Bounds, &(Symmetry, Expr))| {
            let mut yes = bounds.yes.and(&wanted);
            let open = bounds.maybe.minus(&bounds.yes).and(&wanted);
            for (row, column) in open.pairs() {
                let index = Index { tile: cell.tile, row, column };
                let place = Place { part: part.number, turn, index };
                let Some(position) = stored(part, cell, place) else { continue };
                if (Subject { tables: self.tables, part, place, position }).matches(expr)? {
                    yes.insert(row, column);
                }
            }
            Ok(yes)
        };
        bounds.iter().zip(&self.variants).map(settle).collect()
    }

    /// The positions that one address stands for.
    fn images(
        &self,
        part: &Part,
        place: Place,
        stored: &Position,
        masks: &[Tile],
        own_images: bool,
        found: &mut Vec<Hit>,
    ) -> Result<(), MineError> {
        let Index { row, column, .. } = place.index;
        let (values, category) = self.tables.values(part, place, stored)?;
        let opposite = part.has(!place.turn).then(|| part.first.at(!place.turn, place.index));
        let own = part.first.at(place.turn, place.index);
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
            let position = self.stored_orientation(&image);
            found.push(Hit { position, category, values, opposite, own });
        }
        Ok(())
    }

    /// From the orientation asked for to the tables', or back.
    fn stored_orientation(&self, position: &Position) -> Position {
        if self.tables.is_swapped() { position.swap_colors() } else { *position }
    }
}

/// The sides to move that are looked at.
fn turns(plan: &PartPlan) -> impl Iterator<Item = Color> {
    let turns = plan.turns;
    Color::BOTH.into_iter().filter(move |color| turns[color.index()])
}

/// The position at a place of a tile, in the table's orientation.
fn stored(part: &Part, cell: &Cell, place: Place) -> Option<Position> {
    let Index { row, column, .. } = place.index;
    Position::placement(part.board().men_at(cell, row, column)?, place.turn)
}

/// What is to be read of a part: nothing, if where its pawns stand rules out
/// every match.
fn plan(
    variants: &[(Symmetry, Expr)],
    number: usize,
    pawns: &Pawns,
    both: bool,
) -> Option<PartPlan> {
    let possible = |turn: Color| {
        let known = |atom: &Atom| match *atom {
            Atom::Turn(color) => Some(color == turn),
            Atom::Stands(man, squares) if man.role == molien_board::Role::Pawn => {
                Some(!(pawns[man.color.index()] & squares).is_empty())
            }
            _ => None,
        };
        variants.iter().any(|(_, expr)| expr.settled(&known) != Some(false))
    };
    let turns = Color::BOTH.map(possible);
    let sides = if both { [true; 2] } else { turns };
    turns.contains(&true).then_some(PartPlan { number, turns, sides })
}
