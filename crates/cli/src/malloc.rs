//! How the C library's allocator treats large blocks (FFI).

/// Makes memory that is given up go back to the system at once.
///
/// glibc takes large blocks from the system one by one, but after the first
/// of a size is freed it carves later ones out of its heaps, where given-up
/// planes leave holes: solving tables one after the other grew to one and a
/// half times what was in use, and beyond `--memory`. A fixed threshold
/// turns that off.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[allow(unsafe_code)]
pub fn give_back_large_blocks() {
    /// Half a plane of the smallest boards that matter.
    const LARGE_BYTES: libc::c_int = 1 << 20;
    // SAFETY: mallopt takes two integers, touches the allocator's own settings
    // only, and is called before other threads are started. If it
    // fails, the allocator goes on as it was.
    unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES) };
}

/// Other allocators are left as they are.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back_large_blocks() {}
