//! Holding the card to the processor's tables.

use std::fmt::Debug;

use molien_board::Color;
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
