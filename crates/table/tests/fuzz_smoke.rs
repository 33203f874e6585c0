//! The fuzz targets' functions on random and mutated input, for a bounded
//! number of rounds.

use molien_board::Position;
use molien_build::Build;
use molien_table::{Pack, WriteOptions, fuzzing, write};
use molien_testing::Random;
use molien_values::Metric;

#[test]
fn mutated_tables_do_not_panic() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(0x1234_5678_9abc_def1);
    let (quick, fast) = (WriteOptions::quick(3), WriteOptions::packed(Pack::Fast));
    for (name, options) in [("KRK", &quick), ("KPK", &quick), ("KRK", &fast), ("KPK", &fast)] {
        let table = Build::new().table(name.parse().unwrap(), Metric::Dtm).unwrap();
        let path = folder.path().join("seed.mol");
        write(&path, &[&table], options).unwrap();
        let seed = std::fs::read(&path).unwrap();
        for _ in 0..150 {
            let mut bytes = seed.clone();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                bytes[at] ^= 1 << random.below(8);
            }
            if random.below(4) == 0 {
                bytes.truncate(random.below(bytes.len()));
            }
            fuzzing::read(&bytes);
        }
    }
    for _ in 0..50 {
        let bytes: Vec<u8> = (0..random.below(400)).map(|_| random.below(256) as u8).collect();
        fuzzing::read(&bytes);
    }
}

#[test]
fn mutated_fens_do_not_panic() {
    let mut random = Random::new(0xfeed_beef_0bad_cafe);
    let seed = "8/5p2/8/3pP3/2k5/8/2P4R/K6q w - d6 0 1";
    let letters = b"kKqQrRbBnNpP12345678/ wb-acdefgh09\xc3\xa9";
    for _ in 0..20_000 {
        let mut bytes = seed.as_bytes().to_vec();
        for _ in 0..1 + random.below(5) {
            let at = random.below(bytes.len());
            match random.below(3) {
                0 => bytes[at] = letters[random.below(letters.len())],
                1 => bytes.insert(at, letters[random.below(letters.len())]),
                _ => drop(bytes.remove(at)),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        if let Ok(position) = text.parse::<Position>() {
            assert_eq!(position.to_string().parse::<Position>().ok(), Some(position));
            let _ = position.legal_moves();
        }
    }
}
