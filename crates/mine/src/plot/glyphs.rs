//! Letters of 3 x 5 dots, for pictures without a font.

/// Dots from the top of a letter to its foot.
pub(super) const HEIGHT: i32 = 5;
/// Dots from one letter to the next.
const ADVANCE: i32 = 4;

/// Five rows of three dots, the topmost row in the highest bits.
const GLYPHS: [(char, u16); 41] = [
    ('0', 0b111_101_101_101_111),
    ('1', 0b010_110_010_010_111),
    ('2', 0b111_001_111_100_111),
    ('3', 0b111_001_111_001_111),
    ('4', 0b101_101_111_001_001),
    ('5', 0b111_100_111_001_111),
    ('6', 0b111_100_111_101_111),
    ('7', 0b111_001_010_010_010),
    ('8', 0b111_101_111_101_111),
    ('9', 0b111_101_111_001_111),
    ('A', 0b010_101_111_101_101),
    ('B', 0b110_101_110_101_110),
    ('C', 0b011_100_100_100_011),
    ('D', 0b110_101_101_101_110),
    ('E', 0b111_100_110_100_111),
    ('F', 0b111_100_110_100_100),
    ('G', 0b011_100_101_101_011),
    ('H', 0b101_101_111_101_101),
    ('I', 0b111_010_010_010_111),
    ('J', 0b001_001_001_101_010),
    ('K', 0b101_101_110_101_101),
    ('L', 0b100_100_100_100_111),
    ('M', 0b101_111_111_101_101),
    ('N', 0b110_101_101_101_101),
    ('O', 0b010_101_101_101_010),
    ('P', 0b110_101_110_100_100),
    ('Q', 0b010_101_101_110_011),
    ('R', 0b110_101_110_101_101),
    ('S', 0b011_100_010_001_110),
    ('T', 0b111_010_010_010_010),
    ('U', 0b101_101_101_101_111),
    ('V', 0b101_101_101_101_010),
    ('W', 0b101_101_111_111_101),
    ('X', 0b101_101_010_101_101),
    ('Y', 0b101_101_010_010_010),
    ('Z', 0b111_001_010_100_111),
    (',', 0b000_000_000_010_100),
    ('.', 0b000_000_000_000_010),
    (':', 0b000_010_000_010_000),
    ('-', 0b000_000_111_000_000),
    ('%', 0b101_001_010_100_101),
];

/// The width of a text in dots.
pub(super) fn width(text: &str) -> i32 {
    text.chars().count() as i32 * ADVANCE - 1
}

/// The dots of a text, column and row, from its upper left corner. Small
/// letters look like capitals; unknown ones are blank.
pub(super) fn dots(text: &str) -> impl Iterator<Item = (i32, i32)> + '_ {
    text.chars().zip(0..).flat_map(|(letter, place)| {
        let wanted = letter.to_ascii_uppercase();
        let glyph = GLYPHS.iter().find(|(known, _)| *known == wanted).map_or(0, |(_, dots)| *dots);
        let set = (0..15).filter(move |dot| glyph >> (14 - dot) & 1 != 0);
        set.map(move |dot| (place * ADVANCE + dot % 3, dot / 3))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_dots() {
        assert_eq!(dots("L").count(), 7);
        assert_eq!(dots("l").count(), 7);
        assert_eq!(dots(" ~").count(), 0);
        assert_eq!(width("KRK"), 11);
        assert!(dots("8").all(|(x, y)| (0..3).contains(&x) && (0..HEIGHT).contains(&y)));
    }
}
