//! Where the values of a material come from: a table that gives its parts, or
//! something that is read one class of king pairs at a time.

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS, Tile};
use molien_values::{Graded, Metric, SideStats, Stats, Table};

use crate::TableError;
use crate::format::layout::Layout;
use crate::keys::board_map::BoardMap;
use crate::keys::gather::Seen;
use crate::keys::key::ValueKey;
use crate::write::classes::{ClassCache, ClassValues};
use crate::write::parts::TableParts;

/// A material solved in one metric, as the writer sees it.
pub(crate) struct SolvedMetric<'a> {
    pub material: Material,
    pub metric: Metric,
    pub stats: &'a Stats,
    values: Origin<'a>,
}

enum Origin<'a> {
    Parts(&'a dyn TableParts),
    Classes { classes: ClassCache, keeps_depths: bool },
}

impl<'a> SolvedMetric<'a> {
    /// A table that is read part by part.
    pub fn by_part(table: &'a dyn TableParts) -> SolvedMetric<'a> {
        let stats = table.stats();
        let Stats { material, metric, .. } = *stats;
        SolvedMetric { material, metric, stats, values: Origin::Parts(table) }
    }

    /// Values that are read class by class.
    pub fn by_class(stats: &'a Stats, classes: ClassCache, keeps_depths: bool) -> SolvedMetric<'a> {
        let Stats { material, metric, .. } = *stats;
        SolvedMetric { material, metric, stats, values: Origin::Classes { classes, keeps_depths } }
    }

    /// The whole table, unless it is read class by class.
    ///
    /// # Errors
    /// If a part cannot be read.
    pub fn table(&self) -> Result<Option<Table>, TableError> {
        let Origin::Parts(table) = &self.values else { return Ok(None) };
        let parts = (0..table.boards().len()).map(|part| table.part(part));
        let parts = parts.collect::<Result<_, _>>()?;
        let (material, metric, stats) = (self.material, self.metric, self.stats.clone());
        Ok(Some(Table { material, metric, parts, stats }))
    }

    /// The hyperboard of each part.
    pub fn boards(&self) -> Vec<&Hyperboard> {
        match &self.values {
            Origin::Parts(table) => table.boards(),
            Origin::Classes { classes, .. } => vec![classes.board()],
        }
    }

    /// Whether the depth of each position is known, or only their number.
    pub fn keeps_depths(&self) -> bool {
        match &self.values {
            Origin::Parts(table) => table.has_depths(),
            Origin::Classes { keeps_depths, .. } => *keeps_depths,
        }
    }

    /// Whether every position has the same value here and there.
    ///
    /// # Errors
    /// If the values cannot be read.
    pub fn same_values(&self, other: &SolvedMetric<'_>) -> Result<bool, TableError> {
        let counts = |side: &SideStats| (side.wins.clone(), side.losses.clone());
        if self.stats.sides.each_ref().map(counts) != other.stats.sides.each_ref().map(counts) {
            return Ok(false);
        }
        match (&self.values, &other.values) {
            (Origin::Parts(a), Origin::Parts(b)) => {
                for part in 0..a.boards().len() {
                    if !same_sides(&a.part(part)?.values, &b.part(part)?.values) {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            (Origin::Classes { classes: a, .. }, Origin::Classes { classes: b, .. }) => {
                if a.is(b) {
                    return Ok(true);
                }
                for class in 0..KING_PAIRS {
                    if !same_sides(&*a.get(class)?, &*b.get(class)?) {
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
        boards.first().map_or(1, |board| BoardMap::new(layout, board).tiles_together())
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
        out: &mut [ValueKey],
    ) -> Result<(), TableError> {
        let seen = if side == layout.predicted { Seen::ToMove } else { Seen::After };
        match &self.values {
            Origin::Parts(table) => {
                let game = table.part(part)?;
                let places = BoardMap::new(layout, &game.board);
                places.read_all(&game.values[side.index()], seen, first, out);
            }
            Origin::Classes { classes, .. } => {
                read_classes(classes, layout, (side, seen), first, out)?;
            }
        }
        Ok(())
    }
}

/// Whether both sides have the same values here and there.
fn same_sides(a: &ClassValues, b: &ClassValues) -> bool {
    a.iter().zip(b).all(|(a, b)| same_values(a, b))
}

/// What is stored of them decides: not the stalemates, which follow from the
/// values, nor how many planes of depth bits there are. A table that comes from
/// a file can have fewer of those that are empty.
fn same_values(a: &Graded, b: &Graded) -> bool {
    let (shorter, longer) =
        if a.depth.len() < b.depth.len() { (&a.depth, &b.depth) } else { (&b.depth, &a.depth) };
    let (common, rest) = longer.split_at(shorter.len());
    let outcomes = a.legal == b.legal && a.won == b.won && a.lost == b.lost;
    outcomes && common == &shorter[..] && rest.iter().flatten().all(Tile::is_empty)
}

fn read_classes(
    classes: &ClassCache,
    layout: &Layout,
    (side, seen): (Color, Seen),
    first: usize,
    mut out: &mut [ValueKey],
) -> Result<(), TableError> {
    let places = BoardMap::new(layout, classes.board());
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
