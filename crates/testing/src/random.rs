//! Numbers and positions that look random: the same for the same seed,
//! everywhere.

use molien_board::{Color, Man, Material, Position, Role, Square};

/// SplitMix64 by Steele, Lea and Flood. For tests: quick, and nothing more.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `limit`; 0 if there is none.
    pub fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.number()) * limit as u128) >> 64) as usize
    }

    /// One of some things.
    ///
    /// # Panics
    /// If there are none.
    pub fn choose<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len())]
    }

    /// A legal position of a material, in its orientation, either side to move.
    pub fn position(&mut self, material: Material) -> Position {
        let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
        let men: Vec<Man> = material.men().chain(kings).collect();
        loop {
            let turn = *self.choose(&Color::BOTH);
            let placed: Vec<(Man, Square)> =
                men.iter().map(|&man| (man, Square::new(self.below(64)))).collect();
            if let Ok(position) = Position::new(placed, turn) {
                return position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_the_limit_and_reach_all_of_it() {
        let mut random = Random::new(1);
        let mut seen = [false; 10];
        (0..1000).for_each(|_| seen[random.below(10)] = true);
        assert_eq!(seen, [true; 10]);
        assert_eq!(random.below(1), 0);
    }

    /// The first number of seed 0, as published with the generator.
    #[test]
    fn the_numbers_are_those_of_the_generator() {
        assert_eq!(Random::new(0).number(), 0xe220_a839_7b1d_cdaf);
    }

    #[test]
    fn positions_are_of_the_material() {
        let mut random = Random::new(7);
        let material: Material = "KRPKQ".parse().unwrap();
        let mut turns = [false; 2];
        for _ in 0..100 {
            let position = random.position(material);
            assert_eq!(position.material(), material);
            turns[position.turn().index()] = true;
        }
        assert_eq!(turns, [true; 2]);
    }
}
