//! From a file back to a table in memory.

use std::sync::Arc;

use molien_board::Color;
use molien_hyper::{Hyperboard, Index, KingAxis, Plane, Tile};
use molien_operators::{Backend, fastest};
use molien_values::{BoardValues, Graded, Metric, Placement, Table};
use rayon::prelude::*;

use crate::keys::board_map::{BoardMap, ValuePlanes};
use crate::keys::gather::Seen;
use crate::keys::key::ValueKey;
use crate::read::cut::{Cut, CutCells};
use crate::read::decode::PartDecoder;
use crate::read::packed_load::Told;
use crate::{TableError, TableFile};

/// What is read of a part of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reading {
    /// Depths in this metric; without one, who wins only.
    pub metric: Option<Metric>,
    /// The sides to move that are wanted, White and Black. What is not wanted is
    /// left empty.
    pub sides: [bool; 2],
    /// Positions that are wanted, if not all are; what others are worth is not said.
    pub cut: Option<Cut>,
}

impl TableFile {
    /// Reads all values in one metric into memory, as the solver holds them.
    ///
    /// # Errors
    /// If the metric is not stored for both sides to move or a block is damaged.
    pub fn load(&self, metric: Metric) -> Result<Table, TableError> {
        self.check_sides(metric, [true; 2])?;
        self.load_stored(metric)
    }

    /// As [`TableFile::load`], of one that is stored for one side to move: the
    /// depths of [`TableFile::derived_side`] are 0.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    pub fn load_stored(&self, metric: Metric) -> Result<Table, TableError> {
        self.load_told(metric, self.told(metric)?)
    }

    /// Reads who wins in one metric into memory, without depths.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    pub fn load_winners(&self, metric: Metric) -> Result<Table, TableError> {
        self.find(metric)?;
        // Which wins the rule spoils, only depths tell.
        let told = if metric == Metric::Dtm50 { self.told(metric)? } else { Told::Outcomes };
        let mut table = self.load_told(metric, told)?;
        let parts = table.parts.iter_mut().filter_map(Arc::get_mut);
        parts.flat_map(|part| &mut part.values).for_each(|side| side.depth = Vec::new());
        Ok(table)
    }

    fn load_told(&self, metric: Metric, told: Told) -> Result<Table, TableError> {
        let material = self.material();
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        let parts = self.load_parts(metric, told)?;
        Ok(Table { material, metric, parts, stats: self.stats(metric)? })
    }

    fn load_parts(&self, metric: Metric, told: Told) -> Result<Vec<Arc<BoardValues>>, TableError> {
        let numbers = (0..self.placements().len()).into_par_iter();
        if self.packed.is_none() {
            let parts = numbers.map(|number| self.load_part(metric, told, number).map(Arc::new));
            return parts.collect();
        }
        let decoder = PartDecoder { file: self, told, cells: CutCells::ALL };
        // A part and its twin are decoded at the same time, by the one that comes first.
        let twin = |number: usize| {
            let twin = decoder.twin(number).filter(|&twin| decoder.twin(twin) == Some(number));
            twin.unwrap_or(number)
        };
        let pairs = numbers.map(|number| [number, twin(number)]).filter(|[a, b]| a <= b);
        let pairs = pairs.map(|[a, b]| match a == b {
            true => Ok(vec![(a, self.load_part(metric, told, a)?)]),
            false => {
                let keys = decoder.decode_twins([a, b])?.into_iter().zip([a, b]);
                let parts = keys.map(|(keys, part)| {
                    let mut values = self.board_values(&decoder, part, [true; 2], keys);
                    keep_stalemates(&mut values);
                    (part, values)
                });
                Ok(parts.collect())
            }
        });
        let pairs = pairs.collect::<Result<Vec<_>, TableError>>()?;
        let mut parts: Vec<(usize, BoardValues)> = pairs.into_iter().flatten().collect();
        parts.sort_by_key(|(number, _)| *number);
        Ok(parts.into_iter().map(|(_, values)| Arc::new(values)).collect())
    }

    /// What is told of the values of a metric.
    fn told(&self, metric: Metric) -> Result<Told, TableError> {
        let place = self.find(metric)?;
        Ok(match metric == Metric::Wdl && self.packed.is_some() {
            true => Told::Classes,
            false if self.shared.meta.metrics[place].coding.stored => Told::Depths(place),
            false => Told::Outcomes,
        })
    }

    /// The side to move whose depths in a metric are not stored: they follow from
    /// the other's, and from those of the tables that captures and promotions lead
    /// to.
    pub fn derived_side(&self, metric: Metric) -> Option<Color> {
        self.shared.meta.derived(self.find(metric).ok()?).filter(|_| metric != Metric::Wdl)
    }

    /// Checks that the depths of these sides to move are stored.
    fn check_sides(&self, metric: Metric, sides: [bool; 2]) -> Result<(), TableError> {
        match self.derived_side(metric).filter(|side| sides[side.index()]) {
            Some(_) => Err(self.other_side(self.find(metric)?)),
            None => Ok(()),
        }
    }

    /// Reads the board around a canonical placement of the pawns, which is that
    /// of no pawns where there are none, in one metric; nothing if there is no
    /// such board.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    pub fn load_board(
        &self,
        metric: Metric,
        pawns: Placement,
    ) -> Result<Option<BoardValues>, TableError> {
        let mut placements = self.placements().iter();
        let number = placements.position(|placement| *placement == pawns);
        number.map(|number| self.load_number(metric, number)).transpose()
    }

    /// Reads the part of this number.
    pub(crate) fn load_number(
        &self,
        metric: Metric,
        number: usize,
    ) -> Result<BoardValues, TableError> {
        self.check_sides(metric, [true; 2])?;
        self.load_part(metric, self.told(metric)?, number)
    }

    fn load_part(
        &self,
        metric: Metric,
        told: Told,
        number: usize,
    ) -> Result<BoardValues, TableError> {
        let stored = &self.shared.meta.metrics[self.find(metric)?];
        if metric == Metric::Wdl && stored.metric != metric && matches!(told, Told::Depths(_)) {
            let BoardValues { board, values } = self.load_part(stored.metric, told, number)?;
            return Ok(BoardValues { board, values: values.each_ref().map(Graded::as_classes) });
        }
        let decoder = PartDecoder { file: self, told, cells: CutCells::ALL };
        let mut part = self.read_with(&decoder, number, [true; 2])?;
        keep_stalemates(&mut part);
        Ok(part)
    }

    /// The placements of the pawns, each a part of its own; a table without
    /// pawns has one part.
    pub fn placements(&self) -> &[Placement] {
        &self.shared.meta.layout.placements
    }

    /// The hyperboard of a part.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn board(&self, part: usize) -> Hyperboard {
        let material = self.material();
        match material.has_pawns() {
            true => Hyperboard::around_pawns(material, self.placements()[part].bitboards()),
            false => Hyperboard::pieces(material),
        }
    }

    /// Reads one part into memory, or some of it. Stalemates are not among it.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    ///
    /// # Panics
    /// If there is no such part.
    pub fn read_part(&self, part: usize, reading: Reading) -> Result<BoardValues, TableError> {
        let told = match reading.metric {
            None => Told::Outcomes,
            Some(Metric::Wdl) if self.packed.is_some() => Told::Classes,
            Some(metric) => {
                self.check_sides(metric, reading.sides)?;
                Told::Depths(self.find_depths(metric)?)
            }
        };
        let cells = self.cut_cells(&reading);
        self.read_with(&PartDecoder { file: self, told, cells }, part, reading.sides)
    }

    /// The cells that reading takes. A man who is to move himself leaves them: what he is
    /// promised lies in others.
    fn cut_cells(&self, reading: &Reading) -> CutCells {
        let layout = &self.shared.meta.layout;
        let stays = |cut: &Cut| {
            cut.man.color != layout.predicted || !reading.sides[layout.predicted.index()]
        };
        let cut = reading.cut.filter(stays);
        cut.map_or(CutCells::ALL, |cut| CutCells::new(layout, cut))
    }

    fn read_with(
        &self,
        decoder: &PartDecoder<'_>,
        part: usize,
        sides: [bool; 2],
    ) -> Result<BoardValues, TableError> {
        // The predicted side cannot be had without the other; learnt contexts give
        // both.
        let predicted = self.shared.meta.layout.predicted.index();
        let keys = match sides[predicted] || self.packed.is_some() {
            true => decoder.decode(part)?,
            false => [decoder.decode_base(part)?, Vec::new()],
        };
        Ok(self.board_values(decoder, part, sides, keys))
    }

    /// The values of a part from those of its cells, as they are decoded.
    fn board_values(
        &self,
        decoder: &PartDecoder<'_>,
        part: usize,
        sides: [bool; 2],
        [base, own]: [Vec<ValueKey>; 2],
    ) -> BoardValues {
        let (board, layout) = (self.board(part), &self.shared.meta.layout);
        let places = BoardMap::new(layout, &board);
        let graded = |turn: Color| {
            if !sides[turn.index()] {
                return Graded::default();
            }
            let predicted = turn == layout.predicted;
            let (seen, keys) =
                if predicted { (Seen::ToMove, &own) } else { (decoder.base_seen(), &base) };
            let ValuePlanes { won, lost, depth } = places.planes(seen, keys, &decoder.cells);
            let legal = legal_tiles(fastest(), &board, turn, &decoder.cells);
            Graded { legal, won, lost, depth, stalemate: Vec::new() }
        };
        let (white, black) = rayon::join(|| graded(Color::White), || graded(Color::Black));
        BoardValues { values: [white, black], board }
    }
}

/// Adds the stalemates, which the solver keeps around pawns.
fn keep_stalemates(part: &mut BoardValues) {
    let board = &part.board;
    if board.king_axis() != KingAxis::Tile {
        return;
    }
    for side in Color::BOTH {
        // As the solver: only where the other side can win at all.
        if board.material().side_len(!side) > 1 {
            let stalemate = stalemates(fastest(), board, side, &part.values);
            part.values[side.index()].stalemate = stalemate;
        }
    }
}

fn legal_tiles(
    backend: &dyn Backend,
    board: &Hyperboard,
    turn: Color,
    cells: &CutCells,
) -> Vec<Tile> {
    let tile = |number| {
        let cell = board.cell(number).filter(|cell| cells.has_tile(board, cell));
        cell.map_or(Tile::EMPTY, |cell| backend.legal(board, turn, &cell))
    };
    (0..board.tiles()).into_par_iter().with_min_len(16).map(tile).collect()
}

/// The drawn positions in which a side has no legal move.
fn stalemates(
    backend: &dyn Backend,
    board: &Hyperboard,
    side: Color,
    values: &[Graded; 2],
) -> Vec<Tile> {
    let own = &values[side.index()];
    let after = Plane::from_tiles(values[side.other().index()].legal.clone());
    let tile = |number: usize| {
        let Some(cell) = board.cell(number) else { return Tile::EMPTY };
        let drawn = own.legal[number].minus(&own.won[number]).minus(&own.lost[number]);
        let stuck = drawn.minus(&backend.quiet(board, side, &after, &cell));
        let mut found = Tile::EMPTY;
        for (row, column) in stuck.pairs() {
            let position = board.decode(Index { tile: number, row, column }, side);
            if position.is_some_and(|p| p.legal_moves().is_empty()) {
                found.insert(row, column);
            }
        }
        found
    };
    (0..board.tiles()).into_par_iter().with_min_len(16).map(tile).collect()
}
