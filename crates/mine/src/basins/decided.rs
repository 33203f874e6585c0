//! The part of a basin that somebody wins, layer after layer.
//!
//! A position won in d plies has its quiet best moves to positions lost in
//! d - 1, and one lost in d to positions won in d - 1: whatever lies at another
//! depth is no best move. So one layer follows from the one before.

use molien_board::Color;
use molien_hyper::{Plane, Tile};
use molien_values::{Graded, Value};
use rayon::prelude::*;

use super::goals::Goals;
use super::step::{Ahead, add, clear};
use super::{Basin, Basins, Flow, Wave};

/// Won or lost, by the side to move.
const SIDES: [(Color, bool); 4] =
    [(Color::White, true), (Color::White, false), (Color::Black, true), (Color::Black, false)];

/// The place of a side to move that wins or loses in [`SIDES`].
const fn place(turn: Color, wins: bool) -> usize {
    2 * turn.index() + !wins as usize
}

fn value(wins: bool, plies: u16) -> Value {
    if wins { Value::Win(plies) } else { Value::Loss(plies) }
}

/// The positions of a tile won (or lost) in so many plies.
fn layer(values: &Graded, tile: usize, wins: bool, plies: u16) -> Tile {
    let outcome = if wins { &values.won } else { &values.lost };
    let mut found = outcome[tile];
    for (bit, plane) in values.depth.iter().enumerate() {
        if found.is_empty() {
            return found;
        }
        let set = plies >> bit & 1 == 1;
        found = if set { found.and(&plane[tile]) } else { found.minus(&plane[tile]) };
    }
    if plies >> values.depth.len() == 0 { found } else { Tile::EMPTY }
}

impl Basins {
    pub(super) fn find_decided(
        &self,
        goals: &Goals,
        basin: Basin,
        each: &mut dyn FnMut(&Wave<'_>) -> Flow,
    ) -> Flow {
        let depths = goals.iter().flatten().filter_map(|(_, value)| value.plies());
        let Some(first) = depths.min() else { return Flow::Continue(()) };
        let tiles = self.board().tiles();
        // The basin among positions of the depth before, by side and outcome.
        let mut before: [Plane; 4] = std::array::from_fn(|_| Plane::empty(tiles));
        for plies in first..=self.table.stats.deepest() as u16 {
            let mut entered: [Vec<(usize, Tile)>; 4] = Default::default();
            for (i, (turn, wins)) in SIDES.into_iter().enumerate() {
                let ahead = &before[place(!turn, !wins)];
                entered[i] = self.enter_layer(basin, ahead, turn, value(wins, plies));
                add_goals(&mut entered[i], goals, turn, value(wins, plies));
                self.tell(turn, value(wins, plies), &entered[i], each)?;
            }
            for (plane, entered) in before.iter_mut().zip(&entered) {
                clear(plane);
                add(plane, entered);
            }
        }
        Flow::Continue(())
    }

    /// The positions of a value that enter the basin, which among those of the
    /// value before is `ahead`.
    fn enter_layer(
        &self,
        basin: Basin,
        ahead: &Plane,
        turn: Color,
        value: Value,
    ) -> Vec<(usize, Tile)> {
        let (wins, Some(plies)) = (matches!(value, Value::Win(_)), value.plies()) else {
            return Vec::new();
        };
        if plies == 0 || !ahead.live.contains(&true) {
            return Vec::new();
        }
        let sides = &self.values().values;
        let rest = (!self.lets_choose(basin, turn)).then(|| {
            let others = &sides[(!turn).index()];
            let rest =
                |tile: usize| layer(others, tile, !wins, plies - 1).minus(&ahead.tiles[tile]);
            Plane::from_tiles((0..ahead.tiles.len()).into_par_iter().map(rest).collect())
        });
        let ahead = Ahead { fresh: ahead, rest: rest.as_ref() };
        self.step((turn, value), &ahead, |tile| layer(&sides[turn.index()], tile, wins, plies))
    }

    /// Tells of positions that have entered.
    pub(super) fn tell(
        &self,
        board_turn: Color,
        value: Value,
        tiles: &[(usize, Tile)],
        each: &mut dyn FnMut(&Wave<'_>) -> Flow,
    ) -> Flow {
        if tiles.is_empty() {
            return Flow::Continue(());
        }
        let (board, swapped) = (self.board(), self.is_swapped());
        each(&Wave { board, swapped, board_turn, value, tiles })
    }
}

/// Adds the goals of a value, unless they are there already.
pub(super) fn add_goals(
    entered: &mut Vec<(usize, Tile)>,
    goals: &Goals,
    turn: Color,
    value: Value,
) {
    for (index, _) in goals[turn.index()].iter().filter(|(_, own)| *own == value) {
        let at = match entered.iter().position(|(tile, _)| *tile == index.tile) {
            Some(at) => at,
            None => {
                entered.push((index.tile, Tile::EMPTY));
                entered.len() - 1
            }
        };
        entered[at].1.insert(index.row, index.column);
    }
}
