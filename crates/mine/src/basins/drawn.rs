//! The drawn part of a basin, wave after wave.
//!
//! A wave is what enters because of the wave before. Where the side to move may
//! not choose, a position enters with the last of its drawing moves, and that
//! one leads into the wave before: nothing else needs looking at.

use molien_board::Color;
use molien_hyper::{Plane, Tile};
use molien_values::{Graded, Value};
use rayon::prelude::*;

use super::decided::add_goals;
use super::goals::Goals;
use super::step::{Ahead, add, clear};
use super::{Basin, Basins, Flow, Wave};

fn drawn(values: &Graded) -> Plane {
    let draw = |tile: usize| values.legal[tile].minus(&values.won[tile]).minus(&values.lost[tile]);
    Plane::from_tiles((0..values.legal.len()).into_par_iter().map(draw).collect())
}

/// Takes positions out of a plane.
fn remove(plane: &mut Plane, tiles: &[(usize, Tile)]) {
    for (tile, set) in tiles {
        plane.tiles[*tile] = plane.tiles[*tile].minus(set);
        plane.live[*tile] = !plane.tiles[*tile].is_empty();
    }
}

impl Basins {
    pub(super) fn find_drawn(
        &self,
        goals: &Goals,
        basin: Basin,
        each: &mut dyn FnMut(&Wave<'_>) -> Flow,
    ) -> Flow {
        if !goals.iter().flatten().any(|(_, value)| *value == Value::Draw) {
            return Flow::Continue(());
        }
        // By side to move: draws that are not in the basin, and those that have
        // just entered it.
        let mut rest: [Plane; 2] =
            Color::BOTH.map(|turn| drawn(&self.values().values[turn.index()]));
        let mut fresh: [Plane; 2] = std::array::from_fn(|_| Plane::empty(self.board().tiles()));
        for turn in Color::BOTH {
            let mut entered = Vec::new();
            add_goals(&mut entered, goals, turn, Value::Draw);
            self.tell(turn, Value::Draw, &entered, each)?;
            remove(&mut rest[turn.index()], &entered);
            add(&mut fresh[turn.index()], &entered);
        }
        while fresh.iter().any(|plane| plane.live.contains(&true)) {
            let entered = Color::BOTH.map(|turn| {
                let other = (!turn).index();
                let bound = !self.lets_choose(basin, turn);
                let ahead = Ahead { fresh: &fresh[other], rest: bound.then(|| &rest[other]) };
                self.step((turn, Value::Draw), &ahead, |tile| rest[turn.index()].tiles[tile])
            });
            for turn in Color::BOTH {
                let entered = &entered[turn.index()];
                self.tell(turn, Value::Draw, entered, each)?;
                remove(&mut rest[turn.index()], entered);
                clear(&mut fresh[turn.index()]);
                add(&mut fresh[turn.index()], entered);
            }
        }
        Flow::Continue(())
    }
}
