//! The game so far: the position, its clock, and what came before.

use molien_board::{Move, Position, Setup};

/// The position on the board with what the rules remember of the game.
#[derive(Clone, Debug)]
pub(crate) struct Game {
    setup: Setup,
    /// The positions before this one since the last capture or pawn move, as
    /// far as they are known.
    earlier: Vec<Position>,
}

impl Game {
    /// A game that begins here.
    pub fn new(setup: Setup) -> Game {
        Game { setup, earlier: Vec::new() }
    }

    /// Reads what follows `position`: `fen <fields> [moves <move>...]`.
    pub fn read(words: &[&str]) -> Result<Game, String> {
        let words = match words.first() {
            Some(&"fen") => &words[1..],
            Some(&"startpos") => {
                return Err("this engine plays endings: set one up with 'position fen ...'".into());
            }
            _ => return Err("expected 'position fen ... [moves ...]'".into()),
        };
        let end = words.iter().position(|&word| word == "moves").unwrap_or(words.len());
        let (fields, moves) = words.split_at(end);
        let mut game = Game::new(fields.join(" ").parse().map_err(|e| format!("{e}"))?);
        for name in moves.iter().skip(1) {
            let played = game.position().find_move(name).map_err(|e| format!("{e}"))?;
            game.play(&played);
        }
        Ok(game)
    }

    /// The position to move in.
    pub fn position(&self) -> &Position {
        &self.setup.position
    }

    /// Plies since the last capture or pawn move.
    pub fn clock(&self) -> u32 {
        self.setup.halfmove_clock
    }

    /// Plays a move on.
    pub fn play(&mut self, m: &Move) {
        if m.is_zeroing() {
            self.earlier.clear();
        } else {
            self.earlier.push(self.setup.position);
        }
        self.setup = self.setup.play(m);
    }

    /// The clock after a move.
    pub fn clock_after(&self, m: &Move) -> u32 {
        self.setup.play(m).halfmove_clock
    }

    /// How often a position has been on the board since the last capture or
    /// pawn move.
    pub fn times_seen(&self, position: &Position) -> usize {
        self.earlier.iter().chain([self.position()]).filter(|&old| old == position).count()
    }

    /// Whether any position has been repeated since the last capture or pawn
    /// move.
    pub fn has_repetition(&self) -> bool {
        let mut before = self.earlier.iter().chain([self.position()]).enumerate();
        before.any(|(i, position)| self.earlier[..i].contains(position))
    }

    /// The positions before this one that could come up again.
    pub fn earlier(&self) -> &[Position] {
        &self.earlier
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Game, String> {
        Game::read(&text.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn the_clock_runs_and_pawn_moves_reset_it() {
        let game = read("fen 8/8/8/8/8/2k5/P7/K7 w - - 7 9 moves a1b1 c3d3").unwrap();
        assert_eq!((game.clock(), game.earlier().len()), (9, 2));
        let game = read("fen 8/8/8/8/8/2k5/P7/K7 w - - 7 9 moves a1b1 c3d3 a2a4").unwrap();
        assert_eq!((game.clock(), game.earlier().len()), (0, 0));
        assert_eq!(read("fen 8/8/8/8/8/2k5/P7/K7 w - -").unwrap().clock(), 0);
    }

    #[test]
    fn repetitions_are_counted() {
        let round = "a1b1 c3d3 b1a1 d3c3";
        let game = read(&format!("fen 8/8/8/8/8/2k5/P7/K7 w - - 0 1 moves {round}")).unwrap();
        assert_eq!(game.times_seen(game.position()), 2);
        assert!(game.has_repetition());
        let game = read("fen 8/8/8/8/8/2k5/P7/K7 w - - 0 1 moves a1b1 c3d3").unwrap();
        assert!(!game.has_repetition());
    }

    #[test]
    fn nonsense_is_refused_in_words() {
        let error = |text: &str| read(text).unwrap_err();
        assert!(error("fen 8/8/8/8/8/2k5/P7/K7 w - - x 1").contains("halfmove clock"));
        assert!(error("fen 8/8/8/8/8/2k5/P7/K7 w - - -1 1").contains("halfmove clock"));
        assert!(error("startpos").contains("endings"));
        assert!(error("").contains("expected 'position fen"));
        assert!(error("fen 8/8/8/8/8/2k5/P7/K7 w - - moves a2a5").contains("not a legal move"));
    }
}
