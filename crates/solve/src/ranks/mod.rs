//! Several processes that solve one board together.
//!
//! Each *rank* owns some of the 462 classes of king pairs ([`OwnerMap`]) and
//! decides their positions. Only a king's step leads from one class to another, so
//! after each half of a wave a rank tells those that read its classes what it has
//! decided there (`share`, `delta`), over an [`Exchange`].

mod delta;
mod owners;
mod share;
mod threads;

pub use delta::{delta_bytes, dense_bytes};
pub use owners::OwnerMap;
pub use share::message_bytes;
pub(crate) use share::{Posted, Share};
pub use threads::{ThreadRank, thread_ranks};

use thiserror::Error;

/// See [`Exchange::round_bytes`].
const ROUND_BYTES: u64 = 16 << 20;

/// How ranks talk to each other. All ranks call the same methods in the same
/// order, each on one thread at a time.
pub trait Exchange: Send + Sync {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// How many ranks there are.
    fn size(&self) -> usize;

    /// Begins to send a message to each rank; that to itself is ignored. Other
    /// work may be done before the answers are collected, but nothing else be
    /// exchanged.
    ///
    /// # Errors
    /// If another rank is gone.
    fn post(&self, messages: Vec<Vec<u8>>) -> Result<(), ExchangeError>;

    /// Waits for what the others have posted, by rank; from itself it is empty.
    ///
    /// # Errors
    /// If another rank is gone.
    fn collect(&self) -> Result<Vec<Vec<u8>>, ExchangeError>;

    /// Adds up the numbers of all ranks, place by place, modulo 2^64.
    ///
    /// # Errors
    /// If another rank is gone.
    fn sum(&self, numbers: &mut [u64]) -> Result<(), ExchangeError> {
        combine(self, numbers, u64::wrapping_add)
    }

    /// The least of the numbers of all ranks, place by place.
    ///
    /// # Errors
    /// If another rank is gone.
    fn least(&self, numbers: &mut [u64]) -> Result<(), ExchangeError> {
        combine(self, numbers, u64::min)
    }

    /// Bytes that a rank codes at a time, to send them to one rank or several: enough
    /// for any network, and little beside the planes.
    fn round_bytes(&self) -> u64 {
        ROUND_BYTES
    }

    /// Waits until all ranks are here.
    ///
    /// # Errors
    /// If another rank is gone.
    fn barrier(&self) -> Result<(), ExchangeError> {
        self.sum(&mut [])
    }
}

fn combine(
    exchange: &(impl Exchange + ?Sized),
    numbers: &mut [u64],
    two: impl Fn(u64, u64) -> u64,
) -> Result<(), ExchangeError> {
    let own: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
    exchange.post(vec![own; exchange.size()])?;
    for (rank, message) in exchange.collect()?.into_iter().enumerate() {
        if rank == exchange.rank() {
            continue;
        }
        let theirs = message.as_chunks::<8>().0;
        if theirs.len() != numbers.len() {
            return Err(ExchangeError::Garbled { rank, why: "numbers are missing" });
        }
        for (number, theirs) in numbers.iter_mut().zip(theirs) {
            *number = two(*number, u64::from_le_bytes(*theirs));
        }
    }
    Ok(())
}

/// What keeps ranks from working together.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExchangeError {
    /// A rank has ended before its time.
    #[error("rank {rank} is gone")]
    Gone {
        /// Which.
        rank: usize,
    },
    /// A message makes no sense.
    #[error("a message from rank {rank} makes no sense: {why}")]
    Garbled {
        /// Whose.
        rank: usize,
        /// What is wrong.
        why: &'static str,
    },
    /// Ranks see different things where all must see the same.
    #[error("the ranks do not agree on {what}")]
    Differ {
        /// On what.
        what: &'static str,
    },
    /// More ranks than can have a share.
    #[error("{ranks} ranks are too many: a board has {most} classes of king pairs")]
    TooMany {
        /// How many there are.
        ranks: usize,
        /// How many there can be.
        most: usize,
    },
}

/// One process, which has nobody to talk to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Exchange for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn post(&self, _messages: Vec<Vec<u8>>) -> Result<(), ExchangeError> {
        Ok(())
    }

    fn collect(&self) -> Result<Vec<Vec<u8>>, ExchangeError> {
        Ok(vec![Vec::new()])
    }
}
