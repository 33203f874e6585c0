//! The engine: a card, and the units solved on it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use molien_board::{Color, Material, Position};
use molien_hyper::Hyperboard;
use molien_solve::{Metric, Progress, Silent, Stats, Table, Value};

use crate::assemble::{FINAL_TALLIES, add_final_counts, games, wave_stats};
use crate::cache::Cache;
use crate::counts::TALLY_WORDS;
use crate::device::{Buffer, Build, Device, Kernel, Part};
use crate::driver::CudaDevice;
use crate::layout::{Board, bishop_pair, tables};
use crate::pawn_exits::PawnExits;
use crate::plan::{plan, reachable, sub_keep};
use crate::unit::Unit;
use crate::watch::positions;
use crate::waves::{Extras, Timing, WaveSolve, base_job};
use crate::{CudaError, Keep, Plan};

/// Whose wins are solved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Attackers {
    /// White's and Black's.
    Both,
    /// White's only, as Stiller's tables count.
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
    pub keep: Keep,
    /// Whose wins.
    pub attackers: Attackers,
    /// Count only placements whose two like bishops stand on squares of both
    /// colours.
    pub opposite_bishops: bool,
}

impl Request {
    /// Both sides' wins, keeping what `molien_solve::Solver` keeps.
    pub fn new(material: Material, metric: Metric) -> Request {
        let keep = match material.len() {
            0..=5 => Keep::Depths,
            6 => Keep::Outcomes,
            _ => Keep::Counts,
        };
        Request { material, metric, keep, attackers: Attackers::Both, opposite_bishops: false }
    }

    fn colors(&self) -> &'static [Color] {
        match self.attackers {
            Attackers::Both => &Color::BOTH,
            Attackers::White => &[Color::White],
        }
    }
}

/// Statistics of one side's wins, and the positions of its deepest ones.
#[derive(Clone, Debug)]
pub struct Survey {
    /// Statistics; those of the other side's wins are left out.
    pub stats: Stats,
    /// The deepest wins, White to move; of mirror images one. Empty if there
    /// are more than 65536 addresses of them.
    pub deepest_wins: Vec<Position>,
    /// The deepest losses, Black to move, likewise.
    pub deepest_losses: Vec<Position>,
}

/// Solves boards on a card.
pub struct CudaEngine {
    pub(crate) device: Arc<dyn Device>,
    pub(crate) tables: Buffer,
    pub(crate) progress: Arc<dyn Progress>,
    units: Mutex<Cache>,
    /// One solve at a time: those of several threads would want the same
    /// sub-games. Not held while tables are copied to the host.
    solving: Mutex<()>,
    checks: AtomicBool,
    /// The exits of the material with pawns asked for last: both attackers
    /// use them.
    pub(crate) last_exits: Mutex<Option<Arc<PawnExits>>>,
}

impl CudaEngine {
    /// An engine on the first card.
    ///
    /// # Errors
    /// If there is no driver, no card or no run-time compiler; the error says
    /// what was looked for.
    pub fn new() -> Result<CudaEngine, CudaError> {
        CudaEngine::on(Arc::new(CudaDevice::new()?))
    }

    /// An engine that runs the kernels on the host, slowly: for tests.
    ///
    /// # Errors
    /// If there is no C++ compiler.
    #[cfg(feature = "emulator")]
    pub fn emulated() -> Result<CudaEngine, CudaError> {
        CudaEngine::on(Arc::new(crate::emulator::Emulator::new()?))
    }

    fn on(device: Arc<dyn Device>) -> Result<CudaEngine, CudaError> {
        let bytes = tables();
        let buffer = Buffer::new(&device, bytes.len())?;
        buffer.upload(&bytes)?;
        Ok(CudaEngine {
            device,
            tables: buffer,
            progress: Arc::new(Silent),
            units: Mutex::default(),
            solving: Mutex::default(),
            checks: AtomicBool::new(false),
            last_exits: Mutex::default(),
        })
    }

    /// Reports progress to `progress`.
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> CudaEngine {
        self.progress = progress;
        self
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
    pub fn plan(&self, request: &Request) -> Plan {
        plan(request.material, request.metric, request.keep, request.colors())
    }

    /// Compiles the kernels a request needs, in parallel. Without this each is
    /// compiled when it is first used.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn prepare(&self, request: &Request) -> Result<(), CudaError> {
        let board = Board::new(&Hyperboard::pieces(request.material));
        let graded = sub_keep(request.metric) == Keep::Depths;
        let mut builds = vec![Build::of(&board, Part::Waves)];
        if request.keep == Keep::Counts {
            builds.push(Build::of(&board, Part::Again));
        }
        for outer in 0..=board.outer as usize {
            builds.push(Build { outer, pawns: false, part: Part::Waves, fixed: None });
            if graded {
                builds.push(Build { outer, pawns: false, part: Part::Graded, fixed: None });
            }
        }
        if builds[0].fixed.is_some() {
            // Only the board's own sub-games use kernels for any board.
            builds.retain(|build| build.fixed.is_some() || build.outer < board.outer as usize);
        }
        self.compile(&builds)
    }

    /// Compiles the kernels for all tables of up to five men, in parallel.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn prepare_tables(&self) -> Result<(), CudaError> {
        // Five men: one piece beside the two of the tile, or two beside a pawn.
        let boards = (0..=1).map(|outer| (outer, false)).chain((0..=2).map(|outer| (outer, true)));
        let check = self.checks().then_some(Part::Check);
        let parts: Vec<Part> = [Part::Waves, Part::Graded].into_iter().chain(check).collect();
        let build = |(outer, pawns)| {
            parts.iter().map(move |&part| Build { outer, pawns, part, fixed: None })
        };
        self.compile(&boards.flat_map(build).collect::<Vec<_>>())
    }

    /// Does something while the kernels a request needs are compiled: its
    /// sub-games can be solved before the kernels for the largest board are
    /// there.
    fn while_compiling<T>(
        &self,
        request: &Request,
        work: impl FnOnce() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        std::thread::scope(|scope| {
            let compiled = scope.spawn(|| self.prepare(request));
            let done = work()?;
            compiled.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            Ok(done)
        })
    }

    fn compile(&self, builds: &[Build]) -> Result<(), CudaError> {
        std::thread::scope(|scope| {
            let spawn = |build: &Build| {
                let build = *build;
                scope.spawn(move || self.device.prepare(&build))
            };
            let threads: Vec<_> = builds.iter().map(spawn).collect();
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
        })
    }

    /// The table of a material in canonical orientation, as
    /// `molien_solve::Solver` gives it.
    ///
    /// # Errors
    /// If it does not fit the card or is cancelled.
    pub fn solve(&self, material: Material, metric: Metric) -> Result<Table, CudaError> {
        let material = material.canonical();
        if material.has_pawns() {
            return self.solve_pawns(material, metric);
        }
        let metric = metric.without_pawns();
        let keep = if material.len() <= 5 { Keep::Depths } else { Keep::Outcomes };
        let request = Request { keep, ..Request::new(material, metric) };
        let (units, stats) = {
            let _one = self.one_at_a_time();
            self.run(&request, Extras::default())?
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
    pub fn statistics(&self, request: &Request) -> Result<Stats, CudaError> {
        let _one = self.one_at_a_time();
        let (units, stats) = self.run(request, Extras::default())?;
        drop(units);
        self.forget_large();
        Ok(stats)
    }

    /// White's wins with the least memory: statistics and the deepest
    /// positions.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn survey(&self, material: Material, metric: Metric) -> Result<Survey, CudaError> {
        let metric = metric.without_pawns();
        let (keep, attackers) = (Keep::Counts, Attackers::White);
        let request = Request { keep, attackers, ..Request::new(material, metric) };
        let _one = self.one_at_a_time();
        let extras = Extras { deepest: true, ..Extras::default() };
        let (units, stats) = self.while_compiling(&request, || self.run(&request, extras))?;
        let (board, record) = (&units[0].board, &units[0].record);
        let survey = Survey {
            stats,
            deepest_wins: positions(board, Color::White, &record.deepest_won),
            deepest_losses: positions(board, Color::Black, &record.deepest_lost),
        };
        drop(units);
        self.forget_large();
        Ok(survey)
    }

    /// The values of legal positions of one material, whose depths are noted
    /// while the waves run: no depth needs to be kept. One side's wins are
    /// solved after the other's.
    ///
    /// # Errors
    /// If it has pawns, does not fit the card, or is cancelled.
    pub fn values(
        &self,
        material: Material,
        metric: Metric,
        asked: &[Position],
    ) -> Result<Vec<Value>, CudaError> {
        let metric = metric.without_pawns();
        let request = Request { keep: Keep::Counts, ..Request::new(material, metric) };
        let _one = self.one_at_a_time();
        let mut values = vec![Value::Draw; asked.len()];
        for attacker in Color::BOTH {
            // One side's wins at a time, whichever they are.
            self.check_request(&Request { attackers: Attackers::White, ..request })?;
            let extras = Extras { watched: asked, ..Extras::default() };
            let solve = || self.timed_unit(&request, attacker, extras);
            let (unit, _) = self.while_compiling(&request, solve)?;
            for ((value, position), ply) in values.iter_mut().zip(asked).zip(&unit.record.watched) {
                match ply {
                    Some(ply) if position.turn() == attacker => *value = Value::Win(*ply),
                    Some(ply) => *value = Value::Loss(*ply),
                    None => {}
                }
            }
            drop(unit);
            self.forget_large();
        }
        Ok(values)
    }

    fn check_request(&self, request: &Request) -> Result<(), CudaError> {
        if request.material.has_pawns() {
            return Err(CudaError::Pawns { material: request.material });
        }
        self.make_room(request)
    }

    fn run(
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

    /// Gives back units until the plan fits.
    pub(crate) fn make_room(&self, request: &Request) -> Result<(), CudaError> {
        let plan = self.plan(request);
        let closure = reachable(request.material);
        let present = self.lock().touch(&closure, request.metric).min(plan.sub_games);
        let needed = plan.total() - present;
        while self.device.memory()?.0 < needed && self.lock().evict() {}
        if self.device.memory()?.0 < needed {
            self.lock().clear();
        }
        let (needed, free) = (plan.total(), self.device.memory()?.0);
        if free + self.lock().touch(&closure, request.metric) >= needed {
            return Ok(());
        }
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        Err(CudaError::Memory {
            material: request.material,
            metric: request.metric,
            needed_mib: mib(needed),
            plan: self.plan(request).to_string(),
            free_mib: mib(free),
        })
    }

    pub(crate) fn one_at_a_time(&self) -> MutexGuard<'_, ()> {
        self.solving.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Cache> {
        // Entries are only ever added or removed whole.
        self.units.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A unit solved earlier.
    pub(crate) fn cached(
        &self,
        material: Material,
        attacker: Color,
        metric: Metric,
    ) -> Option<Arc<Unit>> {
        self.lock().get(&(material, attacker, metric))
    }

    /// Keeps a unit.
    pub(crate) fn cache(
        &self,
        material: Material,
        attacker: Color,
        metric: Metric,
        unit: &Arc<Unit>,
    ) {
        self.lock().insert((material, attacker, metric), unit.clone());
    }

    /// Forgets units of more than five men, which are many times larger.
    fn forget_large(&self) {
        self.lock().retain(|material| material.len() <= 5);
    }

    /// Forgets every unit.
    pub fn forget_all(&self) {
        self.lock().clear();
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
            && (keep <= Keep::Outcomes || unit.has_depths)
        {
            return Ok((unit, Timing::default()));
        }
        let board = Hyperboard::pieces(material);
        let subs = self.subs(request, &board, attacker)?;
        let bishops = request.opposite_bishops.then(|| bishop_pair(&board)).flatten();
        let solve = WaveSolve {
            device: &self.device,
            progress: &*self.progress,
            tables: &self.tables,
            board: &board,
            layout: Board::new(&board),
            attacker,
            metric,
            keep,
            subs,
            bishops,
            extras: Extras { check: self.checks(), ..extras },
        };
        let (unit, timing) = solve.run()?;
        let unit = Arc::new(unit);
        if bishops.is_none() && keep != Keep::Counts {
            self.lock().insert(key, unit.clone());
        }
        Ok((unit, timing))
    }

    /// Legal positions and zugzwangs.
    pub(crate) fn final_counts(
        &self,
        request: &Request,
        units: &[Arc<Unit>],
        stats: &mut Stats,
    ) -> Result<(), CudaError> {
        let white = &units[0];
        let address = |plane: Option<&Buffer>| plane.map_or(0, Buffer::address);
        let mut job = base_job(white.layout, &self.tables, Color::White);
        let pair = if request.opposite_bishops { bishop_pair(&white.board) } else { None };
        job.bishops = pair.unwrap_or([-1; 2]);
        job.places = address(white.place_list.as_ref());
        job.open = white.open.address();
        job.open_live = white.open_live.address();
        let missing = white.lost.is_none() && !Unit::is_bare(request.material, Color::White);
        let again = if missing { Some(self.lost_again(request, white)?) } else { None };
        job.lost = address(white.lost.as_ref().or(again.as_ref()));
        if let Some(black) = units.get(1) {
            job.other_won = address(black.won.as_ref());
            job.other_lost = address(black.lost.as_ref());
        }
        let tally = Buffer::zeroed(&self.device, FINAL_TALLIES * TALLY_WORDS * 8)?;
        job.tally = tally.address();
        self.device.launch(Kernel::FinalCounts, &job)?;
        let words = tally.words::<{ FINAL_TALLIES * TALLY_WORDS }>()?;
        add_final_counts(stats, white.boards(), &words);
        Ok(())
    }

    /// The plane of Black's lost positions, worked out again from White's
    /// finished open positions, the sub-games and the legal positions.
    fn lost_again(&self, request: &Request, white: &Unit) -> Result<Buffer, CudaError> {
        let mut job = base_job(white.layout, &self.tables, Color::White);
        let subs = self.subs(request, &white.board, Color::White)?;
        for (i, sub) in subs.iter().enumerate() {
            job.subs[i] = sub.as_sub();
        }
        let plane = || Buffer::new(&self.device, white.board.plane_bytes());
        let (legal, lost) = (plane()?, plane()?);
        let live = Buffer::new(&self.device, white.board.tiles())?;
        job.open = legal.address();
        job.open_live = live.address();
        self.device.launch(Kernel::InitOpen, &job)?;
        job.lost_before = legal.address();
        job.lost_before_live = live.address();
        job.open = white.open.address();
        job.open_live = white.open_live.address();
        job.lost = lost.address();
        self.device.launch(Kernel::LostAgain, &job)?;
        self.device.synchronize()?;
        Ok(lost)
    }

    /// The units without one piece, in the order of the board's pieces.
    pub(crate) fn subs(
        &self,
        request: &Request,
        board: &Hyperboard,
        attacker: Color,
    ) -> Result<Vec<Arc<Unit>>, CudaError> {
        let keep = sub_keep(request.metric);
        let sub = |man| {
            let material = request.material.without(man)?;
            let sub = Request { material, keep, opposite_bishops: false, ..*request };
            Some(self.unit(&sub, attacker))
        };
        board.pieces_in_order().into_iter().filter_map(sub).collect()
    }
}
