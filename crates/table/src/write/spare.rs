//! Keys that are held for a while, in memory that is used again.
//!
//! Of a large table parts are held one after the other. Memory that is given back and
//! asked for again is cleared by the system, page by page.

use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, PoisonError};

use crate::keys::key::{NONE_KEY, ValueKey};

/// What is not in use.
#[derive(Default)]
pub(crate) struct SpareKeys(Mutex<Vec<Vec<ValueKey>>>);

/// Some keys; their memory goes back in the end.
pub(crate) struct HeldKeys<'a> {
    keys: Vec<ValueKey>,
    spare: &'a SpareKeys,
}

impl SpareKeys {
    /// So many keys, to be written before they are read.
    pub fn take(&self, len: usize) -> HeldKeys<'_> {
        let used = {
            let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let fitting = spare.iter().rposition(|keys| keys.len() == len);
            fitting.map(|place| spare.swap_remove(place))
        };
        HeldKeys { keys: used.unwrap_or_else(|| vec![NONE_KEY; len]), spare: self }
    }
}

impl Deref for HeldKeys<'_> {
    type Target = [ValueKey];

    fn deref(&self) -> &[ValueKey] {
        &self.keys
    }
}

impl DerefMut for HeldKeys<'_> {
    fn deref_mut(&mut self) -> &mut [ValueKey] {
        &mut self.keys
    }
}

impl Drop for HeldKeys<'_> {
    fn drop(&mut self) {
        let keys = std::mem::take(&mut self.keys);
        self.spare.0.lock().unwrap_or_else(PoisonError::into_inner).push(keys);
    }
}
