//! What the boards of one run read: tables, boards solved earlier in the run,
//! and copies of what is read of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use molien_board::{Material, Role};
use molien_hyper::{Hyperboard, KingAxis};
use molien_operators::{Backend, swap_colors};
use molien_solve::{
    Boards, Exits, Node, PawnExits, PieceExits, SolveError, View, Wanted, of_pawn_board,
    of_piece_board,
};
use molien_values::{BoardValues, Metric, Placement, Table};

use crate::lock;

/// Owned by one run, read by its threads. Nothing is computed while one of its
/// locks is held.
pub(crate) struct Inputs {
    backend: &'static dyn Backend,
    metric: Metric,
    promotions: Vec<Role>,
    tables: Mutex<HashMap<Material, Arc<Table>>>,
    boards: Mutex<HashMap<Node, Arc<BoardValues>>>,
    views: Mutex<HashMap<Wanted, Arc<View>>>,
    /// Boards without pawns in the orientation a reader needs, where it is not
    /// their own.
    swapped: Mutex<HashMap<Material, Arc<BoardValues>>>,
    /// Whether the 50-move rule spoils something in a table that slices were
    /// cut from.
    cursed: AtomicBool,
}

impl Inputs {
    pub fn new(backend: &'static dyn Backend, metric: Metric, promotions: &[Role]) -> Inputs {
        Inputs {
            backend,
            metric,
            promotions: promotions.to_vec(),
            tables: Mutex::default(),
            boards: Mutex::default(),
            views: Mutex::default(),
            swapped: Mutex::default(),
            cursed: AtomicBool::new(false),
        }
    }

    pub fn add_table(&self, table: Arc<Table>) {
        lock(&self.tables).insert(table.material, table);
    }

    pub fn has_table(&self, material: Material) -> bool {
        lock(&self.tables).contains_key(&material)
    }

    /// Whether the 50-move rule spoils something in one of the tables.
    pub fn is_cursed(&self) -> bool {
        self.cursed.load(Ordering::Relaxed)
            || lock(&self.tables).values().any(|table| table.stats.is_cursed())
    }

    /// Slices are cut from a table in which the 50-move rule spoils something,
    /// or does not.
    pub fn note_curses(&self, cursed: bool) {
        self.cursed.fetch_or(cursed, Ordering::Relaxed);
    }

    pub fn forget_table(&self, material: Material) {
        lock(&self.tables).remove(&material);
        lock(&self.swapped).remove(&material);
    }

    pub fn add_board(&self, node: Node, board: Arc<BoardValues>) {
        lock(&self.boards).insert(node, board);
    }

    pub fn forget_board(&self, node: &Node) {
        lock(&self.boards).remove(node);
        lock(&self.swapped).remove(&node.material);
    }

    /// The boards at hand.
    pub fn boards(&self) -> Vec<(Node, Arc<BoardValues>)> {
        lock(&self.boards).iter().map(|(node, board)| (*node, board.clone())).collect()
    }

    /// Copies what is wanted, so that its board may be given up.
    pub fn keep_view(&self, wanted: &Wanted) -> Result<Arc<View>, SolveError> {
        let view = Arc::new(self.copy(wanted)?);
        lock(&self.views).insert(wanted.clone(), view.clone());
        Ok(view)
    }

    /// Copies what is wanted off a board that is not among those at hand.
    pub fn keep_slice(&self, board: &Arc<BoardValues>, wanted: &Wanted) {
        let view = Arc::new(self.copy_of(board, wanted));
        lock(&self.views).insert(wanted.clone(), view);
    }

    pub fn forget_view(&self, wanted: &Wanted) {
        lock(&self.views).remove(wanted);
    }

    /// The moves out of a hyperboard.
    pub fn exits(&self, board: &Hyperboard) -> Result<Box<dyn Exits>, SolveError> {
        let material = board.material();
        if material.has_pawns() {
            return Ok(Box::new(PawnExits::new(board, self.metric, &self.promotions, self)?));
        }
        let sub = |man| material.without(man).map(|less| self.oriented(less)).transpose();
        let subs = board.pieces_in_order().into_iter().map(sub).collect::<Result<_, _>>()?;
        Ok(Box::new(PieceExits::new(self.backend, board.clone(), subs, self.metric)))
    }

    fn board(&self, node: &Node) -> Result<Arc<BoardValues>, SolveError> {
        if let Some(board) = lock(&self.boards).get(node) {
            return Ok(board.clone());
        }
        let table = lock(&self.tables).get(&node.material).cloned();
        let part = table.as_ref().and_then(|table| match node.pawns {
            Placement::NONE => table.parts.first(),
            pawns => table.part(pawns),
        });
        part.cloned().ok_or(SolveError::NotAtHand { material: node.material })
    }

    /// The values of a material without pawns in the given orientation.
    fn oriented(&self, material: Material) -> Result<Arc<BoardValues>, SolveError> {
        let own = self.board(&Node::new(material, Placement::NONE))?;
        if own.board.material() == material {
            return Ok(own);
        }
        let canonical = material.canonical();
        if let Some(swapped) = lock(&self.swapped).get(&canonical) {
            return Ok(swapped.clone());
        }
        let swapped = Arc::new(swap_colors(self.backend, &own));
        lock(&self.swapped).insert(canonical, swapped.clone());
        Ok(swapped)
    }

    /// Copies what is wanted off its board.
    fn copy(&self, wanted: &Wanted) -> Result<View, SolveError> {
        Ok(self.copy_of(&self.board(&wanted.node())?, wanted))
    }

    fn copy_of(&self, board: &Arc<BoardValues>, wanted: &Wanted) -> View {
        match board.board.king_axis() {
            KingAxis::Pairs => of_piece_board(self.backend, board, wanted),
            KingAxis::Tile => of_pawn_board(self.backend, board, wanted),
        }
    }
}

impl Boards for Inputs {
    fn backend(&self) -> &'static dyn Backend {
        self.backend
    }

    fn view(&self, wanted: Wanted) -> Result<View, SolveError> {
        let kept = lock(&self.views).get(&wanted).cloned();
        if let Some(view) = kept {
            return Ok(View::Common(view));
        }
        if wanted.is_common() {
            self.keep_view(&wanted).map(View::Common)
        } else {
            self.copy(&wanted)
        }
    }
}
