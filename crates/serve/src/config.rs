//! What may be set.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::Duration;

/// Limits of a service.
#[derive(Clone, Debug)]
pub struct Config {
    /// Tables of up to so many men are solved when they are asked for and not
    /// stored; 0 for none.
    pub solve_up_to_men: usize,
    /// Tables that may wait to be solved.
    pub solve_queue: usize,
    /// Threads that solve.
    pub solve_threads: NonZeroUsize,
    /// Memory that solving, and tables searched as a whole, may take.
    pub memory_bytes: u64,
    /// Requests that read tables at the same time; others wait.
    pub readers: usize,
    /// Searches of whole tables at the same time; others wait.
    pub searches: usize,
    /// How long a request may take, waiting for a solve included.
    pub time_limit: Duration,
    /// Requests answered at the same time; more are refused.
    pub requests: usize,
    /// The longest body of a request.
    pub body_bytes: usize,
    /// Connections open at the same time; more wait to be accepted.
    pub connections: usize,
    /// Requests a second that each client may make, if that is limited.
    pub rate_limit: Option<NonZeroU32>,
    /// Whether a proxy in front names the client in `X-Forwarded-For`.
    pub behind_proxy: bool,
}

impl Default for Config {
    fn default() -> Config {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Config {
            solve_up_to_men: 4,
            solve_queue: 16,
            solve_threads: NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN),
            memory_bytes: 2 << 30,
            readers: 4 * cores,
            searches: 1,
            time_limit: Duration::from_secs(30),
            requests: 512,
            body_bytes: 2 << 20,
            connections: 8192,
            rate_limit: None,
            behind_proxy: false,
        }
    }
}
