//! The independent reader in Python finds the same values.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use molien_board::{Color, Position};
use molien_build::Build;
use molien_hyper::{Index, Tile};
use molien_table::{Pack, Sides, TableError, TableFile, WriteOptions, write};
use molien_values::{Metric, Table, Value};

const READER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/read_mol.py");

/// The interpreter; `PYTHON` names another.
fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

fn is_available() -> bool {
    let import =
        Command::new(python()).args(["-c", "import zstandard"]).stderr(Stdio::null()).status();
    import.is_ok_and(|status| status.success())
}

fn read(path: &Path, metrics: &[Metric], positions: &[Position]) -> Vec<String> {
    let names: Vec<&str> = metrics.iter().map(|metric| metric.name()).collect();
    let mut child = Command::new(python())
        .arg(READER)
        .arg(path)
        .arg(names.join(","))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    for position in positions {
        writeln!(input, "{position}").unwrap();
    }
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Positions of a few neighbouring tiles, so that the reader, which is slow,
/// decodes few blocks.
fn positions(table: &Table, part: usize, first: usize) -> Vec<Position> {
    let board = &table.parts[part].board;
    let tiles = first..(first + 2).min(board.tiles());
    let mut found = Vec::new();
    for tile in tiles {
        for (row, column) in Tile::FULL.pairs() {
            let at = Index { tile, row, column };
            found.extend(Color::BOTH.into_iter().filter_map(|turn| board.decode(at, turn)));
        }
    }
    let step = found.len().div_ceil(60);
    found.into_iter().step_by(step.max(1)).collect()
}

fn compare(name: &str, metrics: &[Metric], places: &[(usize, usize)]) {
    compare_in(name, metrics, places, &WriteOptions::quick(9));
}

fn compare_in(name: &str, metrics: &[Metric], places: &[(usize, usize)], options: &WriteOptions) {
    compare_of(&Build::new(), name, metrics, places, options);
}

fn compare_of(
    solver: &Build,
    name: &str,
    metrics: &[Metric],
    places: &[(usize, usize)],
    options: &WriteOptions,
) {
    let material = name.parse().unwrap();
    let tables: Vec<_> = metrics.iter().map(|&m| solver.table(material, m).unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    let all: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    write(&path, &all, options).unwrap();
    let file = TableFile::open(&path).unwrap();
    let positions: Vec<Position> =
        places.iter().flat_map(|&(part, tile)| positions(all[0], part, tile)).collect();
    assert!(positions.len() > 20, "{name}");
    let text = |value: Value| match value {
        Value::Win(plies) => format!("win {plies}"),
        Value::Draw => "draw".to_owned(),
        Value::Loss(plies) => format!("loss {plies}"),
    };
    let found = read(&path, metrics, &positions);
    assert_eq!(found.len(), positions.len());
    for (position, found) in positions.iter().zip(&found) {
        let value = |&metric: &Metric| match file.get(position, metric) {
            Err(TableError::OtherSide { .. }) => {
                let outcome = file.outcome(position).unwrap().name();
                format!("{outcome}, depth not stored")
            }
            value => text(value.unwrap()),
        };
        let values: Vec<String> = metrics.iter().map(value).collect();
        assert_eq!(*found, values.join(","), "{position}");
    }
}

#[test]
fn agrees_with_ours() {
    if !is_available() {
        assert!(std::env::var_os("CI").is_none(), "zstandard is not installed");
        eprintln!("skipped: {} with the package zstandard is not there", python());
        return;
    }
    // Kings on the diagonal and not; like men; pawns that are their own mirror
    // image and not.
    compare("KQK", &[Metric::Dtm], &[(0, 0), (0, 200)]);
    compare("KQKR", &[Metric::Dtm, Metric::Dtc], &[(0, 300)]);
    compare("KBBK", &[Metric::Dtm], &[(0, 0)]);
    compare("KRKP", &[Metric::Dtm, Metric::Dtz], &[(3, 9)]);
    compare("KPPK", &[Metric::Dtm, Metric::Dtz], &[(0, 0), (500, 0)]);
    // Draws by the 50-move rule, or by a stricter one.
    let (strict, ruled) = (Build::new().with_rule_plies(16), [Metric::Dtm, Metric::Dtm50]);
    for pack in [Pack::QUICK, Pack::Fast] {
        compare_of(&strict, "KPK", &ruled, &[(3, 0), (9, 0)], &WriteOptions::packed(pack));
    }
    // Learnt contexts: a tile of one row, one side for both, pawns.
    let fast = WriteOptions::packed(Pack::Fast);
    compare_in("KQK", &[Metric::Dtm], &[(0, 0), (0, 200)], &fast);
    compare_in("KNKN", &[Metric::Dtc], &[(0, 300)], &fast);
    compare_in("KPK", &[Metric::Dtm, Metric::Dtc, Metric::Dtz, Metric::Wdl], &[(3, 0)], &fast);
    compare_in("KPK", &[Metric::Dtc, Metric::Wdl], &[(5, 0)], &fast.with_sides(Sides::One));
}
