//! The positions a line needs.

use molien_board::Position;

/// The positions of a line and all that are one move away from it.
pub(crate) fn around(start: &Position, moves: &[&str]) -> Vec<Position> {
    let (mut now, mut found) = (*start, vec![*start]);
    for name in moves {
        let legal = now.legal_moves();
        found.extend(legal.iter().map(|m| now.play(m)));
        match legal.iter().find(|m| m.to_string() == *name) {
            Some(m) => now = now.play(m),
            None => break,
        }
    }
    found.extend(now.legal_moves().iter().map(|m| now.play(m)));
    found
}
