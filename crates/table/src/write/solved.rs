//! Where the values of a material come from: a table that gives its parts, or
//! something that is read one class of king pairs at a time.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS, Tile};
use molien_values::{BoardValues, Count, Graded, Metric, SideStats, Stats};

use crate::TableError;
use crate::format::layout::Layout;
use crate::keys::board_map::BoardMap;
use crate::keys::gather::Seen;
use crate::keys::key::{DRAW_KEY, NONE_KEY, RULE_DRAW_PLIES, ValueKey, after, before, rule_draw};
use crate::write::classes::{ClassCache, ClassValues};
use crate::write::parts::TableParts;

/// A material solved in one metric, as the writer sees it.
pub(crate) struct SolvedMetric<'a> {
    pub material: Material,
    pub metric: Metric,
    pub stats: &'a Stats,
    values: Origin<'a>,
    /// In DTM50, the metric stored first, which tells who wins where the 50-move
    /// rule draws.
    outcomes: Option<&'a dyn TableParts>,
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
        SolvedMetric { material, metric, stats, values: Origin::Parts(table), outcomes: None }
    }

    /// Values that are read class by class.
    pub fn by_class(stats: &'a Stats, classes: ClassCache, keeps_depths: bool) -> SolvedMetric<'a> {
        let Stats { material, metric, .. } = *stats;
        let values = Origin::Classes { classes, keeps_depths };
        SolvedMetric { material, metric, stats, values, outcomes: None }
    }

    /// The same, to be stored behind this metric: a draw by the 50-move rule is
    /// written as a win or a loss of [`RULE_DRAW_PLIES`].
    pub fn stored_behind(mut self, first: &SolvedMetric<'a>) -> SolvedMetric<'a> {
        if let (Metric::Dtm50, Origin::Parts(first)) = (self.metric, &first.values) {
            self.outcomes = Some(*first);
        }
        self
    }

    /// Whether draws by the 50-move rule are written as wins and losses.
    pub fn has_rule_draws(&self) -> bool {
        self.outcomes.is_some()
    }

    /// A part as it is written.
    ///
    /// # Errors
    /// If it cannot be read.
    ///
    /// # Panics
    /// If the values are read class by class.
    pub fn written_part(&self, number: usize) -> Result<Arc<BoardValues>, TableError> {
        let Origin::Parts(table) = &self.values else { panic!("values have no parts") };
        let own = table.part(number)?;
        let Some(outcomes) = self.outcomes else { return Ok(own) };
        let mut written = BoardValues::clone(&own);
        let first = outcomes.part(number)?;
        written.values.iter_mut().zip(&first.values).for_each(|(w, f)| add_rule_draws(w, f));
        Ok(Arc::new(written))
    }

    /// The statistics of what is written.
    pub fn written_stats(&self) -> Stats {
        let mut stats = self.stats.clone();
        if let Some(outcomes) = self.outcomes {
            let sides = stats.sides.iter_mut().zip(&outcomes.stats().sides);
            sides.for_each(|(side, first)| count_rule_draws(side, first));
        }
        stats
    }

    /// Reads a part that will be asked for, where parts are kept for a while. What goes
    /// wrong is said when it is asked for.
    pub fn look_ahead(&self, part: usize) {
        if let Origin::Parts(table) = &self.values {
            let _ = table.part(part);
        }
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
                if let Some(outcomes) = self.outcomes {
                    let game = outcomes.part(part)?;
                    let mut keys = vec![NONE_KEY; out.len()];
                    places.read_all(&game.values[side.index()], seen, first, &mut keys);
                    out.iter_mut()
                        .zip(&keys)
                        .for_each(|(out, key)| write_rule_draw(out, *key, seen));
                }
            }
            Origin::Classes { classes, .. } => {
                read_classes(classes, layout, (side, seen), first, out)?;
            }
        }
        Ok(())
    }
}

/// Writes a draw as the 50-move rule's where the metric stored first has a
/// winner.
fn write_rule_draw(key: &mut ValueKey, first: ValueKey, seen: Seen) {
    if *key == DRAW_KEY {
        *key = match seen {
            Seen::ToMove => rule_draw(first),
            Seen::After => after(rule_draw(before(first))),
        };
    }
}

/// The same for all positions with one side to move.
fn add_rule_draws(values: &mut Graded, first: &Graded) {
    let bits = (u16::BITS - RULE_DRAW_PLIES.leading_zeros()) as usize;
    let tiles = values.won.len();
    values.depth.resize_with(bits.max(values.depth.len()), || vec![Tile::EMPTY; tiles]);
    for tile in 0..tiles {
        let decided = values.won[tile].or(&values.lost[tile]);
        for (winning, from) in [(true, &first.won), (false, &first.lost)] {
            let drawn = from[tile].minus(&decided);
            let own = if winning { &mut values.won } else { &mut values.lost };
            own[tile] = own[tile].or(&drawn);
            let plies = RULE_DRAW_PLIES + u16::from(winning);
            for bit in (0..bits).filter(|bit| plies >> bit & 1 != 0) {
                values.depth[bit][tile] = values.depth[bit][tile].or(&drawn);
            }
        }
    }
}

/// The same in the statistics.
fn count_rule_draws(side: &mut SideStats, first: &SideStats) {
    let less = |all: Count, own: Count| Count {
        unique: all.unique.saturating_sub(own.unique),
        nalimov: all.nalimov.saturating_sub(own.nalimov),
    };
    let wins = less(first.total_wins(), side.total_wins());
    let losses = less(first.total_losses(), side.total_losses());
    let plies = usize::from(RULE_DRAW_PLIES);
    for (counts, plies, found) in
        [(&mut side.wins, plies + 1, wins), (&mut side.losses, plies, losses)]
    {
        if found.unique > 0 {
            counts.resize(plies + 1, Count::default());
            counts[plies] = found;
        }
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
