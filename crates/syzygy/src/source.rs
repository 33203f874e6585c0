//! Values in the order of hyperboards, found by the squares of the men.

use molien_board::{Bitboard, Color, Man, Role, Square, Symmetry};
use molien_hyper::{Hyperboard, KingAxis, MAX_OUTER, king_pair};
use molien_values::Placement;

use crate::order::{MAX_MEN, Order, Row};

/// Places of a tile and, beyond those of its tiles, of a class of king pairs or a
/// board. Some stay empty: if all lengths were powers of two, the squares of an outer man
/// or a king would compete for the same places of a cache.
pub(crate) const TILE: usize = POSITIONS + 68;
const CLASS_PAD: usize = 64;
/// Positions of a tile.
pub(crate) const POSITIONS: usize = 4096;

/// Where the hyperboards of a sub-table begin, and which men span them.
pub(crate) struct Layout {
    /// One board without pawns, or one for each placement of the pawns.
    boards: Vec<Hyperboard>,
    /// Places of a class of king pairs; of a board, if there are pawns.
    class_len: usize,
    /// Places of a board.
    board_len: usize,
}

/// Addresses of positions that an [`Order`] numbers.
pub(crate) struct Addresses {
    frame: Orientation,
    axes: Vec<Axis>,
    /// By man in the list: the axis that he is on; none if he is of the frame.
    axis_of: [Option<usize>; MAX_MEN],
}

/// Which board the position is on and how it is turned to get there.
#[derive(Clone, Copy)]
struct Turned {
    base: usize,
    symmetry: usize,
}

/// The men that decide the board and the symmetry, kings or pawns: their places in
/// the list of men.
struct Orientation {
    men: Vec<usize>,
    /// By their squares.
    turned: Vec<Turned>,
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
        let (classes, class_len) = boards.first().map_or((0, 0), |board| {
            let tiles = board.axes().len();
            (board.tiles() / tiles, tiles * TILE + CLASS_PAD)
        });
        Layout { boards, class_len, board_len: classes * class_len }
    }

    /// The man whose squares are neighbours in memory.
    pub fn column(&self) -> Option<Man> {
        let board = self.boards.first()?;
        match board.king_axis() {
            KingAxis::Pairs => board.column(),
            KingAxis::Tile => Some(Man::new(Color::Black, Role::King)),
        }
    }

    /// Places of all boards.
    pub fn len(&self) -> usize {
        self.boards.len() * self.board_len
    }

    /// Places of a class of king pairs; of a board, if there are pawns.
    pub fn class_len(&self) -> usize {
        self.class_len
    }

    /// Places of one board.
    pub fn board_len(&self) -> usize {
        self.board_len
    }

    /// How the placements of an order are found.
    pub fn addresses(&self, order: &Order) -> Addresses {
        let board = &self.boards[0];
        let mut left: Vec<Option<Man>> = order.men().iter().copied().map(Some).collect();
        // Of like men the first, who moves fastest, is left for the column.
        let mut take = |man: Man| {
            let place = left.iter().rposition(|&other| other == Some(man)).unwrap_or(0);
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
        let axis_of = |man: usize| axes.iter().position(|axis: &Axis| axis.men.contains(&man));
        Addresses { axis_of: std::array::from_fn(axis_of), frame, axes }
    }

    fn nowhere(&self) -> Turned {
        Turned { base: self.len(), symmetry: NOWHERE }
    }

    fn king_frame(&self, kings: [usize; 2]) -> Orientation {
        let squares = || Square::all();
        let turned = squares()
            .flat_map(|white| squares().map(move |black| king_pair(white, black)))
            .map(|pair| match pair {
                Some(pair) => {
                    Turned { base: pair.class * self.class_len, symmetry: pair.symmetry.index() }
                }
                None => self.nowhere(),
            })
            .collect();
        Orientation { men: kings.to_vec(), turned }
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
        Orientation { men: pawns, turned }
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

/// The squares of some men as a number.
#[inline]
fn number(men: &[usize], squares: &[u8; MAX_MEN]) -> usize {
    men.iter().fold(0, |number, &man| number << 6 | usize::from(squares[man]))
}

/// The same without one of them, and how far his square is to be shifted there.
#[inline]
fn number_without(men: &[usize], man: usize, squares: &[u8; MAX_MEN]) -> (usize, usize) {
    let mut others = *squares;
    others[man] = 0;
    let place = men.iter().position(|&other| other == man).unwrap_or(0);
    (number(men, &others), 6 * (men.len() - 1 - place))
}

impl Addresses {
    /// The addresses of the placements; [`Layout::len`] for what is on no
    /// board.
    #[inline]
    pub fn find(&self, row: &Row, out: &mut [usize; 64]) {
        row.for_each_part(|squares, lanes| {
            let (moving, out) = (&row.moving[lanes.clone()], &mut out[lanes]);
            match self.axis_of[row.mover] {
                Some(axis) => self.find_on_axis(axis, row.mover, squares, moving, out),
                None => self.find_in_frame(row.mover, squares, moving, out),
            }
        });
    }

    /// The mover is on an axis: the board and the symmetry stay.
    #[inline]
    fn find_on_axis(
        &self,
        axis: usize,
        mover: usize,
        squares: &[u8; MAX_MEN],
        moving: &[u8],
        out: &mut [usize],
    ) {
        let at = self.frame.turned[number(&self.frame.men, squares)];
        let mut base = at.base;
        for (_, other) in self.axes.iter().enumerate().filter(|&(other, _)| other != axis) {
            base += other.of(at.symmetry)[number(&other.men, squares)];
        }
        let axis = &self.axes[axis];
        let (rest, shift) = number_without(&axis.men, mover, squares);
        let adds = axis.of(at.symmetry);
        for (out, &square) in out.iter_mut().zip(moving) {
            *out = base + adds[rest | usize::from(square) << shift];
        }
    }

    /// The mover is a man of the frame: what the others add depends on the symmetry.
    #[inline]
    fn find_in_frame(
        &self,
        mover: usize,
        squares: &[u8; MAX_MEN],
        moving: &[u8],
        out: &mut [usize],
    ) {
        let mut sums = [0; SYMMETRIES];
        for axis in &self.axes {
            let number = number(&axis.men, squares);
            for (symmetry, sum) in sums.iter_mut().enumerate() {
                *sum += axis.of(symmetry)[number];
            }
        }
        let (rest, shift) = number_without(&self.frame.men, mover, squares);
        for (out, &square) in out.iter_mut().zip(moving) {
            let at = self.frame.turned[rest | usize::from(square) << shift];
            *out = at.base + sums[at.symmetry];
        }
    }
}

impl Axis {
    /// What the squares add under a symmetry.
    #[inline]
    fn of(&self, symmetry: usize) -> &[usize] {
        let len = self.adds.len() / SYMMETRIES;
        &self.adds[symmetry * len..][..len]
    }
}
