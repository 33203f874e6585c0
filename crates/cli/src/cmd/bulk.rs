//! `molien probe --fens`: positions in, a line each out, in order.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;

use anyhow::Context as _;
use clap::ValueEnum;
use molien_board::{FenError, FenOptions, Setup};
use molien_probe::{Answer, Tablebase};
use molien_schema::{ErrorJson, PositionJson};
use molien_values::Metric;
use rayon::prelude::*;

use crate::Verdict;

/// A position with its answer, or why there is none.
type Answered = Result<(Setup, Answer), String>;

/// Lines read before they are answered: all that lie in one block of a table are
/// answered together, so the more the better.
const CHUNK_LINES: usize = 1 << 17;
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
            let lines = read_lines(&mut input)?;
            if lines.is_empty() {
                return Ok(());
            }
            let answers = self.answers(&lines);
            answers.iter().try_for_each(|text| output.write_all(text.as_bytes()))?;
        }
    }

    /// The answers to some lines, a line each.
    fn answers(&self, lines: &[String]) -> Vec<String> {
        let read = |line: &String| Setup::parse(line.trim(), self.options);
        let setups: Vec<Result<Setup, FenError>> = lines.par_iter().map(read).collect();
        let good: Vec<Setup> =
            setups.iter().filter_map(|setup| setup.as_ref().ok()).copied().collect();
        let mut answers = match self.tables.answers_at(&good, self.metrics) {
            Ok(answers) => answers,
            Err(error) => vec![Err(error); good.len()],
        }
        .into_iter();
        let mut answer = |setup: Result<Setup, FenError>| {
            let setup = setup.map_err(|error| error.to_string())?;
            match answers.next() {
                Some(Ok(answer)) => Ok((setup, answer)),
                Some(Err(error)) => Err(error.to_string()),
                None => Err("no answer".to_owned()),
            }
        };
        let answered: Vec<_> = lines.iter().zip(setups.into_iter().map(&mut answer)).collect();
        let text = |some: &[(&String, Answered)]| {
            let mut text = String::new();
            for (line, answered) in some {
                let json = answered
                    .as_ref()
                    .map(|(setup, answer)| PositionJson::new(setup, self.metrics, answer));
                text.push_str(&self.line(line.trim(), json));
                text.push('\n');
            }
            text
        };
        answered.par_chunks(WRITTEN_AT_ONCE).map(text).collect()
    }

    fn line(&self, input: &str, answered: Result<PositionJson, &String>) -> String {
        match (self.format, answered) {
            (Format::Ndjson, Ok(answer)) => serde_json::to_string(&answer).unwrap_or_default(),
            (Format::Ndjson, Err(error)) => {
                serde_json::to_string(&ErrorJson::new(Some(input), error)).unwrap_or_default()
            }
            (Format::Csv, Ok(answer)) => {
                let plies: Vec<String> = answer.values.texts().collect();
                format!("{},{},{},", answer.fen, answer.category, plies.join(","))
            }
            (Format::Csv, Err(error)) => {
                let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\""));
                let empty = ",".repeat(self.metrics.len());
                format!("{},,{empty}{}", quoted(input), quoted(error))
            }
        }
    }
}

/// The next lines that are not empty; none at the end. Bytes that are no text
/// become a sign that no FEN has.
fn read_lines(input: &mut impl BufRead) -> anyhow::Result<Vec<String>> {
    let (mut lines, mut bytes) = (Vec::new(), Vec::new());
    while lines.len() < CHUNK_LINES {
        bytes.clear();
        if input.read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let line = String::from_utf8_lossy(&bytes);
        if !line.trim().is_empty() {
            lines.push(line.into_owned());
        }
    }
    Ok(lines)
}
