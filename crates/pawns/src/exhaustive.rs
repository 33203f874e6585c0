//! Every rule against every legal position, judged by tables that another
//! program made (Syzygy, read by another library).
//!
//! The tables are looked for in `$MOLIEN_ORACLE`, else in `../shared/oracle`
//! beside the workspace. Without them the tests say so and pass, except under
//! `$CI`, where a missing oracle is a failure.

use std::path::PathBuf;

use molien_board as board;
use shakmaty::{
    CastlingMode, Chess, Color, FromSetup, Move, Piece, Position, PositionError, Role, Setup,
    Square,
};
use shakmaty_syzygy::{Tablebase, Wdl};

use crate::duel::Duel;
use crate::geometry::files_apart;
use crate::knowledge::{Functions, known};
use crate::one_pawn::OnePawn;
use crate::two_pawns::TwoPawns;

fn oracle() -> Option<Tablebase<Chess>> {
    let folder = std::env::var_os("MOLIEN_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    let mut tables = Tablebase::new();
    match tables.add_directory(folder.join("syzygy/regular")) {
        Ok(found) if found > 0 => Some(tables),
        _ => {
            assert!(std::env::var_os("CI").is_none(), "no oracle in {}", folder.display());
            println!("skipped: no oracle in {}", folder.display());
            None
        }
    }
}

type Men<'a> = &'a [(Color, Role, usize)];

/// The position, if it is legal.
fn legal(men: Men<'_>, turn: Color, ep: Option<usize>) -> Option<Chess> {
    let mut setup = Setup { turn, ..Setup::empty() };
    let mut taken = 0u64;
    for &(color, role, square) in men {
        let edge = !(8..56).contains(&square);
        if taken >> square & 1 != 0 || (role == Role::Pawn && edge) {
            return None;
        }
        taken |= 1 << square;
        setup.board.set_piece_at(Square::new(square as u32), Piece { color, role });
    }
    setup.ep_square = ep.map(|square| Square::new(square as u32));
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// 1, 0 or -1 for the side to move.
fn truth(tables: &Tablebase<Chess>, position: &Chess) -> i8 {
    match tables.probe_wdl_after_zeroing(position).expect("a complete oracle") {
        Wdl::Win | Wdl::CursedWin => 1,
        Wdl::Draw => 0,
        Wdl::Loss | Wdl::BlessedLoss => -1,
    }
}

const WK: (Color, Role) = (Color::White, Role::King);
const BK: (Color, Role) = (Color::Black, Role::King);
const WP: (Color, Role) = (Color::White, Role::Pawn);
const BP: (Color, Role) = (Color::Black, Role::Pawn);
const WQ: (Color, Role) = (Color::White, Role::Queen);
const BQ: (Color, Role) = (Color::Black, Role::Queen);

/// Calls `visit` with every placement of four men whose first stands on the
/// left half of the board: the mirror gives the rest.
fn left_half(mut visit: impl FnMut([usize; 4])) {
    for a in (0..64).filter(|a| a % 8 < 4) {
        for b in 0..64 {
            for c in 0..64 {
                for d in 0..64 {
                    visit([a, b, c, d]);
                }
            }
        }
    }
}

fn place(men: [(Color, Role); 4], at: [usize; 4]) -> [(Color, Role, usize); 4] {
    std::array::from_fn(|i| (men[i].0, men[i].1, at[i]))
}

/// The same position in this project's own words.
fn ours(men: Men<'_>, turn: Color) -> board::Position {
    let color = |c: Color| c.fold_wb(board::Color::White, board::Color::Black);
    let men = men.iter().map(|&(c, role, square)| {
        let role = board::Role::from_letter(role.upper_char()).expect("a role");
        (board::Man::new(color(c), role), board::Square::new(square))
    });
    board::Position::new(men, color(turn)).expect("legal")
}

/// Counts verdicts; a wrong one fails the test at once.
#[derive(Default)]
struct Tally {
    seen: u64,
    decided: u64,
}

impl Tally {
    fn count(&mut self, low: i8, high: i8, value: i8, what: &dyn std::fmt::Debug) {
        assert!(low <= value && value <= high, "{what:?}: {low}..{high}, but it is {value}");
        self.seen += 1;
        self.decided += u64::from(low == high);
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
                    tally.count(value, value, truth(&tables, &position), &asked);
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
            tally.count(low, high, truth(&tables, &position), &asked);
        }
    });
    assert!(tally.share("two_pawns") > 96.0);
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
        tally.count(found.low, found.high, truth(&tables, &position), &asked);
    });
    assert!(tally.share("pawn_duel") > DUEL_FLOOR);
}

/// Slightly below the share reached.
const DUEL_FLOOR: f64 = 60.5;

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
        tally.count(found.low, found.high, truth(&tables, &position), &asked);
    });
    assert!(tally.share("pawn_duel with en passant") > 50.0);
}

/// Compares the bounds the search uses with the truth.
fn check_known(tables: &Tablebase<Chess>, men: Men<'_>, turn: Color, tally: &mut Tally) {
    let Some(position) = legal(men, turn, None) else { return };
    let bounds = known(&ours(men, turn), Functions::All);
    if (bounds.low, bounds.high) == (-1, 1) {
        tally.seen += 1;
        return; // nothing is claimed
    }
    tally.count(bounds.low, bounds.high, truth(tables, &position), &men);
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
