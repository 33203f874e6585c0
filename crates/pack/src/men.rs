//! The men of a tile and the places they have in questions.

use molien_board::{Color, Man, Material, Role};

/// The most men a position can have here.
pub const MAX_MEN: usize = 8;

/// The men of a material in the order in which questions name them: the outer
/// men, the fixed ones (pawns, or kings where there are no pawns), the row man
/// if there is one, the column man.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Men {
    list: Vec<Man>,
    has_row: bool,
    kings: [usize; 2],
}

/// The men that have coordinates of their own: all but the pawns and, without
/// pawns, all but the kings.
pub fn placed_men(material: &Material) -> Vec<Man> {
    let mut men: Vec<Man> = material.men().filter(|man| man.role != Role::Pawn).collect();
    if material.has_pawns() {
        men.extend(Color::BOTH.map(|color| Man::new(color, Role::King)));
    }
    men
}

impl Men {
    /// The men of a material whose placed men are in this order, row and
    /// column last. `None` if these are not its placed men, or too many.
    pub fn new(material: &Material, placed: &[Man]) -> Option<Men> {
        let sorted = |men: &[Man]| {
            let mut men = men.to_vec();
            men.sort_unstable();
            men
        };
        if sorted(placed) != sorted(&placed_men(material)) || placed.is_empty() {
            return None;
        }
        let outer = placed.len().saturating_sub(2);
        let mut list = placed[..outer].to_vec();
        if material.has_pawns() {
            let pawns = |color| {
                let pawn = Man::new(color, Role::Pawn);
                std::iter::repeat_n(pawn, material.count(pawn))
            };
            list.extend(Color::BOTH.into_iter().flat_map(pawns));
        } else {
            list.extend(Color::BOTH.map(|color| Man::new(color, Role::King)));
        }
        list.extend(&placed[outer..]);
        let king = |color| list.iter().position(|man| *man == Man::new(color, Role::King));
        let kings = [king(Color::White)?, king(Color::Black)?];
        (list.len() <= MAX_MEN).then_some(Men { list, has_row: placed.len() > 1, kings })
    }

    /// How many there are.
    #[inline]
    pub fn count(&self) -> usize {
        self.list.len()
    }

    /// One of them.
    #[inline]
    pub fn get(&self, place: usize) -> Man {
        self.list[place]
    }

    /// All of them.
    pub fn list(&self) -> &[Man] {
        &self.list
    }

    /// The place of the column man.
    #[inline]
    pub fn column(&self) -> usize {
        self.list.len() - 1
    }

    /// The place of the row man.
    #[inline]
    pub fn row(&self) -> Option<usize> {
        self.has_row.then(|| self.list.len() - 2)
    }

    /// Whether row and column man are alike: exchanged, they make the same position.
    #[inline]
    pub fn alike(&self) -> bool {
        self.row().is_some_and(|row| self.list[row] == self.list[self.column()])
    }

    /// How many men stand still in a tile.
    #[inline]
    pub fn fixed(&self) -> usize {
        self.list.len() - 1 - usize::from(self.has_row)
    }

    /// The place of a king.
    #[inline]
    pub fn king(&self, color: Color) -> usize {
        self.kings[color.index()]
    }
}
