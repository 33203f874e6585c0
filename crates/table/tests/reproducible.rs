//! Equal tables are equal files, however they came to be.

use std::path::Path;
use std::sync::Arc;

use molien_board::Material;
use molien_build::Build;
use molien_table::{Assembly, Directory, Pack, TableFile, WriteOptions};
use molien_testing::is_exhaustive;
use molien_values::{Metric, Table};

const OPTIONS: WriteOptions = WriteOptions::quick(3);

/// The tables of a material in all metrics that are different things.
fn solve(solver: &Build, name: &str) -> Vec<Arc<Table>> {
    let material: Material = name.parse().unwrap();
    let mut tables: Vec<Arc<Table>> = Vec::new();
    for metric in Metric::ALL {
        let table = solver.table(material, metric).unwrap();
        if tables.iter().all(|known| known.metric != table.metric) {
            tables.push(table);
        }
    }
    assert_eq!(tables.len(), if material.has_pawns() { 4 } else { 3 });
    tables
}

/// The file that results if groups of tables are stored one after the other.
fn stored(folder: &Path, groups: &[Vec<&Table>]) -> Vec<u8> {
    stored_in(folder, groups, &OPTIONS)
}

fn stored_in(folder: &Path, groups: &[Vec<&Table>], options: &WriteOptions) -> Vec<u8> {
    let directory = Directory::new(folder);
    for group in groups {
        directory.store(group, options).unwrap();
    }
    std::fs::read(directory.path(groups[0][0].material)).unwrap()
}

fn in_new_folder(groups: &[Vec<&Table>]) -> Vec<u8> {
    stored(tempfile::tempdir().unwrap().path(), groups)
}

/// All orders of some things.
fn orders<T: Clone>(things: &[T]) -> Vec<Vec<T>> {
    if things.is_empty() {
        return vec![Vec::new()];
    }
    let first = |i: usize| {
        let rest = [&things[..i], &things[i + 1..]].concat();
        let tails = orders(&rest).into_iter();
        tails.map(move |tail| [vec![things[i].clone()], tail].concat())
    };
    (0..things.len()).flat_map(first).collect()
}

/// All ways to cut a list into groups of neighbours.
fn cuts<'a>(list: &[&'a Table]) -> Vec<Vec<Vec<&'a Table>>> {
    let cut = |places: usize| {
        let mut groups: Vec<Vec<&Table>> = vec![Vec::new()];
        for (i, table) in list.iter().enumerate() {
            if i > 0 && places >> (i - 1) & 1 == 1 {
                groups.push(Vec::new());
            }
            groups.last_mut().unwrap().push(table);
        }
        groups
    };
    (0..1 << (list.len() - 1)).map(cut).collect()
}

/// In all orders one by one; the first orders in all groups too.
fn check_orders(name: &str, grouped: usize) {
    check_some_orders(name, grouped, 1);
}

/// In every `step`th order.
fn check_some_orders(name: &str, grouped: usize, step: usize) {
    let tables = solve(&Build::new(), name);
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let expected = in_new_folder(std::slice::from_ref(&tables));
    for (i, order) in orders(&tables).iter().enumerate().step_by(step) {
        let one_by_one: Vec<Vec<&Table>> = order.iter().map(|table| vec![*table]).collect();
        let mut ways = vec![one_by_one];
        if i < grouped {
            ways.extend(cuts(order));
        }
        for groups in ways {
            let metrics: Vec<Vec<Metric>> = groups
                .iter()
                .map(|group| group.iter().map(|table| table.metric).collect())
                .collect();
            assert!(in_new_folder(&groups) == expected, "{name}: {metrics:?}");
        }
    }
}

#[test]
fn metric_by_metric_without_pawns() {
    for name in ["KQK", "KNK", "KBBK"] {
        check_orders(name, 2);
    }
    check_some_orders("KQKR", 0, if is_exhaustive() { 1 } else { 5 });
}

/// Either side may be the one that is predicted.
#[test]
fn metric_by_metric_symmetric() {
    for name in ["KQKQ", "KNKN"] {
        check_some_orders(name, 1, if is_exhaustive() { 1 } else { 5 });
    }
}

#[test]
fn metric_by_metric_with_pawns() {
    let (grouped, step) = if is_exhaustive() { (24, 1) } else { (2, 3) };
    check_some_orders("KPK", grouped, step);
    // Many parts take long to write.
    if is_exhaustive() {
        check_some_orders("KRKP", 0, 1);
    }
}

#[test]
fn metric_by_metric_symmetric_with_pawns() {
    let tables = solve(&Build::new(), "KPKP");
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let expected = in_new_folder(std::slice::from_ref(&tables));
    let reversed: Vec<Vec<&Table>> = tables.iter().rev().map(|table| vec![*table]).collect();
    assert!(in_new_folder(&reversed) == expected);
    let pairs = [vec![tables[1], tables[3]], vec![tables[2], tables[0]]];
    assert!(in_new_folder(&pairs) == expected);
}

/// A metric that is stored again, or replaced by itself, changes nothing.
#[test]
fn storing_twice() {
    let tables = solve(&Build::new(), "KPK");
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let folder = tempfile::tempdir().unwrap();
    let expected = stored(folder.path(), std::slice::from_ref(&tables));
    assert!(stored(folder.path(), &[vec![tables[2]]]) == expected);
    assert!(stored(folder.path(), std::slice::from_ref(&tables)) == expected);
}

/// Learnt contexts: metric by metric, from another coding, with any number of
/// threads.
#[test]
fn learnt_contexts() {
    let solver = Build::new();
    let tables = solve(&solver, "KPK");
    let classes = solver.table(tables[0].material, Metric::Wdl).unwrap();
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let fast = WriteOptions::packed(Pack::Fast);
    let with = |threads: usize, groups: &[Vec<&Table>]| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        pool.install(|| stored_in(folder.path(), groups, &fast))
    };
    let expected = with(1, std::slice::from_ref(&tables));
    let one_by_one: Vec<Vec<&Table>> =
        [&*classes].into_iter().chain(tables.iter().rev().copied()).map(|t| vec![t]).collect();
    assert!(with(3, &one_by_one) == expected);
    // A file that is there is added to in its own way.
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    directory.store(&[tables[0]], &OPTIONS).unwrap();
    directory.store(&tables[1..3], &fast).unwrap();
    directory.store(&tables[3..], &WriteOptions::default()).unwrap();
    let path = directory.path(tables[0].material);
    assert!(std::fs::read(&path).unwrap() == expected);
    assert_eq!(TableFile::open(&path).unwrap().pack(), Pack::Fast);
}

/// Metrics of the earlier file are read part by part where memory is scarce: the file is the
/// same.
#[test]
fn metrics_added_in_little_memory() {
    let solver = Build::new();
    for (name, pack) in
        ["KPK", "KRKN"].into_iter().flat_map(|n| [(n, Pack::Fast), (n, Pack::QUICK)])
    {
        let tables = solve(&solver, name);
        let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
        let options = WriteOptions::packed(pack);
        let folder = tempfile::tempdir().unwrap();
        let expected = stored_in(folder.path(), std::slice::from_ref(&tables), &options);
        let (dtm, others): (Vec<&Table>, Vec<&Table>) =
            tables.iter().copied().partition(|table| table.metric == Metric::Dtm);
        for room_bytes in [Some(0), Some(1 << 40), None] {
            let folder = tempfile::tempdir().unwrap();
            let directory = Directory::new(folder.path());
            directory.store(&dtm, &options).unwrap();
            for &other in &others {
                directory.store_parts(&[other as _], &options, room_bytes).unwrap();
            }
            let found = std::fs::read(directory.path(tables[0].material)).unwrap();
            assert!(found == expected, "{name} {pack:?}: {room_bytes:?}");
        }
    }
}

#[test]
fn any_number_of_threads() {
    for name in ["KRKN", "KPK"] {
        let with_threads = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let build = Build::new().with_threads(threads.try_into().unwrap());
                let tables = solve(&build, name);
                in_new_folder(&[tables.iter().map(|table| &**table).collect()])
            })
        };
        let expected = with_threads(1);
        for threads in [2, 3, 7] {
            assert!(with_threads(threads) == expected, "{name}: {threads} threads");
        }
    }
}

/// How a metric is stored: from memory, or from its wave log.
#[derive(Clone, Copy, Debug)]
enum Way {
    Memory,
    Logs,
}

/// Metrics stored from memory and from wave logs, in turns, give the same file:
/// the layout of the file before does not matter.
#[test]
fn from_memory_and_from_logs() {
    let solver = Build::new();
    for name in ["KQKR", "KNKN", "KBNK", "KRKN"] {
        let tables = solve(&solver, name);
        let material = tables[0].material;
        let expected = in_new_folder(&[tables.iter().map(|table| &**table).collect()]);
        for ways in [[Way::Memory, Way::Logs, Way::Logs], [Way::Logs, Way::Memory, Way::Logs]] {
            let step = if is_exhaustive() || name == "KNKN" { 1 } else { 5 };
            for order in orders(&[0, 1, 2]).into_iter().step_by(step) {
                let folder = tempfile::tempdir().unwrap();
                let directory = Directory::new(folder.path());
                for (way, table) in ways.into_iter().zip(order.iter().map(|&i| &tables[i])) {
                    match way {
                        Way::Memory => directory.store(&[table], &OPTIONS).unwrap(),
                        Way::Logs => store_logged(&solver, &directory, table),
                    }
                }
                let found = std::fs::read(directory.path(material)).unwrap();
                assert!(found == expected, "{name}: {ways:?} {order:?}");
            }
        }
    }
}

fn store_logged(solver: &Build, directory: &Directory, table: &Table) {
    let logs = directory.wave_logs().with_worth_tiles(1);
    let stats = solver.solve_logged(table.material, table.metric, &logs).unwrap();
    let logged = logs.finish(&stats).unwrap();
    let assembly = Assembly { options: &OPTIONS, memory_bytes: 1 << 28, watch: &|_, _| true };
    directory.store_logged(&[logged], &assembly).unwrap();
}
