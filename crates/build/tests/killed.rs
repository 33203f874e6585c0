//! A table with pawns that is solved and stored a part at a time: killed at any
//! moment, it resumes with the boards that are finished and ends with the same bytes.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use molien_board::Material;
use molien_build::{Build, Making};
use molien_solve::{Progress, WaveReport};
use molien_table::Directory;
use molien_testing::Random;
use molien_values::Metric;

/// Where the child process stores its table.
const FOLDER: &str = "MOLIEN_TEST_KILLED_FOLDER";
/// Whether it solves boards in little memory.
const LEAN: &str = "MOLIEN_TEST_KILLED_LEAN";
const MATERIAL: &str = "KPK";
const KILLS: usize = 20;

/// Slows the waves of the material down, so that there is time to be killed.
struct Slow(Material);

impl Progress for Slow {
    fn wave(&self, report: &WaveReport) {
        if report.material == self.0 {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Not a test of its own: what the killed process runs.
#[test]
#[ignore = "run by the other tests as a process of its own"]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let material: Material = MATERIAL.parse().unwrap();
    let lean_tiles = if std::env::var_os(LEAN).is_some() { 1 } else { u64::MAX };
    let build = Build::new()
        .with_folder(Directory::new(Path::new(&folder)))
        .by_part_from(material.len())
        .with_memory_limit(200 << 20)
        .lean_from(lean_tiles)
        .with_progress(Arc::new(Slow(material)));
    build.store(&[material], &[Metric::Dtm, Metric::Dtz50], &Making::default()).unwrap();
}

fn spawn(folder: &Path, lean: bool) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--ignored", "--exact", "child"]).env(FOLDER, folder);
    if lean {
        command.env(LEAN, "1");
    }
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn bytes(folder: &Path) -> Vec<u8> {
    std::fs::read(Directory::new(folder).path(MATERIAL.parse().unwrap())).unwrap()
}

/// Every other process solves in little memory: the log does not know.
#[test]
fn killed_at_random_and_resumed() {
    let undisturbed = tempfile::tempdir().unwrap();
    assert!(spawn(undisturbed.path(), false).wait().unwrap().success());
    let expected = bytes(undisturbed.path());
    let (mut kills, mut random) = (0, Random::new(17));
    while kills < KILLS {
        let folder = tempfile::tempdir().unwrap();
        for i in 0..5 {
            let mut child = spawn(folder.path(), i % 2 == 1);
            std::thread::sleep(Duration::from_millis(random.below(600) as u64));
            if child.try_wait().unwrap().is_none() {
                child.kill().unwrap(); // SIGKILL
                kills += 1;
            }
            child.wait().unwrap();
        }
        assert!(spawn(folder.path(), kills % 2 == 1).wait().unwrap().success());
        assert!(bytes(folder.path()) == expected, "the resumed file differs");
        // Logs that are in the table by now, and files of those that were killed.
        Directory::new(folder.path()).clean().unwrap();
        let left = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let folders: Vec<_> = left.filter(|path| path.join("lock").exists()).collect();
        assert!(folders.len() <= 1, "{folders:?}");
    }
}
