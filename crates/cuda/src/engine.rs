//! The engine: a card, and the units solved on it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use molien_board::{Color, Material};
use molien_hyper::Hyperboard;
use molien_solve::{Progress, Silent};
use molien_values::{FIFTY_MOVES_PLIES, Metric, Rule, Stats, Table};

use crate::assemble::{games, wave_stats};
use crate::cache::Cache;
use crate::device::{Buffer, Device};
use crate::driver::CudaDevice;
use crate::large_tables::LargeTables;
use crate::layout::{Board, Tables, bishop_pair};
use crate::limited::Limited;
use crate::needs::{card_memory, clock_planes, sub_detail};
use crate::pawn_exits::PawnExits;
use crate::unit::Unit;
use crate::waves::{Extras, Timing, WaveSolve};
use crate::{CardMemory, CudaError, Detail, Planes};

/// Whose wins are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attackers {
    /// White's and Black's.
    Both,
    /// White's only.
    White,
}

/// What to solve and what to keep.
#[derive(Clone, Copy, Debug)]
pub struct Request {
    /// The material, in the orientation wanted.
    pub material: Material,
    /// What is counted.
    pub metric: Metric,
    /// What stays on the card.
    pub keep: Detail,
    /// Whose wins.
    pub attackers: Attackers,
    /// Count only placements whose two like bishops stand on squares of both
    /// colours.
    pub opposite_bishops: bool,
    /// How many planes the waves work in.
    pub planes: Planes,
}

impl Request {
    /// Both sides' wins, keeping what `molien_build::Build` keeps.
    pub fn new(material: Material, metric: Metric) -> Request {
        let keep = match material.len() {
            0..=5 => Detail::Depths,
            6 => Detail::Outcomes,
            _ => Detail::Counts,
        };
        Request {
            material,
            metric,
            keep,
            attackers: Attackers::Both,
            opposite_bishops: false,
            planes: Planes::Four,
        }
    }

    fn colors(&self) -> &'static [Color] {
        match self.attackers {
            Attackers::Both => &Color::BOTH,
            Attackers::White => &[Color::White],
        }
    }
}

/// Solves boards on a card.
pub struct CudaEngine {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) tables: Buffer,
    pub(crate) progress: Arc<dyn Progress>,
    pub(crate) units: Mutex<Cache>,
    /// One solve at a time: those of several threads would want the same
    /// sub-games. Not held while tables are copied to the host.
    solving: Mutex<()>,
    checks: AtomicBool,
    pub(crate) rule_plies: u16,
    /// The exits of the material with pawns asked for last: both attackers
    /// use them.
    pub(crate) last_exits: Mutex<Option<Arc<PawnExits>>>,
    /// Tables with pawns and so many men are solved in parts, for their figures.
    pub(crate) large_men: usize,
    /// The most bytes of a plane of a part, if not what fits the card.
    pub(crate) part_bytes: Option<u64>,
    /// Memory of the host that slices may take where the card has no room for them.
    pub(crate) host_bytes: u64,
    large: Mutex<HashMap<Metric, LargeTables>>,
    /// Whether large boards get kernels for them alone.
    pub(crate) own_kernels: bool,
}

/// Men of the tables with pawns that are solved in parts.
pub(crate) const LARGE_MEN: usize = 6;

impl CudaEngine {
    /// An engine on the first card.
    ///
    /// # Errors
    /// If there is no driver, no card or no run-time compiler; the error says
    /// what was looked for.
    pub fn new() -> Result<CudaEngine, CudaError> {
        CudaEngine::with_compiler_options(&[])
    }

    /// The same with options for the run-time compiler, such as
    /// `-DWAVE_BLOCKS=3`: for experiments.
    ///
    /// # Errors
    /// As [`CudaEngine::new`].
    pub fn with_compiler_options(options: &[String]) -> Result<CudaEngine, CudaError> {
        CudaEngine::on(Arc::new(CudaDevice::new(options)?))
    }

    /// An engine that runs the kernels on the host, slowly: for tests.
    ///
    /// # Errors
    /// If there is no C++ compiler.
    #[cfg(feature = "emulator")]
    pub fn emulated() -> Result<CudaEngine, CudaError> {
        CudaEngine::emulated_beside_others(crate::emulator::MEMORY_BYTES)
    }

    /// The same, where others have taken all but so much of the memory after it
    /// was seen to be free.
    ///
    /// # Errors
    /// If there is no C++ compiler, or too little for an engine.
    #[cfg(feature = "emulator")]
    pub fn emulated_beside_others(room_bytes: u64) -> Result<CudaEngine, CudaError> {
        CudaEngine::on(Arc::new(crate::emulator::Emulator::new(room_bytes)?))
    }

    fn on(device: Arc<dyn Device>) -> Result<CudaEngine, CudaError> {
        let tables = Buffer::of(&device, &[Tables::new()])?;
        Ok(CudaEngine {
            device,
            tables,
            progress: Arc::new(Silent),
            units: Mutex::default(),
            solving: Mutex::default(),
            checks: AtomicBool::new(false),
            rule_plies: FIFTY_MOVES_PLIES,
            last_exits: Mutex::default(),
            large_men: LARGE_MEN,
            part_bytes: None,
            host_bytes: u64::MAX,
            large: Mutex::default(),
            own_kernels: true,
        })
    }

    /// Reports progress to `progress`.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> CudaEngine {
        self.progress = progress;
        self
    }

    /// In [`Metric::Dtm50`] the game is drawn after so many plies without a
    /// zeroing move: for tests. Other than 100 it is not the rule of chess.
    pub fn with_rule_plies(mut self, plies: u16) -> CudaEngine {
        self.forget_all();
        self.rule_plies = plies;
        self
    }

    /// Uses no more than so much of the host's memory for what large tables read of
    /// each other.
    pub fn with_host_memory(mut self, bytes: u64) -> CudaEngine {
        self.host_bytes = bytes;
        self
    }

    /// Uses no more than so much of the card's memory, as if it had no more.
    pub fn with_card_memory(mut self, bytes: u64) -> CudaEngine {
        self.forget_all();
        self.device = Arc::new(Limited::new(self.device, bytes));
        self
    }

    /// Compiles no kernels for single boards of six men: to compare the time.
    pub fn without_own_kernels(mut self) -> CudaEngine {
        self.own_kernels = false;
        self
    }

    /// Tables with pawns and so many men are solved in parts of so many bytes a
    /// plane, for their figures: for tests with small tables.
    pub fn with_large_tables(mut self, men: usize, part_bytes: u64) -> CudaEngine {
        (self.large_men, self.part_bytes) = (men, Some(part_bytes));
        self
    }

    pub(crate) fn large_tables(&self) -> MutexGuard<'_, HashMap<Metric, LargeTables>> {
        // A failed solve leaves tables without a plan.
        self.large.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From now on checks every value of a table by a forward pass, while it
    /// is on the card; a value that does not follow from those one move on
    /// is an error.
    pub fn check_tables(&self) {
        self.checks.store(true, Ordering::Relaxed);
    }

    pub(crate) fn checks(&self) -> bool {
        self.checks.load(Ordering::Relaxed)
    }

    /// The card's name.
    pub fn device_name(&self) -> String {
        self.device.name()
    }

    /// Free and total memory of the card in bytes.
    ///
    /// # Errors
    /// If the driver does not answer.
    pub fn memory(&self) -> Result<(u64, u64), CudaError> {
        self.device.memory()
    }

    /// What a request needs on the card.
    pub fn needs(&self, request: &Request) -> CardMemory {
        let Request { material, metric, keep, planes, .. } = *request;
        let mut needs = card_memory(material, metric, keep, request.colors(), planes);
        if self.checks() && keep == Detail::Depths {
            needs.working_planes += clock_planes(material, metric);
        }
        needs
    }

    /// The table of a material in canonical orientation, as
    /// `molien_build::Build` gives it.
    ///
    /// # Errors
    /// If it does not fit the card or is cancelled.
    pub fn solve(&self, material: Material, metric: Metric) -> Result<Table, CudaError> {
        let material = material.canonical();
        if material.has_pawns() {
            return self.solve_pawns(material, metric);
        }
        let metric = metric.without_pawns();
        let keep = if material.len() <= 5 { Detail::Depths } else { Detail::Outcomes };
        self.solve_request(&Request { keep, ..Request::new(material, metric) })
    }

    /// The table of a request for both sides' wins of a board without pawns.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn solve_request(&self, request: &Request) -> Result<Table, CudaError> {
        let Request { material, metric, .. } = *request;
        let request = &Request { attackers: Attackers::Both, ..*request };
        let (units, stats) = {
            let _one = self.one_at_a_time();
            self.run(request, Extras::default())?
        };
        let parts = games(self, &units[0], &units[1])?;
        drop(units);
        self.forget_large();
        Ok(Table { material, metric, parts, stats })
    }

    /// Statistics only; nothing is copied from the card.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn request_statistics(&self, request: &Request) -> Result<Stats, CudaError> {
        let _one = self.one_at_a_time();
        let (units, stats) = self.run(request, Extras::default())?;
        drop(units);
        self.forget_large();
        Ok(stats)
    }

    pub(crate) fn check_request(&self, request: &Request) -> Result<(), CudaError> {
        if request.material.has_pawns() {
            return Err(CudaError::Pawns { material: request.material });
        }
        if request.planes == Planes::Two && request.metric.conversion_rule() != Rule::One {
            let Request { material, metric, .. } = *request;
            return Err(CudaError::TwoPlanes { material, metric });
        }
        self.make_room(request)
    }

    pub(crate) fn run(
        &self,
        request: &Request,
        extras: Extras<'_>,
    ) -> Result<(Vec<Arc<Unit>>, Stats), CudaError> {
        let material = request.material;
        self.check_request(request)?;
        self.progress.begin(
            material,
            request.metric,
            Hyperboard::pieces(material).tiles() as u64 * 4096,
        );
        let mut units = Vec::new();
        for &attacker in request.colors() {
            units.push(self.timed_unit(request, attacker, extras)?.0);
        }
        let mut stats = wave_stats(request.metric, &units[0], units.get(1).map(|unit| &**unit));
        self.final_counts(request, &units, &mut stats)?;
        self.progress.end(material, request.metric);
        Ok((units, stats))
    }

    pub(crate) fn one_at_a_time(&self) -> MutexGuard<'_, ()> {
        self.solving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The unit of a request for one attacker, with its sub-games.
    pub(crate) fn unit(&self, request: &Request, attacker: Color) -> Result<Arc<Unit>, CudaError> {
        self.timed_unit(request, attacker, Extras::default()).map(|(unit, _)| unit)
    }

    /// The same, with the time it took and with extras.
    pub(crate) fn timed_unit(
        &self,
        request: &Request,
        attacker: Color,
        extras: Extras<'_>,
    ) -> Result<(Arc<Unit>, Timing), CudaError> {
        let Request { material, metric, keep, .. } = *request;
        if material.has_pawns() {
            return Ok((self.pawn_unit(request, attacker)?, Timing::default()));
        }
        let key = (material, attacker, metric);
        let known = extras.watched.is_empty() && !extras.deepest && !request.opposite_bishops;
        if known
            && let Some(unit) = self.lock().get(&key)
            && (keep <= Detail::Outcomes || unit.has_depths)
        {
            return Ok((unit, Timing::default()));
        }
        let board = Hyperboard::pieces(material);
        let mut subs = self.subs(request, &board, attacker)?;
        if request.planes == Planes::Two {
            subs = self.slim(subs, &board, attacker)?;
        }
        let bishops = request.opposite_bishops.then(|| bishop_pair(&board)).flatten();
        let needs = card_memory(material, metric, keep, &[attacker], request.planes);
        let solve = WaveSolve {
            device: &self.device,
            progress: &*self.progress,
            tables: &self.tables,
            board: &board,
            layout: Board::new(&board),
            attacker,
            metric,
            rule_plies: self.rule_plies,
            keep,
            planes: request.planes,
            subs,
            bishops,
            extras: Extras { check: self.checks() && !extras.checked_before, ..extras },
            beside: self.planes_beside(&needs)?,
        };
        let (unit, timing) = solve.run()?;
        let unit = Arc::new(unit);
        if bishops.is_none() && keep != Detail::Counts {
            self.lock().insert(key, unit.clone());
        }
        Ok((unit, timing))
    }

    /// The units without one piece, in the order of the board's pieces.
    pub(crate) fn subs(
        &self,
        request: &Request,
        board: &Hyperboard,
        attacker: Color,
    ) -> Result<Vec<Arc<Unit>>, CudaError> {
        let keep = sub_detail(request.metric);
        let sub = |man| {
            let material = request.material.without(man)?;
            let planes = Planes::Four; // they are small beside the board
            let sub = Request { material, keep, opposite_bishops: false, planes, ..*request };
            Some(self.unit(&sub, attacker))
        };
        board.pieces_in_order().into_iter().filter_map(sub).collect()
    }
}
