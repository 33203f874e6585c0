//! What every command works with.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use anyhow::Context as _;
use molien_cuda::{CudaEngine, CudaError, CudaShelf};
use molien_probe::{FolderSource, SolverSource, Source, Tablebase};
use molien_solve::{Progress, Solver};
use molien_table::Directory;

use crate::args::{Backend, Common, Promote};
use crate::card::CardSource;
use crate::progress::{Bars, Interruptible};

/// The environment variable that names the folder of tables.
const TABLES_VARIABLE: &str = "MOLIEN_TABLES";

/// The folder of tables: the one given; else that of `MOLIEN_TABLES`; else
/// `tables` in the platform's data folder; else `tables` here.
fn tables_folder(given: Option<&Path>) -> PathBuf {
    let variable = || std::env::var_os(TABLES_VARIABLE).filter(|text| !text.is_empty());
    let platform = || {
        let folders = directories::ProjectDirs::from("", "", "molien")?;
        Some(folders.data_dir().join("tables"))
    };
    let named = given.map(Path::to_owned).or_else(|| variable().map(PathBuf::from));
    named.or_else(platform).unwrap_or_else(|| PathBuf::from("tables"))
}

/// The options common to all commands, made ready.
pub struct Context {
    /// Whether results are printed as JSON.
    pub json: bool,
    memory_bytes: u64,
    promote: Promote,
    /// Where tables are kept; none if they are not.
    directory: Option<Directory>,
    no_solve: bool,
    backend: Backend,
    /// The card, looked for when it is first wanted; none if there is none.
    card: OnceLock<Option<Arc<CudaEngine>>>,
    interrupted: Arc<AtomicBool>,
}

impl Context {
    /// Sets up threads and the reaction to Ctrl-C.
    pub fn new(common: &Common) -> anyhow::Result<Context> {
        if let Some(threads) = common.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
            pool.build_global().context("the threads could not be started")?;
        }
        let interrupted = Arc::new(AtomicBool::new(false));
        let flag = interrupted.clone();
        // The first signal asks the solver to stop after the current wave,
        // the second does not wait.
        ctrlc::set_handler(move || {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(crate::COULD_NOT_RUN));
            }
        })
        .context("Ctrl-C cannot be handled")?;
        let memory_bytes = common.memory.bytes();
        // Tables of another game than chess are not kept.
        let keeps = !common.in_memory && common.promote == Promote::All;
        let directory = keeps.then(|| Directory::new(tables_folder(common.tables.as_deref())));
        let context = Context {
            json: common.json,
            memory_bytes,
            promote: common.promote,
            directory,
            no_solve: common.no_solve,
            backend: common.backend,
            card: OnceLock::new(),
            interrupted,
        };
        if common.backend == Backend::Cuda {
            context.card()?; // said at once rather than in the middle
        }
        Ok(context)
    }

    /// The CUDA card.
    pub fn card(&self) -> anyhow::Result<Arc<CudaEngine>> {
        if let Some(Some(card)) = self.card.get() {
            return Ok(card.clone());
        }
        let card = Arc::new(self.engine()?);
        // Another thread may have been faster: then its engine is the one.
        Ok(self.card.get_or_init(|| Some(card.clone())).clone().unwrap_or(card))
    }

    /// An engine that stops at Ctrl-C.
    fn engine(&self) -> Result<CudaEngine, CudaError> {
        let interrupted = self.interrupted.clone();
        Ok(CudaEngine::new()?.with_progress(Arc::new(Interruptible { interrupted })))
    }

    /// The card, if it is to be used and there is one; says so once.
    pub fn card_if_wanted(&self) -> Option<Arc<CudaEngine>> {
        if self.backend == Backend::Cpu || self.promote != Promote::All {
            return None;
        }
        let look = || {
            let card = self.engine().ok()?;
            eprintln!("using {}", card.device_name());
            Some(Arc::new(card))
        };
        self.card.get_or_init(look).clone()
    }

    /// A solver within the memory limit that shows its progress on a terminal,
    /// stops at Ctrl-C and reads stored tables.
    pub fn solver(&self) -> Solver {
        let solver = self.plain_solver();
        match &self.directory {
            Some(directory) => solver.with_shelf(Arc::new(directory.clone())),
            None => solver,
        }
    }

    /// The same without stored tables.
    fn plain_solver(&self) -> Solver {
        let interrupted = self.interrupted.clone();
        if std::io::stderr().is_terminal() {
            self.solver_with(Arc::new(Bars::new(interrupted)))
        } else {
            self.quiet_solver()
        }
    }

    /// Stored tables; what is missing is solved and stored. `None` if tables
    /// are not kept.
    pub fn folder(&self) -> Option<FolderSource> {
        let directory = self.directory.clone()?;
        let source = FolderSource::new(directory, self.plain_solver());
        Some(if self.no_solve { source.without_solving() } else { source })
    }

    /// Stored tables, if nothing else may be used.
    pub fn stored_only(&self) -> Option<FolderSource> {
        self.folder().filter(|_| self.no_solve)
    }

    /// The folder of tables, if they are kept.
    pub fn directory(&self) -> Option<&Directory> {
        self.directory.as_ref()
    }

    /// The same, showing nothing.
    fn quiet_solver(&self) -> Solver {
        self.solver_with(Arc::new(Interruptible { interrupted: self.interrupted.clone() }))
    }

    fn solver_with(&self, progress: Arc<dyn Progress>) -> Solver {
        let solver = Solver::new()
            .with_progress(progress)
            .with_memory_limit(self.memory_bytes)
            .with_promotions(self.promote.roles());
        match self.card_if_wanted() {
            Some(card) => solver.with_shelf(Arc::new(CudaShelf::new(card))),
            None => solver,
        }
    }

    /// Whether pawns promote as in chess.
    pub fn promotes_to_all(&self) -> bool {
        self.promote == Promote::All
    }

    /// Set when Ctrl-C was pressed.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        self.interrupted.clone()
    }

    /// A tablebase in memory that solves on demand and shows nothing of it.
    pub fn quiet_tablebase(&self) -> Tablebase {
        Tablebase::solving(self.quiet_solver())
    }

    /// Memory to use at most.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// A tablebase that solves on demand.
    pub fn tablebase(&self) -> Tablebase {
        Tablebase::new(self.source())
    }

    /// Where values come from: stored tables or a solver, and before them the
    /// card for large boards.
    pub fn source(&self) -> Arc<dyn Source> {
        let source: Arc<dyn Source> = match self.folder() {
            Some(folder) => Arc::new(folder),
            None => Arc::new(SolverSource::new(self.solver())),
        };
        match self.card_if_wanted().filter(|_| !self.no_solve) {
            Some(card) => Arc::new(CardSource::new(card, source)),
            None => source,
        }
    }
}
