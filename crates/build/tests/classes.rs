//! Classes alone: those of DTZ50.

use molien_build::{Build, Making};
use molien_table::Directory;
use molien_values::{Metric, Table};

fn same(a: &Table, b: &Table) -> bool {
    a.stats == b.stats && a.parts.iter().zip(&b.parts).all(|(a, b)| a.values == b.values)
}

#[test]
fn classes_are_those_of_dtz50() {
    let build = Build::new();
    for name in ["KPK", "KBNK"] {
        let material = name.parse().unwrap();
        let (exact, classes) = (
            build.table(material, Metric::Dtz50).unwrap(),
            build.table(material, Metric::Wdl).unwrap(),
        );
        assert_eq!(classes.metric, Metric::Wdl);
        assert_eq!(classes.stats, exact.stats.as_classes());
        let board = &exact.parts[0].board;
        let mut found = 0;
        for i in 0..20_000usize {
            let at = molien_hyper::Index {
                tile: i * 7919 % board.tiles(),
                row: molien_board::Square::new(if board.row().is_some() { i * 31 } else { 0 }),
                column: molien_board::Square::new(i * 17),
            };
            let turn = molien_board::Color::BOTH[i & 1];
            let Some(position) = board.decode(at, turn) else { continue };
            let expected = exact.get(&position).unwrap().as_class();
            assert_eq!(classes.get(&position), Some(expected), "{position}");
            found += 1;
        }
        assert!(found > 100, "{name}");
    }
}

/// Where a folder has the classes alone, depths are solved all the same.
#[test]
fn depths_after_classes() {
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let material = "KPK".parse().unwrap();
    let build = || Build::new().with_folder(directory.clone());
    build().store(&[material], &[Metric::Wdl], &Making::default()).unwrap();
    let file = directory.open(material).unwrap();
    assert_eq!(file.metrics(), [Metric::Wdl]);
    assert!(!file.holds(Metric::Dtz50));
    let found = build().table(material, Metric::Dtz50).unwrap();
    assert!(same(&found, &Build::new().table(material, Metric::Dtz50).unwrap()));
    // Depths asked for later take the classes' place.
    build().store(&[material], &[Metric::Dtz50], &Making::default()).unwrap();
    let file = directory.open(material).unwrap();
    assert_eq!(file.metrics(), [Metric::Dtz50]);
    assert!(file.holds(Metric::Wdl));
}
