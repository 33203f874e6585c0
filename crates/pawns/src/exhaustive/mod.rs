//! Every rule against every legal position, judged by tables that another
//! program made (Syzygy, read by another library). Of four men it is every
//! third, unless `$MOLIEN_EXHAUSTIVE` is set.
//!
//! The tables are looked for in `$MOLIEN_ORACLE`, else in `../shared/oracle`
//! beside the workspace. Without them the tests say so and pass, except under
//! `$CI`, where a missing oracle is a failure.

mod facts;
mod gaps;
mod referee;

use molien_board as board;
use shakmaty::{Chess, Color, Move, Position, Role, Square};
use shakmaty_syzygy::Tablebase;

use crate::duel::Duel;
use crate::duel::queens::{NewQueen, least_against_queen};
use crate::duel::seventh::Seventh;
use crate::duel::two_queens::TwoQueens;
use crate::geometry::files_apart;
use crate::knowledge::{Functions, known};
use crate::one_pawn::OnePawn;
use crate::two_pawns::TwoPawns;
use referee::{BK, BP, BQ, Men, WK, WP, WQ, left_half, legal, oracle, ours, place, truth};

/// Counts verdicts; a wrong one fails the test at once.
#[derive(Default)]
struct Tally {
    seen: u64,
    decided: u64,
}

impl Tally {
    /// The truth is asked for only where something is claimed.
    fn count(
        &mut self,
        (low, high): (i8, i8),
        truth: impl FnOnce() -> i8,
        what: &dyn std::fmt::Debug,
    ) {
        self.seen += 1;
        self.decided += u64::from(low == high);
        if (low, high) != (-1, 1) {
            let value = truth();
            assert!(low <= value && value <= high, "{what:?}: {low}..{high}, but it is {value}");
        }
    }

    fn share(&self, name: &str) -> f64 {
        let share = 100.0 * self.decided as f64 / self.seen as f64;
        println!("{name}: {share:.2} % of {} positions decided, none wrong", self.seen);
        share
    }
}

#[test]
fn one_pawn_is_exact_everywhere() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    for pawn in 8..56 {
        for king in 0..64 {
            for enemy in 0..64 {
                for turn in Color::ALL {
                    let men = [(WK.0, WK.1, king), (BK.0, BK.1, enemy), (WP.0, WP.1, pawn)];
                    let Some(position) = legal(&men, turn, None) else { continue };
                    let sq = board::Square::new;
                    let asked = OnePawn { king: sq(king), pawn: sq(pawn), enemy: sq(enemy) };
                    let win = i8::from(asked.wins(turn.is_white()));
                    let found =
                        if turn.is_white() { asked.white_to_move() } else { asked.black_to_move() };
                    assert_eq!(found.win, win == 1);
                    let value = if turn.is_white() { win } else { -win };
                    tally.count((value, value), || truth(&tables, &position), &asked);
                }
            }
        }
    }
    assert_eq!(tally.seen, 331_352);
    assert_eq!(tally.share("one_pawn"), 100.0);
}

#[test]
fn two_pawns_are_never_wrong() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    left_half(|at| {
        if at[0] >= at[1] {
            return;
        }
        for turn in Color::ALL {
            let men = place([WP, WP, WK, BK], at);
            let Some(position) = legal(&men, turn, None) else { continue };
            let sq = board::Square::new;
            let asked = TwoPawns::new(sq(at[2]), [sq(at[0]), sq(at[1])], sq(at[3]));
            let found = if turn.is_white() { asked.white_to_move() } else { asked.black_to_move() };
            let sign = if turn.is_white() { 1 } else { -1 };
            let (low, high) = match found.win {
                Some(win) => (sign * i8::from(win), sign * i8::from(win)),
                None => (-1, 1),
            };
            tally.count((low, high), || truth(&tables, &position), &asked);
        }
    });
    assert!(tally.share("two_pawns") > 99.5);
}

#[test]
fn pawn_duel_is_never_wrong() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    left_half(|at| {
        let men = place([WP, BP, WK, BK], at);
        let Some(position) = legal(&men, Color::White, None) else { return };
        let asked = duel(at);
        let found = asked.judge(false);
        tally.count((found.low, found.high), || truth(&tables, &position), &asked);
    });
    assert!(tally.share("pawn_duel") > DUEL_FLOOR);
}

/// Slightly below the share reached.
const DUEL_FLOOR: f64 = 95.15;

fn duel(at: [usize; 4]) -> Duel {
    let sq = board::Square::new;
    Duel { pawn: sq(at[0]), rival: sq(at[1]), king: sq(at[2]), enemy: sq(at[3]) }
}

#[test]
fn pawn_duel_counts_en_passant_in() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    left_half(|at| {
        // Both pawns on the fifth, Black's just arrived by a double step.
        let beside = files_apart(board::Square::new(at[0]), board::Square::new(at[1])) == 1;
        let passed = at[1] + 8;
        if at[0] / 8 != 4 || at[1] / 8 != 4 || !beside {
            return;
        }
        let free = |square: usize| !at.contains(&square);
        if !free(passed) || !free(passed + 8) {
            return;
        }
        let men = place([WP, BP, WK, BK], at);
        let Some(position) = legal(&men, Color::White, Some(passed)) else { return };
        if position.legal_ep_square().is_none() {
            return;
        }
        let asked = duel(at);
        let found = asked.judge(true);
        tally.count((found.low, found.high), || truth(&tables, &position), &asked);
    });
    assert!(tally.share("pawn_duel with en passant") > 98.0);
}

/// Compares the bounds the search uses with the truth.
fn check_known(tables: &Tablebase<Chess>, men: Men<'_>, turn: Color, tally: &mut Tally) {
    let Some(position) = legal(men, turn, None) else { return };
    let bounds = known(&ours(men, turn), Functions::All);
    tally.count((bounds.low, bounds.high), || truth(tables, &position), &men);
}

#[test]
fn queen_against_pawn_is_never_wrong() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    left_half(|at| {
        for turn in Color::ALL {
            check_known(&tables, &place([BP, WQ, WK, BK], at), turn, &mut tally);
        }
    });
    assert!(tally.share("queen against pawn") > 70.0);
}

/// What the races end with: a queen on the square where it was made, the side
/// with the pawn to move.
#[test]
fn new_queens_never_get_less_than_said() {
    let Some(tables) = oracle() else { return };
    let (mut said, mut seen) = ([0u64; 2], 0u64);
    left_half(|at| {
        let men = place([BP, WQ, WK, BK], at);
        let Some(position) = legal(&men, Color::Black, None).filter(|_| at[1] / 8 == 7) else {
            return;
        };
        let value = truth(&tables, &position);
        let [rival, queen, king, enemy] = at.map(board::Square::new);
        let new = NewQueen { king, queen, rival };
        let least = new.least(board::Bitboard::from_square(enemy), -1);
        assert!(least <= -value, "{men:?}: the queen gets {least}, but it is {value}");
        let turned = [rival, queen, king, enemy].map(|square| square.flip_vertical());
        let [pawn, queen, enemy, king] = turned;
        let other = least_against_queen(Duel { king, pawn, enemy, rival: queen }, queen);
        assert!(other <= value, "{men:?}: the pawn gets {other}, but it is {value}");
        seen += 1;
        said[0] += u64::from(least == -value);
        said[1] += u64::from(other == value);
    });
    let [queens, pawns] = said.map(|said| 100.0 * said as f64 / seen as f64);
    println!("new queens: {queens:.2} %, pawns against them: {pawns:.2} % of {seen} exact");
    assert!(queens > 98.9 && pawns > 99.0);
}

/// Both sides have just queened: what is said of the side to move.
#[test]
fn two_new_queens_are_judged_rightly() {
    let Some(tables) = oracle() else { return };
    let (mut seen, mut said) = (0u64, 0u64);
    left_half(|at| {
        let men = place([WQ, BQ, WK, BK], at);
        let new = at[0] / 8 == 7 && at[1] / 8 == 0;
        let Some(position) = legal(&men, Color::White, None).filter(|_| new) else { return };
        let value = truth(&tables, &position);
        let [queen, rival, king, enemy] = at.map(board::Square::new);
        let asked = TwoQueens { king, queen, enemy, rival };
        let (wins, cannot_win) = (asked.wins(), asked.cannot_win());
        assert!(!wins || value == 1, "{asked:?} is {value}");
        assert!(!cannot_win || value < 1, "{asked:?} is {value}");
        assert!(!asked.cannot_lose() || value > -1, "{asked:?} is {value}");
        seen += 1;
        said += u64::from(wins || cannot_win);
    });
    println!("two new queens: won or not in {:.2} %", 100.0 * said as f64 / seen as f64);
    assert!(100 * said > 97 * seen);
}

/// A new queen to move against a pawn on the seventh or on the sixth.
#[test]
fn new_queens_to_move_are_judged_rightly() {
    let Some(tables) = oracle() else { return };
    left_half(|at| {
        let men = place([BP, WQ, WK, BK], at);
        let new = at[1] / 8 == 7 && matches!(at[0] / 8, 1 | 2);
        let Some(position) = legal(&men, Color::White, None).filter(|_| new) else { return };
        let value = truth(&tables, &position);
        let [rival, queen, king, enemy] = at.map(board::Square::new);
        let asked = Seventh { king, queen, enemy, rival };
        if rival.rank() == 2 {
            assert!(!asked.beats_sixth() || value == 1, "{asked:?} is {value}");
        } else {
            assert!(!asked.wins() || value == 1, "{asked:?} is {value}");
            assert!(!asked.cannot_win() || value < 1, "{asked:?} is {value}");
        }
    });
}

#[test]
fn queen_against_knight_is_never_wrong() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    // All eight symmetries: White's king in the triangle a1-d1-d4.
    left_half(|at| {
        for turn in Color::ALL.into_iter().filter(|_| at[0] / 8 <= at[0] % 8) {
            let knight = (Color::Black, Role::Knight);
            check_known(&tables, &place([WK, BK, WQ, knight], at), turn, &mut tally);
        }
    });
    assert!(tally.share("queen against knight") > 72.5);
}

#[test]
fn queen_against_queen_is_never_wrong() {
    let Some(tables) = oracle() else { return };
    let mut tally = Tally::default();
    // All eight symmetries: White's king in the triangle a1-d1-d4.
    left_half(|at| {
        if at[0] / 8 <= at[0] % 8 {
            check_known(&tables, &place([WK, BK, WQ, BQ], at), Color::White, &mut tally);
        }
    });
    tally.share("queen against queen");
}

#[test]
fn a_bare_king_loses_to_heavy_pieces() {
    let Some(tables) = oracle() else { return };
    for role in [Role::Queen, Role::Rook] {
        let mut tally = Tally::default();
        for extra in [Role::Pawn, Role::Queen, Role::Knight] {
            let mut i = 0usize;
            left_half(|at| {
                i += 1;
                // One in 41 keeps it short and still meets every corner.
                for turn in Color::ALL.into_iter().filter(|_| i.is_multiple_of(41)) {
                    let men = place([(Color::White, role), (Color::White, extra), WK, BK], at);
                    check_known(&tables, &men, turn, &mut tally);
                }
            });
        }
        assert!(tally.share("heavy pieces against a bare king") > 80.0);
    }
}

/// The search leaves out promotions that a queen always matches.
#[test]
fn left_out_promotions_are_never_better() {
    let Some(tables) = oracle() else { return };
    for rival in [BP, BQ] {
        left_half(|at| {
            if at[0] / 8 != 6 {
                return;
            }
            let men = place([WP, rival, WK, BK], at);
            let Some(position) = legal(&men, Color::White, None) else { return };
            let here = ours(&men, Color::White);
            let value = |m: Move| {
                let mut after = position.clone();
                after.play_unchecked(m);
                -truth(&tables, &after)
            };
            let moves = position.legal_moves();
            for m in here.legal_moves().iter().filter(|m| crate::search::is_dominated(&here, m)) {
                let to = Square::new(m.to.index() as u32);
                let by = |role| {
                    moves.iter().find(|m| m.to() == to && m.promotion() == Some(role)).copied()
                };
                let role = Role::from_char(m.promotion.map_or('q', |role| role.letter()));
                let (queen, other) = (by(Role::Queen), role.and_then(by));
                if let (Some(queen), Some(other)) = (queen, other) {
                    assert!(value(queen) >= value(other), "{here} {m}");
                }
            }
        });
    }
}
