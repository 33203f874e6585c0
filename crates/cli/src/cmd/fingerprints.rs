//! `molien tables --fingerprints`.

use molien_schema::FingerprintJson;
use molien_table::{Directory, TableError, TableFile};
use molien_values::{Fingerprint, Metric};
use rayon::prelude::*;

use crate::Verdict;
use crate::context::Context;
use crate::scan_bar::ScanBar;
use crate::text::{note, print_answer, print_line};

/// A table without pawns is one part, which has to fit into memory.
const MOST_PIECES: usize = 5;

/// Reads every table of some folders and prints what its values are known by. A
/// failed check is one that differs from what is published.
pub fn run(context: &Context, directories: &[Directory]) -> anyhow::Result<Verdict> {
    let mut verdict = Verdict::Done;
    for directory in directories {
        for entry in directory.list()? {
            let file = directory.open(entry.material)?;
            for metric in file.solved_metrics() {
                if let Some(why) = unreadable(&file, metric) {
                    note(format_args!("{} {metric}: {why}: no fingerprint", entry.material));
                    continue;
                }
                let bar =
                    (!context.json).then(|| ScanBar::new(&format!("{} {metric}", entry.material)));
                let value = of_file(&file, metric, bar.as_ref())?;
                drop(bar);
                let found = FingerprintJson::new(entry.material, metric, value);
                if found.as_published == Some(false) {
                    verdict = Verdict::Failed;
                }
                print(context, &found)?;
            }
        }
    }
    Ok(verdict)
}

/// Why a table is not read as a whole.
fn unreadable(file: &TableFile, metric: Metric) -> Option<&'static str> {
    let material = file.material();
    if file.derived_side(metric).is_some() {
        return Some("only one side to move is stored");
    }
    (!material.has_pawns() && material.len() > MOST_PIECES).then_some("too large to be read whole")
}

/// Parts are read side by side, a few at a time, and taken in their order.
fn of_file(
    file: &TableFile,
    metric: Metric,
    bar: Option<&ScanBar>,
) -> Result<Fingerprint, TableError> {
    let (mut print, mut done, total) = (Fingerprint::default(), 0, file.placements().len() as u64);
    for some in file.placements().chunks(rayon::current_num_threads()) {
        bar.inspect(|bar| bar.set(done, total));
        done += some.len() as u64;
        let boards: Vec<_> = some.par_iter().map(|&at| file.load_board(metric, at)).collect();
        for board in boards {
            board?.iter().for_each(|board| print.add_board(board));
        }
    }
    Ok(print)
}

fn print(context: &Context, found: &FingerprintJson) -> anyhow::Result<()> {
    if context.json {
        return print_answer(found);
    }
    let verdict = match found.as_published {
        Some(true) => "  as published",
        Some(false) => "  NOT AS PUBLISHED",
        None => "",
    };
    let FingerprintJson { material, metric, fingerprint, .. } = found;
    print_line(&format!("{material:8} {metric:5} {fingerprint}{verdict}"))
}
