//! Several processes that `mpirun` starts make the same files as one.

#[path = "shared/mod.rs"]
mod shared;

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use shared::{molien, scratch};

const METRICS: &str = "dtc,dtm";

/// `mpirun` with so many ranks of the program, more than there are cores if need be.
fn mpirun(folder: &Path, ranks: usize, args: &[&str]) -> Command {
    let mut command = Command::new("mpirun");
    command.args(["--oversubscribe", "--allow-run-as-root", "-n", &ranks.to_string()]);
    // On one machine, without asking its network.
    command.args(["--mca", "btl", "self,vader", "--mca", "oob_tcp_if_include", "lo"]);
    command.arg(env!("CARGO_BIN_EXE_molien")).args(["--threads", "1", "--memory", "1G"]).args(args);
    command.current_dir(folder).env_remove("MOLIEN_TABLES").env_remove("SYZYGY_PATH");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn has_mpirun() -> bool {
    let found = Command::new("mpirun").arg("--version").output().is_ok();
    if !found {
        assert!(std::env::var_os("CI").is_none(), "there is no mpirun: install openmpi-bin");
        println!("skipped: there is no mpirun; install openmpi-bin");
    }
    found
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat()
}

/// A table made by one process, with its waves.
struct Usual {
    name: String,
    folder: PathBuf,
    waves: Vec<String>,
}

/// The lines of some files, sorted.
fn lines(paths: &[PathBuf]) -> Vec<String> {
    let text = |path: &PathBuf| std::fs::read_to_string(path).unwrap();
    let mut lines: Vec<String> = paths
        .iter()
        .flat_map(|path| text(path).lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    lines.sort();
    lines
}

impl Usual {
    /// In a folder of its own for each test.
    fn new(name: &str, test: &str) -> Usual {
        let folder = scratch(&format!("mpirun-{test}-{name}"));
        let solve = ["--yes", "--tables", "one", "solve", name, "--metric", METRICS];
        let output = molien(&folder, &[&solve[..], &["--waves", "waves"]].concat());
        assert!(output.status.success(), "{}", said(&output));
        let waves = lines(&[folder.join("waves")]);
        let waves = waves.into_iter().filter(|line| line.starts_with(name)).collect();
        Usual { name: name.to_owned(), folder, waves }
    }

    /// A folder with all that was made but the table itself.
    fn below(&self, tables: &str) {
        let to = self.folder.join(tables);
        let _ = std::fs::remove_dir_all(&to);
        std::fs::create_dir(&to).unwrap();
        for entry in std::fs::read_dir(self.folder.join("one")).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() && path != self.file("one") {
                std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
            }
        }
    }

    fn file(&self, tables: &str) -> PathBuf {
        let black = self.name.rfind('K').unwrap();
        let (white, black) = self.name.split_at(black);
        self.folder.join(tables).join(format!("{white}v{black}.mol"))
    }

    fn command(&self, ranks: usize, tables: &str) -> Command {
        let args = ["--yes", "--tables", tables, "solve", &self.name, "--metric", METRICS];
        mpirun(&self.folder, ranks, &[&args[..], &["--waves", "found"]].concat())
    }

    fn check(&self, ranks: usize) {
        self.below("some");
        let output = self.command(ranks, "some").output().unwrap();
        assert!(output.status.success(), "{ranks}: {}", said(&output));
        // The first rank reports, and it alone.
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with(&self.name)).count(), 2, "{text}");
        self.is_equal("some");
        let path = |rank: usize| match rank {
            0 => self.folder.join("found"),
            rank => self.folder.join(format!("found.{rank}")),
        };
        let own = |lines: Vec<String>| -> Vec<String> {
            lines.into_iter().filter(|line| line.starts_with(&self.name)).collect()
        };
        match self.name.contains('P') {
            true => assert!(own(lines(&(0..ranks).map(path).collect::<Vec<_>>())) == self.waves),
            false => (0..ranks).for_each(|rank| assert!(own(lines(&[path(rank)])) == self.waves)),
        }
    }

    fn is_equal(&self, tables: &str) {
        let [found, expected] = [tables, "one"].map(|tables| std::fs::read(self.file(tables)));
        assert!(found.unwrap() == expected.unwrap(), "{}", self.name);
    }
}

/// The processes that another one has started.
fn children(of: u32) -> Vec<u32> {
    let parent = |pid: u32| -> Option<u32> {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit(')').next()?.split_whitespace().nth(1)?.parse().ok()
    };
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter(|&pid| parent(pid) == Some(of)).collect()
}

/// Kills one process so that it can say nothing more.
fn kill(pid: u32) {
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status().unwrap().success());
}

/// Waits until some ranks are at work, and a little longer.
fn wait_for_ranks(job: &Child, ranks: usize, longer: Duration) -> Vec<u32> {
    for _ in 0..2000 {
        let found = children(job.id());
        if found.len() >= ranks {
            std::thread::sleep(longer);
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("the ranks do not start");
}

fn exhaustive() -> bool {
    std::env::var_os("MOLIEN_EXHAUSTIVE").is_some()
}

#[test]
fn the_files_are_those_of_one_process() {
    if !has_mpirun() {
        return;
    }
    let names: &[&str] = match exhaustive() {
        true => &["KRKN", "KPK", "KRBKR", "KQKP", "KPKP", "KRPKR"],
        false => &["KRKN", "KPK"],
    };
    for name in names {
        let usual = Usual::new(name, "files");
        let counts: &[usize] = if exhaustive() { &[1, 2, 3, 4, 7] } else { &[1, 3, 4] };
        counts.iter().for_each(|&ranks| usual.check(ranks));
        std::fs::remove_dir_all(&usual.folder).unwrap();
    }
}

/// One rank is killed at some moment, then `mpirun` itself; other numbers of ranks
/// finish the work.
#[test]
fn what_was_killed_resumes_with_other_ranks() {
    if !has_mpirun() {
        return;
    }
    let usual = Usual::new("KRKN", "killed");
    usual.below("some");
    for (ranks, wait) in [(3, 150), (4, 250), (2, 350)] {
        let mut job = usual.command(ranks, "some").spawn().unwrap();
        let pids = wait_for_ranks(&job, ranks, Duration::from_millis(wait));
        if usual.file("some").exists() {
            job.wait().unwrap(); // it was faster
            continue;
        }
        kill(pids[ranks / 2]);
        let output = job.wait_with_output().unwrap();
        assert!(!output.status.success() || usual.file("some").exists(), "{}", said(&output));
    }
    let mut job = usual.command(3, "some").spawn().unwrap();
    let pids = wait_for_ranks(&job, 3, Duration::from_millis(200));
    kill(job.id());
    job.wait().unwrap();
    for _ in 0..2000 {
        // They end when they miss it.
        if pids.iter().all(|pid| !Path::new(&format!("/proc/{pid}/exe")).exists()) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = usual.command(5, "some").output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    usual.is_equal("some");
    std::fs::remove_dir_all(&usual.folder).unwrap();
}

/// A rank that cannot go on says why; all end, and not well.
#[test]
fn an_error_ends_all() {
    if !has_mpirun() {
        return;
    }
    let folder = scratch("mpirun-error");
    std::fs::write(folder.join("tables"), "a file").unwrap();
    let solve = ["--tables", "tables", "solve", "KQK", "--metric", "dtm"];
    let output = mpirun(&folder, 3, &solve).output().unwrap();
    assert!(!output.status.success());
    assert!(said(&output).contains("rank 0: "), "{}", said(&output));
    let probe = ["probe", "8/8/8/8/8/2k5/8/K6R w - -"];
    let output = mpirun(&folder, 2, &probe).output().unwrap();
    assert!(!output.status.success());
    assert!(said(&output).contains("only `molien solve`"), "{}", said(&output));
    std::fs::remove_dir_all(folder).unwrap();
}
