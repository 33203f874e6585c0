//! Moves as people write them.

use std::str::FromStr;

use thiserror::Error;

use crate::{Move, Position, Role, Square};

/// A move in UCI (`e7e8q`), standard (`Nbd2`, `exd8=Q+`) or long algebraic
/// notation (`Nb1-d2`, `e7xd8=Q`), not yet tied to a position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MoveName {
    /// The turn is passed: `--`, `Z0` or `0000`.
    Null,
    /// Castling: `O-O` or `0-0`, `O-O-O` or `0-0-0`.
    Castling {
        /// Whether it is the king's side.
        kingside: bool,
    },
    /// Any other move.
    Plain {
        /// What moves; none if only its square is named.
        role: Option<Role>,
        /// Its file, 0 to 7, if it is named.
        file: Option<i32>,
        /// Its rank, 0 to 7, if it is named.
        rank: Option<i32>,
        /// Where to.
        to: Square,
        /// What a pawn becomes.
        promotion: Option<Role>,
    },
}

/// The text is not a move that can be played.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum MoveNameError {
    /// The text does not name a move.
    #[error("'{name}' is not a move: expected something like e2e4, Nf3 or e8=Q")]
    Unreadable {
        /// The text.
        name: String,
    },
    /// No legal move has this name.
    #[error("{name} is not a legal move in {position}")]
    Illegal {
        /// The text.
        name: String,
        /// The position.
        position: Box<Position>,
    },
    /// Several legal moves have this name.
    #[error("{name} can mean {} in {position}", list(moves))]
    Ambiguous {
        /// The text.
        name: String,
        /// The moves it can mean.
        moves: Vec<Move>,
        /// The position.
        position: Box<Position>,
    },
}

fn list(moves: &[Move]) -> String {
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

impl MoveName {
    /// Whether a move from one square to another has this name.
    pub fn is(&self, role: Role, from: Square, to: Square, promotion: Option<Role>) -> bool {
        match *self {
            MoveName::Null | MoveName::Castling { .. } => false,
            MoveName::Plain { role: wanted, file, rank, to: target, promotion: piece } => {
                wanted.is_none_or(|wanted| wanted == role)
                    && file.is_none_or(|file| file == from.file())
                    && rank.is_none_or(|rank| rank == from.rank())
                    && (target, piece) == (to, promotion)
            }
        }
    }
}

impl FromStr for MoveName {
    type Err = MoveNameError;

    fn from_str(text: &str) -> Result<MoveName, MoveNameError> {
        let unreadable = || MoveNameError::Unreadable { name: text.to_owned() };
        let bare = text.trim_end_matches(['+', '#', '!', '?']);
        let bare = ["e.p.", "ep"].iter().find_map(|end| bare.strip_suffix(end)).unwrap_or(bare);
        match bare {
            "--" | "Z0" | "0000" | "@@@@" => Ok(MoveName::Null),
            "O-O" | "0-0" => Ok(MoveName::Castling { kingside: true }),
            "O-O-O" | "0-0-0" => Ok(MoveName::Castling { kingside: false }),
            _ => plain(bare).ok_or_else(unreadable),
        }
    }
}

/// Reads from the end, where the target stands: everything before it may be
/// missing.
fn plain(text: &str) -> Option<MoveName> {
    // The signs between the parts say nothing that the parts do not.
    let letters: Vec<char> = text.chars().filter(|c| !"x-:=/()".contains(*c)).collect();
    let (role, letters) = match letters.split_first()? {
        (first, rest) if first.is_ascii_uppercase() => (Some(Role::from_letter(*first)?), rest),
        _ => (None, &letters[..]),
    };
    let (promotion, letters) = match letters.split_last()? {
        (last, rest) if last.is_ascii_alphabetic() => {
            let piece = Role::from_letter(*last)?;
            (Some(Role::PROMOTIONS.into_iter().find(|role| *role == piece)?), rest)
        }
        _ => (None, letters),
    };
    let (from, to) = letters.split_at(letters.len().checked_sub(2)?);
    let to: Square = to.iter().collect::<String>().parse().ok()?;
    let file = |c: char| ('a'..='h').contains(&c).then(|| c as i32 - 'a' as i32);
    let rank = |c: char| ('1'..='8').contains(&c).then(|| c as i32 - '1' as i32);
    let (from_file, from_rank) = match *from {
        [] => (None, None),
        [one] => match file(one) {
            Some(file) => (Some(file), None),
            None => (None, Some(rank(one)?)),
        },
        [first, second] => (Some(file(first)?), Some(rank(second)?)),
        _ => return None,
    };
    // A whole square names the man on it; else a man without a letter is a pawn.
    let whole = from_file.is_some() && from_rank.is_some();
    let role = if whole { role } else { Some(role.unwrap_or(Role::Pawn)) };
    Some(MoveName::Plain { role, file: from_file, rank: from_rank, to, promotion })
}

impl Position {
    /// The legal move of this name, in any of the notations of [`MoveName`].
    ///
    /// # Errors
    /// If the text names no move, none that is legal here, or several.
    ///
    /// ```
    /// use molien_board::Position;
    ///
    /// let position: Position = "8/P7/8/8/8/2k5/8/K6R w - -".parse()?;
    /// for name in ["h1h5", "Rh5", "Rh1-h5"] {
    ///     assert_eq!(position.find_move(name)?.to_string(), "h1h5");
    /// }
    /// assert_eq!(position.find_move("a8=N")?.to_string(), "a7a8n");
    /// assert!(position.find_move("a8").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn find_move(&self, name: &str) -> Result<Move, MoveNameError> {
        let wanted: MoveName = name.parse()?;
        let mut moves = self.legal_moves();
        moves.retain(|m| wanted.is(m.role, m.from, m.to, m.promotion));
        let (name, position) = (name.to_owned(), Box::new(*self));
        match moves[..] {
            [found] => Ok(found),
            [] => Err(MoveNameError::Illegal { name, position }),
            _ => Err(MoveNameError::Ambiguous { name, moves, position }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_notation_names_the_same_move() {
        let position: Position = "8/3P4/8/2pP4/8/1k6/8/RN2KN1R w - c6".parse().unwrap();
        let found = |name: &str| position.find_move(name).map(|m| m.to_string());
        for (names, expected) in [
            (&["d7d8q", "d8=Q", "d8Q", "d8(Q)", "d7-d8=Q+", "d8=Q#!!"][..], "d7d8q"),
            (&["dxc6", "d5c6", "d5xc6", "dxc6e.p.", "dxc6ep"], "d5c6"),
            (&["Nbd2", "b1d2", "Nb1-d2", "Nb1d2+"], "b1d2"),
            (&["Nfd2", "f1d2"], "f1d2"),
            (&["Rg1", "h1g1", "R1g1", "Rhg1", "Rh1g1"], "h1g1"),
            (&["Ke2", "e1e2", "Ke1-e2"], "e1e2"),
        ] {
            for name in names {
                assert_eq!(found(name).as_deref(), Ok(expected), "{name}");
            }
        }
        assert!(matches!(found("Nd2"), Err(MoveNameError::Ambiguous { .. })));
        assert!(matches!(found("d8"), Err(MoveNameError::Illegal { .. })));
        for name in ["O-O", "0-0-0", "--", "Qd4", "Rf1", "d5"] {
            assert!(matches!(found(name), Err(MoveNameError::Illegal { .. })), "{name}");
        }
        for name in ["", "x", "i9", "Rh1g1h5", "e9", "d8=K", "d8=P", "Xd4", "été", "+", "1."] {
            assert!(matches!(found(name), Err(MoveNameError::Unreadable { .. })), "{name}");
        }
    }

    #[test]
    fn an_error_names_move_and_position() {
        let position: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
        let error = position.find_move("Rh9").unwrap_err().to_string();
        assert_eq!(error, "'Rh9' is not a move: expected something like e2e4, Nf3 or e8=Q");
        let error = position.find_move("Rg5").unwrap_err().to_string();
        assert_eq!(error, "Rg5 is not a legal move in 8/8/8/8/8/2k5/8/K6R w - -");
    }
}
