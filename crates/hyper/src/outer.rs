//! Mixed-radix numbering of the outer men; like men as unordered groups.

use molien_board::{Man, Square};

use crate::board::MAX_OUTER;

/// One coordinate: a single man, or like men as an unordered group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Axis {
    first: usize,
    len: usize,
    stride: usize,
}

/// Numbers the placements of the outer men from 0.
///
/// Neighbouring like men form one axis: k of them take `C(64, k)` numbers
/// instead of `64^k`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OuterAxes {
    axes: Vec<Axis>,
    /// The axis of each man.
    axis_of: Vec<usize>,
    len: usize,
}

/// Number of ways to choose k of n.
const fn binomial(n: usize, k: usize) -> usize {
    let mut value = 1;
    let mut i = 0;
    while i < k {
        if n < i + 1 {
            return 0;
        }
        value = value * (n - i) / (i + 1);
        i += 1;
    }
    value
}

/// The two squares of each pair's number, in rising order.
static PAIRS: [[Square; 2]; binomial(64, 2)] = {
    let mut pairs = [[Square::new(0); 2]; binomial(64, 2)];
    let (mut number, mut high) = (0, 1);
    while high < 64 {
        let mut low = 0;
        while low < high {
            pairs[number] = [Square::new(low), Square::new(high)];
            (number, low) = (number + 1, low + 1);
        }
        high += 1;
    }
    pairs
};

/// Combinatorial number of a set of distinct squares given in rising order.
/// Squares that coincide (men on top of each other) have no number of their
/// own; they give some number in range or out of it and must not be used.
#[inline]
fn rank_group(sorted: &[Square]) -> usize {
    match *sorted {
        [a] => a.index(),
        [a, b] => b.index() * b.index().wrapping_sub(1) / 2 + a.index(),
        _ => sorted.iter().enumerate().map(|(i, s)| binomial(s.index(), i + 1)).sum(),
    }
}

impl OuterAxes {
    /// Axes for these men, in this order.
    pub fn new(men: &[Man]) -> OuterAxes {
        let mut axes: Vec<Axis> = Vec::new();
        let mut axis_of = Vec::new();
        for (i, man) in men.iter().enumerate() {
            match axes.last_mut() {
                Some(axis) if i > 0 && men[i - 1] == *man => axis.len += 1,
                _ => axes.push(Axis { first: i, len: 1, stride: 0 }),
            }
            axis_of.push(axes.len() - 1);
        }
        let mut len = 1;
        for axis in axes.iter_mut().rev() {
            axis.stride = len;
            len *= binomial(64, axis.len);
        }
        OuterAxes { axes, axis_of, len }
    }

    /// How many numbers there are.
    #[allow(clippy::len_without_is_empty)] // at least one number, for no men
    pub fn len(&self) -> usize {
        self.len
    }

    /// Sizes of the groups of like men.
    pub fn group_lens(&self) -> impl Iterator<Item = usize> + '_ {
        self.axes.iter().map(|axis| axis.len)
    }

    /// The number of a placement. Like men may come in any order.
    #[inline]
    pub fn encode(&self, squares: &[Square]) -> usize {
        let group = |axis: &Axis| self.rank(axis, &squares[axis.first..axis.first + axis.len]);
        self.axes.iter().map(group).sum()
    }

    #[inline]
    fn rank(&self, axis: &Axis, group: &[Square]) -> usize {
        let number = match *group {
            [a] => a.index(),
            [a, b] if a < b => rank_group(&[a, b]),
            [a, b] => rank_group(&[b, a]),
            _ => {
                let mut sorted = [Square::new(0); MAX_OUTER];
                let sorted = &mut sorted[..group.len()];
                sorted.copy_from_slice(group);
                sorted.sort_unstable();
                rank_group(sorted)
            }
        };
        number * axis.stride
    }

    /// The squares of a number; like men in rising order.
    pub fn decode(&self, number: usize, squares: &mut [Square]) {
        let mut rest = number;
        for axis in &self.axes {
            let mut group = rest / axis.stride;
            rest -= group * axis.stride;
            // Single men and pairs are by far the most frequent.
            if axis.len == 1 {
                squares[axis.first] = Square::new(group);
                continue;
            }
            if axis.len == 2 {
                let [a, b] = PAIRS[group];
                (squares[axis.first], squares[axis.first + 1]) = (a, b);
                continue;
            }
            for k in (1..=axis.len).rev() {
                let mut square = if k == 1 { group } else { k - 1 };
                while k > 1 && binomial(square + 1, k) <= group {
                    square += 1;
                }
                group -= binomial(square, k);
                squares[axis.first + k - 1] = Square::new(square);
            }
        }
    }

    /// Numbers after one man has moved, the others standing still.
    #[inline(always)]
    pub fn walk<'a>(&'a self, number: usize, squares: &'a [Square], man: usize) -> Walk<'a> {
        let axis = &self.axes[self.axis_of[man]];
        let group = &squares[axis.first..axis.first + axis.len];
        let others = match *group {
            [_] => Others::None,
            [a, b] => Others::One(if man == axis.first { b } else { a }),
            _ => Others::More { group, man: man - axis.first },
        };
        Walk { base: number - self.rank(axis, group), stride: axis.stride, others }
    }
}

/// Where the moves of one man lead: see [`OuterAxes::walk`].
#[derive(Clone, Copy, Debug)]
pub struct Walk<'a> {
    /// The number without the share of the man's axis.
    base: usize,
    stride: usize,
    others: Others<'a>,
}

/// The like men on the same axis.
#[derive(Clone, Copy, Debug)]
enum Others<'a> {
    None,
    One(Square),
    More { group: &'a [Square], man: usize },
}

impl Walk<'_> {
    /// The number with the man on an empty square.
    #[inline(always)]
    pub fn to(&self, square: Square) -> usize {
        let group = match self.others {
            Others::None => square.index(),
            Others::One(other) if other < square => rank_group(&[other, square]),
            Others::One(other) => rank_group(&[square, other]),
            Others::More { group, man } => rank_moved(group, man, square),
        };
        self.base + group * self.stride
    }
}

/// The group's number after one of its men has moved.
#[inline(never)]
fn rank_moved(group: &[Square], man: usize, to: Square) -> usize {
    let mut moved = group.to_vec();
    moved[man] = to;
    moved.sort_unstable();
    rank_group(&moved)
}

#[cfg(test)]
mod tests {
    use super::*;
    use molien_board::{Color, Role};

    fn check(men: &[Man]) {
        let axes = OuterAxes::new(men);
        let mut squares = vec![Square::new(0); men.len()];
        for number in 0..axes.len() {
            axes.decode(number, &mut squares);
            assert_eq!(axes.encode(&squares), number);
            for man in 0..men.len() {
                let to = Square::new(number * 7 + 11);
                let mut after = squares.clone();
                after[man] = to;
                let distinct = (0..men.len()).all(|i| i == man || after[i] != to);
                if distinct {
                    assert_eq!(axes.walk(number, &squares, man).to(to), axes.encode(&after));
                }
            }
        }
    }

    #[test]
    fn numbers_round_trip() {
        let rook = Man::new(Color::White, Role::Rook);
        let knight = Man::new(Color::Black, Role::Knight);
        check(&[]);
        check(&[rook]);
        check(&[rook, rook]);
        check(&[rook, knight]);
        check(&[knight, knight, rook]);
        check(&[rook, rook, rook]);
        assert_eq!(OuterAxes::new(&[rook, rook]).len(), 2016);
    }
}
