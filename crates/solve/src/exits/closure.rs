//! Everything one position can turn into.
//!
//! Of kings and pawns alone, the squares of the kings are followed: a king that cannot
//! come near a pawn does not take it, and a pawn that is stopped for good does not
//! promote. From a placement of the pawns, every position of the kings and of the side
//! to move that legal moves lead to is one bit of a tile, so that this is exact.
//! Where a piece appears it can go nearly anywhere: from there on the men and the pawns
//! decide alone, as in [`Node::successors`].
//!
//! Why leaving out what cannot come about changes no value: a value depends on those of
//! the positions that moves lead to, and of what can come about all moves lead to what
//! can come about. On a confined board the other positions have values that mean
//! nothing. [`Closure::confine`] takes them off.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};

use molien_board::{Bitboard, Color, Man, Material, Position, Role, Square, attacks};
use molien_hyper::{MAX_OUTER, Tile};
use molien_values::{BoardValues, PawnMove, PawnMoveKind, Placement};

use super::reach::{Node, Walk};
use crate::views::{Frame, Wanted};

/// Positions of the kings around some pawns, White and Black to move: rows are the
/// squares of White's king, columns those of Black's.
type Kings = [Tile; 2];

/// The most placements of the pawns that are followed with the kings.
const MOST_PLACEMENTS: usize = 50_000;

/// Hyperboards that a position can turn into.
#[derive(Clone, Debug, Default)]
pub struct Closure {
    /// Those to be solved, each after all it can turn into.
    pub nodes: Vec<Node>,
    /// Boards of which only these positions can come about, as the boards have them.
    confined: HashMap<Node, Kings>,
    /// If some are confined, all boards that can come about, known ones too.
    present: HashSet<Node>,
}

/// A position can turn into too much.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TooMuch {
    /// More boards than were to be looked at.
    Boards,
    /// More pieces than a board can have.
    Pieces(Material),
}

impl Closure {
    /// What a position can turn into through what is not known, itself included.
    ///
    /// # Errors
    /// If these are more than `limit` boards, or one of them has too many pieces.
    pub fn of(
        position: &Position,
        promotions: &[Role],
        known: impl Fn(&Node) -> bool,
        limit: usize,
    ) -> Result<Closure, TooMuch> {
        if position.material().men().any(|man| man.role != Role::Pawn) {
            return Closure::by_pawns(position, promotions, known, limit);
        }
        let mut siege = Siege { promotions, ..Siege::default() };
        siege.begin(position);
        let Some(placements) = siege.follow(&known) else {
            return Closure::by_pawns(position, promotions, known, limit);
        };
        let mut walk = Walk::new(promotions, known, limit);
        for node in std::mem::take(&mut siege.open) {
            walk.enter(node)?;
        }
        let mut closure =
            Closure { nodes: Vec::new(), confined: HashMap::new(), present: walk.seen };
        let mut solved = walk.done;
        for (pawns, kings) in placements.into_iter().rev() {
            let node = node_of(pawns);
            // Around other pieces every position of it may come about.
            if !closure.present.contains(&node) && !closure.confined.contains_key(&node) {
                solved.push(node);
            }
            if !closure.present.contains(&node) {
                let all = closure.confined.entry(node).or_insert([Tile::EMPTY; 2]);
                stored(pawns, &kings, all);
            }
        }
        closure.present.extend(siege.known);
        closure.present.extend(closure.confined.keys());
        closure.nodes = solved;
        Ok(closure)
    }

    /// The same as far as men and pawns decide it: no board is confined.
    ///
    /// # Errors
    /// As those of [`Closure::of`].
    pub fn by_pawns(
        position: &Position,
        promotions: &[Role],
        known: impl Fn(&Node) -> bool,
        limit: usize,
    ) -> Result<Closure, TooMuch> {
        let mut walk = Walk::new(promotions, known, limit);
        walk.start(Node::of(position))?;
        Ok(Closure::from(walk.done))
    }

    /// Whether not every position of a board can come about.
    pub fn is_confined(&self, node: &Node) -> bool {
        self.confined.contains_key(node)
    }

    /// Whether what a board reads can come about at all. If not, it reads nothing.
    pub fn has(&self, wanted: &Wanted) -> bool {
        // Only boards without pieces are confined.
        self.confined.is_empty() || !wanted.men.is_empty() || self.present.contains(&wanted.node())
    }

    /// Takes positions off a board that cannot come about: they are not legal then.
    pub fn confine(&self, node: &Node, values: &mut BoardValues) {
        let Some(kings) = self.confined.get(node) else { return };
        for (side, kings) in values.values.iter_mut().zip(kings) {
            let planes = [&mut side.legal, &mut side.won, &mut side.lost, &mut side.stalemate];
            let planes = planes.into_iter().chain(&mut side.depth);
            planes.flatten().for_each(|tile| *tile = tile.and(kings));
        }
    }
}

/// Boards that may have every position.
impl From<Vec<Node>> for Closure {
    fn from(nodes: Vec<Node>) -> Closure {
        Closure { nodes, ..Closure::default() }
    }
}

/// Whether a board with these men can be laid out at all.
pub(super) fn can_be_laid_out(material: &Material) -> bool {
    let pieces = material.len() - 2 - material.pawns();
    // Without pawns two of the pieces span the tile.
    pieces <= if material.has_pawns() { MAX_OUTER } else { MAX_OUTER + 2 }
}

fn material_of(pawns: Placement) -> Material {
    let of = |color| std::iter::repeat_n(Man::new(color, Role::Pawn), pawns.of_color(color).len());
    Material::from_men(Color::BOTH.into_iter().flat_map(of))
}

fn node_of(pawns: Placement) -> Node {
    Node::new(material_of(pawns), pawns)
}

/// Adds positions as the board of their pawns has them.
fn stored(pawns: Placement, kings: &Kings, into: &mut Kings) {
    let turn = Color::White;
    let frame = Wanted { men: Vec::new(), pawns, fixed: None, turn, depths: true }.frame();
    let Frame { swapped, .. } = frame;
    for color in Color::BOTH {
        let moved = kings[color.index()].transform(frame.symmetry(), true, true);
        let moved = if swapped { moved.transpose() } else { moved };
        into[frame.color(color).index()].add(&moved);
    }
}

/// The placements of the pawns still to be looked at: those with more pawns first, then
/// the less advanced. So each comes after all that lead to it.
type Ahead = BTreeMap<(Reverse<usize>, i32), BTreeMap<Placement, Kings>>;

/// Follows kings and pawns.
#[derive(Default)]
struct Siege<'a> {
    promotions: &'a [Role],
    ahead: Ahead,
    /// Boards with a piece, or without pawns.
    open: Vec<Node>,
    /// Boards that need not be solved.
    known: Vec<Node>,
}

impl Siege<'_> {
    fn begin(&mut self, position: &Position) {
        self.add_position(position);
        // The right to capture en passant is no part of a board.
        let answers = position.legal_moves().into_iter().map(|m| position.play(&m));
        answers.for_each(|next| self.add_position(&next));
    }

    fn add_position(&mut self, position: &Position) {
        let mut kings = Tile::EMPTY;
        kings.insert(position.king(Color::White), position.king(Color::Black));
        if position.material().men().any(|man| man.role != Role::Pawn) {
            self.open.push(Node::of(position));
        } else {
            self.add(Placement::of(position), position.turn(), kings);
        }
    }

    /// Positions around these pawns can come about.
    fn add(&mut self, pawns: Placement, turn: Color, kings: Tile) {
        if kings.is_empty() {
            return;
        }
        if pawns == Placement::NONE {
            self.open.push(node_of(pawns));
            return;
        }
        let place = (Reverse(pawns.all_squares().len()), pawns.advancement());
        let found = self.ahead.entry(place).or_default().entry(pawns);
        let found = found.or_insert([Tile::EMPTY; 2]);
        found[turn.index()].add(&kings);
    }

    /// All placements of the pawns that can come about, in order, with the kings; none if
    /// they are many: kings and pawns are not confined then.
    fn follow(&mut self, known: impl Fn(&Node) -> bool) -> Option<Vec<(Placement, Kings)>> {
        let mut found = Vec::new();
        while let Some((_, placements)) = self.ahead.pop_first() {
            for (pawns, mut kings) in placements {
                let node = node_of(pawns);
                // The start is solved even so.
                if !found.is_empty() && known(&node) {
                    self.known.push(node);
                    continue;
                }
                let around = Around::new(pawns);
                around.walk(&mut kings);
                self.captures(&around, &kings);
                pawns.pawn_moves().iter().for_each(|m| self.pawn_move(&around, &kings, m));
                found.push((pawns, kings));
            }
            // Each piece that can appear is noted once.
            let mut once = HashSet::new();
            self.open.retain(|node| once.insert(*node));
            if found.len() > MOST_PLACEMENTS {
                return None;
            }
        }
        Some(found)
    }

    /// Kings take pawns.
    fn captures(&mut self, around: &Around, kings: &Kings) {
        for color in Color::BOTH {
            for target in around.pawns.of_color(!color) {
                let after = Around::new(around.pawns.without(target));
                let target = Bitboard::from_square(target);
                let moved = after.moved(color, &kings[color.index()], target);
                self.add(after.pawns, !color, moved);
            }
        }
    }

    fn pawn_move(&mut self, around: &Around, kings: &Kings, m: &PawnMove) {
        if m.kind == PawnMoveKind::TakesPiece {
            return; // there is none
        }
        let free = !m.must_be_empty();
        let kings = both_on(&kings[m.side.index()], free);
        let after = Around::new(m.played(around.pawns));
        let kings = after.legal(!m.side, &kings);
        if kings.is_empty() {
            return;
        }
        if m.promotes() {
            let (less, man) = (material_of(after.pawns), |role| Man::new(m.side, role));
            let nodes = self.promotions.iter();
            self.open.extend(nodes.map(|&role| Node::new(less.with(man(role)), after.pawns)));
            return;
        }
        self.add(after.pawns, !m.side, kings);
        for answer in m.en_passant(around.pawns) {
            let answered = Around::new(answer.after);
            self.add(answer.after, m.side, answered.legal(m.side, &kings));
        }
    }
}

/// What pawns allow kings to do.
struct Around {
    pawns: Placement,
    /// Squares where the king of a colour may stand when it is not to move: no pawn is
    /// there, and none of the others attacks it.
    safe: [Bitboard; 2],
}

impl Around {
    fn new(pawns: Placement) -> Around {
        let attacked = |by: Color| {
            let each = pawns.of_color(by).into_iter().map(|from| attacks::pawn(by, from));
            each.fold(Bitboard::EMPTY, |all, one| all | one)
        };
        let safe = Color::BOTH.map(|color| !(attacked(!color) | pawns.all_squares()));
        Around { pawns, safe }
    }

    /// The legal ones of some positions, with this side to move.
    fn legal(&self, turn: Color, kings: &Tile) -> Tile {
        let anywhere = !self.pawns.all_squares();
        let (rows, columns) = match turn {
            Color::White => (anywhere, self.safe[1]),
            Color::Black => (self.safe[0], anywhere),
        };
        let row = |square| if rows.contains(square) { kings.row(square) & columns.0 } else { 0 };
        Tile::from_rows(row)
    }

    /// The king of one side goes to one of some squares.
    fn moved(&self, mover: Color, kings: &Tile, targets: Bitboard) -> Tile {
        let targets = targets & self.safe[mover.index()];
        match mover {
            Color::White => Tile::from_rows(|target| match targets.contains(target) {
                false => 0,
                true => {
                    let from = attacks::king(target).into_iter();
                    from.fold(0, |all, from| all | kings.row(from)) & !near(target).0
                }
            }),
            Color::Black => Tile::from_rows(|white| {
                let beside = all_beside(Bitboard(kings.row(white)));
                (beside & targets & !near(white)).0
            }),
        }
    }

    /// Adds what moves of the kings lead to.
    fn walk(&self, kings: &mut Kings) {
        let mut before = [Tile::EMPTY; 2];
        while before != *kings {
            before = *kings;
            for color in Color::BOTH {
                let moved = self.moved(color, &kings[color.index()], !Bitboard::EMPTY);
                kings[(!color).index()].add(&moved);
            }
        }
    }
}

/// The squares beside one of some squares.
fn all_beside(squares: Bitboard) -> Bitboard {
    squares.into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks::king(square))
}

/// A square and those beside it.
fn near(square: Square) -> Bitboard {
    attacks::king(square) | Bitboard::from_square(square)
}

/// Positions with both kings on some squares.
fn both_on(kings: &Tile, free: Bitboard) -> Tile {
    let row = |square| if free.contains(square) { kings.row(square) & free.0 } else { 0 };
    Tile::from_rows(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKED: &str = "8/4k3/8/1p1p1p1p/1P1P1P1P/8/4K3/8 w - -";

    fn closure(fen: &str) -> Closure {
        let position: Position = fen.parse().unwrap();
        Closure::of(&position, &Role::PROMOTIONS, |_| false, 1_000_000).unwrap()
    }

    /// Everything that legal moves lead to without a piece on the board, one position at a
    /// time, and the boards with a piece that come next.
    fn follow(start: &Position) -> (HashSet<Position>, HashSet<Node>) {
        let (mut seen, mut open) = (HashSet::from([*start]), HashSet::new());
        let mut ahead = vec![*start];
        while let Some(position) = ahead.pop() {
            let moves = position.legal_moves();
            for next in moves.iter().map(|m| position.play(m)) {
                if next.material().men().any(|man| man.role != Role::Pawn) {
                    open.insert(Node::of(&next));
                } else if seen.insert(next) {
                    ahead.push(next);
                }
            }
        }
        (seen, open)
    }

    /// The boards, and of confined ones the positions, are those that legal moves lead to.
    fn check(fen: &str) {
        let (start, closure): (Position, _) = (fen.parse().unwrap(), closure(fen));
        let (seen, open) = follow(&start);
        let nodes: HashSet<Node> = closure.nodes.iter().copied().collect();
        assert_eq!(nodes.len(), closure.nodes.len(), "{fen}: each once");
        assert_eq!(closure.nodes.last(), Some(&Node::of(&start)));
        assert!(open.iter().all(|node| nodes.contains(node)), "{fen}");
        let mut confined: HashMap<Node, Kings> = HashMap::new();
        for position in &seen {
            let (node, pawns) = (Node::of(position), Placement::of(position));
            assert!(nodes.contains(&node), "{fen}: {position}");
            if closure.is_confined(&node) {
                let mut kings = [Tile::EMPTY; 2];
                let [white, black] = Color::BOTH.map(|color| position.king(color));
                kings[position.turn().index()].insert(white, black);
                let found = confined.entry(node).or_insert([Tile::EMPTY; 2]);
                stored(pawns, &kings, found);
            }
        }
        assert_eq!(confined, closure.confined, "{fen}");
        // Each comes after all it can turn into.
        let places: HashMap<Node, usize> = closure.nodes.iter().copied().zip(0..).collect();
        for position in seen.iter().filter(|position| position.en_passant().is_none()) {
            let moves = position.legal_moves();
            for next in moves.iter().map(|m| Node::of(&position.play(m))) {
                assert!(places[&next] <= places[&Node::of(position)], "{position}");
            }
        }
    }

    #[test]
    fn kings_and_pawns_go_where_legal_moves_lead() {
        check(LOCKED);
        // Colours exchanged; a move that gives way; an outpost that can be taken; a right
        // to capture en passant; free pawns.
        check("8/3k4/8/p1p1p1p1/P1P1P1P1/8/3K4/8 b - -");
        check("4k3/8/1p6/1p2p1p1/1P2P1P1/6P1/8/4K3 w - -");
        check("8/p7/8/P1p1k3/2P5/4K3/8/8 w - -");
        check("8/8/8/k7/pP6/8/K7/8 b - b3");
        check("8/7k/8/5p2/2P5/8/K7/8 w - -");
        check("8/p6k/8/p7/P7/8/K7/8 b - -");
    }

    #[test]
    fn a_locked_position_has_one_board() {
        let closure = closure(LOCKED);
        let node = Node::of(&LOCKED.parse().unwrap());
        assert_eq!(closure.nodes, [node]);
        assert!(closure.is_confined(&node));
        let position: Position = LOCKED.parse().unwrap();
        let by_pawns = Closure::by_pawns(&position, &Role::PROMOTIONS, |_| false, 1000);
        assert_eq!(by_pawns.err(), Some(TooMuch::Boards));
    }

    /// Pieces beyond what a board can hold are refused, not met.
    #[test]
    fn too_many_pieces_are_refused() {
        let position: Position = "8/PPP1PPP1/7k/8/8/8/ppp4p/6K1 w - -".parse().unwrap();
        let much = Closure::of(&position, &Role::PROMOTIONS, |_| false, usize::MAX);
        assert!(matches!(much.err(), Some(TooMuch::Pieces(_))));
    }
}
