//! CPU time, for examples that measure. Tests never time anything.

use std::time::Duration;

/// A clock that stands still while nothing is computed.
#[derive(Clone, Copy, Debug)]
pub enum CpuClock {
    /// All threads of this process, user and system time.
    Process,
    /// The thread that asks.
    Thread,
}

impl CpuClock {
    /// The time so far; zero where the system has no such clock.
    pub fn now(self) -> Duration {
        #[cfg(unix)]
        {
            let clock = match self {
                CpuClock::Process => rustix::time::ClockId::ProcessCPUTime,
                CpuClock::Thread => rustix::time::ClockId::ThreadCPUTime,
            };
            let time = rustix::time::clock_gettime(clock);
            Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
        }
        #[cfg(not(unix))]
        Duration::ZERO
    }

    /// The result of some work, and the seconds it took.
    pub fn timed<T>(self, work: impl FnOnce() -> T) -> (T, f64) {
        let start = self.now();
        let done = work();
        (done, (self.now() - start).as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_never_go_back() {
        for clock in [CpuClock::Process, CpuClock::Thread] {
            let times: Vec<Duration> = (0..1000).map(|_| clock.now()).collect();
            assert!(times.is_sorted(), "{clock:?}");
        }
    }
}
