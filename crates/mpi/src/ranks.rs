//! A rank, as the solver sees it.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use molien_solve::{Exchange, ExchangeError};
use thiserror::Error;

use crate::thread::{Answer, Hello, Order, run};

/// Why MPI cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MpiError {
    /// It does not start.
    #[error("MPI cannot be started: {why}")]
    Start {
        /// What is wrong.
        why: &'static str,
    },
}

/// This process among those that `mpirun` or `srun` has started.
///
/// If a rank ends without [`MpiRanks::finish`], the launcher ends all of them.
pub struct MpiRanks {
    rank: usize,
    size: usize,
    orders: Mutex<Sender<Order>>,
    answers: Mutex<Receiver<Answer>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl MpiRanks {
    /// Joins the others. To be called once in a process.
    ///
    /// # Errors
    /// If MPI does not start.
    pub fn start() -> Result<MpiRanks, MpiError> {
        let (orders, theirs) = channel();
        let (ours, answers) = channel();
        let named = std::thread::Builder::new().name("mpi".to_owned());
        let failed = |_| MpiError::Start { why: "its thread cannot be started" };
        let thread = named.spawn(move || run(&theirs, &ours)).map_err(failed)?;
        let why = "it was started before";
        let hello = answers.recv().map_err(|_| MpiError::Start { why })?;
        let Answer::Hello(Hello { rank, size }) = hello else {
            return Err(MpiError::Start { why });
        };
        let (orders, answers) = (Mutex::new(orders), Mutex::new(answers));
        Ok(MpiRanks { rank, size, orders, answers, thread: Mutex::new(Some(thread)) })
    }

    /// Takes leave of the others, when all is done; waits until all do so.
    pub fn finish(&self) {
        let _ = lock(&self.orders).send(Order::Finish);
        if let Some(thread) = lock(&self.thread).take() {
            let _ = thread.join();
        }
    }

    fn gone(&self) -> ExchangeError {
        ExchangeError::Gone { rank: self.rank }
    }

    fn order(&self, order: Order) -> Result<(), ExchangeError> {
        lock(&self.orders).send(order).map_err(|_| self.gone())
    }

    fn answer(&self) -> Result<Answer, ExchangeError> {
        lock(&self.answers).recv().map_err(|_| self.gone())
    }

    fn combined(&self, numbers: &mut [u64], order: Order) -> Result<(), ExchangeError> {
        self.order(order)?;
        let Answer::Numbers(found) = self.answer()? else { return Err(self.gone()) };
        numbers.copy_from_slice(&found);
        Ok(())
    }
}

impl Exchange for MpiRanks {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn post(&self, messages: Vec<Vec<u8>>) -> Result<(), ExchangeError> {
        self.order(Order::Swap(messages))
    }

    fn collect(&self) -> Result<Vec<Vec<u8>>, ExchangeError> {
        match self.answer()? {
            Answer::Messages(messages) => Ok(messages),
            _ => Err(self.gone()),
        }
    }

    fn sum(&self, numbers: &mut [u64]) -> Result<(), ExchangeError> {
        self.combined(numbers, Order::Sum(numbers.to_vec()))
    }

    fn least(&self, numbers: &mut [u64]) -> Result<(), ExchangeError> {
        self.combined(numbers, Order::Least(numbers.to_vec()))
    }

    fn barrier(&self) -> Result<(), ExchangeError> {
        self.sum(&mut [0]) // nobody has to wait for the sum of nothing
    }
}
