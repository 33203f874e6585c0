//! The boards that are needed: in which order, and what is kept of each.
//!
//! A [`Schedule`] is a list of stages; the boards of a stage do not read each
//! other. That of a whole table (`whole`) keeps everything. For one position, where
//! memory is short, boards are given up once no other reads them as a whole. A board after a promotion is read only where the new man stands on
//! his promotion square, one side to move: of a board that is given up those
//! slices are kept until they have been read. The largest boards go first, so
//! that as many as possible stay for later questions. Where there is room for
//! everything, boards are solved side by side.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Material, Role};
use molien_hyper::OuterAxes;
use molien_operators::{Backend, fastest};
use molien_solve::{Boards, Closure, Cost, Node, PawnExits, SolveError, View, Wanted};
use molien_values::{Graded, Metric, Placement};

use crate::limits::{is_loaded, keep_for_others};
use crate::lock;
use crate::memory::{copied_bytes, kept_bytes, kept_for_others_bytes, working_bytes};

/// Of boards with fewer tiles no slices are kept: they are small themselves,
/// and many.
pub(crate) const SLICED_TILES: u64 = 4096;

/// A board to solve.
struct Step {
    node: Node,
    /// The last step that reads the whole board, itself if none does.
    last_reader: usize,
    /// Whether it is to stay if it can: it is asked for next.
    stays: bool,
    tiles: u64,
    /// What stays of it.
    bytes: u64,
    /// What solving it takes on top, with its own copies of what it reads.
    working_bytes: u64,
    /// Materials it reads that are no part of the plan.
    tables: Vec<Material>,
    /// Materials without pawns it reads that are part of the plan.
    pieces: Vec<Material>,
}

/// What several boards read, or what is read of a board given up.
struct Slice {
    wanted: Wanted,
    /// The step of the board it is a part of; none if that was known before.
    source: Option<usize>,
    readers: Vec<usize>,
    bytes: u64,
}

/// Boards in an order in which each comes after all it can turn into.
pub(crate) struct Plan {
    steps: Vec<Step>,
    slices: Vec<Slice>,
    closure: Arc<Closure>,
}

/// Boards that do not read each other, and what is done after them.
#[derive(Default)]
pub(crate) struct Stage {
    pub boards: Vec<Node>,
    /// Tables that are read, by material.
    pub tables: Vec<Material>,
    /// What is kept of boards, before they are given up.
    pub keep: Vec<Wanted>,
    /// Boards that are given up then.
    pub give_up: Vec<Node>,
    /// What nobody reads any more.
    pub forget: Vec<Wanted>,
}

/// What is done after a step: slices and steps by number.
#[derive(Clone, Default)]
struct After {
    /// Slices that are kept from now on.
    keep: Vec<usize>,
    /// Boards that are given up then.
    give_up: Vec<usize>,
    /// Slices that have been read.
    forget: Vec<usize>,
}

/// Boards in stages, each of which reads only earlier ones, and what they take.
pub(crate) struct Schedule {
    pub cost: Cost,
    pub stages: Vec<Stage>,
    /// What can come about, for a single position.
    pub closure: Arc<Closure>,
}

/// A dry run: notes what a board would read.
#[derive(Default)]
struct Notes(Mutex<Vec<Wanted>>);

impl Boards for Notes {
    fn backend(&self) -> &'static dyn Backend {
        fastest()
    }

    fn view(&self, wanted: Wanted) -> Result<View, SolveError> {
        lock(&self.0).push(wanted);
        Ok(View::Own { axes: OuterAxes::new(&[]), values: Graded::default() })
    }
}

/// All that a board with pawns reads of what can come about.
pub(crate) fn reads_of(
    node: &Node,
    metric: Metric,
    promotions: &[Role],
    closure: &Closure,
) -> Vec<Wanted> {
    let notes = Notes::default();
    // The notes are all that is wanted of it, and taking them cannot fail.
    let _ = PawnExits::new(&node.board(), metric, promotions, &notes);
    let mut read = notes.0.into_inner().unwrap_or_else(PoisonError::into_inner);
    read.retain(|wanted| closure.has(wanted));
    read
}

impl Plan {
    /// Plans for what a position can turn into; the last board is its own. The start and
    /// its successors stay: they are asked for next. Slices are kept of boards
    /// of so many tiles and more.
    pub fn new(
        closure: &Arc<Closure>,
        metric: Metric,
        promotions: &[Role],
        sliced_tiles: u64,
    ) -> Plan {
        let nodes = &closure.nodes;
        let step = |(place, node): (usize, &Node)| {
            let tiles = node.tiles();
            Step {
                node: *node,
                last_reader: place,
                stays: false,
                tiles,
                bytes: kept_for_others_bytes(node, tiles, metric),
                working_bytes: working_bytes(node.material, tiles, metric),
                tables: Vec::new(),
                pieces: Vec::new(),
            }
        };
        let steps = nodes.iter().enumerate().map(step).collect();
        let mut planner = Planner {
            plan: Plan { steps, slices: Vec::new(), closure: closure.clone() },
            places: nodes.iter().copied().zip(0..).collect(),
            slices: HashMap::new(),
            metric,
            sliced_tiles,
        };
        for (reader, node) in nodes.iter().enumerate() {
            if node.pawns == Placement::NONE {
                planner.reads_pieces(reader, node);
            } else {
                let wanted = reads_of(node, metric, promotions, closure);
                wanted.into_iter().for_each(|wanted| planner.reads(reader, wanted));
            }
        }
        if let Some((start, node)) = nodes.iter().enumerate().next_back() {
            planner.plan.steps[start].stays = true;
            node.successors(promotions, |next| planner.stays(&next));
        }
        planner.plan
    }

    /// Everything is kept, and about so many boards are solved at a time. Boards
    /// without pawns that can be tables of their own are: others may ask for
    /// them.
    pub fn side_by_side(&self, at_once: u64) -> Schedule {
        let mut working: Vec<u64> = self.steps.iter().map(|step| step.working_bytes).collect();
        let mut kept: u64 = self.steps.iter().map(|step| step.bytes).sum();
        for slice in &self.slices {
            if slice.wanted.is_common() {
                kept += slice.bytes;
            } else {
                slice.readers.iter().for_each(|&reader| working[reader] += slice.bytes);
            }
        }
        let bytes = kept + at_once * working.into_iter().max().unwrap_or(0);
        let is_table = |material: &Material| !material.has_pawns() && is_loaded(*material);
        let stage = |places: Vec<usize>| {
            let mut stage = self.stage(&places, &After::default());
            stage.boards.retain(|node| !is_table(&node.material));
            let boards = places.iter().map(|&place| &self.steps[place]);
            let boards = boards.filter(|step| !is_table(&step.node.material));
            let pieces = boards.flat_map(|step| step.pieces.iter().copied()).filter(is_table);
            stage.tables.extend(pieces);
            sort_materials(&mut stage.tables);
            stage
        };
        let stages = self.groups().into_iter().map(stage).collect();
        Schedule { cost: self.cost(bytes), stages, closure: self.closure.clone() }
    }

    /// The steps in groups that read only earlier groups: a capture takes a man
    /// away, a promotion a pawn, and other pawn moves lead up the board.
    fn groups(&self) -> Vec<Vec<usize>> {
        let key = |&place: &usize| {
            let Node { material, pawns } = self.steps[place].node;
            (material.len(), material.pawns(), Reverse(pawns.advancement()))
        };
        let mut places: Vec<usize> = (0..self.steps.len()).collect();
        places.sort_by_key(key);
        places.chunk_by(|a, b| key(a) == key(b)).map(<[usize]>::to_vec).collect()
    }

    fn stage(&self, places: &[usize], after: &After) -> Stage {
        let wanted = |&number: &usize| self.slices[number].wanted.clone();
        let node = |&place: &usize| self.steps[place].node;
        let mut tables: Vec<Material> =
            places.iter().flat_map(|&place| self.steps[place].tables.iter().copied()).collect();
        sort_materials(&mut tables);
        Stage {
            boards: places.iter().map(node).collect(),
            tables,
            keep: after.keep.iter().map(wanted).collect(),
            give_up: after.give_up.iter().map(node).collect(),
            forget: after.forget.iter().map(wanted).collect(),
        }
    }

    fn cost(&self, bytes: u64) -> Cost {
        let positions = self.steps.iter().map(|step| step.tiles * 4096).sum();
        Cost { placements: self.steps.len() as u64, positions, bytes, ..Cost::default() }
    }

    /// One board after the other: what to give up so that all fits into so much
    /// memory; as much as can be if that is not enough.
    pub fn schedule(&self, room_bytes: u64) -> Schedule {
        let everything = self.keeping(u64::MAX, true);
        if everything.cost.bytes <= room_bytes {
            return everything;
        }
        let sizes: BTreeSet<u64> = self.steps.iter().map(|step| step.bytes).collect();
        let smaller = sizes.into_iter().rev().skip(1).chain([0]);
        let mut tried = smaller.map(|largest| self.keeping(largest, true));
        let fits = tried.find(|schedule| schedule.cost.bytes <= room_bytes);
        fits.unwrap_or_else(|| self.keeping(0, false))
    }

    /// Boards larger than this are given up; not those that are asked for next,
    /// if they are to stay. The start stays.
    fn keeping(&self, largest_bytes: u64, next_stay: bool) -> Schedule {
        let start = self.steps.len().saturating_sub(1);
        let given_up = |place: usize| {
            let step = &self.steps[place];
            let stays = step.bytes <= largest_bytes || place == start || (next_stay && step.stays);
            (!stays).then_some(step.last_reader)
        };
        let mut after = vec![After::default(); self.steps.len()];
        for place in 0..self.steps.len() {
            if let Some(last) = given_up(place) {
                after[last].give_up.push(place);
            }
        }
        for (number, slice) in self.slices.iter().enumerate() {
            let Some(&last) = slice.readers.last() else { continue };
            let common = slice.wanted.is_common();
            let gone = slice.source.and_then(given_up).filter(|&gone| gone < last && !common);
            if let Some(gone) = gone {
                after[gone].keep.push(number);
            }
            if gone.is_some() || common {
                after[last].forget.push(number);
            }
        }
        let cost = self.cost(self.peak(&after));
        let stages = after.iter().enumerate().map(|(place, after)| self.stage(&[place], after));
        Schedule { cost, stages: stages.collect(), closure: self.closure.clone() }
    }

    /// The most bytes alive at a time.
    fn peak(&self, after: &[After]) -> u64 {
        let mut kept = vec![false; self.slices.len()];
        let mut read: HashMap<usize, Vec<usize>> = HashMap::new();
        for (number, slice) in self.slices.iter().enumerate() {
            slice.readers.iter().for_each(|&r| read.entry(r).or_default().push(number));
        }
        let (mut alive, mut peak) = (0, 0);
        for (place, (step, after)) in self.steps.iter().zip(after).enumerate() {
            let mut copies = 0;
            for &number in read.get(&place).into_iter().flatten() {
                let slice = &self.slices[number];
                if !kept[number] && slice.wanted.is_common() {
                    kept[number] = true;
                    alive += slice.bytes;
                } else if !kept[number] {
                    copies += slice.bytes;
                }
            }
            alive += step.bytes;
            peak = peak.max(alive + step.working_bytes + copies);
            for &number in &after.keep {
                kept[number] = true;
                alive += self.slices[number].bytes;
            }
            peak = peak.max(alive);
            let boards = after.give_up.iter().map(|&place| self.steps[place].bytes);
            let slices = after.forget.iter().map(|&number| self.slices[number].bytes);
            alive -= boards.chain(slices).sum::<u64>();
        }
        peak
    }
}

/// Those with fewer men first, each once.
fn sort_materials(materials: &mut Vec<Material>) {
    materials.sort_by_key(|material| (material.len(), material.to_string()));
    materials.dedup();
}

/// A plan in the making.
struct Planner {
    plan: Plan,
    places: HashMap<Node, usize>,
    slices: HashMap<Wanted, usize>,
    metric: Metric,
    sliced_tiles: u64,
}

impl Planner {
    fn stays(&mut self, node: &Node) {
        if let Some(&place) = self.places.get(node) {
            self.plan.steps[place].stays = true;
        }
    }

    fn reads_whole(&mut self, reader: usize, source: Option<usize>) {
        if let Some(place) = source {
            self.plan.steps[place].last_reader = reader;
        }
    }

    /// A board without pawns reads those with a man less, some of them with
    /// colours exchanged, of which there is a copy then.
    fn reads_pieces(&mut self, reader: usize, node: &Node) {
        for sub in node.material.men().filter_map(|man| node.material.without(man)) {
            let source = self.places.get(&Node::new(sub, Placement::NONE)).copied();
            self.reads_whole(reader, source);
            self.reads_table(reader, source, sub.canonical());
            if let Some(place) = source.filter(|_| !sub.is_canonical()) {
                let step = &mut self.plan.steps[place];
                let keep = keep_for_others(step.node.material, self.metric);
                step.bytes = 2 * kept_bytes(step.node.material, step.tiles, keep);
            }
        }
    }

    /// What is no part of the plan is a table; so may be what has no pawns.
    fn reads_table(&mut self, reader: usize, source: Option<usize>, material: Material) {
        let step = &mut self.plan.steps[reader];
        let materials = match source {
            None => &mut step.tables,
            Some(_) if !material.has_pawns() => &mut step.pieces,
            Some(_) => return,
        };
        if !materials.contains(&material) {
            materials.push(material);
        }
    }

    fn reads(&mut self, reader: usize, wanted: Wanted) {
        let source = self.places.get(&wanted.node()).copied();
        self.reads_table(reader, source, wanted.node().material);
        let common = wanted.is_common();
        let large = source.is_none_or(|place| self.plan.steps[place].tiles >= self.sliced_tiles);
        let is_slice = common || (wanted.fixed.is_some() && large);
        if !is_slice || (common && !self.slices.contains_key(&wanted)) {
            self.reads_whole(reader, source);
        }
        let bytes = if wanted.is_copied() { copied_bytes(&wanted) } else { 0 };
        if !is_slice {
            self.plan.steps[reader].working_bytes += bytes;
            return;
        }
        let slices = &mut self.plan.slices;
        let number = *self.slices.entry(wanted).or_insert_with_key(|wanted| {
            slices.push(Slice { wanted: wanted.clone(), source, readers: Vec::new(), bytes });
            slices.len() - 1
        });
        let readers = &mut slices[number].readers;
        if readers.last() != Some(&reader) {
            readers.push(reader);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Position;
    use std::collections::HashSet;

    /// Whatever a board reads is there when it is solved, and nothing stays
    /// that nobody reads.
    #[test]
    fn nothing_is_given_up_too_early() {
        let fens = ["8/2p5/8/8/8/8/1P6/K1k5 w - -", "8/1P6/8/3r4/8/8/2p5/K1k5 w - -"];
        for fen in fens {
            let position: Position = fen.parse().unwrap();
            let closure = Closure::of(&position, &Role::PROMOTIONS, |_| false, 100_000).unwrap();
            assert_eq!(closure.nodes.last(), Some(&Node::of(&position)));
            let closure = Arc::new(closure);
            for sliced_tiles in [1, 64, u64::MAX] {
                check(&Plan::new(&closure, Metric::Dtm, &Role::PROMOTIONS, sliced_tiles));
            }
        }
    }

    /// No board of a stage reads another of it or of a later one.
    fn check_groups(plan: &Plan) {
        let mut known = HashSet::new();
        for Stage { boards, tables, .. } in plan.side_by_side(1).stages {
            let table = |&material: &Material| Node { material, pawns: Placement::NONE };
            known.extend(tables.iter().map(table));
            for node in &boards {
                assert_ne!(node.pawns, Placement::NONE, "small enough to be a table");
                node.successors(&Role::PROMOTIONS, |next| assert!(known.contains(&next)));
            }
            known.extend(boards);
        }
        let with_pawns = |known: &Node| known.pawns != Placement::NONE;
        let steps = plan.steps.iter().filter(|step| with_pawns(&step.node)).count();
        assert_eq!(known.into_iter().filter(with_pawns).count(), steps);
        let most = plan.schedule(u64::MAX).cost;
        assert!(plan.side_by_side(1).cost.bytes >= most.bytes);
    }

    fn check(plan: &Plan) {
        check_groups(plan);
        let schedule = plan.schedule(0);
        let (mut boards, mut kept) = (HashSet::new(), HashSet::new());
        for stage in &schedule.stages {
            let [node] = stage.boards[..] else { panic!("one board at a time") };
            if node.pawns == Placement::NONE {
                node.successors(&Role::PROMOTIONS, |next| assert!(boards.contains(&next)));
            } else {
                for wanted in reads_of(&node, Metric::Dtm, &Role::PROMOTIONS, &plan.closure) {
                    assert!(kept.contains(&wanted) || boards.contains(&wanted.node()));
                    if wanted.is_common() {
                        kept.insert(wanted);
                    }
                }
            }
            boards.insert(node);
            kept.extend(stage.keep.iter().cloned());
            stage.give_up.iter().for_each(|node| assert!(boards.remove(node)));
            stage.forget.iter().for_each(|wanted| assert!(kept.remove(wanted)));
        }
        assert_eq!(kept.len(), 0);
        assert_eq!(boards.len(), 1, "the start");
        assert!(schedule.cost.bytes < plan.schedule(u64::MAX).cost.bytes);
        // The more room, the fewer boards are given up.
        let given_up = |room| {
            plan.schedule(room).stages.iter().map(|stage| stage.give_up.len()).sum::<usize>()
        };
        let (least, most) = (schedule.cost.bytes, plan.schedule(u64::MAX).cost.bytes);
        assert!(given_up(least) >= given_up((least + most) / 2));
        assert_eq!(given_up(most), 0);
    }
}
