//! Files of every version that is read, kept byte for byte.
//!
//! `cargo test -p molien-table --test golden -- --ignored renew` writes those of
//! the current version anew: after a change of what the writer chooses, with a
//! new revision of the writer's name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board::Material;
use molien_build::Build;
use molien_table::{OLDEST_VERSION, Pack, QUICK_VERSION, TableFile, VERSION, WriteOptions, write};
use molien_values::{Metric, Table};

/// A file: its newest version, how it is written, material and metrics.
type Golden = (u16, WriteOptions, &'static str, &'static [Metric]);

const FILES: [Golden; 4] = [
    (QUICK_VERSION, WriteOptions::quick(9), "KQvK", &[Metric::Dtm]),
    (QUICK_VERSION, WriteOptions::quick(6), "KPvK", &Metric::ALL),
    (VERSION, WriteOptions::packed(Pack::Fast), "KQvK", &[Metric::Dtm]),
    (VERSION, WriteOptions::packed(Pack::Fast), "KPvK", &Metric::ALL),
];

fn golden(version: u16, name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    folder.join(format!("v{version}/{name}.mol"))
}

fn solve(name: &str, metrics: &[Metric]) -> Vec<Arc<Table>> {
    let (solver, material) = (Build::new(), name.parse::<Material>().unwrap());
    metrics.iter().map(|&metric| solver.table(material, metric).unwrap()).collect()
}

fn written<'a>(tables: impl IntoIterator<Item = &'a Table>, options: &WriteOptions) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    let tables: Vec<&Table> = tables.into_iter().collect();
    write(&path, &tables, options).unwrap();
    std::fs::read(&path).unwrap()
}

#[test]
fn every_version_is_read_and_rewritten() {
    for (newest, options, name, metrics) in &FILES {
        let expected = std::fs::read(golden(*newest, name)).unwrap();
        let solved = solve(name, metrics);
        assert!(written(solved.iter().map(|table| &**table), options) == expected, "{name}");
        let oldest = if *newest == QUICK_VERSION { OLDEST_VERSION } else { *newest };
        for version in oldest..=*newest {
            let file = TableFile::open(golden(version, name)).unwrap();
            assert_eq!(file.version(), version);
            assert_eq!(file.metrics().len(), if *name == "KPvK" { 4 } else { 1 });
            file.verify().unwrap();
            let loaded: Vec<Table> = metrics.iter().map(|&m| file.load(m).unwrap()).collect();
            for (loaded, solved) in loaded.iter().zip(&solved) {
                assert_eq!(loaded.stats, solved.stats);
                let mut parts = loaded.parts.iter().zip(&solved.parts);
                assert!(parts.all(|(a, b)| a.values == b.values), "{name} {}", loaded.metric);
            }
            assert!(written(&loaded, options) == expected, "{name} of version {version}");
        }
    }
}

/// What is learnt from a part of the cells stays the same, too, under the same name of the
/// writer, with any number of threads: a table of four men, of which that is so.
#[test]
fn what_samples_tell_stays_the_same() {
    let solved = solve("KRvKN", &[Metric::Dtz50]);
    let write = || written(solved.iter().map(|table| &**table), &WriteOptions::packed(Pack::Fast));
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let bytes = pool.install(write);
        // The sum of FNV.
        let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum: u64, &byte| {
            (sum ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        assert_eq!((bytes.len(), sum), (130_024, 13_596_680_341_031_087_502), "{threads} threads");
    }
}

/// Depths of version 4 were coded otherwise.
#[test]
fn version_4_is_solved_again() {
    let error = TableFile::open(golden(4, "KQvK")).err().unwrap();
    assert!(error.to_string().ends_with("remove the file and solve the table again"), "{error}");
    assert!(error.is_missing());
}

/// The only change from version 2 to 3: where the date was, there is a reserved
/// 0.
#[test]
fn a_date_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KQvK.mol");
    for version in [QUICK_VERSION, VERSION] {
        let mut bytes = std::fs::read(golden(version, "KQvK")).unwrap();
        bytes[48] = 1;
        std::fs::write(&path, bytes).unwrap();
        let error = TableFile::open(&path).err().unwrap();
        assert!(error.to_string().ends_with("a reserved field is not 0"), "{error}");
    }
}

/// The bytes of a hex dump in FORMAT.md, with their offsets.
fn dump(lines: &str) -> Vec<(usize, Vec<u8>)> {
    let row = |line: &str| {
        let mut words = line.strip_prefix("    ")?.split(' ');
        let offset = usize::from_str_radix(words.next().filter(|w| w.len() == 8)?, 16).ok()?;
        let hex =
            words.skip(1).map_while(|w| u8::from_str_radix(w, 16).ok().filter(|_| w.len() == 2));
        Some((offset, hex.collect()))
    };
    lines.lines().filter_map(row).collect()
}

#[test]
fn the_worked_examples_are_golden_files() {
    let text = include_str!("../../../FORMAT.md");
    for (version, heading) in [
        (QUICK_VERSION, "## 8. A worked example\n"),
        (VERSION, "## 10. A worked example of version 5\n"),
    ] {
        let example = text.split(heading).nth(1).unwrap().split("\n## ").next().unwrap();
        let (file_dump, rest) = example.split_once("The description after decompression").unwrap();
        let bytes = std::fs::read(golden(version, "KQvK")).unwrap();
        let len = u32::from_le_bytes(bytes[12..16].try_into().unwrap()) as usize;
        let description = zstd::bulk::decompress(&bytes[64..64 + len], 1 << 16).unwrap();
        for (lines, bytes, least) in [(file_dump, &bytes, 8), (rest, &description, 4)] {
            let rows = dump(lines);
            assert!(rows.len() >= least);
            for (offset, row) in rows {
                assert_eq!(row, bytes[offset..offset + row.len()], "at {offset:#x}");
            }
        }
    }
}

#[test]
#[ignore = "writes the golden files of the current versions anew"]
fn renew() {
    for (version, options, name, metrics) in &FILES {
        let path = golden(*version, name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let solved = solve(name, metrics);
        std::fs::write(path, written(solved.iter().map(|table| &**table), options)).unwrap();
    }
}
