//! The numbers that stand for depths in a DTZ sub-table.

use molien_values::FIFTY_MOVES_PLIES;

use crate::codes::{DECIDED, DEPTHS, LIST_SHIFT};
use crate::domain::FREE_NUMBER;

/// The numbers that stand for depths: the most frequent value of each list is
/// 0, the next 1 and so on.
pub(crate) struct DepthMap {
    /// By depth.
    numbers: Vec<u8>,
    /// The values by list and number.
    pub lists: [Vec<u8>; DECIDED],
}

impl DepthMap {
    /// The numbers for depths that occur so often; whether wins and losses are
    /// counted in plies or in pairs of plies. `None` if a value needs more
    /// than eight bits, as no table of up to six men does.
    pub fn new(counts: &[u64], win_plies: bool, loss_plies: bool) -> Option<DepthMap> {
        let in_plies = [win_plies, loss_plies, false, false];
        let mut map = DepthMap { numbers: vec![FREE_NUMBER; DEPTHS], lists: Default::default() };
        for list in 0..DECIDED {
            let depths = list << LIST_SHIFT..(list + 1) << LIST_SHIFT;
            let first = if list < 2 { 1 } else { FIFTY_MOVES_PLIES + 1 };
            let value = |depth: usize| {
                let plies = (depth & ((1 << LIST_SHIFT) - 1)) as u16;
                let after = plies.saturating_sub(first); // mated counts as 1 ply, too
                usize::from(if in_plies[list] { after } else { after / 2 })
            };
            let mut occurs = [0u64; 256];
            for depth in depths.clone().filter(|&depth| counts[depth] > 0) {
                *occurs.get_mut(value(depth)).filter(|_| value(depth) < 255)? += counts[depth];
            }
            let mut values: Vec<u8> =
                (0..=u8::MAX).filter(|&value| occurs[usize::from(value)] > 0).collect();
            values.sort_by_key(|&value| std::cmp::Reverse(occurs[usize::from(value)]));
            for depth in depths {
                let number = values.iter().position(|&other| usize::from(other) == value(depth));
                map.numbers[depth] = number.map_or(FREE_NUMBER, |number| number as u8);
            }
            map.lists[list] = values;
        }
        Some(map)
    }

    /// The number of a depth.
    #[inline]
    pub fn number(&self, depth: u16) -> u8 {
        self.numbers[usize::from(depth)]
    }

    /// Whether nothing but the least depth of each list occurs.
    pub fn is_zero(&self) -> bool {
        self.lists.iter().flatten().all(|&value| value == 0)
    }
}
