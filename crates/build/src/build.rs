//! Tables on demand: made once, kept while there is room.

use std::collections::HashMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

use molien_board::{Material, Position, Role};
use molien_operators::Backend;
use molien_solve::{Cost, Exchange, Keep, Node, Progress};
use molien_table::{BoardLog, Directory, Logged, TableError, TableFile};
use molien_values::{BoardValues, Metric, Shelf, Stats, Table, Value, WaveLog};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::cache::{Cache, Kept, Key, key};
use crate::flight::{Claim, Flights};
use crate::inputs::Inputs;
use crate::limits::{is_loaded, is_small, keep_alone, keep_for_conversions, keep_on_the_way};
use crate::memory::{Budget, Reservation};
use crate::needs::{levels, order, reads};
use crate::packed::PackedTable;
use crate::plan::Schedule;
use crate::run::{Gathered, Run};
use crate::scratch::ScratchFolder;
use crate::slices::Slicing;
use crate::watch::Extras;
use crate::whole::{Whole, table_bytes};
use crate::{BuildError, lock};

/// A result that all who wait for it get.
pub(crate) type Landed<T> = Result<Arc<T>, BuildError>;

/// Makes tables and keeps them while there is room. Any number of threads may
/// ask, from inside rayon's threads too: the work is done on threads of its own,
/// which never wait for each other's tables.
pub struct Build {
    pub(crate) backend: &'static dyn Backend,
    pub(crate) progress: Arc<dyn Progress>,
    pub(crate) promotions: Vec<Role>,
    pub(crate) rule_plies: u16,
    pub(crate) folder: Option<Directory>,
    /// Others, which are shelves as well: of their files slices are read.
    pub(crate) read_folders: Vec<Directory>,
    pub(crate) may_solve: bool,
    /// Asked in this order.
    pub(crate) shelves: Vec<Arc<dyn Shelf>>,
    pub(crate) wave_log: Option<Arc<dyn WaveLog>>,
    pub(crate) threads: Option<NonZeroUsize>,
    pub(crate) pool: OnceLock<ThreadPool>,
    pub(crate) budget: Budget,
    pub(crate) tables: Mutex<Cache>,
    pub(crate) making: Flights<Key, Landed<Table>>,
    /// What requests in progress are still going to read, by request.
    pub(crate) to_come: Mutex<HashMap<u64, Vec<Key>>>,
    pub(crate) requests: AtomicU64,
    /// Large tables are made for one request at a time: memory holds what one
    /// of them reads.
    pub(crate) turn: Mutex<()>,
    /// Boards solved for single positions.
    pub(crate) boards: Mutex<HashMap<(Node, Metric), Arc<BoardValues>>>,
    /// The same of boards of which only some positions can come about.
    pub(crate) confined: Mutex<HashMap<(Node, Metric), Arc<BoardValues>>>,
    /// The same in logs, if memory was short.
    pub(crate) reached: Mutex<HashMap<Key, Arc<BoardLog>>>,
    /// Whether the squares of kings are followed; values are the same if not.
    pub(crate) confining: bool,
    pub(crate) reaching: Flights<(Node, Metric), Landed<BoardValues>>,
    /// For single positions: of boards of so many tiles slices are kept.
    pub(crate) sliced_tiles: u64,
    /// Values of single positions of tables that keep no depths.
    pub(crate) watched: Mutex<HashMap<(Position, Metric), Value>>,
    pub(crate) learning: Flights<Key, ()>,
    /// Positions that can turn into boards of so many addresses are asked of a shelf.
    pub(crate) from_shelf_addresses: u64,
    /// Tables of so many men and more are never in memory as a whole.
    pub(crate) by_part_men: usize,
    /// Boards of so many tiles and more are solved in little memory, others if they
    /// do not fit otherwise.
    pub(crate) lean_tiles: u64,
    /// The ranks that make tables together.
    pub(crate) exchange: Arc<dyn Exchange>,
    /// Tables too large for memory are solved for one request at a time.
    pub(crate) by_part_turn: Mutex<()>,
    /// Where temporary files go.
    pub(crate) scratch: Option<PathBuf>,
    pub(crate) scratch_made: OnceLock<ScratchFolder>,
    /// Boards of tables too large for memory that are not stored.
    pub(crate) logs: Mutex<HashMap<Key, Arc<BoardLog>>>,
    /// The same of tables without pawns.
    pub(crate) waves: Mutex<HashMap<Key, Logged>>,
}

impl Build {
    /// The folder tables are stored in, if there is one.
    pub fn folder(&self) -> Option<&Directory> {
        self.folder.as_ref()
    }

    /// Whom it reports to, and who says when it is to stop.
    pub fn progress(&self) -> Arc<dyn Progress> {
        self.progress.clone()
    }

    /// Opens a table of the folder; none if there is no folder. Reading whole boards of it
    /// ends when this build is cancelled.
    ///
    /// # Errors
    /// As [`Directory::open`].
    pub fn open_file(&self, material: Material) -> Result<Option<TableFile>, TableError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        Ok(Some(self.stopping(folder.open(material)?)))
    }

    /// Reading whole boards of this file ends when the build is cancelled.
    pub(crate) fn stopping(&self, file: TableFile) -> TableFile {
        // Of several ranks none stops alone: the others would wait for it.
        if self.exchange.size() > 1 {
            return file;
        }
        let progress = self.progress.clone();
        file.stopping_when(move || progress.cancelled())
    }

    /// The memory that may be used.
    pub fn memory_limit_bytes(&self) -> u64 {
        self.budget.limit_bytes
    }

    /// The table of a material (in canonical orientation), made if need be with
    /// everything it depends on.
    ///
    /// # Errors
    /// If it needs too much memory, is cancelled, or cannot be read.
    pub fn table(&self, material: Material, metric: Metric) -> Result<Arc<Table>, BuildError> {
        let key = key(material, metric);
        let keep = keep_alone(key.0);
        match self.in_memory(&key, keep) {
            Some(table) => Ok(table),
            None => outside_rayon(|| self.request(key, keep)),
        }
    }

    /// The statistics of a material's table in canonical orientation, which is
    /// made if need be; tables too large for memory are solved board by board, and
    /// not kept as a whole.
    ///
    /// # Errors
    /// If it needs too much memory, is cancelled, or cannot be read.
    pub fn stats(&self, material: Material, metric: Metric) -> Result<Stats, BuildError> {
        let key = key(material, metric);
        if self.is_by_part(key.0) {
            return self.stats_by_part(key);
        }
        if !self.is_known(key.0, key.1, keep_alone(key.0)) && self.is_lean_table(key) {
            let extras = Extras::default();
            return Ok(outside_rayon(|| self.solve_pieces(key.0, key.1, &extras))?.1);
        }
        Ok(self.table(material, metric)?.stats.clone())
    }

    /// The same with the depth of every position, which [`Build::table`] only
    /// counts where there are many men.
    ///
    /// # Errors
    /// If it needs too much memory, is cancelled, or cannot be read.
    pub fn table_with_depths(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Arc<Table>, BuildError> {
        let key = key(material, metric);
        match self.in_memory(&key, Keep::Depths) {
            Some(table) => Ok(table),
            None => outside_rayon(|| self.request(key, Keep::Depths)),
        }
    }

    /// A table that is in memory already.
    pub fn table_at_hand(&self, material: Material, metric: Metric) -> Option<Arc<Table>> {
        lock(&self.tables).get(&key(material, metric))
    }

    /// Makes a table, and first all it needs, in an order that keeps few
    /// waiting.
    pub(crate) fn request(&self, key: Key, keep: Keep) -> Result<Arc<Table>, BuildError> {
        let metric = key.1;
        if metric == Metric::Wdl && !self.is_known(key.0, metric, keep) {
            self.request((key.0, Metric::Dtz50), keep)?;
            return self.make(key, keep);
        }
        let mut needed: Vec<Material> = Vec::new();
        if !self.is_known(key.0, metric, keep) {
            self.refuse_hopeless(key, keep)?;
            needed = order(&[key.0], |sub| {
                sub != key.0 && self.is_known(sub, metric, self.keep_for_readers(sub, metric))
            });
            needed.pop();
        }
        let large = !is_small(key.0) && !self.is_shelved(&key);
        let _turn = large.then(|| lock(&self.turn));
        let request = self.announce(&needed, key);
        let (small, large): (Vec<Material>, Vec<Material>) =
            needed.into_iter().partition(|&material| is_small(material));
        for level in levels(small) {
            self.make_side_by_side(&level, metric)?;
            level.iter().for_each(|&material| request.done(material));
        }
        for material in large {
            self.make((material, metric), self.keep_for_readers(material, metric))?;
            request.done(material);
        }
        self.make(key, keep)
    }

    /// Small tables are made side by side: none of them can use all threads.
    fn make_side_by_side(&self, level: &[Material], metric: Metric) -> Result<(), BuildError> {
        let make =
            |material| self.make((material, metric), self.keep_for_readers(material, metric));
        if let [material] = level {
            return make(*material).map(drop);
        }
        std::thread::scope(|scope| {
            let made: Vec<_> =
                level.iter().map(|&material| scope.spawn(move || make(material))).collect();
            let join = |(thread, &material): (std::thread::ScopedJoinHandle<'_, _>, _)| {
                thread.join().unwrap_or(Err(BuildError::Lost { material })).map(drop)
            };
            made.into_iter().zip(level).try_for_each(join)
        })
    }

    /// Makes one table; what it reads is made if it is not at hand. Not to be
    /// called on the threads of the pool, which do not wait.
    pub(crate) fn make(&self, wanted: Key, keep: Keep) -> Result<Arc<Table>, BuildError> {
        let wanted = key(wanted.0, wanted.1);
        self.make_from(wanted, keep, self.is_shelved(&wanted))
    }

    /// The same; whether it comes from a shelf is said.
    pub(crate) fn make_from(
        &self,
        wanted: Key,
        keep: Keep,
        mut shelved: bool,
    ) -> Result<Arc<Table>, BuildError> {
        loop {
            if let Some(table) = self.in_memory(&wanted, keep) {
                return Ok(table);
            }
            if let Some(flight) = self.making.running(wanted) {
                match flight.wait() {
                    Some(Ok(table)) if keeps(&table, keep) => return Ok(table),
                    Some(Err(error)) => return Err(error),
                    _ => continue,
                }
            }
            if wanted.1 == Metric::Wdl && !shelved {
                let table = self.make((wanted.0, Metric::Dtz50), keep)?.as_classes();
                return Ok(lock(&self.tables).insert_new(wanted, Arc::new(table)));
            }
            let work = self.prepare(wanted, keep, shelved)?;
            let Claim::Mine(ticket) = self.making.claim(wanted) else { continue };
            // Somebody may have landed it between the look and the claim.
            if let Some(table) = self.in_memory(&wanted, keep) {
                ticket.land(Ok(table.clone()));
                return Ok(table);
            }
            let made = self.pool().install(|| {
                let made = work.run(self, wanted, keep).transpose()?.map(Arc::new);
                if let Ok(table) = &made {
                    let stored = self.is_stored(&wanted);
                    lock(&self.tables).insert(wanted, Kept::Planes(table.clone()), stored);
                }
                ticket.land(made.clone());
                Some(made)
            });
            match made {
                Some(made) => return made,
                // The shelf could not after all: a full card, for instance.
                None => shelved = false,
            }
        }
    }

    /// Gets ready what a table is made from.
    fn prepare(&self, wanted: Key, keep: Keep, shelved: bool) -> Result<Work<'_>, BuildError> {
        let (material, metric) = wanted;
        let kept = lock(&self.tables).kept(&wanted).filter(|kept| kept.keeps(keep));
        if let Some(Kept::Packed(packed)) = kept {
            let room = self.reserve(wanted, table_bytes(material, Keep::Depths))?;
            return Ok(Work::Unpack { packed, _room: room });
        }
        if shelved && keep == Keep::Depths && self.is_one_sided(&wanted) {
            let (inputs, held) =
                self.inputs(wanted, &self.whole(material, metric, Keep::Depths))?;
            let room = self.reserve(wanted, self.load_bytes(material))?;
            return Ok(Work::Derive { inputs: Box::new(inputs), _room: [held, room] });
        }
        if shelved {
            let room = self.reserve(wanted, self.load_bytes(material))?;
            return Ok(Work::Load { _room: room });
        }
        // Two kings alone are in no folder.
        if !self.may_solve && material.len() > 2 {
            return Err(BuildError::Missing { material, metric });
        }
        let whole = self.whole(material, metric, keep);
        let (inputs, held) = self.inputs(wanted, &whole)?;
        let (room, at_once) = self.reserve_boards(wanted, &whole)?;
        let Whole { schedule, .. } = whole;
        Ok(Work::Solve { inputs: Box::new(inputs), schedule, at_once, _room: [held, room] })
    }

    /// How a whole table is solved.
    pub(crate) fn whole(&self, material: Material, metric: Metric, keep: Keep) -> Whole {
        let at_once = self.boards_at_once();
        self.pool().install(|| Whole::new(material, metric, keep, &self.promotions, at_once))
    }

    /// The same outside of a request: what is read is made first.
    pub(crate) fn inputs_for(&self, wanted: Key) -> Result<(Inputs, Reservation<'_>), BuildError> {
        let metric = wanted.1;
        for sub in reads(wanted.0) {
            let keep = self.keep_for_readers(sub, metric);
            if !self.is_known(sub, metric, keep) {
                self.request(key(sub, metric), keep)?;
            }
        }
        self.inputs(wanted, &self.whole(wanted.0, metric, Keep::Depths))
    }

    /// Gets ready all that a table reads: smaller tables as they are, of others
    /// the slices.
    pub(crate) fn inputs(
        &self,
        (material, metric): Key,
        whole: &Whole,
    ) -> Result<(Inputs, Reservation<'_>), BuildError> {
        let inputs = Inputs::new(self.backend, metric, &self.promotions);
        let is_sliced = |sub: Material| whole.slices.iter().any(|(source, _)| *source == sub);
        for sub in reads(material).into_iter().filter(|&sub| !is_sliced(sub)) {
            inputs.add_table(self.make((sub, metric), self.keep_for_readers(sub, metric))?);
        }
        let held = self.hold((material, metric), whole.slices_bytes)?;
        for (source, slices) in &whole.slices {
            self.copy_slices(Slicing { inputs: &inputs, key: key(*source, metric), slices })?;
        }
        Ok((inputs, held))
    }

    /// Solves a table from what it reads.
    fn solve(
        &self,
        (material, metric): Key,
        keep: Keep,
        inputs: &Inputs,
        schedule: &Schedule,
        at_once: u64,
    ) -> Result<Table, BuildError> {
        if let Some(table) = self.without_curses(material, metric, keep, inputs) {
            return Ok(table);
        }
        if material.has_pawns() {
            self.progress.begin(material, metric, schedule.cost.positions);
        }
        let gathered = Gathered::default();
        // As many as there are threads for need not be counted.
        let counted = at_once < self.boards_at_once();
        let at_once = if counted { at_once as usize } else { usize::MAX };
        let run = Run {
            backend: self.backend,
            progress: &*self.progress,
            // What is stored is solved again only because that is quick.
            log: self.wave_log.as_deref().filter(|_| !self.is_in_file(&(material, metric))),
            metric,
            rule_plies: self.rule_plies,
            keep: match keep {
                Keep::Depths => |_, _| Keep::Depths,
                Keep::Outcomes => |_, _| Keep::Outcomes,
                Keep::Winners => |_, _| Keep::Winners,
            },
            inputs,
            sink: &gathered,
            at_once,
            spill: None,
        };
        let followed = run.follow(schedule);
        if material.has_pawns() {
            self.progress.end(material, metric);
        }
        followed?;
        Ok(gathered.into_table(material, metric))
    }

    /// Where the 50-move rule spoils nothing that a move leads to, DTZ50 is DTZ:
    /// the same boards serve, if they are at hand.
    fn without_curses(
        &self,
        material: Material,
        metric: Metric,
        keep: Keep,
        inputs: &Inputs,
    ) -> Option<Table> {
        if metric != Metric::Dtz50 {
            return None;
        }
        let plain = self.in_memory(&key(material, Metric::Dtz), keep)?;
        if !plain.stats.counts_depths() {
            return None;
        }
        // Only a pawn's push starts the count anew among the same men.
        let cursed = material.has_pawns() && plain.stats.is_cursed();
        if cursed || inputs.is_cursed() {
            return None;
        }
        let stats = Stats { metric, ..plain.stats.clone() };
        Some(Table { material, metric, parts: plain.parts.clone(), stats })
    }

    fn in_memory(&self, key: &Key, keep: Keep) -> Option<Arc<Table>> {
        lock(&self.tables).get(key).filter(|table| keeps(table, keep))
    }

    pub(crate) fn is_stored(&self, &(material, metric): &Key) -> bool {
        is_loaded(material)
            && self.folder.as_ref().is_some_and(|folder| folder.has(material, metric))
    }

    /// Whether the folder has it for one side to move only.
    pub(crate) fn is_one_sided(&self, &(material, metric): &Key) -> bool {
        let file = self.folder.as_ref().filter(|_| is_loaded(material));
        let file = file.and_then(|folder| folder.open(material).ok());
        file.is_some_and(|file| file.derived_side(metric).is_some())
    }

    /// Whether a shelf other than the folder has it.
    pub(crate) fn is_on_shelf(&self, material: Material, metric: Metric) -> bool {
        let (material, metric) = key(material, metric);
        // Classes are taken from DTZ50, wherever that comes from.
        metric != Metric::Wdl && self.shelves.iter().any(|shelf| shelf.contains(material, metric))
    }

    /// Whether a table can be had, and by decoding a file only.
    pub(crate) fn is_in_file(&self, key: &Key) -> bool {
        let has = |shelf: &Arc<dyn Shelf>| shelf.contains(key.0, key.1);
        let mut shelves = self.shelves.iter().filter(|shelf| has(shelf)).peekable();
        match shelves.peek() {
            Some(_) => shelves.all(|shelf| shelf.reads_files()),
            None => self.is_stored(key),
        }
    }

    pub(crate) fn is_shelved(&self, key: &Key) -> bool {
        self.is_stored(key) || self.is_on_shelf(key.0, key.1)
    }

    /// What is kept of a table because larger ones read it: of one that is in a file no more
    /// than they read, since the rest can be read again.
    fn keep_for_readers(&self, material: Material, metric: Metric) -> Keep {
        match self.is_in_file(&key(material, metric)) {
            true => keep_for_conversions(material, metric),
            false => keep_on_the_way(material, metric),
        }
    }

    /// Whether a table can be had that keeps at least this much without solving
    /// what it reads.
    pub(crate) fn is_known(&self, material: Material, metric: Metric, keep: Keep) -> bool {
        let key = key(material, metric);
        let kept = lock(&self.tables).kept(&key);
        kept.is_some_and(|kept| kept.keeps(keep)) || self.is_shelved(&key)
    }

    /// Says that a table is in the folder now, so that memory need not keep it.
    pub(crate) fn mark_stored(&self, material: Material, metric: Metric) {
        lock(&self.tables).mark_stored(&key(material, metric));
    }

    /// Keeps a table made elsewhere.
    pub(crate) fn keep(&self, key: Key, table: Arc<Table>) {
        lock(&self.tables).insert(key, Kept::Planes(table), false);
    }

    /// Gives up the table of a material.
    pub fn forget(&self, material: Material, metric: Metric) {
        lock(&self.tables).remove(&key(material, metric));
    }

    /// Gives up the tables in a metric for which this holds.
    pub(crate) fn forget_in(&self, metric: Metric, gone: impl Fn(&Key) -> bool) {
        lock(&self.tables).retain(|key| {
            let own = if key.0.has_pawns() { metric } else { metric.without_pawns() };
            key.1 != own || !gone(key)
        });
    }

    /// Gives up all that is kept in memory.
    pub fn forget_all(&self) {
        lock(&self.tables).clear();
        lock(&self.boards).clear();
        lock(&self.confined).clear();
    }

    pub(crate) fn wave_log(&self) -> Option<&dyn WaveLog> {
        self.wave_log.as_deref()
    }

    /// How many boards may be in work at a time: a thread that waits for the
    /// tiles of its board may begin another one.
    pub(crate) fn boards_at_once(&self) -> u64 {
        2 * self.pool().current_num_threads() as u64
    }

    /// The threads that solve. They are not those of the caller, who may wait
    /// inside a parallel iterator of its own.
    pub(crate) fn pool(&self) -> &ThreadPool {
        self.pool.get_or_init(|| {
            let threads = self.threads.map_or(0, NonZeroUsize::get);
            let named = || ThreadPoolBuilder::new().thread_name(|i| format!("solve-{i}"));
            let pool = named().num_threads(threads).build();
            // A machine that cannot start so many threads starts one.
            pool.or_else(|_| named().num_threads(1).build()).expect("a thread can be started")
        })
    }

    /// What a table takes to make, what it depends on left out.
    pub fn table_cost(&self, material: Material, metric: Metric) -> Cost {
        let material = material.canonical();
        if self.is_by_part(material) {
            return self.by_part_cost((material, metric));
        }
        let mut cost = self.whole(material, metric, keep_alone(material)).schedule.cost;
        if self.is_logged(material) {
            let (bytes, lean) = self.pieces_bytes(material, metric);
            cost.bytes = bytes;
            cost.lean_positions = if lean { cost.positions } else { 0 };
        }
        cost
    }
}

/// How a table is made.
enum Work<'a> {
    /// It is on a shelf or in the folder.
    Load { _room: Reservation<'a> },
    /// It is in the folder for one side to move; the other follows from that and
    /// from what it reads.
    Derive { inputs: Box<Inputs>, _room: [Reservation<'a>; 2] },
    /// It is at hand, but compressed.
    Unpack { packed: Arc<PackedTable>, _room: Reservation<'a> },
    /// It is solved from what it reads.
    Solve { inputs: Box<Inputs>, schedule: Schedule, at_once: u64, _room: [Reservation<'a>; 2] },
}

impl Work<'_> {
    /// `None` if it is not on the shelf after all.
    fn run(&self, build: &Build, wanted: Key, keep: Keep) -> Result<Option<Table>, BuildError> {
        match self {
            Work::Load { .. } => build.load(wanted, keep),
            Work::Derive { inputs, .. } => build.derive(wanted, inputs),
            Work::Unpack { packed, .. } => {
                packed.unpack().map(Some).map_err(|error| BuildError::packing(wanted.0, error))
            }
            Work::Solve { inputs, schedule, at_once, .. } => {
                build.solve(wanted, keep, inputs, schedule, *at_once).map(Some)
            }
        }
    }
}

/// Whether a table keeps at least this much.
pub(crate) fn keeps(table: &Table, keep: Keep) -> bool {
    keeps_as(&table.stats, || table.has_depths(), keep)
}

/// The same of a table with these statistics, which has depths or not.
fn keeps_as(stats: &Stats, has_depths: impl FnOnce() -> bool, keep: Keep) -> bool {
    match keep {
        Keep::Winners => true,
        Keep::Outcomes => stats.counts_depths(),
        Keep::Depths => has_depths(),
    }
}

impl Kept {
    /// See [`keeps`].
    pub(crate) fn keeps(&self, keep: Keep) -> bool {
        match self {
            Kept::Planes(table) => keeps(table, keep),
            Kept::Packed(packed) => keeps_as(&packed.stats, || packed.has_depths(), keep),
        }
    }
}

/// Runs work that waits for others on a thread that is not one of rayon's: a
/// rayon thread that waits takes up other work in the meantime, which may wait
/// for what is under it on the same stack.
pub(crate) fn outside_rayon<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    if rayon::current_thread_index().is_none() {
        return work();
    }
    let joined = std::thread::scope(|scope| scope.spawn(work).join());
    joined.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
