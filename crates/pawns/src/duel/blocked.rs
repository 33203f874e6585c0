//! Pawns on one file that face each other.

use super::{Bounds, Duel};

impl Duel {
    pub(super) fn blocked_rules(self, _exact: bool, _bounds: &mut Bounds) {}
}
