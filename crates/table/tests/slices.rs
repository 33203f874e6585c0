//! A table assembled from wave logs, one class of king pairs at a time, has the
//! bytes of the one written from memory.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use molien_board::Material;
use molien_build::Build;
use molien_table::{Assembly, Directory, Logged, TableError, WriteOptions, write};
use molien_values::{Metric, Table};

/// How the name of a file in the making ends.
const PART: &str = concat!("v", env!("CARGO_PKG_VERSION"), ".part");

const OPTIONS: WriteOptions = WriteOptions::quick(3);

fn assembly(memory_bytes: u64) -> Assembly<'static> {
    Assembly { options: &OPTIONS, memory_bytes, watch: &|_, _| true }
}

/// The logs of a material in some metrics.
fn logs(solver: &Build, directory: &Directory, tables: &[Arc<Table>]) -> Vec<Logged> {
    let logs = directory.wave_logs().with_worth_tiles(1);
    let mut found: Vec<Logged> = Vec::new();
    for table in tables {
        let same = |logged: &&Logged| {
            let known = tables.iter().find(|known| known.metric == logged.stats.metric);
            known.is_some_and(|known| Arc::ptr_eq(&known.parts[0], &table.parts[0]))
        };
        let logged = match found.iter().find(same) {
            Some(logged) => logged.also(table.metric),
            None => {
                let stats = solver.solve_logged(table.material, table.metric, &logs).unwrap();
                assert_eq!(stats, table.stats);
                logs.finish(&stats).unwrap();
                logs.finished(table.material, table.metric).unwrap()
            }
        };
        assert_eq!(logged.stats, table.stats);
        found.push(logged);
    }
    found
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

fn expected(folder: &Path, tables: &[Arc<Table>]) -> Vec<u8> {
    let path = folder.join("memory.mol");
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    write(&path, &tables, &OPTIONS).unwrap();
    bytes(&path)
}

fn check(name: &str, choices: &[&[Metric]], memory_bytes: u64) {
    let (solver, material) = (Build::new(), name.parse::<Material>().unwrap());
    for metrics in choices {
        let folder = tempfile::tempdir().unwrap();
        let directory = Directory::new(folder.path().join("tables"));
        let tables: Vec<_> = metrics.iter().map(|&m| solver.table(material, m).unwrap()).collect();
        let logged = logs(&solver, &directory, &tables);
        directory.store_logged(&logged, &assembly(memory_bytes)).unwrap();
        let found = bytes(&directory.path(material));
        assert!(found == expected(folder.path(), &tables), "{name} {metrics:?}");
        assert!(!directory.folder().join("waves").exists());
    }
}

const EACH: &[&[Metric]] =
    &[&[Metric::Dtc], &[Metric::Dtm], &[Metric::Dtz50], &[Metric::Dtm, Metric::Dtc, Metric::Dtz50]];

#[test]
fn four_men() {
    for name in ["KQKR", "KBNK", "KBBK", "KRKN"] {
        check(name, EACH, 1 << 28);
    }
}

/// Black's wins are White's, colours exchanged.
#[test]
fn symmetric_material() {
    for name in ["KQKQ", "KNKN"] {
        check(name, EACH, 1 << 28);
    }
}

#[test]
fn three_men() {
    for name in ["KQK", "KNK"] {
        check(name, EACH, 0);
    }
}

#[test]
fn five_men() {
    check("KRBKR", &[&[Metric::Dtc]], 1 << 28);
}

/// Writing that is stopped resumes where it stopped, whatever the end of the
/// file looks like.
#[test]
fn stopped_writing_resumes() {
    let (solver, material) = (Build::new(), "KRKN".parse::<Material>().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("tables"));
    let tables = [solver.table(material, Metric::Dtm).unwrap()];
    let expected = expected(folder.path(), &tables);
    let logged = logs(&solver, &directory, &tables);
    let part = directory.folder().join(format!("waves/KRvKN.dtm.3.{PART}"));
    for (stop, cut) in [(1, 0), (40, 3), (40, 5000), (115, 1), (116, 0)] {
        let written = AtomicUsize::new(0);
        let watch = |done: usize, blocks: usize| {
            assert!(written.fetch_max(done, Relaxed) < done && blocks == 116);
            done < stop
        };
        let stopped =
            directory.store_logged(&logged, &Assembly { watch: &watch, ..assembly(1 << 28) });
        assert!(matches!(stopped, Err(TableError::Interrupted { .. })), "{stopped:?}");
        assert!(!directory.path(material).exists());
        let mut file = bytes(&part);
        file.truncate(file.len().saturating_sub(cut));
        std::fs::write(&part, file).unwrap();
    }
    // A damaged record and all after it are written again.
    let mut file = bytes(&part);
    let middle = file.len() / 2;
    file[middle] ^= 1;
    std::fs::write(&part, file).unwrap();
    directory.store_logged(&logged, &assembly(1 << 28)).unwrap();
    assert!(bytes(&directory.path(material)) == expected);
}

/// A log that turns out to be damaged is an error; the solve then resumes after
/// its last whole wave.
#[test]
fn damaged_logs_are_noticed() {
    let (solver, material) = (Build::new(), "KRKN".parse::<Material>().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("tables"));
    let tables = [solver.table(material, Metric::Dtc).unwrap()];
    let logged = logs(&solver, &directory, &tables);
    let log = directory.folder().join("waves/KRvKN.dtc.w.wave");
    let mut file = bytes(&log);
    let middle = file.len() / 2;
    file[middle] ^= 1;
    std::fs::write(&log, file).unwrap();
    let failed = directory.store_logged(&logged, &assembly(1 << 28));
    assert!(matches!(failed, Err(TableError::DamagedLog { .. })), "{failed:?}");
    assert!(failed.unwrap_err().to_string().contains("KRvKN.dtc.w.wave: damaged"));
    assert!(directory.wave_logs().finished(material, Metric::Dtc).is_none());
    let logged = logs(&solver, &directory, &tables);
    directory.store_logged(&logged, &assembly(1 << 28)).unwrap();
    assert!(bytes(&directory.path(material)) == expected(folder.path(), &tables));
    // One that was cut short since is not taken for a whole one.
    let logged = logs(&solver, &directory, &tables);
    drop(logged);
    let file = bytes(&log);
    std::fs::write(&log, &file[..file.len() - 1]).unwrap();
    assert!(directory.wave_logs().finished(material, Metric::Dtc).is_none());
}

/// Metrics that are stored already stay.
#[test]
fn metrics_join() {
    let (solver, material) = (Build::new(), "KQKR".parse::<Material>().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path().join("tables"));
    let solve = |metric| solver.table(material, metric).unwrap();
    let tables = [Metric::Dtc, Metric::Dtz50, Metric::Dtm].map(solve);
    for some in [&tables[..2], &tables[2..]] {
        let logged = logs(&solver, &directory, some);
        directory.store_logged(&logged, &assembly(1 << 28)).unwrap();
    }
    assert!(bytes(&directory.path(material)) == expected(folder.path(), &tables));
}
