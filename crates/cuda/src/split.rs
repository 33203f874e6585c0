//! Tables with pawns too large to be on the card as a whole: their placements in
//! parts, each a batch of boards that do not read each other.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Bitboard, Material};
use molien_hyper::Tile;
use molien_values::Placement;

use crate::pawn_exits::Places;

/// Where a double step ends, White's or Black's.
const FOURTH_RANKS: Bitboard = Bitboard(0x0000_00ff_ff00_0000);

/// The parts of one table, in the order in which they are solved: the furthest
/// advanced first, and those of a part equally advanced.
pub(crate) struct Split {
    pub places: Places,
    /// The numbers of the placements of each part, rising.
    pub parts: Vec<Vec<u32>>,
    /// For each placement its part and its number there.
    at: Vec<(u32, u32)>,
}

impl Split {
    /// All placements of a material.
    #[cfg(test)]
    pub fn new(material: Material, most_bytes: u64) -> Split {
        Split::of(Places::new(material), most_bytes)
    }

    /// Parts whose planes take no more than so many bytes, if a board does not. Of some
    /// placements all must be there that their pawns can step to.
    pub fn of(places: Places, most_bytes: u64) -> Split {
        let board_bytes = u64::from(places.numbers) * size_of::<Tile>() as u64;
        let boards = (most_bytes / board_bytes).max(1) as usize;
        let parts: Vec<Vec<u32>> = levels(&places.placements)
            .iter()
            // Parts of a level should be of one size, which memory is kept for.
            .flat_map(|level| level.chunks(level.len().div_ceil(level.len().div_ceil(boards))))
            .map(<[u32]>::to_vec)
            .collect();
        let mut at = vec![(0, 0); places.placements.len()];
        for (part, members) in parts.iter().enumerate() {
            for (number, &place) in members.iter().enumerate() {
                at[place as usize] = (part as u32, number as u32);
            }
        }
        Split { places, parts, at }
    }

    /// The part of a canonical placement, and its number there.
    pub fn locate(&self, placement: Placement) -> (u32, u32) {
        self.at[self.places.number(placement)]
    }

    /// How far the pawns of a part have come.
    pub fn advancement(&self, part: usize) -> i32 {
        self.places.placements[self.parts[part][0] as usize].advancement()
    }

    /// Whether boards of a part may be reached from pawns so far advanced, or less: by
    /// a step, or by a double step to the fourth rank.
    pub fn is_reached(&self, part: usize, advancement: i32) -> bool {
        let by_double_step = || {
            let place = |place: &u32| self.places.placements[*place as usize];
            self.parts[part].iter().map(place).any(|p| !(p.all_squares() & FOURTH_RANKS).is_empty())
        };
        match self.advancement(part) - advancement {
            ..=1 => true,
            2 => by_double_step(),
            _ => false,
        }
    }

    /// Bytes of a plane of the largest part.
    pub fn part_bytes(&self) -> u64 {
        let boards = self.parts.iter().map(Vec::len).max().unwrap_or(0) as u64;
        boards * u64::from(self.places.numbers) * size_of::<Tile>() as u64
    }
}

/// The numbers of the placements, by level, the furthest advanced first.
pub(crate) fn levels(placements: &[Placement]) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..placements.len() as u32).collect();
    let advancement = |place: &u32| std::cmp::Reverse(placements[*place as usize].advancement());
    order.sort_by_key(advancement);
    order.chunk_by(|a, b| advancement(a) == advancement(b)).map(<[u32]>::to_vec).collect()
}

/// The tables that are solved in parts, in canonical orientation.
#[derive(Default)]
pub(crate) struct Splits {
    splits: HashMap<Material, Arc<Split>>,
}

impl Splits {
    pub fn insert(&mut self, material: Material, split: Arc<Split>) {
        self.splits.insert(material, split);
    }

    pub fn get(&self, material: Material) -> Option<&Arc<Split>> {
        self.splits.get(&material.canonical())
    }

    /// The parts of a material in either orientation.
    ///
    /// # Panics
    /// If it was not planned: whoever plans a table plans what it reads.
    pub fn of(&self, material: Material) -> &Arc<Split> {
        self.get(material).unwrap_or_else(|| panic!("{material} was not planned"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every placement is in one part, with others as far advanced, and no part
    /// is larger than allowed.
    #[test]
    fn parts_cover_all_placements() {
        for (name, most_boards) in [("KPKP", 1), ("KPKP", 50), ("KPPK", 7), ("KQPK", 1000)] {
            let material: Material = name.parse().unwrap();
            let board = u64::from(Places::new(material).numbers) * 512;
            let split = Split::new(material, most_boards * board);
            let mut seen = vec![false; split.places.placements.len()];
            let mut last = i32::MAX;
            for (number, part) in split.parts.iter().enumerate() {
                let advancement = split.advancement(number);
                assert!(advancement <= last && part.len() as u64 <= most_boards);
                last = advancement;
                for (i, &place) in part.iter().enumerate() {
                    let placement = split.places.placements[place as usize];
                    assert_eq!(placement.advancement(), advancement);
                    assert_eq!(split.locate(placement), (number as u32, i as u32));
                    assert!(!std::mem::replace(&mut seen[place as usize], true));
                }
            }
            assert!(seen.into_iter().all(|seen| seen), "{name}");
            assert!(split.part_bytes() <= most_boards * board);
        }
    }
}
