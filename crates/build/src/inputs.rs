//! What the boards of one run read: tables, boards solved earlier in the run,
//! and copies of what is read of them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use molien_board::{Color, Material, Role};
use molien_hyper::{Hyperboard, KingAxis, OuterAxes};
use molien_operators::{Backend, swap_colors};
use molien_solve::{
    Boards, Closure, Exits, Node, PawnExits, PieceExits, SolveError, View, Wanted, of_pawn_board,
    of_piece_board,
};
use molien_table::{PackedSide, PlaneStore};
use molien_values::{BoardValues, Metric, Placement, Table};

use crate::lock;
use crate::recent::RecentBoards;
use crate::sources::BoardSource;

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
    /// Tables that are read a board at a time.
    sources: Mutex<HashMap<Material, Arc<BoardSource>>>,
    /// Boards of those, the last that were read or solved.
    recent: RecentBoards,
    /// Slices that are kept compressed.
    slices: Option<Slices>,
    /// Whether the 50-move rule spoils something in a table that slices were
    /// cut from.
    cursed: AtomicBool,
    /// Whether of several promotions on a square only the best is kept.
    merges: bool,
    /// What can come about, for a single position.
    closure: Arc<Closure>,
}

/// Slices of large tables, compressed.
struct Slices {
    store: PlaneStore,
    found: Mutex<HashMap<Wanted, Arc<PackedSide>>>,
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
            sources: Mutex::default(),
            recent: RecentBoards::new(0),
            slices: None,
            cursed: AtomicBool::new(false),
            merges: false,
            closure: Arc::default(),
        }
    }

    /// Slices are kept compressed in this store, and of tables that are read a
    /// board at a time boards of so many bytes are kept.
    pub fn spilling(mut self, store: PlaneStore, recent_bytes: u64) -> Inputs {
        self.slices = Some(Slices { store, found: Mutex::default() });
        self.recent = RecentBoards::new(recent_bytes);
        self
    }

    /// Whether of several promotions on a square only the best is kept.
    pub fn merging(mut self, merges: bool) -> Inputs {
        self.merges = merges;
        self
    }

    /// Reads nothing of what cannot come about.
    pub fn within(mut self, closure: Arc<Closure>) -> Inputs {
        self.closure = closure;
        self
    }

    /// Takes positions off a board that cannot come about.
    pub fn confine(&self, node: &Node, values: &mut BoardValues) {
        self.closure.confine(node, values);
    }

    /// The boards of a material are read from here, one at a time.
    pub fn add_source(&self, material: Material, source: BoardSource) {
        lock(&self.sources).insert(material, Arc::new(source));
    }

    /// Whether the boards of a material can be read one at a time.
    pub fn has_source(&self, material: Material) -> bool {
        lock(&self.sources).contains_key(&material)
    }

    pub fn forget_source(&self, material: Material) {
        lock(&self.sources).remove(&material);
        lock(&self.swapped).remove(&material);
    }

    /// Whether a slice is kept compressed.
    pub fn has_slice(&self, wanted: &Wanted) -> bool {
        self.slices.as_ref().is_some_and(|slices| lock(&slices.found).contains_key(wanted))
    }

    /// Forgets all copies but compressed ones.
    pub fn forget_views(&self) {
        lock(&self.views).clear();
    }

    /// Where slices are kept compressed, if they are.
    pub fn slice_store(&self) -> Option<&PlaneStore> {
        self.slices.as_ref().map(|slices| &slices.store)
    }

    /// Keeps a slice that is compressed already.
    pub fn keep_packed(&self, wanted: &Wanted, slice: PackedSide) {
        if let Some(slices) = &self.slices {
            lock(&slices.found).insert(wanted.clone(), Arc::new(slice));
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

    /// Adds a board that is solved. Where it can be read again it stays only
    /// while there is room.
    pub fn add_board(&self, node: Node, board: Arc<BoardValues>) {
        if lock(&self.sources).contains_key(&node.material) {
            for turn in Color::BOTH {
                self.recent.insert((node, turn), board.clone());
            }
        } else {
            lock(&self.boards).insert(node, board);
        }
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
    pub fn keep_slice(&self, board: &Arc<BoardValues>, wanted: &Wanted) -> Result<(), SolveError> {
        let view = self.copy_of(board, wanted);
        match (&self.slices, view) {
            (Some(slices), View::Own { values, .. }) => {
                let packed = PackedSide::new(values, &slices.store);
                self.keep_packed(wanted, packed.map_err(unreadable(wanted.material()))?);
            }
            (_, view) => drop(lock(&self.views).insert(wanted.clone(), Arc::new(view))),
        }
        Ok(())
    }

    pub fn forget_view(&self, wanted: &Wanted) {
        lock(&self.views).remove(wanted);
        if let Some(slices) = &self.slices {
            lock(&slices.found).remove(wanted);
        }
    }

    /// A slice that is kept compressed.
    fn packed_view(&self, wanted: &Wanted) -> Result<Option<View>, SolveError> {
        let Some(slices) = &self.slices else { return Ok(None) };
        let found = lock(&slices.found).get(wanted).cloned();
        let values = found.map(|packed| packed.unpack_by_all(&slices.store)).transpose();
        let values = values.map_err(unreadable(wanted.material()))?;
        Ok(values.map(|values| View::Own { axes: OuterAxes::new(&wanted.men), values }))
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

    /// A board, with at least this side to move.
    fn board(&self, node: &Node, turn: Option<Color>) -> Result<Arc<BoardValues>, SolveError> {
        if let Some(board) = lock(&self.boards).get(node) {
            return Ok(board.clone());
        }
        let source = lock(&self.sources).get(&node.material).cloned();
        if let Some(source) = source {
            return self.board_from(&source, node, turn);
        }
        let table = lock(&self.tables).get(&node.material).cloned();
        let part = table.as_ref().and_then(|table| match node.pawns {
            Placement::NONE => table.parts.first(),
            pawns => table.part(pawns),
        });
        part.cloned().ok_or(SolveError::NotAtHand { material: node.material })
    }

    fn board_from(
        &self,
        source: &BoardSource,
        node: &Node,
        turn: Option<Color>,
    ) -> Result<Arc<BoardValues>, SolveError> {
        let known = turn.and_then(|turn| self.recent.get((*node, turn)));
        if let Some(board) = known {
            return Ok(board);
        }
        let read = source.board(node.pawns, turn).map_err(unreadable(node.material))?;
        let board = read.ok_or(SolveError::NotAtHand { material: node.material })?;
        if let Some(turn) = turn.filter(|_| !matches!(source, BoardSource::Planes(_))) {
            self.recent.insert((*node, turn), board.clone());
        }
        Ok(board)
    }

    /// The values of a material without pawns in the given orientation.
    fn oriented(&self, material: Material) -> Result<Arc<BoardValues>, SolveError> {
        let own = self.board(&Node::new(material, Placement::NONE), None)?;
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
        let board = self.board(&wanted.node(), Some(wanted.stored_turn()))?;
        Ok(self.copy_of(&board, wanted))
    }

    fn copy_of(&self, board: &Arc<BoardValues>, wanted: &Wanted) -> View {
        match board.board.king_axis() {
            KingAxis::Pairs => of_piece_board(self.backend, board, wanted),
            KingAxis::Tile => of_pawn_board(self.backend, board, wanted),
        }
    }
}

/// What a board reads cannot be brought back, or put away.
pub(crate) fn unreadable<E: std::error::Error + Send + Sync + 'static>(
    material: Material,
) -> impl FnOnce(E) -> SolveError {
    move |error| SolveError::Values { material, source: Arc::new(error) }
}

impl Boards for Inputs {
    fn backend(&self) -> &'static dyn Backend {
        self.backend
    }

    fn merges_promotions(&self) -> bool {
        self.merges
    }

    fn view(&self, wanted: Wanted) -> Result<View, SolveError> {
        if !self.closure.has(&wanted) {
            return Ok(View::nothing());
        }
        let kept = lock(&self.views).get(&wanted).cloned();
        if let Some(view) = kept {
            return Ok(View::Common(view));
        }
        if let Some(view) = self.packed_view(&wanted)? {
            return Ok(view);
        }
        if wanted.is_common() {
            self.keep_view(&wanted).map(View::Common)
        } else {
            self.copy(&wanted)
        }
    }
}
