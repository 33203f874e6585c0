//! A board for the terminal.

use molien_board::{Color, Position, Role, Square};

/// How men are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    /// Chess figures.
    Figures,
    /// Letters, capitals for White.
    Letters,
}

const FIGURES: [(Role, [char; 2]); 6] = [
    (Role::King, ['♔', '♚']),
    (Role::Queen, ['♕', '♛']),
    (Role::Rook, ['♖', '♜']),
    (Role::Bishop, ['♗', '♝']),
    (Role::Knight, ['♘', '♞']),
    (Role::Pawn, ['♙', '♟']),
];

fn symbol(role: Role, color: Color, style: Style) -> char {
    match style {
        Style::Letters if color == Color::White => role.letter(),
        Style::Letters => role.letter().to_ascii_lowercase(),
        Style::Figures => {
            let found = FIGURES.iter().find(|(figure, _)| *figure == role);
            found.map_or('?', |(_, figures)| figures[color.index()])
        }
    }
}

/// Eight lines of eight squares with their names at the edges, White below.
pub fn lines(position: &Position, style: Style) -> Vec<String> {
    let empty = if style == Style::Figures { '·' } else { '.' };
    let at = |square: Square| {
        position.man_at(square).map_or(empty, |man| symbol(man.role, man.color, style))
    };
    let rank = |rank: usize| {
        let squares = (0..8).map(|file| at(Square::new(8 * rank + file)).to_string());
        format!("  {} {}", rank + 1, squares.collect::<Vec<_>>().join(" "))
    };
    (0..8).rev().map(rank).chain(["    a b c d e f g h".to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn men_stand_where_they_are() {
        let position: Position = "8/8/8/8/8/2k5/6p1/K6R w - -".parse().unwrap();
        let letters = lines(&position, Style::Letters);
        assert_eq!(letters[7], "  1 K . . . . . . R");
        assert_eq!(letters[6], "  2 . . . . . . p .");
        assert_eq!(lines(&position, Style::Figures)[5], "  3 · · ♚ · · · · ·");
    }
}
