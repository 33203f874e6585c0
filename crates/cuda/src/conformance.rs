//! Holding the card to the processor's tables.

use std::fmt::Debug;

use molien_board::{Color, Man, Material, Role};
use molien_operators::Graded;
use molien_solve::{SideStats, Table};

/// Every canonical material without pawns of so many men.
pub fn pieces_only(men: usize) -> Vec<Material> {
    let mut found = vec![Material::KINGS];
    for _ in 2..men {
        let mut more: Vec<Material> = Vec::new();
        for material in &found {
            for color in Color::BOTH {
                for role in Role::PROMOTIONS {
                    let with = material.with(Man::new(color, role)).canonical();
                    if !more.contains(&with) {
                        more.push(with);
                    }
                }
            }
        }
        found = more;
    }
    found.sort_by_key(ToString::to_string);
    found
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn materials_are_listed_once() {
        assert_eq!(pieces_only(3).len(), 4);
        // Two men each: 4 x 5 / 2 equal sides or not; two men against none: 10.
        assert_eq!(pieces_only(4).len(), 20);
        assert_eq!(pieces_only(5).len(), 60);
    }
}
