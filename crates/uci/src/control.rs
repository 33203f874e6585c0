//! The reins of one `go`, held by the thread that reads commands and the one
//! that thinks.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Whether an answer may be given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Phase {
    /// As soon as there is one.
    Free,
    /// Not before `stop`.
    Infinite,
    /// Not before `stop` or `ponderhit`, which allows this much time more.
    Pondering(Option<Duration>),
    /// The user interface has asked for it.
    Stopped,
}

#[derive(Debug)]
struct State {
    phase: Phase,
    deadline: Option<Instant>,
    finished: bool,
}

/// Shared by both threads.
#[derive(Debug)]
pub(crate) struct Control {
    stop: AtomicBool,
    state: Mutex<State>,
    changed: Condvar,
}

impl Control {
    /// For a `go` that may answer when it likes.
    pub fn free() -> Control {
        Control::new(Phase::Free)
    }

    /// For `go infinite`.
    pub fn infinite() -> Control {
        Control::new(Phase::Infinite)
    }

    /// For `go ponder`, with the time there will be after `ponderhit`.
    pub fn pondering(budget: Option<Duration>) -> Control {
        Control::new(Phase::Pondering(budget))
    }

    fn new(phase: Phase) -> Control {
        Control {
            stop: AtomicBool::new(false),
            state: Mutex::new(State { phase, deadline: None, finished: false }),
            changed: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flag that ends a search.
    pub fn stop_flag(&self) -> &AtomicBool {
        &self.stop
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// The user interface wants the answer now.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.state().phase = Phase::Stopped;
        self.changed.notify_all();
    }

    /// The expected move was played: the clock runs from now on.
    pub fn ponder_hit(&self) {
        let mut state = self.state();
        if let Phase::Pondering(budget) = state.phase {
            state.phase = Phase::Free;
            state.deadline = budget.map(|time| Instant::now() + time);
        }
        self.changed.notify_all();
    }

    /// The answer is found: waits until it may be given.
    pub fn finish(&self) {
        let mut state = self.state();
        while matches!(state.phase, Phase::Infinite | Phase::Pondering(_)) {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.finished = true;
        self.changed.notify_all();
    }

    /// Waits until the answer was given, but not for ever, and not at all for
    /// one that needs another command first.
    pub fn wait(&self, at_most: Duration) {
        let waiting = |state: &mut State| !state.finished && state.phase == Phase::Free;
        drop(self.changed.wait_timeout_while(self.state(), at_most, waiting));
    }

    /// Ends the search when the time after `ponderhit` is over. Returns when the
    /// answer was given.
    pub fn watch_clock(&self) {
        let mut state = self.state();
        while !state.finished {
            let left = state.deadline.map(|end| end.saturating_duration_since(Instant::now()));
            state = match left {
                Some(Duration::ZERO) => {
                    self.stop.store(true, Ordering::Relaxed);
                    return;
                }
                Some(left) => {
                    let woken = self.changed.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}
