//! Depths of chosen positions of a table that is too large to keep them all.

use molien_board::{Color, Position};
use molien_hyper::{Hyperboard, Index};

use super::Decided;
use molien_values::Value;

/// Whether only White's wins are computed: Black's are the same with colours
/// exchanged.
pub(super) fn is_one_sided(board: &Hyperboard) -> bool {
    board.material().is_symmetric() && !board.material().has_pawns()
}

/// Notes the wave in which chosen positions are decided.
pub struct Watch {
    entries: Vec<Entry>,
}

struct Entry {
    turn: Color,
    index: Index,
    value: Value,
}

impl Watch {
    /// Watches nothing.
    pub fn nothing() -> Watch {
        Watch { entries: Vec::new() }
    }

    /// Whether nothing is watched.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Watches positions of a board. For symmetric material, of which only
    /// White's wins are computed, the positions with colours exchanged are
    /// watched as well.
    pub fn new(board: &Hyperboard, positions: &[Position]) -> Watch {
        let symmetric = is_one_sided(board);
        let swapped = positions.iter().filter(|_| symmetric).map(Position::swap_colors);
        let entry = |position: Position| {
            let index = board.encode(&position)?;
            Some(Entry { turn: position.turn(), index, value: Value::Draw })
        };
        Watch { entries: positions.iter().copied().chain(swapped).filter_map(entry).collect() }
    }

    /// Looks at what a wave has decided; `place` says where in its plane a tile is, if
    /// it is there.
    pub(crate) fn look(
        &mut self,
        ply: u16,
        attacker: Color,
        decided: &Decided<'_>,
        place: impl Fn(usize) -> Option<usize>,
    ) {
        let (turn, plane, value) = match decided {
            Decided::Won(plane) => (attacker, plane, Value::Win(ply)),
            Decided::Lost(plane) => (!attacker, plane, Value::Loss(ply)),
            Decided::Stalemate(_) => return,
        };
        for entry in self.entries.iter_mut().filter(|entry| entry.turn == turn) {
            let Index { tile, row, column } = entry.index;
            let Some(tile) = place(tile) else { continue };
            if plane.live[tile] && plane.tiles[tile].contains(row, column) {
                entry.value = value;
            }
        }
    }

    /// The values, in the order of the positions.
    pub fn values(&self, board: &Hyperboard) -> Vec<Value> {
        let values = |entries: &[Entry]| entries.iter().map(|entry| entry.value).collect();
        if !is_one_sided(board) {
            return values(&self.entries);
        }
        // Each position was watched twice; at most one of the two was decided.
        let (own, swapped) = self.entries.split_at(self.entries.len() / 2);
        let decided = |(own, swapped): (&Entry, &Entry)| {
            if own.value == Value::Draw { swapped.value } else { own.value }
        };
        own.iter().zip(swapped).map(decided).collect()
    }
}
