//! The checksum at the end of every file: CityHash with CRC, of the parts of the file
//! and then of their hashes.

use std::io;

use rayon::prelude::*;

/// Bytes of the checksum.
pub(crate) const LEN: usize = 16;
/// Files are hashed in parts of this size.
const PART: usize = 1 << 24;
/// From this length on hashes of hashes are taken by the long form.
const LONG: usize = 900;

const K0: u64 = 0xc3a5_c85c_97cb_3127;
const K1: u64 = 0xb492_b66f_be98_f273;
const K3: u64 = 0xc949_d7c7_509e_6557;
const MUL: u64 = 0x9ddf_ea08_eb38_2d69;

/// The checksum of what precedes it in a file.
pub(crate) fn checksum(bytes: &[u8]) -> [u8; LEN] {
    sum_of_hashes(&bytes.par_chunks(PART).map(crc256).collect::<Vec<_>>())
}

/// The same of bytes that are read part by part, given where a part begins and
/// its length.
pub(crate) fn checksum_of(
    len: u64,
    read: impl Fn(u64, usize) -> io::Result<Vec<u8>> + Sync,
) -> io::Result<[u8; LEN]> {
    let part = |i: u64| {
        let start = i * PART as u64;
        let bytes = read(start, (len - start).min(PART as u64) as usize)?;
        Ok(crc256(&bytes))
    };
    let parts = len.div_ceil(PART as u64);
    let hashes: io::Result<Vec<_>> = (0..parts).into_par_iter().map(part).collect();
    hashes.map(|hashes| sum_of_hashes(&hashes))
}

fn sum_of_hashes(hashes: &[[u64; 4]]) -> [u8; LEN] {
    let bytes: Vec<u8> = hashes.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let [low, high] = if bytes.len() <= LONG {
        city128(&bytes)
    } else {
        let hash = crc256(&bytes);
        [hash[2], hash[3]]
    };
    (u128::from(high) << 64 | u128::from(low)).to_le_bytes()
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut eight = [0; 8];
    eight.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(eight)
}

fn mix(value: u64) -> u64 {
    value ^ value >> 47
}

/// Two words made one.
fn join(a: u64, b: u64) -> u64 {
    let first = mix((a ^ b).wrapping_mul(MUL));
    mix((b ^ first).wrapping_mul(MUL)).wrapping_mul(MUL)
}

/// CRC-32C of one word of a state of 32 bits, without inversion.
fn crc(state: u64, word: u64) -> u64 {
    const TABLES: [[u32; 256]; 8] = crc_tables();
    let both = (word ^ (state & 0xffff_ffff)).to_le_bytes();
    let tables = TABLES.iter().rev();
    u64::from(both.iter().zip(tables).fold(0, |sum, (&b, table)| sum ^ table[usize::from(b)]))
}

/// `tables[n][b]`: the CRC of byte b and n zero bytes.
const fn crc_tables() -> [[u32; 256]; 8] {
    const POLYNOMIAL: u32 = 0x82f6_3b78;
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut state = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            state = state >> 1 ^ if state & 1 != 0 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = state;
        byte += 1;
    }
    let mut n = 1;
    while n < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[n - 1][byte];
            tables[n][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        n += 1;
    }
    tables
}

/// Bytes taken in one step, and in one round of the long form.
const STEP: usize = 40;
const ROUND: usize = 6 * STEP;

/// The state of the long form.
struct Long {
    /// Five words turned and multiplied, and one waiting.
    words: [u64; 6],
    /// Their CRCs.
    crcs: [u64; 5],
}

impl Long {
    /// Takes in the next 40 bytes.
    fn step(&mut self, bytes: &[u8], factor: u64, odd: u32) {
        const TURNS: [u32; 5] = [41, 27, 41, 33, 25];
        let old = self.words[0];
        for i in 0..5 {
            let turned = self.words[i + 1].rotate_right(TURNS[i] ^ odd);
            self.words[i] = turned.wrapping_mul(factor).wrapping_add(word(bytes, 8 * i));
        }
        self.words[5] = old;
        for (crc_of, word) in self.crcs.iter_mut().zip(&self.words) {
            *crc_of = crc(*crc_of, *word);
        }
    }
}

/// CityHashCrc256.
fn crc256(bytes: &[u8]) -> [u64; 4] {
    if bytes.len() >= ROUND {
        return crc256_long(bytes, 0);
    }
    let mut padded = [0; ROUND];
    padded[..bytes.len()].copy_from_slice(bytes);
    crc256_long(&padded, !(bytes.len() as u32))
}

/// For 240 bytes and more.
fn crc256_long(bytes: &[u8], seed: u32) -> [u64; 4] {
    let (len, seed) = (bytes.len() as u64, u64::from(seed));
    let second = word(bytes, 96).wrapping_add(K0);
    let third = join(second, len);
    let fourth = word(bytes, 120).wrapping_mul(K0).wrapping_add(len);
    let mut state = Long {
        words: [
            word(bytes, 56).wrapping_add(K0),
            second,
            third,
            fourth,
            word(bytes, 184).wrapping_add(seed),
            third.wrapping_add(fourth),
        ],
        crcs: [seed, 0, 0, 0, 0],
    };
    let rounds = bytes.chunks_exact(ROUND);
    let rest = rounds.remainder();
    for round in rounds {
        for (i, step) in round.chunks_exact(STEP).enumerate() {
            let (factor, odd) = if i % 2 == 0 { (1, 1) } else { (K0, 0) };
            state.step(step, factor, odd);
        }
    }
    let steps = rest.chunks_exact(STEP);
    let tail = steps.remainder();
    steps.for_each(|step| state.step(step, K0, 0));
    if !tail.is_empty() {
        state.step(&bytes[bytes.len() - STEP..], K0, 0);
    }
    finish_long(state, third, fourth)
}

/// The hash of the final state, given the third and fourth word of the first.
fn finish_long(state: Long, third: u64, fourth: u64) -> [u64; 4] {
    let [a, b, c, d, e, t] = state.words;
    let [f, g, h, i, j] = state.crcs;
    let add = u64::wrapping_add;
    let j = add(j, i << 32);
    let a = join(a, j);
    let h = add(h, g << 32);
    let b = add(b, h);
    let c = add(join(c, f), i);
    let d = join(d, add(e, third));
    let j = add(j, e);
    let i = add(i, join(h, t));
    let e = add(join(a, d), j);
    let f = add(join(b, c), a);
    let g = add(join(j, i), c);
    let first = add(add(e, f), add(g, h));
    let again = |value: u64| mix(value.wrapping_mul(K0)).wrapping_mul(K0);
    let a = add(again(add(a, g)), b);
    let second = add(add(fourth, a), first);
    let a = add(again(a), c);
    let third = add(a, second);
    let a = again(add(a, e));
    [first, second, third, add(a, third)]
}

/// Two words of state that take in 32 bytes.
fn weak(bytes: &[u8], a: u64, b: u64) -> (u64, u64) {
    let add = u64::wrapping_add;
    let (w, x, y, z) = (word(bytes, 0), word(bytes, 8), word(bytes, 16), word(bytes, 24));
    let first = add(a, w);
    let b = add(add(b, first), z).rotate_right(21);
    let a = add(add(first, x), y);
    let b = add(b, a.rotate_right(44));
    (add(a, z), add(b, first))
}

/// CityHash128 of version 1.0, for 16 bytes and more (a hash of hashes has at
/// least 32).
fn city128(bytes: &[u8]) -> [u64; 2] {
    let seed = [word(bytes, 0) ^ K3, word(bytes, 8)];
    let rest = &bytes[16..];
    if rest.len() < 128 { murmur(rest, seed) } else { city128_long(rest, seed) }
}

/// For 16 to 127 bytes, a multiple of 16.
fn murmur(bytes: &[u8], seed: [u64; 2]) -> [u64; 2] {
    let (len, add) = (bytes.len(), u64::wrapping_add);
    let [mut a, mut b] = seed;
    let (mut c, mut d);
    let scramble = |word: u64| mix(word.wrapping_mul(K1)).wrapping_mul(K1);
    if len <= 16 {
        a = scramble(a);
        let short =
            join(word(bytes, 0), add(word(bytes, len - 8), len as u64).rotate_right(len as u32))
                ^ word(bytes, len - 8);
        c = add(b.wrapping_mul(K1), short);
        d = mix(add(a, word(bytes, 0)));
    } else {
        c = join(add(word(bytes, len - 8), K1), a);
        d = join(add(b, len as u64), add(c, word(bytes, len - 16)));
        a = add(a, d);
        for at in (0..len - 16).step_by(16) {
            a = (a ^ scramble(word(bytes, at))).wrapping_mul(K1);
            b ^= a;
            c = (c ^ scramble(word(bytes, at + 8))).wrapping_mul(K1);
            d ^= c;
        }
    }
    a = join(a, c);
    b = join(d, b);
    [a ^ b, join(b, a)]
}

/// For 128 bytes and more.
fn city128_long(bytes: &[u8], seed: [u64; 2]) -> [u64; 2] {
    let add = u64::wrapping_add;
    let turn = |value: u64, by: u32, factor: u64| value.rotate_right(by).wrapping_mul(factor);
    let ([mut x, mut y], mut z) = (seed, (bytes.len() as u64).wrapping_mul(K1));
    let first = add(turn(y ^ K1, 49, K1), word(bytes, 0));
    let mut v = (first, add(turn(first, 42, K1), word(bytes, 8)));
    let mut w = (add(turn(add(y, z), 35, K1), x), turn(add(x, word(bytes, 88)), 53, K1));
    let rounds = bytes.chunks_exact(128);
    let rest = rounds.remainder();
    for half in rounds.flat_map(|round| round.chunks_exact(64)) {
        x = turn(add(add(x, y), add(v.0, word(half, 8))), 37, K1) ^ w.1;
        y = add(turn(add(add(y, v.1), word(half, 48)), 42, K1), add(v.0, word(half, 40)));
        z = turn(add(z, w.0), 33, K1);
        v = weak(half, v.1.wrapping_mul(K1), add(x, w.0));
        w = weak(&half[32..], add(z, w.1), add(y, word(half, 16)));
        (x, z) = (z, x);
    }
    x = add(x, turn(add(v.0, z), 49, K0));
    z = add(z, turn(w.0, 37, K0));
    // The rest is taken from its end, 32 bytes at a time; the last time bytes
    // before it are taken in again.
    let mut done = 0;
    while done < rest.len() {
        done += 32;
        let part = &bytes[bytes.len() - done..];
        y = add(turn(add(x, y), 42, K0), v.1);
        w.0 = add(w.0, word(part, 16));
        x = add(x.wrapping_mul(K0), w.0);
        z = add(z, add(w.1, word(part, 0)));
        w.1 = add(w.1, v.0);
        v = weak(part, add(v.0, z), v.1);
    }
    x = join(x, v.0);
    y = join(add(y, z), w.0);
    [add(join(add(x, v.1), w.1), y), join(add(x, w.1), add(y, v.1))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crc_is_castagnolis() {
        // The known check value, which is inverted at both ends.
        let state = crc(0xffff_ffff, u64::from_le_bytes(*b"12345678"));
        const TABLE: [u32; 256] = crc_tables()[0];
        let last = state >> 8 ^ u64::from(TABLE[(state as u8 ^ b'9') as usize]);
        assert_eq!(last as u32 ^ 0xffff_ffff, 0xe306_9283);
    }

    /// Files made elsewhere have the checksum that we compute.
    #[test]
    fn other_writers_compute_the_same() {
        let Some(oracle) = molien_testing::oracle() else { return };
        let mut checked = 0;
        for entry in std::fs::read_dir(oracle.join("syzygy/regular")).unwrap() {
            let path = entry.unwrap().path();
            let bytes = std::fs::read(&path).unwrap();
            let (body, sum) = bytes.split_at(bytes.len() - LEN);
            assert_eq!(checksum(body), sum, "{}", path.display());
            checked += 1;
        }
        assert_eq!(checked, 70);
    }
}
