//! The CUDA driver and run-time compiler, loaded when first asked for.
#![expect(unsafe_code, reason = "calls the CUDA driver through its C interface")]

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::ptr::NonNull;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cudarc::driver::{CudaContext, DriverError, result, sys};
use cudarc::nvrtc;

use crate::CudaError;
use crate::device::{Build, Device, Kernel, SOURCES};
use crate::layout::{Address, Job, size_defines};

const PRELUDE: &str = include_str!("../kernels/prelude.cu");
/// Threads of a block, as in the launch bounds of the kernels.
const BLOCK_THREADS: u32 = 256;

/// Memory that nobody uses, by size.
type Pool = HashMap<usize, Vec<Address>>;

/// One card.
pub(crate) struct CudaDevice {
    context: Arc<CudaContext>,
    arch: String,
    /// Options for the compiler besides the necessary ones.
    options: Vec<String>,
    processors: u32,
    /// Memory given back, by size: asking the driver for hundreds of planes
    /// would take longer than solving a small table.
    pool: Mutex<Pool>,
    /// The same of the host's memory, which the driver must pin page by page.
    pool_beside: Mutex<Pool>,
    /// A slot for each build; who compiles holds its lock, so that others wait
    /// rather than compile the same.
    modules: Mutex<HashMap<Build, Arc<Mutex<Option<Module>>>>>,
    functions: Mutex<HashMap<(Build, Kernel), Function>>,
}

/// A loaded module; it stays loaded as long as its context.
#[derive(Clone, Copy)]
struct Module(sys::CUmodule);

/// A kernel of a loaded module.
#[derive(Clone, Copy)]
struct Function {
    handle: sys::CUfunction,
    /// Blocks that all multiprocessors hold at once. A launch has no more: the
    /// warps walk through the tiles side by side, and what one of them has
    /// read is still in the cache when its neighbours need it.
    blocks: u32,
}

// SAFETY: the driver's handles may be used from any thread whose current
// context is theirs; every use below binds the context first.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Send for Function {}

/// The stream of the calling thread: threads do not wait for each other.
fn own_stream() -> sys::CUstream {
    const CU_STREAM_PER_THREAD: usize = 2;
    std::ptr::without_provenance_mut(CU_STREAM_PER_THREAD)
}

fn driver_error(call: &'static str) -> impl Fn(DriverError) -> CudaError {
    move |error| CudaError::Driver { call, reason: error.to_string() }
}

impl CudaDevice {
    /// The first card.
    pub fn new(options: &[String]) -> Result<CudaDevice, CudaError> {
        let missing = |what: &str| CudaError::NoDevice(what.to_owned());
        // SAFETY: loading the driver's library runs its initialisers, which
        // have no requirements of their own.
        if !unsafe { sys::is_culib_present() } {
            return Err(missing(
                "looked for the driver library (libcuda.so or libcuda.so.1) on the library path and found none",
            ));
        }
        // SAFETY: as above, for the run-time compiler.
        if !unsafe { nvrtc::sys::is_culib_present() } {
            return Err(missing(
                "looked for the run-time compiler (libnvrtc.so, libnvrtc.so.13 or libnvrtc.so.12) on the library path and found none",
            ));
        }
        let context = CudaContext::new(0)
            .map_err(|error| missing(&format!("asked the driver for card 0: {error}")))?;
        let (major, minor) =
            context.compute_capability().map_err(driver_error("reading the architecture"))?;
        let processors = context
            .attribute(sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
            .map_err(driver_error("counting multiprocessors"))?;
        Ok(CudaDevice {
            context,
            arch: format!("sm_{major}{minor}"),
            options: options.to_vec(),
            processors: processors as u32,
            pool: Mutex::default(),
            pool_beside: Mutex::default(),
            modules: Mutex::default(),
            functions: Mutex::default(),
        })
    }

    fn bind(&self) -> Result<(), CudaError> {
        self.context.bind_to_thread().map_err(driver_error("binding the context"))
    }

    fn pool(&self) -> MutexGuard<'_, Pool> {
        // Entries are only ever added or removed whole.
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn pool_beside(&self) -> MutexGuard<'_, Pool> {
        // As above.
        self.pool_beside.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives all memory of the host in the pool back to the system.
    fn empty_pool_beside(&self) {
        for at in self.pool_beside().drain().flat_map(|(_, blocks)| blocks) {
            // SAFETY: `at` came from `alloc_beside`, its buffer was dropped, and whatever
            // used it was waited for then.
            let _ = unsafe { result::free_host(at as *mut c_void) };
        }
    }

    /// Gives everything in the pool back to the driver.
    fn empty_pool(&self) {
        for at in self.pool().drain().flat_map(|(_, blocks)| blocks) {
            // SAFETY: `at` came from `alloc`, its buffer was dropped, and
            // whatever used it was waited for then.
            let _ = unsafe { result::free_sync(at) };
        }
    }

    /// Whether kernels are there by now.
    fn is_compiled(&self, build: &Build) -> bool {
        let modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = modules.get(build);
        // Who compiles it holds the lock.
        slot.and_then(|slot| slot.try_lock().ok()).is_some_and(|module| module.is_some())
    }

    fn module(&self, build: &Build) -> Result<Module, CudaError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = modules.entry(*build).or_default().clone();
        drop(modules); // so that several builds can be compiled at once
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = *slot {
            return Ok(module);
        }
        let image = compile(&self.arch, build, &self.options)?;
        self.bind()?;
        // SAFETY: the image is a complete binary made by the compiler for
        // this card, and lives until the call returns.
        let module = unsafe { result::module::load_data(image.as_ptr().cast()) }
            .map_err(driver_error("loading the kernels"))?;
        Ok(*slot.insert(Module(module)))
    }
}

impl CudaDevice {
    fn function(&self, build: &Build, kernel: Kernel) -> Result<Function, CudaError> {
        let functions = || self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions().get(&(*build, kernel)) {
            return Ok(*function);
        }
        let module = self.module(build)?;
        let name = CString::new(kernel.name()).unwrap_or_default();
        // SAFETY: the module is loaded in the bound context.
        let handle = unsafe { result::module::get_function(module.0, name) }
            .map_err(driver_error("finding a kernel"))?;
        let mut per_processor = 0;
        // SAFETY: the handle is a kernel's; the count is written before it is
        // read.
        unsafe {
            sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut per_processor,
                handle,
                BLOCK_THREADS as i32,
                0,
            )
        }
        .result()
        .map_err(driver_error("asking for the occupancy"))?;
        let blocks = self.processors * per_processor.max(1) as u32;
        let function = Function { handle, blocks };
        functions().insert((*build, kernel), function);
        Ok(function)
    }
}

impl CudaDevice {
    fn upload_staged(&self, at: Address, from: &[u8], staging: &mut [u8]) -> Result<(), CudaError> {
        for (i, piece) in from.chunks(staging.len()).enumerate() {
            let staged = &mut staging[..piece.len()];
            staged.copy_from_slice(piece);
            let to = at + (i * STAGING_BYTES) as u64;
            // SAFETY: the buffer at `at` holds at least `from.len()` bytes, and the
            // staging memory is left alone until the copy is waited for.
            unsafe { result::memcpy_htod_async(to, staged, own_stream()) }
                .map_err(driver_error("copying to the card"))?;
            self.synchronize()?;
        }
        Ok(())
    }

    fn download_staged(
        &self,
        to: &mut [u8],
        at: Address,
        staging: &mut [u8],
    ) -> Result<(), CudaError> {
        for (i, piece) in to.chunks_mut(staging.len()).enumerate() {
            let staged = &mut staging[..piece.len()];
            let from = at + (i * STAGING_BYTES) as u64;
            // SAFETY: the buffer at `at` holds at least `to.len()` bytes, and the
            // staging memory is borrowed until the copy is waited for.
            unsafe { result::memcpy_dtoh_async(staged, from, own_stream()) }
                .map_err(driver_error("copying from the card"))?;
            self.synchronize()?;
            piece.copy_from_slice(staged);
        }
        Ok(())
    }
}

/// Memory of the host that the card reads and writes by itself. Copies from and to other
/// memory go through a few such buffers of the driver's, which threads wait for.
struct Staging(NonNull<u8>);

impl Drop for Staging {
    fn drop(&mut self) {
        // SAFETY: it came from the driver, and no copy is under way. If the context is
        // gone, so is the memory.
        let _ = unsafe { result::free_host(self.0.as_ptr().cast()) };
    }
}

/// Smaller copies are not worth staging.
const STAGED_BYTES: usize = 1 << 19;
/// Bytes of a thread's staging memory.
const STAGING_BYTES: usize = 4 << 20;

thread_local! {
    static STAGING: RefCell<Option<Staging>> = const { RefCell::new(None) };
}

/// Does something with the staging memory of this thread, whose context is bound; nothing
/// if there is none to be had.
fn with_staging<T>(work: impl FnOnce(&mut [u8]) -> T) -> Option<T> {
    STAGING.with_borrow_mut(|slot| {
        if slot.is_none() {
            // SAFETY: the context is bound; what is returned is checked.
            let made = unsafe { result::malloc_host(STAGING_BYTES, sys::CU_MEMHOSTALLOC_PORTABLE) };
            let at = NonNull::new(made.ok()?.cast::<u8>())?;
            // SAFETY: the driver has given so many bytes. They are read only once
            // something was written there.
            unsafe { at.write_bytes(0, STAGING_BYTES) };
            *slot = Some(Staging(at));
        }
        let at = slot.as_ref()?.0;
        // SAFETY: this thread alone has the memory, of so many bytes, all of them written.
        Some(work(unsafe { std::slice::from_raw_parts_mut(at.as_ptr(), STAGING_BYTES) }))
    })
}

/// Compiles one part of the kernels for an architecture.
fn compile(arch: &str, build: &Build, extra: &[String]) -> Result<Vec<u8>, CudaError> {
    let error = |log: String| CudaError::Compile { arch: arch.to_owned(), log };
    let fixed = build
        .fixed
        .map_or(String::new(), |board| format!("#define FIXED_BOARD {}\n", board.initialiser()));
    let source = [fixed.as_str(), PRELUDE].into_iter().chain(SOURCES).collect::<String>();
    let source = CString::new(source).map_err(|e| error(e.to_string()))?;
    let mut options = vec![
        format!("--gpu-architecture={arch}"),
        "--std=c++17".to_owned(),
        format!("-DOUTER={}", build.outer),
        format!("-DPART={}", build.part as u32),
        format!("-DPAWNS={}", u8::from(build.pawns)),
    ];
    options.extend(size_defines());
    options.extend_from_slice(extra);
    let program = nvrtc::result::create_program(&source, None).map_err(|e| error(e.to_string()))?;
    // SAFETY: `program` was just made and is destroyed once, at the end; the
    // buffer has the size the compiler asked for.
    unsafe {
        let compiled = nvrtc::result::compile_program(program, &options);
        let outcome = match compiled {
            Ok(()) => {
                let mut len = 0;
                let mut image = Vec::new();
                let mut status = nvrtc::sys::nvrtcGetCUBINSize(program, &mut len).result();
                if status.is_ok() {
                    image.resize(len, 0u8);
                    status = nvrtc::sys::nvrtcGetCUBIN(program, image.as_mut_ptr().cast()).result();
                }
                status.map(|()| image).map_err(|e| error(e.to_string()))
            }
            Err(_) => {
                let log = nvrtc::result::get_program_log(program).unwrap_or_default();
                let log: Vec<u8> = log.iter().map(|&c| c as u8).filter(|&c| c != 0).collect();
                Err(error(String::from_utf8_lossy(&log).into_owned()))
            }
        };
        let _ = nvrtc::result::destroy_program(program);
        outcome
    }
}

impl Device for CudaDevice {
    fn name(&self) -> String {
        let name = self.context.name().unwrap_or_else(|_| "CUDA device".to_owned());
        format!("{name} ({})", self.arch)
    }

    fn memory(&self) -> Result<(u64, u64), CudaError> {
        let (free, total) =
            self.context.mem_get_info().map_err(driver_error("asking for memory"))?;
        let pooled: usize = self.pool().iter().map(|(bytes, blocks)| bytes * blocks.len()).sum();
        Ok(((free + pooled) as u64, total as u64))
    }

    fn alloc(&self, bytes: usize) -> Result<Address, CudaError> {
        self.bind()?;
        if let Some(at) = self.pool().get_mut(&bytes).and_then(Vec::pop) {
            return Ok(at);
        }
        // SAFETY: the caller gets an address, not a Rust value; only kernels
        // and copies of known length touch it.
        let ask = || unsafe { result::malloc_sync(bytes) };
        let answer = ask().or_else(|_| {
            self.empty_pool();
            ask()
        });
        answer.map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => CudaError::Full { needed_bytes: bytes },
            _ => driver_error("allocating memory")(error),
        })
    }

    fn free(&self, at: Address, bytes: usize) {
        // What this thread still does with it must be over before another
        // thread may have it; other threads wait before they let go of it.
        if self.synchronize().is_ok() {
            self.pool().entry(bytes).or_default().push(at);
        }
    }

    fn alloc_beside(&self, bytes: usize) -> Result<Address, CudaError> {
        self.bind()?;
        if let Some(at) = self.pool_beside().get_mut(&bytes).and_then(Vec::pop) {
            return Ok(at);
        }
        // What another table has left does not fit this one.
        self.empty_pool_beside();
        let flags = sys::CU_MEMHOSTALLOC_PORTABLE | sys::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: the context is bound. With addresses common to host and card, which all
        // cards of 64-bit systems have, the card knows the memory by this address; only
        // kernels and copies of known length touch it.
        let made = unsafe { result::malloc_host(bytes, flags) };
        made.map(|at| at as Address).map_err(|error| match error.0 {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => CudaError::Full { needed_bytes: bytes },
            _ => driver_error("allocating memory of the host")(error),
        })
    }

    fn free_beside(&self, at: Address, bytes: usize) {
        // As for the card's.
        if self.synchronize().is_ok() {
            self.pool_beside().entry(bytes).or_default().push(at);
        }
    }

    fn fill(&self, at: Address, byte: u8, bytes: usize) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the range lies within one buffer (`Buffer::fill`).
        unsafe { result::memset_d8_async(at, byte, bytes, own_stream()) }
            .map_err(driver_error("filling memory"))
    }

    fn upload(&self, at: Address, from: &[u8]) -> Result<(), CudaError> {
        self.bind()?;
        if from.len() >= STAGED_BYTES
            && let Some(done) = with_staging(|staging| self.upload_staged(at, from, staging))
        {
            return done;
        }
        // SAFETY: the buffer at `at` holds at least `from.len()` bytes, and
        // `from` lives until the copy is waited for.
        unsafe { result::memcpy_htod_async(at, from, own_stream()) }
            .map_err(driver_error("copying to the card"))?;
        self.synchronize()
    }

    fn download(&self, to: &mut [u8], at: Address) -> Result<(), CudaError> {
        self.bind()?;
        if to.len() >= STAGED_BYTES
            && let Some(done) = with_staging(|staging| self.download_staged(to, at, staging))
        {
            return done;
        }
        // SAFETY: the buffer at `at` holds at least `to.len()` bytes, and `to`
        // is borrowed until the copy is waited for.
        unsafe { result::memcpy_dtoh_async(to, at, own_stream()) }
            .map_err(driver_error("copying from the card"))?;
        self.synchronize()
    }

    fn prepare(&self, build: &Build) -> Result<(), CudaError> {
        self.module(build).map(drop)
    }

    fn launch(&self, kernel: Kernel, job: &Job) -> Result<(), CudaError> {
        self.bind()?;
        let (any, own) =
            (Build::of(&job.board, kernel.part()), Build::own(&job.board, kernel.part()));
        let build = if self.is_compiled(&own) { own } else { any };
        let function = self.function(&build, kernel)?;
        let mut parameters = [std::ptr::from_ref(job).cast_mut().cast::<c_void>()];
        let warps_needed = job.board.tiles.max(1);
        let blocks = function.blocks.min(warps_needed.div_ceil(BLOCK_THREADS / 32));
        // SAFETY: the kernel takes one `Job` by value (its size is checked
        // when the kernels are compiled); its addresses belong to buffers the
        // caller keeps until it synchronises; blocks and threads are within
        // the launch bounds.
        unsafe {
            result::launch_kernel(
                function.handle,
                (blocks, 1, 1),
                (BLOCK_THREADS, 1, 1),
                0,
                own_stream(),
                &mut parameters,
            )
        }
        .map_err(driver_error(kernel.name()))
    }

    fn synchronize(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the stream of the calling thread always exists.
        unsafe { result::stream::synchronize(own_stream()) }
            .map_err(driver_error("waiting for the card"))
    }

    fn mark_measured(&self, begin: bool) {
        // SAFETY: the calls have no requirements but a current context; with
        // no profiler attached they do nothing.
        let _ = self.bind().map(|()| unsafe {
            if begin { sys::cuProfilerStart() } else { sys::cuProfilerStop() }
        });
    }
}
