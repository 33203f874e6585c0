//! The statements about king and pawn against king, decided by brute force.

use std::sync::OnceLock;

use molien_board::{Color, Position, Square};

use super::Truth;
use super::forced::{Forced, Goal, State, Step};
use crate::explain::FactKind;

/// The key squares as the textbooks have them, written down again.
fn is_key_square(pawn: Square, king: Square) -> bool {
    let (files, ranks) = ((king.file() - pawn.file()).abs(), king.rank() - pawn.rank());
    match (pawn.file(), pawn.rank()) {
        (0, _) => king.file() == 1 && king.rank() >= 6,
        (7, _) => king.file() == 6 && king.rank() >= 6,
        (_, 1..=3) => files <= 1 && ranks == 2,
        (_, 4) => files <= 1 && (ranks == 1 || ranks == 2),
        (_, 5) => files <= 1 && ranks == 1,
        _ => (files == 1 && ranks == 0) || (files <= 1 && ranks == 1),
    }
}

/// White's king on a key square, its pawn not lost at once.
fn holds_key_square(state: State) -> bool {
    let loses_pawn = !state.white_to_move && state.steps().contains(&Step::Taken);
    is_key_square(state.pawn, state.king) && !loses_pawn
}

/// The pawn promotes by running; a king before it steps aside.
struct Run;

impl Goal for Run {
    const WHITE_TRIES: bool = true;
    fn allows(&self, from: State, step: Step) -> bool {
        let before =
            from.king.file() == from.pawn.file() && from.king.rank() == from.pawn.rank() + 1;
        !matches!(step, Step::To(next) if next.pawn == from.pawn) || before
    }
    fn ends_well(&self, step: Step) -> bool {
        step == Step::Promoted
    }
    fn stuck_is_well(&self, check: bool) -> bool {
        check
    }
}

/// White's king gets to a key square; the pawn stays where it is, unless it may
/// move.
struct KeySquare {
    pawn_moves: bool,
}

impl Goal for KeySquare {
    const WHITE_TRIES: bool = true;
    fn is_reached(&self, state: State) -> bool {
        holds_key_square(state)
    }
    fn allows(&self, from: State, step: Step) -> bool {
        self.pawn_moves || matches!(step, Step::To(next) if next.pawn == from.pawn)
    }
    fn ends_well(&self, step: Step) -> bool {
        step == Step::Promoted
    }
    fn stuck_is_well(&self, check: bool) -> bool {
        check
    }
}

/// The pawn promotes and Black's king is never before it.
struct NeverBefore;

impl Goal for NeverBefore {
    const WHITE_TRIES: bool = true;
    fn is_lost(&self, state: State) -> bool {
        is_before(state)
    }
    fn ends_well(&self, step: Step) -> bool {
        step == Step::Promoted
    }
    fn stuck_is_well(&self, check: bool) -> bool {
        check
    }
}

fn is_before(state: State) -> bool {
    state.enemy.file() == state.pawn.file() && state.enemy.rank() > state.pawn.rank()
}

/// Black's king gets to the corner, or the pawn is lost.
struct Corner;

impl Goal for Corner {
    const WHITE_TRIES: bool = false;
    fn is_reached(&self, state: State) -> bool {
        state.enemy.rank() == 7 && state.enemy.file() == state.pawn.file()
    }
    fn ends_well(&self, step: Step) -> bool {
        matches!(step, Step::Taken | Step::Wasted)
    }
    fn stuck_is_well(&self, check: bool) -> bool {
        !check
    }
}

/// Whether the pawn runs home when its king is not on the board.
fn runs_alone(pawn: Square, enemy: Square, white_to_move: bool) -> bool {
    if white_to_move {
        let next = pawn.offset(0, 1).filter(|to| *to != enemy);
        let double = next.filter(|_| pawn.rank() == 1).and_then(|to| to.offset(0, 1));
        return next.into_iter().chain(double.filter(|to| *to != enemy)).any(|to| {
            match to.rank() {
                7 => enemy.distance(to) > 1,
                _ => runs_alone(to, enemy, false),
            }
        });
    }
    let guarded = molien_board::attacks::pawn(molien_board::Color::White, pawn);
    (molien_board::attacks::king(enemy) - guarded)
        .into_iter()
        .all(|to| to != pawn && runs_alone(pawn, to, true))
}

/// What can be forced with the pawn on one file, found when it is asked for.
struct OneFile {
    file: i32,
    run: OnceLock<Forced>,
    reach: OnceLock<Forced>,
    key: OnceLock<Forced>,
    never_before: OnceLock<Forced>,
    corner: OnceLock<Forced>,
}

static FILES: [OneFile; 4] = [OneFile::new(0), OneFile::new(1), OneFile::new(2), OneFile::new(3)];

impl OneFile {
    const fn new(file: i32) -> OneFile {
        OneFile {
            file,
            run: OnceLock::new(),
            reach: OnceLock::new(),
            key: OnceLock::new(),
            never_before: OnceLock::new(),
            corner: OnceLock::new(),
        }
    }

    /// The pawn runs home.
    fn runs(&self, state: State) -> bool {
        self.run.get_or_init(|| Forced::new(self.file, &Run)).contains(state)
    }

    /// The king gets to a key square, the pawn standing still.
    fn reaches(&self, state: State) -> bool {
        let goal = KeySquare { pawn_moves: false };
        self.reach.get_or_init(|| Forced::new(self.file, &goal)).contains(state)
    }

    /// The king gets to a key square.
    fn wins_key(&self, state: State) -> bool {
        let goal = KeySquare { pawn_moves: true };
        self.key.get_or_init(|| Forced::new(self.file, &goal)).contains(state)
    }

    fn shuts_off(&self, state: State) -> bool {
        self.never_before.get_or_init(|| Forced::new(self.file, &NeverBefore)).contains(state)
    }

    fn holds_corner(&self, state: State) -> bool {
        self.corner.get_or_init(|| Forced::new(self.file, &Corner)).contains(state)
    }
}

/// Whether a statement is true of king and pawn against king.
pub(super) fn is_true(kind: FactKind, at: &Position, truth: Truth<'_>) -> bool {
    let (Some(state), Some(value)) = (state_of(at), truth(at)) else { return false };
    let State { king, pawn, enemy, white_to_move } = state;
    let (won, file) = (value != 0, &FILES[pawn.file() as usize]);
    let alone = || runs_alone(pawn, enemy, white_to_move);
    match kind {
        FactKind::Promotes => won && white_to_move && state.steps().contains(&Step::Promoted),
        FactKind::Takes => !white_to_move && state.steps().contains(&Step::Taken),
        FactKind::OutsideTheSquare => won && file.runs(state) && alone(),
        FactKind::Shields => won && file.runs(state) && !alone(),
        FactKind::OnKeySquare => won && is_key_square(pawn, king),
        FactKind::ReachesKeySquare => won && file.reaches(state),
        FactKind::Opposition => {
            won && !white_to_move && is_opposed(king, enemy) && file.wins_key(state)
        }
        FactKind::WinsKeySquare => won && file.wins_key(state),
        FactKind::ShutsOff => won && file.shuts_off(state),
        FactKind::Blockades => !won && is_before(state) && !file.wins_key(state),
        FactKind::KeepsFromKeySquares => !won && !file.wins_key(state),
        FactKind::HoldsTheCorner => !won && file.holds_corner(state),
        FactKind::KeySquareNotEnough => !won && file.wins_key(state),
        _ => false,
    }
}

/// Kings on one file or rank, an odd number of squares between them.
fn is_opposed(a: Square, b: Square) -> bool {
    let (files, ranks) = ((a.file() - b.file()).abs(), (a.rank() - b.rank()).abs());
    (files == 0 || ranks == 0) && (files + ranks) % 2 == 0
}

/// The position as a state, the pawn White's and on the left half.
fn state_of(position: &Position) -> Option<State> {
    let white = position.pawns(Color::White).len() == 1;
    let seen = if white { *position } else { position.swap_colors() };
    let pawn = seen.pawns(Color::White).first()?;
    let at = |square: Square| if pawn.file() > 3 { square.flip_horizontal() } else { square };
    Some(State {
        king: at(seen.king(Color::White)),
        pawn: at(pawn),
        enemy: at(seen.king(Color::Black)),
        white_to_move: seen.turn() == Color::White,
    })
}
