//! Where the values of a material come from: a table in memory, or something
//! that is read one class of king pairs at a time.

use std::io;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS};
use molien_values::{Metric, SideStats, Stats, Table};

use crate::classes::ClassCache;
use crate::expand::Places;
use crate::gather::Seen;
use crate::key::Key;
use crate::layout::Layout;

/// A material solved in one metric, as the writer sees it.
pub(crate) struct Solved<'a> {
    pub material: Material,
    pub metric: Metric,
    pub stats: &'a Stats,
    values: Values<'a>,
}

enum Values<'a> {
    Whole(&'a Table),
    Classes(ClassCache),
}

impl<'a> Solved<'a> {
    /// A table in memory.
    pub fn whole(table: &'a Table) -> Solved<'a> {
        let Table { material, metric, stats, .. } = table;
        Solved { material: *material, metric: *metric, stats, values: Values::Whole(table) }
    }

    /// Values that are read class by class, with all depths.
    pub fn by_class(stats: &'a Stats, classes: ClassCache) -> Solved<'a> {
        let Stats { material, metric, .. } = *stats;
        Solved { material, metric, stats, values: Values::Classes(classes) }
    }

    /// The hyperboard of each part.
    pub fn boards(&self) -> Vec<&Hyperboard> {
        match &self.values {
            Values::Whole(table) => table.parts.iter().map(|part| &part.board).collect(),
            Values::Classes(classes) => vec![classes.board()],
        }
    }

    /// Whether the depth of each position is known, or only their number.
    pub fn keeps_depths(&self) -> bool {
        let Values::Whole(table) = &self.values else { return true };
        let deep = |counts: &Vec<molien_values::Count>| counts.len() > 1;
        let any = self.stats.sides.iter().any(|side| deep(&side.wins) || deep(&side.losses));
        let mut values = table.parts.iter().flat_map(|part| &part.values);
        !any || values.any(|side| !side.depth.is_empty())
    }

    /// Whether every position has the same value here and there.
    ///
    /// # Errors
    /// If the values cannot be read.
    pub fn same_values(&self, other: &Solved<'_>) -> io::Result<bool> {
        let counts = |side: &SideStats| (side.wins.clone(), side.losses.clone());
        if self.stats.sides.each_ref().map(counts) != other.stats.sides.each_ref().map(counts) {
            return Ok(false);
        }
        match (&self.values, &other.values) {
            (Values::Whole(a), Values::Whole(b)) => {
                Ok(a.parts.iter().zip(&b.parts).all(|(a, b)| a.values == b.values))
            }
            (Values::Classes(a), Values::Classes(b)) if a.is(b) => Ok(true),
            (Values::Classes(a), Values::Classes(b)) => {
                for class in 0..KING_PAIRS {
                    if *a.get(class)? != *b.get(class)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            _ => Ok(false), // not compared: stored twice then
        }
    }

    /// The tiles that are read together at hardly more cost than one of them.
    pub fn tiles_together(&self, layout: &Layout) -> usize {
        let boards = self.boards();
        boards.first().map_or(1, |board| Places::new(layout, board).tiles_together())
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
        let seen = if side == layout.predicted { Seen::ToMove } else { Seen::After };
        match &self.values {
            Values::Whole(table) => {
                let game = &table.parts[part];
                let places = Places::new(layout, &game.board);
                places.read_all(&game.values[side.index()], seen, first, out);
            }
            Values::Classes(classes) => {
                read_classes(classes, layout, (side, seen), first, out)?;
            }
        }
        Ok(())
    }
}

fn read_classes(
    classes: &ClassCache,
    layout: &Layout,
    (side, seen): (Color, Seen),
    first: usize,
    mut out: &mut [Key],
) -> io::Result<()> {
    let places = Places::new(layout, classes.board());
    let class_cells = 1 << (6 * layout.men.len());
    let mut cell = first;
    while !out.is_empty() {
        // Cells and tiles are counted from the first of their class.
        let (class, start) = (cell / class_cells, cell % class_cells);
        let (now, later) = out.split_at_mut((class_cells - start).min(out.len()));
        places.read_all(&classes.get(class)?[side.index()], seen, start, now);
        cell += now.len();
        out = later;
    }
    Ok(())
}
