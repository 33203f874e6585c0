//! Compiling the kernels before they are needed.

use molien_hyper::Hyperboard;
use molien_values::{Metric, Rule};

use crate::device::{Build, KernelGroup};
use crate::layout::Board;
use crate::needs::sub_detail;
use crate::{CudaEngine, CudaError, Detail, Planes, Request};

impl CudaEngine {
    /// Compiles the kernels a request needs, in parallel. Without this each is
    /// compiled when it is first used.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn prepare(&self, request: &Request) -> Result<(), CudaError> {
        let board = Board::new(&Hyperboard::pieces(request.material));
        let graded = sub_detail(request.metric) == Detail::Depths;
        let late = (request.metric == Metric::Dtm50).then_some(KernelGroup::Late);
        let own: &[KernelGroup] = match (request.planes, request.keep) {
            (Planes::Two, _) => &KernelGroup::IN_TWO,
            (Planes::Four, Detail::Counts) => &KernelGroup::WITHOUT_LOSSES,
            (Planes::Four, _) => &KernelGroup::ALWAYS,
        };
        let own = own.iter().copied().chain(late);
        let mut builds: Vec<Build> = own.map(|part| Build::of(&board, part)).collect();
        for outer in 0..=board.outer as usize {
            let parts =
                KernelGroup::ALWAYS.into_iter().chain(graded.then_some(KernelGroup::Graded));
            let parts = parts.chain(late);
            builds.extend(parts.map(|part| Build { outer, pawns: false, part, fixed: None }));
        }
        if builds[0].fixed.is_some() {
            // Only the board's own sub-games use kernels for any board.
            builds.retain(|build| build.fixed.is_some() || build.outer < board.outer as usize);
        }
        self.compile(&builds)
    }

    /// Compiles the kernels for all tables of up to five men in some metrics, in
    /// parallel.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn prepare_tables(&self, metrics: &[Metric]) -> Result<(), CudaError> {
        // Five men: one piece beside the two of the tile, or two beside a pawn.
        let boards = (0..=1).map(|outer| (outer, false)).chain((0..=2).map(|outer| (outer, true)));
        let check = self.checks().then_some(KernelGroup::Check);
        let late = metrics.contains(&Metric::Dtm50).then_some(KernelGroup::Late);
        let further = [Some(KernelGroup::Graded), check, late].into_iter().flatten();
        let parts: Vec<KernelGroup> = KernelGroup::ALWAYS.into_iter().chain(further).collect();
        let build = |(outer, pawns)| {
            parts.iter().map(move |&part| Build { outer, pawns, part, fixed: None })
        };
        self.compile(&boards.flat_map(build).collect::<Vec<_>>())
    }

    /// Compiles the kernels for tables of six men with pawns in a metric, in parallel.
    ///
    /// # Errors
    /// If they do not compile.
    pub fn prepare_large(&self, metric: Metric) -> Result<(), CudaError> {
        let graded = metric.conversion_rule() != Rule::One;
        let boards = (0..=2).map(|outer| (outer, false)).chain((0..=3).map(|outer| (outer, true)));
        let build = |(outer, pawns): (usize, bool)| {
            let further = [
                (graded || pawns).then_some(KernelGroup::Graded),
                self.checks().then_some(KernelGroup::Check),
            ];
            let parts = KernelGroup::ALWAYS.into_iter().chain(further.into_iter().flatten());
            // Around pawns no conversion is found on the spot.
            let parts = parts.filter(move |part| !(pawns && *part == KernelGroup::First));
            parts.map(move |part| Build { outer, pawns, part, fixed: None })
        };
        self.compile(&boards.flat_map(build).collect::<Vec<_>>())
    }

    /// Does something while the kernels a request needs are compiled: its
    /// sub-games can be solved before the kernels for the largest board are
    /// there.
    pub(crate) fn while_compiling<T>(
        &self,
        request: &Request,
        work: impl FnOnce() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        beside(|| self.prepare(request), work)
    }

    /// The same for tables of six men with pawns in a metric.
    pub(crate) fn while_preparing_large<T>(
        &self,
        metric: Metric,
        work: impl FnOnce() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        beside(|| self.prepare_large(metric), work)
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
}

/// Does something beside the compiler.
fn beside<T>(
    compile: impl FnOnce() -> Result<(), CudaError> + Send,
    work: impl FnOnce() -> Result<T, CudaError>,
) -> Result<T, CudaError> {
    std::thread::scope(|scope| {
        let compiled = scope.spawn(compile);
        let done = work()?;
        compiled.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(done)
    })
}
