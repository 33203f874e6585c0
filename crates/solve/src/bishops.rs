//! Two bishops on squares of both colours.
//!
//! A bishop never leaves its colour. So the placements in which two like
//! bishops stand on squares of both colours are a world of their own: with all
//! others struck from the legal positions, a solve gives exactly their part of
//! the table, and statistics of it.

use molien_board::{Bitboard, Color, Man, Material, Role, Square};
use molien_hyper::{Cell, Hyperboard, KingAxis, Tile};

use crate::board_solve::BoardSolve;
use crate::record::Keep;
use crate::watch::Watch;
use crate::{SolveError, Solver};
use molien_values::{Metric, Stats};

/// Where a man's square is found.
#[derive(Clone, Copy, Debug)]
enum Axis {
    Outer(usize),
    Row,
    Column,
}

/// The two like bishops of a board without pawns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BishopPair([Axis; 2]);

impl BishopPair {
    /// The first colour's pair; none if no side has exactly two bishops.
    pub fn new(board: &Hyperboard) -> Option<BishopPair> {
        if board.king_axis() != KingAxis::Pairs {
            return None;
        }
        let pieces = board.pieces_in_order();
        let outer = pieces.len() - board.row().iter().len() - board.column().iter().len();
        let axis = |place: usize| match place.checked_sub(outer) {
            None => Axis::Outer(place),
            Some(0) if board.row().is_some() => Axis::Row,
            Some(_) => Axis::Column,
        };
        Color::BOTH.into_iter().find_map(|color| {
            let bishop = Man::new(color, Role::Bishop);
            let places = (0..pieces.len()).filter(|&place| pieces[place] == bishop);
            let pair: Vec<Axis> = places.map(axis).collect();
            Some(BishopPair(pair.try_into().ok()?))
        })
    }

    /// The placements of a cell with the two on squares of both colours.
    pub fn opposite(&self, cell: &Cell) -> Tile {
        let dark = |axis: Axis, row: Square| match axis {
            Axis::Outer(man) => mask(cell.squares[man].is_dark()),
            Axis::Row => mask(row.is_dark()),
            Axis::Column => Bitboard::DARK.0,
        };
        Tile::from_rows(|row| dark(self.0[0], row) ^ dark(self.0[1], row))
    }
}

fn mask(all: bool) -> u64 {
    if all { !0 } else { 0 }
}

impl Solver {
    /// The statistics of the positions in which two like bishops of one side
    /// stand on squares of both colours; none if there are no such bishops.
    ///
    /// # Errors
    /// If it needs too much memory or is cancelled.
    pub fn opposite_bishops(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Stats>, SolveError> {
        let canonical = material.canonical();
        let board = Hyperboard::pieces(canonical);
        let Some(pair) = BishopPair::new(&board) else { return Ok(None) };
        self.solve_below(canonical, metric)?;
        let exits = self.exits(&board, metric)?;
        self.progress.begin(canonical, metric, board.tiles() as u64 * 4096);
        let solve = BoardSolve {
            log: None,
            bishops: Some(pair),
            ..self.board_solve(&board, &*exits, metric, Keep::Outcomes)
        };
        let (_, stats) = solve.run(&mut Watch::nothing())?;
        self.progress.end(canonical, metric);
        Ok(Some(if material == canonical { stats } else { stats.swap_colors() }))
    }
}

#[cfg(test)]
mod tests {
    use molien_hyper::Index;

    use super::*;
    use molien_values::{Place, Value};

    /// The statistics equal those of the table's own positions, counted one by
    /// one.
    #[test]
    fn a_part_of_the_table() {
        let solver = Solver::new();
        for name in ["KBBK", "KRBBK"] {
            let material: Material = name.parse().unwrap();
            let material = material.canonical();
            let table = solver.solve(material, Metric::Dtc).unwrap();
            let stats = solver.opposite_bishops(material, Metric::Dtc).unwrap().unwrap();
            let board = &table.parts[0].board;
            for turn in Color::BOTH {
                let (mut won, mut longest) = (0, 0);
                let cells = (0..board.tiles()).filter_map(|tile| board.cell(tile));
                for cell in cells {
                    let wins = table.parts[0].values[turn.index()].won[cell.tile];
                    for (row, column) in wins.and(&board.representatives(&cell)).pairs() {
                        let index = Index { tile: cell.tile, row, column };
                        let men = board.decode_men(index).unwrap();
                        let dark = |(man, square): &(Man, Square)| {
                            (man.role == Role::Bishop).then(|| square.is_dark())
                        };
                        let colors: Vec<bool> = men.iter().filter_map(dark).collect();
                        if colors[0] != colors[1] {
                            won += 1;
                            let place = Place { part: 0, turn, index };
                            let Value::Win(plies) = table.at(place) else { panic!("{place:?}") };
                            longest = longest.max(plies);
                        }
                    }
                }
                let side = &stats.sides[turn.index()];
                assert_eq!(side.total_wins().unique, won, "{name} {turn}");
                assert_eq!(side.longest_win.as_ref().map_or(0, |l| l.plies), longest);
            }
        }
        let none = solver.opposite_bishops("KBNK".parse().unwrap(), Metric::Dtc).unwrap();
        assert!(none.is_none());
    }
}
