//! A solver killed at any moment resumes where it stopped and ends with the same
//! bytes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use molien_board::Material;
use molien_build::Build;
use molien_solve::{Progress, WaveReport};
use molien_table::{Assembly, Directory, Pack, WriteOptions};
use molien_testing::Random;
use molien_values::{Metric, Table};

/// Where the child process stores its table.
const FOLDER: &str = "MOLIEN_TEST_CRASH_FOLDER";
/// At which block the child process ends at once, as if it were killed.
const LAST_BLOCK: &str = "MOLIEN_TEST_CRASH_BLOCK";
const MATERIAL: &str = "KQKR";

/// Slows the waves of the material down, so that there is time to be killed.
struct Slow(Material);

impl Progress for Slow {
    fn wave(&self, report: &WaveReport) {
        if report.material == self.0 {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn solve_and_store(folder: &Path) {
    let directory = Directory::new(folder);
    let material: Material = MATERIAL.parse().unwrap();
    let _lock = directory.wait_for_lock(material).unwrap();
    let logs = directory.wave_logs().with_worth_tiles(400);
    let solver = Build::new().with_progress(Arc::new(Slow(material))).with_wave_log(Arc::new(logs));
    let metrics = [Metric::Dtm, Metric::Dtc];
    let tables: Vec<_> = metrics.iter().map(|&m| solver.table(material, m).unwrap()).collect();
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    let options = WriteOptions::quick(3);
    directory.store_locked(&tables, &options).unwrap();
}

/// The same by way of the logs alone, as large tables are made.
fn solve_and_assemble(folder: &Path) {
    let directory = Directory::new(folder);
    let material: Material = MATERIAL.parse().unwrap();
    let _lock = directory.wait_for_lock(material).unwrap();
    let logs = directory.wave_logs().with_worth_tiles(1);
    let solver = Build::new().with_progress(Arc::new(Slow(material)));
    let logged = |metric| {
        logs.finished(material, metric).unwrap_or_else(|| {
            let stats = solver.solve_logged(material, metric, &logs).unwrap();
            logs.finish(&stats).unwrap()
        })
    };
    let logged = [Metric::Dtm, Metric::Dtc].map(logged);
    let last: Option<usize> = std::env::var(LAST_BLOCK).ok().and_then(|text| text.parse().ok());
    let watch = |written, _| {
        if Some(written) == last {
            std::process::abort(); // nothing is flushed or tidied up
        }
        true
    };
    let options = &WriteOptions::quick(3);
    let assembly = Assembly { options, memory_bytes: 1 << 28, watch: &watch };
    directory.store_logged(&logged, &assembly).unwrap();
}

/// Not a test of its own: what the killed process runs.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn assembling_child() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        solve_and_assemble(Path::new(&folder));
    }
}

/// A small table, in learnt contexts: most of the time it is being written.
fn solve_and_pack(folder: &Path) {
    let directory = Directory::new(folder);
    let material: Material = "KPK".parse().unwrap();
    let _lock = directory.wait_for_lock(material).unwrap();
    let logs = directory.wave_logs().with_worth_tiles(1);
    let solver = Build::new().with_wave_log(Arc::new(logs));
    let tables = [Metric::Dtm, Metric::Dtz50].map(|m| solver.table(material, m).unwrap());
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    directory.store_locked(&tables, &WriteOptions::packed(Pack::Fast)).unwrap();
}

/// Not a test of its own: what the killed process runs.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn packing_child() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        solve_and_pack(Path::new(&folder));
    }
}

/// Not a test of its own: what the killed process runs.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn child() {
    if let Some(folder) = std::env::var_os(FOLDER) {
        solve_and_store(Path::new(&folder));
    }
}

fn spawn(folder: &Path) -> Child {
    spawn_as("child", folder)
}

fn spawn_as(name: &str, folder: &Path) -> Child {
    command(name, folder).spawn().unwrap()
}

fn command(name: &str, folder: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", name]).env(FOLDER, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn table_bytes(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("KQvKR.mol")).unwrap()
}

/// Starts a process and kills it after a random time, so often; returns how
/// often it was not too late.
fn kill_at_random(name: &str, folder: &Path, times: usize, random: &mut Random) -> usize {
    let mut kills = 0;
    for _ in 0..times {
        let mut child = spawn_as(name, folder);
        let pause = random.below(450) as u64;
        std::thread::sleep(Duration::from_millis(pause));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap(); // SIGKILL
            kills += 1;
        }
        child.wait().unwrap();
    }
    kills
}

/// Lets a process finish: its file must be the expected one.
fn finish(name: &str, folder: &Path, expected: &[u8]) {
    assert!(spawn_as(name, folder).wait().unwrap().success());
    assert!(table_bytes(folder) == expected, "the resumed file differs");
    let log = folder.join("waves/KQvKR.dtm.w.wave");
    assert!(!log.exists(), "the wave log is still there");
}

const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

#[test]
fn killed_at_random_and_resumed() {
    let undisturbed = tempfile::tempdir().unwrap();
    assert!(spawn(undisturbed.path()).wait().unwrap().success());
    let expected = table_bytes(undisturbed.path());
    let (mut kills, mut random) = (0, Random::new(SEED));
    while kills < 21 {
        let folder = tempfile::tempdir().unwrap();
        kills += kill_at_random("child", folder.path(), 7, &mut random);
        finish("child", folder.path(), &expected);
    }
}

/// Learnt contexts: a file is there whole or not at all.
#[test]
fn killed_while_packing() {
    let file = |folder: &Path| std::fs::read(folder.join("KPvK.mol"));
    let undisturbed = tempfile::tempdir().unwrap();
    assert!(spawn_as("packing_child", undisturbed.path()).wait().unwrap().success());
    let expected = file(undisturbed.path()).unwrap();
    let (mut kills, mut random) = (0, Random::new(SEED));
    let mut folder = tempfile::tempdir().unwrap();
    while kills < 4 {
        kills += kill_at_random("packing_child", folder.path(), 1, &mut random);
        match file(folder.path()) {
            Ok(bytes) => {
                assert!(bytes == expected, "the file differs");
                folder = tempfile::tempdir().unwrap();
            }
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::NotFound),
        }
    }
    assert!(spawn_as("packing_child", folder.path()).wait().unwrap().success());
    assert!(file(folder.path()).unwrap() == expected, "the resumed file differs");
}

/// Killed while it solves and while it writes; the file is the one written from
/// memory.
#[test]
fn killed_while_assembling_and_resumed() {
    let undisturbed = tempfile::tempdir().unwrap();
    assert!(spawn(undisturbed.path()).wait().unwrap().success());
    let expected = table_bytes(undisturbed.path());
    let mut random = Random::new(SEED);
    let mut left = 0;
    for _ in 0..3 {
        let folder = tempfile::tempdir().unwrap();
        kill_at_random("assembling_child", folder.path(), 4, &mut random);
        // Of 116 blocks; a later one each time, since what is written stays.
        for stop in [20, 60, 100] {
            let block = stop + random.below(16);
            let mut command = command("assembling_child", folder.path());
            let child = command.env(LAST_BLOCK, block.to_string()).spawn();
            assert!(!child.unwrap().wait().unwrap().success());
            let part = concat!("waves/KQvKR.dtm-dtc.3.v", env!("CARGO_PKG_VERSION"), ".part");
            let part = folder.path().join(part);
            left = left.max(std::fs::metadata(part).unwrap().len());
        }
        finish("assembling_child", folder.path(), &expected);
    }
    assert!(left as usize > expected.len() / 2, "nothing was there to resume");
}

#[test]
fn a_log_cut_anywhere_is_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = spawn(folder.path());
    std::thread::sleep(Duration::from_millis(400));
    let _ = child.kill();
    child.wait().unwrap();
    let logs = folder.path().join("waves");
    let Ok(entries) = std::fs::read_dir(&logs) else { return };
    for (i, entry) in entries.enumerate() {
        let path = entry.unwrap().path();
        let mut bytes = std::fs::read(&path).unwrap();
        match i % 2 {
            0 => bytes.truncate(bytes.len() * 2 / 3),
            _ => {
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
            }
        }
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(spawn(folder.path()).wait().unwrap().success());
    let undisturbed = tempfile::tempdir().unwrap();
    assert!(spawn(undisturbed.path()).wait().unwrap().success());
    assert!(table_bytes(folder.path()) == table_bytes(undisturbed.path()));
}

#[test]
fn two_processes_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let mut children = [spawn(folder.path()), spawn(folder.path())];
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let directory = Directory::new(folder.path());
    directory.verify(MATERIAL.parse().unwrap()).unwrap();
    let names: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().all(|name| !name.ends_with("tmp")), "{names:?}");
}
