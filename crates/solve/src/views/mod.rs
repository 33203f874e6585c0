//! The values a move leads to, laid out for the board the move starts from.
//!
//! On a board with pawns the kings span the tile. What a move leads to may be
//! stored mirrored, with colours exchanged, with its men in another order, or,
//! without pawns, with the kings outermost. A [`View`] is a copy in the frame
//! of the board that reads it. A promoted pawn is a man on a fixed square, so
//! that only a slice of its table is copied. This file copies from boards with
//! pawns, `pieces.rs` from boards without.

mod pieces;

pub use pieces::{of_piece_board, planes_of_piece_board};

use std::sync::Arc;

use molien_board::{Bitboard, Color, Man, Material, Role, Square, Symmetry};
use molien_hyper::{MAX_OUTER, OuterAxes, Tile};
use molien_operators::{Backend, SubView};
use molien_values::{BoardValues, Graded, Placement};

use crate::exits::Node;

/// Values in the frame of the board that reads them.
pub enum View {
    /// A copy.
    Own {
        /// Addresses the outer men.
        axes: OuterAxes,
        /// The values.
        values: Graded,
    },
    /// The stored values themselves, where they are in that frame already.
    Shared {
        /// The board.
        game: Arc<BoardValues>,
        /// The side to move.
        turn: Color,
    },
    /// A copy that other boards read too.
    Common(Arc<View>),
}

impl View {
    /// No position at all, for a board without pieces.
    pub fn nothing() -> View {
        let none = || vec![Tile::EMPTY];
        let values = Graded { legal: none(), won: none(), lost: none(), ..Graded::default() };
        View::Own { axes: OuterAxes::new(&[]), values }
    }

    /// The values, as the target of moves.
    pub fn sub(&self) -> SubView<'_> {
        match self {
            View::Own { axes, values } => SubView { axes, board: None, values },
            View::Shared { game, turn } => SubView::of(game, *turn),
            View::Common(view) => view.sub(),
        }
    }
}

/// What a board reads of another, in its own frame.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Wanted {
    /// The men that are outer coordinates of the reader.
    pub men: Vec<Man>,
    /// The pawns.
    pub pawns: Placement,
    /// A man on a fixed square: the promoted pawn.
    pub fixed: Option<(Man, Square)>,
    /// The side to move.
    pub turn: Color,
    /// Whether depths are read at all.
    pub depths: bool,
}

impl Wanted {
    /// The material, in the reader's orientation.
    pub fn material(&self) -> Material {
        let pawns = Color::BOTH.into_iter().flat_map(|color| {
            std::iter::repeat_n(Man::new(color, Role::Pawn), self.pawns.of_color(color).len())
        });
        Material::from_men(self.all_men().chain(pawns))
    }

    /// The fixed man, if any, then the others.
    pub fn all_men(&self) -> impl Iterator<Item = Man> {
        self.fixed.map(|(man, _)| man).into_iter().chain(self.men.iter().copied())
    }

    /// The board that is read.
    pub fn node(&self) -> Node {
        Node::new(self.material(), self.pawns)
    }

    /// How the reader's frame becomes that of the stored board.
    pub(crate) fn frame(&self) -> Frame {
        let swapped = !self.material().is_canonical();
        let pawns = if swapped { self.pawns.swap_colors() } else { self.pawns };
        Frame { swapped, mirrored: pawns.canonical().1 }
    }

    /// The side to move on the stored board.
    pub fn stored_turn(&self) -> Color {
        self.frame().color(self.turn)
    }

    /// The man on a fixed square as the stored board has him.
    pub fn stored_fixed(&self) -> Option<(Man, Square)> {
        let frame = self.frame();
        self.fixed.map(|(man, square)| (frame.man(man), frame.symmetry().square(square)))
    }

    /// Whether a copy is made of it: the stored board has another frame.
    pub fn is_copied(&self) -> bool {
        self.fixed.is_some() || self.pawns == Placement::NONE || self.frame() != Frame::PLAIN
    }

    /// Whether it is the same for every placement of the reader's pawns.
    pub fn is_common(&self) -> bool {
        self.fixed.is_none() && self.pawns == Placement::NONE
    }
}

/// How the reader's frame becomes the stored one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Colours exchanged, board upside down.
    pub swapped: bool,
    /// Left and right exchanged.
    pub mirrored: bool,
}

impl Frame {
    const PLAIN: Frame = Frame { swapped: false, mirrored: false };

    pub fn symmetry(self) -> Symmetry {
        let both = Symmetry::ALL[Symmetry::MIRROR.index() | Symmetry::FLIP.index()];
        match (self.mirrored, self.swapped) {
            (false, false) => Symmetry::IDENTITY,
            (true, false) => Symmetry::MIRROR,
            (false, true) => Symmetry::FLIP,
            (true, true) => both,
        }
    }

    pub fn man(self, man: Man) -> Man {
        if self.swapped { Man::new(!man.color, man.role) } else { man }
    }

    pub fn color(self, color: Color) -> Color {
        if self.swapped { !color } else { color }
    }
}

/// For the fixed man, then each wanted man: its place in the stored order.
pub(crate) fn places(stored: &[Man], wanted: impl Iterator<Item = Man>) -> Vec<usize> {
    let mut taken = vec![false; stored.len()];
    wanted
        .map(|man| {
            let free = |(i, &other): (usize, &Man)| other == man && !taken[i];
            let place = stored.iter().enumerate().position(free).unwrap_or(0);
            taken[place] = true;
            place
        })
        .collect()
}

/// The planes of one side to move that are read. Stalemates matter only after
/// a double step, which no promotion is.
pub(crate) fn planes<'a>(values: &'a Graded, wanted: &Wanted) -> Vec<&'a Vec<Tile>> {
    let depth = values.depth.iter().filter(|_| wanted.depths);
    let known = wanted.fixed.is_none() && !values.stalemate.is_empty();
    let stalemate = known.then_some(&values.stalemate);
    let outcomes = [&values.legal, &values.won, &values.lost];
    outcomes.into_iter().chain(depth).chain(stalemate).collect()
}

/// The inverse of [`planes`]: `like` says which planes there are.
pub(crate) fn graded(planes: Vec<Vec<Tile>>, like: &Graded, wanted: &Wanted) -> Graded {
    let mut planes = planes.into_iter();
    let mut next = || planes.next().unwrap_or_default();
    let (legal, won, lost) = (next(), next(), next());
    let depth = like.depth.iter().filter(|_| wanted.depths).map(|_| next()).collect();
    Graded { legal, won, lost, depth, stalemate: next() }
}

/// A view of a stored hyperboard with pawns.
pub fn of_pawn_board(backend: &dyn Backend, game: &Arc<BoardValues>, wanted: &Wanted) -> View {
    let frame = wanted.frame();
    if frame == Frame::PLAIN && wanted.fixed.is_none() {
        return View::Shared { game: game.clone(), turn: wanted.turn };
    }
    let axes = OuterAxes::new(&wanted.men);
    let places = places(game.board.outer(), wanted.all_men().map(|man| frame.man(man)));
    let values = &game.values[frame.color(wanted.turn).index()];
    let source = planes(values, wanted);
    let mut out = vec![vec![Tile::EMPTY; axes.len()]; source.len()];
    let symmetry = frame.symmetry();
    for number in 0..axes.len() {
        let Some(squares) = stored_squares(&axes, number, wanted, &places, symmetry) else {
            continue;
        };
        let tile = game.board.axes().encode(&squares[..places.len()]);
        for (out, source) in out.iter_mut().zip(&source) {
            let moved = source[tile].transform(symmetry, true, true);
            out[number] = if frame.swapped { backend.transpose(&moved) } else { moved };
        }
    }
    View::Own { axes, values: graded(out, values, wanted) }
}

/// The stored men's squares for a number of the view; `None` if men overlap.
fn stored_squares(
    axes: &OuterAxes,
    number: usize,
    wanted: &Wanted,
    places: &[usize],
    symmetry: Symmetry,
) -> Option<[Square; MAX_OUTER]> {
    let mut free = [Square::new(0); MAX_OUTER];
    axes.decode(number, &mut free);
    let fixed = wanted.fixed.map(|(_, square)| square);
    let mut taken = Bitboard::EMPTY;
    let mut out = [Square::new(0); MAX_OUTER];
    let squares = fixed.into_iter().chain(free.into_iter().take(wanted.men.len()));
    for (square, &place) in squares.zip(places) {
        if taken.contains(square) {
            return None;
        }
        taken.insert(square);
        out[place] = symmetry.square(square);
    }
    Some(out)
}
