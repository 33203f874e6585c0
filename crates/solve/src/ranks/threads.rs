//! Ranks that are threads of one process.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use super::{Exchange, ExchangeError};

/// Very little, so that even small boards take several rounds.
const ROUND_BYTES: u64 = 2048;

/// A rank that is a thread. If it is dropped, the others hear of it when they next
/// wait for it.
pub struct ThreadRank {
    rank: usize,
    /// By rank, that of its own included.
    senders: Vec<Sender<Vec<u8>>>,
    /// By rank. One thread at a time receives: the lock is never waited for.
    receivers: Mutex<Vec<Receiver<Vec<u8>>>>,
}

/// So many ranks that can talk to each other.
pub fn thread_ranks(size: usize) -> Vec<ThreadRank> {
    let mut ranks: Vec<ThreadRank> = (0..size)
        .map(|rank| ThreadRank { rank, senders: Vec::new(), receivers: Mutex::default() })
        .collect();
    for from in 0..size {
        for to in 0..size {
            let (sender, receiver) = channel();
            ranks[from].senders.push(sender);
            let receivers = ranks[to].receivers.get_mut();
            receivers.unwrap_or_else(PoisonError::into_inner).push(receiver);
        }
    }
    ranks
}

impl Exchange for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.senders.len()
    }

    fn post(&self, messages: Vec<Vec<u8>>) -> Result<(), ExchangeError> {
        for (rank, message) in messages.into_iter().enumerate() {
            if rank != self.rank {
                self.senders[rank].send(message).map_err(|_| ExchangeError::Gone { rank })?;
            }
        }
        Ok(())
    }

    fn collect(&self) -> Result<Vec<Vec<u8>>, ExchangeError> {
        let receivers = self.receivers.lock().unwrap_or_else(PoisonError::into_inner);
        let message = |(rank, receiver): (usize, &Receiver<Vec<u8>>)| match rank == self.rank {
            true => Ok(Vec::new()),
            false => receiver.recv().map_err(|_| ExchangeError::Gone { rank }),
        };
        receivers.iter().enumerate().map(message).collect()
    }

    fn round_bytes(&self) -> u64 {
        ROUND_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Real threads, many rounds: everybody gets what was meant for it.
    #[test]
    fn messages_arrive_and_numbers_add_up() {
        const SIZE: usize = 5;
        let work = |exchange: ThreadRank| {
            let own = exchange.rank();
            for round in 0..200u64 {
                let message = |to: usize| vec![(own * SIZE + to) as u8; round as usize % 7];
                exchange.post((0..SIZE).map(message).collect()).unwrap();
                for (from, found) in exchange.collect().unwrap().into_iter().enumerate() {
                    let len = if from == own { 0 } else { round as usize % 7 };
                    assert_eq!(found, vec![(from * SIZE + own) as u8; len]);
                }
                let mut sums = [own as u64, round, u64::MAX];
                exchange.sum(&mut sums).unwrap();
                assert_eq!(sums, [10, 5 * round, 0u64.wrapping_sub(5)]);
                let mut least = [round + own as u64];
                exchange.least(&mut least).unwrap();
                assert_eq!(least, [round]);
            }
        };
        std::thread::scope(|scope| {
            thread_ranks(SIZE).into_iter().for_each(|rank| drop(scope.spawn(move || work(rank))));
        });
    }

    #[test]
    fn a_rank_that_is_gone_is_noticed() {
        let mut ranks = thread_ranks(3);
        drop(ranks.remove(1));
        assert_eq!(ranks[0].barrier(), Err(ExchangeError::Gone { rank: 1 }));
        drop(ranks.remove(0)); // it ends, too
        assert_eq!(ranks[0].collect(), Err(ExchangeError::Gone { rank: 0 }));
    }
}
