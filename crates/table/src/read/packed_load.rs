//! All values of a part of a file of learnt contexts.

use std::ops::Range;

use molien_board::{Bitboard, Man, Square, Symmetry};
use molien_hyper::{king_pair, king_pair_squares};
use molien_pack::{CHUNK, ClassTile, DepthTile, Known};
use molien_values::{Placement, Value};
use rayon::prelude::*;

use crate::format::layout::Layout;
use crate::keys::arch::{self, RowKernels, Vectored, add_where};
use crate::keys::key::{DRAW_KEY, NONE_KEY, ValueKey, loss, win};
use crate::read::packed::{Packed, Scratches};
use crate::read::packed_tiles::class_value;
use crate::{TableError, TableFile};

/// What is told of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Told {
    /// Who wins.
    Outcomes,
    /// That, and whether in time for the 50-move rule.
    Classes,
    /// The depth in the metric at this place.
    Depths(usize),
}

impl Told {
    /// The metric whose depths are told.
    pub fn metric(self) -> Option<usize> {
        if let Told::Depths(metric) = self { Some(metric) } else { None }
    }
}

/// A stretch of tiles, decoded.
struct Stretch {
    /// Counted through all parts.
    tiles: Range<usize>,
    /// Of each stored side.
    classes: Vec<Vec<ClassTile>>,
}

/// What depths of a stretch are read with.
struct InStretch<'a> {
    first: usize,
    classes: &'a [ClassTile],
    earlier: Option<Vec<DepthTile>>,
    none: ClassTile,
}

impl Known for InStretch<'_> {
    fn classes(&mut self, tile: usize) -> &ClassTile {
        // A stream never leaves its stretch.
        self.classes.get(tile.wrapping_sub(self.first)).unwrap_or(&self.none)
    }

    fn earlier(&mut self, tile: usize) -> Option<&DepthTile> {
        self.earlier.as_ref()?.get(tile.wrapping_sub(self.first))
    }
}

fn copy_rows(to: &mut DepthTile, from: &DepthTile, rows: &[u8]) {
    rows.iter().map(|&row| usize::from(row)).for_each(|row| to[row] = from[row]);
}

impl TableFile {
    /// The values of all cells of a part that are stored, of each stored side to
    /// move. Depths that are not stored, or not asked for, are 0.
    pub(crate) fn packed_keys(
        &self,
        packed: &Packed,
        part: usize,
        told: Told,
    ) -> Result<Vec<Vec<ValueKey>>, TableError> {
        let (per_part, cells) = (packed.layout.tiles_per_part(), packed.layout.rows() * 64);
        let mut keys = vec![vec![NONE_KEY; per_part * cells]; packed.sides.len()];
        let mut stretches: Vec<Vec<&mut [ValueKey]>> = Vec::new();
        for (side, keys) in keys.iter_mut().enumerate() {
            for (i, some) in keys.chunks_mut(CHUNK * cells).enumerate() {
                if side == 0 {
                    stretches.push(Vec::new());
                }
                stretches[i].push(some);
            }
        }
        stretches.into_par_iter().enumerate().try_for_each(|(i, mut keys)| {
            let first = part * per_part + i * CHUNK;
            let tiles = first..first + keys[0].len() / cells;
            self.go_on()?;
            packed.with_scratch(|scratch| {
                let stretch = self.stretch(packed, tiles, scratch)?;
                for (side, keys) in keys.iter_mut().enumerate() {
                    self.set_keys(packed, &stretch, (side, told), scratch, keys)?;
                }
                Ok(())
            })
        })?;
        Ok(keys)
    }

    /// The classes of a stretch.
    fn stretch(
        &self,
        packed: &Packed,
        tiles: Range<usize>,
        scratch: &mut Scratches,
    ) -> Result<Stretch, TableError> {
        let section = self.classes(packed)?;
        let empty = vec![ClassTile::default(); tiles.len()];
        let mut classes = vec![empty; packed.sides.len()];
        for stream in section.table.streams_of(tiles.clone()) {
            let range = Some(section.table.range(stream));
            let data = self.stream_data(packed, &section.data, range)?;
            let found = |tile: usize, rows: &[u8], base: &ClassTile, second: &ClassTile| {
                let place = tile.wrapping_sub(tiles.start);
                for (to, from) in classes.iter_mut().zip([base, second]) {
                    if let Some(to) = to.get_mut(place) {
                        to.copy_rows(from, rows);
                    }
                }
            };
            let scratch = &mut scratch.classes;
            let read = section.table.read_stream(scratch, data, stream, tiles.clone(), found);
            read.map_err(|error| self.bad_section(&error))?;
        }
        Ok(Stretch { tiles, classes })
    }

    /// The depths of a stretch.
    fn stretch_depths(
        &self,
        packed: &Packed,
        stretch: &Stretch,
        (side, metric): (usize, usize),
        scratch: &mut Scratches,
    ) -> Result<Vec<DepthTile>, TableError> {
        let (first, classes) = (stretch.tiles.start, &stretch.classes[side][..]);
        let earlier = self.earlier(metric);
        let earlier = earlier.map(|m| self.stretch_depths(packed, stretch, (side, m), scratch));
        let earlier = earlier.transpose()?;
        let mut known = InStretch { first, classes, earlier, none: ClassTile::default() };
        let section = self.depths(packed, metric, packed.sides[side])?;
        let mut depths = vec![[[0; 64]; 64]; stretch.tiles.len()];
        for stream in section.table.streams_of(stretch.tiles.clone()) {
            let range = Some(section.table.range(stream));
            let data = self.stream_data(packed, &section.data, range)?;
            let found = |tile: usize, rows: &[u8], from: &DepthTile| {
                if let Some(to) = depths.get_mut(tile.wrapping_sub(first)) {
                    copy_rows(to, from, rows);
                }
            };
            let (scratch, some) = (&mut scratch.depths, (stream, stretch.tiles.clone()));
            let read = section.table.read_stream(scratch, data, some, &mut known, found);
            read.map_err(|error| self.bad_section(&error))?;
        }
        Ok(depths)
    }

    fn set_keys(
        &self,
        packed: &Packed,
        stretch: &Stretch,
        (side, told): (usize, Told),
        scratch: &mut Scratches,
        keys: &mut [ValueKey],
    ) -> Result<(), TableError> {
        let is_stored =
            |metric: &usize| self.shared.meta.depth_section(*metric, packed.sides[side]).is_some();
        let deep = told.metric().filter(is_stored);
        let depths = deep.map(|m| self.stretch_depths(packed, stretch, (side, m), scratch));
        let depths = depths.transpose()?;
        let plain = std::array::from_fn(|class| {
            let value = class_value(class as u8);
            let told = (told == Told::Classes).then(|| value.plies()).flatten();
            match value {
                Value::Win(_) => win(told.unwrap_or(0)),
                Value::Draw => DRAW_KEY,
                Value::Loss(_) => loss(told.unwrap_or(0)),
            }
        });
        for (i, keys) in keys.chunks_mut(packed.layout.rows() * 64).enumerate() {
            let (classes, depths) = (&stretch.classes[side][i], depths.as_ref().map(|d| &d[i]));
            let out = keys.as_chunks_mut().0;
            arch::run(TileKeys { classes, depths, plain: &plain, out });
        }
        Ok(())
    }
}

/// The keys of a tile, to be found.
struct TileKeys<'a> {
    classes: &'a ClassTile,
    /// Without depths each class has a key of its own.
    depths: Option<&'a DepthTile>,
    plain: &'a [ValueKey; 5],
    out: &'a mut [[ValueKey; 64]],
}

impl TileKeys<'_> {
    /// The keys of 16 cells of a row.
    #[inline(always)]
    fn quarter(&self, row: usize, quarter: usize) -> [ValueKey; 16] {
        let part = |word: u64| (word >> (16 * quarter)) as u16;
        let mut keys = [0; 16];
        add_where(part(!self.classes.known(row)), NONE_KEY, &mut keys);
        let Some(depths) = self.depths else {
            for (class, &key) in self.plain.iter().enumerate() {
                add_where(part(self.classes.exactly(row, class)), key, &mut keys);
            }
            return keys;
        };
        let [lost, draws, won] = [1, 2, 4].map(|class| self.classes.at_most[class][row]);
        let (mut wins, mut losses) = ([0; 16], [0; 16]);
        add_where(part(won & !draws), !0, &mut wins);
        add_where(part(lost), !0, &mut losses);
        let plies = &depths[row].as_chunks::<16>().0[quarter];
        for (i, key) in keys.iter_mut().enumerate() {
            let plies = plies[i] as ValueKey;
            *key |= (wins[i] & (win(0).wrapping_sub(plies)))
                | (losses[i] & loss(0).wrapping_add(plies));
        }
        keys
    }
}

impl Vectored for TileKeys<'_> {
    type Out = ();

    #[inline(always)]
    fn run<R: RowKernels>(self) {
        for row in 0..self.out.len().min(64) {
            if self.classes.known(row) != 0 {
                for quarter in 0..4 {
                    let keys = self.quarter(row, quarter);
                    self.out[row].as_chunks_mut::<16>().0[quarter] = keys;
                }
            }
        }
    }
}

/// Where the positions of a part are with colours exchanged, for materials with
/// the same men on both sides.
pub(crate) struct Exchanged<'a> {
    layout: &'a Layout,
    /// For each placed man, his opposite number.
    opposite: Vec<usize>,
    /// How the exchanged pawns are brought into the order of parts.
    symmetry: Symmetry,
    /// The part they are in.
    pub part: usize,
}

impl<'a> Exchanged<'a> {
    pub fn new(layout: &'a Layout, part: usize) -> Exchanged<'a> {
        let men = &layout.men;
        let opposite = |(i, man): (usize, &Man)| {
            let like = men[..i].iter().filter(|other| *other == man).count();
            let wanted = Man::new(!man.color, man.role);
            let places = (0..men.len()).filter(|&place| men[place] == wanted);
            places.clone().nth(like).unwrap_or(i)
        };
        let [white, black] = layout.placements[part].bitboards();
        let turned = |set: Bitboard| Bitboard(set.0.swap_bytes());
        let (pawns, mirrored) = Placement::new([turned(black), turned(white)]).canonical();
        Exchanged {
            layout,
            opposite: men.iter().enumerate().map(opposite).collect(),
            symmetry: if mirrored { Symmetry::MIRROR } else { Symmetry::IDENTITY },
            part: layout.placements.binary_search(&pawns).unwrap_or(part),
        }
    }

    /// Where the positions of a class of kings are in that part; `None` if the kings are too near
    /// each other.
    fn class(&self, class: usize) -> Option<ExchangedClass> {
        let men = self.layout.men.len();
        let shift = |man: usize| 6 * (men - 1 - man);
        let turned = |square: Square| Square::new(square.index() ^ 56);
        let (class, symmetry) = match self.layout.material.has_pawns() {
            true => (0, self.symmetry),
            false => {
                let (white, black) = king_pair_squares(class);
                let pair = king_pair(turned(black), turned(white))?;
                (pair.class, pair.symmetry)
            }
        };
        let place = |man: usize, square: usize| {
            let square = symmetry.square(turned(Square::new(square)));
            square.index() << shift(self.opposite[man])
        };
        let places = (0..men).map(|man| std::array::from_fn(|square| place(man, square)));
        Some(ExchangedClass { start: class << (6 * men), places: places.collect() })
    }

    /// The keys of a part with Black to move from those of its opposite with White
    /// to move, all images filled in.
    pub fn keys(&self, white: &[ValueKey]) -> Vec<ValueKey> {
        let men = self.layout.men.len();
        let step = 1 << (6 * men.min(2));
        let mut keys = vec![NONE_KEY; white.len()];
        keys.par_chunks_mut(step).enumerate().with_min_len(4).for_each(|(i, keys)| {
            let Some(class) = self.class((i * step) >> (6 * men)) else { return };
            let Some((last, others)) = class.places.split_last() else { return };
            for (row, keys) in keys.chunks_mut(64).enumerate() {
                let rows = i * step / 64 + row;
                let others = others.iter().rev().enumerate();
                let start = others.map(|(place, man)| man[rows >> (6 * place) & 63]);
                let start = class.start + start.sum::<usize>();
                keys.iter_mut().zip(last).for_each(|(key, place)| *key = white[start + place]);
            }
        });
        keys
    }
}

/// Where the positions of a class of kings are with colours exchanged: a cell, and what is
/// added for each man and his square.
struct ExchangedClass {
    start: usize,
    places: Vec<[usize; 64]>,
}
