//! Basins of attraction: where best play leads to.
//!
//! Among the positions of one material draw an arrow for every best move: one
//! that keeps the value in a metric to the ply, and in a draw every move that
//! keeps the draw. A set of goals has four basins, which Nalimov, Wirth and
//! Haworth asked for:
//!
//! ```text
//! necessary   whatever best moves are chosen, a goal is reached
//! white       White can choose among his best moves so that one is reached
//! black       Black can
//! possible    both together can
//! ```
//!
//! A move that leaves the material leads away for good. Each basin is a least
//! fixed point: the goals, and then whatever leads into the set, by one of its
//! best moves where the side to move may choose, by all of them where it may
//! not. So in a draw that can go round for ever no goal is necessary.
//!
//! Best moves keep the value, so a basin falls apart by value: the positions
//! won or lost in `d` plies come from those in `d - 1` alone, one layer after
//! the other (`decided`), and draws come from draws, wave after wave (`drawn`).
//! Both ask the same question of sets of positions (`step`).

mod decided;
mod drawn;
mod exits;
mod goals;
mod sizes;
mod step;
mod wave;

use std::ops::ControlFlow;
use std::sync::Arc;

use molien_board::{Color, Material, Position};
use molien_build::Build;
use molien_hyper::Hyperboard;
use molien_operators::{Backend, fastest};
use molien_values::{BoardValues, Metric, Table};

use crate::MineError;
use exits::Exits;

pub use sizes::{BasinSize, BasinSizes};
pub use wave::Wave;

/// One of the four basins of some goals.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Basin {
    /// Whatever best moves are chosen, a goal is reached.
    Necessary,
    /// White can see to it.
    White,
    /// Black can see to it.
    Black,
    /// Both together can.
    Possible,
}

impl Basin {
    /// All of them, the smallest first and the largest last.
    pub const ALL: [Basin; 4] = [Basin::Necessary, Basin::White, Basin::Black, Basin::Possible];

    /// The name used in output.
    pub const fn name(self) -> &'static str {
        match self {
            Basin::Necessary => "necessary",
            Basin::White => "white",
            Basin::Black => "black",
            Basin::Possible => "possible",
        }
    }

    /// Whether this side may choose among its best moves.
    const fn lets_choose(self, side: Color) -> bool {
        match self {
            Basin::Necessary => false,
            Basin::White => matches!(side, Color::White),
            Basin::Black => matches!(side, Color::Black),
            Basin::Possible => true,
        }
    }
}

/// Whether to go on.
pub type Flow = ControlFlow<()>;

/// What basins are found with: a table with depths, and where its captures
/// lead.
pub struct Basins {
    backend: &'static dyn Backend,
    material: Material,
    table: Arc<Table>,
    exits: Exits,
}

impl Basins {
    /// Gets the tables of a material without pawns ready.
    ///
    /// # Errors
    /// If it has pawns, or a table cannot be had.
    pub fn new(build: &Build, material: Material, metric: Metric) -> Result<Basins, MineError> {
        if material.has_pawns() {
            return Err(MineError::Pawns { material });
        }
        let table = build.table_with_depths(material, metric)?;
        let exits = Exits::new(build, material, metric)?;
        Ok(Basins { backend: fastest(), material, table, exits })
    }

    /// The table, in its own orientation.
    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// Finds one basin of some goals: `each` is given its positions, a wave at
    /// a time, every position once, and says whether to go on. Waves of won and
    /// lost positions come first, by rising depth.
    ///
    /// # Errors
    /// If a goal is of another material, or a value cannot be had.
    pub fn find(
        &self,
        goals: &[Position],
        basin: Basin,
        mut each: impl FnMut(&Wave<'_>) -> Flow,
    ) -> Result<(), MineError> {
        let goals = self.addresses(goals)?;
        let mut each = |wave: &Wave<'_>| each(wave);
        if self.find_decided(&goals, basin, &mut each).is_continue() {
            let _ = self.find_drawn(&goals, basin, &mut each);
        }
        Ok(())
    }

    fn values(&self) -> &BoardValues {
        &self.table.parts[0]
    }

    fn board(&self) -> &Hyperboard {
        &self.values().board
    }

    /// Whether the table has colours exchanged.
    fn is_swapped(&self) -> bool {
        self.table.material != self.material
    }

    /// Whether the side to move in the table may choose.
    fn lets_choose(&self, basin: Basin, turn: Color) -> bool {
        basin.lets_choose(if self.is_swapped() { !turn } else { turn })
    }
}
