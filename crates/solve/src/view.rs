//! The values a move leads to, laid out for the board the move starts from.
//!
//! On a board with pawns the kings span the tile. What a move leads to may be
//! stored mirrored, with colours exchanged, with its men in another order, or,
//! without pawns, with the kings outermost. A [`View`] is a copy in the frame
//! of the board that reads it. A promoted pawn is a man on a fixed square, so
//! that only a slice of its table is copied.

use std::sync::Arc;

use molien_board::{Bitboard, Color, Man, Square, Symmetry};
use molien_hyper::{Hyperboard, KingAxis, MAX_OUTER, OuterAxes, Tile, king_pair};
use molien_operators::{Graded, SubGame, SubView, transpose};

/// Values in the frame of the board that reads them.
pub(crate) enum View {
    /// A copy.
    Own { axes: OuterAxes, values: Graded },
    /// The stored values themselves, where they are in that frame already.
    Shared { game: Arc<SubGame>, turn: Color },
    /// A copy that other boards read too.
    Common(Arc<View>),
}

impl View {
    pub fn sub(&self) -> SubView<'_> {
        match self {
            View::Own { axes, values } => SubView { axes, values },
            View::Shared { game, turn } => game.view(*turn),
            View::Common(view) => view.sub(),
        }
    }
}

/// What is wanted.
pub(crate) struct Wanted<'a> {
    /// The men that are outer coordinates of the reader.
    pub men: &'a [Man],
    /// A man on a fixed square: the promoted pawn.
    pub fixed: Option<(Man, Square)>,
    /// The side to move.
    pub turn: Color,
    /// Whether depths are read at all.
    pub depths: bool,
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
    fn symmetry(self) -> Symmetry {
        let both = Symmetry::ALL[Symmetry::MIRROR.index() | Symmetry::FLIP.index()];
        match (self.mirrored, self.swapped) {
            (false, false) => Symmetry::IDENTITY,
            (true, false) => Symmetry::MIRROR,
            (false, true) => Symmetry::FLIP,
            (true, true) => both,
        }
    }

    fn man(self, man: Man) -> Man {
        if self.swapped { Man::new(!man.color, man.role) } else { man }
    }

    fn color(self, color: Color) -> Color {
        if self.swapped { !color } else { color }
    }
}

/// For the fixed man, then each wanted man: its place in the stored order.
fn places(stored: &[Man], wanted: impl Iterator<Item = Man>) -> Vec<usize> {
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

/// The planes of one side to move that are read.
fn planes(values: &Graded, depths: bool) -> Vec<&Vec<Tile>> {
    let depth = values.depth.iter().filter(|_| depths);
    let stalemate = (!values.stalemate.is_empty()).then_some(&values.stalemate);
    let outcomes = [&values.legal, &values.won, &values.lost];
    outcomes.into_iter().chain(depth).chain(stalemate).collect()
}

/// The inverse of [`planes`]: `like` says which planes there are.
fn graded(mut planes: impl Iterator<Item = Vec<Tile>>, like: &Graded, depths: bool) -> Graded {
    let mut next = || planes.next().unwrap_or_default();
    let (legal, won, lost) = (next(), next(), next());
    let depth = like.depth.iter().filter(|_| depths).map(|_| next()).collect();
    Graded { legal, won, lost, depth, stalemate: next() }
}

/// A view of a stored hyperboard with pawns.
pub(crate) fn of_pawn_board(game: &Arc<SubGame>, frame: Frame, wanted: &Wanted<'_>) -> View {
    let plain = frame == Frame { swapped: false, mirrored: false };
    if plain && wanted.fixed.is_none() {
        return View::Shared { game: game.clone(), turn: wanted.turn };
    }
    let axes = OuterAxes::new(wanted.men);
    let all_men = wanted.fixed.map(|(man, _)| man).into_iter().chain(wanted.men.iter().copied());
    let places = places(game.board.outer(), all_men.map(|man| frame.man(man)));
    let values = &game.values[frame.color(wanted.turn).index()];
    let source = planes(values, wanted.depths);
    let mut out = vec![vec![Tile::EMPTY; axes.len()]; source.len()];
    let symmetry = frame.symmetry();
    for number in 0..axes.len() {
        let Some(squares) = stored_squares(&axes, number, wanted, &places, symmetry) else {
            continue;
        };
        let tile = game.board.axes().encode(&squares[..places.len()]);
        for (out, source) in out.iter_mut().zip(&source) {
            let moved = source[tile].transform(symmetry, true, true);
            out[number] = if frame.swapped { transpose(&moved) } else { moved };
        }
    }
    View::Own { axes, values: graded(out.into_iter(), values, wanted.depths) }
}

/// The stored men's squares for a number of the view; `None` if men overlap.
fn stored_squares(
    axes: &OuterAxes,
    number: usize,
    wanted: &Wanted<'_>,
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

/// A view of a stored board without pawns, in the reader's orientation.
pub(crate) fn of_piece_board(game: &SubGame, wanted: &Wanted<'_>) -> View {
    debug_assert_eq!(game.board.king_axis(), KingAxis::Pairs);
    let axes = OuterAxes::new(wanted.men);
    let all_men = wanted.fixed.map(|(man, _)| man).into_iter().chain(wanted.men.iter().copied());
    let places = places(&game.board.pieces_in_order(), all_men);
    let values = &game.values[wanted.turn.index()];
    let source = planes(values, wanted.depths);
    let last = places.len().wrapping_sub(1);
    let fixed_is_last = wanted.fixed.is_some() && places[0] == last;
    let lines = Lines { game, wanted, axes: &axes, places: &places, transposed: fixed_is_last };
    let out = if wanted.men.is_empty() {
        copy_single_tile(game, wanted, &source)
    } else {
        lines.copy(&source)
    };
    View::Own { axes, values: graded(out.into_iter(), values, wanted.depths) }
}

/// All men fixed: one tile, king pair by king pair.
fn copy_single_tile(game: &SubGame, wanted: &Wanted<'_>, source: &[&Vec<Tile>]) -> Vec<Vec<Tile>> {
    let mut out = vec![vec![Tile::EMPTY; 1]; source.len()];
    for white in Square::all() {
        for black in Square::all() {
            let Some(pair) = king_pair(white, black) else { continue };
            let squares: Vec<Square> =
                wanted.fixed.iter().map(|(_, square)| pair.symmetry.square(*square)).collect();
            let index = game.board.index_of(pair.class, &squares);
            for (out, source) in out.iter_mut().zip(source) {
                if source[index.tile].contains(index.row, index.column) {
                    out[0].insert(white, black);
                }
            }
        }
    }
    out
}

/// Copies a board without pawns line by line: with all men fixed but one (the
/// line man, who spans the stored words) and the white king fixed, the 64
/// words of the black king's squares form a 64 x 64 matrix; transposed, it
/// holds a row of each of 64 tiles of the view.
struct Lines<'a> {
    game: &'a SubGame,
    wanted: &'a Wanted<'a>,
    axes: &'a OuterAxes,
    /// Places in the stored order: the fixed man's, if any, then the others'.
    places: &'a [usize],
    /// The line man is the stored row man, not the column man: the stored
    /// tiles are read transposed.
    transposed: bool,
}

/// Where a stored word lies, and how to bring it back to the reader's frame.
#[derive(Clone, Copy)]
struct WordAddress {
    tile: usize,
    row: Square,
    back: Symmetry,
}

impl Lines<'_> {
    fn board(&self) -> &Hyperboard {
        &self.game.board
    }

    /// The place of the line man in the stored order.
    fn line_place(&self) -> usize {
        self.places.len() - 1 - usize::from(self.transposed)
    }

    /// The line man among the wanted men.
    fn line_man(&self) -> usize {
        let offset = usize::from(self.wanted.fixed.is_some());
        let place = self.line_place();
        self.places[offset..].iter().position(|&p| p == place).unwrap_or(0)
    }

    fn copy(&self, source: &[&Vec<Tile>]) -> Vec<Vec<Tile>> {
        let transposed: Vec<Vec<Tile>>;
        let source: Vec<&Vec<Tile>> = if self.transposed {
            let flip = |plane: &&Vec<Tile>| plane.iter().map(transpose).collect();
            transposed = source.iter().map(flip).collect();
            transposed.iter().collect()
        } else {
            source.to_vec()
        };
        let mut out = vec![vec![Tile::EMPTY; self.axes.len()]; source.len()];
        let others = self.wanted.men.len() - 1;
        let line_man = self.line_man();
        for number in 0..1usize << (6 * others) {
            let mut squares = [Square::new(0); MAX_OUTER];
            let others = (0..=others).filter(|&i| i != line_man);
            for (digit, i) in others.enumerate() {
                squares[i] = Square::new(number >> (6 * digit));
            }
            self.copy_line(&source, &squares, line_man, &mut out);
        }
        out
    }

    /// Copies all squares of the line man and of both kings.
    fn copy_line(
        &self,
        source: &[&Vec<Tile>],
        squares: &[Square; MAX_OUTER],
        line_man: usize,
        out: &mut [Vec<Tile>],
    ) {
        let men = self.wanted.men.len();
        let mut taken: Bitboard = self.wanted.fixed.iter().map(|(_, square)| *square).collect();
        for i in (0..men).filter(|&i| i != line_man) {
            if taken.contains(squares[i]) {
                return;
            }
            taken.insert(squares[i]);
        }
        let targets: [Option<usize>; 64] = std::array::from_fn(|y| {
            let mut squares = *squares;
            squares[line_man] = Square::new(y);
            (!taken.contains(Square::new(y))).then(|| self.axes.encode(&squares[..men]))
        });
        for white in Square::all().filter(|&square| !taken.contains(square)) {
            let addresses = self.addresses(white, squares, line_man);
            for (out, source) in out.iter_mut().zip(source) {
                let words = Tile::from_rows(|black| match addresses[black.index()] {
                    None => 0,
                    Some(WordAddress { tile, row, back }) => {
                        let word = source[tile].row(row);
                        if word == 0 { 0 } else { back.bitboard(Bitboard(word)).0 }
                    }
                });
                if words.is_empty() {
                    continue;
                }
                let rows = transpose(&words);
                for (y, target) in targets.iter().enumerate() {
                    if let Some(target) = target {
                        *out[*target].row_mut(white) = rows.row(Square::new(y));
                    }
                }
            }
        }
    }

    /// For each square of the black king, the word over the line man.
    fn addresses(
        &self,
        white: Square,
        squares: &[Square; MAX_OUTER],
        line_man: usize,
    ) -> [Option<WordAddress>; 64] {
        let fixed = self.wanted.fixed.map(|(_, square)| square);
        std::array::from_fn(|black| {
            let pair = king_pair(white, Square::new(black))?;
            let mut stored = [Square::new(0); MAX_OUTER + 2];
            let offset = usize::from(fixed.is_some());
            if let Some(square) = fixed {
                stored[self.places[0]] = pair.symmetry.square(square);
            }
            for i in (0..self.wanted.men.len()).filter(|&i| i != line_man) {
                stored[self.places[offset + i]] = pair.symmetry.square(squares[i]);
            }
            let outer = self.board().outer().len();
            let tile = self.board().tile_at(pair.class, &stored[..outer]);
            let row = match (self.board().row(), self.transposed) {
                (None, _) => Square::new(0),
                (Some(_), false) => stored[outer],
                (Some(_), true) => stored[outer + 1],
            };
            Some(WordAddress { tile, row, back: pair.symmetry.inverse() })
        })
    }
}
