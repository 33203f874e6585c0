//! Queries answered for 4096 positions at a time.
//!
//! Most atoms are a few bit operations on planes. Those that need a
//! position's moves are not; for them a tile only says which positions may
//! match. So an answer is a pair of bounds: the positions that surely match,
//! and those that may. [`exact`](crate::exact) settles the rest one by one.

use molien_board::{Color, Man, Role, Square};
use molien_hyper::{Cell, Hyperboard, Tile};
use molien_operators::fastest;
use molien_values::{Category, FIFTY_MOVES_PLIES, Graded, Metric, Outcome};

use crate::part::Part;
use crate::query::{Atom, Expr};
use crate::relations::{attacks_tile, may_capture, within};

/// What surely matches and what may match.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub yes: Tile,
    pub maybe: Tile,
}

impl Bounds {
    fn exactly(tile: Tile) -> Bounds {
        Bounds { yes: tile, maybe: tile }
    }

    fn perhaps(maybe: Tile) -> Bounds {
        Bounds { yes: Tile::EMPTY, maybe }
    }

    fn not(self) -> Bounds {
        let not = |tile: &Tile| Tile::FULL.minus(tile);
        Bounds { yes: not(&self.maybe), maybe: not(&self.yes) }
    }
}

/// One tile of a part with one side to move.
pub(crate) struct TileView<'a> {
    pub part: &'a Part,
    pub cell: &'a Cell,
    pub turn: Color,
}

impl TileView<'_> {
    fn board(&self) -> &Hyperboard {
        self.part.board()
    }

    pub fn legal(&self) -> Tile {
        self.part.side(self.turn).legal[self.cell.tile]
    }

    pub fn eval(&self, expr: &Expr) -> Bounds {
        match expr {
            Expr::Atom(atom) => self.atom(atom),
            Expr::Not(inner) => self.eval(inner).not(),
            Expr::And(parts) => {
                let mut all = Bounds::exactly(Tile::FULL);
                for part in parts {
                    let one = self.eval(part);
                    all = Bounds { yes: all.yes.and(&one.yes), maybe: all.maybe.and(&one.maybe) };
                    if all.maybe.is_empty() {
                        break;
                    }
                }
                all
            }
            Expr::Or(parts) => {
                let mut any = Bounds::exactly(Tile::EMPTY);
                for part in parts {
                    let one = self.eval(part);
                    any = Bounds { yes: any.yes.or(&one.yes), maybe: any.maybe.or(&one.maybe) };
                    if any.yes == Tile::FULL {
                        break;
                    }
                }
                any
            }
        }
    }

    fn atom(&self, atom: &Atom) -> Bounds {
        let whole = |yes: bool| if yes { Tile::FULL } else { Tile::EMPTY };
        Bounds::exactly(match *atom {
            Atom::Stands(man, squares) => self.stands(man, squares.0),
            Atom::Turn(color) => whole(color == self.turn),
            Atom::Outcome(outcome) => self.outcome(self.turn, outcome),
            Atom::Class(category) => self.class(category),
            Atom::Depth(metric, from, to) => self.depth(metric, from, to),
            Atom::Zugzwang => self.zugzwang(),
            Atom::Check => self.check(),
            Atom::Mate => {
                let lost = self.outcome(self.turn, Outcome::Loss);
                return Bounds::perhaps(lost.and(&self.check()).minus(&self.can_move_quietly()));
            }
            Atom::Stalemate => {
                let drawn = self.outcome(self.turn, Outcome::Draw);
                return Bounds::perhaps(drawn.minus(&self.check()).minus(&self.can_move_quietly()));
            }
            Atom::OnlyMove => return Bounds::perhaps(Tile::FULL),
            Atom::Capture => {
                return Bounds::perhaps(may_capture(self.board(), self.turn, self.cell));
            }
            Atom::Distance(_, from, to) if from > to => Tile::EMPTY,
            Atom::Distance(men, from, to) => {
                let within = |moves| within(self.board(), self.cell, men, moves);
                match from.checked_sub(1) {
                    None => within(to),
                    Some(nearer) => within(to).minus(&within(nearer)),
                }
            }
            Atom::Attacks(man, target) => attacks_tile(self.board(), self.cell, man, target),
        })
    }

    fn check(&self) -> Tile {
        fastest().in_check(self.board(), self.turn, self.cell)
    }

    /// The positions with a quiet move of a piece.
    fn can_move_quietly(&self) -> Tile {
        fastest().quiet(self.board(), self.turn, self.part.legal(!self.turn), self.cell)
    }

    fn stands(&self, man: Man, squares: u64) -> Tile {
        let (board, cell) = (self.board(), self.cell);
        let on = |square: Square| squares >> square.index() & 1 != 0;
        let king = cell.kings.is_some_and(|(white, black)| {
            let of_color = |color, square| man == Man::new(color, Role::King) && on(square);
            of_color(Color::White, white) || of_color(Color::Black, black)
        });
        let outer = board.outer().iter().zip(cell.squares).any(|(&m, s)| m == man && on(s));
        let pawn = man.role == Role::Pawn && board.pawns(man.color).0 & squares != 0;
        if king || outer || pawn {
            return Tile::FULL;
        }
        let column = if board.column() == Some(man) { squares } else { 0 };
        Tile::from_rows(|row| if board.row() == Some(man) && on(row) { !0 } else { column })
    }

    fn outcome(&self, turn: Color, outcome: Outcome) -> Tile {
        let (side, t) = (self.part.side(turn), self.cell.tile);
        match outcome {
            Outcome::Win => side.won[t],
            Outcome::Loss => side.lost[t],
            Outcome::Draw => side.legal[t].minus(&side.won[t]).minus(&side.lost[t]),
        }
    }

    /// Where DTZ50 was not read, the 50-move rule spoils nothing.
    fn class(&self, category: Category) -> Tile {
        let decided = self.outcome(self.turn, category.outcome());
        let spoilt = || self.depth(Metric::Dtz50, FIFTY_MOVES_PLIES + 1, u16::MAX);
        match category {
            Category::Draw => decided,
            Category::Win | Category::Loss => decided.minus(&spoilt()),
            Category::CursedWin | Category::BlessedLoss => decided.and(&spoilt()),
            Category::MaybeWin | Category::MaybeLoss => Tile::EMPTY,
        }
    }

    /// Whoever moves is worse off than if the other side moved.
    fn zugzwang(&self) -> Tile {
        let [white, black] = Color::BOTH.map(|turn| {
            let lost = self.outcome(turn, Outcome::Loss);
            (lost, lost.or(&self.outcome(turn, Outcome::Draw)))
        });
        white.0.and(&black.1).or(&white.1.and(&black.0))
    }

    /// Decided positions whose depth lies in a range.
    fn depth(&self, metric: Metric, from: u16, to: u16) -> Tile {
        let Some(values) = &self.part.by_metric[metric as usize] else { return Tile::EMPTY };
        let (side, t) = (&values.values[self.turn.index()], self.cell.tile);
        let mut found = side.won[t].or(&side.lost[t]);
        if found.is_empty() || from > to {
            return Tile::EMPTY;
        }
        if from > 0 {
            found = found.and(&at_least(side, t, from));
        }
        match to.checked_add(1) {
            Some(beyond) => found.minus(&at_least(side, t, beyond)),
            None => found,
        }
    }
}

/// The addresses whose depth is at least `ply`: the comparison goes from the
/// lowest bit up, and the highest differing bit decides.
fn at_least(values: &Graded, tile: usize, ply: u16) -> Tile {
    if usize::from(ply) >> values.depth.len() != 0 {
        return Tile::EMPTY;
    }
    values.depth.iter().enumerate().fold(Tile::FULL, |found, (b, plane)| {
        if ply >> b & 1 != 0 { found.and(&plane[tile]) } else { found.or(&plane[tile]) }
    })
}
