//! Coding the classes of one tile: the same walk for counting, writing and
//! reading.

use molien_board::{Bitboard, Color};

use crate::answers::RowView;
use crate::arch::{Vectored, fastest};
use crate::classes::{CLASSES, ClassTile};
use crate::fixed_men::FixedMen;
use crate::intervals::Intervals;
use crate::layout::Layout;
use crate::leaf::LeafTable;
use crate::learn::BIT;
use crate::question::Scope;
use crate::rans::{Decoder, TOTAL};
use crate::scan::PHASES;
use crate::tree::MAX_LEAVES;
use crate::walker::{Compiled, Test, Walker};

/// What is done with the cells of a tile.
pub(crate) trait Sink {
    /// Some columns of a row have fallen into a leaf.
    fn leaf(&mut self, leaf: u16, row: usize, columns: u64);

    /// All columns of a batch have, and perhaps some of later ones; afterwards `own`
    /// holds the batch's classes.
    fn batch(&mut self, row: usize, columns: u64, own: &mut ClassTile);
}

/// A segment of a tile with a side to move.
pub(crate) struct TileOf<'a> {
    pub layout: &'a Layout,
    pub frame: &'a FixedMen,
    pub turn: Color,
    pub compiled: &'a Compiled,
    /// The segment's classes with the other side to move, for the second side.
    pub other: Option<&'a ClassTile>,
}

/// A way through a segment.
struct Walk<'a, S> {
    of: &'a TileOf<'a>,
    walker: &'a mut Walker,
    own: &'a mut ClassTile,
    rows: &'a [u8],
    sink: &'a mut S,
}

impl<S: Sink> Vectored for Walk<'_, S> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        self.of.walk_rows(self.walker, self.own, self.rows, self.sink);
    }
}

impl TileOf<'_> {
    /// Walks through rows of the tile; afterwards `own` holds what is known of it.
    pub fn walk(
        &self,
        walker: &mut Walker,
        own: &mut ClassTile,
        rows: &[u8],
        sink: &mut impl Sink,
    ) {
        own.clear();
        self.walk_on(walker, own, rows, sink);
    }

    /// The same, what `own` holds being known.
    pub fn walk_on(
        &self,
        walker: &mut Walker,
        own: &mut ClassTile,
        rows: &[u8],
        sink: &mut impl Sink,
    ) {
        fastest(Walk { of: self, walker, own, rows, sink });
    }

    #[inline(always)]
    fn walk_rows(
        &self,
        walker: &mut Walker,
        own: &mut ClassTile,
        rows: &[u8],
        sink: &mut impl Sink,
    ) {
        let men = self.layout.men();
        walker.fit(self.compiled);
        walker.begin(Scope::Tile);
        let mut view = RowView::new(men, self.frame, self.turn, 0, self.other);
        for row in rows.iter().map(|&row| usize::from(row)) {
            if self.frame.unique[row] == 0 {
                continue;
            }
            view.set_row(row);
            let legal = view.geometry.legal(men, self.turn) & self.frame.unique[row];
            if legal == 0 {
                continue;
            }
            walker.begin(Scope::Row);
            let answer = |test: &Test| view.answer(test, own);
            let found = |leaf, set| sink.leaf(leaf, row, set);
            walker.walk_row(self.compiled, (row, legal), answer, found);
            for columns in PHASES.map(|phase| legal & phase) {
                if columns != 0 {
                    walker.begin(Scope::Batch);
                    let answer = |test: &Test| view.answer(test, own);
                    let found = |leaf, set| sink.leaf(leaf, row, set);
                    walker.walk_on(self.compiled, (row, columns), answer, found);
                    sink.batch(row, columns, own);
                }
            }
        }
    }
}

/// The sets of columns that have fallen into leaves, as they came: what was found while
/// counting need not be found again for writing.
#[derive(Default)]
pub(crate) struct FoundLeaves {
    /// Leaves; or [`BATCH`] and the row of a batch whose columns have all been found,
    /// [`SEGMENT`] where a segment ends.
    marks: Vec<u16>,
    columns: Vec<u64>,
}

/// Greater than all leaves.
const BATCH: u16 = 1 << 15;
const SEGMENT: u16 = u16::MAX;
const _: () = assert!(MAX_LEAVES <= BATCH as usize);

impl FoundLeaves {
    fn push(&mut self, mark: u16, columns: u64) {
        self.marks.push(mark);
        self.columns.push(columns);
    }

    /// Ends a segment.
    pub fn end_segment(&mut self) {
        self.push(SEGMENT, 0);
    }

    /// Gives back memory that nothing was put into.
    pub fn shrink(&mut self) {
        self.marks.shrink_to_fit();
        self.columns.shrink_to_fit();
    }

    /// Goes through a segment again, from a place that is moved behind it.
    pub fn replay(&self, at: &mut usize, sink: &mut Writing<'_>) {
        let sets = self.marks[*at..].iter().zip(&self.columns[*at..]);
        for (&mark, &columns) in sets {
            *at += 1;
            match mark {
                SEGMENT => return,
                BATCH.. => sink.write_batch(usize::from(mark & !BATCH) % 64, columns),
                leaf => sink.leaf(leaf, 0, columns),
            }
        }
    }
}

/// Counts the classes in each leaf.
pub(crate) struct Counting<'a> {
    pub truth: &'a ClassTile,
    pub counts: &'a mut [[u64; CLASSES]],
    /// What is found is kept here, if it is.
    pub found: Option<&'a mut FoundLeaves>,
}

impl Sink for Counting<'_> {
    #[inline]
    fn leaf(&mut self, leaf: u16, row: usize, columns: u64) {
        for (class, count) in self.counts[usize::from(leaf)].iter_mut().enumerate() {
            *count += u64::from((self.truth.exactly(row, class) & columns).count_ones());
        }
        if let Some(found) = &mut self.found {
            found.push(leaf, columns);
        }
    }

    #[inline]
    fn batch(&mut self, row: usize, columns: u64, own: &mut ClassTile) {
        own.copy_cells(self.truth, row, columns);
        if let Some(found) = &mut self.found {
            found.push(BATCH | row as u16, columns);
        }
    }
}

/// The leaves that cells of a row have fallen into.
struct Open {
    leaves: [u16; 64],
    /// The columns whose leaf has more than one symbol.
    columns: u64,
}

impl Open {
    const EMPTY: Open = Open { leaves: [0; 64], columns: 0 };

    /// Takes out the columns of a batch.
    #[inline]
    fn take(&mut self, batch: u64) -> Bitboard {
        let taken = self.columns & batch;
        self.columns ^= taken;
        Bitboard(taken)
    }

    #[inline]
    fn set(&mut self, leaf: u16, columns: u64) {
        self.columns |= columns;
        for column in Bitboard(columns) {
            self.leaves[column.index()] = leaf;
        }
    }
}

/// Collects the symbols of a tile.
pub(crate) struct Writing<'a> {
    truth: &'a ClassTile,
    leaves: &'a Intervals,
    open: Open,
    /// Intervals of the symbols.
    pub symbols: Vec<(u16, u16)>,
}

impl<'a> Writing<'a> {
    pub fn new(truth: &'a ClassTile, leaves: &'a Intervals) -> Writing<'a> {
        Writing { truth, leaves, open: Open::EMPTY, symbols: Vec::new() }
    }

    /// Writes the cells of a batch.
    fn write_batch(&mut self, row: usize, columns: u64) {
        for column in self.open.take(columns) {
            let leaf = self.open.leaves[column.index()];
            let class = self.truth.get(row, column.index()).unwrap_or(0);
            self.leaves.write(leaf, class, &mut self.symbols);
        }
    }
}

impl Sink for Writing<'_> {
    fn leaf(&mut self, leaf: u16, _: usize, columns: u64) {
        if !self.leaves.is_sure(leaf) {
            self.open.set(leaf, columns);
        }
    }

    fn batch(&mut self, row: usize, columns: u64, own: &mut ClassTile) {
        own.copy_cells(self.truth, row, columns);
        self.write_batch(row, columns);
    }
}

/// What symbols cost, about, in 65536ths of a bit.
pub(crate) fn symbol_bits(symbols: &[(u16, u16)]) -> u64 {
    // -log2 p by whole bits and a straight line between them.
    let bits = |size: u16| {
        let whole = TOTAL.ilog2() - size.ilog2();
        let above = u64::from(size) * BIT / (1 << size.ilog2()) - BIT;
        u64::from(whole) * BIT - above
    };
    symbols.iter().map(|&(_, size)| bits(size)).sum()
}

/// Reads the symbols of a tile.
pub(crate) struct Reading<'a, 'b> {
    leaves: &'a LeafTable,
    decoder: &'a mut Decoder<'b>,
    open: Open,
    /// Columns whose class needs no symbol.
    sure: [u64; CLASSES],
}

impl<'a, 'b> Reading<'a, 'b> {
    pub fn new(leaves: &'a LeafTable, decoder: &'a mut Decoder<'b>) -> Reading<'a, 'b> {
        Reading { leaves, decoder, open: Open::EMPTY, sure: [0; CLASSES] }
    }
}

impl Sink for Reading<'_, '_> {
    #[inline]
    fn leaf(&mut self, leaf: u16, _: usize, columns: u64) {
        match self.leaves.only(leaf) {
            Some(class) => self.sure[usize::from(class)] |= columns,
            None => self.open.set(leaf, columns),
        }
    }

    #[inline]
    fn batch(&mut self, row: usize, columns: u64, own: &mut ClassTile) {
        // A copy, which can stay in registers.
        let mut decoder = *self.decoder;
        let mut found = self.sure.map(|sure| sure & columns);
        self.sure.iter_mut().for_each(|sure| *sure &= !columns);
        for column in self.open.take(columns) {
            let class = self.leaves.read_likely(self.open.leaves[column.index()], &mut decoder);
            found[usize::from(class)] |= Bitboard::from_square(column).0;
        }
        *self.decoder = decoder;
        let mut upto = 0;
        for (class, columns) in found.into_iter().enumerate() {
            upto |= columns;
            own.at_most[class][row] |= upto;
        }
    }
}
