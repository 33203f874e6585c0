//! Reading a folder from many threads, while its files are replaced.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use molien_board::{Material, Position};
use molien_build::Build;
use molien_table::{BlockCache, Directory, OpenTables, WriteOptions};
use molien_testing::Random;
use molien_values::{Metric, Table, Value, Values};

const MATERIALS: [&str; 4] = ["KPK", "KQK", "KRK", "KQKR"];

type Tables = HashMap<(Material, Metric), Arc<Table>>;

fn solve(names: &[&str]) -> Tables {
    let build = Build::new();
    let mut tables = Tables::new();
    for name in names {
        let material: Material = name.parse().unwrap();
        for metric in Metric::ALL {
            tables.insert((material, metric), build.table(material, metric).unwrap());
        }
    }
    tables
}

/// What a table in memory says.
fn expected(tables: &Tables, position: &Position, metric: Metric) -> Value {
    tables[&(position.material().canonical(), metric)].get(position).unwrap()
}

fn store(folder: &Path, tables: &Tables, material: Material, metrics: &[Metric], level: i32) {
    // A handle of its own, as another process would have.
    let tables: Vec<&Table> = metrics.iter().map(|&m| &*tables[&(material, m)]).collect();
    Directory::new(folder).store(&tables, &WriteOptions::quick(level)).unwrap();
}

/// A position of one of the materials, White's and Black's men exchanged now
/// and then.
fn position(random: &mut Random, names: &[&str]) -> Position {
    let material = random.choose(names).parse().unwrap();
    let position = random.position(material);
    if random.below(4) == 0 { position.swap_colors() } else { position }
}

#[test]
fn many_positions_and_metrics_in_one_call() {
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&MATERIALS);
    let (kpk, kqkr) = ("KPK".parse().unwrap(), "KQKR".parse().unwrap());
    store(folder.path(), &tables, kpk, &Metric::ALL, 3);
    store(folder.path(), &tables, kqkr, &[Metric::Dtm], 3);
    let open = OpenTables::new(Directory::new(folder.path()));
    let mut random = Random::new(5);
    let kings: Position = "8/8/8/3k4/8/8/8/K7 w - -".parse().unwrap();
    let positions: Vec<Position> =
        (0..400).map(|_| position(&mut random, &["KPK", "KQKR", "KRK"])).chain([kings]).collect();
    let mut found = vec![Values::default(); positions.len()];
    let metrics = [Metric::Dtz50, Metric::Dtm];
    assert!(open.fill(&positions, &metrics, &mut found).is_empty());
    for (position, found) in positions.iter().zip(&found) {
        let material = position.material().canonical();
        for metric in Metric::ALL {
            let held = match material {
                _ if !metrics.contains(&metric) => false,
                m if m.len() == 2 || m == kpk => true,
                m => m == kqkr && metric == Metric::Dtm,
            };
            let value = match material.len() {
                2 => Value::Draw,
                _ => expected(&tables, position, metric),
            };
            assert_eq!(found.get(metric), held.then_some(value), "{position} {metric}");
            assert_eq!(
                open.holds(material, metric),
                held || material == kpk || material.len() == 2
            );
        }
        assert_eq!(open.values(position, &metrics).unwrap(), *found);
    }
    assert_eq!(open.metrics(kqkr).unwrap(), [Metric::Dtm]);
    assert_eq!(open.stats(kqkr, Metric::Dtm).unwrap().unwrap(), tables[&(kqkr, Metric::Dtm)].stats);
    assert!(open.stats(kqkr, Metric::Dtc).unwrap().is_none());
}

/// What many positions in one call are told is what each is told alone, whether
/// the cache has room for all blocks or for none. Like men, men on the long
/// diagonal and pawns each have a way of their own to their cell.
#[test]
fn many_at_once_are_told_what_each_is_told_alone() {
    const NAMES: [&str; 4] = ["KPK", "KQKR", "KNNK", "KPPK"];
    const POSITIONS: usize = 3000;
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&NAMES);
    for name in NAMES {
        store(folder.path(), &tables, name.parse().unwrap(), &Metric::ALL, 3);
    }
    let mut random = Random::new(18);
    let positions: Vec<Position> = (0..POSITIONS).map(|_| position(&mut random, &NAMES)).collect();
    for (cache_bytes, metrics) in [
        (0, &Metric::ALL[..]),
        (1 << 30, &Metric::ALL[..]),
        (1 << 30, &[Metric::Dtz50]),
        (1 << 30, &[Metric::Wdl, Metric::Dtm]),
    ] {
        let directory = Directory::new(folder.path()).with_cache(BlockCache::new(cache_bytes));
        let open = OpenTables::new(directory);
        // Few and many are read differently.
        for number in [2, 300, POSITIONS] {
            let mut found = vec![Values::default(); number];
            assert!(open.fill(&positions[..number], metrics, &mut found).is_empty());
            for (position, found) in positions.iter().zip(&found) {
                let file = open.file(position.material()).unwrap().unwrap();
                for metric in Metric::EVERY {
                    let asked =
                        metrics.contains(&metric).then(|| file.get(position, metric).unwrap());
                    assert_eq!(found.get(metric), asked, "{position} {metric}");
                    if metrics.contains(&metric) && metric != Metric::Wdl {
                        assert_eq!(asked, Some(expected(&tables, position, metric)));
                    }
                }
            }
        }
    }
}

/// What is set stays: another source knew it first.
#[test]
fn values_that_are_known_stay() {
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&["KQK"]);
    store(folder.path(), &tables, "KQK".parse().unwrap(), &[Metric::Dtm], 3);
    let open = OpenTables::new(Directory::new(folder.path()));
    let position: Position = "8/8/8/3k4/8/8/8/KQ6 w - -".parse().unwrap();
    let mut found = [Values::default()];
    found[0].set(Metric::Dtm, Value::Win(77));
    assert!(open.fill(&[position], &[Metric::Dtm], &mut found).is_empty());
    assert_eq!(found[0].get(Metric::Dtm), Some(Value::Win(77)));
}

/// A folder that does not exist yet, a file, another metric in it: each is
/// noticed when it appears, however short the time between.
#[test]
fn what_another_process_stores_is_noticed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("tables");
    let tables = solve(&["KQK", "KRK"]);
    let (kqk, krk): (Material, Material) = ("KQK".parse().unwrap(), "KRK".parse().unwrap());
    let open = OpenTables::new(Directory::new(&folder));
    assert!(!open.holds(kqk, Metric::Dtm) && open.file(kqk).unwrap().is_none());
    store(&folder, &tables, kqk, &[Metric::Dtm], 3);
    assert!(open.holds(kqk, Metric::Dtm) && !open.holds(kqk, Metric::Dtc));
    assert!(!open.holds(krk, Metric::Dtm));
    store(&folder, &tables, kqk, &[Metric::Dtc], 3);
    assert!(open.holds(kqk, Metric::Dtc) && open.holds(kqk, Metric::Dtm));
    store(&folder, &tables, krk, &[Metric::Dtm], 3);
    assert!(open.holds(krk, Metric::Dtm));
}

/// Once the folder has been quiet for a while, a missing file is not looked for
/// again until it changes.
#[test]
fn missing_files_are_remembered() {
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&["KQK"]);
    let kqk = "KQK".parse().unwrap();
    store(folder.path(), &tables, kqk, &[Metric::Dtm], 3);
    let hidden = folder.path().join("KQvK.mol.away");
    let path = Directory::new(folder.path()).path(kqk);
    std::fs::rename(&path, &hidden).unwrap();
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(60);
    let set_past = || std::fs::File::open(folder.path()).unwrap().set_modified(past).unwrap();
    set_past();
    let open = OpenTables::new(Directory::new(folder.path()));
    assert!(!open.holds(kqk, Metric::Dtm));
    // The file comes back behind its back: the folder claims not to have changed.
    std::fs::rename(&hidden, &path).unwrap();
    set_past();
    assert!(!open.holds(kqk, Metric::Dtm));
    open.forget(kqk);
    assert!(open.holds(kqk, Metric::Dtm));
}

/// A damaged file is an error for its own positions only, and is read again
/// when it has been replaced.
#[test]
fn a_damaged_file_does_not_spoil_others() {
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&["KQK", "KRK"]);
    let (kqk, krk): (Material, Material) = ("KQK".parse().unwrap(), "KRK".parse().unwrap());
    store(folder.path(), &tables, kqk, &[Metric::Dtm, Metric::Dtc], 3);
    store(folder.path(), &tables, krk, &[Metric::Dtm], 3);
    let path = Directory::new(folder.path()).path(kqk);
    let good = std::fs::read(&path).unwrap();
    let mut random = Random::new(3);
    let positions: Vec<Position> = (0..50).map(|i| random.position([kqk, krk][i % 2])).collect();
    let metrics = [Metric::Dtm, Metric::Dtc];
    // In a record, and in the head.
    for at in [good.len() - 20, 33] {
        let mut bad = good.clone();
        bad[at] ^= 1;
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, &bad).unwrap();
        let open = OpenTables::new(Directory::new(folder.path()));
        let mut found = vec![Values::default(); positions.len()];
        let failures = open.fill(&positions, &metrics, &mut found);
        assert!(!failures.is_empty() && failures.len() <= 2);
        for failure in &failures {
            assert!(failure.material == kqk && failure.error.is_damage(), "{failure:?}");
        }
        for (position, found) in positions.iter().zip(&found) {
            let value = found.get(Metric::Dtm);
            match position.material() == krk {
                true => assert_eq!(value, Some(expected(&tables, position, Metric::Dtm))),
                false => {
                    assert!(value.is_none_or(|v| v == expected(&tables, position, Metric::Dtm)))
                }
            }
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, &good).unwrap();
        let mut found = vec![Values::default(); positions.len()];
        open.fill(&positions, &metrics, &mut found); // notices that there is another file
        assert!(open.fill(&positions, &metrics, &mut found).is_empty());
        assert!(found.iter().all(|values| values.get(Metric::Dtm).is_some()));
    }
}

/// Eight threads read while files appear, gain metrics and are replaced. Every
/// value is that of the table in memory, and what has been stored for sure is
/// found.
#[test]
fn threads_read_while_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&MATERIALS);
    let cache = BlockCache::new(1 << 20);
    let open = OpenTables::new(Directory::new(folder.path()).with_cache(cache.clone()));
    let (done, stored, read) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    // Each metric of each material in turn; then all again, compressed otherwise.
    let mut steps: Vec<(Material, Metric, i32)> = Vec::new();
    for level in [1, 5] {
        for metric in Metric::ALL {
            for name in &MATERIALS[..3] {
                let material: Material = name.parse().unwrap();
                let own = if material.has_pawns() { metric } else { metric.without_pawns() };
                steps.push((material, own, level));
            }
        }
    }
    let reader = |seed: u64| {
        let mut random = Random::new(seed);
        while !done.load(SeqCst) {
            let before = stored.load(SeqCst);
            let positions: Vec<Position> =
                (0..1 + random.below(30)).map(|_| position(&mut random, &MATERIALS[..3])).collect();
            let mut found = vec![Values::default(); positions.len()];
            let failures = open.fill(&positions, &Metric::ALL, &mut found);
            assert!(failures.is_empty(), "{failures:?}");
            for (position, values) in positions.iter().zip(&found) {
                for metric in Metric::ALL {
                    let material = position.material().canonical();
                    let own = if material.has_pawns() { metric } else { metric.without_pawns() };
                    let is_there =
                        |step: &(Material, Metric, i32)| (step.0, step.1) == (material, own);
                    let must = steps[..before].iter().any(is_there);
                    match values.get(metric) {
                        None => assert!(!must, "{position}: {metric} is stored but was not found"),
                        Some(value) => {
                            assert_eq!(
                                value,
                                expected(&tables, position, metric),
                                "{position} {metric}"
                            );
                        }
                    }
                    read.fetch_add(1, SeqCst);
                }
            }
            assert!(cache.len_bytes() <= cache.limit_bytes());
        }
    };
    std::thread::scope(|scope| {
        for seed in 0..8 {
            scope.spawn(move || reader(seed));
        }
        for &(material, metric, level) in &steps {
            store(folder.path(), &tables, material, &[metric], level);
            // What follows is told of the file only after it is there.
            stored.fetch_add(1, SeqCst);
            let before = read.load(SeqCst);
            while read.load(SeqCst) < before + 200 {
                std::thread::yield_now();
            }
        }
        done.store(true, SeqCst);
    });
}

/// Threads get the answers that one alone gets, with hardly any room for blocks.
#[test]
fn threads_agree_with_a_serial_run() {
    let folder = tempfile::tempdir().unwrap();
    let tables = solve(&["KQKR", "KPK"]);
    for name in ["KQKR", "KPK"] {
        store(folder.path(), &tables, name.parse().unwrap(), &[Metric::Dtm, Metric::Dtc], 3);
    }
    let mut random = Random::new(11);
    let positions: Vec<Position> =
        (0..2000).map(|_| position(&mut random, &["KQKR", "KPK"])).collect();
    let metrics = [Metric::Dtm, Metric::Dtc];
    let values = |open: &OpenTables, positions: &[Position]| -> Vec<Values> {
        positions.iter().map(|position| open.values(position, &metrics).unwrap()).collect()
    };
    let serial = values(&OpenTables::new(Directory::new(folder.path())), &positions);
    for limit_bytes in [0, 1 << 18, 1 << 30] {
        let cache = BlockCache::new(limit_bytes);
        let open = OpenTables::new(Directory::new(folder.path()).with_cache(cache.clone()));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (open, positions, serial) = (&open, &positions, &serial);
                scope.spawn(move || {
                    let start = thread * 250;
                    let some: Vec<Position> =
                        (0..500).map(|i| positions[(start + i) % positions.len()]).collect();
                    let mut batch = vec![Values::default(); some.len()];
                    assert!(open.fill(&some, &metrics, &mut batch).is_empty());
                    for (i, (alone, found)) in values(open, &some).iter().zip(&batch).enumerate() {
                        let expected = &serial[(start + i) % positions.len()];
                        assert!(alone == expected && found == expected);
                    }
                });
            }
        });
        assert!(cache.len_bytes() <= limit_bytes);
        assert_eq!(cache.len_bytes() > 0, limit_bytes > 0);
        drop(open);
        assert_eq!(cache.len_bytes(), 0, "blocks are given back with their files");
    }
}
