//! Folders of files as a source of values.

mod common;

use common::{folder, written};
use molien_board::Position;
use molien_build::Build;
use molien_syzygy::{ReadError, SyzygyFolder};
use molien_testing::oracle;

#[test]
fn missing_files_are_named() {
    let folder = folder("missing");
    written(&Build::new(), &folder, &["KPK".parse().unwrap()]);
    let opened = SyzygyFolder::open(&[folder]).unwrap();
    // The pawn promotes: the files of queen and rook are needed.
    let position: Position = "8/P7/8/8/8/2k5/8/K7 w - -".parse().unwrap();
    match opened.probe(&position) {
        Err(ReadError::Missing { name }) => assert!(name.ends_with("vK.rtbw"), "{name}"),
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
