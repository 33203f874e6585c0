//! What a position can turn into: materials and placements of the pawns.

use std::collections::HashSet;

use molien_board::{Bitboard, Color, Man, Material, Position, Role, Square, attacks};
use molien_hyper::Hyperboard;

use molien_values::Placement;

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
        for color in Color::BOTH {
            let pawn = Man::new(color, Role::Pawn);
            for from in self.pawns.of_color(color) {
                add(self.material.without(pawn), self.pawns.without(from));
                self.pawn_moves(color, from, promotions, &mut add);
            }
        }
    }

    fn pawn_moves(
        &self,
        color: Color,
        from: Square,
        promotions: &[Role],
        add: &mut impl FnMut(Option<Material>, Placement),
    ) {
        let (pawn, victim_pawn) = (Man::new(color, Role::Pawn), Man::new(!color, Role::Pawn));
        let blocked = self.pawns.all_squares();
        // A pawn of `material` arrives on a square, perhaps to promote.
        let mut arrive = |material: Option<Material>, to: Square| {
            if to.rank() != color.promotion_rank() {
                return add(material, self.pawns.moved(color, from, to));
            }
            for &role in promotions {
                let less = material.and_then(|material| material.without(pawn));
                add(less.map(|m| m.with(Man::new(color, role))), self.pawns.without(from));
            }
        };
        let step =
            |square: Square| square.offset(0, color.forward()).filter(|&to| !blocked.contains(to));
        let one = step(from);
        let two = one.filter(|_| from.rank() == color.pawn_rank()).and_then(step);
        one.into_iter().for_each(|to| arrive(Some(self.material), to));
        two.into_iter().for_each(|to| arrive(Some(self.material), to));
        for to in attacks::pawn(color, from) {
            if self.pawns.of_color(!color).contains(to) {
                arrive(self.material.without(victim_pawn), to);
            } else if !blocked.contains(to) {
                let pieces =
                    self.material.men().filter(|m| m.color != color && m.role != Role::Pawn);
                pieces.for_each(|man| arrive(self.material.without(man), to));
            }
        }
        self.en_passant(color, two, from, add);
    }

    /// Captures en passant of the pawn that has just made a double step.
    fn en_passant(
        &self,
        color: Color,
        two: Option<Square>,
        from: Square,
        add: &mut impl FnMut(Option<Material>, Placement),
    ) {
        let Some(to) = two else { return };
        let passed = Square::new((from.index() + to.index()) / 2);
        let beside: Bitboard =
            attacks::king(to) & Bitboard::rank(to.rank()) & self.pawns.of_color(!color);
        for capturer in beside {
            let pawns = self.pawns.moved(color, from, to).moved(!color, capturer, passed);
            add(self.material.without(Man::new(color, Role::Pawn)), pawns.without(to));
        }
    }
}

/// Everything reachable from a hyperboard through what is not known, itself
/// included, so ordered that each comes after all it can turn into, and soon
/// after: what is solved is read early and need not be kept for long.
pub fn reachable(
    start: Node,
    promotions: &[Role],
    known: impl Fn(&Node) -> bool,
    limit: usize,
) -> Option<Vec<Node>> {
    let (seen, done) = (HashSet::from([start]), Vec::new());
    let mut walk = Walk { promotions, known, limit, seen, done };
    walk.visit(start)?;
    Some(walk.done)
}

struct Walk<'a, F> {
    promotions: &'a [Role],
    known: F,
    limit: usize,
    seen: HashSet<Node>,
    done: Vec<Node>,
}

impl<F: Fn(&Node) -> bool> Walk<'_, F> {
    /// Goes as deep as captures and pawn moves can follow each other.
    fn visit(&mut self, node: Node) -> Option<()> {
        let mut next = Vec::new();
        node.successors(self.promotions, |node| next.push(node));
        for node in next {
            if self.seen.insert(node) && !(self.known)(&node) {
                self.visit(node)?;
            }
        }
        self.done.push(node);
        (self.seen.len() <= self.limit).then_some(())
    }
}
