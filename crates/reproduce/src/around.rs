//! The positions a line needs.

use molien_board::Position;

/// The positions of a line that are wanted, and all that are one move away
/// from them.
pub(crate) fn around(
    start: &Position,
    moves: &[&str],
    wanted: impl Fn(&Position) -> bool,
) -> Vec<Position> {
    let (mut now, mut found) = (*start, Vec::new());
    let mut names = moves.iter();
    loop {
        let legal = now.legal_moves();
        if wanted(&now) {
            found.push(now);
            found.extend(legal.iter().map(|m| now.play(m)));
        }
        let played = names.next().and_then(|name| legal.iter().find(|m| m.to_string() == *name));
        match played {
            Some(m) => now = now.play(m),
            None => return found,
        }
    }
}
