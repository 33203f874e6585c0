//! Waves on disk: so that an interrupted solve resumes, and so that tables too
//! large for memory can be written.

pub(crate) mod logged;
pub(crate) mod logs;
pub(crate) mod record;
