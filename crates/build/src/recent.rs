//! Boards read or solved last, while there is room for them.

use std::sync::{Arc, Mutex};

use lru::LruCache;
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

struct Kept {
    boards: LruCache<Side, Arc<BoardValues>>,
    bytes: u64,
}

impl RecentBoards {
    /// Keeps boards of about so many bytes.
    pub fn new(limit_bytes: u64) -> RecentBoards {
        let kept = Kept { boards: LruCache::unbounded(), bytes: 0 };
        RecentBoards { limit_bytes, kept: Mutex::new(kept) }
    }

    /// A board of which this side to move is there.
    pub fn get(&self, side: Side) -> Option<Arc<BoardValues>> {
        lock(&self.kept).boards.get(&side).cloned()
    }

    /// Keeps a board for readers of one side to move.
    pub fn insert(&self, side: Side, board: Arc<BoardValues>) {
        let bytes = side_bytes(side, &board);
        if bytes > self.limit_bytes {
            return;
        }
        let mut kept = lock(&self.kept);
        kept.bytes += bytes;
        if let Some((_, before)) = kept.boards.push(side, board) {
            kept.bytes -= side_bytes(side, &before);
        }
        while kept.bytes > self.limit_bytes {
            let Some((oldest, board)) = kept.boards.pop_lru() else { break };
            kept.bytes -= side_bytes(oldest, &board);
        }
    }
}

/// What is kept for readers of one side to move.
fn side_bytes((_, turn): Side, board: &BoardValues) -> u64 {
    board.values[turn.index()].len_bytes() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::Material;
    use molien_hyper::Tile;
    use molien_values::{Graded, Placement};

    #[test]
    fn the_oldest_make_room() {
        let material: Material = "KPK".parse().unwrap();
        let nodes: Vec<Node> =
            Placement::all(&material).into_iter().map(|pawns| Node { material, pawns }).collect();
        let tiles = vec![Tile::EMPTY; 1];
        let side =
            Graded { legal: tiles.clone(), won: tiles.clone(), lost: tiles, ..Graded::default() };
        let bytes = side.len_bytes() as u64;
        let recent = RecentBoards::new(2 * bytes);
        let board = |node: &Node| {
            let values = [side.clone(), side.clone()];
            Arc::new(BoardValues { board: node.board(), values })
        };
        for node in &nodes[..2] {
            recent.insert((*node, Color::White), board(node));
        }
        assert!(recent.get((nodes[0], Color::White)).is_some());
        assert!(recent.get((nodes[0], Color::Black)).is_none());
        recent.insert((nodes[2], Color::White), board(&nodes[2]));
        assert!(recent.get((nodes[1], Color::White)).is_none(), "used least recently");
        assert!(recent.get((nodes[0], Color::White)).is_some());
        let none = RecentBoards::new(0);
        none.insert((nodes[0], Color::White), board(&nodes[0]));
        assert!(none.get((nodes[0], Color::White)).is_none());
    }
}
