//! Positions one by one, by rules somebody else wrote.

use std::sync::Arc;

use molien_board::{Color, Material, Position, Square};
use molien_build::{Build, BuildError};
use molien_hyper::{Hyperboard, Index, Tile};
use molien_probe::chess::to_chess;
use molien_solve::{Node, Progress};
use molien_table::TableFile;
use molien_values::{Metric, Place, Table, Value, better, value_before};
use rayon::prelude::*;
use shakmaty::{Chess, EnPassantMode, Position as _};
use thiserror::Error;

use crate::chess::{class_of, placement, play};
use crate::random::SplitMix;
use crate::report::{Disagreement, RefereeReport};
use crate::stored::{boards, random_position};
use crate::tables::{MAX_METRICS, TableSet, ValueSet};

/// Why the referee cannot judge a position.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RefereeError {
    /// A move leads to a position that no table holds.
    #[error("{position} leads to a position that no table holds")]
    NoTable {
        /// The position before the move.
        position: Position,
    },
    /// The caller asked to stop.
    #[error("checking {material} was interrupted")]
    Interrupted {
        /// Whose positions were looked at.
        material: Material,
    },
    /// Not one table for each metric.
    #[error("{found} tables to judge, but {expected} metrics")]
    Tables {
        /// How many metrics there are.
        expected: usize,
        /// How many tables were given.
        found: usize,
    },
    /// A table of another material.
    #[error("the table of {found} was given to the referee of {expected}")]
    Material {
        /// Whose referee.
        expected: Material,
        /// Whose table.
        found: Material,
    },
}

/// Compares a table with what the legal moves of its positions say.
pub struct Referee {
    material: Material,
    tables: TableSet,
    /// Says when to stop.
    progress: Arc<dyn Progress>,
}

impl Referee {
    /// A referee for the tables of a material, solved if need be.
    ///
    /// # Errors
    /// If a table cannot be solved.
    pub fn new(
        solver: &Build,
        material: Material,
        metrics: &[Metric],
    ) -> Result<Referee, BuildError> {
        let material = material.canonical();
        let tables = TableSet::new(solver, material, metrics)?;
        Ok(Referee { material, tables, progress: solver.progress() })
    }

    /// A referee for a large table, read in its file.
    ///
    /// # Errors
    /// If a table it leads to cannot be solved.
    pub fn reading(
        solver: &Build,
        file: Arc<TableFile>,
        metrics: &[Metric],
    ) -> Result<Referee, BuildError> {
        let material = file.material();
        let tables = TableSet::around(solver, file, metrics)?;
        Ok(Referee { material, tables, progress: solver.progress() })
    }

    /// Judges these tables, one for each metric in the order given to
    /// [`Referee::new`], instead of the solver's: tables from elsewhere.
    ///
    /// # Errors
    /// If there are more or fewer tables than metrics, or one is of another
    /// material.
    pub fn judging(mut self, tables: Vec<Arc<Table>>) -> Result<Referee, RefereeError> {
        let (expected, found) = (self.tables.metrics.len(), tables.len());
        if expected != found {
            return Err(RefereeError::Tables { expected, found });
        }
        if let Some(other) = tables.iter().find(|table| table.material != self.material) {
            let (expected, found) = (self.material, other.material);
            return Err(RefereeError::Material { expected, found });
        }
        self.tables.replace(tables);
        Ok(self)
    }

    /// An error if the referee is to stop.
    fn go_on(&self) -> Result<(), RefereeError> {
        match self.progress.cancelled() {
            true => Err(RefereeError::Interrupted { material: self.material }),
            false => Ok(()),
        }
    }

    fn tables(&self) -> &[Arc<Table>] {
        self.tables.of(self.material)
    }

    /// Looks at every position, once for all its mirror images and exchanges of like men.
    ///
    /// # Errors
    /// If a position leads out of all tables, or it is cancelled.
    pub fn exhaustive(&self) -> Result<RefereeReport, RefereeError> {
        self.all_of(|_| true)
    }

    /// Looks at every position in which a pawn may make a double step that
    /// can be answered en passant, as far as the pawns decide it.
    ///
    /// # Errors
    /// If a position leads out of all tables, or it is cancelled.
    pub fn en_passant(&self) -> Result<RefereeReport, RefereeError> {
        self.all_of(has_en_passant)
    }

    /// Looks at every position of the boards that are wanted.
    fn all_of(&self, wanted: impl Fn(&Hyperboard) -> bool) -> Result<RefereeReport, RefereeError> {
        let Some(table) = self.tables().first() else { return Ok(RefereeReport::default()) };
        let parts = table.parts.iter().enumerate().filter(|(_, game)| wanted(&game.board));
        let tiles = parts.flat_map(|(part, game)| {
            (0..game.board.tiles()).map(move |tile| (part, tile)).collect::<Vec<_>>()
        });
        let tiles: Vec<(usize, usize)> = tiles.collect();
        let judge = |&(part, tile): &(usize, usize)| self.judge_tile(table, part, tile);
        tiles.par_iter().map(judge).try_reduce(RefereeReport::default, RefereeReport::merge)
    }

    fn judge_tile(
        &self,
        table: &Table,
        part: usize,
        tile: usize,
    ) -> Result<RefereeReport, RefereeError> {
        self.go_on()?;
        let board = &table.parts[part].board;
        let mut report = RefereeReport::default();
        let Some(cell) = board.cell(tile) else { return Ok(report) };
        for (row, column) in board.representatives(&cell).pairs() {
            for turn in Color::BOTH {
                let place = Place { part, turn, index: Index { tile, row, column } };
                report = report.merge_with(self.judge(table, place)?);
            }
        }
        Ok(report)
    }

    /// Looks at a random sample of legal positions.
    ///
    /// # Errors
    /// If a position leads out of all tables, or it is cancelled.
    pub fn sample(&self, count: u64, seed: u64) -> Result<RefereeReport, RefereeError> {
        let Some(table) = self.tables().first() else { return Ok(RefereeReport::default()) };
        // Running totals of tiles, to choose a part by its size.
        let mut ends = Vec::with_capacity(table.parts.len());
        for game in &table.parts {
            ends.push(ends.last().copied().unwrap_or(0) + game.board.tiles());
        }
        let judge = |n| {
            self.go_on()?;
            match random_place(table, &ends, &mut SplitMix::new(seed, n)) {
                Some(place) => self.judge(table, place),
                None => Ok(RefereeReport::default()),
            }
        };
        (0..count)
            .into_par_iter()
            .map(judge)
            .try_reduce(RefereeReport::default, RefereeReport::merge)
    }

    /// Looks at a random sample of legal positions, each looked up like any
    /// other.
    ///
    /// # Errors
    /// If a position leads out of all tables, or it is cancelled.
    pub fn sample_positions(&self, count: u64, seed: u64) -> Result<RefereeReport, RefereeError> {
        self.sample_boards(&boards(self.material), count, seed)
    }

    /// The same of positions in which a pawn may make a double step that can be
    /// answered en passant, as far as the pawns decide it; nothing if there are
    /// none.
    ///
    /// # Errors
    /// If a position leads out of all tables, or it is cancelled.
    pub fn sample_en_passant(&self, count: u64, seed: u64) -> Result<RefereeReport, RefereeError> {
        self.sample_boards(&self.en_passant_boards(), count, seed)
    }

    /// Learns the values of positions that the samples lead to and no table holds, once
    /// for both samples.
    ///
    /// # Errors
    /// If it cannot be solved.
    pub fn learn_for_samples(
        &mut self,
        solver: &Build,
        count: u64,
        seed: u64,
        en_passant: bool,
    ) -> Result<(), BuildError> {
        let mut samples = vec![boards(self.material)];
        if en_passant {
            samples.push(self.en_passant_boards());
        }
        let next_to = |boards: &Vec<Node>| {
            let one = |n| random_position(boards, &mut SplitMix::new(seed, n));
            let some = (0..if boards.is_empty() { 0 } else { count }).into_par_iter();
            let next = some.filter_map(one).flat_map_iter(|position| successors(&position));
            next.collect::<Vec<Position>>()
        };
        let next: Vec<Position> = samples.iter().flat_map(next_to).collect();
        self.tables.learn(solver, next)
    }

    fn en_passant_boards(&self) -> Vec<Node> {
        let mut boards = boards(self.material);
        boards.retain(|node| has_en_passant(&node.board()));
        boards
    }

    fn sample_boards(
        &self,
        boards: &[Node],
        count: u64,
        seed: u64,
    ) -> Result<RefereeReport, RefereeError> {
        if boards.is_empty() {
            return Ok(RefereeReport::default());
        }
        let judge = |n| {
            self.go_on()?;
            match random_position(boards, &mut SplitMix::new(seed, n)) {
                Some(position) => self.judge_position(&position),
                None => Ok(RefereeReport::default()),
            }
        };
        (0..count)
            .into_par_iter()
            .map(judge)
            .try_reduce(RefereeReport::default, RefereeReport::merge)
    }

    fn judge_position(&self, position: &Position) -> Result<RefereeReport, RefereeError> {
        let none = || RefereeError::NoTable { position: *position };
        let Some(chess) = to_chess(position) else {
            return Ok(RefereeReport::illegal(Some(*position)));
        };
        let found = self.tables.values(position).ok_or_else(none)?;
        let expected = self.expected(&chess).ok_or_else(none)?;
        let mut report = RefereeReport { checked: 1, ..RefereeReport::default() };
        let values = self.tables.metrics.iter().zip(found).zip(expected);
        for ((&metric, found), expected) in
            values.filter(|((_, found), expected)| found != expected)
        {
            let (position, metric) = (Some(*position), Some(metric));
            let (found, expected) = (Some(found), Some(expected));
            let wrong = Disagreement { position, metric, found, expected };
            report = report.merge_with(RefereeReport::wrong(wrong));
        }
        Ok(report)
    }

    /// Compares the values at one address with those its moves give.
    fn judge(&self, table: &Table, place: Place) -> Result<RefereeReport, RefereeError> {
        let game = &table.parts[place.part];
        let Index { tile, row, column } = place.index;
        let legal = game.values[place.turn.index()].legal[tile].contains(row, column);
        let men = game.board.decode_men(place.index);
        let position = men.and_then(|men| Position::placement(men, place.turn));
        let chess = position.as_ref().and_then(to_chess);
        let (Some(position), Some(chess)) = (position, chess) else {
            return Ok(if legal { RefereeReport::illegal(position) } else { Default::default() });
        };
        if !legal {
            return Ok(RefereeReport::illegal(Some(position)));
        }
        let expected = self.expected(&chess).ok_or(RefereeError::NoTable { position })?;
        Ok(self.compare(&position, place, &expected))
    }

    fn compare(&self, position: &Position, place: Place, expected: &ValueSet) -> RefereeReport {
        let mut report = RefereeReport { checked: 1, ..RefereeReport::default() };
        for ((table, &metric), &expected) in
            self.tables().iter().zip(&self.tables.metrics).zip(expected)
        {
            let found = table.at(place);
            let equal = if table.has_depths() {
                found == expected
            } else {
                found.outcome() == expected.outcome()
            };
            if !equal {
                let position = Some(*position);
                report = report.merge_with(RefereeReport::wrong(Disagreement {
                    position,
                    metric: Some(metric),
                    found: Some(found),
                    expected: Some(expected),
                }));
            }
        }
        report
    }

    /// The values of a position as its legal moves give them.
    fn expected(&self, chess: &Chess) -> Option<ValueSet> {
        let mut best: Option<ValueSet> = None;
        for m in chess.legal_moves() {
            let after = self.value_of(&play(chess, m))?;
            let value = self.before(class_of(&m), &after);
            best = Some(best.map_or(value, |best| self.better(&best, &value)));
        }
        let none = if chess.is_check() { Value::Loss(0) } else { Value::Draw };
        Some(best.unwrap_or([none; MAX_METRICS]))
    }

    /// The values the tables give a position, en passant included.
    fn value_of(&self, chess: &Chess) -> Option<ValueSet> {
        let plain = self.tables.values(&placement(chess)?);
        if chess.ep_square(EnPassantMode::Legal).is_none() {
            return plain;
        }
        let moves = chess.legal_moves();
        let mut best = moves.iter().any(|m| !m.is_en_passant()).then_some(plain?);
        for m in moves.iter().filter(|m| m.is_en_passant()) {
            let after = self.value_of(&play(chess, *m))?;
            let value = self.before(class_of(m), &after);
            best = Some(best.map_or(value, |best| self.better(&best, &value)));
        }
        best
    }

    fn before(&self, class: molien_values::MoveClass, after: &ValueSet) -> ValueSet {
        let mut values = *after;
        for (value, &metric) in values.iter_mut().zip(&self.tables.metrics) {
            *value = value_before(metric, class, *value);
        }
        values
    }

    fn better(&self, a: &ValueSet, b: &ValueSet) -> ValueSet {
        std::array::from_fn(|i| better(a[i], b[i]))
    }
}

/// What the legal moves of a position lead to, en-passant captures after double steps
/// included.
fn successors(position: &Position) -> Vec<Position> {
    let Some(chess) = to_chess(position) else { return Vec::new() };
    let mut found = Vec::new();
    for m in chess.legal_moves() {
        let after = play(&chess, m);
        found.extend(placement(&after));
        let answers = after.legal_moves();
        let answers = answers.iter().filter(|answer| answer.is_en_passant());
        found.extend(answers.filter_map(|answer| placement(&play(&after, *answer))));
    }
    found
}

/// Whether a pawn can pass an enemy pawn by a double step.
fn has_en_passant(board: &Hyperboard) -> bool {
    let pawns = Color::BOTH.map(|color| board.pawns(color));
    let free = |square: &Square| pawns.iter().all(|pawns| !pawns.contains(*square));
    Color::BOTH.into_iter().any(|color| {
        let step = |square: Square| square.offset(0, color.forward()).filter(free);
        let starts = pawns[color.index()].into_iter().filter(|p| p.rank() == color.pawn_rank());
        starts.filter_map(step).filter_map(step).any(|to| {
            let beside = [to.offset(-1, 0), to.offset(1, 0)];
            beside.into_iter().flatten().any(|square| pawns[(!color).index()].contains(square))
        })
    })
}

/// A random legal position of a table; none if it is very hard to find one.
fn random_place(table: &Table, ends: &[usize], random: &mut SplitMix) -> Option<Place> {
    const ATTEMPTS: usize = 100_000;
    let total = *ends.last()?;
    (0..ATTEMPTS).find_map(|_| {
        let number = random.below(total);
        let part = ends.partition_point(|&end| end <= number);
        let tile = number - (ends[part] - table.parts[part].board.tiles());
        let [row, column] = [(); 2].map(|()| Square::new(random.below(64)));
        let turn = Color::BOTH[random.below(2)];
        let legal: &Tile = &table.parts[part].values[turn.index()].legal[tile];
        let index = Index { tile, row, column };
        legal.contains(row, column).then_some(Place { part, turn, index })
    })
}
