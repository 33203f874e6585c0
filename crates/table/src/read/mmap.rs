//! A file as memory.
#![expect(unsafe_code, reason = "mapping a file is unsafe: the file may change underneath")]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// A file mapped read-only.
pub(crate) struct Mapped(Mmap);

impl Mapped {
    pub fn new(file: &File) -> io::Result<Mapped> {
        // SAFETY: the bytes are only ever read, as `&[u8]`. Table files are
        // replaced by renaming, never changed in place, so the mapped file
        // keeps its contents after it has been replaced. Should someone else
        // write into it, all decoding is bounds-checked, and every byte has been
        // copied or hashed once before it is believed, so that the worst is a
        // wrong checksum or a wrong value; should someone cut it short, the
        // system ends the process.
        unsafe { Mmap::map(file) }.map(Mapped)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Lets go of the memory that holds what has been looked at, where the system can: it
    /// counts as this process's until then. It is fetched again when it is looked at again.
    pub fn let_go(&self) {
        #[cfg(unix)]
        {
            // SAFETY: the mapping is of a file and never written to, so what is let go of
            // comes back with the bytes of the file, which are those that were there.
            let _ = unsafe { self.0.unchecked_advise(memmap2::UncheckedAdvice::DontNeed) };
        }
    }
}
