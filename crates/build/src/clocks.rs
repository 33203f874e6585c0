//! Mate under the 50-move rule: at every clock for chosen positions, and one run
//! of a board.

use std::collections::HashMap;

use molien_board::{Color, Position, Symmetry};
use molien_solve::{BoardSolve, Node, SolveError};
use molien_values::{BoardValues, ClockValues, Metric, Placement};

use crate::build::outside_rayon;
use crate::cache::key;
use crate::{Build, BuildError};

impl Build {
    /// The values of positions under the 50-move rule at every clock, their
    /// en-passant rights ignored. What captures and pawn moves lead to is solved
    /// in [`Metric::Dtm50`]; then the boards of the positions are, once for
    /// every ply by which the conversions of a board can differ.
    ///
    /// # Errors
    /// If a table that is read cannot be had.
    pub fn at_clocks(&self, positions: &[Position]) -> Result<Vec<ClockValues>, BuildError> {
        let mut boards: HashMap<Node, Vec<(usize, Position)>> = HashMap::new();
        for (number, position) in positions.iter().enumerate() {
            let (node, image) = home(position);
            boards.entry(node).or_default().push((number, image));
        }
        let mut found = vec![ClockValues::drawn(self.rule_plies); positions.len()];
        for (node, members) in boards.iter().filter(|(node, _)| node.material.len() > 2) {
            let images: Vec<Position> = members.iter().map(|(_, image)| *image).collect();
            let values = outside_rayon(|| self.board_at_clocks(node, &images))?;
            members.iter().zip(values).for_each(|((number, _), one)| found[*number] = one);
        }
        Ok(found)
    }

    /// The plies without a zeroing move after which the game is drawn.
    pub fn rule_plies(&self) -> u16 {
        self.rule_plies
    }

    /// One run of the board of a position (see `molien-solve`): the steps at
    /// which positions are decided that `winner` wins when conversions count so
    /// many plies `sooner`.
    ///
    /// # Errors
    /// If a table that is read cannot be had.
    pub fn clock_run(
        &self,
        position: &Position,
        winner: Color,
        sooner: u16,
    ) -> Result<ClockRun, BuildError> {
        self.with_clock_runs(&ClockKey::new(position, winner), |runs| runs.run(sooner))?
    }

    /// Gets the runs of a board ready. This takes about as long as a run.
    ///
    /// # Errors
    /// If a table that is read cannot be had.
    pub fn with_clock_runs<T: Send>(
        &self,
        key: &ClockKey,
        work: impl Fn(&ClockRuns<'_>) -> T + Send + Sync,
    ) -> Result<T, BuildError> {
        let runs = |solve: &BoardSolve<'_>| {
            let ready = |runs: &molien_solve::ClockRuns<'_>| work(&ClockRuns { key, runs });
            Ok(solve.with_clock_runs(key.attacker, ready))
        };
        outside_rayon(|| self.on_board(&key.node, runs))
    }

    fn board_at_clocks(
        &self,
        node: &Node,
        images: &[Position],
    ) -> Result<Vec<ClockValues>, BuildError> {
        self.on_board(node, |solve| solve.at_clocks(images))
    }

    /// Has a board worked on, its conversions read in DTM50.
    fn on_board<T: Send>(
        &self,
        node: &Node,
        work: impl Fn(&BoardSolve<'_>) -> Result<T, SolveError> + Send + Sync,
    ) -> Result<T, BuildError> {
        let metric = Metric::Dtm50;
        let (inputs, _held) = self.inputs_for(key(node.material, metric))?;
        if node.pawns != Placement::NONE {
            // Pawn moves lead to other boards of the table itself.
            inputs.add_table(self.table(node.material, metric)?);
        }
        let board = node.board();
        self.pool().install(|| {
            let exits = inputs.exits(&board)?;
            Ok(work(&self.board_solve(&board, &*exits, metric))?)
        })
    }
}

/// A board and who wins on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ClockKey {
    node: Node,
    attacker: Color,
}

impl ClockKey {
    /// The board of a position that one side wins.
    pub fn new(position: &Position, winner: Color) -> ClockKey {
        let swapped = !position.material().is_canonical();
        ClockKey { node: home(position).0, attacker: if swapped { !winner } else { winner } }
    }
}

/// The runs of a board, made when they are asked for.
pub struct ClockRuns<'a> {
    key: &'a ClockKey,
    runs: &'a molien_solve::ClockRuns<'a>,
}

impl ClockRuns<'_> {
    /// From this one on all runs are alike.
    pub fn last(&self) -> u16 {
        self.runs.last()
    }

    /// The run in which conversions count so many plies `sooner`.
    ///
    /// # Errors
    /// If it is cancelled.
    pub fn run(&self, sooner: u16) -> Result<ClockRun, BuildError> {
        Ok(ClockRun { node: self.key.node, values: self.runs.run(sooner)? })
    }
}

/// One run of a board under the 50-move rule.
pub struct ClockRun {
    node: Node,
    values: BoardValues,
}

impl ClockRun {
    /// Whether the run is that of the board of a position.
    pub fn has(&self, position: &Position) -> bool {
        home(position).0 == self.node
    }

    /// The step at which it decides a position of its board, if it does.
    pub fn step(&self, position: &Position) -> Option<u16> {
        let (node, image) = home(position);
        let index = self.values.board.encode(&image).filter(|_| node == self.node)?;
        self.values.at(image.turn(), index).plies()
    }

    /// The memory it takes.
    pub fn len_bytes(&self) -> usize {
        self.values.len_bytes()
    }
}

/// The board that has a position, and the position as it stands there.
fn home(position: &Position) -> (Node, Position) {
    let position = position.without_en_passant();
    let material = position.material();
    let position = if material.is_canonical() { position } else { position.swap_colors() };
    let (pawns, mirrored) = Placement::of(&position).canonical();
    let image = if mirrored { position.transform(Symmetry::MIRROR) } else { position };
    (Node { material: material.canonical(), pawns }, image)
}
