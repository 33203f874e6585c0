//! How large the basins of some goals are.

use std::collections::BTreeMap;
use std::ops::ControlFlow;

use molien_board::{Color, Position};
use molien_values::{Outcome, Value};

use super::{Basin, Basins, Wave};
use crate::MineError;

/// Positions of one value with one side to move, by basin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BasinSize {
    /// Who is to move.
    pub turn: Color,
    /// Their value.
    pub value: Value,
    /// How many are in each basin, in the order of [`Basin::ALL`].
    pub positions: [u64; 4],
}

/// The sizes of all four basins of some goals.
#[derive(Clone, Default, Debug)]
pub struct BasinSizes {
    /// By side to move, outcome and depth.
    pub sizes: Vec<BasinSize>,
    /// By basin: some of the positions that came last, won or lost, then drawn.
    pub examples: [Vec<(Position, Value)>; 4],
}

impl BasinSizes {
    /// How many of some positions a basin has.
    pub fn total(&self, basin: Basin, wanted: impl Fn(&BasinSize) -> bool) -> u64 {
        let wanted = self.sizes.iter().filter(|size| wanted(size));
        wanted.map(|size| size.positions[basin as usize]).sum()
    }
}

/// Side to move, outcome and plies.
type Row = (usize, Outcome, u16);

/// Sizes in the making.
#[derive(Default)]
struct Counts {
    rows: BTreeMap<Row, (Value, [u64; 4])>,
    /// By basin: the last decided and drawn positions.
    last: [[Vec<(Position, Value)>; 2]; 4],
}

impl Counts {
    fn add(&mut self, basin: Basin, wave: &Wave<'_>, examples: usize) {
        let value = wave.value;
        let row = (wave.turn().index(), value.outcome(), value.plies().unwrap_or(0));
        self.rows.entry(row).or_insert((value, [0; 4])).1[basin as usize] += wave.count();
        let last = &mut self.last[basin as usize][usize::from(value == Value::Draw)];
        *last = wave.positions().take(examples).map(|position| (position, value)).collect();
    }

    fn finish(self) -> BasinSizes {
        let size = |((turn, ..), (value, positions)): (Row, (Value, [u64; 4]))| BasinSize {
            turn: Color::BOTH[turn],
            value,
            positions,
        };
        BasinSizes {
            sizes: self.rows.into_iter().map(size).collect(),
            examples: self.last.map(|both| both.concat()),
        }
    }
}

impl Basins {
    /// The sizes of the basins of some goals, with so many of the positions of each
    /// that came last. `goes_on` is asked after every wave.
    ///
    /// # Errors
    /// If a goal is of another material, or it was given up.
    pub fn sizes(
        &self,
        goals: &[Position],
        examples: usize,
        goes_on: impl Fn() -> bool,
    ) -> Result<BasinSizes, MineError> {
        let mut counts = Counts::default();
        for basin in Basin::ALL {
            let mut given_up = false;
            self.find(goals, basin, |wave| {
                counts.add(basin, wave, examples);
                given_up = !goes_on();
                if given_up { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if given_up {
                return Err(MineError::GivenUp);
            }
        }
        Ok(counts.finish())
    }
}
