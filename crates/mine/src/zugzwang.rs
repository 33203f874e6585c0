//! Mutual zugzwangs.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use molien_board::{Color, Position};
use molien_values::{Outcome, Value};

use crate::query::{Atom, Query};
use crate::{Hit, MineError, Search, TableSet};

/// Who gains from the other side's having to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ZugzwangKind {
    /// White to move draws, Black to move loses.
    WhiteWins,
    /// Black to move draws, White to move loses.
    BlackWins,
    /// Whoever moves loses.
    FullPoint,
}

impl ZugzwangKind {
    /// All kinds.
    pub const ALL: [ZugzwangKind; 3] =
        [ZugzwangKind::WhiteWins, ZugzwangKind::BlackWins, ZugzwangKind::FullPoint];

    /// The name used in output, such as `white-wins`.
    pub const fn name(self) -> &'static str {
        match self {
            ZugzwangKind::WhiteWins => "white-wins",
            ZugzwangKind::BlackWins => "black-wins",
            ZugzwangKind::FullPoint => "full-point",
        }
    }
}

/// A mutual zugzwang.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Zugzwang {
    /// Who gains.
    pub kind: ZugzwangKind,
    /// The position with the side to move that loses; White where both do.
    pub position: Position,
    /// The value with White and with Black to move, each seen from the mover.
    /// The depth is 0 where the table keeps none.
    pub values: [Value; 2],
}

impl Zugzwang {
    /// The depth of the loss, in plies; of the longer one if both sides lose.
    pub fn loss_plies(&self) -> u16 {
        self.values.iter().filter_map(|value| value.plies()).max().unwrap_or(0)
    }

    fn of(hit: &Hit) -> Option<Zugzwang> {
        let (own, opposite) = (hit.own, hit.opposite?);
        let values = match hit.position.turn() {
            Color::White => [own, opposite],
            Color::Black => [opposite, own],
        };
        let kind = match values.map(Value::outcome) {
            [Outcome::Loss, Outcome::Loss] => ZugzwangKind::FullPoint,
            [Outcome::Loss, _] => ZugzwangKind::BlackWins,
            _ => ZugzwangKind::WhiteWins,
        };
        Some(Zugzwang { kind, position: hit.position, values })
    }
}

/// Hands every mutual zugzwang to `emit` until it breaks: by kind and then
/// the longest losses first if the first table has depths, in the order of the
/// table as they are found if it has none.
///
/// # Errors
/// If the tables lack something.
pub fn zugzwangs(
    tables: &TableSet,
    kinds: &[ZugzwangKind],
    progress: impl FnMut(u64, u64),
    mut emit: impl FnMut(Zugzwang) -> ControlFlow<()>,
) -> Result<(), MineError> {
    let query = Query::atoms(&[Atom::Zugzwang, Atom::Outcome(Outcome::Loss)]);
    let search = Search::new(tables, &query)?;
    let wanted = |zugzwang: &Zugzwang| {
        // Where both sides lose the search finds the placement twice.
        let twice =
            zugzwang.kind == ZugzwangKind::FullPoint && zugzwang.position.turn() == Color::Black;
        !twice && kinds.contains(&zugzwang.kind)
    };
    let depths = tables.first_metric().is_some_and(|metric| tables.check_depths(metric).is_ok());
    if !depths {
        return search.each(progress, |hit| match Zugzwang::of(&hit).filter(wanted) {
            Some(zugzwang) => emit(zugzwang),
            None => ControlFlow::Continue(()),
        });
    }
    let mut found = Vec::new();
    search.each(progress, |hit| {
        found.extend(Zugzwang::of(&hit).filter(wanted));
        ControlFlow::Continue(())
    })?;
    found.sort_by_key(|zugzwang| (zugzwang.kind, Reverse(zugzwang.loss_plies())));
    let _ = found.into_iter().try_for_each(emit);
    Ok(())
}
