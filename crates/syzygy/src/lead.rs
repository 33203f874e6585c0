//! The numbering of the leading men: those that the symmetries of the board
//! are used up on.
//!
//! A [`LeadList`] holds all placements of the leading men in the order of the
//! format. Between two neighbours in the list only one man, the *mover*,
//! changes, but for the places where a new *row* begins.

use std::sync::LazyLock;

/// The most leading men (pawns of one colour in a table of seven).
pub(crate) const MAX_LEAD: usize = 5;

/// All placements of the leading men, in order.
#[derive(Clone, Debug)]
pub(crate) struct LeadList {
    /// The squares of each placement.
    pub squares: Vec<[u8; MAX_LEAD]>,
    /// Where rows begin, and at the end the length of the list.
    pub rows: Vec<u32>,
    /// Which of the men moves within a row.
    pub mover: usize,
}

/// Squares of the triangle a1-d1-d4 in the order of the format: those off the
/// diagonal, then those on it.
const TRIANGLE: [u8; 10] = [1, 2, 3, 10, 11, 19, 0, 9, 18, 27];
/// How many of them are off the diagonal.
const OFF_DIAGONAL: usize = 6;

fn file(square: u8) -> u8 {
    square & 7
}

fn rank(square: u8) -> u8 {
    square >> 3
}

fn on_diagonal(square: u8) -> bool {
    file(square) == rank(square)
}

/// The squares below the diagonal a1-h8, rank by rank.
fn below_diagonal() -> impl Iterator<Item = u8> {
    // The format numbers them by the smaller of file and rank first.
    (0..8u8).flat_map(|rank| (rank + 1..8).map(move |file| rank * 8 + file))
}

fn diagonal() -> impl Iterator<Item = u8> {
    (0..8u8).map(|i| i * 9)
}

impl LeadList {
    fn new(mover: usize) -> LeadList {
        LeadList { squares: Vec::new(), rows: vec![0], mover }
    }

    fn push_row<const N: usize>(&mut self, row: impl Iterator<Item = [u8; N]>) {
        for men in row {
            let mut squares = [0; MAX_LEAD];
            squares[..N].copy_from_slice(&men);
            self.squares.push(squares);
        }
        let end = self.squares.len() as u32;
        if self.rows.last() != Some(&end) {
            self.rows.push(end);
        }
    }

    /// How many placements there are.
    pub fn len(&self) -> usize {
        self.squares.len()
    }

    /// Three different men, the first in the triangle a1-d1-d4; as long as all
    /// so far are on the diagonal, the next is not above it.
    pub fn triple() -> &'static LeadList {
        static LIST: LazyLock<LeadList> = LazyLock::new(|| {
            let mut list = LeadList::new(2);
            let all = |a: u8, b: u8| (0..64).filter(move |&c| c != a && c != b);
            for &a in &TRIANGLE[..OFF_DIAGONAL] {
                for b in (0..64).filter(|&b| b != a) {
                    list.push_row(all(a, b).map(|c| [a, b, c]));
                }
            }
            for &a in &TRIANGLE[OFF_DIAGONAL..] {
                for b in below_diagonal() {
                    list.push_row(all(a, b).map(|c| [a, b, c]));
                }
            }
            for &a in &TRIANGLE[OFF_DIAGONAL..] {
                for b in diagonal().filter(|&b| b != a) {
                    list.push_row(below_diagonal().map(|c| [a, b, c]));
                }
            }
            for &a in &TRIANGLE[OFF_DIAGONAL..] {
                for b in diagonal().filter(|&b| b != a) {
                    list.push_row(diagonal().filter(|&c| c != a && c != b).map(|c| [a, b, c]));
                }
            }
            list
        });
        &LIST
    }

    /// The two kings, apart from each other, where no three men are unlike.
    pub fn kings() -> &'static LeadList {
        static LIST: LazyLock<LeadList> = LazyLock::new(|| {
            let mut list = LeadList::new(1);
            let apart = |a: u8, b: u8| file(a).abs_diff(file(b)).max(rank(a).abs_diff(rank(b))) > 1;
            let both = |a: u8, b: u8| on_diagonal(a) && on_diagonal(b);
            let fits = |a: u8, b: u8| !on_diagonal(a) || rank(b) < file(b);
            for &a in &TRIANGLE {
                list.push_row(
                    (0..64).filter(|&b| apart(a, b) && !both(a, b) && fits(a, b)).map(|b| [a, b]),
                );
            }
            for &a in &TRIANGLE[OFF_DIAGONAL..] {
                list.push_row(diagonal().filter(|&b| apart(a, b)).map(|b| [a, b]));
            }
            list
        });
        &LIST
    }

    /// So many pawns of one colour, the first of which stands on a file, 0 to
    /// 3: no other pawn is nearer to the edge of the board or, as near, further
    /// back or further left.
    pub fn pawns(count: usize, file: u8) -> LeadList {
        let mut list = LeadList::new(usize::from(count > 1));
        let by_weight = by_weight();
        let first = |rank: u8| rank * 8 + file;
        if count == 1 {
            list.push_row((1..7).map(|rank| [first(rank)]));
            return list;
        }
        for rank in 1..7 {
            let lighter = by_weight.iter().position(|&s| s == first(rank)).unwrap_or(0);
            push_lighter(&mut list, first(rank), &by_weight[..lighter], count - 1);
        }
        list
    }
}

/// The pawn squares, the lightest first: the nearer to the edge the heavier,
/// then the further back, then the further left.
fn by_weight() -> Vec<u8> {
    let mut squares = Vec::with_capacity(48);
    for file in 0..4u8 {
        for rank in 1..7u8 {
            squares.push(rank * 8 + file);
            squares.push(rank * 8 + 7 - file);
        }
    }
    squares.reverse();
    squares
}

/// Adds all placements of a first pawn and so many lighter ones, in rows with
/// the lightest of them moving.
fn push_lighter(list: &mut LeadList, first: u8, lighter: &[u8], count: usize) {
    let mut heavier = Vec::new(); // all but the lightest, the heaviest last
    fn choose(list: &mut LeadList, first: u8, squares: &[u8], count: usize, heavier: &mut Vec<u8>) {
        if count == 1 {
            list.push_row(squares.iter().map(|&light| {
                let mut men = [0; MAX_LEAD];
                (men[0], men[1]) = (first, light);
                for (man, &square) in men[2..].iter_mut().zip(heavier.iter().rev()) {
                    *man = square;
                }
                men
            }));
            return;
        }
        for heaviest in count - 1..squares.len() {
            heavier.push(squares[heaviest]);
            choose(list, first, &squares[..heaviest], count - 1, heavier);
            heavier.pop();
        }
    }
    choose(list, first, lighter, count, &mut heavier);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_as_long_as_the_format_says() {
        assert_eq!(LeadList::triple().len(), 31_332);
        assert_eq!(LeadList::kings().len(), 462);
        for (count, lens) in [(1, [6; 4]), (2, [252, 180, 108, 36])] {
            for (file, len) in lens.into_iter().enumerate() {
                assert_eq!(LeadList::pawns(count, file as u8).len(), len);
            }
        }
        // Two pawns on files a to d or their mirror images: all pairs.
        let pairs: usize = (0..4).map(|file| LeadList::pawns(2, file).len()).sum();
        assert_eq!(pairs, 48 * 47 / 2 / 2 + 12);
        assert_eq!(
            LeadList::pawns(3, 0).len(),
            47 * 46 / 2 + 45 * 44 / 2 + 43 * 42 / 2 + 41 * 40 / 2 + 39 * 38 / 2 + 37 * 36 / 2
        );
    }

    #[test]
    fn within_a_row_only_the_mover_changes() {
        for list in [LeadList::triple().clone(), LeadList::kings().clone(), LeadList::pawns(3, 1)] {
            for row in list.rows.windows(2) {
                let row = &list.squares[row[0] as usize..row[1] as usize];
                for squares in row {
                    for man in (0..MAX_LEAD).filter(|&man| man != list.mover) {
                        assert_eq!(squares[man], row[0][man]);
                    }
                }
                assert!(row.len() <= 64);
            }
            assert_eq!(*list.rows.last().unwrap() as usize, list.len());
        }
    }
}
