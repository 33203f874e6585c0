//! Boards read or solved last, while there is room for them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

use molien_board::Color;
use molien_solve::Node;
use molien_values::BoardValues;

use crate::lock;

/// A board with one side to move; the other may be there too.
type Side = (Node, Color);

/// Boards in order of their last use; the oldest make room.
pub(crate) struct RecentBoards {
    limit_bytes: u64,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    found: HashMap<Side, Entry>,
    /// By the time of the last use.
    order: BTreeMap<u64, Side>,
    bytes: u64,
    clock: u64,
}

struct Entry {
    board: Arc<BoardValues>,
    bytes: u64,
    used: u64,
}

impl RecentBoards {
    /// Keeps boards of about so many bytes.
    pub fn new(limit_bytes: u64) -> RecentBoards {
        RecentBoards { limit_bytes, kept: Mutex::default() }
    }

    /// A board of which this side to move is there.
    pub fn get(&self, side: Side) -> Option<Arc<BoardValues>> {
        let mut kept = lock(&self.kept);
        kept.clock += 1;
        let now = kept.clock;
        let entry = kept.found.get_mut(&side)?;
        let (board, before) = (entry.board.clone(), std::mem::replace(&mut entry.used, now));
        kept.order.remove(&before);
        kept.order.insert(now, side);
        Some(board)
    }

    /// Keeps a board for readers of one side to move.
    pub fn insert(&self, side: Side, board: Arc<BoardValues>) {
        let bytes = board.values[side.1.index()].len_bytes() as u64;
        if bytes > self.limit_bytes {
            return;
        }
        let mut kept = lock(&self.kept);
        kept.clock += 1;
        let used = kept.clock;
        if let Some(before) = kept.found.insert(side, Entry { board, bytes, used }) {
            kept.order.remove(&before.used);
            kept.bytes -= before.bytes;
        }
        kept.order.insert(used, side);
        kept.bytes += bytes;
        while kept.bytes > self.limit_bytes {
            let Some((_, oldest)) = kept.order.pop_first() else { break };
            let gone = kept.found.remove(&oldest).map_or(0, |entry| entry.bytes);
            kept.bytes -= gone;
        }
    }
}
