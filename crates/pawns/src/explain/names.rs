//! Moves of kings and pawns as people write them.

use molien_board::{Color, Move, Position, Role};

/// A move in standard notation. There is one king a side, and pawns are told
/// apart by the file they come from: nothing is ambiguous.
pub(super) fn name(position: &Position, m: &Move) -> String {
    let capture = if m.captured.is_some() { "x" } else { "" };
    let mut name = match m.role {
        Role::Pawn if m.captured.is_some() => format!("{}x{}", file(m), m.to),
        Role::Pawn => m.to.to_string(),
        role => format!("{}{capture}{}", role.letter(), m.to),
    };
    if let Some(role) = m.promotion {
        name.push('=');
        name.push(role.letter());
    }
    let after = position.play(m);
    match (after.in_check(after.turn()), after.legal_moves().is_empty()) {
        (true, true) => name.push('#'),
        (true, false) => name.push('+'),
        (false, _) => {}
    }
    name
}

fn file(m: &Move) -> char {
    (b'a' + m.from.file() as u8) as char
}

/// A line with move numbers, from 1: "1. Kd3 Ke6 2. e4", "1... Ke6 2. e4".
pub(super) fn line_in_words(start: &Position, line: &[Move]) -> String {
    let mut at = *start;
    let mut words = Vec::new();
    let mut number = 1;
    for (i, m) in line.iter().enumerate() {
        match (at.turn(), i) {
            (Color::White, _) => words.push(format!("{number}.")),
            (Color::Black, 0) => words.push(format!("{number}...")),
            (Color::Black, _) => {}
        }
        words.push(name(&at, m));
        number += usize::from(at.turn() == Color::Black);
        at = at.play(m);
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_from_the_side_to_move() {
        let mut at: Position = "8/1P6/8/4k3/8/2p5/1P6/K7 b - -".parse().unwrap();
        let start = at;
        let mut line = Vec::new();
        for uci in ["e5d6", "b7b8q", "d6c6", "b2c3"] {
            let m = at.find_move(uci).unwrap();
            line.push(m);
            at = at.play(&m);
        }
        assert_eq!(line_in_words(&start, &line), "1... Kd6 2. b8=Q+ Kc6 3. bxc3");
    }
}
