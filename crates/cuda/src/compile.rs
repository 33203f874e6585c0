//! Compiling the kernels before they are needed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use molien_hyper::Hyperboard;
use molien_values::{Metric, Rule};

use crate::device::{Build, KernelGroup};
use crate::layout::Board;
use crate::needs::sub_detail;
use crate::{CudaEngine, CudaError, Detail, Planes, Request};

/// Compilers for single boards that run at a time.
const OWN_AT_ONCE: usize = 8;

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

    /// The same for tables of six men with pawns in a metric: first the kernels for any
    /// board, then those for some boards alone, which are used once they are there.
    pub(crate) fn while_preparing_large<T>(
        &self,
        metric: Metric,
        boards: &[Board],
        work: impl FnOnce() -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let done = AtomicBool::new(false);
        let compile = || {
            self.prepare_large(metric)?;
            self.prepare_own(boards, &done);
            Ok(())
        };
        beside(compile, || {
            let solved = work();
            done.store(true, Ordering::Relaxed);
            solved
        })
    }

    /// Compiles the kernels of the waves, and of the check, for some boards, a few at a
    /// time, until nobody needs them any more.
    fn prepare_own(&self, boards: &[Board], done: &AtomicBool) {
        let check = self.checks().then_some(KernelGroup::Check);
        let parts = || [Some(KernelGroup::Waves), check].into_iter().flatten();
        let builds: Vec<Build> =
            boards.iter().flat_map(|board| parts().map(|part| Build::own(board, part))).collect();
        let next = AtomicUsize::new(0);
        let compile = || {
            while let Some(build) = builds.get(next.fetch_add(1, Ordering::Relaxed)) {
                if done.load(Ordering::Relaxed) {
                    break;
                }
                // Without them those for any board do.
                let _ = self.device.prepare(build);
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..OWN_AT_ONCE {
                scope.spawn(compile);
            }
        });
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::differences;
    use crate::pawn_exits::Places;
    use molien_board::Material;

    /// Kernels for one board alone, with pawns and without, give the tables of those for
    /// any board.
    #[test]
    fn kernels_of_their_own_give_the_same_tables() {
        let (Ok(any), Ok(own)) = (CudaEngine::emulated(), CudaEngine::emulated()) else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        own.check_tables();
        for name in ["KPK", "KRK"] {
            let material: Material = name.parse().unwrap();
            let board = match material.has_pawns() {
                true => Board::around_kings(&Places::new(material).outer, 1),
                false => Board::new(&Hyperboard::pieces(material)),
            };
            own.prepare_own(&[board], &AtomicBool::new(false));
            let [ours, theirs] =
                [&own, &any].map(|engine| engine.solve(material, Metric::Dtm).unwrap());
            assert_eq!(differences(&theirs, &ours), Vec::<String>::new(), "{name}");
        }
    }
}
