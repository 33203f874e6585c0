//! The cells that trees for classes are learnt from.

use molien_board::{Bitboard, Color, Square};
use rayon::prelude::*;

use crate::answers::RowView;
use crate::chunk::Chunk;
use crate::classes::{CLASSES, ClassTile};
use crate::features::{ClassLanes, RowFeatures};
use crate::fixed_men::FixedMen;
use crate::flat::Answers;
use crate::lanes::LANE;
use crate::layout::Layout;
use crate::learn::Stratum;
use crate::picks::{Picks, Spread, draw};
use crate::profile::Profile;
use crate::question::{Question, Scope};
use crate::row_answers::RowAnswers;
use crate::sample::Sample;
use crate::scan::PHASES;
use crate::source::TileSource;
use crate::two_steps::{Sampler, Thinning};
use crate::walker::{Compiled, Test, Walker};

/// A side to move, as far as its cells are sampled.
#[derive(Clone, Copy)]
pub(crate) struct SideOf<'a, S> {
    pub source: &'a S,
    pub layout: &'a Layout,
    pub turn: Color,
    /// Whether the other side's classes are known.
    pub other: bool,
    pub profile: &'a Profile,
}

/// What is looked for: about which cells, and what is asked of them.
struct Wanted<'a> {
    questions: &'a [Question],
    spread: Spread,
    /// Of the cells of a row one in so many is looked at.
    one_column_in: u64,
    /// A tree, and the shares of its leaves that are taken, if not all are.
    shares: Option<(Compiled, Vec<u64>)>,
}

impl<S: TileSource> SideOf<'_, S> {
    /// Cells of some stretches of tiles.
    fn pick(&self, wanted: &Wanted<'_>) -> Picked {
        let none = || Picked::new(wanted);
        let part = |room: &mut Room, &chunk: &(usize, usize)| {
            let mut picked = none();
            self.pick_of(wanted, chunk, room, &mut picked);
            picked
        };
        let parts = wanted.spread.chunks.par_iter().map_init(|| Room::new(wanted), part);
        let parts: Vec<Picked> = parts.collect();
        let mut picked = none();
        picked.sample.reserve(parts.iter().map(|part| part.sample.len()).sum());
        parts.into_iter().for_each(|part| picked.append(part));
        picked.sample.ignore(wanted.questions, self.profile.ignored);
        picked.cells *= wanted.spread.every * wanted.spread.tiles;
        picked
    }

    fn pick_of(
        &self,
        wanted: &Wanted<'_>,
        chunk: (usize, usize),
        room: &mut Room,
        picked: &mut Picked,
    ) {
        let sides = &[self.turn, !self.turn][..1 + usize::from(self.other)];
        let Room { chunk: tiles, walk } = room;
        tiles.read(self.source, self.layout, sides, chunk);
        let chunk = &*tiles;
        let (cut, mut other_rows) = (self.profile.segments, ClassTile::default());
        let mut picks = Picks::new(chunk.first, wanted.spread.step, wanted.one_column_in);
        let is_wanted = |(i, _): &(usize, _)| wanted.spread.has_tile(chunk.first + i);
        for (i, frame) in chunk.live().filter(is_wanted) {
            for segment in 0..cut.per_tile(self.layout) {
                let rows = cut.rows(self.layout, segment);
                if self.other {
                    other_rows.clear();
                    other_rows.copy_rows(&chunk.classes[(!self.turn).index()][i], rows);
                }
                let segment = Segment {
                    layout: self.layout,
                    frame,
                    tile: chunk.first + i,
                    turn: self.turn,
                    rows,
                    truth: &chunk.classes[self.turn.index()][i],
                    other: self.other.then_some(&other_rows),
                };
                segment.pick(wanted, &mut picks, walk, picked);
            }
        }
    }
}

impl<S: TileSource> Sampler for SideOf<'_, S> {
    fn sample(&self, questions: &[Question], size: usize) -> (Sample, u64) {
        let spread = Spread::new(self.layout, size, self.profile);
        let picked = self.pick(&Wanted { questions, spread, one_column_in: 4, shares: None });
        (picked.sample, picked.cells)
    }

    fn thinned(
        &self,
        questions: &[Question],
        thinning: &Thinning<'_>,
    ) -> (Sample, Vec<Stratum>, u64) {
        // Of these, what the shares leave is taken.
        let candidates = self.profile.candidates * thinning.size;
        let spread = Spread::new(self.layout, candidates, self.profile);
        let compiled = Compiled::new(thinning.tree, thinning.questions, self.layout.men());
        let candidates = self.layout.cells() as u64 / (spread.every * spread.tiles * spread.step);
        let shares = thinning.shares(candidates * 16 / thinning.size as u64);
        let one_column_in = self.profile.one_column_in;
        let wanted = Wanted { questions, spread, one_column_in, shares: Some((compiled, shares)) };
        let Picked { mut sample, strata, seen, cells } = self.pick(&wanted);
        let all: u64 = seen.iter().sum();
        let ranges = sample.sort(&strata, seen.len());
        let stratum = |((from, to), seen): ((usize, usize), u64)| {
            let of_each = u128::from(seen * 16) * u128::from(cells);
            let parts = u128::from(all.max(1)) * (to - from).max(1) as u128;
            Stratum { from, to, scale16: ((of_each / parts) as u64).max(16) }
        };
        let strata = ranges.into_iter().zip(seen).map(stratum).collect();
        (sample, strata, cells)
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
    fn new(wanted: &Wanted<'_>) -> Picked {
        let sample = Sample::new(wanted.questions, CLASSES);
        let leaves = wanted.shares.as_ref().map_or(0, |(_, shares)| shares.len());
        Picked { sample, strata: Vec::new(), seen: vec![0; leaves], cells: 0 }
    }

    fn append(&mut self, part: Picked) {
        self.sample.append(part.sample);
        self.strata.extend(part.strata);
        self.seen.iter_mut().zip(part.seen).for_each(|(all, part)| *all += part);
        self.cells += part.cells;
    }
}

/// Memory for stretches of tiles, one after the other.
struct Room {
    chunk: Chunk,
    walk: WalkRoom,
}

impl Room {
    fn new(wanted: &Wanted<'_>) -> Room {
        Room { chunk: Chunk::default(), walk: WalkRoom::new(wanted) }
    }
}

/// Memory for going through segments.
struct WalkRoom {
    walker: Walker,
    /// What is known of the segment.
    known: ClassTile,
    /// All its classes, and those with the other side to move.
    own: ClassLanes,
    other: ClassLanes,
    answers: Answers,
    /// The leaves of a row's cells.
    leaves: [u16; 64],
}

impl WalkRoom {
    fn new(wanted: &Wanted<'_>) -> WalkRoom {
        let mut walker = Walker::new();
        wanted.shares.iter().for_each(|(compiled, _)| walker.fit(compiled));
        WalkRoom {
            walker,
            known: ClassTile::default(),
            own: ClassLanes::new(),
            other: ClassLanes::new(),
            answers: Answers::new(),
            leaves: [0; 64],
        }
    }
}

/// A segment of a tile with all its classes.
struct Segment<'a> {
    layout: &'a Layout,
    frame: &'a FixedMen,
    tile: usize,
    turn: Color,
    rows: &'static [u8],
    truth: &'a ClassTile,
    /// Those with the other side to move, if they are known.
    other: Option<&'a ClassTile>,
}

impl Segment<'_> {
    fn pick(&self, wanted: &Wanted<'_>, picks: &mut Picks, room: &mut WalkRoom, out: &mut Picked) {
        room.known.clear();
        room.walker.begin(Scope::Tile);
        let (mut known_rows, mut is_new) = (0, true);
        for row in self.rows.iter().map(|&row| usize::from(row)) {
            let legal = self.truth.known(row);
            out.cells += u64::from(legal.count_ones());
            let picked = legal & picks.next_row();
            if picked != 0 {
                if std::mem::take(&mut is_new) {
                    room.own.fill(self.truth);
                    self.other.iter().for_each(|other| room.other.fill(other));
                }
                self.pick_row((row, picked, known_rows), wanted, room, out);
            }
            room.known.copy_cells(self.truth, row, legal);
            known_rows |= 1 << row;
        }
    }

    fn pick_row(
        &self,
        (row, picked, known_rows): (usize, u64, u64),
        wanted: &Wanted<'_>,
        room: &mut WalkRoom,
        out: &mut Picked,
    ) {
        let men = self.layout.men();
        let mut view = RowView::new(men, self.frame, self.turn, row, self.other);
        let kept = match &wanted.shares {
            Some(shares) => self.keep((row, picked), shares, &mut view, room, &mut out.seen),
            None => picked,
        };
        if kept == 0 {
            return;
        }
        let geometry = view.geometry.clone();
        let features = RowFeatures { men, geometry: &geometry, row, classes: &room.own };
        let other = self.other.map(|_| &room.other);
        let (view, own) = (&mut view, &room.own);
        let mut of = RowAnswers { view, features, row, known_rows, own, other };
        of.answer_all(wanted.questions, &mut room.answers);
        for column in Bitboard(kept).into_iter().map(Square::index) {
            let symbol = self.truth.get(row, column).unwrap_or(0);
            let lane = LANE[column].into();
            out.sample.push_answers(symbol, |number| room.answers.get(number, lane));
            if wanted.shares.is_some() {
                out.strata.push(room.leaves[column]);
            }
        }
    }

    /// The columns of a row that are kept, each leaf's share. Whether a cell is one of them
    /// is drawn by its place alone, so it does not matter in which order they come.
    fn keep(
        &self,
        (row, picked): (usize, u64),
        (compiled, shares): &(Compiled, Vec<u64>),
        view: &mut RowView<'_>,
        room: &mut WalkRoom,
        seen: &mut [u64],
    ) -> u64 {
        let (mut kept, place) = (0, (self.tile as u64 * 64 + row as u64) * 64);
        let WalkRoom { walker, known, leaves, .. } = room;
        let mut found = |leaf: u16, columns: u64| {
            seen[usize::from(leaf)] += u64::from(columns.count_ones());
            let share = shares[usize::from(leaf)];
            for column in Bitboard(columns) {
                let is_kept = draw(place + column.index() as u64) < share;
                kept |= u64::from(is_kept) << column.index();
                leaves[column.index()] = leaf;
            }
        };
        walker.begin(Scope::Row);
        let answer = |test: &Test| view.answer(test, known);
        walker.walk_row(compiled, (row, picked), answer, &mut found);
        for phase in PHASES {
            if picked & phase != 0 {
                walker.begin(Scope::Batch);
                let answer = |test: &Test| view.answer(test, known);
                walker.walk_on(compiled, (row, picked & phase), answer, &mut found);
            }
            known.copy_cells(self.truth, row, phase);
        }
        kept
    }
}
