//! The kernels compiled for the host, one warp at a time: for tests.
#![expect(unsafe_code, reason = "calls kernels compiled into a shared library")]

use std::alloc::{Layout, alloc, dealloc};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use libloading::{Library, Symbol};

use crate::CudaError;
use crate::device::{Build, Device, Kernel, SOURCES};
use crate::layout::{Address, Board, Job, size_defines};

const WARP_HEADER: &str = include_str!("../emulator/warp.h");
/// Memory the emulated device claims to have.
pub(crate) const MEMORY_BYTES: u64 = 8 << 30;

/// What a library is for: so many outer men, whether the kings span the tile, and the
/// only board, if it is for one.
type Kind = (usize, bool, Option<Board>);

/// Runs kernels as fibers on the calling thread, one launch at a time.
pub(crate) struct Emulator {
    folder: PathBuf,
    libraries: Mutex<Vec<(Kind, Library)>>,
    /// What nobody has taken of the memory it claims to have.
    room_bytes: AtomicU64,
}

impl Emulator {
    /// Needs a C++ compiler called `c++`. Others have taken all but so much of
    /// the memory.
    pub fn new(room_bytes: u64) -> Result<Emulator, CudaError> {
        let found = Command::new("c++").arg("--version").output().is_ok_and(|o| o.status.success());
        if !found || !cfg!(target_arch = "x86_64") {
            return Err(CudaError::NoDevice(
                "looked for a C++ compiler (c++) and found none".into(),
            ));
        }
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("molien-kernels-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).map_err(failed)?;
        let room_bytes = AtomicU64::new(room_bytes);
        Ok(Emulator { folder, libraries: Mutex::default(), room_bytes })
    }

    fn build(&self, number: usize, (outer, pawns, fixed): Kind) -> Result<Library, CudaError> {
        let name = format!("outer{outer}-{pawns}-{number}");
        let fixed = fixed.map_or(String::new(), |board| {
            format!("#define FIXED_BOARD {}\n", board.initialiser())
        });
        let source = self.folder.join(format!("{name}.cpp"));
        let target = self.folder.join(format!("{name}.so"));
        // All parts of the kernels go into one library.
        let text: String = [fixed.as_str(), WARP_HEADER].into_iter().chain(SOURCES).collect();
        std::fs::write(&source, text).map_err(failed)?;
        let output = Command::new("c++")
            .args(["-std=c++17", "-O2", "-w", "-shared", "-fPIC"])
            .arg(format!("-DOUTER={outer}"))
            .arg(format!("-DPAWNS={}", u8::from(pawns)))
            .args(size_defines())
            .arg("-o")
            .arg(&target)
            .arg(&source)
            .output()
            .map_err(failed)?;
        if !output.status.success() {
            let log = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(CudaError::Compile { arch: "host".into(), log });
        }
        // SAFETY: the library was just built from the kernels; it has no
        // initialisers.
        unsafe { Library::new(&target) }.map_err(failed)
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn failed(error: impl std::fmt::Display) -> CudaError {
    CudaError::Driver { call: "the emulator", reason: error.to_string() }
}

fn layout(bytes: usize) -> Result<Layout, CudaError> {
    Layout::from_size_align(bytes, 512).map_err(failed)
}

impl Device for Emulator {
    fn name(&self) -> String {
        "emulated warp".into()
    }

    fn memory(&self) -> Result<(u64, u64), CudaError> {
        Ok((MEMORY_BYTES, MEMORY_BYTES))
    }

    fn alloc(&self, bytes: usize) -> Result<Address, CudaError> {
        let take = |room: u64| room.checked_sub(bytes as u64);
        let taken = self.room_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        taken.map_err(|_| CudaError::Full { needed_bytes: bytes })?;
        self.alloc_beside(bytes)
    }

    fn free(&self, at: Address, bytes: usize) {
        self.free_beside(at, bytes);
        self.room_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    fn alloc_beside(&self, bytes: usize) -> Result<Address, CudaError> {
        // SAFETY: `Buffer` never asks for 0 bytes.
        let at = unsafe { alloc(layout(bytes)?) };
        // Not zero, so that a kernel that relies on zeros is found out.
        self.fill(at as Address, 0xa5, bytes)?;
        Ok(at as Address)
    }

    fn free_beside(&self, at: Address, bytes: usize) {
        if let Ok(layout) = layout(bytes) {
            // SAFETY: `at` came from `alloc_beside` with the same size.
            unsafe { dealloc(at as *mut u8, layout) };
        }
    }

    fn fill(&self, at: Address, byte: u8, bytes: usize) -> Result<(), CudaError> {
        // SAFETY: the range lies within one allocation.
        unsafe { std::ptr::write_bytes(at as *mut u8, byte, bytes) };
        Ok(())
    }

    fn upload(&self, at: Address, from: &[u8]) -> Result<(), CudaError> {
        // SAFETY: the allocation at `at` holds at least that many bytes.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), at as *mut u8, from.len()) };
        Ok(())
    }

    fn download(&self, to: &mut [u8], at: Address) -> Result<(), CudaError> {
        // SAFETY: the allocation at `at` holds at least that many bytes.
        unsafe { std::ptr::copy_nonoverlapping(at as *const u8, to.as_mut_ptr(), to.len()) };
        Ok(())
    }

    fn prepare(&self, build: &Build) -> Result<(), CudaError> {
        let kind = (build.outer, build.pawns, build.fixed);
        let mut libraries = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        if !libraries.iter().any(|(known, _)| *known == kind) {
            let library = self.build(libraries.len(), kind)?;
            libraries.push((kind, library));
        }
        Ok(())
    }

    fn launch(&self, kernel: Kernel, job: &Job) -> Result<(), CudaError> {
        let build = Build::of(&job.board, kernel.part());
        self.prepare(&build)?;
        let libraries = self.libraries.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |fixed: Option<Board>| {
            libraries.iter().find(|(kind, _)| *kind == (build.outer, build.pawns, fixed))
        };
        let own = find(Some(job.board.of_any_size()));
        let Some((_, library)) = own.or_else(|| find(build.fixed)) else {
            return Err(failed("no library"));
        };
        // SAFETY: every kernel is a function of one pointer to a `Job`, whose
        // addresses are live allocations; the lock keeps launches apart,
        // since the library's fibers are global.
        unsafe {
            let run: Symbol<unsafe extern "C" fn(*const Job)> =
                library.get(kernel.name().as_bytes()).map_err(failed)?;
            run(job);
        }
        Ok(())
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        Ok(())
    }

    fn mark_measured(&self, _begin: bool) {}
}
