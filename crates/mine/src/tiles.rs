//! Queries answered for 4096 positions at a time.
//!
//! Most atoms are a few bit operations on planes. Those that need a
//! position's moves are not; for them a tile only says which positions may
//! match. So an answer is a pair of bounds: the positions that surely match,
//! and those that may. [`exact`](crate::exact) settles the rest one by one.

use molien_board::{Color, Man};
use molien_hyper::{Cell, Hyperboard, Tile};
use molien_operators::fastest;
use molien_values::{BoardValues, Graded, Metric, Outcome};

use crate::TableSet;
use crate::captures::may_capture;
use crate::query::{Atom, Expr};

/// The last ply at which a win is not spoilt by the 50-move rule.
pub(crate) const LAST_PLY: u16 = 100;

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

    fn not(self) -> Bounds {
        let not = |tile: &Tile| Tile::FULL.minus(tile);
        Bounds { yes: not(&self.maybe), maybe: not(&self.yes) }
    }
}

/// One tile of a table with one side to move.
pub(crate) struct TileView<'a> {
    pub tables: &'a TableSet,
    pub part: usize,
    pub cell: &'a Cell,
    pub turn: Color,
}

impl TileView<'_> {
    fn game(&self) -> &BoardValues {
        &self.tables.parts()[self.part]
    }

    fn board(&self) -> &Hyperboard {
        &self.game().board
    }

    /// Who wins, with a side to move.
    fn side(&self, turn: Color) -> &Graded {
        &self.game().values[turn.index()]
    }

    pub fn legal(&self) -> Tile {
        self.side(self.turn).legal[self.cell.tile]
    }

    pub fn eval(&self, expr: &Expr) -> Bounds {
        match expr {
            Expr::All => Bounds::exactly(Tile::FULL),
            Expr::Atom(atom) => self.atom(atom),
            Expr::Not(inner) => self.eval(inner).not(),
            Expr::And(a, b) => {
                let a = self.eval(a);
                if a.maybe.is_empty() {
                    return a;
                }
                let b = self.eval(b);
                Bounds { yes: a.yes.and(&b.yes), maybe: a.maybe.and(&b.maybe) }
            }
            Expr::Or(a, b) => {
                let (a, b) = (self.eval(a), self.eval(b));
                Bounds { yes: a.yes.or(&b.yes), maybe: a.maybe.or(&b.maybe) }
            }
        }
    }

    fn atom(&self, atom: &Atom) -> Bounds {
        let whole = |yes: bool| if yes { Tile::FULL } else { Tile::EMPTY };
        Bounds::exactly(match *atom {
            Atom::Stands(man, squares) => self.stands(man, squares.0),
            Atom::Turn(color) => whole(color == self.turn),
            Atom::Outcome(outcome) => self.outcome(self.turn, outcome),
            Atom::Cursed => self.depth(Metric::Dtz50, LAST_PLY + 1, u16::MAX),
            Atom::Depth(metric, from, to) => self.depth(metric, from, to),
            Atom::Zugzwang => self.zugzwang(),
            Atom::Check => fastest().in_check(self.board(), self.turn, self.cell),
            Atom::OnlyMove => return Bounds { yes: Tile::EMPTY, maybe: Tile::FULL },
            Atom::Capture => {
                let maybe = may_capture(self.board(), self.turn, self.cell);
                return Bounds { yes: Tile::EMPTY, maybe };
            }
        })
    }

    fn stands(&self, man: Man, squares: u64) -> Tile {
        let (board, cell) = (self.board(), self.cell);
        let on = |square: molien_board::Square| squares >> square.index() & 1 != 0;
        let king = cell.kings.is_some_and(|(white, black)| {
            let of_color =
                |color, square| man == Man::new(color, molien_board::Role::King) && on(square);
            of_color(Color::White, white) || of_color(Color::Black, black)
        });
        let outer = board.outer().iter().zip(cell.squares).any(|(&m, s)| m == man && on(s));
        let pawn = man.role == molien_board::Role::Pawn && board.pawns(man.color).0 & squares != 0;
        if king || outer || pawn {
            return Tile::FULL;
        }
        let column = if board.column() == Some(man) { squares } else { 0 };
        Tile::from_rows(|row| if board.row() == Some(man) && on(row) { !0 } else { column })
    }

    fn outcome(&self, turn: Color, outcome: Outcome) -> Tile {
        let (side, t) = (self.side(turn), self.cell.tile);
        match outcome {
            Outcome::Win => side.won[t],
            Outcome::Loss => side.lost[t],
            Outcome::Draw => side.legal[t].minus(&side.won[t]).minus(&side.lost[t]),
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
        let Some(table) = self.tables.get(metric) else { return Tile::EMPTY };
        let (side, t) = (&table.parts[self.part].values[self.turn.index()], self.cell.tile);
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
