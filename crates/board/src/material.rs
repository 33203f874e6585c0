//! Material signatures such as `KQKR`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::{Color, Man, Role};

/// The most men, kings included, that a material named by a user may have.
pub const MAX_MEN: usize = 8;
/// The most men of a single position that is mostly kings and pawns.
pub const MAX_PAWN_ENDING_MEN: usize = 10;
/// The most men other than kings and pawns that it may have then.
pub const MAX_PAWN_ENDING_PIECES: usize = 2;

/// The men of both sides, kings included, without their squares.
///
/// Parsed from `KQKR`, `KQvKR` or `kqkr`; White's men first.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Material {
    /// Number of men by colour and role; the kings are counted too.
    counts: [[u8; 6]; 2],
}

/// The text does not name a material.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum MaterialError {
    /// A letter that is no man.
    #[error("'{text}': '{letter}' is not a man; use the letters K, Q, R, B, N and P")]
    UnknownLetter {
        /// The text given.
        text: String,
        /// The first letter that is none of the six.
        letter: char,
    },
    /// Each side has exactly one king, named first.
    #[error(
        "'{text}': found {found} kings; each side has exactly one king, named first, as in KQKR"
    )]
    Kings {
        /// The text given.
        text: String,
        /// Number of letters K in it.
        found: usize,
    },
    /// The first letter is not K.
    #[error("'{text}': a side begins with its king, as in KQKR")]
    KingNotFirst {
        /// The text given.
        text: String,
    },
    /// The `v` does not stand before the second king.
    #[error("'{text}': 'v' stands between the two sides, as in KQvKR")]
    MisplacedSeparator {
        /// The text given.
        text: String,
    },
    /// More men than tables can have.
    #[error("'{text}': {found} men, but at most {MAX_MEN} are supported")]
    TooManyMen {
        /// The text given.
        text: String,
        /// Number of men in it.
        found: usize,
    },
}

impl Material {
    /// The two bare kings.
    pub const KINGS: Material = Material { counts: [[1, 0, 0, 0, 0, 0]; 2] };

    /// The material of a list of men; kings in the list are ignored, since
    /// each side always has one.
    pub fn from_men(men: impl IntoIterator<Item = Man>) -> Material {
        let mut material = Material::KINGS;
        for man in men {
            if man.role != Role::King {
                material.counts[man.color.index()][man.role.index()] += 1;
            }
        }
        material
    }

    /// The material with so many men of each kind other than kings: at most 64.
    pub(crate) fn counted(of: impl Fn(Man) -> usize) -> Material {
        let mut material = Material::KINGS;
        for color in Color::BOTH {
            for role in Role::ALL.into_iter().skip(1) {
                material.counts[color.index()][role.index()] = of(Man::new(color, role)) as u8;
            }
        }
        material
    }

    /// How many men of this kind there are.
    #[inline]
    pub const fn count(&self, man: Man) -> usize {
        self.counts[man.color.index()][man.role.index()] as usize
    }

    /// Number of men of one side, the king included.
    pub fn side_len(&self, color: Color) -> usize {
        self.counts[color.index()].iter().map(|&n| usize::from(n)).sum()
    }

    /// Number of men, kings included.
    #[allow(clippy::len_without_is_empty)] // never empty: there are two kings
    pub fn len(&self) -> usize {
        self.side_len(Color::White) + self.side_len(Color::Black)
    }

    /// Whether a single position with these men may be asked about: there are at most
    /// [`MAX_MEN`], or [`MAX_PAWN_ENDING_MEN`] if nearly all of them are kings and pawns.
    pub fn is_within_limits(&self) -> bool {
        let (men, pieces) = (self.len(), self.len() - 2 - self.pawns());
        men <= MAX_MEN || (men <= MAX_PAWN_ENDING_MEN && pieces <= MAX_PAWN_ENDING_PIECES)
    }

    /// Number of pawns of both sides.
    pub fn pawns(&self) -> usize {
        Color::BOTH.iter().map(|&color| self.count(Man::new(color, Role::Pawn))).sum()
    }

    /// Whether there is a pawn.
    pub fn has_pawns(&self) -> bool {
        self.pawns() > 0
    }

    /// The men other than the kings: White's first, heavier first.
    pub fn men(&self) -> impl Iterator<Item = Man> + '_ {
        Color::BOTH.into_iter().flat_map(move |color| {
            Role::ALL.into_iter().skip(1).flat_map(move |role| {
                let man = Man::new(color, role);
                std::iter::repeat_n(man, self.count(man))
            })
        })
    }

    /// The material with one man of this kind less, if there is one.
    pub fn without(&self, man: Man) -> Option<Material> {
        let mut less = *self;
        let count = &mut less.counts[man.color.index()][man.role.index()];
        if man.role == Role::King || *count == 0 {
            return None;
        }
        *count -= 1;
        Some(less)
    }

    /// The material with one more man of this kind.
    pub fn with(&self, man: Man) -> Material {
        let mut more = *self;
        more.counts[man.color.index()][man.role.index()] += 1;
        more
    }

    /// White's men become Black's and the other way round.
    pub const fn swap_colors(&self) -> Material {
        Material { counts: [self.counts[1], self.counts[0]] }
    }

    /// Whether both sides have the same men.
    pub fn is_symmetric(&self) -> bool {
        self.counts[0] == self.counts[1]
    }

    /// Compares the sides: more men first, then heavier men.
    fn compare_sides(&self) -> Ordering {
        let by_len = self.side_len(Color::White).cmp(&self.side_len(Color::Black));
        by_len.then_with(|| self.counts[0][1..].cmp(&self.counts[1][1..]))
    }

    /// Whether White is the stronger side (or the sides are equal).
    pub fn is_canonical(&self) -> bool {
        self.compare_sides() != Ordering::Less
    }

    /// The same material with the stronger side as White.
    pub fn canonical(&self) -> Material {
        if self.is_canonical() { *self } else { self.swap_colors() }
    }

    /// The men of one side as letters, such as `KQ`.
    pub fn side_name(&self, color: Color) -> String {
        Role::ALL
            .into_iter()
            .flat_map(|role| std::iter::repeat_n(role.letter(), self.count(Man::new(color, role))))
            .collect()
    }

    /// The name used for files: `KQvKR`, in the orientation at hand.
    pub fn file_name(&self) -> String {
        format!("{}v{}", self.side_name(Color::White), self.side_name(Color::Black))
    }

    /// Every canonical material of three up to so many men, so ordered that
    /// each comes after those it can turn into.
    pub fn all(most_men: usize) -> Vec<Material> {
        let mut found: Vec<Material> = Vec::new();
        let mut largest = vec![Material::KINGS];
        for _ in 2..most_men {
            let mut more: Vec<Material> = Vec::new();
            for material in &largest {
                for man in Color::BOTH.into_iter().flat_map(|color| {
                    Role::ALL.into_iter().skip(1).map(move |role| Man::new(color, role))
                }) {
                    let next = material.with(man).canonical();
                    if !more.contains(&next) {
                        more.push(next);
                    }
                }
            }
            more.sort_by_key(|material| (material.pawns(), material.to_string()));
            found.extend(&more);
            largest = more;
        }
        found
    }

    /// Materials that one capture or promotion leads to, each once, in this
    /// orientation.
    pub fn successors(&self) -> Vec<Material> {
        let mut found = Vec::new();
        let mut add = |material: Material| {
            if !found.contains(&material) {
                found.push(material);
            }
        };
        for victim in self.men() {
            let captured = self.without(victim);
            captured.into_iter().for_each(&mut add);
            let promoting = captured.filter(|_| victim.role != Role::Pawn);
            promoting.into_iter().flat_map(|m| m.promotions(!victim.color)).for_each(&mut add);
        }
        Color::BOTH.into_iter().flat_map(|color| self.promotions(color)).for_each(&mut add);
        found
    }

    /// Materials that a promotion by this colour leads to.
    pub fn promotions(&self, color: Color) -> Vec<Material> {
        match self.without(Man::new(color, Role::Pawn)) {
            None => Vec::new(),
            Some(less) => {
                Role::PROMOTIONS.into_iter().map(|role| less.with(Man::new(color, role))).collect()
            }
        }
    }
}

/// Writes `KQKR`.
impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.side_name(Color::White), self.side_name(Color::Black))
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    fn from_str(given: &str) -> Result<Material, MaterialError> {
        let text = given.to_owned();
        let letters: Vec<char> = given.chars().map(|c| c.to_ascii_uppercase()).collect();
        if let Some(&letter) = letters.iter().find(|&&c| c != 'V' && Role::from_letter(c).is_none())
        {
            return Err(MaterialError::UnknownLetter { text, letter });
        }
        let misplaced = (0..letters.len())
            .any(|i| letters[i] == 'V' && (i == 0 || letters.get(i + 1) != Some(&'K')));
        if misplaced {
            return Err(MaterialError::MisplacedSeparator { text });
        }
        let found = letters.iter().filter(|&&c| c == 'K').count();
        if found != 2 {
            return Err(MaterialError::Kings { text, found });
        }
        if letters[0] != 'K' {
            return Err(MaterialError::KingNotFirst { text });
        }
        let mut color = Color::Black;
        let mut men = Vec::new();
        for role in letters.iter().filter_map(|&c| Role::from_letter(c)) {
            if role == Role::King {
                color = !color;
            }
            men.push(Man::new(color, role));
        }
        if men.len() > MAX_MEN {
            return Err(MaterialError::TooManyMen { text, found: men.len() });
        }
        Ok(Material::from_men(men))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn material(text: &str) -> Material {
        text.parse().unwrap()
    }

    #[test]
    fn pawn_endings_may_have_more_men() {
        let pawns = |count: usize, pieces: &[Man]| {
            let pawn = Man::new(Color::White, Role::Pawn);
            Material::from_men(std::iter::repeat_n(pawn, count).chain(pieces.iter().copied()))
        };
        let rook = Man::new(Color::Black, Role::Rook);
        assert!(pawns(8, &[]).is_within_limits() && pawns(6, &[rook; 2]).is_within_limits());
        assert!(!pawns(9, &[]).is_within_limits() && !pawns(5, &[rook; 3]).is_within_limits());
        assert!(pawns(0, &[rook; 6]).is_within_limits());
    }

    #[test]
    fn three_spellings_are_one_material() {
        assert_eq!(material("KQKR"), material("KQvKR"));
        assert_eq!(material("kqkr"), material("KQKR"));
        assert_eq!(material("KPQK").to_string(), "KQPK");
        assert_eq!(material("KQPKR").file_name(), "KQPvKR");
    }

    #[test]
    fn the_stronger_side_comes_first() {
        assert_eq!(material("KQKBB").canonical().file_name(), "KBBvKQ");
        assert_eq!(material("KRKQ").canonical().to_string(), "KQKR");
        assert_eq!(material("KKP").canonical().to_string(), "KPK");
        assert!(material("KRNKNN").is_canonical());
        assert!(material("KQKQ").is_symmetric());
    }

    #[test]
    fn errors_say_what_is_wrong() {
        use MaterialError::*;
        assert!(matches!("KXK".parse::<Material>(), Err(UnknownLetter { letter: 'X', .. })));
        assert!(matches!("KQ".parse::<Material>(), Err(Kings { found: 1, .. })));
        assert!(matches!("KKK".parse::<Material>(), Err(Kings { found: 3, .. })));
        assert!(matches!("".parse::<Material>(), Err(Kings { found: 0, .. })));
        assert!(matches!("QKK".parse::<Material>(), Err(KingNotFirst { .. })));
        assert!(matches!("KQKvR".parse::<Material>(), Err(MisplacedSeparator { .. })));
        assert!(matches!("KQRBNKQRBN".parse::<Material>(), Err(TooManyMen { found: 10, .. })));
    }

    #[test]
    fn all_materials_are_counted_and_ordered() {
        let all = Material::all(5);
        let count = |men: usize| all.iter().filter(|m| m.len() == men).count();
        assert_eq!((count(3), count(4), count(5)), (5, 30, 110));
        for (i, material) in all.iter().enumerate() {
            assert!(material.is_canonical());
            let subs = material.successors().into_iter().filter(|sub| sub.len() > 2);
            assert!(subs.into_iter().all(|sub| all[..i].contains(&sub.canonical())));
        }
    }

    #[test]
    fn successors_of_a_pawn_ending() {
        let names: Vec<String> =
            material("KPKN").successors().iter().map(ToString::to_string).collect();
        assert_eq!(
            names,
            ["KKN", "KPK", "KQK", "KRK", "KBK", "KNK", "KQKN", "KRKN", "KBKN", "KNKN"]
        );
    }
}
