//! Writing the classes of a table.

use molien_board::Color;
use rayon::prelude::*;

use crate::chunk::{Chunk, chunks};
use crate::class_sample::SideOf;
use crate::classes::{CLASSES, ClassTile};
use crate::error::PackError;
use crate::intervals::Intervals;
use crate::layout::Layout;
use crate::leaf::LeafCode;
use crate::learn::estimate;
use crate::model::ModelCode;
use crate::profile::Profile;
use crate::prune::{Pruned, prune};
use crate::question::{Question, Stage};
use crate::source::TileSource;
use crate::streams::{StreamBuilder, join_empty, write_streams};
use crate::tile::{Counting, FoundLeaves, TileOf, Writing};
use crate::tree::Tree;
use crate::two_steps::{self, Sampler};
use crate::walker::{Compiled, Walker};

/// The sides whose classes are stored, the base side first. Where both sides
/// have the same men, White to move stands for both.
pub fn stored_sides(layout: &Layout, base: Color) -> Vec<Color> {
    if layout.material().is_symmetric() { vec![Color::White] } else { vec![base, !base] }
}

/// About what the classes take with White and with Black as the base side (with White alone
/// where there is one side), in 65536ths of a bit, by trees of a profile on its samples:
/// good for comparing layouts, no more.
pub(crate) fn estimate_bases<S: TileSource>(
    source: &S,
    layout: &Layout,
    profile: &Profile,
) -> Vec<u64> {
    let turns = stored_sides(layout, Color::White);
    let other = turns.len() > 1;
    let costs = |&turn: &Color| {
        let stage = if other { Stage::Second } else { Stage::Base };
        let questions = Question::all(layout.men(), stage);
        let side = SideOf { source, layout, turn, other, profile };
        let (mut sample, cells) = side.sample(&questions, profile.sample);
        let second = estimate(&mut sample, cells, profile.leaves);
        if !other {
            return [second, 0];
        }
        // The same cells serve for both: whose other side is not known asks less.
        let base = Question::all(layout.men(), Stage::Base);
        let numbers = (0..).zip(&questions).filter(|(_, question)| base.contains(question));
        let numbers: Vec<u16> = numbers.map(|(number, _)| number).collect();
        sample.ask_only(&numbers);
        [estimate(&mut sample, cells, profile.leaves), second]
    };
    let costs: Vec<[u64; 2]> = turns.par_iter().map(costs).collect();
    match costs[..] {
        [white, black] => vec![white[0] + black[1], black[0] + white[1]],
        _ => costs.iter().map(|costs| costs[0]).collect(),
    }
}

/// Writes classes.
pub struct ClassPacker<'a, S> {
    source: &'a S,
    layout: &'a Layout,
    sides: Vec<Color>,
    profile: Profile,
    kept_cells: u64,
}

/// Up to so many cells of a side, the leaves found while counting are kept for writing,
/// at about [`KEPT_CELL_BYTES`] each; beyond, they are found twice.
pub(crate) const KEPT_CELLS: u64 = 1 << 28;
/// What is kept of a cell, about: its leaf and symbol, and of few cells more.
pub(crate) const KEPT_CELL_BYTES: u64 = 4;

/// A model with what a walk needs.
struct Learnt {
    bytes: Vec<u8>,
    /// The tree that is written.
    compiled: Compiled,
    /// By leaves of the tree that was counted, if what was found is kept, else of the tree
    /// that is written.
    intervals: Intervals,
    /// What was found while counting, by stretch of tiles, if it is kept.
    found: Vec<Option<FoundLeaves>>,
}

/// How often each class came in each leaf, and where, if that is kept.
type Counts = (Vec<[u64; CLASSES]>, Vec<Option<FoundLeaves>>);

impl<'a, S: TileSource> ClassPacker<'a, S> {
    /// Classes of a source in a layout, this side coded first.
    pub fn new(source: &'a S, layout: &'a Layout, base: Color, profile: Profile) -> Self {
        let sides = stored_sides(layout, base);
        ClassPacker { source, layout, sides, profile, kept_cells: KEPT_CELLS }
    }

    /// The same in so many bytes of memory for what is kept from counting to coding, of each
    /// side: with less it takes longer.
    #[must_use]
    pub fn keeping(mut self, bytes: u64) -> Self {
        self.kept_cells = KEPT_CELLS.min(bytes / KEPT_CELL_BYTES);
        self
    }

    /// Reads what is stored of so many sides.
    fn read(&self, sides: usize, at: (usize, usize), chunk: &mut Chunk) {
        chunk.read(self.source, self.layout, &self.sides[..sides], at);
    }

    fn stage(&self, number: usize) -> Stage {
        if number == 0 { Stage::Base } else { Stage::Second }
    }

    /// The other side's classes in a segment, where they are known.
    fn other<'b>(
        &self,
        number: usize,
        chunk: &Chunk,
        tile: usize,
        rows: &[u8],
        room: &'b mut ClassTile,
    ) -> Option<&'b ClassTile> {
        if number == 0 {
            return None;
        }
        room.clear();
        room.copy_rows(&chunk.classes[self.sides[0].index()][tile], rows);
        Some(room)
    }

    /// The rows of each segment.
    fn segments(&self) -> impl Iterator<Item = &'static [u8]> + use<'_, S> {
        let segments = self.profile.segments;
        (0..segments.per_tile(self.layout)).map(move |i| segments.rows(self.layout, i))
    }

    /// All bytes: sides, models, index, streams.
    ///
    /// # Errors
    /// If a tree is larger than a tree may be, or the source says that packing is to end.
    pub fn pack(&self) -> Result<Vec<u8>, PackError> {
        let numbers = 0..self.sides.len();
        let learnt: Vec<Learnt> =
            numbers.into_par_iter().map(|number| self.learn(number)).collect::<Result<_, _>>()?;
        let chunks = chunks(self.layout);
        let numbered = chunks.par_iter().enumerate();
        let write = |room: &mut Chunk, (number, &at): (usize, &(usize, usize))| {
            self.write_chunk(&learnt, number, at, room)
        };
        let streams = numbered.map_init(Chunk::default, write);
        let streams: Vec<Vec<(usize, Vec<u8>)>> = streams.collect();
        Chunk::go_on(self.source)?;
        let streams = join_empty(streams.into_iter().flatten().collect());
        let mut bytes = vec![self.sides[0].index() as u8, self.profile.segments as u8];
        for learnt in &learnt {
            bytes.extend((learnt.bytes.len() as u32).to_le_bytes());
        }
        learnt.iter().for_each(|learnt| bytes.extend(&learnt.bytes));
        write_streams(&streams, &mut bytes);
        Ok(bytes)
    }

    fn learn(&self, number: usize) -> Result<Learnt, PackError> {
        let questions = Question::all(self.layout.men(), self.stage(number));
        let in_all = self.layout.cells();
        let sampler = SideOf {
            source: self.source,
            layout: self.layout,
            turn: self.sides[number],
            other: number > 0,
            profile: &self.profile,
        };
        let (tree, cells) = two_steps::learn(&questions, &self.profile, in_all, &sampler);
        let keep = cells <= self.kept_cells;
        let (counts, found) = self.count(number, &tree, &questions, keep);
        Chunk::go_on(self.source)?;
        let counts: Vec<Vec<u64>> = counts.iter().map(|counts| counts.to_vec()).collect();
        let Pruned { tree, counts, leaf_of } = prune(&tree, &counts);
        let code = ModelCode { tree, leaves: counts.iter().map(|c| LeafCode::of(c)).collect() };
        let bytes = code.bytes(&questions, CLASSES)?;
        let compiled = Compiled::new(&code.tree, &questions, self.layout.men());
        let leaves = code.model(questions)?.leaves;
        let leaf_of = if keep { leaf_of } else { (0..leaves.len() as u16).collect() };
        let intervals = Intervals::new(&leaves, &leaf_of, CLASSES);
        Ok(Learnt { bytes, compiled, intervals, found })
    }

    /// The classes in each leaf of a tree, counted on the whole table.
    fn count(&self, number: usize, tree: &Tree, questions: &[Question], keep: bool) -> Counts {
        let compiled = Compiled::new(tree, questions, self.layout.men());
        let none = || (vec![[0u64; CLASSES]; tree.leaves()], Vec::new());
        let start = || (none(), Chunk::default());
        let count = |(mut counted, mut chunk): (Counts, Chunk), &at: &(usize, usize)| {
            let mut found = keep.then(FoundLeaves::default);
            self.read(number + 1, at, &mut chunk);
            self.count_chunk(number, &compiled, &chunk, &mut counted.0, &mut found);
            found.iter_mut().for_each(FoundLeaves::shrink);
            counted.1.push(found);
            (counted, chunk)
        };
        let add = |mut a: Counts, b: Counts| {
            let pairs = a.0.as_flattened_mut().iter_mut().zip(b.0.as_flattened());
            pairs.for_each(|(a, b)| *a += b);
            a.1.extend(b.1);
            a
        };
        let parts = chunks(self.layout);
        parts.par_iter().fold(start, count).map(|(counted, _)| counted).reduce(none, add)
    }

    fn count_chunk(
        &self,
        number: usize,
        compiled: &Compiled,
        chunk: &Chunk,
        counts: &mut [[u64; CLASSES]],
        found: &mut Option<FoundLeaves>,
    ) {
        let mut walker = Walker::new();
        let (mut own, mut room) = (ClassTile::default(), ClassTile::default());
        let turn = self.sides[number];
        for (i, frame) in chunk.live() {
            let truth = &chunk.classes[turn.index()][i];
            for rows in self.segments() {
                let other = self.other(number, chunk, i, rows, &mut room);
                let tile = TileOf { layout: self.layout, frame, turn, compiled, other };
                let mut sink = Counting { truth, counts, found: found.as_mut() };
                tile.walk(&mut walker, &mut own, rows, &mut sink);
                if let Some(found) = found {
                    found.end_segment();
                }
            }
        }
    }

    /// The streams of a stretch of tiles: first segment and bytes of each.
    fn write_chunk(
        &self,
        learnt: &[Learnt],
        number: usize,
        at: (usize, usize),
        chunk: &mut Chunk,
    ) -> Vec<(usize, Vec<u8>)> {
        self.read(self.sides.len(), at, chunk);
        let mut walkers = [Walker::new(), Walker::new()];
        let (mut own, mut room) = (ClassTile::default(), ClassTile::default());
        let mut streams = StreamBuilder::new(self.profile, self.layout.rows(), self.sides.len());
        let per_tile = self.profile.segments.per_tile(self.layout);
        let mut places = [0; 2];
        for (i, frame) in chunk.live() {
            for (segment, rows) in self.segments().enumerate() {
                let mut symbols = Vec::new();
                for (side, &turn) in self.sides.iter().enumerate() {
                    let truth = &chunk.classes[turn.index()][i];
                    let Learnt { compiled, intervals, found, .. } = &learnt[side];
                    let mut sink = Writing::new(truth, intervals);
                    if let Some(found) = &found[number] {
                        found.replay(&mut places[side], &mut sink);
                    } else {
                        let other = self.other(side, chunk, i, rows, &mut room);
                        let tile = TileOf { layout: self.layout, frame, turn, compiled, other };
                        tile.walk(&mut walkers[side], &mut own, rows, &mut sink);
                    }
                    symbols.push(sink.symbols);
                }
                streams.push((chunk.first + i) * per_tile + segment, symbols);
            }
        }
        streams.finish()
    }
}
