//! Coding the depths of one tile: the same way through it for learning,
//! counting, writing and reading.

use molien_board::{Bitboard, Color, Square};

use crate::arch::{Vectored, fastest};
use crate::classes::ClassTile;
use crate::depth::{
    Alphabet, ESCAPE, FAR_SYMBOLS, Far, Key, MAX_LOW_BITS, UNKNOWN, decided, difference, lost,
    symbol,
};
use crate::depth_batch::{DepthBatch, GridAt, WordLanes};
use crate::depth_model::{Counts, DepthLeaves, DepthTrees};
use crate::error::PackError;
use crate::features::{ClassLanes, RowFeatures};
use crate::fixed_men::FixedMen;
use crate::flat::{Answers, Asked, FlatTree, TileTree};
use crate::intervals::Intervals;
use crate::lanes::{COLUMN, GRID, GRID_COLUMNS, GRIDS, LANE, spread};
use crate::layout::Layout;
use crate::lines::Lines;
use crate::rans::{Decoder, TOTAL};
use crate::source::DepthTile;

/// The most depths a sign can have.
pub(crate) const MAX_DEPTHS: usize = FAR_SYMBOLS << MAX_LOW_BITS;

/// A segment of a tile.
pub(crate) struct DepthsOf<'a> {
    pub layout: &'a Layout,
    pub frame: &'a FixedMen,
    /// The side to move.
    pub turn: Color,
    /// The rows of the segment.
    pub rows: u64,
    /// The segment's classes with the side to move.
    pub classes: &'a ClassTile,
    pub alphabet: &'a Alphabet,
    pub earlier: Option<&'a DepthTile>,
}

/// Memory for going through a segment.
pub(crate) struct DepthRoom {
    answers: Answers,
    classes: ClassLanes,
    known: WordLanes,
    earlier: WordLanes,
    batch: DepthBatch,
    lines: Lines,
    tree: TileTree,
}

impl DepthRoom {
    pub fn new() -> DepthRoom {
        DepthRoom {
            answers: Answers::new(),
            classes: ClassLanes::new(),
            known: WordLanes::new(),
            earlier: WordLanes::new(),
            batch: DepthBatch::new(),
            lines: Lines::new(),
            tree: TileTree::new(),
        }
    }
}

/// The cells of a batch.
pub(crate) struct Cells<'a> {
    pub row: usize,
    /// Their lanes, in order of column.
    pub lanes: &'a [u8],
    /// By lane, 1 for a loss.
    pub signs: &'a [u8; 64],
    /// By lane, the predicted place.
    pub predicted: &'a [i16; 64],
    pub answers: &'a Answers,
    /// What is left of the sink's tree in this tile.
    pub tree: &'a TileTree,
}

/// What is done with the cells of a tile.
pub(crate) trait DepthSink {
    /// The columns of the next row whose answers are wanted.
    fn wanted(&mut self) -> u64 {
        !0
    }

    /// The tree whose leaves are wanted, if any are.
    fn tree(&self) -> Option<&FlatTree> {
        None
    }

    /// A batch; afterwards `known` holds its depths. Nothing but its lanes and
    /// signs means anything if none of the row is wanted.
    fn batch(&mut self, cells: &Cells<'_>, known: &mut WordLanes);
}

/// All lanes of a grid.
const ALL_LANES: [u8; GRID] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Some rows as a set.
pub(crate) fn rows_of(rows: &[u8]) -> u64 {
    rows.iter().fold(0, |set, row| set | 1 << row)
}

/// Lanes of some columns, in order of column.
#[inline(always)]
fn lanes_of(columns: u64, lanes: &mut [u8; 64]) -> usize {
    let mut count = 0;
    for column in Bitboard(columns) {
        lanes[count % 64] = LANE[column.index()];
        count += 1;
    }
    count
}

/// A way through a segment.
struct Walk<'a, S> {
    of: &'a DepthsOf<'a>,
    asked: &'a Asked,
    rows: &'a [u8],
    room: &'a mut DepthRoom,
    sink: &'a mut S,
}

impl<S: DepthSink> Vectored for Walk<'_, S> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        self.of.walk_rows(self.asked, self.rows, self.room, self.sink);
    }
}

impl DepthsOf<'_> {
    /// Goes through the batches of some rows.
    pub fn walk(
        &self,
        asked: &Asked,
        rows: &[u8],
        room: &mut DepthRoom,
        sink: &mut impl DepthSink,
    ) {
        fastest(Walk { of: self, asked, rows, room, sink });
    }

    #[inline(always)]
    fn walk_rows(
        &self,
        asked: &Asked,
        rows: &[u8],
        room: &mut DepthRoom,
        sink: &mut impl DepthSink,
    ) {
        room.known.clear();
        room.batch.start_tile();
        room.lines.set(self.layout.men(), self.frame.occupied, self.turn);
        room.classes.fill(self.classes);
        if let Some(earlier) = self.earlier {
            room.earlier.fill(earlier);
            self.fill_images(&mut room.earlier);
        }
        let (mut first, mut geometry) = (true, self.frame.geometry.clone());
        for row in rows.iter().map(|&row| usize::from(row)) {
            let all = decided(self.classes, row);
            if all == 0 {
                continue;
            }
            let wanted = sink.wanted() & all != 0;
            if wanted {
                let men = self.layout.men();
                geometry.set_row(men, &self.frame.geometry, Square::new(row));
                let (geometry, classes) = (&geometry, &room.classes);
                let view = RowFeatures { men, geometry, row, classes };
                if std::mem::take(&mut first) {
                    view.answer_all(&asked.tile, &mut room.answers);
                    if let Some(tree) = sink.tree() {
                        room.tree.set(tree, &room.answers);
                    }
                }
                view.answer_all(&asked.row, &mut room.answers);
            }
            self.walk_row((row, all, wanted), asked, room, sink);
        }
    }

    #[inline(always)]
    fn walk_row(
        &self,
        (row, all, wanted): (usize, u64, bool),
        asked: &Asked,
        room: &mut DepthRoom,
        sink: &mut impl DepthSink,
    ) {
        let (signs, decided) = (spread(lost(self.classes, row)), spread(all));
        let (mut lanes, mut predicted) = ([0; 64], [0; 64]);
        if wanted {
            self.start_lines(row, room);
        }
        for (grid, columns) in GRID_COLUMNS.into_iter().enumerate() {
            let count = lanes_of(all & columns, &mut lanes);
            if count == 0 {
                continue;
            }
            if wanted {
                let decided = decided.as_chunks::<GRID>().0[grid];
                let signs = signs.as_chunks::<GRID>().0[grid].map(u16::from);
                let at = (row, self.layout.men().row().is_some());
                let at = GridAt { row: at, alike: self.layout.men().alike(), grid, decided, signs };
                let earlier = (self.earlier.map(|_| &room.earlier), asked.far);
                room.batch.fill(at, &room.known, &self.alphabet.start, earlier, &room.lines);
                room.batch.answer_all(&asked.batch, grid, &mut room.answers);
                predicted[grid * GRID..][..GRID].copy_from_slice(&room.batch.predicted);
            }
            let (answers, predicted, tree) = (&room.answers, &predicted, &room.tree);
            let lanes = &lanes[..count];
            let cells = Cells { row, lanes, signs: &signs, predicted, answers, tree };
            sink.batch(&cells, &mut room.known);
            self.learn((row, grid), lanes, wanted, room);
        }
    }

    /// Gives the images of decided cells their depths in the earlier metric.
    fn fill_images(&self, earlier: &mut WordLanes) {
        if !self.layout.men().alike() {
            return;
        }
        for row in Bitboard(self.rows).into_iter().map(Square::index) {
            for column in Bitboard(decided(self.classes, row) & self.rows) {
                let plies = earlier.get(row, LANE[column.index()].into());
                earlier.set(column.index(), LANE[row].into(), plies);
            }
        }
    }

    /// Starts the lines of a row. Images of earlier cells are known in it.
    #[inline(always)]
    fn start_lines(&self, row: usize, room: &mut DepthRoom) {
        room.lines.start_row();
        if self.layout.men().alike() && room.lines.any() {
            for grid in 0..GRIDS {
                let keys = room.known.grid(row, grid);
                if keys != [UNKNOWN; GRID] {
                    room.lines.learn_columns(grid, &ALL_LANES, &keys);
                }
            }
        }
    }

    /// Takes over the cells of a batch: for lines, and for their images where the men
    /// of the tile are alike.
    #[inline(always)]
    fn learn(&self, (row, grid): (usize, usize), lanes: &[u8], wanted: bool, room: &mut DepthRoom) {
        if room.lines.any() {
            let keys = room.known.grid(row, grid);
            room.lines.learn_rows(row, grid, &keys);
            // Nobody looks along the row behind the last grid.
            if wanted && grid + 1 < GRIDS {
                room.lines.learn_columns(grid, lanes, &keys);
            }
        }
        if !self.layout.men().alike() {
            return;
        }
        let image_lane = usize::from(LANE[row]);
        for lane in lanes.iter().map(|&lane| usize::from(lane)) {
            let (image_row, key) = (usize::from(COLUMN[lane]), room.known.get(row, lane));
            if key != UNKNOWN && self.rows >> image_row & 1 != 0 {
                room.known.set(image_row, image_lane, key);
                room.lines.learn_row(image_row, image_lane, key);
            }
        }
    }
}

/// Takes the batch's depths from the truth.
pub(crate) fn reveal(cells: &Cells<'_>, truth: &WordLanes, known: &mut WordLanes) {
    for lane in cells.lanes.iter().map(|&lane| usize::from(lane)) {
        known.set(cells.row, lane, truth.get(cells.row, lane));
    }
}

/// The symbol of a cell.
#[inline]
pub(crate) fn symbol_of(cells: &Cells<'_>, truth: &WordLanes, lane: u8) -> u8 {
    let (key, lane) = (truth.get(cells.row, lane.into()), usize::from(lane));
    symbol(i32::from(key >> 1) - i32::from(cells.predicted[lane]))
}

/// A far place as it is coded: the leaf, and the place.
#[derive(Clone, Copy)]
struct FarCell {
    leaf: u16,
    place: Far,
}

/// Cells in the order they are coded, by leaf and symbol; and those with far places.
#[derive(Default)]
pub(crate) struct CodedDepths {
    leaves: Vec<u16>,
    symbols: Vec<u8>,
    far: Vec<FarCell>,
    /// Numbers of segments, and where their cells end.
    segments: Vec<(usize, usize)>,
}

impl CodedDepths {
    /// Ends a segment.
    pub fn end_segment(&mut self, number: usize) {
        self.segments.push((number, self.leaves.len()));
    }

    /// Gives back memory that nothing was put into.
    pub fn shrink(&mut self) {
        self.leaves.shrink_to_fit();
        self.symbols.shrink_to_fit();
        self.far.shrink_to_fit();
        self.segments.shrink_to_fit();
    }

    /// Adds the cells to counts.
    pub fn count(&self, counts: &mut Counts) {
        for (&leaf, &symbol) in self.leaves.iter().zip(&self.symbols) {
            counts.near[usize::from(leaf)][usize::from(symbol)] += 1;
        }
        for &FarCell { leaf, place } in &self.far {
            counts.far[usize::from(leaf)][usize::from(place.symbol)] += 1;
        }
    }

    /// The symbols of each segment, as intervals.
    pub fn intervals(
        &self,
        near: &Intervals,
        far: &Intervals,
        mut each: impl FnMut(usize, Vec<(u16, u16)>),
    ) {
        let (mut cell, mut far_cells) = (0, self.far.iter());
        for &(number, end) in &self.segments {
            let mut intervals = Vec::with_capacity(end - cell);
            for at in cell..end {
                near.write(self.leaves[at], self.symbols[at], &mut intervals);
                if self.symbols[at] != ESCAPE {
                    continue;
                }
                let Some(&FarCell { leaf, place }) = far_cells.next() else { continue };
                far.write(leaf, place.symbol, &mut intervals);
                if place.bits > 0 {
                    let size = (TOTAL >> place.bits) as u16;
                    intervals.push((u16::from(place.low) * size, size));
                }
            }
            cell = end;
            each(number, intervals);
        }
    }
}

/// Finds the leaves of known cells.
pub(crate) struct DepthCoding<'a> {
    trees: &'a DepthTrees,
    low_bits: [u32; 2],
    truth: &'a WordLanes,
    coded: &'a mut CodedDepths,
}

impl<'a> DepthCoding<'a> {
    pub fn new(
        trees: &'a DepthTrees,
        alphabet: &Alphabet,
        truth: &'a WordLanes,
        coded: &'a mut CodedDepths,
    ) -> Self {
        DepthCoding { trees, low_bits: alphabet.low_bits(), truth, coded }
    }
}

/// A far place of a cell.
pub(crate) fn far_place(key: Key, low_bits: &[u32; 2]) -> Far {
    Far::new(key >> 1, low_bits[usize::from(key & 1)])
}

impl DepthSink for DepthCoding<'_> {
    fn tree(&self) -> Option<&FlatTree> {
        Some(&self.trees.near)
    }

    #[inline(always)]
    fn batch(&mut self, cells: &Cells<'_>, known: &mut WordLanes) {
        let mut leaves = [0; 64];
        cells.tree.leaves(cells.answers, cells.lanes, &mut leaves);
        self.coded.leaves.extend(&leaves[..cells.lanes.len()]);
        for &lane in cells.lanes {
            let symbol = symbol_of(cells, self.truth, lane);
            self.coded.symbols.push(symbol);
            if symbol == ESCAPE {
                let place = far_place(self.truth.get(cells.row, lane.into()), &self.low_bits);
                let leaf = self.trees.far.leaf(cells.answers, lane);
                self.coded.far.push(FarCell { leaf, place });
            }
        }
        reveal(cells, self.truth, known);
    }
}

/// Reads the symbols of a tile.
pub(crate) struct DepthReading<'a, 'b> {
    trees: &'a DepthTrees,
    leaves: &'a DepthLeaves,
    alphabet: &'a Alphabet,
    low_bits: [u32; 2],
    decoder: &'a mut Decoder<'b>,
    /// The depths that were read, in plies.
    out: &'a mut DepthTile,
    /// The first depth that cannot be.
    pub error: Option<PackError>,
}

impl<'a, 'b> DepthReading<'a, 'b> {
    pub fn new(
        (trees, leaves): (&'a DepthTrees, &'a DepthLeaves),
        alphabet: &'a Alphabet,
        decoder: &'a mut Decoder<'b>,
        out: &'a mut DepthTile,
    ) -> DepthReading<'a, 'b> {
        let low_bits = alphabet.low_bits();
        DepthReading { trees, leaves, alphabet, low_bits, decoder, out, error: None }
    }

    #[inline(always)]
    fn place(&self, cells: &Cells<'_>, leaf: u16, lane: usize, decoder: &mut Decoder<'b>) -> i32 {
        let symbol = self.leaves.near.read(leaf, decoder);
        if symbol == ESCAPE {
            let (place, behind) = self.far_place(cells, lane, *decoder);
            *decoder = behind;
            return place;
        }
        i32::from(cells.predicted[lane]) + difference(symbol)
    }

    /// Reads a far place.
    #[inline(never)]
    fn far_place(
        &self,
        cells: &Cells<'_>,
        lane: usize,
        mut decoder: Decoder<'b>,
    ) -> (i32, Decoder<'b>) {
        let leaf = self.trees.far.leaf(cells.answers, lane as u8);
        let high = i32::from(self.leaves.far.read(leaf, &mut decoder));
        let bits = self.low_bits[usize::from(cells.signs[lane] & 1)];
        if bits == 0 {
            return (high, decoder);
        }
        // The low bits are there as they are.
        let size = TOTAL >> bits;
        let low = decoder.peek() / size;
        decoder.advance(low * size, size);
        (high << bits | low as i32, decoder)
    }
}

impl DepthSink for DepthReading<'_, '_> {
    fn tree(&self) -> Option<&FlatTree> {
        Some(&self.trees.near)
    }

    #[inline(always)]
    fn batch(&mut self, cells: &Cells<'_>, known: &mut WordLanes) {
        let mut leaves = [0; 64];
        cells.tree.leaves(cells.answers, cells.lanes, &mut leaves);
        // A copy, which can stay in registers.
        let mut decoder = *self.decoder;
        for (lane, leaf) in cells.lanes.iter().map(|&lane| usize::from(lane % 64)).zip(leaves) {
            let sign = usize::from(cells.signs[lane] & 1);
            let found = self.place(cells, leaf, lane, &mut decoder);
            let depths = &self.alphabet.depths[sign];
            // Places are never negative, so a negative one is beyond the end.
            let Some(&plies) = depths.get(found as usize) else {
                let (found, count) = (i64::from(found), depths.len());
                self.error.get_or_insert(PackError::Depth { found, count });
                continue;
            };
            self.out[cells.row][usize::from(COLUMN[lane])] = plies;
            known.set(cells.row, lane, (found as usize * 2 + sign) as Key);
        }
        *self.decoder = decoder;
    }
}
