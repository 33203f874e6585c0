//! `molien verify`.

use std::str::FromStr;
use std::sync::Arc;

use anyhow::ensure;
use clap::Args;
use molien_board::{Material, Position};
use molien_build::{Build, Storage, dependencies, storage};
use molien_probe::Tablebase;
use molien_schema::{BrokenLawJson, DisagreementJson, PlaneCheckJson, RefereeJson, VerifyJson};
use molien_solve::Inconsistency;
use molien_table::TableFile;
use molien_values::{Metric, Value};
use molien_verify::{
    Disagreement, Options, PlaneReport, Report, STORED_SAMPLE, stored_check_bytes, verify,
    verify_stored,
};

use crate::Verdict;
use crate::args::Materials;
use crate::context::Context;
use crate::hint::{hint, is_damage};
use crate::text::{grouped, note, plural, print_answer, print_line, size};

const AFTER_HELP: &str = "\
Examples:
  molien verify KRK KPK
  molien verify KBBKN --sample 100000 --seed 7
  molien verify --men 3          every material with up to three men

There are two checks. One compares every value of every position with the values one
move on, a plane at a time. The other is a referee that plays the legal moves of an
independent library: on every position up to four men, and on a random sample beyond.
There are more places than positions: with both kings on the long diagonal, a position
and its mirror image have a place each.
A stored table of six men is checked in its file: with pawns, every value by planes,
board by board; without pawns, who wins by planes and the depths by the referee. For
such a table --en-passant adds a second sample, of positions one move away from an
en-passant capture.
The exit code is 1 if a check fails.";

/// What to check.
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct VerifyArgs {
    #[command(flatten)]
    which: Materials,
    /// Metrics: dtm, dtc, dtz, dtz50
    #[arg(long, value_delimiter = ',', default_value = "dtm,dtc,dtz,dtz50")]
    metric: Vec<Metric>,
    /// How many positions the referee looks at beyond four men, or 'all' [default:
    /// 1000000; 20000 for a stored table of six men]
    #[arg(long, value_name = "N")]
    sample: Option<Sample>,
    /// Look at every position one move away from an en-passant capture as well
    #[arg(long)]
    en_passant: bool,
    /// Seed of the sample
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
}

/// How many positions; none is all of them.
#[derive(Clone, Copy, Debug)]
struct Sample(Option<u64>);

impl FromStr for Sample {
    type Err = String;

    fn from_str(text: &str) -> Result<Sample, String> {
        if text.eq_ignore_ascii_case("all") {
            return Ok(Sample(None));
        }
        let number = text.parse().map_err(|_| format!("'{text}' is neither a number nor 'all'"))?;
        Ok(Sample(Some(number)))
    }
}

/// Checks each material and prints the findings.
pub fn run(context: &Context, args: &VerifyArgs) -> anyhow::Result<Verdict> {
    let materials = args.which.list()?;
    let chess = context.promotes_to_all();
    anyhow::ensure!(chess, "only chess can be verified: leave out --promote");
    let build = context.build();
    let mut verdict = Verdict::Done;
    for material in materials {
        let report = match check(context, &build, material, args) {
            // A table that cannot be read is not right.
            Err(error) if is_damage(&error) => {
                print_damage(context, material, &error)?;
                verdict = Verdict::Failed;
                continue;
            }
            report => report?,
        };
        if context.json {
            print_answer(&to_json(&report, args))?;
        } else {
            print(&report, args)?;
        }
        if report.failures() > 0 {
            verdict = Verdict::Failed;
        }
    }
    Ok(verdict)
}

/// Checks one material.
fn check(
    context: &Context,
    build: &Build,
    material: Material,
    args: &VerifyArgs,
) -> anyhow::Result<Report> {
    if context.only_stored() {
        all_stored(&context.own_tablebase(), material, &args.metric)?;
    }
    let options = Options {
        metrics: args.metric.clone(),
        sample: args.sample.map_or(Options::default().sample, |sample| sample.0),
        seed: args.seed,
        en_passant: args.en_passant,
    };
    match large_file(build, material)? {
        Some(file) => check_file(context, build, file, args),
        None => Ok(verify(build, material, &options)?),
    }
}

/// Says that a table could not be checked because its file is damaged.
fn print_damage(
    context: &Context,
    material: Material,
    error: &anyhow::Error,
) -> anyhow::Result<()> {
    if context.json {
        return print_answer(&VerifyJson::damaged(material, error));
    }
    let hint = hint(error).map_or(String::new(), |hint| format!(" ({hint})"));
    print_line(&format!("{material}: FAILED: {error}{hint}"))
}

/// Whether a table and those it reads are there; the error says which is not.
fn all_stored(stored: &Tablebase, material: Material, metrics: &[Metric]) -> anyhow::Result<()> {
    let below = dependencies(material).into_iter().filter(|sub| sub.len() > 2);
    for needed in below.chain([material.canonical()]) {
        for &metric in metrics {
            stored.stats(needed, metric)?;
        }
    }
    Ok(())
}

/// The file of a table too large for memory, if it is stored.
fn large_file(build: &Build, material: Material) -> anyhow::Result<Option<TableFile>> {
    if !matches!(storage(material), Storage::FromLog | Storage::ByPart) {
        return Ok(None);
    }
    match build.open_file(material) {
        Err(error) if error.is_missing() => Ok(None),
        found => Ok(found?),
    }
}

/// Checks a table in its file.
fn check_file(
    context: &Context,
    solver: &Build,
    file: TableFile,
    args: &VerifyArgs,
) -> anyhow::Result<Report> {
    ensure!(!matches!(args.sample, Some(Sample(None))), TOO_MANY);
    let options = Options {
        metrics: args.metric.clone(),
        sample: Some(args.sample.and_then(|sample| sample.0).unwrap_or(STORED_SAMPLE)),
        seed: args.seed,
        en_passant: args.en_passant,
    };
    let (needed, limit) = (stored_check_bytes(&file), context.memory_bytes());
    if needed > limit && !file.material().has_pawns() {
        let (needed, limit) = (size(needed), size(limit));
        note(format_args!(
            "checking a sample only: all positions take {needed}, and the limit is {limit}"
        ));
    }
    Ok(verify_stored(solver, Arc::new(file), &options, limit)?)
}

const TOO_MANY: &str = "all positions of six men are too many for the referee: give a number";

fn fen(position: &Option<Position>) -> Option<String> {
    position.as_ref().map(ToString::to_string)
}

fn to_json(report: &Report, args: &VerifyArgs) -> VerifyJson {
    let law =
        |bad: &Inconsistency| BrokenLawJson { fen: fen(&bad.position), law: bad.law.to_string() };
    let plane = |plane: &PlaneReport| PlaneCheckJson {
        metric: plane.metric.name(),
        checked: plane.found.checked,
        depths: plane.depths,
        failures: plane.found.failures,
        first: plane.found.first.iter().map(law).collect(),
    };
    let plies = |value: Option<Value>| value.and_then(Value::signed_plies);
    let disagreement = |bad: &Disagreement| DisagreementJson {
        fen: fen(&bad.position),
        metric: bad.metric.map(Metric::name),
        found: plies(bad.found),
        expected: plies(bad.expected),
    };
    let referee = RefereeJson {
        checked: report.referee.checked,
        exhaustive: report.exhaustive,
        seed: (!report.exhaustive).then_some(args.seed),
        en_passant: report.exhaustive || args.en_passant,
        failures: report.referee.failures,
        first: report.referee.first.iter().map(disagreement).collect(),
    };
    VerifyJson::new(report.material, report.planes.iter().map(plane).collect(), referee)
}

fn print(report: &Report, args: &VerifyArgs) -> anyhow::Result<()> {
    let ok = if report.failures() == 0 { "ok" } else { "FAILED" };
    print_line(&format!("{}: {ok}", report.material))?;
    for plane in &report.planes {
        print_line(&format!(
            "  planes  {:5} {:>15} places{}, {}",
            plane.metric.name(),
            grouped(plane.found.checked),
            if plane.depths { "" } else { " (who wins, not depths)" },
            failures(plane.found.failures),
        ))?;
        for bad in &plane.found.first {
            let place = fen(&bad.position).unwrap_or("an illegal placement".to_owned());
            print_line(&format!("    {place}: {}", bad.law))?;
        }
    }
    let kind = match (report.exhaustive, args.en_passant) {
        (true, _) => "all".to_owned(),
        (false, true) => format!("sample, seed {}, and all next to en passant", args.seed),
        (false, false) => format!("sample, seed {}", args.seed),
    };
    print_line(&format!(
        "  referee       {:>15} positions ({kind}), {}",
        grouped(report.referee.checked),
        failures(report.referee.failures),
    ))?;
    for bad in &report.referee.first {
        let place = fen(&bad.position).unwrap_or("an illegal placement".to_owned());
        let what = match (bad.metric, bad.found, bad.expected) {
            (Some(metric), Some(found), Some(expected)) => {
                format!("{metric} is {}, expected {}", describe(found), describe(expected))
            }
            _ => "the referee does not agree on its legality".to_owned(),
        };
        print_line(&format!("    {place}: {what}"))?;
    }
    Ok(())
}

fn failures(count: u64) -> String {
    format!("{} {}", grouped(count), plural(count, "failure", "failures"))
}

fn describe(value: Value) -> String {
    match value.signed_plies() {
        None => "a draw".to_owned(),
        Some(plies) => plies.to_string(),
    }
}
