//! Writing the classes of a table.

use molien_board::{Bitboard, Color};
use rayon::prelude::*;

use crate::answers::RowView;
use crate::chunk::{Chunk, chunks};
use crate::classes::{CLASSES, ClassTile};
use crate::error::PackError;
use crate::layout::Layout;
use crate::leaf::LeafCode;
use crate::learn::estimate;
use crate::model::{Model, ModelCode};
use crate::picks::{Picks, Spread};
use crate::profile::Profile;
use crate::prune::{Pruned, prune};
use crate::question::{Question, Stage};
use crate::sample::Sample;
use crate::scan::PHASES;
use crate::source::TileSource;
use crate::streams::{StreamBuilder, join_empty, write_streams};
use crate::tile::{Counting, FoundLeaves, TileOf, Writing};
use crate::tree::Tree;
use crate::two_steps;
use crate::walker::{Compiled, Walker};

/// The sides whose classes are stored, the base side first. Where both sides
/// have the same men, White to move stands for both.
pub fn stored_sides(layout: &Layout, base: Color) -> Vec<Color> {
    if layout.material().is_symmetric() { vec![Color::White] } else { vec![base, !base] }
}

/// Writes classes.
pub struct ClassPacker<'a, S> {
    source: &'a S,
    layout: &'a Layout,
    sides: Vec<Color>,
    profile: Profile,
}

/// Up to so many cells of a side, the leaves found while counting are kept for writing,
/// at about three bytes each; beyond, they are found twice.
const KEPT_CELLS: u64 = 1 << 27;

/// A model with what a walk needs.
struct Learnt {
    bytes: Vec<u8>,
    model: Model,
    compiled: Compiled,
    /// For each leaf of the tree that was counted, the one that is written.
    leaf_of: Vec<u16>,
    /// What was found while counting, by stretch of tiles, if it is kept.
    found: Vec<Option<FoundLeaves>>,
}

/// How often each class came in each leaf, and where, if that is kept.
type Counts = (Vec<[u64; CLASSES]>, Vec<Option<FoundLeaves>>);

impl<'a, S: TileSource> ClassPacker<'a, S> {
    /// Classes of a source in a layout, this side coded first.
    pub fn new(source: &'a S, layout: &'a Layout, base: Color, profile: Profile) -> Self {
        ClassPacker { source, layout, sides: stored_sides(layout, base), profile }
    }

    fn read(&self, chunk: (usize, usize)) -> Chunk {
        Chunk::read(self.source, self.layout, &self.sides, chunk)
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
    /// If a tree is larger than a tree may be.
    pub fn pack(&self) -> Result<Vec<u8>, PackError> {
        let numbers = 0..self.sides.len();
        let learnt: Vec<Learnt> =
            numbers.into_par_iter().map(|number| self.learn(number)).collect::<Result<_, _>>()?;
        let chunks = chunks(self.layout);
        let numbered = chunks.par_iter().enumerate();
        let write = |(number, &chunk)| self.write_chunk(&learnt, number, chunk);
        let streams: Vec<(usize, Vec<u8>)> = numbered.flat_map_iter(write).collect();
        let streams = join_empty(streams);
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
        let size = self.profile.sample_of(self.layout.cells());
        let sample = |questions: &[Question], size| self.sample(number, questions, size);
        let (tree, cells) = two_steps::learn(&questions, &self.profile, size, sample);
        let (counts, found) = self.count(number, &tree, &questions, cells <= KEPT_CELLS);
        let counts: Vec<Vec<u64>> = counts.iter().map(|counts| counts.to_vec()).collect();
        let Pruned { tree, counts, leaf_of } = prune(&tree, &counts);
        let code = ModelCode { tree, leaves: counts.iter().map(|c| LeafCode::of(c)).collect() };
        let bytes = code.bytes(&questions, CLASSES)?;
        let compiled = Compiled::new(&code.tree, &questions, self.layout.men());
        Ok(Learnt { bytes, model: code.model(questions)?, compiled, leaf_of, found })
    }

    /// About what the classes take, in 65536ths of a bit, by trees of this
    /// profile on their own samples: good for comparing layouts, no more.
    pub fn estimate(&self) -> u64 {
        let side = |number: usize| {
            let questions = Question::all(self.layout.men(), self.stage(number));
            let (mut sample, cells) = self.sample(number, &questions, self.profile.sample);
            estimate(&mut sample, cells, self.profile.leaves)
        };
        (0..self.sides.len()).map(side).sum()
    }

    /// A sample of a side's cells, and about how many cells there are. Only
    /// so many stretches of tiles are read as it takes, evenly spread.
    fn sample(&self, number: usize, questions: &[Question], size: usize) -> (Sample, u64) {
        let Spread { chunks, every, step } = Spread::new(self.layout, size);
        let part = |&chunk: &(usize, usize)| {
            let chunk = self.read(chunk);
            let mut sample = Sample::new(questions, CLASSES);
            let cells = self.sample_chunk(number, &chunk, questions, step, &mut sample);
            (sample, cells)
        };
        let parts: Vec<(Sample, u64)> = chunks.par_iter().map(part).collect();
        let mut sample = Sample::new(questions, CLASSES);
        let mut cells = 0;
        for (part, count) in parts {
            sample.append(part);
            cells += count * every;
        }
        sample.ignore(questions, self.profile.ignored);
        (sample, cells)
    }

    fn sample_chunk(
        &self,
        number: usize,
        chunk: &Chunk,
        questions: &[Question],
        step: u64,
        sample: &mut Sample,
    ) -> u64 {
        let turn = self.sides[number];
        let mut picks = Picks::new(chunk.first, step);
        let mut cells = 0;
        let (mut own, mut room) = (ClassTile::default(), ClassTile::default());
        for (i, frame) in chunk.live() {
            let truth = &chunk.classes[turn.index()][i];
            for rows in self.segments() {
                let other = self.other(number, chunk, i, rows, &mut room);
                own.clear();
                for row in rows.iter().map(|&row| usize::from(row)) {
                    let legal = truth.known(row);
                    cells += u64::from(legal.count_ones());
                    let picked = legal & picks.next_row();
                    let view = || RowView::new(self.layout.men(), frame, turn, row, other);
                    let mut view = (picked != 0).then(view);
                    for phase in PHASES {
                        if let Some(view) = view.as_mut().filter(|_| picked & phase != 0) {
                            let symbol = |column: usize| truth.get(row, column).unwrap_or(0);
                            ask_all(view, questions, picked & phase, &own, symbol, sample);
                        }
                        own.copy_cells(truth, row, legal & phase);
                    }
                }
            }
        }
        cells
    }

    /// The classes in each leaf of a tree, counted on the whole table.
    fn count(&self, number: usize, tree: &Tree, questions: &[Question], keep: bool) -> Counts {
        let compiled = Compiled::new(tree, questions, self.layout.men());
        let none = || (vec![[0u64; CLASSES]; tree.leaves()], Vec::new());
        let count = |(mut counts, mut all): Counts, &chunk: &(usize, usize)| {
            let mut found = keep.then(FoundLeaves::default);
            self.count_chunk(number, &compiled, chunk, &mut counts, &mut found);
            found.iter_mut().for_each(FoundLeaves::shrink);
            all.push(found);
            (counts, all)
        };
        let add = |mut a: Counts, b: Counts| {
            let pairs = a.0.as_flattened_mut().iter_mut().zip(b.0.as_flattened());
            pairs.for_each(|(a, b)| *a += b);
            a.1.extend(b.1);
            a
        };
        chunks(self.layout).par_iter().fold(none, count).reduce(none, add)
    }

    fn count_chunk(
        &self,
        number: usize,
        compiled: &Compiled,
        chunk: (usize, usize),
        counts: &mut [[u64; CLASSES]],
        found: &mut Option<FoundLeaves>,
    ) {
        let chunk = self.read(chunk);
        let mut walker = Walker::new();
        let (mut own, mut room) = (ClassTile::default(), ClassTile::default());
        let turn = self.sides[number];
        for (i, frame) in chunk.live() {
            let truth = &chunk.classes[turn.index()][i];
            for rows in self.segments() {
                let other = self.other(number, &chunk, i, rows, &mut room);
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
        chunk: (usize, usize),
    ) -> Vec<(usize, Vec<u8>)> {
        let chunk = self.read(chunk);
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
                    let Learnt { model, compiled, leaf_of, found, .. } = &learnt[side];
                    let mut sink = Writing::new(truth, &model.leaves);
                    if let Some(found) = &found[number] {
                        found.replay(&mut places[side], leaf_of, &mut sink);
                    } else {
                        let other = self.other(side, &chunk, i, rows, &mut room);
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

/// Adds cells of a batch with all their answers to a sample.
fn ask_all(
    view: &mut RowView<'_>,
    questions: &[Question],
    columns: u64,
    own: &ClassTile,
    symbol: impl Fn(usize) -> u8,
    sample: &mut Sample,
) {
    let mut cell_of = [0; 64];
    for column in Bitboard(columns) {
        cell_of[column.index()] = sample.len();
        sample.push(symbol(column.index()));
    }
    for (number, &question) in questions.iter().enumerate() {
        let put = |column: usize, answer| sample.set(cell_of[column], number, answer);
        view.each(question, columns, own, put);
    }
}
