//! Where the values of a material come from.

use std::io;

use molien_board::{Color, Material};
use molien_hyper::Hyperboard;
use molien_solve::{Metric, Stats, Table};

use crate::expand::Places;
use crate::gather::Seen;
use crate::key::Key;
use crate::layout::Layout;

/// A material solved in one metric, as the writer sees it.
pub(crate) struct Solved<'a> {
    pub material: Material,
    pub metric: Metric,
    pub stats: &'a Stats,
    table: &'a Table,
}

impl<'a> Solved<'a> {
    /// A table in memory.
    pub fn whole(table: &'a Table) -> Solved<'a> {
        let Table { material, metric, stats, .. } = table;
        Solved { material: *material, metric: *metric, stats, table }
    }

    /// The hyperboard of each part.
    pub fn boards(&self) -> impl ExactSizeIterator<Item = &'a Hyperboard> + use<'a> {
        self.table.parts.iter().map(|part| &part.board)
    }

    /// Whether the depth of each position is known, or only their number.
    pub fn keeps_depths(&self) -> bool {
        let deep = |counts: &Vec<molien_solve::Count>| counts.len() > 1;
        let any = self.stats.sides.iter().any(|side| deep(&side.wins) || deep(&side.losses));
        let mut values = self.table.parts.iter().flat_map(|part| &part.values);
        !any || values.any(|side| !side.depth.is_empty())
    }

    /// Whether every position has the same value here and there.
    pub fn same_values(&self, other: &Solved<'_>) -> bool {
        let mut parts = self.table.parts.iter().zip(&other.table.parts);
        parts.all(|(a, b)| a.values == b.values)
    }

    /// The tiles that are read together at hardly more cost than one of them.
    pub fn tiles_together(&self, layout: &Layout) -> usize {
        let first = self.table.parts.first();
        first.map_or(1, |part| Places::new(layout, &part.board).tiles_together())
    }

    /// Reads some cells of a part with one side to move; the base side's as
    /// they are seen after a move of the predicted side.
    ///
    /// # Errors
    /// If they are not in memory and cannot be read.
    pub fn read(
        &self,
        layout: &Layout,
        part: usize,
        side: Color,
        first: usize,
        out: &mut [Key],
    ) -> io::Result<()> {
        let game = &self.table.parts[part];
        let places = Places::new(layout, &game.board);
        let seen = if side == layout.predicted { Seen::ToMove } else { Seen::After };
        places.read_all(&game.values[side.index()], seen, first, out);
        Ok(())
    }
}
