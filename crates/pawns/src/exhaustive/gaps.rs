//! Where `pawn_duel` is silent: undecided positions grouped by what they have
//! in common, the largest groups first. It tells which rule is worth writing
//! next:
//!
//! ```sh
//! cargo test --release -p molien-pawns -- --ignored --nocapture gaps
//! ```

use std::collections::HashMap;

use shakmaty::Color;

use super::duel;
use super::referee::{BK, BP, WK, WP, left_half, legal, oracle, place, truth};
use crate::duel::Duel;
use crate::geometry::pawn_moves_home;
use crate::one_pawn::OnePawn;

/// What the positions of a group share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Group {
    pawns: &'static str,
    truth: i8,
    bounds: (i8, i8),
    /// White's and Black's pawn run home, White to move.
    runs: [bool; 2],
    /// White's and Black's pawn would win without the other.
    wins_alone: [bool; 2],
    /// Moves Black's pawn still needs when White's has run home.
    lead: i32,
}

impl Group {
    fn of(men: Duel, bounds: (i8, i8), truth: i8) -> Group {
        let turned = men.turned();
        let alone = |men: Duel| OnePawn { king: men.king, pawn: men.pawn, enemy: men.enemy };
        let pawns = match (men.is_blocked(), men.is_adjacent()) {
            (true, _) => "blocked",
            (_, true) => "adjacent",
            _ => "passed",
        };
        Group {
            pawns,
            truth,
            bounds,
            runs: [men.runs_home(true), turned.runs_home(false)],
            wins_alone: [alone(men).wins(true), alone(turned).wins(false)],
            lead: pawn_moves_home(turned.pawn) - pawn_moves_home(men.pawn) + 1,
        }
    }
}

#[test]
#[ignore = "a report for whoever writes rules, not a check"]
fn gaps_by_kind() {
    let Some(tables) = oracle() else { return };
    let mut groups: HashMap<Group, (u64, Duel)> = HashMap::new();
    let mut seen = 0u64;
    left_half(|at| {
        let men = place([WP, BP, WK, BK], at);
        let Some(position) = legal(&men, Color::White, None) else { return };
        seen += 1;
        let asked = duel(at);
        let found = asked.judge(false);
        if found.low != found.high {
            let group = Group::of(asked, (found.low, found.high), truth(&tables, &position));
            groups.entry(group).or_insert((0, asked)).0 += 1;
        }
    });
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|&(_, (count, _))| std::cmp::Reverse(count));
    for (group, (count, example)) in groups.iter().take(60) {
        println!("{:.2} % {group:?} such as {example:?}", 100.0 * *count as f64 / seen as f64);
    }
}
