//! What a build works with: memory, threads, folder, shelves.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock};

use molien_board::Role;
use molien_operators::{Backend, fastest};
use molien_solve::{Alone, Exchange, Progress, Silent};
use molien_table::Directory;
use molien_values::{FIFTY_MOVES_PLIES, Shelf, WaveLog};

use crate::Build;
use crate::flight::Flights;
use crate::limits::{BY_PART_MEN, LOGGED_ON_THE_WAY_MEN, TOGETHER_MEN};
use crate::memory::{Aside, Budget};
use crate::plan::SLICED_TILES;
use crate::watch::FROM_SHELF_ADDRESSES;

impl Default for Build {
    fn default() -> Build {
        Build::new()
    }
}

impl Build {
    /// Silent, with the fastest operators for this processor, a thread for each
    /// of its cores, no memory limit and no folder.
    pub fn new() -> Build {
        Build {
            backend: fastest(),
            progress: Arc::new(Silent),
            promotions: Role::PROMOTIONS.to_vec(),
            rule_plies: FIFTY_MOVES_PLIES,
            folder: None,
            read_folders: Vec::new(),
            may_solve: true,
            shelves: Vec::new(),
            wave_log: None,
            threads: None,
            pool: OnceLock::new(),
            budget: Budget::unlimited(),
            tables: Mutex::default(),
            making: Flights::default(),
            to_come: Mutex::default(),
            requests: AtomicU64::new(0),
            turn: Mutex::default(),
            boards: Mutex::default(),
            confined: Mutex::default(),
            confining: true,
            reached: Mutex::default(),
            reaching: Flights::default(),
            sliced_tiles: SLICED_TILES,
            watched: Mutex::default(),
            learning: Flights::default(),
            from_shelf_addresses: FROM_SHELF_ADDRESSES,
            by_part_men: BY_PART_MEN,
            lean_tiles: u64::MAX,
            exchange: Arc::new(Alone),
            by_part_turn: Mutex::default(),
            scratch: None,
            scratch_made: OnceLock::new(),
            logs: Mutex::default(),
            waves: Mutex::default(),
        }
    }

    /// Reports progress to `progress`.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Build {
        self.progress = progress;
        self
    }

    /// Tables with this many men or more are solved and written a part at a time,
    /// in little memory; six by default.
    pub fn by_part_from(mut self, men: usize) -> Build {
        self.by_part_men = men.clamp(3, BY_PART_MEN);
        self
    }

    /// If a position with pawns can turn into boards of this many addresses in all, a
    /// shelf that makes such boards is asked; 2^33 by default.
    pub fn from_shelf_at(mut self, addresses: u64) -> Build {
        self.from_shelf_addresses = addresses;
        self
    }

    /// Boards with this many tiles or more are solved in little memory, which takes
    /// longer; by default only those that do not fit otherwise.
    pub fn lean_from(mut self, tiles: u64) -> Build {
        self.lean_tiles = tiles;
        self
    }

    /// Makes tables together with the other ranks of `exchange`. All ranks have
    /// builds that are set up alike, share one folder, and ask for the same files
    /// ([`Build::store`]); everything else each rank makes alone.
    pub fn with_ranks(mut self, exchange: Arc<dyn Exchange>) -> Build {
        if exchange.size() > 1 {
            self.by_part_men = self.by_part_men.min(TOGETHER_MEN);
        }
        self.exchange = exchange;
        self
    }

    /// Puts temporary files into this folder; by default they go to the folder of
    /// tables, or to the system's temporary folder if there is none.
    pub fn with_scratch(mut self, folder: impl Into<PathBuf>) -> Build {
        self.scratch = Some(folder.into());
        self
    }

    /// Uses these operators.
    pub fn with_backend(mut self, backend: &'static dyn Backend) -> Build {
        self.backend = backend;
        self
    }

    /// Uses so many threads.
    pub fn with_threads(mut self, threads: NonZeroUsize) -> Build {
        self.threads = Some(threads);
        self
    }

    /// Refuses what needs more memory than this, and gives up tables kept for
    /// later to stay below it.
    pub fn with_memory_limit(mut self, bytes: u64) -> Build {
        self.budget = Budget::new(bytes, Aside::default());
        self
    }

    /// Leaves one part in `one_in` of the memory limit, which has been set before, to
    /// others, an allocator that keeps blocks for later for instance; at most
    /// `most_bytes`.
    pub fn with_memory_aside(mut self, one_in: NonZeroU64, most_bytes: u64) -> Build {
        self.budget = self.budget.with_aside(Aside { one_in: Some(one_in), most_bytes });
        self
    }

    /// Takes tables from a shelf rather than solving them. Of several shelves
    /// the one given last is asked first.
    pub fn with_shelf(mut self, shelf: Arc<dyn Shelf>) -> Build {
        self.shelves.insert(0, shelf);
        self
    }

    /// Reads the tables of a folder too, before those of others added earlier, and stores
    /// nothing there.
    pub fn with_read_folder(mut self, folder: Directory) -> Build {
        self.read_folders.insert(0, folder.clone());
        self.with_shelf(Arc::new(folder))
    }

    /// Reads the tables of a folder, and stores what [`Build::store`] makes.
    pub fn with_folder(mut self, folder: Directory) -> Build {
        self.folder = Some(folder);
        self
    }

    /// Keeps the waves of long solves in the folder until the table is stored,
    /// so that an interrupted solve resumes where it stopped. For builds that
    /// store what they solve.
    pub fn logging_waves(mut self) -> Build {
        let logs = |folder: &Directory| folder.wave_logs().up_to_men(LOGGED_ON_THE_WAY_MEN);
        self.wave_log = self.folder.as_ref().map(|folder| Arc::new(logs(folder)) as Arc<_>);
        self
    }

    /// Solves nothing: what is not on a shelf or in the folder is an error.
    pub fn without_solving(mut self) -> Build {
        self.may_solve = false;
        self
    }

    /// Whether what is not at hand is solved.
    pub fn may_solve(&self) -> bool {
        self.may_solve
    }

    /// Keeps the waves of long solves in a log, and resumes from what is in it.
    /// A log must not be shared by builds with other promotions.
    pub fn with_wave_log(mut self, log: Arc<dyn WaveLog>) -> Build {
        self.wave_log = Some(log);
        self
    }

    /// In [`Metric::Dtm50`](molien_values::Metric::Dtm50) the game is drawn
    /// after this many plies without a zeroing move. Any number but 100 is not the
    /// rule of chess, so shelves and a folder given before are not used.
    pub fn with_rule_plies(mut self, plies: u16) -> Build {
        if plies != FIFTY_MOVES_PLIES {
            self.forget_outside_tables();
        }
        self.rule_plies = plies;
        self
    }

    /// What is solved is not chess: nothing is read from or written to tables
    /// of chess.
    fn forget_outside_tables(&mut self) {
        self.shelves.clear();
        self.folder = None;
        self.wave_log = None;
    }

    /// Lets pawns promote to these roles only. Tables solved so are not those
    /// of chess (Thompson's KQPKQ of 1986 has queens only), so shelves and the
    /// folder given before are not used.
    pub fn with_promotions(mut self, roles: &[Role]) -> Build {
        if roles != Role::PROMOTIONS {
            self.forget_outside_tables();
        }
        self.promotions = roles.to_vec();
        self
    }
}
