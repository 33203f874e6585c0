//! The positions of one side to move that are yet to be decided.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use molien_hyper::{Plane, Tile};
use molien_operators::{Backend, Plies, Release, TileHeap, TileRange};
use rayon::prelude::*;

use super::depths::{DepthSlab, Depths};
use super::outside::{Due, DueLog, STRETCH_TILES};
use super::pending::{NEVER, Pending, let_go, next_due};

/// Tiles a task takes: in five men those of one pair of kings, which read the
/// same tiles.
pub(crate) const SLAB_TILES: usize = 64;

/// A set of positions that only shrinks.
pub(crate) struct Undecided {
    /// Those of other ranks that moves lead to come last.
    pub positions: Plane,
    conversions: Pending,
    /// The tiles to look at again.
    pub dirty: Dirty,
    /// The depths of those that were in it.
    pub depths: Depths,
}

impl Undecided {
    /// All positions that might be decided, with what their conversions do;
    /// whether the first wave looks at all of them.
    pub fn new(
        (tiles, conversions): (Vec<Tile>, Pending),
        depths: Depths,
        dirty: bool,
    ) -> Undecided {
        let positions = Plane::from_tiles(tiles);
        let dirty = Dirty::new(conversions.next.len(), dirty);
        Undecided { positions, conversions, dirty, depths }
    }

    /// What conversions do to each tile.
    pub fn conversions(&self) -> Vec<Release> {
        self.conversions.releases()
    }

    /// Whether some tile has to be looked at.
    pub fn is_due(&self, ply: u16) -> bool {
        self.dirty.any || self.conversions.first_due() == ply
    }

    /// The first ply at which a tile has a conversion due.
    pub fn first_due(&self) -> u16 {
        self.conversions.first_due()
    }

    /// Whether some tile will have to be looked at.
    pub fn will_change(&self) -> bool {
        self.dirty.any || self.conversions.first_due() != NEVER
    }

    /// Tiles a task takes at a time where conversions are not in memory.
    pub fn stretch_tiles(&self) -> Option<usize> {
        self.conversions.outside.as_ref().map(|_| STRETCH_TILES)
    }

    /// Cut into tasks of so many tiles, with what a wave decides, and the tiles to
    /// look at: all but those of other ranks.
    pub fn slabs<'a>(
        &'a mut self,
        decided: &'a mut Plane,
        tiles: usize,
    ) -> (Vec<Slab<'a>>, &'a Dirty) {
        let Undecided { positions, conversions, dirty, depths } = self;
        let open = positions.tiles.chunks_mut(tiles).zip(positions.live.chunks_mut(tiles));
        let decided = decided.tiles.chunks_mut(tiles).zip(decided.live.chunks_mut(tiles));
        let Pending { some, bits, ranges, next, outside } = conversions;
        // Where conversions are outside, lists of them may be missing.
        let some = some.chunks_mut(tiles).chain(std::iter::repeat_with(Default::default));
        let ranges = ranges.chunks(tiles).chain(std::iter::repeat_with(Default::default));
        let pending = some.zip(ranges).zip(next.chunks_mut(tiles));
        let outside = outside.as_ref();
        let depths = depths.slabs(tiles);
        let slabs = open.zip(decided).zip(pending).zip(depths).enumerate();
        let slab = |(i, ((((open, alive), (decided, live)), ((some, ranges), next)), depths))| {
            let first = i * tiles;
            let (due, following) = (Due::default(), NEVER);
            let outside = Outside { log: outside, stretch: i, due, following };
            Slab { first, open, alive, decided, live, some, bits, ranges, next, depths, outside }
        };
        (slabs.map(slab).collect(), dirty)
    }
}

/// A stretch of tiles, the work of one task.
pub(crate) struct Slab<'a> {
    /// Number of the first tile.
    pub first: usize,
    /// Undecided positions, and whether there are any.
    pub open: &'a mut [Tile],
    alive: &'a mut [bool],
    /// What the wave decides, and whether it is anything.
    pub decided: &'a mut [Tile],
    live: &'a mut [bool],
    /// What conversions do: see [`Pending`].
    some: &'a mut [Tile],
    bits: &'a TileHeap,
    ranges: &'a [TileRange],
    next: &'a mut [u16],
    depths: DepthSlab<'a>,
    outside: Outside<'a>,
}

/// The conversions of a stretch that are not in memory.
struct Outside<'a> {
    log: Option<&'a DueLog>,
    stretch: usize,
    /// Those of the ply in work.
    due: Due,
    /// When the tile in work is due next.
    following: u16,
}

/// One tile to look at.
pub(crate) struct TileStep<'a> {
    /// Whether a neighbour changed.
    pub changed: bool,
    /// Whether a conversion is due.
    pub due: bool,
    /// Undecided positions.
    pub open: &'a mut Tile,
    /// What their conversions do.
    pub waiting: Waiting<'a>,
    /// Becomes what is decided of them.
    pub decided: &'a mut Tile,
}

/// What conversions do to the positions of a tile.
pub(crate) enum Waiting<'a> {
    /// Those that have one, and the bits of its ply.
    Here { some: &'a mut Tile, bits: &'a [Tile] },
    /// Those that one still holds, if that is what conversions do; and those of
    /// which it is due now.
    Outside { held: Option<&'a mut Tile>, now: &'a Tile },
}

impl Waiting<'_> {
    /// The positions that conversions hold.
    pub fn held(&self) -> &Tile {
        match self {
            Waiting::Here { some, .. } => some,
            Waiting::Outside { held: Some(held), .. } => held,
            Waiting::Outside { held: None, .. } => &Tile::EMPTY,
        }
    }

    /// Conversions that hold until this ply no longer do.
    pub fn let_go(&mut self, backend: &dyn Backend, ply: u16) {
        match self {
            Waiting::Here { some, bits } => let_go(backend, some, bits, ply),
            Waiting::Outside { held: Some(held), now } => **held = backend.difference(held, now),
            Waiting::Outside { held: None, .. } => {}
        }
    }

    /// The positions whose conversion is due at this ply.
    pub fn due(&self, backend: &dyn Backend, ply: u16) -> Tile {
        match self {
            Waiting::Here { some, bits } => backend.release_at(Plies { some, bits }, ply),
            Waiting::Outside { now, .. } => **now,
        }
    }
}

impl Slab<'_> {
    /// Brings back the conversions of a ply, where they are not in memory.
    pub fn bring_back(&mut self, ply: u16) -> io::Result<()> {
        let Outside { log, stretch, due, .. } = &mut self.outside;
        if let Some(log) = log.filter(|_| self.next.contains(&ply)) {
            *due = log.at(*stretch, ply)?;
        }
        Ok(())
    }

    /// The i-th tile, if it has to be looked at.
    #[inline]
    pub fn step(&mut self, i: usize, ply: u16, changed: bool) -> Option<TileStep<'_>> {
        self.live[i] = false;
        let due = self.next[i] == ply;
        if !changed && !due {
            return None;
        }
        if !self.alive[i] {
            self.next[i] = NEVER;
            return None;
        }
        let (open, decided) = (&mut self.open[i], &mut self.decided[i]);
        let waiting = match &mut self.outside {
            Outside { log: None, .. } => {
                Waiting::Here { some: &mut self.some[i], bits: self.bits.get(self.ranges[i]) }
            }
            Outside { due: log, following, .. } => {
                let (now, next) = if due { log.take(i) } else { (&Tile::EMPTY, NEVER) };
                *following = next;
                Waiting::Outside { held: self.some.get_mut(i), now }
            }
        };
        Some(TileStep { changed, due, open, waiting, decided })
    }

    /// The i-th tile has been looked at, because of a conversion or not;
    /// something of it is left or not.
    #[inline]
    pub fn finish(&mut self, backend: &dyn Backend, i: usize, due: bool, left: bool) {
        self.alive[i] = left;
        if due && self.outside.log.is_some() {
            self.next[i] = self.outside.following;
        } else if due {
            let plies = Plies { some: &self.some[i], bits: self.bits.get(self.ranges[i]) };
            self.next[i] = next_due(backend, plies, &self.open[i]);
        }
    }

    /// Something of the i-th tile has been decided.
    #[inline]
    pub fn keep(&mut self, backend: &dyn Backend, i: usize, ply: u16) {
        self.live[i] = true;
        self.depths.decide(backend, i, ply, [&self.open[i], &self.decided[i]]);
    }
}

/// Tiles to look at in this wave, and in the next.
pub(crate) struct Dirty {
    now: Vec<AtomicBool>,
    next: Vec<AtomicBool>,
    /// Whether there are any in this wave.
    any: bool,
}

impl Dirty {
    fn new(tiles: usize, dirty: bool) -> Dirty {
        let all = |dirty| (0..tiles).map(|_| AtomicBool::new(dirty)).collect();
        Dirty { now: all(dirty), next: all(false), any: dirty }
    }

    /// A neighbour of the tile changed: the next wave looks at it, unless it is
    /// another rank's.
    #[inline]
    pub fn set(&self, tile: usize) {
        // Most are set already: a load is cheaper than a store.
        if let Some(flag) = self.next.get(tile).filter(|flag| !flag.load(Relaxed)) {
            flag.store(true, Relaxed);
        }
    }

    /// Whether this wave looks at the tile, which it then has done.
    #[inline]
    pub fn take(&self, tile: usize) -> bool {
        let dirty = self.now[tile].load(Relaxed);
        if dirty {
            self.now[tile].store(false, Relaxed);
        }
        dirty
    }

    /// Makes this wave look at these tiles instead.
    pub fn replace(&mut self, tiles: &[bool]) {
        self.now.par_iter_mut().zip(tiles).with_min_len(1024).for_each(|(now, tile)| {
            *now.get_mut() = *tile;
        });
        self.any = true;
    }

    /// Goes on to the next wave; whether there are any tiles in it.
    pub fn advance(&mut self, any: bool) {
        std::mem::swap(&mut self.now, &mut self.next);
        self.any = any;
    }
}
