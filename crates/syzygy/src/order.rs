//! The order of men: how a sub-table numbers the placements of its men.
//!
//! The men stand in a list: the leading men, then the pawns of the other
//! colour, if any, then the other men in groups of like men. Each group is a
//! digit of the index; the groups count the squares that those before them in
//! the list leave free. Which digit is the fastest, which the next and so on is the
//! writer's choice.

use std::ops::Range;

use molien_board::{Color, Man, Material, Role, Square};

use crate::lead::LeadList;

/// The most men of a table.
pub(crate) const MAX_MEN: usize = 7;

/// The squares on which pawns can stand.
const PAWN_SQUARES: u64 = 0x00ff_ffff_ffff_ff00;

/// Binomial coefficients, n over k at `[k][n]`.
const BINOMIALS: [[u64; 65]; MAX_MEN + 1] = {
    let mut table = [[0; 65]; MAX_MEN + 1];
    table[0] = [1; 65];
    let mut k = 1;
    while k <= MAX_MEN {
        let mut n = 1;
        while n < 65 {
            table[k][n] = table[k][n - 1] + table[k - 1][n - 1];
            n += 1;
        }
        k += 1;
    }
    table
};

/// Binomial coefficient.
fn binomial(n: u64, k: u64) -> u64 {
    BINOMIALS[k as usize][n as usize]
}

/// What a group is.
#[derive(Clone, Debug)]
enum Kind {
    /// The leading men.
    Lead(LeadList),
    /// Pawns of the colour that does not lead.
    Pawns,
    /// Like men.
    Like,
}

/// Men that share a digit of the index.
#[derive(Clone, Debug)]
struct Group {
    /// Its first man in the list.
    first: usize,
    /// How many men.
    len: usize,
    kind: Kind,
    /// How many placements it has on what the groups before it leave free.
    size: u64,
}

/// A numbering of the placements of some men.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The list of men.
    men: Vec<Man>,
    groups: Vec<Group>,
    /// Numbers of the groups, that of the fastest digit first.
    digits: Vec<usize>,
}

/// Places at equal distances.
#[derive(Clone, Copy)]
pub(crate) struct Steps {
    pub count: u64,
    pub apart: u64,
}

/// Some rows of a stretch, or all, and their places there.
pub(crate) struct Piece {
    pub rows: Option<Vec<u64>>,
    pub places: Range<usize>,
}

/// Which men lead, what comes after them, and in which order the digits run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The leading men in their order.
    pub lead: Vec<Man>,
    /// The other kinds of men (pawns of the other colour not among them),
    /// the fastest first.
    pub others: Vec<Man>,
    /// The place of the leading men among the digits, 0 for the fastest.
    pub lead_place: usize,
    /// The place of the other colour's pawns, if there are any.
    pub pawns_place: Option<usize>,
}

/// The colour whose pawns lead, and the pawns of both.
pub(crate) fn leading_pawns(material: &Material) -> Option<(Man, Option<Man>)> {
    let [white, black] = Color::BOTH.map(|color| Man::new(color, Role::Pawn));
    match (material.count(white), material.count(black)) {
        (0, 0) => None,
        (_, 0) => Some((white, None)),
        (0, _) => Some((black, None)),
        (w, b) if b >= w => Some((white, Some(black))),
        _ => Some((black, Some(white))),
    }
}

/// All kinds of men, the kings among them.
pub(crate) fn kinds(material: &Material) -> Vec<Man> {
    let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
    let mut kinds: Vec<Man> = kings.into_iter().chain(material.men()).collect();
    kinds.dedup();
    kinds
}

impl Order {
    /// The numbering of a choice; `file` is the leading pawn's, 0 to 3.
    pub fn new(material: &Material, choice: &Choice, file: u8) -> Order {
        let pawns = leading_pawns(material);
        let lead_len;
        let list = match pawns {
            Some((lead, _)) => {
                lead_len = material.count(lead);
                LeadList::pawns(lead_len, file)
            }
            None => {
                lead_len = choice.lead.len();
                if lead_len == 3 { LeadList::triple() } else { LeadList::kings() }.clone()
            }
        };
        let mut men: Vec<Man> = choice.lead.iter().copied().cycle().take(lead_len).collect();
        let size = list.len() as u64;
        let mut groups = vec![Group { first: 0, len: lead_len, kind: Kind::Lead(list), size }];
        let rest = pawns.and_then(|(_, rest)| rest);
        for man in rest.into_iter().chain(choice.others.iter().copied()) {
            let len = material.count(man).max(1);
            let (kind, free) = match man.role {
                Role::Pawn => (Kind::Pawns, 48 - men.len()),
                _ => (Kind::Like, 64 - men.len()),
            };
            let size = binomial(free as u64, len as u64);
            groups.push(Group { first: men.len(), len, kind, size });
            men.extend(std::iter::repeat_n(man, len));
        }
        let mut digits: Vec<usize> = (1 + usize::from(rest.is_some())..groups.len()).collect();
        let mut places = vec![(choice.lead_place, 0)];
        places.extend(choice.pawns_place.filter(|_| rest.is_some()).map(|place| (place, 1)));
        places.sort_unstable();
        places.into_iter().for_each(|(place, group)| digits.insert(place.min(digits.len()), group));
        Order { men, groups, digits }
    }

    /// The list of men.
    pub fn men(&self) -> &[Man] {
        &self.men
    }

    /// How many placements are numbered.
    pub fn len(&self) -> u64 {
        self.groups.iter().map(|group| group.size).product()
    }

    /// The place of the leading men among the digits.
    pub fn lead_place(&self) -> usize {
        self.digits.iter().position(|&group| group == 0).unwrap_or(0)
    }

    /// The place of the other colour's pawns among the digits.
    pub fn pawns_place(&self) -> Option<usize> {
        self.digits.iter().position(|&group| matches!(self.groups[group].kind, Kind::Pawns))
    }

    /// How many neighbouring indices differ in the fastest digit only.
    pub fn stretch(&self) -> u64 {
        self.groups[self.digits[0]].size
    }

    /// How far apart the places are where a man goes from square to square, and
    /// about how many they are.
    pub fn steps_of(&self, man: Man) -> Option<Steps> {
        let first = self.men.iter().position(|&other| other == man)?;
        let of_man = |&group: &usize| {
            let Group { first: start, len, .. } = self.groups[group];
            (start..start + len).contains(&first)
        };
        let place = self.digits.iter().position(of_man)?;
        let (faster, group) = (&self.digits[..place], &self.groups[self.digits[place]]);
        let apart = faster.iter().map(|&faster| self.groups[faster].size).product();
        match &group.kind {
            Kind::Lead(list) if list.mover == first => Some(Steps { count: 62, apart }),
            // The second of three men.
            Kind::Lead(list) if first == 1 && list.mover == 2 => {
                Some(Steps { count: 63, apart: 62 * apart })
            }
            Kind::Lead(_) => None,
            Kind::Pawns | Kind::Like => Some(Steps { count: group.size.min(64), apart }),
        }
    }

    /// A stretch, as one piece or in pieces of a few rows.
    pub fn pieces(&self, cut: bool) -> Vec<Piece> {
        const ROWS: usize = 16;
        match &self.groups[self.digits[0]].kind {
            Kind::Lead(list) if cut => {
                let rows = list.rows.len() - 1;
                let piece = |first: usize| {
                    let end = rows.min(first + ROWS);
                    let places = list.rows[first] as usize..list.rows[end] as usize;
                    Piece { rows: Some((first as u64..end as u64).collect()), places }
                };
                (0..rows).step_by(ROWS).map(piece).collect()
            }
            _ => vec![Piece { rows: None, places: 0..self.stretch() as usize }],
        }
    }

    /// The squares of the men of an index.
    pub fn squares(&self, index: u64) -> Vec<Square> {
        let (mut skip, mut found) = ((index % self.stretch()) as usize, Vec::new());
        self.for_each_row(index / self.stretch(), |row| {
            row.for_each_part(|squares, lanes| {
                if lanes.contains(&skip) {
                    let mut squares = *squares;
                    squares[row.mover] = row.moving[skip];
                    let men = squares[..self.men.len()].iter();
                    found = men.map(|&square| Square::new(square.into())).collect();
                }
            });
            skip = skip.wrapping_sub(row.moving.len());
        });
        found
    }

    /// How many stretches there are.
    pub fn stretches(&self) -> u64 {
        self.len() / self.stretch()
    }

    /// How many rows a stretch has.
    pub fn rows(&self) -> usize {
        let group = &self.groups[self.digits[0]];
        match &group.kind {
            Kind::Lead(list) => list.rows.len() - 1,
            // All placements of the men but the lowest that leave him a square.
            Kind::Pawns | Kind::Like => {
                let mut rows = 0;
                group.rows(0, None, |_, _, _| rows += 1);
                rows.min(group.size as usize)
            }
        }
    }

    /// Calls `f` with the placements of one stretch, row by row, in order.
    pub fn for_each_row(&self, stretch: u64, f: impl FnMut(&Row)) {
        self.for_each_row_of(stretch, None, f);
    }

    /// As [`Order::for_each_row`]; of the rows with these numbers, in rising
    /// order, if they are given.
    pub fn for_each_row_of(&self, stretch: u64, wanted: Option<&[u64]>, mut f: impl FnMut(&Row)) {
        let mut ranks = [0u64; MAX_MEN];
        let mut rest = stretch;
        for &digit in &self.digits[1..] {
            let size = self.groups[digit].size;
            ranks[digit] = rest % size;
            rest /= size;
        }
        let fast = self.digits[0];
        let mut squares = [0; MAX_MEN];
        let mut taken = 0u64;
        for (group, &rank) in self.groups[..fast].iter().zip(&ranks) {
            taken |= group.place(rank, !taken, &mut squares);
        }
        let mut places = Places::default();
        for (group, &rank) in self.groups.iter().zip(&ranks).skip(fast + 1) {
            group.unrank(rank, &mut places.0[group.first..]);
        }
        self.groups[fast].rows(taken, wanted, |fixed, mover, moving| {
            let mut taken = taken;
            for &(man, square) in fixed {
                taken |= 1 << square;
                squares[man] = square;
            }
            // The men after the mover are found by passing them in order; if the
            // mover's squares do not rise, each is a row of its own.
            let len = if moving.is_sorted() { moving.len() } else { 1 };
            for moving in moving.chunks(len) {
                let steps = [Step::default(); MAX_MEN];
                let mut row = Row { squares, mover, moving, steps, passed: 0 };
                self.follow(fast, &places, taken, &mut row);
                f(&row);
            }
        });
    }

    /// Places the groups after the fastest one for the first square of the mover,
    /// and finds where he passes them.
    ///
    /// They count the squares that he leaves free. So when he reaches the square of
    /// one of them, that man gives way to the square that he came from, and all others
    /// stay: together they still take the same squares.
    fn follow(&self, fast: usize, places: &Places, taken: u64, row: &mut Row) {
        let first = row.moving[0];
        let mut free = !(taken | 1 << first);
        let squares: u64 = row.moving.iter().fold(0, |set, square| set | 1 << square);
        let mut ahead = [(0u8, 0usize, 0u64); MAX_MEN];
        let mut count = 0;
        for group in &self.groups[fast + 1..] {
            let allowed = free & group.squares();
            for man in group.first..group.first + group.len {
                let square = nth(allowed, places.0[man]);
                row.squares[man] = square;
                free &= !(1 << square);
                if square > first {
                    ahead[count] = (square, man, group.squares() & !taken);
                    count += 1;
                }
            }
        }
        ahead[..count].sort_unstable();
        for &(square, man, allowed) in &ahead[..count] {
            let below = (1u64 << square) - 1;
            let lane = (squares & below).count_ones() as usize;
            if lane < row.moving.len() {
                let back = 63 - (allowed & below).leading_zeros() as u8;
                row.steps[row.passed] = Step { lane, man, square: back };
                row.passed += 1;
            }
        }
    }
}

/// The places of men among the squares that are free for their groups.
#[derive(Default)]
struct Places([usize; MAX_MEN]);

/// A man steps back when the mover, at this lane, passes him.
#[derive(Clone, Copy, Default)]
struct Step {
    lane: usize,
    man: usize,
    square: u8,
}

/// Neighbouring placements: one man moves, and those whom he passes step back.
pub(crate) struct Row<'a> {
    /// The squares of the men in the list; those of the first placement.
    squares: [u8; MAX_MEN],
    /// Which man moves.
    pub mover: usize,
    /// His squares, one a lane.
    pub moving: &'a [u8],
    /// By rising lane.
    steps: [Step; MAX_MEN],
    passed: usize,
}

impl Row<'_> {
    /// Calls `f` with each part of the lanes in which nobody but the mover moves,
    /// and the squares of the others.
    #[inline]
    pub fn for_each_part(&self, mut f: impl FnMut(&[u8; MAX_MEN], Range<usize>)) {
        let mut squares = self.squares;
        let mut start = 0;
        for step in &self.steps[..self.passed] {
            if step.lane > start {
                f(&squares, start..step.lane);
                start = step.lane;
            }
            squares[step.man] = step.square;
        }
        f(&squares, start..self.moving.len());
    }
}

/// The squares of a set in rising order; what is left of the array is 64.
fn squares_of(mut set: u64) -> [u8; 64] {
    let mut squares = [64; 64];
    for square in &mut squares[..set.count_ones() as usize] {
        *square = set.trailing_zeros() as u8;
        set &= set - 1;
    }
    squares
}

/// The square of a set that has so many of it below.
#[inline]
fn nth(mut set: u64, mut below: usize) -> u8 {
    let mut square = 0;
    for half in [32, 16, 8, 4, 2, 1] {
        let lower = (set & ((1 << half) - 1)).count_ones() as usize;
        if below >= lower {
            below -= lower;
            set >>= half;
            square += half;
        }
    }
    square
}

impl Group {
    /// The squares its men can stand on.
    fn squares(&self) -> u64 {
        if matches!(self.kind, Kind::Pawns) { PAWN_SQUARES } else { !0 }
    }

    /// Puts its men on their squares, and gives these as a set.
    fn place(&self, rank: u64, free: u64, squares: &mut [u8; MAX_MEN]) -> u64 {
        let squares = &mut squares[self.first..][..self.len];
        match &self.kind {
            Kind::Lead(list) => squares.copy_from_slice(&list.squares[rank as usize][..self.len]),
            Kind::Pawns | Kind::Like => {
                let mut places = [0; MAX_MEN];
                self.unrank(rank, &mut places);
                for (square, &place) in squares.iter_mut().zip(&places) {
                    *square = nth(free & self.squares(), place);
                }
            }
        }
        squares.iter().fold(0, |set, square| set | 1 << square)
    }

    /// The places of like men among the free squares, in rising order.
    fn unrank(&self, mut rank: u64, places: &mut [usize]) {
        if self.len == 1 {
            places[0] = rank as usize;
            return;
        }
        for k in (1..=self.len).rev() {
            let place = BINOMIALS[k].partition_point(|&below| below <= rank) - 1;
            rank -= BINOMIALS[k][place];
            places[k - 1] = place;
        }
    }

    /// Calls `f` with the men that stand still and their squares, the man that
    /// moves, and its squares, row by row; of the wanted rows, if they are given.
    fn rows(
        &self,
        taken: u64,
        wanted: Option<&[u64]>,
        mut f: impl FnMut(&[(usize, u8)], usize, &[u8]),
    ) {
        match &self.kind {
            Kind::Lead(list) => match wanted {
                Some(wanted) => {
                    wanted.iter().for_each(|&row| self.lead_row(list, row as usize, &mut f))
                }
                None => (0..list.rows.len() - 1).for_each(|row| self.lead_row(list, row, &mut f)),
            },
            Kind::Pawns | Kind::Like => {
                let free = squares_of(self.squares() & !taken);
                let (mut row, mut left) = (0, wanted);
                let mut if_wanted = |fixed: &[(usize, u8)], mover: usize, moving: &[u8]| {
                    let is_wanted = match &mut left {
                        None => true,
                        Some(left) => {
                            let is_next = left.first() == Some(&row);
                            *left = &left[usize::from(is_next)..];
                            is_next
                        }
                    };
                    if is_wanted {
                        f(fixed, mover, moving);
                    }
                    row += 1;
                };
                let count = free.iter().take_while(|&&square| square < 64).count();
                self.like_rows(&free[..count], self.len, &mut Vec::new(), &mut if_wanted);
            }
        }
    }

    fn lead_row(
        &self,
        list: &LeadList,
        row: usize,
        f: &mut impl FnMut(&[(usize, u8)], usize, &[u8]),
    ) {
        let row = &list.squares[list.rows[row] as usize..list.rows[row + 1] as usize];
        let mut fixed = [(0, 0); MAX_MEN];
        let still = (0..self.len).filter(|&man| man != list.mover);
        fixed.iter_mut().zip(still).for_each(|(out, man)| *out = (man, row[0][man]));
        let mut moving = [0; 64];
        moving.iter_mut().zip(row).for_each(|(out, men)| *out = men[list.mover]);
        f(&fixed[..self.len - 1], list.mover, &moving[..row.len()]);
    }

    /// The rows of so many men on these squares; the lowest man moves.
    fn like_rows(
        &self,
        squares: &[u8],
        count: usize,
        fixed: &mut Vec<(usize, u8)>,
        f: &mut impl FnMut(&[(usize, u8)], usize, &[u8]),
    ) {
        if count == 1 {
            return f(fixed, self.first, squares);
        }
        for highest in count - 1..squares.len() {
            fixed.push((self.first + count - 1, squares[highest]));
            self.like_rows(&squares[..highest], count - 1, fixed, f);
            fixed.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Every placement of some stretches comes once, and men share no square.
    fn check(name: &str, choice: &Choice, file: u8) {
        let material: Material = name.parse().unwrap();
        let order = Order::new(&material, choice, file);
        assert_eq!(order.men().len(), material.len());
        let mut seen = HashSet::new();
        let stretches = order.len() / order.stretch();
        let step = (order.len() / 30_000).clamp(1, stretches);
        for stretch in (0..stretches).step_by(step as usize) {
            let mut found = 0;
            order.for_each_row(stretch, |row| {
                found += row.moving.len() as u64;
                row.for_each_part(|squares, lanes| {
                    for &square in &row.moving[lanes] {
                        let mut squares = squares[..order.men().len()].to_vec();
                        squares[row.mover] = square;
                        assert!((1..squares.len()).all(|i| !squares[..i].contains(&squares[i])));
                        assert!(seen.insert(squares));
                    }
                });
            });
            assert_eq!(found, order.stretch());
        }
        if step == 1 {
            assert_eq!(seen.len() as u64, order.len());
        }
    }

    #[test]
    fn every_placement_comes_once() {
        let of = |color| move |role| Man::new(color, role);
        let (white, black) = (of(Color::White), of(Color::Black));
        let kings = [white(Role::King), black(Role::King)];
        let choice = |lead: &[Man], others: &[Man], lead_place, pawns_place| Choice {
            lead: lead.to_vec(),
            others: others.to_vec(),
            lead_place,
            pawns_place,
        };
        let pawn = white(Role::Pawn);
        for place in 0..2 {
            let triple = [kings[0], white(Role::Rook), kings[1]];
            check("KRK", &choice(&triple, &[], place, None), 0);
            check("KRKN", &choice(&triple, &[black(Role::Knight)], place, None), 0);
            check("KNNK", &choice(&kings, &[white(Role::Knight)], place, None), 0);
            check("KPK", &choice(&[pawn], &kings, place, None), 3);
            check("KPPK", &choice(&[pawn], &kings, place, None), 1);
        }
        for (place, pawns_place) in [(0, 1), (1, 0), (2, 3), (3, 0)] {
            check("KPKP", &choice(&[pawn], &kings, place, Some(pawns_place)), 2);
        }
    }
}
