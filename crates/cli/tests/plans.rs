//! Plans that other programs carry out.

#[path = "shared/mod.rs"]
mod shared;

use std::path::Path;
use std::process::{Command, Output};

use shared::{molien, scratch};

/// A plan of all tables with up to three men, written to a file.
fn write_plan(folder: &Path, format: &str, file: &str) -> String {
    let plan = ["--tables", "tables", "plan", "--men", "3", "--metric", "dtc,dtm", "--format"];
    let output = molien(folder, &[&plan[..], &[format]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    std::fs::write(folder.join(file), &text).unwrap();
    text
}

/// The files of tables in a folder, by name.
fn tables(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let files = entries.filter(|path| path.extension().is_some_and(|ending| ending == "mol"));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    let mut found: Vec<_> =
        files.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect();
    found.sort();
    found
}

/// The same tables made by one command.
fn expected(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let solve = ["--tables", "expected", "solve", "--men", "3", "--metric", "dtc,dtm"];
    assert!(molien(folder, &solve).status.success());
    let found = tables(&folder.join("expected"));
    assert_eq!(found.len(), 5);
    found
}

fn run(folder: &Path, program: &str, args: &[&str]) -> Option<Output> {
    let own = Path::new(env!("CARGO_BIN_EXE_molien")).parent().unwrap().to_owned();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([own].into_iter().chain(std::env::split_paths(&path))).unwrap();
    let mut command = Command::new(program);
    command.args(args).current_dir(folder).env("PATH", path).env_remove("MOLIEN_TABLES");
    command.env("XDG_CACHE_HOME", folder.join("cache")).output().ok()
}

/// A program is missing; where everything is tested that is a failure.
fn skip(program: &str) {
    assert!(std::env::var_os("CI").is_none(), "there is no {program}");
    println!("skipped: there is no {program}");
}

fn said(output: &Output) -> String {
    [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text)).concat()
}

#[test]
fn make_builds_a_plan() {
    let folder = scratch("plan-make");
    let plan = write_plan(&folder, "make", "tables.mk");
    // A pawn promotes: its table comes after the others.
    let rule = plan.lines().find(|line| line.starts_with("made/KPK.dtc-dtm:")).unwrap_or_default();
    assert!(rule.contains("made/KQK.dtc-dtm") && rule.contains("made/KRK.dtc-dtm"), "{plan}");
    let make = |args: &[&str]| run(&folder, "make", &[&["-f", "tables.mk"], args].concat());
    let Some(first) = make(&["-j", "2", "made/KQK.dtc-dtm", "made/KRK.dtc-dtm"]) else {
        return skip("make");
    };
    assert!(first.status.success(), "{}", said(&first));
    assert_eq!(tables(&folder.join("tables")).len(), 2);
    // Only what is missing is done.
    let rest = make(&["-j", "2"]).unwrap();
    assert!(rest.status.success(), "{}", said(&rest));
    assert!(!said(&rest).contains("solve KQK") && said(&rest).contains("solve KPK"));
    assert!(tables(&folder.join("tables")) == expected(&folder));
    assert!(!said(&make(&[]).unwrap()).contains("solve"));
    // A plan leaves out what is there.
    assert!(!write_plan(&folder, "make", "tables.mk").contains("solve"));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn snakemake_builds_a_plan() {
    let folder = scratch("plan-snakemake");
    let plan = write_plan(&folder, "snakemake", "Snakefile");
    assert!(plan.contains("mem_mb") && plan.contains("rule table:"));
    let found = run(&folder, "snakemake", &["--cores", "2", "--quiet", "all"]);
    let Some(output) = found else {
        return skip("snakemake");
    };
    assert!(output.status.success(), "{}", said(&output));
    assert!(tables(&folder.join("tables")) == expected(&folder));
    let again = run(&folder, "snakemake", &["--cores", "2"]).unwrap();
    assert!(said(&again).contains("Nothing to be done"), "{}", said(&again));
    std::fs::remove_dir_all(folder).unwrap();
}

/// Tables with six men can be made by several ranks.
#[test]
fn large_tables_are_launched() {
    let folder = scratch("plan-ranks");
    let plan = |format: &str, ranks: &[&str]| {
        let args = ["--tables", "tables", "plan", "KRNKNN", "--metric", "dtc", "--format", format];
        let output = molien(&folder, &[&args[..], ranks].concat());
        String::from_utf8(output.stdout).unwrap()
    };
    let make = plan("make", &["--ranks", "4"]);
    let launched = make.lines().filter(|line| line.contains("$(LAUNCH) 4 $(MOLIEN)"));
    assert_eq!(launched.filter(|line| line.contains("solve KRNKNN --metric dtc")).count(), 1);
    assert!(!plan("make", &[]).contains("$(LAUNCH) "));
    let snake = plan("snakemake", &["--ranks", "4"]);
    assert!(snake.lines().any(|line| line.contains("solve KRNKNN") && line.contains("ranks=4")));
    let json: String = plan("json", &[]);
    assert!(json.contains("\"reads\""), "{json}");
    // Ranks divide the memory.
    let memory = |make: &str| -> u64 {
        let line = make.lines().find(|line| line.contains("solve KRNKNN")).unwrap();
        let said = line.split("--memory ").nth(1).unwrap();
        said.split('M').next().unwrap().parse().unwrap()
    };
    let [alone, four, sixteen] =
        [&[][..], &["--ranks", "4"], &["--ranks", "16"]].map(|ranks| memory(&plan("make", ranks)));
    assert!(four < alone / 2 && sixteen < four, "{alone} {four} {sixteen}");
    std::fs::remove_dir_all(folder).unwrap();
}
