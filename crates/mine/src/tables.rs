//! The tables of one material, in the orientation asked for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_table::{Reading, TableError, TableFile};
use molien_values::{
    BoardValues, Category, Metric, Outcome, Place, Stats, Table, Value, category_in,
};

use crate::moves::MoveTables;
use crate::part::{Part, PartPlan, Pawns};
use crate::{MineError, Query};

/// Values by metric; none where the metric was not asked for.
pub type MetricValues = [Option<Value>; Metric::EVERY.len()];

/// Where the values are.
#[derive(Clone)]
enum Shelf {
    /// In memory, all of them. The first answers who wins.
    Whole { first: Arc<Table>, tables: [Option<Arc<Table>>; Metric::EVERY.len()] },
    /// In a file, from which parts are read when they are looked at.
    Stored(Arc<TableFile>),
}

/// The tables of a material in some metrics. Those of one material have the
/// same places, so that one address reads them all.
#[derive(Clone)]
pub struct TableSet {
    material: Material,
    swapped: bool,
    shelf: Shelf,
    /// Metrics whose depths are searched.
    searched: Vec<Metric>,
    /// Metrics whose depths are told of what is found.
    told: Vec<Metric>,
    /// Whether the 50-move rule spoils anything; none if that is not known.
    cursed: Option<bool>,
    /// Where moves lead, if they are looked at.
    pub(crate) moves: Option<Arc<MoveTables>>,
    /// Set by others when nobody wants an answer any more.
    given_up: Option<Arc<AtomicBool>>,
}

impl TableSet {
    /// The tables of a material in these metrics (DTM if none is named), in
    /// memory, solved if need be.
    ///
    /// # Errors
    /// If a table cannot be had.
    pub fn solve(
        build: &Build,
        material: Material,
        metrics: &[Metric],
    ) -> Result<TableSet, MineError> {
        let metrics = if metrics.is_empty() { &[Metric::Dtm] } else { metrics };
        let mut tables: [Option<Arc<Table>>; Metric::EVERY.len()] = Default::default();
        let mut first = None;
        for &metric in metrics {
            let table = build.table(material, metric)?;
            first.get_or_insert_with(|| table.clone());
            tables[metric as usize] = Some(table);
        }
        let Some(first) = first else {
            return Err(MineError::NoMetric { material, metric: Metric::Dtm });
        };
        let swapped = first.material != material;
        let cursed = tables[Metric::Dtz50 as usize].as_ref().map(|table| table.stats.is_cursed());
        let (searched, told) = (metrics.to_vec(), metrics.to_vec());
        let shelf = Shelf::Whole { first, tables };
        Ok(TableSet {
            material,
            swapped,
            shelf,
            searched,
            told,
            cursed,
            moves: None,
            given_up: None,
        })
    }

    /// What a search needs: the depths in the metrics that are searched, and
    /// those told of what is found. Classes under the 50-move rule are known,
    /// too, unless nothing may be solved and the file lacks them. A stored table
    /// is read part by part while it is searched; another, or one stored for one
    /// side to move, is made and kept in memory.
    ///
    /// # Errors
    /// If a table cannot be had.
    pub fn open(
        build: &Build,
        material: Material,
        searched: &[Metric],
        told: &[Metric],
    ) -> Result<TableSet, MineError> {
        let rule = Metric::Dtz50;
        let canonical = material.canonical();
        let file = build.open_file(canonical).ok().flatten();
        let wanted = [searched, told].concat();
        let has_wanted = |file: &TableFile| match wanted.is_empty() {
            true => file.metrics().iter().any(|&metric| is_whole(file, metric)),
            false => wanted.iter().all(|&metric| is_whole(file, metric)),
        };
        let suffices =
            |file: &TableFile| has_wanted(file) && (is_whole(file, rule) || !build.may_solve());
        let Some(file) = file.filter(suffices) else {
            let made = TableSet::solve(build, material, &[&wanted[..], &[rule]].concat())?;
            return Ok(TableSet { searched: searched.to_vec(), told: told.to_vec(), ..made });
        };
        let cursed = match is_whole(&file, rule) {
            true => Some(file.stats(rule)?.is_cursed()),
            false => None,
        };
        Ok(TableSet {
            material,
            swapped: canonical != material,
            shelf: Shelf::Stored(Arc::new(file)),
            searched: searched.to_vec(),
            told: told.to_vec(),
            cursed,
            moves: None,
            given_up: None,
        })
    }

    /// Searches end with [`MineError::GivenUp`] soon after the flag is set: as
    /// soon as the part that is being read has been.
    #[must_use]
    pub fn unless(mut self, given_up: Arc<AtomicBool>) -> TableSet {
        self.given_up = Some(given_up);
        self
    }

    pub(crate) fn check_wanted(&self) -> Result<(), MineError> {
        match self.given_up.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            true => Err(MineError::GivenUp),
            false => Ok(()),
        }
    }

    /// What a query needs, with the depths that are told of what it finds.
    ///
    /// # Errors
    /// If a table cannot be had.
    pub fn for_query(
        build: &Build,
        material: Material,
        query: &Query,
        told: &[Metric],
    ) -> Result<TableSet, MineError> {
        let mut tables = TableSet::open(build, material, &query.metrics(), told)?;
        if query.minds_the_rule() {
            tables = tables.minding_the_rule();
        }
        if query.needs_moves() { tables.with_moves(build) } else { Ok(tables) }
    }

    /// The same, with the tables that moves lead to: for questions about
    /// moves.
    ///
    /// # Errors
    /// If a table cannot be had.
    pub fn with_moves(mut self, build: &Build) -> Result<TableSet, MineError> {
        let moves = match &self.shelf {
            Shelf::Whole { first, .. } => MoveTables::solve(build, self.material, first.metric)?,
            Shelf::Stored(_) => MoveTables::open(build, self.material)?,
        };
        self.moves = Some(Arc::new(moves));
        Ok(self)
    }

    /// The same, searched for a class under the 50-move rule as well: where the
    /// rule spoils something, that is a question of depths.
    #[must_use]
    pub fn minding_the_rule(mut self) -> TableSet {
        if self.cursed == Some(true) && !self.searched.contains(&Metric::Dtz50) {
            self.searched.push(Metric::Dtz50);
        }
        self
    }

    /// The material, in the orientation asked for.
    pub fn material(&self) -> Material {
        self.material
    }

    /// Whether the tables hold the material with colours exchanged.
    pub fn is_swapped(&self) -> bool {
        self.swapped
    }

    /// The metrics whose depths are told of what is found.
    pub fn metrics(&self) -> &[Metric] {
        &self.told
    }

    /// Whether the 50-move rule spoils anything; none if that is not known.
    pub(crate) fn cursed(&self) -> Option<bool> {
        self.cursed
    }

    /// Statistics in the first metric, or in the one named, in the tables'
    /// orientation.
    ///
    /// # Errors
    /// If the metric is not at hand.
    pub fn stats(&self, metric: Metric) -> Result<Stats, MineError> {
        let material = self.material;
        match &self.shelf {
            Shelf::Stored(file) => Ok(file.stats(metric)?),
            Shelf::Whole { tables, .. } => {
                let table = tables[metric as usize].as_ref();
                Ok(table.ok_or(MineError::NoMetric { material, metric })?.stats.clone())
            }
        }
    }

    /// The metric of the first table.
    pub fn first_metric(&self) -> Option<Metric> {
        self.searched.first().or(self.told.first()).copied()
    }

    /// Checks that depths in a metric are at hand.
    ///
    /// # Errors
    /// If the metric is not, or its table holds no depths.
    pub fn check_depths(&self, metric: Metric) -> Result<(), MineError> {
        let material = self.material;
        match &self.shelf {
            Shelf::Stored(_) if self.searched.contains(&metric) => Ok(()),
            Shelf::Stored(_) => Err(MineError::NoMetric { material, metric }),
            Shelf::Whole { tables, .. } => match &tables[metric as usize] {
                None => Err(MineError::NoMetric { material, metric }),
                Some(table) if !table.has_depths() => Err(MineError::NoDepths { material, metric }),
                Some(_) => Ok(()),
            },
        }
    }

    /// How many parts there are.
    pub(crate) fn parts(&self) -> usize {
        match &self.shelf {
            Shelf::Whole { first, .. } => first.parts.len(),
            Shelf::Stored(file) => file.placements().len(),
        }
    }

    /// Where the pawns of a part stand.
    pub(crate) fn pawns(&self, part: usize) -> Pawns {
        match &self.shelf {
            Shelf::Whole { first, .. } => Color::BOTH.map(|c| first.parts[part].board.pawns(c)),
            Shelf::Stored(file) => file.placements()[part].bitboards(),
        }
    }

    /// Tiles of every part: all have the same men.
    pub(crate) fn tiles_per_part(&self) -> usize {
        match &self.shelf {
            Shelf::Whole { first, .. } => first.parts.first().map_or(0, |part| part.board.tiles()),
            Shelf::Stored(file) if file.placements().is_empty() => 0,
            Shelf::Stored(file) => file.board(0).tiles(),
        }
    }

    /// A part with the sides to move that are needed.
    pub(crate) fn part(&self, plan: &PartPlan) -> Result<Part, MineError> {
        let number = plan.number;
        match &self.shelf {
            Shelf::Whole { first, tables } => {
                let part = |table: &Option<Arc<Table>>| Some(table.as_ref()?.parts[number].clone());
                Ok(Part::new(number, first.parts[number].clone(), tables.each_ref().map(part)))
            }
            Shelf::Stored(file) => {
                let read = |metric| {
                    let reading = Reading { metric, sides: plan.sides, cut: None };
                    Ok::<_, TableError>(Arc::new(file.read_part(number, reading)?))
                };
                let mut by_metric: [Option<Arc<BoardValues>>; Metric::EVERY.len()] =
                    Default::default();
                for &metric in &self.searched {
                    by_metric[metric as usize] = Some(read(Some(metric))?);
                }
                let first = match by_metric.iter().flatten().next() {
                    Some(known) => known.clone(),
                    None => read(None)?,
                };
                Ok(Part::new(number, first, by_metric))
            }
        }
    }

    /// The values at a place, whose position in the tables' orientation is
    /// given, in the metrics that are told or searched, and its class under the
    /// 50-move rule as far as they tell.
    pub(crate) fn values(
        &self,
        part: &Part,
        place: Place,
        stored: &Position,
    ) -> Result<(MetricValues, Category), MineError> {
        let mut values = MetricValues::default();
        for &metric in self.searched.iter().chain(&self.told) {
            values[metric as usize] = self.value(part, metric, place, stored)?;
        }
        let rule = Metric::Dtz50;
        let category = match (values[rule as usize], self.cursed) {
            (Some(dtz50), _) => Some(Category::of(dtz50)),
            (None, Some(false)) => Some(part.outcome(place).into()),
            (None, Some(true)) => self.value(part, rule, place, stored)?.map(Category::of),
            (None, None) => None,
        };
        Ok((values, category.unwrap_or_else(|| told(&values, part.outcome(place)))))
    }

    fn value(
        &self,
        part: &Part,
        metric: Metric,
        place: Place,
        stored: &Position,
    ) -> Result<Option<Value>, MineError> {
        match (part.value(metric, place.turn, place.index), &self.shelf) {
            (Some(value), _) => Ok(Some(value)),
            (None, Shelf::Stored(file)) => Ok(Some(file.get(stored, metric)?)),
            (None, Shelf::Whole { .. }) => Ok(None),
        }
    }

    /// The side to move in the table for a side to move as asked.
    pub(crate) fn table_color(&self, color: Color) -> Color {
        if self.swapped { !color } else { color }
    }
}

/// Whether a file holds both sides to move in a metric.
fn is_whole(file: &TableFile, metric: Metric) -> bool {
    file.metrics().contains(&metric) && file.derived_side(metric).is_none()
}

/// The class that metrics other than DTZ50 tell: the first certain one.
fn told(values: &MetricValues, outcome: Outcome) -> Category {
    let known = Metric::ALL.into_iter().zip(values);
    let told = known.filter_map(|(metric, value)| Some(category_in(metric, (*value)?, 0)));
    told.into_iter().find(|category| category.result().is_some()).unwrap_or(match outcome {
        Outcome::Win => Category::MaybeWin,
        Outcome::Draw => Category::Draw,
        Outcome::Loss => Category::MaybeLoss,
    })
}
