//! The real program solves a part at a time: killed at any moment, it gives the
//! same files in the end.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use molien_testing::Random;

const GOAL: &str = "KPPK";
const KILLS: usize = 20;

fn molien(tables: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_molien"));
    command.args(args).args(["--threads", "2", "--backend", "cpu", "--tables"]).arg(tables);
    command
}

fn output(tables: &Path, args: &[&str]) -> Output {
    molien(tables, args).output().unwrap()
}

const SOLVE: [&str; 8] =
    ["solve", GOAL, "--metric", "dtm,dtz50", "--by-part", "4", "--memory", "300M"];

#[test]
fn a_killed_solve_resumes() {
    let (whole, parts) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let solved = output(whole.path(), &["solve", GOAL, "--metric", "dtm,dtz50"]);
    assert!(solved.status.success());
    let mut random = Random::new(17);
    let mut killed = 0;
    for _ in 0..KILLS {
        let mut command = molien(parts.path(), &SOLVE);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(20 + random.below(180) as u64));
        killed += usize::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(killed > 0, "it was never killed");
    let resumed = output(parts.path(), &SOLVE);
    assert!(resumed.status.success(), "{}", String::from_utf8_lossy(&resumed.stderr));
    for name in [GOAL, "KQPK", "KQQK"] {
        let name = format!("{}vK.mol", &name[..3]);
        let read = |folder: &Path| std::fs::read(folder.join(&name)).unwrap();
        assert!(read(whole.path()) == read(parts.path()), "{name}");
    }
}

#[test]
fn a_plan_says_what_is_solved() {
    let tables = tempfile::tempdir().unwrap();
    let plan = output(tables.path(), &["plan", "KPK", "KRPKRP", "--metric", "dtm", "--json"]);
    assert!(plan.status.success());
    let plan = String::from_utf8(plan.stdout).unwrap();
    assert!(plan.contains("\"KRPKRP\"") && plan.contains("\"by-part\""), "{plan}");
    let text = output(tables.path(), &["plan", "KPK", "--metric", "dtm"]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.contains("KPK") && text.contains("tables: about"), "{text}");
}

#[test]
fn figures_are_compared() {
    let tables = tempfile::tempdir().unwrap();
    let longest = tables.path().join("longest.tsv");
    let head =
        "table\tmax_dtm_ply_first_side_to_move_and_wins\tmax_dtm_ply_second_side_to_move_and_wins";
    let compare = |figure: u16| {
        std::fs::write(&longest, format!("{head}\nKRvK\t{figure}\t\n")).unwrap();
        output(tables.path(), &["compare", "--with", longest.to_str().unwrap()])
    };
    let equal = compare(31);
    assert_eq!(equal.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&equal.stdout).contains("1 of 1 tables equal"));
    let different = compare(33);
    assert_eq!(different.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&different.stdout).contains("33, here 31"));
}
