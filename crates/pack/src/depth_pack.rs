//! Writing the depths of one side in one metric.

use molien_board::{Bitboard, Color, Square};
use rayon::prelude::*;

use crate::chunk::{Chunk, chunks};
use crate::classes::ClassTile;
use crate::depth::{
    Alphabet, BUCKET_BITS, BUCKETS, DepthKeys, ESCAPE, FAR_BUCKETS, MAX_DEPTH, bucket, decided,
    far_bucket, lost,
};
use crate::depth_batch::WordLanes;
use crate::depth_model::{Counts, DepthTrees, write_model};
use crate::depth_tile::{
    Cells, CodedDepths, DepthCoding, DepthRoom, DepthSink, DepthsOf, MAX_DEPTHS, far_place, reveal,
    rows_of, symbol_of,
};
use crate::error::PackError;
use crate::fixed_men::FixedMen;
use crate::flat::Asked;
use crate::intervals::Intervals;
use crate::lanes::COLUMN;
use crate::layout::Layout;
use crate::learn::{BIT, estimate};
use crate::pack::{KEPT_CELL_BYTES, KEPT_CELLS};
use crate::picks::{Picks, Spread};
use crate::profile::Profile;
use crate::question::{Question, Stage};
use crate::sample::Sample;
use crate::source::{DepthTile, Stretch, TileSource};
use crate::streams::{StreamBuilder, join_empty, write_streams};
use crate::tree::Tree;
use crate::two_steps::{grow_of, telling_questions};

/// Which depths are written: numbers of metrics in the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Metric {
    /// The metric.
    pub number: usize,
    /// A metric that readers know before this one.
    pub earlier: Option<usize>,
}

/// The tree for far places has one leaf for so many of the other tree, at most.
const FAR_SHARE: usize = 16;

/// Writes depths.
pub struct DepthPacker<'a, S> {
    source: &'a S,
    layout: &'a Layout,
    turn: Color,
    metric: Metric,
    profile: Profile,
    kept_cells: u64,
}

/// A segment of a tile with all its values.
struct Segment<'a> {
    number: usize,
    frame: &'a FixedMen,
    rows: &'static [u8],
    classes: &'a ClassTile,
    truth: &'a WordLanes,
    earlier: Option<&'a DepthTile>,
}

/// A stretch of tiles with depths.
#[derive(Default)]
struct Tiles {
    chunk: Chunk,
    depths: Vec<DepthTile>,
    /// Those in an earlier metric, if there is one.
    earlier: Vec<DepthTile>,
}

/// Memory for stretches of tiles, one after the other.
struct Room {
    tiles: Tiles,
    walk: DepthRoom,
}

impl Room {
    fn new() -> Room {
        Room { tiles: Tiles::default(), walk: DepthRoom::new() }
    }
}

/// The depths that are counted, and how they are coded.
struct Counted {
    alphabet: Alphabet,
    keys: DepthKeys,
}

impl<'a, S: TileSource> DepthPacker<'a, S> {
    /// Depths of a source in a layout, one side to move.
    pub fn new(
        source: &'a S,
        layout: &'a Layout,
        turn: Color,
        metric: Metric,
        profile: Profile,
    ) -> Self {
        DepthPacker { source, layout, turn, metric, profile, kept_cells: KEPT_CELLS }
    }

    /// The same in so many bytes of memory for what is kept from counting to coding: with
    /// less it takes longer.
    #[must_use]
    pub fn keeping(mut self, bytes: u64) -> Self {
        self.kept_cells = KEPT_CELLS.min(bytes / KEPT_CELL_BYTES);
        self
    }

    fn questions(&self) -> Vec<Question> {
        let earlier = self.metric.earlier.is_some();
        Question::all(self.layout.men(), Stage::Depth { earlier })
    }

    /// Reads a stretch of tiles with its depths, and those in the earlier metric.
    fn read(&self, at: (usize, usize), tiles: &mut Tiles) {
        let Tiles { chunk, depths, earlier } = tiles;
        let both = |stretch: &S::Stretch<'_>| {
            let read = |metric: usize, tiles: &mut Vec<DepthTile>| {
                tiles.resize(at.1, [[0; 64]; 64]);
                stretch.depths(metric, self.turn, tiles);
            };
            read(self.metric.number, depths);
            self.metric.earlier.iter().for_each(|&metric| read(metric, earlier));
        };
        chunk.read_with(self.source, self.layout, &[self.turn], at, both);
    }

    /// Goes through the segments of a stretch of tiles.
    ///
    /// # Errors
    /// If the source has a depth that it does not count.
    fn segments(
        &self,
        at: (usize, usize),
        tiles: &mut Tiles,
        counted: &Counted,
        is_wanted: impl Fn(usize) -> bool,
        mut each: impl FnMut(&Segment<'_>),
    ) -> Result<(), PackError> {
        self.read(at, tiles);
        let Tiles { chunk, depths, earlier } = tiles;
        let cut = self.profile.segments;
        let per_tile = cut.per_tile(self.layout);
        let (mut classes, mut truth) = (ClassTile::default(), WordLanes::new());
        for (i, frame) in chunk.live().filter(|(i, _)| is_wanted(chunk.first + i)) {
            for segment in 0..per_tile {
                let rows = cut.rows(self.layout, segment);
                classes.clear();
                classes.copy_rows(&chunk.classes[self.turn.index()][i], rows);
                counted.keys.of_rows(&classes, &depths[i], rows, &mut truth)?;
                let number = (chunk.first + i) * per_tile + segment;
                let (classes, truth, earlier) = (&classes, &truth, earlier.get(i));
                each(&Segment { number, frame, rows, classes, truth, earlier });
            }
        }
        Ok(())
    }

    fn depths_of<'b>(&'b self, segment: &'b Segment<'_>, alphabet: &'b Alphabet) -> DepthsOf<'b> {
        DepthsOf {
            layout: self.layout,
            frame: segment.frame,
            turn: self.turn,
            rows: rows_of(segment.rows),
            classes: segment.classes,
            alphabet,
            earlier: segment.earlier,
        }
    }

    /// All bytes: side, cut, depths that occur, model, index, streams.
    ///
    /// # Errors
    /// If there are too many depths or leaves, the source has one that it does not count, or it
    /// says that packing is to end.
    pub fn pack(&self) -> Result<Vec<u8>, PackError> {
        let counted = self.counted();
        let alphabet = &counted.alphabet;
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
        let (trees, cells) = self.learn(&counted, &questions)?;
        let flat = DepthTrees::new(trees.each_ref(), &questions, self.layout.men());
        let (counts, coded) = self.count(&counted, &flat, cells <= self.kept_cells)?;
        Chunk::go_on(self.source)?;
        let mut bytes = vec![self.turn.index() as u8, self.profile.segments as u8];
        write_alphabet(alphabet, &mut bytes);
        let near = write_model(&trees[0], &counts.near, &questions, &mut bytes)?;
        let far = write_model(&trees[1], &counts.far, &questions, &mut bytes)?;
        type Kept<'a> = (&'a (usize, usize), &'a Option<CodedDepths>);
        let write = |room: &mut Option<Room>, (chunk, coded): Kept<'_>| match coded {
            Some(coded) => Ok(self.write_chunk(coded, &near, &far)),
            None => {
                let room = room.get_or_insert_with(Room::new);
                let coded = self.code_chunk(&counted, &flat, *chunk, room)?;
                Ok(self.write_chunk(&coded, &near, &far))
            }
        };
        let chunks = chunks(self.layout);
        let streams = chunks.par_iter().zip(&coded).map_init(|| None, write);
        let streams: Vec<Vec<(usize, Vec<u8>)>> = streams.collect::<Result<_, PackError>>()?;
        Chunk::go_on(self.source)?;
        write_streams(&join_empty(streams.into_iter().flatten().collect()), &mut bytes);
        Ok(bytes)
    }

    /// The trees for near and for far places, and about how many cells there are.
    fn learn(
        &self,
        counted: &Counted,
        questions: &[Question],
    ) -> Result<([Tree; 2], u64), PackError> {
        let profile = self.profile.for_depths(self.layout.cells(), counted.alphabet.cells);
        let first = |size: usize| {
            let (near, _, cells) = self.sample(counted, questions, size)?;
            Ok((near, cells))
        };
        let numbers = telling_questions(questions, &profile, profile.sample, first)?;
        let few: Vec<Question> = numbers.iter().map(|&i| questions[usize::from(i)]).collect();
        let (mut near, mut far, cells) = self.sample(counted, &few, profile.sample)?;
        let far_cells = cells * far.len() as u64 / near.len().max(1) as u64;
        let far = grow_of(&mut far, far_cells, &numbers, profile.leaves.div_ceil(FAR_SHARE));
        Ok(([grow_of(&mut near, cells, &numbers, profile.leaves), far], cells))
    }

    /// About what the depths take, in 65536ths of a bit: good for comparing, no
    /// more.
    ///
    /// # Errors
    /// If the source has a depth that it does not count.
    pub fn estimate(&self) -> Result<u64, PackError> {
        let counted = self.counted();
        let profile = self.profile;
        let (mut sample, _, cells) = self.sample(&counted, &self.questions(), profile.sample)?;
        let in_buckets: u64 = sample.symbols().map(|bucket| BUCKET_BITS[usize::from(bucket)]).sum();
        let in_buckets = u128::from(in_buckets * BIT) * u128::from(cells);
        let in_buckets = in_buckets / sample.len().max(1) as u128;
        Ok(estimate(&mut sample, cells, profile.leaves) + in_buckets as u64)
    }

    /// The depths that occur.
    fn counted(&self) -> Counted {
        let known = self.source.counts(self.metric.number, self.turn);
        let alphabet = Alphabet::of(&known.unwrap_or_else(|| self.count_depths()));
        Counted { keys: alphabet.keys(), alphabet }
    }

    /// How often each depth occurs.
    fn count_depths(&self) -> [Vec<u64>; 2] {
        let none = || [vec![0u64; 1 << 16], vec![0u64; 1 << 16]];
        let count = |mut counts: [Vec<u64>; 2], &at: &(usize, usize)| {
            let mut tiles = Tiles::default();
            self.read(at, &mut tiles);
            let Tiles { chunk, depths, .. } = tiles;
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

    /// A sample of about so many cells, those of them whose places are far ones, and the
    /// number of all cells.
    fn sample(
        &self,
        counted: &Counted,
        questions: &[Question],
        size: usize,
    ) -> Result<(Sample, Sample, u64), PackError> {
        let spread = Spread::new(self.layout, size, &self.profile);
        let asked = Asked::new(questions, self.layout.men(), |_| true);
        let empty = || (Sample::new(questions, BUCKETS), Sample::new(questions, FAR_BUCKETS));
        let part = |room: &mut Room, &chunk: &(usize, usize)| {
            let (mut near, mut far) = empty();
            let mut picks = Picks::new(chunk.0, spread.step, 4);
            let mut cells = 0;
            self.segments(
                chunk,
                &mut room.tiles,
                counted,
                |tile| spread.has_tile(tile),
                |segment| {
                    let of = self.depths_of(segment, &counted.alphabet);
                    let mut sink = Picking {
                        picks: &mut picks,
                        picked: 0,
                        truth: segment.truth,
                        low_bits: counted.alphabet.low_bits(),
                        near: &mut near,
                        far: &mut far,
                        cells: &mut cells,
                    };
                    of.walk(&asked, segment.rows, &mut room.walk, &mut sink);
                },
            )?;
            Ok((near, far, cells))
        };
        let parts = spread.chunks.par_iter().map_init(Room::new, part);
        let parts: Vec<(Sample, Sample, u64)> = parts.collect::<Result<_, PackError>>()?;
        let (mut near, mut far) = empty();
        near.reserve(parts.iter().map(|(near, ..)| near.len()).sum());
        far.reserve(parts.iter().map(|(_, far, _)| far.len()).sum());
        let mut cells = 0;
        for (near_part, far_part, count) in parts {
            near.append(near_part);
            far.append(far_part);
            cells += count * spread.every * spread.tiles;
        }
        near.ignore(questions, self.profile.ignored);
        far.ignore(questions, self.profile.ignored);
        Ok((near, far, cells))
    }

    /// The symbols in each leaf of the trees, counted on the whole table; and the
    /// cells that were counted, if they are kept.
    fn count(
        &self,
        counted: &Counted,
        trees: &DepthTrees,
        keep: bool,
    ) -> Result<(Counts, Vec<Option<CodedDepths>>), PackError> {
        type Coded = (Counts, Vec<Option<CodedDepths>>);
        let none = || (Counts::new(trees), Vec::new());
        let start = || (none(), Room::new());
        let count = |(mut all, mut room): (Coded, Room), &chunk: &(usize, usize)| {
            let mut coded = self.code_chunk(counted, trees, chunk, &mut room)?;
            coded.count(&mut all.0);
            coded.shrink();
            all.1.push(keep.then_some(coded));
            Ok((all, room))
        };
        let add = |mut a: Coded, b: Coded| {
            a.0.add(&b.0);
            a.1.extend(b.1);
            Ok(a)
        };
        let parts = chunks(self.layout);
        let parts = parts.par_iter().try_fold(start, count);
        parts.map(|part| part.map(|(all, _)| all)).try_reduce(none, add)
    }

    /// The leaves of the cells of a stretch of tiles.
    fn code_chunk(
        &self,
        counted: &Counted,
        trees: &DepthTrees,
        chunk: (usize, usize),
        room: &mut Room,
    ) -> Result<CodedDepths, PackError> {
        let mut coded = CodedDepths::default();
        self.segments(
            chunk,
            &mut room.tiles,
            counted,
            |_| true,
            |segment| {
                let alphabet = &counted.alphabet;
                let mut sink = DepthCoding::new(trees, alphabet, segment.truth, &mut coded);
                let of = self.depths_of(segment, alphabet);
                of.walk(&trees.asked, segment.rows, &mut room.walk, &mut sink);
                coded.end_segment(segment.number);
            },
        )?;
        Ok(coded)
    }

    fn write_chunk(
        &self,
        coded: &CodedDepths,
        near: &Intervals,
        far: &Intervals,
    ) -> Vec<(usize, Vec<u8>)> {
        let mut streams = StreamBuilder::new(self.profile, self.layout.rows(), 1);
        coded.intervals(near, far, |number, intervals| {
            streams.push(number, vec![intervals]);
        });
        streams.finish()
    }
}

/// Adds picked cells with all their answers to a sample.
struct Picking<'a> {
    picks: &'a mut Picks,
    /// The picked columns of a row.
    picked: u64,
    truth: &'a WordLanes,
    low_bits: [u32; 2],
    near: &'a mut Sample,
    /// Those whose places are far ones.
    far: &'a mut Sample,
    cells: &'a mut u64,
}

impl DepthSink for Picking<'_> {
    fn wanted(&mut self) -> u64 {
        self.picked = self.picks.next_row();
        self.picked
    }

    fn batch(&mut self, cells: &Cells<'_>, known: &mut WordLanes) {
        *self.cells += cells.lanes.len() as u64;
        let is_picked = |lane: &u8| self.picked >> COLUMN[usize::from(*lane)] & 1 != 0;
        for lane in cells.lanes.iter().copied().filter(is_picked) {
            let symbol = symbol_of(cells, self.truth, lane);
            add(self.near, bucket(symbol), cells, lane);
            if symbol == ESCAPE {
                let place = far_place(self.truth.get(cells.row, lane.into()), &self.low_bits);
                add(self.far, far_bucket(place.symbol), cells, lane);
            }
        }
        reveal(cells, self.truth, known);
    }
}

/// Adds a cell to a sample.
#[inline]
fn add(sample: &mut Sample, symbol: u8, cells: &Cells<'_>, lane: u8) {
    sample.push_answers(symbol, |number| cells.answers.get(number, lane.into()));
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
