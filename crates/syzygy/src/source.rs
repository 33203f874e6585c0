//! Values in the order of hyperboards, found by the squares of the men.

use molien_board::{Bitboard, Color, Man, Role, Square, Symmetry};
use molien_hyper::{Hyperboard, KingAxis, MAX_OUTER, king_pair};
use molien_values::Placement;

use crate::order::{Lanes, Order};

/// Positions of a tile.
const TILE: usize = 4096;

/// Where the hyperboards of a sub-table begin, and which men span them.
pub(crate) struct Layout {
    /// One board without pawns, or one for each placement of the pawns.
    boards: Vec<Hyperboard>,
    /// Positions of a board.
    board_len: usize,
}

/// Addresses of positions that an [`Order`] numbers.
pub(crate) struct Addresses {
    frame: Orientation,
    axes: Vec<Axis>,
}

/// Which board the position is on and how it is turned to get there.
#[derive(Clone, Copy)]
struct Turned {
    base: usize,
    symmetry: usize,
}

/// What decides the board and the symmetry.
enum Orientation {
    /// The kings: their places in the list of men; by their squares.
    Kings { kings: [usize; 2], turned: Vec<Turned> },
    /// The pawns: their places in the list of men; by their squares.
    Pawns { pawns: Vec<usize>, turned: Vec<Turned> },
}

/// Men that the board numbers together, and what their squares add to the
/// address.
struct Axis {
    men: Vec<usize>,
    /// By symmetry, then the squares.
    adds: Vec<usize>,
}

/// Symmetries, and one for positions that are on no board.
const SYMMETRIES: usize = 9;
const NOWHERE: usize = 8;

impl Layout {
    /// The layout of these boards, all of one material.
    pub fn new(boards: Vec<Hyperboard>) -> Layout {
        let board_len = boards.first().map_or(0, |board| board.tiles() * TILE);
        Layout { boards, board_len }
    }

    /// Positions of all boards.
    pub fn len(&self) -> usize {
        self.boards.len() * self.board_len
    }

    /// Positions of one board.
    pub fn board_len(&self) -> usize {
        self.board_len
    }

    /// How the placements of an order are found.
    pub fn addresses(&self, order: &Order) -> Addresses {
        let board = &self.boards[0];
        let mut left: Vec<Option<Man>> = order.men().iter().copied().map(Some).collect();
        let mut take = |man: Man| {
            let place = left.iter().position(|&other| other == Some(man)).unwrap_or(0);
            left[place] = None;
            place
        };
        let kings = Color::BOTH.map(|color| take(Man::new(color, Role::King)));
        let single = |man: usize, stride: usize| Axis::new(vec![man], |s| s[0].index() * stride);
        let mut axes = Vec::new();
        let outer: Vec<usize> = board.outer().iter().map(|&man| take(man)).collect();
        let mut first = 0;
        for len in board.axes().group_lens() {
            axes.push(outer_axis(board, first, &outer[first..first + len]));
            first += len;
        }
        let frame = match board.king_axis() {
            KingAxis::Pairs => {
                axes.extend(board.row().map(|man| single(take(man), 64)));
                axes.extend(board.column().map(|man| single(take(man), 1)));
                self.king_frame(kings)
            }
            KingAxis::Tile => {
                axes.push(single(kings[0], 64));
                axes.push(single(kings[1], 1));
                let pawns = Color::BOTH.map(|color| Man::new(color, Role::Pawn));
                let count = |man: Man| board.pawns(man.color).len();
                let men: Vec<Man> =
                    pawns.iter().flat_map(|&man| std::iter::repeat_n(man, count(man))).collect();
                let places = men.iter().map(|&man| take(man)).collect();
                self.pawn_frame(&men, places)
            }
        };
        Addresses { frame, axes }
    }

    fn nowhere(&self) -> Turned {
        Turned { base: self.len(), symmetry: NOWHERE }
    }

    fn king_frame(&self, kings: [usize; 2]) -> Orientation {
        let class_len = self.boards[0].axes().len() * TILE;
        let squares = || Square::all();
        let turned = squares()
            .flat_map(|white| squares().map(move |black| king_pair(white, black)))
            .map(|pair| match pair {
                Some(pair) => {
                    Turned { base: pair.class * class_len, symmetry: pair.symmetry.index() }
                }
                None => self.nowhere(),
            })
            .collect();
        Orientation::Kings { kings, turned }
    }

    fn pawn_frame(&self, men: &[Man], pawns: Vec<usize>) -> Orientation {
        let mut turned = vec![self.nowhere(); 1 << (6 * men.len())];
        for (number, board) in self.boards.iter().enumerate() {
            let own = Placement::new(Color::BOTH.map(|color| board.pawns(color)));
            let base = number * self.board_len;
            for (placement, symmetry) in
                [(own.mirror(), Symmetry::MIRROR), (own, Symmetry::IDENTITY)]
            {
                let at = Turned { base, symmetry: symmetry.index() };
                for_each_labelling(men, placement, &mut |address| turned[address] = at);
            }
        }
        Orientation::Pawns { pawns, turned }
    }
}

/// Every way to put the pawns, told apart, on the squares of a placement.
fn for_each_labelling(men: &[Man], placement: Placement, f: &mut impl FnMut(usize)) {
    fn go(men: &[Man], left: [Bitboard; 2], address: usize, f: &mut impl FnMut(usize)) {
        let Some((man, rest)) = men.split_first() else { return f(address) };
        for square in left[man.color.index()] {
            let mut left = left;
            left[man.color.index()].remove(square);
            go(rest, left, address << 6 | square.index(), f);
        }
    }
    go(men, placement.bitboards(), 0, f);
}

/// The axis of like men among the outer ones.
fn outer_axis(board: &Hyperboard, first: usize, places: &[usize]) -> Axis {
    let (count, len) = (board.outer().len(), places.len());
    Axis::new(places.to_vec(), |squares| {
        // Groups add up, and those with all men on a1 add nothing.
        let mut all = [Square::new(0); MAX_OUTER];
        all[first..first + len].copy_from_slice(squares);
        board.axes().encode(&all[..count]) * TILE
    })
}

impl Axis {
    fn new(men: Vec<usize>, add: impl Fn(&[Square]) -> usize) -> Axis {
        let per_symmetry = 1usize << (6 * men.len());
        let mut adds = vec![0; SYMMETRIES * per_symmetry];
        for symmetry in Symmetry::ALL {
            for number in 0..per_symmetry {
                let mut squares = [Square::new(0); MAX_OUTER];
                for (i, square) in squares[..men.len()].iter_mut().enumerate() {
                    let shift = 6 * (men.len() - 1 - i);
                    *square = symmetry.square(Square::new(number >> shift & 63));
                }
                adds[symmetry.index() * per_symmetry + number] = add(&squares[..men.len()]);
            }
        }
        Axis { men, adds }
    }
}

impl Addresses {
    /// The addresses of the placements; [`Layout::len`] for what is on no
    /// board.
    pub fn find(&self, lanes: &Lanes, out: &mut [usize; 64]) {
        let mut symmetries = [0usize; 64];
        match &self.frame {
            Orientation::Kings { kings, turned } => {
                let (white, black) = (&lanes.squares[kings[0]], &lanes.squares[kings[1]]);
                for lane in 0..lanes.len {
                    let pair = usize::from(white[lane]) << 6 | usize::from(black[lane]);
                    let at = turned[pair & 0xfff];
                    (out[lane], symmetries[lane]) = (at.base, at.symmetry);
                }
            }
            Orientation::Pawns { pawns, turned } => {
                for lane in 0..lanes.len {
                    let squares = pawns.iter().map(|&man| usize::from(lanes.squares[man][lane]));
                    let at = turned[squares.fold(0, |address, square| address << 6 | square)];
                    (out[lane], symmetries[lane]) = (at.base, at.symmetry);
                }
            }
        }
        for axis in &self.axes {
            axis.add(lanes, &symmetries, out);
        }
    }
}

impl Axis {
    fn add(&self, lanes: &Lanes, symmetries: &[usize; 64], out: &mut [usize; 64]) {
        if let [man] = self.men[..] {
            let squares = &lanes.squares[man];
            for lane in 0..lanes.len {
                out[lane] += self.adds[symmetries[lane] << 6 | usize::from(squares[lane])];
            }
            return;
        }
        for lane in 0..lanes.len {
            let squares = self.men.iter().map(|&man| usize::from(lanes.squares[man][lane]));
            out[lane] += self.adds[squares.fold(symmetries[lane], |at, square| at << 6 | square)];
        }
    }
}
