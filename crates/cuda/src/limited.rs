//! A card of which only some memory is used.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::CudaError;
use crate::device::{Build, Device, Kernel};
use crate::layout::{Address, Job};

/// A device with less memory than it has: what would take more is refused, as on a
/// smaller card.
pub(crate) struct Limited {
    device: Arc<dyn Device>,
    limit_bytes: u64,
    used_bytes: AtomicU64,
}

impl Limited {
    pub fn new(device: Arc<dyn Device>, limit_bytes: u64) -> Limited {
        Limited { device, limit_bytes, used_bytes: AtomicU64::new(0) }
    }
}

impl Device for Limited {
    fn name(&self) -> String {
        self.device.name()
    }

    fn memory(&self) -> Result<(u64, u64), CudaError> {
        let (free, total) = self.device.memory()?;
        let left = self.limit_bytes.saturating_sub(self.used_bytes.load(Ordering::Relaxed));
        Ok((free.min(left), total.min(self.limit_bytes)))
    }

    fn alloc(&self, bytes: usize) -> Result<Address, CudaError> {
        // Counted first: of two threads that ask for the last bytes one gets them.
        let used = self.used_bytes.fetch_add(bytes as u64, Ordering::Relaxed) + bytes as u64;
        let made = match used > self.limit_bytes {
            true => Err(CudaError::Full { needed_bytes: bytes }),
            false => self.device.alloc(bytes),
        };
        if made.is_err() {
            self.used_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
        }
        made
    }

    fn free(&self, at: Address, bytes: usize) {
        self.device.free(at, bytes);
        self.used_bytes.fetch_sub(bytes as u64, Ordering::Relaxed);
    }

    fn alloc_beside(&self, bytes: usize) -> Result<Address, CudaError> {
        self.device.alloc_beside(bytes)
    }

    fn free_beside(&self, at: Address, bytes: usize) {
        self.device.free_beside(at, bytes);
    }

    fn fill(&self, at: Address, byte: u8, bytes: usize) -> Result<(), CudaError> {
        self.device.fill(at, byte, bytes)
    }

    fn upload(&self, at: Address, from: &[u8]) -> Result<(), CudaError> {
        self.device.upload(at, from)
    }

    fn download(&self, to: &mut [u8], at: Address) -> Result<(), CudaError> {
        self.device.download(to, at)
    }

    fn prepare(&self, build: &Build) -> Result<(), CudaError> {
        self.device.prepare(build)
    }

    fn launch(&self, kernel: Kernel, job: &Job) -> Result<(), CudaError> {
        self.device.launch(kernel, job)
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        self.device.synchronize()
    }

    fn mark_measured(&self, begin: bool) {
        self.device.mark_measured(begin);
    }
}

#[cfg(test)]
mod tests {
    use molien_values::{Metric, SurveyError, Surveyor as _};

    use super::*;
    use crate::CudaEngine;
    use crate::device::Buffer;

    /// What is allocated counts until it is given back, and no more than the limit is had.
    #[test]
    fn memory_is_counted() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let device: Arc<dyn Device> = Arc::new(Limited::new(engine.device.clone(), 4096));
        assert_eq!(device.memory(), Ok((4096, 4096)));
        let first = Buffer::new(&device, 3000).unwrap();
        assert_eq!(device.memory(), Ok((1024, 4096)));
        let full = Buffer::new(&device, 1025).map(drop);
        assert_eq!(full, Err(CudaError::Full { needed_bytes: 1536 }));
        assert_eq!(device.memory(), Ok((1024, 4096)), "what was refused does not count");
        drop(first);
        Buffer::new(&device, 4096).unwrap();
    }

    /// With little memory a table has the same figures, slices having gone to the host;
    /// with less it is refused.
    #[test]
    fn a_small_card_has_the_same_tables() {
        let material = "KPK".parse().unwrap();
        let engine = |bytes| {
            let engine = CudaEngine::emulated().ok()?.with_large_tables(3, 4 * 512);
            Some(engine.with_card_memory(bytes))
        };
        let Some(large) = engine(u64::MAX) else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let expected = large.statistics(material, Metric::Dtm).unwrap();
        assert_eq!(large.moved_bytes(Metric::Dtm), 0);
        let small = engine(18 << 20).unwrap();
        assert_eq!(small.statistics(material, Metric::Dtm).unwrap(), expected);
        let too_small = engine(8 << 20).unwrap();
        let refused = too_small.statistics(material, Metric::Dtm);
        assert!(matches!(refused, Err(SurveyError::Memory { .. })), "{refused:?}");
    }
}
