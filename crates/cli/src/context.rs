//! What every command works with.

mod tablebases;

use std::ffi::OsStr;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::Context as _;
use molien_build::Build;
use molien_cuda::{CudaEngine, CudaError, CudaShelf};
use molien_operators::{Backend as Operators, fastest};
use molien_probe::Spare;
use molien_solve::{Exchange, Progress};
use molien_table::Directory;
use molien_uci::MakeBuild;

use crate::args::{Backend, Common, Instructions, Promote};
use crate::malloc;
use crate::news::News;
use crate::progress::{Bars, Interruptible};
use crate::text::note;
use crate::wave_lines::{Both, WaveLines};

/// The environment variable that names the folder of tables.
const TABLES_VARIABLE: &str = "MOLIEN_TABLES";

/// The folders of tables: those given; else those of `MOLIEN_TABLES`; else
/// `tables` in the platform's data folder; else `tables` here.
fn tables_folders(given: &[PathBuf]) -> Vec<PathBuf> {
    if !given.is_empty() {
        return given.to_vec();
    }
    let variable = std::env::var_os(TABLES_VARIABLE).unwrap_or_default();
    let named: Vec<PathBuf> =
        std::env::split_paths(&variable).filter(|path| !path.as_os_str().is_empty()).collect();
    if !named.is_empty() {
        return named;
    }
    vec![molien::local::tables_folder()]
}

/// Processors that may be used; one where the system does not say.
fn processors() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// The environment variable that names folders of Syzygy files.
const SYZYGY_VARIABLE: &str = "SYZYGY_PATH";

/// The folders of Syzygy files: those given, else those of the environment. Of
/// the latter, which are for all programs, folders that are not there are left
/// out.
fn syzygy_folders(given: Option<&OsStr>) -> Vec<PathBuf> {
    let folders = |text: &OsStr| -> Vec<PathBuf> {
        std::env::split_paths(text).filter(|folder| !folder.as_os_str().is_empty()).collect()
    };
    if let Some(given) = given {
        return folders(given);
    }
    let mut found =
        std::env::var_os(SYZYGY_VARIABLE).map(|text| folders(&text)).unwrap_or_default();
    found.retain(|folder| folder.is_dir());
    found
}

/// Of the memory that may be used and that other programs leave, what the card may take for
/// slices of large tables.
const SLICES_SHARE: (u64, u64) = (3, 4);

/// The options common to all commands, made ready.
pub struct Context {
    /// Whether results are printed as JSON.
    pub json: bool,
    memory_bytes: u64,
    promote: Promote,
    /// Where tables are read; the first keeps new ones. None if tables are not
    /// kept.
    directories: Vec<Directory>,
    /// Folders of Syzygy files.
    syzygy: Vec<PathBuf>,
    no_solve: bool,
    patient: bool,
    backend: Backend,
    operators: &'static dyn Operators,
    /// The card, looked for when it is first wanted; none if there is none.
    card: OnceLock<Option<Arc<CudaEngine>>>,
    /// The most bytes of its memory.
    card_bytes: Option<u64>,
    interrupted: Arc<AtomicBool>,
    threads: Option<NonZeroUsize>,
    build: OnceLock<Arc<Build>>,
    /// Where temporary files go, if that was said.
    temp: Option<PathBuf>,
    by_part_men: usize,
    /// How often progress is told where there is no terminal.
    news: Duration,
    /// The processes that solve together.
    ranks: Arc<dyn Exchange>,
    /// Where every wave is written down, if it is.
    waves: OnceLock<Arc<WaveLines>>,
}

impl Context {
    /// Sets up threads and the reaction to Ctrl-C.
    pub fn new(common: &Common, ranks: Arc<dyn Exchange>) -> anyhow::Result<Context> {
        let memory_bytes = common.memory.bytes();
        malloc::keep_given_up(memory_bytes);
        // More threads than processors only cost memory.
        let threads = common.threads.map(|threads| threads.min(processors()));
        if let Some(threads) = threads {
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
        let operators = common.instructions.map_or(Ok(fastest()), Instructions::operators)?;
        // Tables of another game than chess are not kept.
        let keeps = !common.in_memory && common.promote == Promote::All;
        let folders = if keeps { tables_folders(&common.tables) } else { Vec::new() };
        let context = Context {
            json: common.json,
            memory_bytes,
            promote: common.promote,
            directories: folders.into_iter().map(Directory::new).collect(),
            // They are tables of chess.
            syzygy: match common.promote {
                Promote::All => syzygy_folders(common.syzygy.as_deref()),
                Promote::Queen => Vec::new(),
            },
            no_solve: common.no_solve,
            patient: common.yes,
            backend: common.backend,
            operators,
            card: OnceLock::new(),
            card_bytes: common.card_memory,
            interrupted,
            threads,
            build: OnceLock::new(),
            temp: common.temp.clone(),
            by_part_men: usize::from(common.by_part),
            news: common.news,
            ranks,
            waves: OnceLock::new(),
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

    /// An engine that shows its progress and stops at Ctrl-C.
    fn engine(&self) -> Result<CudaEngine, CudaError> {
        // The rest is for boards on their way to a file, and for all else.
        let (part, whole) = SLICES_SHARE;
        let host_bytes = self.memory_bytes.min(molien::local::available_bytes()) / whole * part;
        let engine = CudaEngine::new()?.with_progress(self.progress());
        let engine = engine.with_host_memory(host_bytes);
        Ok(match self.card_bytes {
            Some(bytes) => engine.with_card_memory(bytes),
            None => engine,
        })
    }

    /// Shows how far the work is, by bars on a terminal, else by a line now and then; of
    /// several processes the first does.
    fn progress(&self) -> Arc<dyn Progress> {
        let interrupted = self.interrupted.clone();
        match std::io::stderr().is_terminal() {
            _ if !self.is_leader() => Arc::new(Interruptible { interrupted }),
            true => Arc::new(Bars::new(interrupted)),
            false => Arc::new(News::new(interrupted, self.news)),
        }
    }

    /// The card, if it is to be used and there is one; says so once.
    pub fn card_if_wanted(&self) -> Option<Arc<CudaEngine>> {
        let together = self.ranks.size() > 1;
        if together || self.backend == Backend::Cpu || self.promote != Promote::All {
            return None;
        }
        let look = || {
            let card = self.engine().ok()?;
            note(format_args!("using {}", card.device_name()));
            Some(Arc::new(card))
        };
        self.card.get_or_init(look).clone()
    }

    /// Makes tables within the memory limit, shows its progress, stops at Ctrl-C, and reads stored tables. One for the whole command.
    pub fn build(&self) -> Arc<Build> {
        let make = || {
            let progress = match self.waves.get() {
                Some(lines) => Arc::new(Both(lines.clone(), self.progress())),
                None => self.progress(),
            };
            Arc::new(self.build_with(progress).with_ranks(self.ranks.clone()))
        };
        self.build.get_or_init(make).clone()
    }

    /// Writes down every wave that is solved from now on; of several processes each
    /// but the first adds its number to the name.
    pub fn write_waves(&self, path: &Path) -> anyhow::Result<()> {
        let mut path = path.to_owned();
        if !self.is_leader() {
            path.as_mut_os_string().push(format!(".{}", self.ranks.rank()));
        }
        let lines = WaveLines::create(&path);
        let lines = lines.with_context(|| format!("{} cannot be made", path.display()))?;
        let _ = self.waves.set(Arc::new(lines));
        Ok(())
    }

    /// Whether several processes solve together.
    pub fn is_together(&self) -> bool {
        self.ranks.size() > 1
    }

    /// Whether this is the process that does what is done once: the only one, or the
    /// first of several.
    pub fn is_leader(&self) -> bool {
        self.ranks.rank() == 0
    }

    /// Another one, that keeps tables and reads none.
    pub fn build_in_memory(&self) -> Build {
        let progress = Arc::new(Interruptible { interrupted: self.interrupted.clone() });
        self.plain_build(progress)
    }

    fn build_with(&self, progress: Arc<dyn Progress>) -> Build {
        let mut build = self.plain_build(progress);
        if let Some((first, others)) = self.directories.split_first() {
            for other in others.iter().rev() {
                build = build.with_read_folder(other.clone());
            }
            build = build.with_folder(first.clone()).logging_waves();
        }
        if self.no_solve { build.without_solving() } else { build }
    }

    /// What solves if the folder cannot be written to: it reads all folders and
    /// stores nothing.
    fn spare(&self) -> Spare {
        let (maker, directories) = (self.build_maker(), self.directories.clone());
        let interrupted = self.interrupted.clone();
        Spare {
            make: Box::new(move || {
                let build = maker(Arc::new(Interruptible { interrupted: interrupted.clone() }));
                directories
                    .iter()
                    .rev()
                    .fold(build, |build, directory| build.with_read_folder(directory.clone()))
            }),
            notice: Box::new(|error| {
                note(format_args!("nothing is stored: {error}; solving in memory instead"));
            }),
        }
    }

    fn plain_build(&self, progress: Arc<dyn Progress>) -> Build {
        let build = self.build_maker()(progress);
        match self.card_if_wanted() {
            Some(card) => build.with_shelf(Arc::new(CudaShelf::new(card))),
            None => build,
        }
    }

    /// The folder that keeps new tables, if they are kept.
    pub fn directory(&self) -> Option<&Directory> {
        self.directories.first()
    }

    /// All folders of tables.
    pub fn directories(&self) -> &[Directory] {
        &self.directories
    }

    /// How often progress is told where there is no terminal.
    pub fn news(&self) -> Duration {
        self.news
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        self.threads.unwrap_or_else(processors).get()
    }

    /// Whether long solves begin without asking back.
    pub fn is_patient(&self) -> bool {
        self.patient
    }

    /// Whether only stored tables may be used.
    pub fn only_stored(&self) -> bool {
        self.no_solve
    }

    /// Makes builds that report to a listener of the caller's. They do not use
    /// the card, which would be looked for when nobody waits for it.
    pub fn build_maker(&self) -> MakeBuild {
        let (operators, threads, temp) = (self.operators, self.threads, self.temp.clone());
        let (memory_bytes, promote) = (self.memory_bytes, self.promote);
        let by_part_men = self.by_part_men;
        Arc::new(move |progress| {
            let build = Build::new()
                .with_backend(operators)
                .with_progress(progress)
                .with_memory_limit(memory_bytes)
                .with_memory_aside(malloc::KEPT_PART, malloc::MOST_KEPT_BYTES)
                .with_promotions(promote.roles())
                .by_part_from(by_part_men);
            let build = temp.iter().fold(build, |build, folder| build.with_scratch(folder));
            threads.into_iter().fold(build, Build::with_threads)
        })
    }

    /// Threads to use, if that was said.
    #[cfg(feature = "serve")]
    pub fn threads_wanted(&self) -> Option<std::num::NonZeroUsize> {
        self.threads
    }

    /// Whether missing tables may be solved.
    pub fn may_solve(&self) -> bool {
        !self.no_solve
    }

    /// Whether pawns promote as in chess.
    pub fn promotes_to_all(&self) -> bool {
        self.promote == Promote::All
    }

    /// Set when Ctrl-C was pressed.
    pub fn interrupt_flag(&self) -> Arc<AtomicBool> {
        self.interrupted.clone()
    }

    /// Memory to use at most.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// Whether Ctrl-C was pressed.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
