//! What is read after a promotion of a table without pawns that is too large for
//! memory.
//!
//! Its values come class by class of the kings, from its file or from the log of
//! its waves; a slice has all classes. So the planes of one side to move are put
//! away class by class, and brought back one after the other: then one plane of the
//! table is in memory, and one of the slice.

use std::io;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KING_PAIRS, OuterAxes, Tile};
use molien_solve::{SolveError, Wanted, planes_of_piece_board};
use molien_table::{ByClass, Logged, PackedSide, PlaneStore, WaveLogs};
use molien_values::Graded;
use rayon::prelude::*;

use crate::cache::Key;
use crate::inputs::Inputs;
use crate::memory::plane_bytes;
use crate::slices::Slicing;
use crate::{Build, BuildError, lock};

/// Planes alive at a time beside the slice's: one of the table, one turned.
const CUTTING_PLANES: u64 = 2;

/// The planes of one side to move, class by class.
struct SideByClass<'a> {
    board: &'a Hyperboard,
    store: PlaneStore,
    classes: Vec<PackedSide>,
}

impl SideByClass<'_> {
    /// The bits of depths there are.
    fn depth(&self) -> usize {
        self.classes.first().map_or(0, |class| class.count() - 3)
    }

    /// One plane of all classes.
    fn plane(&self, number: usize) -> io::Result<Vec<Tile>> {
        let classes = self.classes.par_iter().map(|class| class.plane(number, &self.store));
        let classes = classes.collect::<io::Result<Vec<_>>>()?;
        let mut plane = Vec::with_capacity(self.board.tiles());
        classes.into_iter().for_each(|class| plane.extend(class));
        Ok(plane)
    }
}

impl Build {
    /// Copies slices of a table without pawns that is never in memory as a whole.
    pub(crate) fn copy_piece_slices(&self, some: Slicing<'_>) -> Result<(), BuildError> {
        if self.take_slices(some)? {
            return Ok(());
        }
        let Slicing { inputs, key, slices } = some;
        let table = self.by_class(key)?;
        inputs.note_curses(table.stats.is_cursed());
        let slice_tiles = slices.iter().map(|wanted| OuterAxes::new(&wanted.men).len()).max();
        let bytes = CUTTING_PLANES * plane_bytes(table.board().tiles() as u64)
            + 2 * plane_bytes(slice_tiles.unwrap_or(0) as u64);
        let _room = self.reserve(key, bytes)?;
        for turn in Color::BOTH {
            let wanted: Vec<&Wanted> =
                slices.iter().filter(|wanted| wanted.stored_turn() == turn).collect();
            if !wanted.is_empty() {
                self.pool().install(|| self.cut_side(inputs, &table, turn, &wanted))?;
            }
        }
        Ok(())
    }

    fn cut_side(
        &self,
        inputs: &Inputs,
        table: &ByClass,
        turn: Color,
        slices: &[&Wanted],
    ) -> Result<(), BuildError> {
        let material = table.board().material();
        let packing = |error| BuildError::packing(material, error);
        let side = self.put_away(table, turn, slices.iter().any(|wanted| wanted.depths))?;
        let planes = |wanted: &Wanted| 3 + if wanted.depths { side.depth() } else { 0 };
        let mut growing: Vec<Growing> =
            slices.iter().map(|wanted| Growing::new(wanted, planes(wanted))).collect();
        for number in 0..3 + side.depth() {
            let plane = side.plane(number).map_err(packing)?;
            for (wanted, slice) in slices.iter().zip(&mut growing) {
                if number >= planes(wanted) {
                    continue;
                }
                let board = table.board();
                let cut = planes_of_piece_board(self.backend, board, wanted, &[&plane]);
                let store = inputs.slice_store().ok_or(BuildError::NoFolder)?;
                cut.into_iter().try_for_each(|cut| slice.add(cut, store)).map_err(packing)?;
            }
        }
        for (wanted, slice) in slices.iter().zip(growing) {
            let store = inputs.slice_store().ok_or(BuildError::NoFolder)?;
            inputs.keep_packed(wanted, slice.finish(store).map_err(packing)?);
        }
        Ok(())
    }

    /// Puts the planes of one side to move away, class by class.
    fn put_away<'a>(
        &self,
        table: &'a ByClass,
        turn: Color,
        depths: bool,
    ) -> Result<SideByClass<'a>, BuildError> {
        let board = table.board();
        let packing = |error| BuildError::packing(board.material(), error);
        let store = self.plane_store().map_err(packing)?;
        let class = |class: usize| -> Result<PackedSide, BuildError> {
            if self.progress.cancelled() {
                return Err(SolveError::Cancelled { material: board.material() }.into());
            }
            let mut values = table.class(class)?;
            let mut side = std::mem::take(&mut values[turn.index()]);
            side.stalemate = Vec::new();
            if !depths {
                side.depth = Vec::new();
            }
            PackedSide::new(side, &store).map_err(packing)
        };
        let classes = (0..KING_PAIRS).into_par_iter().map(class);
        let classes = classes.collect::<Result<Vec<_>, BuildError>>()?;
        Ok(SideByClass { board, store, classes })
    }

    /// A table without pawns, from its file, else solved for its waves.
    fn by_class(&self, key: Key) -> Result<ByClass, BuildError> {
        match self.stored_file(key)? {
            Some(file) => Ok(file.by_class(key.1)?),
            None => Ok(self.scratch_waves(key)?.by_class()),
        }
    }

    /// The waves of a table without pawns that is not stored, in a temporary
    /// folder.
    fn scratch_waves(&self, key: Key) -> Result<Logged, BuildError> {
        if let Some(logged) = lock(&self.waves).get(&key) {
            return Ok(logged.clone());
        }
        let (material, metric) = key;
        if !self.may_solve {
            return Err(BuildError::Missing { material, metric });
        }
        self.make_disk_room(key)?;
        let folder = self.scratch_folder().map_err(|error| BuildError::packing(material, error))?;
        let logs = WaveLogs::new(folder).with_worth_tiles(0);
        let stats = self.solve_logged(material, metric, &logs)?;
        let logged = logs.finish(&stats)?;
        lock(&self.waves).insert(key, logged.clone());
        Ok(logged)
    }

    /// Whether a table without pawns is too large for memory.
    pub(crate) fn is_logged(&self, material: Material) -> bool {
        !material.has_pawns() && material.len() >= self.by_part_men
    }
}

/// A slice of which planes are added one after the other.
enum Growing {
    /// Its planes are packed together.
    Small(Vec<Vec<Tile>>),
    Large(PackedSide),
}

impl Growing {
    fn new(wanted: &Wanted, planes: usize) -> Growing {
        let tiles = OuterAxes::new(&wanted.men).len();
        match PackedSide::is_small_board(tiles) {
            true => Growing::Small(Vec::new()),
            false => Growing::Large(PackedSide::begin(tiles, planes - 3)),
        }
    }

    fn add(&mut self, plane: Vec<Tile>, store: &PlaneStore) -> io::Result<()> {
        match self {
            Growing::Small(planes) => planes.push(plane),
            Growing::Large(side) => side.add_plane(&plane, store)?,
        }
        Ok(())
    }

    fn finish(self, store: &PlaneStore) -> io::Result<PackedSide> {
        let mut planes = match self {
            Growing::Large(side) => return Ok(side),
            Growing::Small(planes) => planes.into_iter(),
        };
        let mut next = || planes.next().unwrap_or_default();
        let (legal, won, lost) = (next(), next(), next());
        let side = Graded { legal, won, lost, depth: planes.collect(), stalemate: Vec::new() };
        PackedSide::new(side, store)
    }
}
