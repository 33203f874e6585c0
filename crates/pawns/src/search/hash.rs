//! One 64-bit number per position, for the tables of the search.

use std::hash::{BuildHasherDefault, Hasher};

use molien_board::{Color, Man, Position, Role};

/// Odd constants far from each other, one per kind of man and colour.
const SALTS: [u64; 12] = salts();

const fn salts() -> [u64; 12] {
    let mut salts = [0; 12];
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut i = 0;
    while i < salts.len() {
        state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        salts[i] = state | 1;
        i += 1;
    }
    salts
}

/// The finaliser of splitmix64: every input bit reaches every output bit.
const fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The hash of a position.
pub(super) fn hash(position: &Position) -> u64 {
    let mut sum = match position.turn() {
        Color::White => 0x51,
        Color::Black => 0xa7_0000,
    };
    if let Some(square) = position.en_passant() {
        sum ^= (square.index() as u64 + 1) << 40;
    }
    let mut total = mix(sum);
    for role in Role::ALL {
        for color in Color::BOTH {
            let men = position.of(Man::new(color, role));
            if !men.is_empty() {
                let salt = SALTS[role.index() * 2 + color.index()];
                total = total.wrapping_add(mix(men.0.wrapping_mul(salt) ^ salt));
            }
        }
    }
    mix(total)
}

/// A position with its hash computed once.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Hashed {
    hash: u64,
    position: Position,
}

impl Hashed {
    pub fn new(position: &Position) -> Hashed {
        Hashed { hash: hash(position), position: *position }
    }

    pub fn position(&self) -> &Position {
        &self.position
    }
}

impl std::hash::Hash for Hashed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// Passes the ready hash through.
#[derive(Default)]
pub(super) struct Ready(u64);

impl Hasher for Ready {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = mix(self.0 ^ u64::from(byte));
        }
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// For maps keyed by [`Hashed`].
pub(super) type PositionHasher = BuildHasherDefault<Ready>;
