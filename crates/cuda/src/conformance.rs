//! Holding the card to the processor's tables.

use std::fmt::Debug;

use molien_board::{Color, Square};
use molien_values::{Graded, SideStats, Table};

fn graded_differences(turn: Color, a: &Graded, b: &Graded, found: &mut Vec<String>) {
    let mut differ = |name: &str, same: bool| {
        if !same {
            found.push(format!("{turn} to move: {name}"));
        }
    };
    differ("legal", a.legal == b.legal);
    differ("won", a.won == b.won);
    differ("lost", a.lost == b.lost);
    differ("depth", a.depth == b.depth);
    differ("stalemate", a.stalemate == b.stalemate);
}

fn side_differences(turn: Color, a: &SideStats, b: &SideStats, found: &mut Vec<String>) {
    let mut differ = |name: &str, a: &dyn Debug, b: &dyn Debug| {
        let (a, b) = (format!("{a:?}"), format!("{b:?}"));
        if a != b {
            found.push(format!("{turn} to move: {name}, {a} and {b}"));
        }
    };
    differ("legal", &a.legal, &b.legal);
    differ("broken", &a.broken, &b.broken);
    differ("longest win", &a.longest_win, &b.longest_win);
    differ("longest loss", &a.longest_loss, &b.longest_loss);
    differ("wins", &a.wins, &b.wins);
    differ("losses", &a.losses, &b.losses);
}

/// A number that two tables share if they are the same, bit for bit, statistics
/// included: for comparing tables solved on two machines.
pub fn signature(table: &Table) -> u64 {
    // FNV-1a, a word at a time.
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    let mut add = |word: u64| hash = (hash ^ word).wrapping_mul(PRIME).rotate_left(29);
    for values in table.parts.iter().flat_map(|part| &part.values) {
        let Graded { legal, won, lost, depth, stalemate } = values;
        for plane in [legal, won, lost, stalemate].into_iter().chain(depth) {
            add(plane.len() as u64);
            let rows = plane.iter().flat_map(|tile| Square::all().map(|row| tile.row(row)));
            rows.for_each(&mut add);
        }
    }
    format!("{:?}", table.stats).bytes().for_each(|byte| add(u64::from(byte)));
    hash
}

/// What is different between two tables; empty if they are the same, bit for
/// bit, statistics included.
pub fn differences(a: &Table, b: &Table) -> Vec<String> {
    let mut found = Vec::new();
    if (a.material, a.metric) != (b.material, b.metric) || a.parts.len() != b.parts.len() {
        return vec!["another table".to_owned()];
    }
    for (a, b) in a.parts.iter().zip(&b.parts) {
        for turn in Color::BOTH {
            graded_differences(turn, &a.values[turn.index()], &b.values[turn.index()], &mut found);
        }
    }
    for turn in Color::BOTH {
        let (a, b) = (&a.stats.sides[turn.index()], &b.stats.sides[turn.index()]);
        side_differences(turn, a, b, &mut found);
    }
    if a.stats.zugzwangs != b.stats.zugzwangs {
        found.push(format!("zugzwangs, {:?} and {:?}", a.stats.zugzwangs, b.stats.zugzwangs));
    }
    found
}
