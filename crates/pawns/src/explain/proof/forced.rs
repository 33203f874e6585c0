//! What one side can force in king and pawn against king, by brute force on
//! all positions with the pawn on one file. Nothing here knows a rule.

use molien_board::{Bitboard, Color, Square, attacks};

/// A position with the pawn White's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub king: Square,
    pub pawn: Square,
    pub enemy: Square,
    pub white_to_move: bool,
}

/// What a move leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    To(State),
    /// The pawn is taken.
    Taken,
    /// The pawn promotes and is not taken.
    Promoted,
    /// The pawn promotes and is taken.
    Wasted,
}

impl State {
    /// All legal moves.
    pub fn steps(self) -> Vec<Step> {
        if self.white_to_move { self.white_steps() } else { self.black_steps() }
    }

    fn white_steps(self) -> Vec<Step> {
        let to = |state: State| Step::To(State { white_to_move: false, ..state });
        let own = Bitboard::from_square(self.pawn);
        let near = attacks::king(self.enemy);
        let kings = attacks::king(self.king) - near - own;
        let mut steps: Vec<Step> =
            kings.into_iter().map(|king| to(State { king, ..self })).collect();
        let taken = [self.king, self.enemy];
        let Some(single) = self.pawn.offset(0, 1).filter(|to| !taken.contains(to)) else {
            return steps;
        };
        if single.rank() == 7 {
            let lost = self.enemy.distance(single) == 1 && self.king.distance(single) > 1;
            steps.push(if lost { Step::Wasted } else { Step::Promoted });
            return steps;
        }
        steps.push(to(State { pawn: single, ..self }));
        let double = single.offset(0, 1).filter(|to| self.pawn.rank() == 1 && !taken.contains(to));
        steps.extend(double.map(|pawn| to(State { pawn, ..self })));
        steps
    }

    fn black_steps(self) -> Vec<Step> {
        let guarded = attacks::king(self.king) | attacks::pawn(Color::White, self.pawn);
        let free = attacks::king(self.enemy) - guarded - Bitboard::from_square(self.king);
        let step = |enemy: Square| match enemy == self.pawn {
            true => Step::Taken,
            false => Step::To(State { enemy, white_to_move: true, ..self }),
        };
        free.into_iter().map(step).collect()
    }

    fn index(self) -> usize {
        let turn = usize::from(self.white_to_move);
        let (king, enemy) = (self.king.index(), self.enemy.index());
        ((turn * 8 + self.pawn.rank() as usize) * 64 + king) * 64 + enemy
    }

    fn all(file: i32) -> impl Iterator<Item = State> {
        let sides = [true, false].into_iter();
        sides.flat_map(move |white_to_move| {
            (1..7).flat_map(move |rank| {
                Square::all().flat_map(move |king| {
                    Square::all().filter_map(move |enemy| {
                        let pawn = Square::at(file, rank)?;
                        let state = State { king, pawn, enemy, white_to_move };
                        state.is_legal().then_some(state)
                    })
                })
            })
        })
    }

    fn is_legal(self) -> bool {
        let apart = self.king.distance(self.enemy) > 1;
        let check = attacks::pawn(Color::White, self.pawn).contains(self.enemy);
        apart && self.king != self.pawn && self.enemy != self.pawn && !(self.white_to_move && check)
    }
}

/// A game White or Black tries to win in its own way.
pub(super) trait Goal {
    /// The side that tries.
    const WHITE_TRIES: bool;
    /// Done as soon as this is on the board.
    fn is_reached(&self, _state: State) -> bool {
        false
    }
    /// Failed as soon as this is on the board.
    fn is_lost(&self, _state: State) -> bool {
        false
    }
    /// Whether the side that tries may go this way.
    fn allows(&self, _from: State, _step: Step) -> bool {
        true
    }
    /// Whether a move that ends the game reaches the goal.
    fn ends_well(&self, step: Step) -> bool;
    /// Whether Black to move without a move reaches the goal.
    fn stuck_is_well(&self, check: bool) -> bool;
}

/// The positions from which the goal can be forced, the pawn on this file.
pub(super) struct Forced(Vec<bool>);

impl Forced {
    pub fn new<G: Goal>(file: i32, goal: &G) -> Forced {
        let mut won = vec![false; 2 * 8 * 64 * 64];
        let states: Vec<State> = State::all(file).filter(|state| !goal.is_lost(*state)).collect();
        loop {
            let mut changed = false;
            for &state in &states {
                if !won[state.index()] && holds(goal, state, &won) {
                    won[state.index()] = true;
                    changed = true;
                }
            }
            if !changed {
                return Forced(won);
            }
        }
    }

    pub fn contains(&self, state: State) -> bool {
        self.0[state.index()]
    }
}

fn holds<G: Goal>(goal: &G, state: State, won: &[bool]) -> bool {
    if goal.is_reached(state) {
        return true;
    }
    let good = |step: &Step| match step {
        Step::To(next) => won[next.index()],
        end => goal.ends_well(*end),
    };
    let steps = state.steps();
    if steps.is_empty() && !state.white_to_move {
        return goal.stuck_is_well(attacks::pawn(Color::White, state.pawn).contains(state.enemy));
    }
    if state.white_to_move == G::WHITE_TRIES {
        steps.iter().any(|step| goal.allows(state, *step) && good(step))
    } else {
        !steps.is_empty() && steps.iter().all(good)
    }
}
