//! Values as numbers that compare (*keys*), and the way between the planes of
//! hyperboards and the keys of a file.

pub(crate) mod arch;
pub(crate) mod board_map;
pub(crate) mod gather;
pub(crate) mod key;
