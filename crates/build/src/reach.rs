//! One position in little memory: what it can turn into is solved one material after
//! the other, each finished board going to a log, from where others read it.
//!
//! Of large tables without pawns only slices are read, where a pawn has just
//! promoted. Those tables come first, each solved alone for its waves; when the
//! slices that any board reads have been cut it is given up. Then come the boards
//! with pawns. The logs of the position and of what its moves lead to stay: they
//! are asked for next.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use molien_board::{Material, Position};
use molien_solve::{Closure, Cost, Keep, Node, Wanted};
use molien_table::{BoardLog, Directory, WaveLogs};
use molien_values::{BoardValues, Metric, Placement};

use crate::by_part::LogSink;
use crate::cache::{Key, key};
use crate::inputs::Inputs;
use crate::limits::keep_for_others;
use crate::memory::copied_bytes;
use crate::needs::reads;
use crate::planned::LOG_BYTES_AN_ADDRESS;
use crate::positions::covers;
use crate::reach_shelf::FromShelf;
use crate::run::Run;
use crate::slices::Slicing;
use crate::sources::BoardSource;
use crate::whole::{Whole, table_bytes};
use crate::{Build, BuildError, lock};

/// What a slice takes on the disk, of what it takes in memory.
const PACKED_SHARE: f64 = 0.25;
/// Bytes for each address of a board that is solved in little memory, for what waits
/// meanwhile.
const WAITING_BYTES_AN_ADDRESS: f64 = 0.5;

/// How what a position can turn into is solved a part at a time.
pub(crate) struct Reach {
    /// Tables without pawns too large for memory, and what is read of them.
    sliced: BTreeMap<String, (Material, Vec<Wanted>)>,
    /// Boards that a shelf makes.
    from_shelf: FromShelf,
    /// Each after what it reads.
    parts: Vec<Part>,
    closure: Arc<Closure>,
    pub cost: Cost,
}

/// The boards of one material with pawns.
struct Part {
    material: Material,
    whole: Whole,
    /// Smaller materials that are read.
    subs: Vec<Material>,
    /// Materials whose boards no later part reads.
    done: Vec<Material>,
}

impl Reach {
    /// What temporary files take at the peak: all slices, the log of the largest
    /// table without pawns, and what waits meanwhile; then the logs of boards until
    /// they are given up.
    fn disk_bytes(&self) -> u64 {
        let sliced = self.sliced.values();
        let slices: u64 = sliced.clone().flat_map(|(_, slices)| slices).map(copied_bytes).sum();
        let slices = PACKED_SHARE * slices as f64;
        let largest = sliced.map(|(source, _)| addresses(*source)).max().unwrap_or(0) as f64;
        let mut peak = (LOG_BYTES_AN_ADDRESS + WAITING_BYTES_AN_ADDRESS) * largest;
        let (mut alive, mut logs) = (0.0, HashMap::new());
        for (material, boards) in self.from_shelf.values() {
            let addresses = boards.iter().map(|pawns| Node::new(*material, *pawns).tiles() * 4096);
            let own = LOG_BYTES_AN_ADDRESS * addresses.sum::<u64>() as f64;
            logs.insert(*material, own);
            alive += own;
        }
        for Part { material, whole, done, .. } in &self.parts {
            let own = LOG_BYTES_AN_ADDRESS * whole.schedule.cost.positions as f64;
            let waiting = WAITING_BYTES_AN_ADDRESS * (whole.tiles * 4096) as f64;
            logs.insert(*material, own);
            alive += own;
            peak = peak.max(alive + waiting);
            alive -= done.iter().filter_map(|material| logs.remove(material)).sum::<f64>();
        }
        (slices + peak) as u64
    }
}

/// Addresses of a table without pawns.
fn addresses(material: Material) -> u64 {
    Node::new(material, Placement::NONE).tiles() * 4096
}

impl Build {
    /// Plans what a position can turn into, a part at a time.
    pub(crate) fn plan_reach(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Reach, BuildError> {
        let (start, asked) = (position.material(), self.asked_of_shelf(position, metric)?);
        let handed =
            |node: &Node| asked.is_some() && self.is_from_shelf(node.material, start, metric);
        let known = |node: &Node| self.is_known_table(node.material, metric) || handed(node);
        let closure = Arc::new(self.closure(position, known)?);
        let nodes = &closure.nodes;
        let from_shelf = match asked {
            Some(_) => self.boards_from_shelf(nodes, start, metric),
            None => FromShelf::new(),
        };
        let materials: HashSet<Material> = nodes.iter().map(|node| node.material).collect();
        let reached = |sub: &Material| {
            let made = materials.contains(sub) || from_shelf.contains_key(&sub.to_string());
            made || self.is_known_table(*sub, metric) || sub.len() <= 2
        };
        let mut parts = Vec::new();
        for boards in by_material(nodes) {
            let material = boards[0][0].material;
            let subs = reads(material).into_iter();
            let subs = subs.filter(|sub| sub.len() < material.len() && reached(sub)).collect();
            let whole = self.whole_within(boards, metric, closure.clone());
            parts.push(Part { material, whole, subs, done: Vec::new() });
        }
        say_when_done(&mut parts);
        let mut sliced: BTreeMap<String, (Material, Vec<Wanted>)> = BTreeMap::new();
        for (source, slices) in parts.iter().flat_map(|part| &part.whole.slices) {
            if self.is_logged(*source) && !self.is_stored(&key(*source, metric)) {
                let (_, all) = sliced.entry(source.to_string()).or_insert((*source, Vec::new()));
                all.extend(slices.iter().cloned());
            }
        }
        let (cost, closure) = (Cost::default(), closure.clone());
        let mut reach = Reach { sliced, from_shelf, parts, cost, closure };
        reach.cost = self.reach_cost(&reach, &reach.closure.nodes, metric);
        // Nodes that the shelf reads by itself are a part of the work, too.
        if let Some(Cost { placements, positions, .. }) = asked {
            (reach.cost.placements, reach.cost.positions) = (placements, positions);
        }
        Ok(reach)
    }

    fn is_known_table(&self, material: Material, metric: Metric) -> bool {
        self.is_known(material, metric, keep_for_others(material, metric))
    }

    fn reach_cost(&self, reach: &Reach, nodes: &[Node], metric: Metric) -> Cost {
        let small = nodes.iter().filter(|node| node.pawns == Placement::NONE);
        let small = small.map(|node| key(node.material, metric));
        let small = small.filter(|key| key.0.len() > 2 && !self.is_logged(key.0));
        let (mut bytes, mut lean_positions) = (self.least_for(small), 0);
        for (source, _) in reach.sliced.values() {
            let (own, lean) = self.pieces_bytes(*source, metric);
            let subs = reads(*source).into_iter();
            let read = subs.map(|sub| table_bytes(sub, keep_for_others(sub, metric))).sum::<u64>();
            bytes = bytes.max(own + read);
            lean_positions += if lean { addresses(*source) } else { 0 };
        }
        for Part { whole, subs, .. } in &reach.parts {
            let share = self.share(whole);
            // No large table without pawns is read as a whole unless it fits.
            let large = subs.iter().filter(|sub| self.is_logged(**sub));
            let large: u64 = large.map(|sub| table_bytes(*sub, Keep::Depths)).sum();
            bytes = bytes.max(share.bytes + large);
            lean_positions += if share.lean { whole.schedule.cost.positions } else { 0 };
        }
        let positions = nodes.iter().map(|node| node.tiles() * 4096).sum();
        let (placements, disk_bytes) = (nodes.len() as u64, reach.disk_bytes());
        Cost { placements, positions, bytes, lean_positions, disk_bytes }
    }

    /// Solves what a position can turn into, a part at a time.
    pub(crate) fn follow_reach(
        &self,
        position: &Position,
        metric: Metric,
        reach: &Reach,
    ) -> Result<(), BuildError> {
        let start = Node::of(position);
        let packing = |error| BuildError::packing(start.material, error);
        let _turn = self.wait_for_turn(start.material)?;
        // A board is counted by the side that is read of it, and may have the other.
        let spare = self.memory_limit_bytes().saturating_sub(reach.cost.bytes) / 2;
        let (recent_bytes, held) = match self.memory_limit_bytes() {
            u64::MAX => (u64::MAX, None),
            _ => (spare / 2, Some(self.hold(key(start.material, metric), spare)?)),
        };
        let folder = Directory::new(self.scratch_folder().map_err(packing)?);
        if let Some(free) = folder.free_bytes().filter(|free| *free < reach.cost.disk_bytes) {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            let (needed_mib, free_mib) = (mib(reach.cost.disk_bytes), mib(free));
            return Err(BuildError::Disk { material: start.material, needed_mib, free_mib });
        }
        let store = self.plane_store().map_err(packing)?;
        let inputs = Inputs::new(self.backend, metric, &self.promotions);
        let inputs = inputs.spilling(store, recent_bytes).merging(true);
        let inputs = inputs.within(reach.closure.clone());
        for (source, slices) in reach.sliced.values() {
            let source = key(*source, metric);
            self.copy_piece_slices(Slicing { inputs: &inputs, key: source, slices })?;
            self.forget_waves(source)?;
        }
        let mut asked_next = HashSet::from([start.material]);
        start.successors(&self.promotions, |next| {
            asked_next.insert(next.material);
        });
        let mut logs = self.logs_from_shelf(&reach.from_shelf, metric)?;
        for (material, log) in &logs {
            inputs.add_source(*material, BoardSource::Log(log.clone()));
        }
        for part in &reach.parts {
            let log = self.solve_part(part, metric, &inputs, &logs)?;
            logs.insert(part.material, log);
            inputs.forget_views();
            for material in &part.done {
                inputs.forget_source(*material);
                logs.retain(|kept, _| kept != material || asked_next.contains(kept));
            }
        }
        logs.retain(|material, _| asked_next.contains(material));
        drop(held);
        lock(&self.reached)
            .extend(logs.into_iter().map(|(material, log)| ((material, metric), log)));
        Ok(())
    }

    /// Has a shelf make boards, into logs.
    fn logs_from_shelf(
        &self,
        boards: &FromShelf,
        metric: Metric,
    ) -> Result<HashMap<Material, Arc<BoardLog>>, BuildError> {
        let mut logs = HashMap::new();
        for (material, pawns) in boards.values() {
            let missing = BuildError::Missing { material: *material, metric };
            let shelf = self.board_shelf(*material, metric).ok_or(missing)?;
            let packing = |error| BuildError::packing(*material, error);
            let folder = self.scratch_folder().map_err(packing)?;
            let log = BoardLog::unnamed(folder, *material, metric)?;
            self.log_some(&**shelf, (*material, metric), &log, pawns)?;
            logs.insert(*material, Arc::new(log));
        }
        Ok(logs)
    }

    /// Solves the boards of one material into a log.
    fn solve_part(
        &self,
        part: &Part,
        metric: Metric,
        inputs: &Inputs,
        logs: &HashMap<Material, Arc<BoardLog>>,
    ) -> Result<Arc<BoardLog>, BuildError> {
        let Part { material, whole, subs, .. } = part;
        for sub in subs.iter().filter(|sub| !inputs.has_source(**sub)) {
            inputs.add_source(*sub, self.board_source(key(*sub, metric))?);
        }
        for (source, slices) in &whole.slices {
            let some = Slicing { inputs, key: key(*source, metric), slices };
            match logs.get(source) {
                Some(log) => self.copy_slices_from(some, &BoardSource::Log(log.clone()))?,
                // Slices of large tables without pawns are there.
                None if slices.iter().all(|wanted| inputs.has_slice(wanted)) => {}
                None => self.copy_slices(some)?,
            }
        }
        let folder =
            self.scratch_folder().map_err(|error| BuildError::packing(*material, error))?;
        let log = Arc::new(BoardLog::unnamed(folder, *material, metric)?);
        inputs.add_source(*material, BoardSource::Log(log.clone()));
        let share = self.share(whole);
        let _room = self.reserve((*material, metric), share.bytes)?;
        let spill = |material| self.spill(material);
        let run = Run {
            backend: self.backend,
            progress: &*self.progress,
            log: None,
            metric,
            rule_plies: self.rule_plies,
            keep: |_, _| Keep::Depths,
            inputs,
            sink: &LogSink(&log),
            at_once: share.at_once as usize,
            spill: share.lean.then_some(&spill),
        };
        self.progress.begin(*material, metric, whole.schedule.cost.positions);
        let followed = self.pool().install(|| run.follow(&whole.schedule));
        self.progress.end(*material, metric);
        followed?;
        Ok(log)
    }

    /// Gives up the waves of a table without pawns that no other metric reads.
    fn forget_waves(&self, (material, metric): Key) -> Result<(), BuildError> {
        let shared = metric == Metric::Dtz.without_pawns();
        if !shared && lock(&self.waves).remove(&(material, metric)).is_some() {
            let packing = |error| BuildError::packing(material, error);
            let logs = WaveLogs::new(self.scratch_folder().map_err(packing)?);
            logs.remove(material, &[metric]).map_err(packing)?;
        }
        Ok(())
    }

    /// The board of a position from the log of an earlier question, with at least the
    /// side to move, if the position could come about then.
    pub(crate) fn reached_board(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Option<Arc<BoardValues>>, BuildError> {
        let node = Node::of(position);
        let log = lock(&self.reached).get(&(node.material, metric)).cloned();
        let swapped = !position.material().is_canonical();
        let turn = if swapped { position.turn().other() } else { position.turn() };
        match log {
            Some(log) => {
                let board = log.board(node.pawns, Some(turn))?.map(Arc::new);
                Ok(board.filter(|board| covers(board, position)))
            }
            None => Ok(None),
        }
    }
}

/// Boards with pawns by material, each after what it reads, in stages: the furthest
/// advanced pawns first.
fn by_material(nodes: &[Node]) -> Vec<Vec<Vec<Node>>> {
    let order = |node: &Node| {
        let material = node.material;
        let name = material.to_string();
        (material.len(), material.pawns(), name, Reverse(node.pawns.advancement()), node.pawns)
    };
    let mut nodes: Vec<Node> =
        nodes.iter().filter(|node| node.pawns != Placement::NONE).copied().collect();
    nodes.sort_by_cached_key(order);
    let stages = |boards: &[Node]| {
        let level = |node: &Node| node.pawns.advancement();
        boards.chunk_by(|a, b| level(a) == level(b)).map(<[Node]>::to_vec).collect()
    };
    nodes.chunk_by(|a, b| a.material == b.material).map(stages).collect()
}

/// Notes after which part the boards of each material are no longer read.
fn say_when_done(parts: &mut [Part]) {
    let mut seen = HashSet::new();
    for part in parts.iter_mut().rev() {
        let sliced = part.whole.slices.iter().map(|(source, _)| *source);
        let read = part.subs.iter().copied().chain(sliced).chain([part.material]);
        part.done = read.filter(|material| seen.insert(*material)).collect();
    }
}
