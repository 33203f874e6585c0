//! Coding the depths of one tile: the same walk for learning, counting, writing
//! and reading.

use molien_board::{Bitboard, Color, Square};

use crate::answers::RowView;
use crate::classes::ClassTile;
use crate::depth::{
    Alphabet, ESCAPE, Key, KeyTile, SYMBOLS, UNKNOWN, decided, difference, lost, symbol,
};
use crate::depth_batch::DepthBatch;
use crate::error::PackError;
use crate::frame::Frame;
use crate::layout::Layout;
use crate::leaf::Leaf;
use crate::question::Scope;
use crate::rans::{Decoder, TOTAL};
use crate::scan::PHASES;
use crate::source::DepthTile;
use crate::tile::read_symbol;
use crate::walker::{Compiled, Walker};

/// Bits of each of the two halves of a place that is written as it is.
const HALF_BITS: u32 = 7;
const HALF_SIZE: u32 = TOTAL >> HALF_BITS;
/// The most depths a sign can have: places are two halves.
pub(crate) const MAX_DEPTHS: usize = 1 << (2 * HALF_BITS);

/// A segment of a tile with a side to move.
pub(crate) struct DepthsOf<'a> {
    pub layout: &'a Layout,
    pub frame: &'a Frame,
    pub turn: Color,
    /// The segment's classes.
    pub classes: &'a ClassTile,
    pub alphabet: &'a Alphabet,
    pub earlier: Option<&'a DepthTile>,
}

/// The cells of a batch.
pub(crate) struct Cells<'a> {
    pub row: usize,
    pub columns: u64,
    pub lost: u64,
    pub batch: &'a DepthBatch,
}

/// What is done with the cells of a tile.
pub(crate) trait DepthSink {
    /// Some columns of a batch have fallen into a leaf.
    fn leaf(&mut self, leaf: u16, cells: &Cells<'_>, columns: u64);

    /// All columns of the batch have; afterwards `known` holds their depths.
    fn batch(&mut self, cells: &Cells<'_>, known: &mut KeyTile);
}

impl DepthsOf<'_> {
    /// Goes through the batches of some rows.
    pub fn batches(
        &self,
        rows: &[u8],
        known: &mut KeyTile,
        mut each: impl FnMut(&mut RowView<'_>, bool, &Cells<'_>, &mut KeyTile),
    ) {
        let men = self.layout.men();
        let mut batch = DepthBatch::new();
        known.fill([UNKNOWN; 64]);
        for row in rows.iter().map(|&row| usize::from(row)) {
            let (all, lost) = (decided(self.classes, row), lost(self.classes, row));
            if all == 0 {
                continue;
            }
            let mut view = RowView::new(men, self.frame, self.turn, row, None);
            let mut first = true;
            for columns in PHASES.map(|phase| all & phase).into_iter().filter(|&some| some != 0) {
                let at = (row, men.row().is_some());
                batch.fill(at, (columns, lost), known, &self.alphabet.start, self.earlier);
                let cells = Cells { row, columns, lost, batch: &batch };
                each(&mut view, first, &cells, known);
                first = false;
            }
        }
    }

    /// Walks through some rows.
    pub fn walk(
        &self,
        (walker, compiled): (&mut Walker, &Compiled),
        rows: &[u8],
        known: &mut KeyTile,
        sink: &mut impl DepthSink,
    ) {
        walker.fit(compiled);
        walker.begin(Scope::Tile);
        self.batches(rows, known, |view, first, cells, known| {
            if first {
                walker.begin(Scope::Row);
            }
            walker.begin(Scope::Batch);
            let answer = |question, threshold| {
                let about_depths = cells.batch.at_most(question, threshold);
                about_depths.unwrap_or_else(|| view.at_most(question, threshold, self.classes))
            };
            let found = |leaf, columns| sink.leaf(leaf, cells, columns);
            walker.walk(compiled, cells.columns, answer, found);
            sink.batch(cells, known);
        });
    }
}

impl Cells<'_> {
    fn symbol(&self, key: Key, column: usize) -> u8 {
        symbol(i32::from(key >> 1) - i32::from(self.batch.predicted[column]))
    }
}

/// Takes the batch's depths from the truth.
pub(crate) fn reveal(cells: &Cells<'_>, truth: &KeyTile, known: &mut KeyTile) {
    for column in Bitboard(cells.columns).into_iter().map(Square::index) {
        known[cells.row][column] = truth[cells.row][column];
    }
}

/// The symbol of a cell.
pub(crate) fn symbol_of(cells: &Cells<'_>, truth: &KeyTile, column: usize) -> u8 {
    cells.symbol(truth[cells.row][column], column)
}

/// Counts the symbols in each leaf.
pub(crate) struct DepthCounting<'a> {
    pub truth: &'a KeyTile,
    pub counts: &'a mut [[u64; SYMBOLS]],
}

impl DepthSink for DepthCounting<'_> {
    fn leaf(&mut self, leaf: u16, cells: &Cells<'_>, columns: u64) {
        for column in Bitboard(columns).into_iter().map(Square::index) {
            let symbol = symbol_of(cells, self.truth, column);
            self.counts[usize::from(leaf)][usize::from(symbol)] += 1;
        }
    }

    fn batch(&mut self, cells: &Cells<'_>, known: &mut KeyTile) {
        reveal(cells, self.truth, known);
    }
}

/// Collects the symbols of a tile.
pub(crate) struct DepthWriting<'a> {
    pub truth: &'a KeyTile,
    pub leaves: &'a [Leaf],
    leaf_of: [u16; 64],
    pub symbols: Vec<(u16, u16)>,
}

impl<'a> DepthWriting<'a> {
    pub fn new(truth: &'a KeyTile, leaves: &'a [Leaf]) -> DepthWriting<'a> {
        DepthWriting { truth, leaves, leaf_of: [0; 64], symbols: Vec::new() }
    }
}

impl DepthSink for DepthWriting<'_> {
    fn leaf(&mut self, leaf: u16, _: &Cells<'_>, columns: u64) {
        Bitboard(columns).into_iter().for_each(|column| self.leaf_of[column.index()] = leaf);
    }

    fn batch(&mut self, cells: &Cells<'_>, known: &mut KeyTile) {
        reveal(cells, self.truth, known);
        for column in Bitboard(cells.columns).into_iter().map(Square::index) {
            let wanted = symbol_of(cells, self.truth, column);
            let leaf = &self.leaves[usize::from(self.leaf_of[column])];
            // Frequencies were counted on the whole table, so every symbol of
            // a leaf has its interval.
            let interval = leaf.intervals.iter().find(|interval| interval.2 == wanted);
            if let Some(&(start, size, _)) = interval.filter(|_| leaf.only().is_none()) {
                self.symbols.push((start, size));
            }
            if wanted == ESCAPE {
                let place = u32::from(self.truth[cells.row][column] >> 1);
                for half in [place >> HALF_BITS, place & ((1 << HALF_BITS) - 1)] {
                    self.symbols.push(((half * HALF_SIZE) as u16, HALF_SIZE as u16));
                }
            }
        }
    }
}

/// Reads the symbols of a tile.
pub(crate) struct DepthReading<'a, 'b> {
    leaves: &'a [Leaf],
    alphabet: &'a Alphabet,
    decoder: &'a mut Decoder<'b>,
    leaf_of: [u16; 64],
    /// The first depth that cannot be.
    pub error: Option<PackError>,
}

impl<'a, 'b> DepthReading<'a, 'b> {
    pub fn new(
        leaves: &'a [Leaf],
        alphabet: &'a Alphabet,
        decoder: &'a mut Decoder<'b>,
    ) -> DepthReading<'a, 'b> {
        DepthReading { leaves, alphabet, decoder, leaf_of: [0; 64], error: None }
    }

    fn half(&mut self) -> i32 {
        let half = self.decoder.peek() / HALF_SIZE;
        self.decoder.advance(half * HALF_SIZE, HALF_SIZE);
        half as i32
    }

    fn place(&mut self, leaf: u16, predicted: i16) -> i32 {
        let leaf = &self.leaves[usize::from(leaf)];
        let symbol = leaf.only().unwrap_or_else(|| read_symbol(leaf, self.decoder));
        if symbol == ESCAPE {
            return self.half() << HALF_BITS | self.half();
        }
        i32::from(predicted) + difference(symbol)
    }
}

impl DepthSink for DepthReading<'_, '_> {
    fn leaf(&mut self, leaf: u16, _: &Cells<'_>, columns: u64) {
        Bitboard(columns).into_iter().for_each(|column| self.leaf_of[column.index()] = leaf);
    }

    fn batch(&mut self, cells: &Cells<'_>, known: &mut KeyTile) {
        for column in Bitboard(cells.columns).into_iter().map(Square::index) {
            let sign = (cells.lost >> column & 1) as usize;
            let found = self.place(self.leaf_of[column], cells.batch.predicted[column]);
            let count = self.alphabet.depths[sign].len();
            let place = match usize::try_from(found) {
                Ok(place) if place < count => place,
                _ => {
                    let found = i64::from(found);
                    self.error.get_or_insert(PackError::Depth { found, count });
                    0
                }
            };
            known[cells.row][column] = (place << 1 | sign) as Key;
        }
    }
}
