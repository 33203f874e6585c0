//! Writing the depths of one side in one metric.

use molien_board::{Bitboard, Color, Square};
use rayon::prelude::*;

use crate::chunk::{Chunk, chunks};
use crate::classes::ClassTile;
use crate::depth::{
    Alphabet, BUCKETS, KeyTile, MAX_DEPTH, SYMBOLS, UNKNOWN, bucket, decided, lost,
};
use crate::depth_tile::{
    Cells, DepthCounting, DepthWriting, DepthsOf, MAX_DEPTHS, reveal, symbol_of,
};
use crate::error::PackError;
use crate::frame::Frame;
use crate::layout::Layout;
use crate::leaf::LeafCode;
use crate::learn::{Limits, estimate, grow, prune};
use crate::model::{Model, ModelCode};
use crate::picks::{Picks, Spread};
use crate::profile::Profile;
use crate::question::{Question, Stage};
use crate::sample::Sample;
use crate::source::{DepthTile, Source};
use crate::streams::{StreamBuilder, join_empty, write_streams};
use crate::tree::Tree;
use crate::walker::{Compiled, Walker};

/// Which depths are written: numbers of metrics in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// The metric.
    pub number: usize,
    /// A metric that readers know before this one.
    pub earlier: Option<usize>,
}

/// Writes depths.
pub struct DepthPacker<'a, S> {
    source: &'a S,
    layout: &'a Layout,
    turn: Color,
    metric: Metric,
    profile: Profile,
}

/// A segment of a tile with all its values.
struct Segment<'a> {
    number: usize,
    frame: &'a Frame,
    rows: &'static [u8],
    classes: ClassTile,
    truth: Box<KeyTile>,
    earlier: Option<&'a DepthTile>,
}

type Room = Vec<DepthTile>;

impl<'a, S: Source> DepthPacker<'a, S> {
    /// Depths of a source in a layout, one side to move.
    pub fn new(
        source: &'a S,
        layout: &'a Layout,
        turn: Color,
        metric: Metric,
        profile: Profile,
    ) -> Self {
        DepthPacker { source, layout, turn, metric, profile }
    }

    fn questions(&self) -> Vec<Question> {
        let earlier = self.metric.earlier.is_some();
        Question::all(self.layout.men(), Stage::Depth { earlier })
    }

    fn read(&self, chunk: (usize, usize)) -> (Chunk, Room, Room) {
        let own = Chunk::read(self.source, self.layout, &[self.turn], chunk);
        let depths = |metric: usize| {
            let mut tiles = vec![[[0; 64]; 64]; chunk.1];
            self.source.depths(self.layout, metric, self.turn, chunk.0, &mut tiles);
            tiles
        };
        (own, depths(self.metric.number), self.metric.earlier.map_or(Vec::new(), depths))
    }

    /// Goes through the segments of a stretch of tiles.
    fn segments(
        &self,
        chunk: (usize, usize),
        alphabet: &Alphabet,
        mut each: impl FnMut(&Segment<'_>),
    ) {
        let (chunk, depths, earlier) = self.read(chunk);
        let cut = self.profile.segments;
        let per_tile = cut.per_tile(self.layout);
        for (i, frame) in chunk.live() {
            for segment in 0..per_tile {
                let rows = cut.rows(self.layout, segment);
                let mut classes = ClassTile::default();
                classes.copy_rows(&chunk.classes[self.turn.index()][i], rows);
                let mut truth = Box::new([[UNKNOWN; 64]; 64]);
                alphabet.keys(&classes, &depths[i], rows, &mut truth);
                let number = (chunk.first + i) * per_tile + segment;
                each(&Segment { number, frame, rows, classes, truth, earlier: earlier.get(i) });
            }
        }
    }

    fn depths_of<'b>(&'b self, segment: &'b Segment<'_>, alphabet: &'b Alphabet) -> DepthsOf<'b> {
        DepthsOf {
            layout: self.layout,
            frame: segment.frame,
            turn: self.turn,
            classes: &segment.classes,
            alphabet,
            earlier: segment.earlier,
        }
    }

    /// All bytes: side, cut, depths that occur, model, index, streams.
    ///
    /// # Errors
    /// If there are too many depths or leaves.
    pub fn pack(&self) -> Result<Vec<u8>, PackError> {
        let alphabet = self.alphabet();
        let most = alphabet.depths.iter().map(Vec::len).max().unwrap_or(0);
        if most > MAX_DEPTHS {
            let (most, found) = (MAX_DEPTHS as u64, most as u64);
            return Err(PackError::Range { what: "the number of depths", most, found });
        }
        let deepest = alphabet.depths.iter().flatten().copied().max().unwrap_or(0);
        if deepest > MAX_DEPTH {
            let (most, found) = (MAX_DEPTH.into(), deepest.into());
            return Err(PackError::Range { what: "a depth", most, found });
        }
        let questions = self.questions();
        let (sample, cells) = self.sample(&alphabet, &questions);
        let scale16 = (cells * 16 / sample.len().max(1) as u64).max(16);
        let tree = grow(&sample, Limits { leaves: self.profile.leaves, scale16 });
        drop(sample);
        let (tree, counts) = prune(&tree, &self.count(&alphabet, &tree, &questions));
        let code = ModelCode { tree, leaves: counts.iter().map(|c| LeafCode::of(c)).collect() };
        let model_bytes = code.bytes(&questions, SYMBOLS)?;
        let compiled = Compiled::new(&code.tree, &questions, self.layout.men());
        let model = code.model(questions)?;
        let streams = chunks(self.layout)
            .par_iter()
            .flat_map_iter(|&chunk| self.write_chunk(&alphabet, &model, &compiled, chunk))
            .collect();
        let mut bytes = vec![self.turn.index() as u8, self.profile.segments as u8];
        write_alphabet(&alphabet, &mut bytes);
        bytes.extend((model_bytes.len() as u32).to_le_bytes());
        bytes.extend(model_bytes);
        write_streams(&join_empty(streams), &mut bytes);
        Ok(bytes)
    }

    /// About what the depths take, in 65536ths of a bit: good for comparing, no
    /// more.
    pub fn estimate(&self) -> u64 {
        let (sample, cells) = self.sample(&self.alphabet(), &self.questions());
        estimate(&sample, cells, self.profile.leaves)
    }

    /// The depths that occur.
    fn alphabet(&self) -> Alphabet {
        let known = self.source.counts(self.metric.number, self.turn);
        Alphabet::of(&known.unwrap_or_else(|| self.count_depths()))
    }

    /// How often each depth occurs.
    fn count_depths(&self) -> [Vec<u64>; 2] {
        let none = || [vec![0u64; 1 << 16], vec![0u64; 1 << 16]];
        let count = |mut counts: [Vec<u64>; 2], &chunk: &(usize, usize)| {
            let (chunk, depths, _) = self.read(chunk);
            for (i, _) in chunk.live() {
                let classes = &chunk.classes[self.turn.index()][i];
                for row in 0..64 {
                    let lost = lost(classes, row);
                    for column in Bitboard(decided(classes, row)).into_iter().map(Square::index) {
                        let sign = (lost >> column & 1) as usize;
                        counts[sign][usize::from(depths[i][row][column])] += 1;
                    }
                }
            }
            counts
        };
        let add = |mut a: [Vec<u64>; 2], b: [Vec<u64>; 2]| {
            let pairs = a.iter_mut().flatten().zip(b.iter().flatten());
            pairs.for_each(|(a, b)| *a += b);
            a
        };
        chunks(self.layout).par_iter().fold(none, count).reduce(none, add)
    }

    fn sample(&self, alphabet: &Alphabet, questions: &[Question]) -> (Sample, u64) {
        let Spread { chunks, every, step } = Spread::new(self.layout, self.profile.sample);
        let part = |&chunk: &(usize, usize)| {
            let mut sample = Sample::new(questions, BUCKETS);
            let mut picks = Picks::new(chunk.0, step);
            let mut known = Box::new([[UNKNOWN; 64]; 64]);
            let mut cells = 0;
            self.segments(chunk, alphabet, |segment| {
                let of = self.depths_of(segment, alphabet);
                let mut picked = 0;
                of.batches(segment.rows, &mut known, |view, first, batch, known| {
                    picked = if first { picks.next_row() } else { picked };
                    cells += u64::from(batch.columns.count_ones());
                    let columns = batch.columns & picked;
                    ask_all(view, questions, batch, columns, segment, &mut sample);
                    reveal(batch, &segment.truth, known);
                });
            });
            (sample, cells)
        };
        let parts: Vec<(Sample, u64)> = chunks.par_iter().map(part).collect();
        let mut sample = Sample::new(questions, BUCKETS);
        let mut cells = 0;
        for (part, count) in parts {
            sample.append(part);
            cells += count * every;
        }
        sample.ignore(questions, self.profile.ignored);
        (sample, cells)
    }

    /// The symbols in each leaf of a tree, counted on the whole table.
    fn count(&self, alphabet: &Alphabet, tree: &Tree, questions: &[Question]) -> Vec<Vec<u64>> {
        let compiled = Compiled::new(tree, questions, self.layout.men());
        let none = || vec![[0u64; SYMBOLS]; tree.leaves()];
        let count = |mut counts: Vec<[u64; SYMBOLS]>, &chunk: &(usize, usize)| {
            let mut walker = Walker::new();
            let mut known = Box::new([[UNKNOWN; 64]; 64]);
            self.segments(chunk, alphabet, |segment| {
                let mut sink = DepthCounting { truth: &segment.truth, counts: &mut counts };
                let of = self.depths_of(segment, alphabet);
                of.walk((&mut walker, &compiled), segment.rows, &mut known, &mut sink);
            });
            counts
        };
        let add = |mut a: Vec<[u64; SYMBOLS]>, b: Vec<[u64; SYMBOLS]>| {
            let pairs = a.as_flattened_mut().iter_mut().zip(b.as_flattened());
            pairs.for_each(|(a, b)| *a += b);
            a
        };
        let counts = chunks(self.layout).par_iter().fold(none, count).reduce(none, add);
        counts.into_iter().map(|counts| counts.to_vec()).collect()
    }

    fn write_chunk(
        &self,
        alphabet: &Alphabet,
        model: &Model,
        compiled: &Compiled,
        chunk: (usize, usize),
    ) -> Vec<(usize, Vec<u8>)> {
        let mut walker = Walker::new();
        let mut known = Box::new([[UNKNOWN; 64]; 64]);
        let mut streams = StreamBuilder::new(self.profile, self.layout.rows(), 1);
        self.segments(chunk, alphabet, |segment| {
            let mut sink = DepthWriting::new(&segment.truth, &model.leaves);
            let of = self.depths_of(segment, alphabet);
            of.walk((&mut walker, compiled), segment.rows, &mut known, &mut sink);
            streams.push(segment.number, vec![sink.symbols]);
        });
        streams.finish()
    }
}

/// Adds cells of a batch with all their answers to a sample.
fn ask_all(
    view: &mut crate::answers::RowView<'_>,
    questions: &[Question],
    cells: &Cells<'_>,
    columns: u64,
    segment: &Segment<'_>,
    sample: &mut Sample,
) {
    if columns == 0 {
        return;
    }
    let mut cell_of = [0; 64];
    for column in Bitboard(columns).into_iter().map(Square::index) {
        cell_of[column] = sample.len();
        sample.push(bucket(symbol_of(cells, &segment.truth, column)));
    }
    for (number, &question) in questions.iter().enumerate() {
        let mut put = |column: usize, answer| sample.set(cell_of[column], number, answer);
        if cells.batch.answer(question, 0).is_none() {
            view.each(question, columns, &segment.classes, put);
            continue;
        }
        for column in Bitboard(columns).into_iter().map(Square::index) {
            put(column, cells.batch.answer(question, column).unwrap_or(0));
        }
    }
}

/// Depths that occur: for wins, then losses their number, the place predicted
/// first, and the depths as steps of one byte; 255 and two bytes for a long one.
fn write_alphabet(alphabet: &Alphabet, bytes: &mut Vec<u8>) {
    for (depths, start) in alphabet.depths.iter().zip(alphabet.start) {
        bytes.extend((depths.len() as u16).to_le_bytes());
        bytes.extend(start.to_le_bytes());
        let mut before = 0;
        for &depth in depths {
            // Steps are small but for a few.
            let step = depth - before;
            if step < 0xff {
                bytes.push(step as u8);
            } else {
                bytes.push(0xff);
                bytes.extend(step.to_le_bytes());
            }
            before = depth;
        }
    }
}
