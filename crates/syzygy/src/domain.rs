//! The values of WDL and of DTZ sub-tables, and which of them are free.

use crate::codes;

/// A kind of values, some of which are free.
pub(crate) trait Domain: Sync {
    /// The largest value that [`Domain::common`] gives.
    const COMMON: u8;
    /// Whether the code stands for more than one value.
    fn is_free(code: u8) -> bool;
    /// Of eight codes, one a byte, those that are not free: their bytes are not
    /// zero. What is above the lowest such byte means nothing.
    fn fixed(codes: u64) -> u64;
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
    fn fixed(codes: u64) -> u64 {
        // A code that is free brings its byte to 128 or more; none gets beyond 255.
        const TO_128: u64 = u64::from_ne_bytes([128 - codes::CLASSES; 8]);
        !codes.wrapping_add(TO_128) & u64::from_ne_bytes([128; 8])
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
    fn fixed(codes: u64) -> u64 {
        const { assert!(FREE_NUMBER == u8::MAX) };
        !codes
    }

    #[inline]
    fn fits(_: u8, _: u8) -> bool {
        true
    }

    fn common(_: &[u8]) -> u8 {
        0
    }
}
