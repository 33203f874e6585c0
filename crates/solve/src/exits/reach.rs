//! What a position can turn into: materials and placements of the pawns.

use std::collections::HashSet;

use molien_board::{Color, Man, Material, Position, Role};
use molien_hyper::Hyperboard;
use molien_values::{PawnMove, PawnMoveKind, Placement};

use super::closure::{TooMuch, can_be_laid_out};

/// A hyperboard: canonical material, canonical placement.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    /// The men.
    pub material: Material,
    /// The squares of the pawns.
    pub pawns: Placement,
}

impl Node {
    /// The node of a material around some pawns, however oriented.
    pub fn new(material: Material, pawns: Placement) -> Node {
        let swapped = !material.is_canonical();
        let pawns = if swapped { pawns.swap_colors() } else { pawns };
        Node { material: material.canonical(), pawns: pawns.canonical().0 }
    }

    /// The node of a position.
    pub fn of(position: &Position) -> Node {
        Node::new(position.material(), Placement::of(position))
    }

    /// Its hyperboard.
    pub fn board(&self) -> Hyperboard {
        if self.pawns == Placement::NONE {
            Hyperboard::pieces(self.material)
        } else {
            Hyperboard::around_pawns(self.material, self.pawns.bitboards())
        }
    }

    /// Tiles of its hyperboard.
    pub fn tiles(&self) -> u64 {
        self.board().tiles() as u64
    }

    /// The hyperboards one move leads to, as far as men and pawns decide it.
    pub fn successors(&self, promotions: &[Role], mut visit: impl FnMut(Node)) {
        let mut add = |material: Option<Material>, pawns: Placement| {
            if let Some(material) = material {
                visit(Node::new(material, pawns));
            }
        };
        for man in self.material.men().filter(|man| man.role != Role::Pawn) {
            add(self.material.without(man), self.pawns);
        }
        let moves = self.pawns.pawn_moves();
        for color in Color::BOTH {
            let without_pawn = self.material.without(Man::new(color, Role::Pawn));
            for from in self.pawns.of_color(color) {
                add(without_pawn, self.pawns.without(from));
                let own = || moves.iter().filter(|m| m.from == from);
                own().for_each(|m| self.pawn_move(m, promotions, &mut add));
                let answers = own().flat_map(|m| m.en_passant(self.pawns));
                answers.for_each(|answer| add(without_pawn, answer.after));
            }
        }
    }

    fn pawn_move(
        &self,
        m: &PawnMove,
        promotions: &[Role],
        add: &mut impl FnMut(Option<Material>, Placement),
    ) {
        let pawns = m.played(self.pawns);
        let mut arrive = |material: Option<Material>| {
            if !m.promotes() {
                return add(material, pawns);
            }
            let less = material.and_then(|left| left.without(Man::new(m.side, Role::Pawn)));
            for &role in promotions {
                add(less.map(|left| left.with(Man::new(m.side, role))), pawns);
            }
        };
        match m.kind {
            PawnMoveKind::Step | PawnMoveKind::DoubleStep { .. } => arrive(Some(self.material)),
            PawnMoveKind::TakesPawn => {
                arrive(self.material.without(Man::new(!m.side, Role::Pawn)));
            }
            PawnMoveKind::TakesPiece => {
                let is_piece = |man: &Man| man.color != m.side && man.role != Role::Pawn;
                let pieces = self.material.men().filter(is_piece);
                pieces.for_each(|man| arrive(self.material.without(man)));
            }
        }
    }
}

/// Goes through everything reachable from hyperboards through what is not known, so
/// that each is done after all it can turn into, and soon after: what is solved is read
/// early and need not be kept for long.
pub(super) struct Walk<'a, F> {
    promotions: &'a [Role],
    pub known: F,
    limit: usize,
    /// Known ones included.
    pub seen: HashSet<Node>,
    pub done: Vec<Node>,
}

impl<'a, F: Fn(&Node) -> bool> Walk<'a, F> {
    pub fn new(promotions: &'a [Role], known: F, limit: usize) -> Walk<'a, F> {
        Walk { promotions, known, limit, seen: HashSet::new(), done: Vec::new() }
    }

    /// Goes on from a board even if it is known.
    pub fn start(&mut self, node: Node) -> Result<(), TooMuch> {
        self.seen.insert(node);
        self.visit(node)
    }

    /// Goes on from a board unless it is known, or was seen before.
    pub fn enter(&mut self, node: Node) -> Result<(), TooMuch> {
        match self.seen.insert(node) && !(self.known)(&node) {
            true => self.visit(node),
            false => Ok(()),
        }
    }

    /// Goes as deep as captures and pawn moves can follow each other.
    fn visit(&mut self, node: Node) -> Result<(), TooMuch> {
        if !can_be_laid_out(&node.material) {
            return Err(TooMuch::Pieces(node.material));
        }
        let mut next = Vec::new();
        node.successors(self.promotions, |node| next.push(node));
        next.into_iter().try_for_each(|node| self.enter(node))?;
        self.done.push(node);
        if self.seen.len() > self.limit { Err(TooMuch::Boards) } else { Ok(()) }
    }
}
