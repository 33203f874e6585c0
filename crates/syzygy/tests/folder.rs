//! Folders of files as a source of values.

mod common;

use common::{folder, written};
use molien_board::Position;
use molien_build::Build;
use std::sync::Arc;

use molien_board::Material;
use molien_probe::{ProbeError, Source, Sources, Tablebase};
use molien_syzygy::{ReadError, SyzygyFolder, SyzygyTables, check_sample};
use molien_testing::oracle;
use molien_values::{Category, Metric, Precision, Value, Values};

#[test]
fn missing_files_are_named() {
    let folder = folder("missing");
    written(&Build::new(), &folder, &["KPK".parse().unwrap()]);
    let opened = SyzygyFolder::open(&[folder]).unwrap();
    // The pawn promotes: the files of queen and rook are needed.
    let position: Position = "8/P7/8/8/8/2k5/8/K7 w - -".parse().unwrap();
    match opened.probe(&position) {
        Err(ReadError::Missing { name, material }) => {
            assert_eq!(name, format!("{}.rtbw", material.file_name()));
            assert!(["KQK", "KRK", "KBK", "KNK"].contains(&material.to_string().as_str()));
        }
        other => panic!("{other:?}"),
    }
    let position: Position = "8/8/8/8/8/2k5/P7/K6R w - -".parse().unwrap();
    assert!(matches!(opened.probe(&position), Err(ReadError::TooManyMen { men: 4, most: 3 })));
}

#[test]
fn rounded_plies_are_a_range() {
    let Some(oracle) = oracle() else { return };
    let opened = SyzygyFolder::open(&[oracle.join("syzygy/regular")]).unwrap();
    assert_eq!((opened.len(), opened.most_men()), (70, 4));
    let position: Position = "8/2K5/4B3/3N4/8/8/4k3/8 b - -".parse().unwrap();
    let answer = opened.probe(&position).unwrap();
    let plies = answer.plies.unwrap();
    assert!(plies.most - plies.least <= 1);
    assert!(["53", "53 or 54"].contains(&plies.to_string().as_str()), "{plies}");
}

/// Many threads get the answers that one gets.
#[test]
fn threads_share_a_folder() {
    let Some(oracle) = oracle() else { return };
    let opened = SyzygyFolder::open(&[oracle.join("syzygy/regular")]).unwrap();
    let fens = [
        "8/8/8/3k4/8/8/7R/K7 b - -",
        "8/8/3n4/8/2k5/8/7R/K7 b - -",
        "8/8/8/8/p7/8/1P6/K6k w - -",
        "8/2K5/4B3/3N4/8/8/4k3/8 b - -",
    ];
    let positions = fens.map(|fen| fen.parse::<Position>().unwrap());
    let alone = positions.map(|position| opened.probe(&position).unwrap());
    std::thread::scope(|scope| {
        for first in 0..8 {
            let (opened, positions, alone) = (&opened, &positions, &alone);
            scope.spawn(move || {
                for i in (0..400).map(|i| (first + i) % positions.len()) {
                    assert_eq!(opened.probe(&positions[i]).unwrap(), alone[i]);
                }
            });
        }
    });
}

fn tables(folder: std::path::PathBuf) -> Arc<SyzygyTables> {
    Arc::new(SyzygyTables::new(SyzygyFolder::open(&[folder]).unwrap()))
}

/// As a source the files say what our own table says, or one of two numbers of
/// plies with it, mates and captures en passant included.
#[test]
fn a_source_agrees_with_our_tables() {
    let Some(oracle) = oracle() else { return };
    let files = Tablebase::new(tables(oracle.join("syzygy/regular")));
    let own = Tablebase::solving(Build::new());
    let fens = [
        "8/8/8/8/8/2k5/8/K6R w - -",
        "8/8/8/8/8/8/1R6/R1k1K3 b - -",
        "k7/8/1K6/8/8/8/8/7R w - -",
        "k6R/8/1K6/8/8/8/8/8 b - -", // mated
        "8/8/8/8/1pP5/8/8/K6k b - c3",
        "8/8/8/1k6/1pP5/8/8/K7 b - c3",
        "8/8/8/8/8/1K6/1P6/k7 w - -",
        "7k/8/8/8/8/8/8/K7 w - -",
    ];
    let (mut rounded, mut exact) = (0, 0);
    for fen in fens {
        let position: Position = fen.parse().unwrap();
        let (found, _) = files.values(&[position], &Metric::ALL).unwrap();
        let expected = own.value(&position, Metric::Dtz50).unwrap();
        let value = found[0].get(Metric::Dtz50).unwrap();
        assert_eq!(Category::of(value), Category::of(expected), "{fen}");
        let plies = |value: Value| value.plies().unwrap_or(0);
        match found[0].precision(Metric::Dtz50) {
            Precision::Exact => assert_eq!(value, expected, "{fen}"),
            Precision::Rounded => {
                assert!((plies(value)..=plies(value) + 1).contains(&plies(expected)), "{fen}");
            }
        }
        match found[0].precision(Metric::Dtz50) {
            Precision::Exact => exact += 1,
            Precision::Rounded => rounded += 1,
        }
        assert_eq!(found[0].known().count(), 1, "no other metric: {fen}");
    }
    assert!(exact >= 3 && rounded >= 2, "{exact} exact, {rounded} rounded");
}

/// A source that must not be asked for what the files answer.
struct Rest(Material);

impl Source for Rest {
    fn holds(&self, _: Material, _: Metric) -> bool {
        false
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<molien_probe::Failure> {
        for (position, found) in positions.iter().zip(found) {
            assert_eq!(position.material(), self.0);
            metrics.iter().for_each(|&metric| found.set(metric, Value::Win(9)));
        }
        Vec::new()
    }
}

#[test]
fn the_rest_is_asked_for_the_rest() {
    let folder = folder("rest");
    written(&Build::new(), &folder, &["KRK".parse().unwrap()]);
    let queen: Material = "KQK".parse().unwrap();
    let source = Sources::new(vec![tables(folder).before(Arc::new(Rest(queen)))]);
    let positions = ["8/8/8/8/8/2k5/8/K6R w - -", "8/8/8/8/8/2k5/8/K6Q w - -"]
        .map(|fen| fen.parse::<Position>().unwrap());
    let both = Tablebase::new(Arc::new(source));
    let (found, failures) = both.values(&positions, &[Metric::Dtm, Metric::Dtz50]).unwrap();
    assert!(failures.is_empty());
    assert_eq!(found[0].get(Metric::Dtm), None);
    assert_eq!(found[0].or_plies(Metric::Dtz50), Some(28));
    assert_eq!(found[1].get(Metric::Dtm), Some(Value::Win(9)));
    assert_eq!(found[1].get(Metric::Dtz50), Some(Value::Win(9)));
}

#[test]
fn a_missing_file_is_a_failure_of_its_own() {
    let folder = folder("missing-failure");
    written(&Build::new(), &folder, &["KPK".parse().unwrap()]);
    let position: Position = "8/P7/8/8/8/2k5/8/K7 w - -".parse().unwrap();
    let error = Tablebase::new(tables(folder)).value(&position, Metric::Dtz50).unwrap_err();
    assert!(matches!(error, ProbeError::MissingFile { .. }), "{error}");
}

/// A sample finds files that say something else.
#[test]
fn samples_are_compared() {
    let folder = folder("sample");
    let build = Build::new();
    let material: Material = "KRK".parse().unwrap();
    written(&build, &folder, &[material]);
    let own = Tablebase::solving(build);
    let files = SyzygyFolder::open(std::slice::from_ref(&folder)).unwrap();
    let values = check_sample(&files, &own, material, 600, 1).unwrap();
    assert_eq!((values.compared, values.wrong), (600, 0), "{:?}", values.first);
    let wrong = Tablebase::new(Arc::new(Rest(material)));
    let values = check_sample(&files, &wrong, material, 300, 1).unwrap();
    assert!(values.wrong > 250 && values.first.len() == 5, "{values:?}");
}
