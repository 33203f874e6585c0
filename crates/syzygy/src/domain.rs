//! The values of WDL and of DTZ sub-tables, and which of them are free.

use crate::codes;

/// A kind of values, some of which are free.
pub(crate) trait Domain: Sync {
    /// The largest value that [`Domain::common`] gives.
    const COMMON: u8;
    /// Whether the code stands for more than one value.
    fn is_free(code: u8) -> bool;
    /// Whether a free place can have this value.
    fn fits(code: u8, value: u8) -> bool;
    /// A value that all of some free places can have.
    fn common(codes: &[u8]) -> u8;
}

/// The five classes; codes above them are free up to a class.
pub(crate) enum Classes {}

impl Domain for Classes {
    const COMMON: u8 = codes::DRAW;

    #[inline]
    fn is_free(code: u8) -> bool {
        code >= codes::CLASSES
    }

    #[inline]
    fn fits(code: u8, value: u8) -> bool {
        value + codes::FREE <= code
    }

    /// A draw or, if need be, worse.
    fn common(codes: &[u8]) -> u8 {
        let most = codes.iter().map(|code| code - codes::FREE);
        most.min().unwrap_or(codes::DRAW).min(codes::DRAW)
    }
}

/// Numbers of depths, frequent ones first.
pub(crate) enum Numbers {}

/// A place that can have any number.
pub(crate) const FREE_NUMBER: u8 = u8::MAX;

impl Domain for Numbers {
    const COMMON: u8 = 0;

    #[inline]
    fn is_free(code: u8) -> bool {
        code == FREE_NUMBER
    }

    #[inline]
    fn fits(_: u8, _: u8) -> bool {
        true
    }

    fn common(_: &[u8]) -> u8 {
        0
    }
}
