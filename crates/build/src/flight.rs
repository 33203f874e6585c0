//! One piece of work, however many ask for it: the first does it, the others
//! wait for the result.
//!
//! Whoever holds a ticket must not wait for another flight; then waits cannot
//! form a circle. `Build` takes a ticket only when everything the work reads is
//! at hand, and lands it on the thread that did the work.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Condvar, Mutex};

use crate::lock;

/// Work in progress, by what it is about.
pub(crate) struct Flights<K, V> {
    running: Mutex<HashMap<K, Arc<Flight<V>>>>,
}

/// One piece of work in progress.
pub(crate) struct Flight<V> {
    state: Mutex<State<V>>,
    ended: Condvar,
}

enum State<V> {
    Running,
    Landed(V),
    /// The thread that did the work panicked.
    Lost,
}

/// Who does the work.
pub(crate) enum Claim<'a, K: Hash + Eq + Copy, V> {
    Mine(Ticket<'a, K, V>),
    Theirs(Arc<Flight<V>>),
}

/// The right to do a piece of work, and the duty to land it.
pub(crate) struct Ticket<'a, K: Hash + Eq + Copy, V> {
    flights: &'a Flights<K, V>,
    key: K,
    flight: Arc<Flight<V>>,
}

impl<K, V> Default for Flights<K, V> {
    fn default() -> Flights<K, V> {
        Flights { running: Mutex::default() }
    }
}

impl<K: Hash + Eq + Copy, V: Clone> Flights<K, V> {
    /// The flight in progress, if there is one.
    pub fn running(&self, key: K) -> Option<Arc<Flight<V>>> {
        lock(&self.running).get(&key).cloned()
    }

    /// Takes on a piece of work, unless somebody else is at it.
    pub fn claim(&self, key: K) -> Claim<'_, K, V> {
        let mut running = lock(&self.running);
        if let Some(flight) = running.get(&key) {
            return Claim::Theirs(flight.clone());
        }
        let flight = Arc::new(Flight { state: Mutex::new(State::Running), ended: Condvar::new() });
        running.insert(key, flight.clone());
        Claim::Mine(Ticket { flights: self, key, flight })
    }
}

impl<V: Clone> Flight<V> {
    /// The result; none if the work was lost.
    pub fn wait(&self) -> Option<V> {
        let mut state = lock(&self.state);
        loop {
            match &*state {
                State::Landed(value) => return Some(value.clone()),
                State::Lost => return None,
                State::Running => {
                    state =
                        self.ended.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
                }
            }
        }
    }
}

impl<K: Hash + Eq + Copy, V> Ticket<'_, K, V> {
    /// Hands the result to all who wait.
    pub fn land(self, value: V) {
        *lock(&self.flight.state) = State::Landed(value);
    }
}

impl<K: Hash + Eq + Copy, V> Drop for Ticket<'_, K, V> {
    fn drop(&mut self) {
        lock(&self.flights.running).remove(&self.key);
        let mut state = lock(&self.flight.state);
        if matches!(*state, State::Running) {
            *state = State::Lost;
        }
        drop(state);
        self.flight.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Eight threads ask for the same; one works, all get its result.
    #[test]
    fn one_works_and_all_get_the_result() {
        let (flights, worked) = (Flights::<u8, u64>::default(), AtomicUsize::new(0));
        let started = std::sync::Barrier::new(8);
        let ask = || {
            let claim = flights.claim(7);
            started.wait();
            match claim {
                Claim::Theirs(flight) => flight.wait(),
                Claim::Mine(ticket) => {
                    worked.fetch_add(1, Ordering::Relaxed);
                    ticket.land(49);
                    Some(49)
                }
            }
        };
        std::thread::scope(|scope| {
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            asked.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), Some(49)));
        });
        assert_eq!(worked.into_inner(), 1);
        assert!(flights.running(7).is_none());
    }

    /// A worker that panics leaves nobody waiting.
    #[test]
    fn a_lost_flight_is_said_to_be_lost() {
        let flights = Flights::<u8, u64>::default();
        let Claim::Mine(ticket) = flights.claim(1) else { panic!("nobody else is at it") };
        let Claim::Theirs(flight) = flights.claim(1) else { panic!("somebody is at it") };
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| flight.wait());
            let failing = scope.spawn(move || {
                let _ticket = ticket;
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(failing.join().is_err());
            assert_eq!(waiting.join().unwrap(), None);
        });
        assert!(matches!(flights.claim(1), Claim::Mine(_)));
    }
}
