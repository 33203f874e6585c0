//! All values of a part at once.

use std::borrow::Cow;

use molien_board::{Bitboard, Square, Symmetry};
use molien_values::Metric;
use rayon::prelude::*;

use crate::format::coding::Malformed;
use crate::format::layout::Layout;
use crate::format::predict::Room;
use crate::keys::gather::Seen;
use crate::keys::key::{NONE_KEY, ValueKey, after, without_rule_draw};
use crate::read::cut::CutCells;
use crate::read::packed_load::Told;
use crate::{TableError, TableFile};

/// Other cells that hold the same position: like men in another order, and
/// mirror images.
pub(super) struct Images {
    /// For each order of like men but the first, which man takes whose place.
    orders: Vec<Vec<usize>>,
    men: usize,
    /// Like men side by side in file order: in the first order their squares rise.
    like: Vec<[usize; 2]>,
}

impl Images {
    pub fn new(layout: &Layout) -> Images {
        let men = &layout.men;
        let mut orders: Vec<Vec<usize>> = vec![Vec::new()];
        for man in men {
            let extend = |order: Vec<usize>| {
                let free = (0..men.len()).filter(|i| men[*i] == *man && !order.contains(i));
                free.map(|i| [&order[..], &[i]].concat()).collect::<Vec<_>>()
            };
            orders = orders.into_iter().flat_map(extend).collect();
        }
        let next_like = |i: usize| (i + 1..men.len()).find(|&j| men[j] == men[i]);
        let like = (0..men.len()).filter_map(|i| Some([i, next_like(i)?])).collect();
        Images { orders, men: men.len(), like }
    }

    /// Whether every position has just one cell.
    fn is_trivial(&self) -> bool {
        self.orders.len() == 1
    }

    /// Where the square of a man is in the number of a cell.
    fn shift(&self, man: usize) -> usize {
        6 * (self.men - 1 - man)
    }

    /// The cells (numbered in their part) that hold the position of a cell, itself included.
    fn of(&self, cell: usize, mirror: Option<Symmetry>) -> impl Iterator<Item = usize> {
        let class = cell >> (6 * self.men) << (6 * self.men);
        let image = move |symmetry: Symmetry, order: &[usize]| {
            let place = |(man, &from): (usize, &usize)| {
                let square = Square::new(cell >> self.shift(from));
                symmetry.square(square).index() << self.shift(man)
            };
            class + order.iter().enumerate().map(place).sum::<usize>()
        };
        let symmetries = std::iter::once(Symmetry::IDENTITY).chain(mirror);
        symmetries
            .flat_map(move |symmetry| self.orders.iter().map(move |order| image(symmetry, order)))
    }

    /// Gives the images of a cell the same key.
    fn fill(&self, keys: &mut [ValueKey], first: usize, cell: usize, mirror: Option<Symmetry>) {
        let key = keys[cell - first];
        self.of(cell, mirror).for_each(|image| keys[image - first] = key);
    }

    /// Gives the images of all cells of a king class, which starts with this cell, the
    /// same key.
    fn fill_class(&self, keys: &mut [ValueKey], first: usize, mirror: Option<Symmetry>) {
        if mirror.is_none() {
            return self.fill_orders(keys);
        }
        for cell in 0..keys.len() {
            if keys[cell] != NONE_KEY && self.is_rising(cell) {
                self.fill(keys, first, first + cell, mirror);
            }
        }
    }

    /// Whether like men of a cell stand in the first order: others are images that have
    /// been filled.
    #[inline]
    fn is_rising(&self, cell: usize) -> bool {
        let square = |man: usize| cell >> self.shift(man) & 63;
        self.like.iter().all(|&[a, b]| square(a) < square(b))
    }

    /// The same without mirror images: an order moves the squares of like men, the rest
    /// of a cell's number stays.
    fn fill_orders(&self, keys: &mut [ValueKey]) {
        let moves = |order: &Vec<usize>| -> (usize, Vec<[usize; 2]>) {
            let moved = order.iter().enumerate().filter(|&(man, &from)| man != from);
            let moved: Vec<[usize; 2]> =
                moved.map(|(man, &from)| [self.shift(from), self.shift(man)]).collect();
            (!moved.iter().fold(0, |mask, [_, to]| mask | 63 << to), moved)
        };
        let orders: Vec<(usize, Vec<[usize; 2]>)> =
            self.orders.iter().map(moves).filter(|(_, moved)| !moved.is_empty()).collect();
        for cell in 0..keys.len() {
            let key = keys[cell];
            if key == NONE_KEY || !self.is_rising(cell) {
                continue;
            }
            for (kept, moved) in &orders {
                let image = moved.iter().map(|[from, to]| (cell >> from & 63) << to);
                keys[image.fold(cell & kept, |image, square| image | square)] = key;
            }
        }
    }

    /// A copy of the keys of a part in which all images of a cell have its key, made by
    /// all threads.
    fn filled(&self, keys: &[ValueKey], mirror: Option<Symmetry>) -> Vec<ValueKey> {
        let key = |cell: usize| match (keys[self.risen(cell)], mirror) {
            (NONE_KEY, Some(mirror)) => keys[self.risen(self.mirrored(cell, mirror))],
            (key, _) => key,
        };
        (0..keys.len()).into_par_iter().with_min_len(1 << 14).map(key).collect()
    }

    /// The image of a cell with like men in the first order.
    #[inline]
    fn risen(&self, cell: usize) -> usize {
        // Neighbours are exchanged until all rise: there are as many pairs as men who may
        // have to pass all others.
        let exchanged = |cell: usize, &[a, b]: &[usize; 2]| {
            let [high, low] = [self.shift(a), self.shift(b)];
            let [first, second] = [cell >> high & 63, cell >> low & 63];
            let changes = if first > second { first ^ second } else { 0 };
            cell ^ (changes << high | changes << low)
        };
        self.like.iter().fold(cell, |cell, _| self.like.iter().fold(cell, exchanged))
    }

    /// The cell of the mirror image.
    fn mirrored(&self, cell: usize, mirror: Symmetry) -> usize {
        let class = cell >> (6 * self.men) << (6 * self.men);
        let place = |man: usize| {
            let square = Square::new(cell >> self.shift(man));
            mirror.square(square).index() << self.shift(man)
        };
        class + (0..self.men).map(place).sum::<usize>()
    }
}

/// Decodes the parts of a file.
pub(crate) struct PartDecoder<'a> {
    pub file: &'a TableFile,
    /// What is told of values; classes only of files of learnt contexts.
    pub told: Told,
    /// The cells that are wanted of a part. Others may be left out.
    pub cells: CutCells,
}

/// Blocks decoded one after the other where each could be by itself.
const BLOCKS_AT_ONCE: usize = 16;

/// Like men around pawns make one group of a whole part. From so many cells on, those of
/// six men around one pawn, that is too much for one thread: images are filled in a copy.
const COPIED_CELLS: usize = 1 << 30;

/// Groups of blocks, each of which is decoded by one thread.
#[derive(Clone, Copy)]
struct Groups {
    /// Blocks of a group.
    blocks: usize,
    /// Cells of a group.
    cells: usize,
}

impl PartDecoder<'_> {
    pub(super) fn layout(&self) -> &Layout {
        &self.file.shared.meta.layout
    }

    /// Groups that can be decoded apart: no image of a cell lies in another.
    fn groups(&self) -> Groups {
        let layout = self.layout();
        let class_tiles = 1 << (6 * layout.outer_len());
        self.groups_of((class_tiles / layout.tiles_per_block).max(1))
    }

    /// The same for one part, smaller if its cells have no images.
    fn groups_in(&self, images: &Images, part: usize) -> Groups {
        let layout = self.layout();
        let has_mirrors = !layout.material.has_pawns() || layout.own_mirror(part, 0).is_some();
        match images.is_trivial() && !has_mirrors {
            true => self.groups_of(BLOCKS_AT_ONCE),
            false => self.groups(),
        }
    }

    fn groups_of(&self, blocks: usize) -> Groups {
        let layout = self.layout();
        Groups { blocks, cells: blocks * layout.tiles_per_block * layout.tile_cells() }
    }

    fn malformed(&self, block: usize) -> impl Fn(Malformed) -> TableError + '_ {
        move |Malformed(why)| self.file.malformed(block, why)
    }

    /// The values of all cells of a part: of the base side, [`PartDecoder::base_seen`] says as who
    /// sees them, and of the predicted side.
    pub fn decode(&self, part: usize) -> Result<[Vec<ValueKey>; 2], TableError> {
        if let Some(packed) = &self.file.packed {
            return self.decode_packed(packed, part);
        }
        let base = self.decode_promises(part)?;
        let own = self.decode_predicted(part, &base)?;
        Ok([base, own].map(|keys| self.told(keys)))
    }

    /// Who sees the base side's values as [`PartDecoder::decode`] gives them: in files of learnt
    /// contexts nobody is promised anything.
    pub(super) fn base_seen(&self) -> Seen {
        if self.file.packed.is_some() { Seen::ToMove } else { Seen::After }
    }

    /// The keys as they are told: a draw by the 50-move rule is written as
    /// something else.
    pub(super) fn told(&self, mut keys: Vec<ValueKey>) -> Vec<ValueKey> {
        let metric = self.told.metric().map(|place| self.file.shared.meta.metrics[place].metric);
        if metric == Some(Metric::Dtm50) {
            let keys = keys.par_iter_mut().with_min_len(1 << 16);
            keys.for_each(|key| *key = without_rule_draw(*key));
        }
        keys
    }

    /// The base side of [`PartDecoder::decode`].
    pub fn decode_base(&self, part: usize) -> Result<Vec<ValueKey>, TableError> {
        self.decode_promises(part).map(|keys| self.told(keys))
    }

    /// The base side's values as they are written: what the predicted side's are
    /// read with.
    fn decode_promises(&self, part: usize) -> Result<Vec<ValueKey>, TableError> {
        let decode = |groups, group, keys: &mut [_]| self.base_group(part, groups, group, keys);
        self.decode_groups(part, COPIED_CELLS, decode, after)
    }

    /// The keys of a part, group by group, with all images, each as `finish` has it. Of
    /// `copied_cells` cells or more images are looked up once all groups are there.
    fn decode_groups(
        &self,
        part: usize,
        copied_cells: usize,
        decode: impl Fn(Groups, usize, &mut [ValueKey]) -> Result<(), TableError> + Sync,
        finish: impl Fn(ValueKey) -> ValueKey + Sync,
    ) -> Result<Vec<ValueKey>, TableError> {
        let layout = self.layout();
        let images = Images::new(layout);
        let mut keys = vec![NONE_KEY; layout.tiles_per_part() * layout.tile_cells()];
        let copies = layout.material.has_pawns() && !images.is_trivial();
        let copies = copies && keys.len() >= copied_cells;
        let groups =
            if copies { self.groups_of(BLOCKS_AT_ONCE) } else { self.groups_in(&images, part) };
        keys.par_chunks_mut(groups.cells).enumerate().try_for_each(|(group, keys)| {
            decode(groups, group, keys)?;
            if !copies {
                self.fill_images(&images, part, group * groups.cells, keys);
                self.finish(group * groups.cells, keys, &finish);
            }
            Ok::<(), TableError>(())
        })?;
        if copies {
            keys = images.filled(&keys, layout.own_mirror(part, 0));
            keys.par_iter_mut().with_min_len(1 << 16).for_each(|key| *key = finish(*key));
        }
        Ok(keys)
    }

    /// Finishes the keys of the cells that are wanted, from a tile's first on.
    fn finish(&self, first: usize, keys: &mut [ValueKey], finish: impl Fn(ValueKey) -> ValueKey) {
        if self.cells.is_all() {
            return keys.iter_mut().for_each(|key| *key = finish(*key));
        }
        let tile_cells = self.layout().tile_cells();
        for (i, keys) in keys.chunks_mut(tile_cells).enumerate() {
            let keys = keys.as_chunks_mut::<64>().0;
            for row in Bitboard(self.cells.rows(first / tile_cells + i)) {
                keys[row.index()].iter_mut().for_each(|key| *key = finish(*key));
            }
        }
    }

    /// The predicted side of [`PartDecoder::decode`], from the base side.
    fn decode_predicted(
        &self,
        part: usize,
        base: &[ValueKey],
    ) -> Result<Vec<ValueKey>, TableError> {
        let decode =
            |groups, group, keys: &mut [_]| self.own_group(part, groups, group, (base, 0), keys);
        self.decode_groups(part, COPIED_CELLS, decode, |key| key)
    }

    /// Checks that a part can be decoded, with no more memory than that takes.
    pub fn check(&self, part: usize) -> Result<(), TableError> {
        let layout = self.layout();
        if layout.king_moves || self.file.packed.is_some() {
            return self.decode(part).map(drop);
        }
        let images = Images::new(layout);
        let (cells, whole) = (self.groups().cells, layout.tiles_per_part() * layout.tile_cells());
        let groups = (0..whole.div_ceil(cells)).into_par_iter();
        groups.try_for_each(|group| self.group(&images, part, group).map(drop))
    }

    /// The values of the cells of a group where no king's moves count: of the
    /// base side as seen after a move of the other, and of the predicted side,
    /// its images left out.
    fn group(
        &self,
        images: &Images,
        part: usize,
        group: usize,
    ) -> Result<[Vec<ValueKey>; 2], TableError> {
        let (layout, groups) = (self.layout(), self.groups());
        let (first, tile_cells) = (group * groups.cells, layout.tile_cells());
        let whole = layout.tiles_per_part() * tile_cells;
        let mut base = vec![NONE_KEY; groups.cells.min(whole - first)];
        let mut own = base.clone();
        self.base_group(part, groups, group, &mut base)?;
        self.fill_images(images, part, first, &mut base);
        base.iter_mut().for_each(|key| *key = after(*key));
        self.own_group(part, groups, group, (&base, first / tile_cells), &mut own)?;
        Ok([base, own])
    }

    /// The values of all cells of a king class, as [`PartDecoder::decode`]
    /// gives those of a part. Only where no king's moves count, and of
    /// more than two pieces, so that a class is a group.
    pub fn class(&self, class: usize) -> Result<[Vec<ValueKey>; 2], TableError> {
        let images = Images::new(self.layout());
        let [base, mut own] = self.group(&images, 0, class)?;
        self.fill_images(&images, 0, class * self.groups().cells, &mut own);
        Ok([base, own].map(|keys| self.told(keys)))
    }

    /// The blocks of a group that have cells which are wanted: their numbers, and their
    /// share of the keys of the group.
    fn blocks<'k>(
        &self,
        part: usize,
        groups: Groups,
        group: usize,
        keys: &'k mut [ValueKey],
    ) -> impl Iterator<Item = (usize, &'k mut [ValueKey])> {
        let layout = self.layout();
        let (per_part, tiles) = (layout.blocks_per_part(), layout.tiles_per_block);
        let blocks = keys.chunks_mut(tiles * layout.tile_cells()).enumerate();
        let numbered = blocks.map(move |(i, keys)| (group * groups.blocks + i, keys));
        let wanted = move |number: usize| {
            let mut tiles = number * tiles..(number + 1) * tiles;
            tiles.any(|tile| self.cells.rows(tile) != 0)
        };
        numbered
            .filter(move |(number, _)| wanted(*number))
            .map(move |(number, keys)| (part * per_part + number, keys))
    }

    fn base_group(
        &self,
        part: usize,
        groups: Groups,
        group: usize,
        keys: &mut [ValueKey],
    ) -> Result<(), TableError> {
        let shared = &self.file.shared;
        for (number, keys) in self.blocks(part, groups, group, keys) {
            self.file.go_on()?;
            let block = self.file.read_block(number)?;
            let decoded = match self.told.metric() {
                // Depths are written one after the other, outcomes can be looked up.
                None => block.base_outcomes(shared, &self.cells, keys),
                metric => block.base_keys(shared, metric, keys),
            };
            decoded.map_err(self.malformed(number))?;
        }
        Ok(())
    }

    fn own_group(
        &self,
        part: usize,
        groups: Groups,
        group: usize,
        (base, first_tile): (&[ValueKey], usize),
        keys: &mut [ValueKey],
    ) -> Result<(), TableError> {
        let (layout, shared) = (self.layout(), &self.file.shared);
        let tile_cells = layout.tile_cells();
        let look = |tile: usize| {
            let start = (tile - first_tile) * tile_cells;
            Cow::Borrowed(&base[start..start + tile_cells])
        };
        let mut room = Room::new();
        for (number, keys) in self.blocks(part, groups, group, keys) {
            self.file.go_on()?;
            let block = self.file.read_block(number)?;
            for (i, tile) in block.shape.tiles.iter().enumerate() {
                let rows = self.cells.rows(tile.number);
                if rows == 0 {
                    continue;
                }
                room.predict(layout, tile, &look);
                let best = &mut room.best.as_flattened_mut()[..tile_cells];
                let out = &mut keys[tile.range()];
                block
                    .raise_by_hints(shared, self.told.metric(), i, best)
                    .and_then(|()| block.own_keys(shared, self.told.metric(), (i, rows), best, out))
                    .map_err(self.malformed(number))?;
            }
        }
        Ok(())
    }

    pub(super) fn fill_images(
        &self,
        images: &Images,
        part: usize,
        first: usize,
        keys: &mut [ValueKey],
    ) {
        let layout = self.layout();
        let class_cells = 1 << (6 * layout.men.len());
        let classes = keys.par_chunks_mut(class_cells).enumerate();
        classes.for_each(|(number, keys)| {
            let start = first + number * class_cells;
            let mirror = layout.own_mirror(part, start / class_cells);
            if !images.is_trivial() || mirror.is_some() {
                images.fill_class(keys, start, mirror);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{WriteOptions, write};
    use molien_board::{Color, Material};
    use molien_hyper::{Hyperboard, Tile};
    use molien_operators::fastest;
    use molien_solve::board_stats;
    use molien_testing::Random;
    use molien_values::{BoardValues, Graded, Placement, Table};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Two or three like men, one key for each position: all its images have it, whether
    /// they are filled one by one or in a copy.
    #[test]
    fn images_are_filled_in_place_and_in_a_copy() {
        let two = Images { orders: vec![vec![0, 1, 2], vec![0, 2, 1]], men: 3, like: vec![[1, 2]] };
        let three = Images {
            orders: [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
                .map(|order| order.to_vec())
                .to_vec(),
            men: 3,
            like: vec![[0, 1], [1, 2]],
        };
        let mut random = Random::new(7);
        let mirrors = [None, Some(Symmetry::MIRROR)];
        for (images, mirror) in [&two, &three].into_iter().flat_map(|i| mirrors.map(|m| (i, m))) {
            let mut keys: Vec<ValueKey> = vec![NONE_KEY; 1 << 18];
            for cell in 0..keys.len() {
                let is_first = images.of(cell, mirror).all(|image| image >= cell);
                let apart = images.is_rising(cell);
                if is_first && apart && !random.number().is_multiple_of(3) {
                    keys[cell] = 1 + (random.number() % 90) as ValueKey;
                }
            }
            let copy = images.filled(&keys, mirror);
            images.fill_class(&mut keys, 0, mirror);
            assert!(copy == keys && copy.contains(&NONE_KEY));
        }
    }

    /// A board around these pawns with values that no solver found: with White to move he
    /// wins in 1 if his king stands on the lower half, with Black to move he loses in 2 if
    /// White's stands on the upper.
    fn made_up(material: Material, pawns: Placement) -> BoardValues {
        let board = Hyperboard::around_pawns(material, pawns.bitboards());
        let values = Color::BOTH.map(|turn| {
            let legal: Vec<Tile> = (0..board.tiles())
                .map(|tile| {
                    let cell = board.cell(tile);
                    cell.map_or(Tile::EMPTY, |cell| fastest().legal(&board, turn, &cell))
                })
                .collect();
            let half = |lower: bool| -> Vec<Tile> {
                let keeps = |row: Square| (row.index() < 32) == lower;
                let kept =
                    |tile: &Tile| Tile::from_rows(|r| if keeps(r) { tile.row(r) } else { 0 });
                legal.iter().map(kept).collect()
            };
            let none = vec![Tile::EMPTY; legal.len()];
            let (won, lost) = match turn {
                Color::White => (half(true), none.clone()),
                Color::Black => (none.clone(), half(false)),
            };
            let depth = vec![won.clone(), lost.clone()];
            Graded { legal, won, lost, depth, stalemate: Vec::new() }
        });
        BoardValues { board, values }
    }

    /// Large parts with like men around pawns are decoded in small groups and their images
    /// looked up in a copy; small ones in one group and in place. Both ways give the same
    /// keys, around pawns that are their own mirror image, too.
    #[test]
    fn copied_parts_are_those_filled_in_place() {
        let folder = tempfile::tempdir().unwrap();
        let square = |name: &str| Bitboard(1 << name.parse::<Square>().unwrap().index());
        for (name, pawns) in [("KNNPK", square("c3")), ("KNNPPK", square("d4") | square("e4"))] {
            let pawns = Placement::new([pawns, Bitboard::EMPTY]);
            let board = made_up(name.parse().unwrap(), pawns);
            let (material, metric) = (board.board.material(), Metric::Dtm);
            let stats = board_stats(fastest(), &board, metric).unwrap();
            let path = folder.path().join(name);
            let table = Table { material, metric, parts: vec![Arc::new(board)], stats };
            write(&path, &[&table], &WriteOptions::quick(1)).unwrap();
            let file = TableFile::open(&path).unwrap();
            let has_mirror = file.shared.meta.layout.own_mirror(0, 0).is_some();
            assert_eq!(has_mirror, name == "KNNPPK");
            let decoder = PartDecoder { file: &file, told: Told::Depths(0), cells: CutCells::ALL };
            let most = AtomicUsize::new(0);
            let keys = |copied_cells: usize| {
                let base = |groups: Groups, group, keys: &mut [_]| {
                    most.store(groups.blocks, Ordering::Relaxed);
                    decoder.base_group(0, groups, group, keys)
                };
                let base = decoder.decode_groups(0, copied_cells, base, after).unwrap();
                let own = |groups, group, keys: &mut [_]| {
                    decoder.own_group(0, groups, group, (&base, 0), keys)
                };
                let own = decoder.decode_groups(0, copied_cells, own, |key| key).unwrap();
                ([base, own], most.load(Ordering::Relaxed))
            };
            let cells = 1 << (6 * file.shared.meta.layout.men.len());
            let ((in_place, whole), (copied, some)) = (keys(cells + 1), keys(cells));
            assert!(whole > BLOCKS_AT_ONCE && some == BLOCKS_AT_ONCE, "{name}: {whole} {some}");
            assert!(copied == in_place, "{name}");
            assert!(in_place == decoder.decode(0).unwrap(), "{name}");
        }
    }
}
