//! Writing the classes of a table.

use molien_board::{Bitboard, Color};
use rayon::prelude::*;

use crate::answers::RowView;
use crate::chunk::{Chunk, chunks};
use crate::classes::{CLASSES, ClassTile};
use crate::error::PackError;
use crate::layout::Layout;
use crate::leaf::LeafCode;
use crate::learn::{Stratum, estimate};
use crate::model::{Model, ModelCode};
use crate::picks::{Picks, Random, Spread};
use crate::profile::Profile;
use crate::prune::{Pruned, prune};
use crate::question::{Question, Scope, Stage};
use crate::sample::Sample;
use crate::scan::PHASES;
use crate::source::TileSource;
use crate::streams::{StreamBuilder, join_empty, write_streams};
use crate::tile::{Counting, FoundLeaves, TileOf, Writing};
use crate::tree::Tree;
use crate::two_steps::{self, Sampler, Thinning};
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
        let (sampler, in_all) = (SideOf { packer: self, number }, self.layout.cells());
        let (tree, cells) = two_steps::learn(&questions, &self.profile, in_all, &sampler);
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
            let mut picked = Picked::new(questions);
            self.sample_chunk(number, chunk, questions, step, None, &mut picked);
            picked
        };
        let parts: Vec<Picked> = chunks.par_iter().map(part).collect();
        let mut picked = Picked::new(questions);
        parts.into_iter().for_each(|part| picked.append(part));
        picked.sample.ignore(questions, self.profile.ignored);
        (picked.sample, picked.cells * every)
    }

    /// A sample of which leaves of a tree have their shares.
    fn thinned(
        &self,
        number: usize,
        questions: &[Question],
        thinning: &Thinning<'_>,
    ) -> (Sample, Vec<Stratum>, u64) {
        // Of these, what the shares leave is taken.
        let Spread { chunks, every, step } =
            Spread::new(self.layout, self.profile.candidates * thinning.size);
        let compiled = Compiled::new(thinning.tree, thinning.questions, self.layout.men());
        let candidates = self.layout.cells() as u64 / (every * step);
        let shares = thinning.shares(candidates * 16 / thinning.size as u64);
        let part = |&chunk: &(usize, usize)| {
            let mut picked = Picked::new(questions);
            picked.seen.resize(shares.len(), 0);
            self.sample_chunk(
                number,
                chunk,
                questions,
                step,
                Some((&compiled, &shares)),
                &mut picked,
            );
            picked
        };
        let parts: Vec<Picked> = chunks.par_iter().map(part).collect();
        let mut picked = Picked::new(questions);
        picked.seen.resize(shares.len(), 0);
        parts.into_iter().for_each(|part| picked.append(part));
        let Picked { mut sample, strata, seen, cells } = picked;
        sample.ignore(questions, self.profile.ignored);
        let cells = cells * every;
        let all: u64 = seen.iter().sum();
        let ranges = sample.sort(&strata, shares.len());
        let stratum = |((from, to), seen): ((usize, usize), u64)| {
            let of_each = u128::from(seen * 16) * u128::from(cells);
            let parts = u128::from(all.max(1)) * (to - from).max(1) as u128;
            Stratum { from, to, scale16: ((of_each / parts) as u64).max(16) }
        };
        let strata = ranges.into_iter().zip(seen).map(stratum).collect();
        (sample, strata, cells)
    }

    fn sample_chunk(
        &self,
        number: usize,
        chunk: (usize, usize),
        questions: &[Question],
        step: u64,
        thin: Option<(&Compiled, &[u64])>,
        out: &mut Picked,
    ) {
        let chunk = self.read(chunk);
        let turn = self.sides[number];
        let (mut own, mut room) = (ClassTile::default(), ClassTile::default());
        let mut picks = match thin {
            Some(_) => Picks::of_rows(chunk.first, step, self.profile.one_column_in),
            None => Picks::new(chunk.first, step),
        };
        let mut thinner =
            thin.map(|(compiled, shares)| Thinner::new(compiled, shares, chunk.first));
        for (i, frame) in chunk.live() {
            let truth = &chunk.classes[turn.index()][i];
            thinner.iter_mut().for_each(|thinner| thinner.begin(Scope::Tile));
            for rows in self.segments() {
                let other = self.other(number, &chunk, i, rows, &mut room);
                own.clear();
                for row in rows.iter().map(|&row| usize::from(row)) {
                    let legal = truth.known(row);
                    out.cells += u64::from(legal.count_ones());
                    let picked = legal & picks.next_row();
                    let view = || RowView::new(self.layout.men(), frame, turn, row, other);
                    let mut view = (picked != 0).then(view);
                    thinner.iter_mut().for_each(|thinner| thinner.begin(Scope::Row));
                    for phase in PHASES {
                        if let Some(view) = view.as_mut().filter(|_| picked & phase != 0) {
                            let columns = match &mut thinner {
                                Some(thinner) => thinner.thin(view, picked & phase, &own, out),
                                None => picked & phase,
                            };
                            let symbol = |column: usize| truth.get(row, column).unwrap_or(0);
                            ask_all(view, questions, columns, &own, symbol, &mut out.sample);
                        }
                        own.copy_cells(truth, row, legal & phase);
                    }
                }
            }
        }
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

/// One side of those that are written.
struct SideOf<'a, 'b, S> {
    packer: &'a ClassPacker<'b, S>,
    number: usize,
}

impl<S: TileSource> Sampler for SideOf<'_, '_, S> {
    fn sample(&self, questions: &[Question], size: usize) -> (Sample, u64) {
        self.packer.sample(self.number, questions, size)
    }

    fn thinned(
        &self,
        questions: &[Question],
        thinning: &Thinning<'_>,
    ) -> (Sample, Vec<Stratum>, u64) {
        self.packer.thinned(self.number, questions, thinning)
    }
}

/// Cells that were picked.
struct Picked {
    sample: Sample,
    /// For each cell the leaf it was picked in, if a tree was asked.
    strata: Vec<u16>,
    /// How many cells were met in each of those leaves.
    seen: Vec<u64>,
    /// How many cells there are.
    cells: u64,
}

impl Picked {
    fn new(questions: &[Question]) -> Picked {
        let sample = Sample::new(questions, CLASSES);
        Picked { sample, strata: Vec::new(), seen: Vec::new(), cells: 0 }
    }

    fn append(&mut self, part: Picked) {
        self.sample.append(part.sample);
        self.strata.extend(part.strata);
        self.seen.iter_mut().zip(part.seen).for_each(|(all, part)| *all += part);
        self.cells += part.cells;
    }
}

/// Keeps the shares of a tree's leaves.
struct Thinner<'a> {
    compiled: &'a Compiled,
    shares: &'a [u64],
    walker: Walker,
    random: Random,
    leaves: [u16; 64],
}

impl<'a> Thinner<'a> {
    fn new(compiled: &'a Compiled, shares: &'a [u64], seed: usize) -> Thinner<'a> {
        let mut walker = Walker::new();
        walker.fit(compiled);
        Thinner {
            compiled,
            shares,
            walker,
            random: Random::new(!(seed as u64) >> 1),
            leaves: [0; 64],
        }
    }

    fn begin(&mut self, scope: Scope) {
        self.walker.begin(scope);
    }

    /// The columns of a batch that are kept.
    fn thin(
        &mut self,
        view: &mut RowView<'_>,
        columns: u64,
        own: &ClassTile,
        out: &mut Picked,
    ) -> u64 {
        let Thinner { compiled, shares, walker, random, leaves } = self;
        walker.begin(Scope::Batch);
        let mut kept = 0;
        let answer = |question, threshold| view.at_most(question, threshold, own);
        walker.walk_batch(compiled, columns, answer, |leaf, columns| {
            out.seen[usize::from(leaf)] += u64::from(columns.count_ones());
            let share = shares[usize::from(leaf)];
            for column in Bitboard(columns) {
                if random.next() >> 48 < share {
                    kept |= Bitboard::from_square(column).0;
                    leaves[column.index()] = leaf;
                }
            }
        });
        out.strata.extend(Bitboard(kept).into_iter().map(|column| leaves[column.index()]));
        kept
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
