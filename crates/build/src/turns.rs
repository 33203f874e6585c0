//! Pieces of work side by side, where there is room for them.

use std::sync::{Condvar, Mutex, PoisonError, RwLock};

use crate::{BuildError, lock};

/// Pieces of work, by number: each may need what those before it have done.
pub(crate) struct Turns {
    /// Read by those who work side by side, written by who works alone.
    together: RwLock<()>,
    ended: Mutex<Vec<bool>>,
    changed: Condvar,
}

impl Turns {
    pub fn new(pieces: usize) -> Turns {
        let ended = Mutex::new(vec![false; pieces]);
        Turns { together: RwLock::new(()), ended, changed: Condvar::new() }
    }

    /// Does a piece of work beside others. If there is no room for it, it begins
    /// anew when all before it have ended, and those after it wait: it may be
    /// just what they left unfinished that it had no room for.
    pub fn take<T>(
        &self,
        number: usize,
        work: impl Fn() -> Result<T, BuildError>,
    ) -> Result<T, BuildError> {
        let _ending = Ending { turns: self, number };
        let beside = {
            let _beside = self.together.read().unwrap_or_else(PoisonError::into_inner);
            work()
        };
        match beside {
            Err(BuildError::Memory { .. }) => {
                self.wait_for_all_before(number);
                let _alone = self.together.write().unwrap_or_else(PoisonError::into_inner);
                work()
            }
            done => done,
        }
    }

    fn wait_for_all_before(&self, number: usize) {
        let mut ended = lock(&self.ended);
        while ended[..number].contains(&false) {
            ended = self.changed.wait(ended).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Says that a piece of work has ended, well or not.
struct Ending<'a> {
    turns: &'a Turns,
    number: usize,
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        lock(&self.turns.ended)[self.number] = true;
        self.turns.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::key;
    use crate::memory::{Aside, Budget, PROGRAM_BYTES, Purpose};
    use molien_values::Metric;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicBool, Ordering};

    fn budget() -> Budget {
        Budget::new(PROGRAM_BYTES + 100, Aside::default())
    }

    /// Two pieces of work that have room for one at a time: whoever finds none
    /// does it after the other; what has no room alone is refused.
    #[test]
    fn who_finds_no_room_works_alone() {
        let key = key("KQK".parse().unwrap(), Metric::Dtm);
        let budget = budget();
        let both_at_once = |bytes: [u64; 2]| {
            let (turns, both) = (Turns::new(2), Barrier::new(2));
            let work = |number: usize| {
                let first = AtomicBool::new(true);
                turns.take(number, || {
                    let held = budget.reserve(key, 40, Purpose::Holding, |_| 0)?;
                    if first.swap(false, Ordering::Relaxed) {
                        both.wait(); // both hold what they read
                    }
                    let more = budget.reserve(key, bytes[number], Purpose::Work, |_| 0)?;
                    drop((held, more));
                    Ok(())
                })
            };
            std::thread::scope(|scope| {
                [0, 1]
                    .map(|number| scope.spawn(move || work(number)))
                    .map(|one| one.join().unwrap())
            })
        };
        assert!(both_at_once([50, 60]).iter().all(Result::is_ok));
        let [large, small] = both_at_once([61, 10]);
        assert!(matches!(large, Err(BuildError::Memory { .. })));
        assert!(small.is_ok());
    }

    /// The second piece has room only once the first is done, and the first only
    /// alone: the second must not have its turn before.
    #[test]
    fn who_needs_what_others_do_waits_for_them() {
        let key = key("KQK".parse().unwrap(), Metric::Dtm);
        let budget = budget();
        for _ in 0..100 {
            let (turns, both) = (Turns::new(2), Barrier::new(2));
            let (alone, done) = (AtomicBool::new(false), AtomicBool::new(false));
            let first = || {
                turns.take(0, || {
                    if !alone.swap(true, Ordering::SeqCst) {
                        both.wait();
                        return Err(budget.refusal(key, 101));
                    }
                    done.store(true, Ordering::SeqCst);
                    Ok(())
                })
            };
            let second = || {
                let begun = AtomicBool::new(false);
                turns.take(1, || {
                    if !begun.swap(true, Ordering::SeqCst) {
                        both.wait();
                    }
                    let is_done = done.load(Ordering::SeqCst);
                    is_done.then_some(()).ok_or_else(|| budget.refusal(key, 101))
                })
            };
            std::thread::scope(|scope| {
                let (one, other) = (scope.spawn(first), scope.spawn(second));
                assert!(one.join().unwrap().is_ok() && other.join().unwrap().is_ok());
            });
        }
    }
}
