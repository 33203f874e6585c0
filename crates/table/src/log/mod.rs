//! Waves and boards on disk: so that an interrupted solve resumes, and so that
//! tables too large for memory can be written.

pub(crate) mod boards;
pub(crate) mod logged;
pub(crate) mod logs;
pub(crate) mod planes;
pub(crate) mod record;
mod reduced;
mod shared_boards;
