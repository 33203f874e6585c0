//! Plans that other programs carry out: makefiles and Snakemake's.
//!
//! Every table is a command that may be given again and again: it does what is
//! missing. That it was done is said by an empty file named after the table and its
//! metrics, so that a metric asked for later is a new goal, and nobody but `molien`
//! ever removes a table.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use molien_schema::PlannedTableJson;

/// Where the empty files are.
const MARKS: &str = "made";
/// Times are rough: this much more is asked of a scheduler.
const TIME_FACTOR: f64 = 4.0;
const LEAST_MINUTES: f64 = 10.0;
/// Tables of so many men keep one thread busy at best.
const ONE_THREAD_MEN: usize = 4;

/// How tables are made.
pub struct Farm<'a> {
    /// The folder of tables.
    pub folder: &'a Path,
    /// Threads for large tables.
    pub threads: usize,
    /// Ranks that make a table with six men together.
    pub ranks: Option<usize>,
}

/// One table, as schedulers see it.
struct Job<'a> {
    table: &'a PlannedTableJson,
    mark: String,
    reads: Vec<&'a str>,
    threads: usize,
    ranks: usize,
    memory_mib: u64,
    disk_mib: u64,
    minutes: u64,
}

/// The tables that are stored, each with the marks of those it reads.
fn jobs<'a>(
    tables: &'a [PlannedTableJson],
    marks: &'a HashMap<&'a str, String>,
    farm: &Farm<'_>,
) -> Vec<Job<'a>> {
    let job = |table: &'a PlannedTableJson| {
        let large = matches!(table.storage, "from-log" | "by-part");
        let small =
            table.material.chars().filter(char::is_ascii_uppercase).count() <= ONE_THREAD_MEN;
        let mib = |bytes: u64| bytes.div_ceil(1 << 20);
        let reads = table.reads.iter().filter_map(|name| marks.get(name.as_str()));
        Job {
            table,
            mark: marks[table.material.as_str()].clone(),
            reads: reads.map(String::as_str).collect(),
            threads: if small { 1 } else { farm.threads },
            ranks: farm.ranks.filter(|_| large).unwrap_or(1),
            memory_mib: mib(table.memory_bytes + table.memory_bytes / 4) + 512,
            disk_mib: mib(table.file_bytes + table.log_bytes),
            minutes: (table.seconds / 60.0 * TIME_FACTOR).max(LEAST_MINUTES).ceil() as u64,
        }
    };
    tables.iter().filter(|table| table.storage != "none").map(job).collect()
}

/// The marks of the tables, by material.
fn marks(tables: &[PlannedTableJson]) -> HashMap<&str, String> {
    let mark = |table: &PlannedTableJson| format!("{}.{}", table.material, table.metrics.join("-"));
    let stored = tables.iter().filter(|table| table.storage != "none");
    stored.map(|table| (table.material.as_str(), mark(table))).collect()
}

impl Job<'_> {
    /// The arguments that make it, threads and memory left out.
    fn arguments(&self) -> String {
        format!("solve {} --metric {}", self.table.material, self.table.metrics.join(","))
    }
}

/// One word for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A makefile.
pub fn makefile(tables: &[PlannedTableJson], farm: &Farm<'_>) -> String {
    let marks = marks(tables);
    let jobs = jobs(tables, &marks, farm);
    let folder = quoted(&farm.folder.display().to_string()).replace('$', "$$");
    let mut out = format!(
        "# Run with `make -j 4 -f FILE`; again after an interruption.\n\
         MOLIEN ?= molien\n\
         TABLES ?= {folder}\n\
         LAUNCH ?= mpirun -n\n\n\
         .PHONY: all\n\
         all:"
    );
    jobs.iter().for_each(|job| write!(out, " {MARKS}/{}", job.mark).unwrap_or_default());
    out.push('\n');
    for job in &jobs {
        let reads: String = job.reads.iter().map(|mark| format!(" {MARKS}/{mark}")).collect();
        let launch = match job.ranks {
            1 => String::new(),
            ranks => format!("$(LAUNCH) {ranks} "),
        };
        let Job { mark, memory_mib, threads, .. } = job;
        // Only whether what is read is there matters, not when it was made.
        let text = format!(
            "\n{MARKS}/{mark}: |{reads}\n\
             \t@mkdir -p {MARKS}\n\
             \t{launch}$(MOLIEN) --yes --tables $(TABLES) --memory {memory_mib}M --threads {threads} {}\n\
             \t@touch $@\n",
            job.arguments(),
        );
        out.push_str(&text);
    }
    out
}

/// A file for Snakemake.
pub fn snakefile(tables: &[PlannedTableJson], farm: &Farm<'_>) -> String {
    let marks = marks(tables);
    let folder = python(&quoted(&farm.folder.display().to_string()));
    let mut out = format!(
        "# Run with `snakemake --snakefile FILE --cores 4`; again after an interruption.\n\
         MOLIEN = config.get(\"molien\", \"molien\")\n\
         TABLES = config.get(\"tables\", {folder})\n\
         LAUNCH = config.get(\"launch\", \"srun --mpi=pmix -n\")\n\n\
         # What each table reads, and what it takes.\n\
         PLAN = {{\n"
    );
    for job in jobs(tables, &marks, farm) {
        let reads: Vec<String> = job.reads.iter().map(|mark| python(mark)).collect();
        let line = format!(
            "    {}: dict(\n        reads=[{}],\n        arguments={}, threads={}, ranks={}, \
             mem_mb={}, disk_mb={}, runtime={},\n    ),\n",
            python(&job.mark),
            reads.join(", "),
            python(&job.arguments()),
            job.threads,
            job.ranks,
            job.memory_mib,
            job.disk_mib,
            job.minutes,
        );
        out.push_str(&line);
    }
    out + "}\n" + SNAKEMAKE_RULES
}

/// The same for every plan.
const SNAKEMAKE_RULES: &str = r#"

def launch(wildcards):
    ranks = PLAN[wildcards.table]["ranks"]
    return f"{LAUNCH} {ranks} " if ranks > 1 else ""


rule all:
    input:
        expand("made/{table}", table=PLAN),


rule table:
    # Only whether what is read is there matters, not when it was made.
    input:
        lambda w: [ancient(f"made/{table}") for table in PLAN[w.table]["reads"]],
    output:
        touch("made/{table}"),
    threads: lambda w: PLAN[w.table]["threads"]
    resources:
        mem_mb=lambda w: PLAN[w.table]["mem_mb"],
        disk_mb=lambda w: PLAN[w.table]["disk_mb"],
        runtime=lambda w: PLAN[w.table]["runtime"],
        tasks=lambda w: PLAN[w.table]["ranks"],
    params:
        launch=launch,
        arguments=lambda w: PLAN[w.table]["arguments"],
    shell:
        "{params.launch}{MOLIEN} --yes --tables {TABLES} --memory {resources.mem_mb}M"
        " --threads {threads} {params.arguments}"
"#;

/// A string as Python writes it.
fn python(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}
