//! The order of moves.

use std::cmp::Reverse;

use molien_values::Category;
use shakmaty::Role;

use super::answer::{MaybeCategory, MoveState};

/// Sorts moves as lichess does, the best first; equal ones by name.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SortKey {
    class: u8,
    ends: [Reverse<bool>; 3],
    mate: (Reverse<i32>, Reverse<i32>),
    conversion: (bool, (Reverse<i32>, Reverse<i32>)),
    zeroing: (bool, Option<Reverse<i32>>),
    taken: Reverse<Option<Role>>,
    promoted: Reverse<Option<Role>>,
    name: String,
}

/// The opponent's class, the worst first; unknown is better than a loss only.
fn rank(MaybeCategory(category, _): MaybeCategory) -> u8 {
    match category {
        Some(Category::Loss) => 0,
        None => 1,
        Some(Category::MaybeLoss) => 2,
        Some(Category::BlessedLoss) => 3,
        Some(Category::Draw) => 4,
        Some(Category::CursedWin) => 5,
        Some(Category::MaybeWin) => 6,
        Some(Category::Win) => 7,
    }
}

/// Near losses of the opponent first, then draws and what is not known, then
/// far wins of the opponent.
fn depth(plies: Option<i32>) -> (Reverse<i32>, Reverse<i32>) {
    let plies = plies.unwrap_or(0);
    let lost = if plies < 0 { plies } else { i32::MIN };
    let won = if plies > 0 { plies } else { i32::MAX };
    (Reverse(lost), Reverse(won))
}

impl SortKey {
    pub fn of(m: &MoveState) -> SortKey {
        let after = &m.after;
        // Who loses puts off what changes the material; others hurry.
        let loses = matches!(
            after.category.0,
            Some(Category::CursedWin | Category::MaybeWin | Category::Win)
        );
        SortKey {
            class: rank(after.category),
            ends: [after.checkmate, after.stalemate, after.insufficient_material].map(Reverse),
            mate: depth(after.dtm),
            conversion: (m.conversion == loses, depth(after.dtc)),
            zeroing: (m.zeroing == loses, after.dtz.map(Reverse)),
            taken: Reverse(m.played.capture()),
            promoted: Reverse(m.played.promotion()),
            name: m.uci.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_mates_come_first_and_far_ones_of_the_opponent() {
        let plies = [Some(-1), Some(-2), None, Some(9), Some(2), Some(1)];
        assert!(plies.is_sorted_by_key(|&plies| depth(plies)));
        assert_eq!(depth(None), depth(Some(0)));
    }
}
