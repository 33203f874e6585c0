//! `molien probe --fens`: positions in, a line each out, in order.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use molien_board::{FenOptions, Setup};
use molien_probe::{Answer, FenProbeError, Tablebase};
use molien_schema::{ErrorJson, PositionJson};
use molien_values::Metric;
use rayon::prelude::*;

use crate::Verdict;

/// A position with its answer, or why there is none.
type Answered = Result<(Setup, Answer), FenProbeError>;

/// Lines read before they are answered: all that lie in one block of a table are
/// answered together, so the more the better.
const CHUNK_LINES: usize = 1 << 18;
/// What a line of answers takes, roughly.
const TYPICAL_LINE_BYTES: usize = 256;
/// Lines that one thread writes at a time.
const WRITTEN_AT_ONCE: usize = 1 << 10;

/// How answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object a line
    Ndjson,
    /// Comma-separated values under a line of names
    Csv,
}

/// Answers every line of a file; bad lines are answered in place.
pub fn run(
    tables: &Tablebase,
    path: &Path,
    metrics: &[Metric],
    options: FenOptions,
    format: Format,
) -> anyhow::Result<Verdict> {
    let input: Box<dyn BufRead> = match path.as_os_str() == "-" {
        true => Box::new(BufReader::new(std::io::stdin())),
        false => {
            let file = File::open(path).with_context(|| path.display().to_string())?;
            Box::new(BufReader::with_capacity(1 << 20, file))
        }
    };
    let bulk = Bulk { tables, metrics, options, format };
    let mut output = BufWriter::with_capacity(1 << 20, std::io::stdout());
    bulk.answer_all(input, &mut output)?;
    output.flush()?;
    Ok(Verdict::Done)
}

struct Bulk<'a> {
    tables: &'a Tablebase,
    metrics: &'a [Metric],
    options: FenOptions,
    format: Format,
}

impl Bulk<'_> {
    fn answer_all(&self, mut input: impl BufRead, output: &mut impl Write) -> anyhow::Result<()> {
        if self.format == Format::Csv {
            let names: Vec<&str> = self.metrics.iter().map(|metric| metric.name()).collect();
            writeln!(output, "fen,category,{},error", names.join(","))?;
        }
        loop {
            let text = read_lines(&mut input)?;
            if text.is_empty() {
                return Ok(());
            }
            let lines: Vec<&str> =
                text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            for answers in self.answers(&lines) {
                output.write_all(&answers)?;
            }
        }
    }

    /// The answers to some lines, a line each.
    fn answers(&self, lines: &[&str]) -> Vec<Vec<u8>> {
        let answers = self.tables.answer_fens(lines, self.metrics, self.options);
        let text = |(lines, answers): (&[&str], &[_])| {
            let mut text = Vec::with_capacity(lines.len() * TYPICAL_LINE_BYTES);
            for (line, answer) in lines.iter().zip(answers) {
                self.write_line(line, answer, &mut text);
                text.push(b'\n');
            }
            text
        };
        let lines = lines.par_chunks(WRITTEN_AT_ONCE);
        lines.zip(answers.par_chunks(WRITTEN_AT_ONCE)).map(text).collect()
    }

    fn write_line(&self, input: &str, answered: &Answered, out: &mut Vec<u8>) {
        let answered =
            answered.as_ref().map(|(setup, answer)| PositionJson::new(setup, self.metrics, answer));
        // Writing to memory does not fail.
        let _ = match (self.format, answered) {
            (Format::Ndjson, Ok(answer)) => serde_json::to_writer(out, &answer).map_err(Into::into),
            (Format::Ndjson, Err(error)) => {
                serde_json::to_writer(out, &ErrorJson::new(Some(input), error)).map_err(Into::into)
            }
            (Format::Csv, Ok(answer)) => {
                let plies: Vec<String> = answer.values.texts().collect();
                write!(out, "{},{},{},", answer.fen, answer.category, plies.join(","))
            }
            (Format::Csv, Err(error)) => {
                let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
                let empty = ",".repeat(self.metrics.len());
                write!(out, "{},,{empty}{}", quoted(input), quoted(&error.to_string()))
            }
        };
    }
}

/// The next lines; none at the end. Bytes that are no text become a sign that
/// no FEN has.
fn read_lines(input: &mut impl BufRead) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    for _ in 0..CHUNK_LINES {
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    })
}
