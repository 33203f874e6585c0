//! The checks pass on what was solved, and the referee finds what is damaged.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_build::{Build, check_consistency};
use molien_solve::Progress;
use molien_table::{Directory, TableFile, WriteOptions, write};
use molien_testing::Patience;
use molien_values::{Metric, Table, Value};
use molien_verify::{Options, Referee, RefereeError, VerifyError, verify, verify_stored};

#[test]
fn three_and_four_men_are_right() {
    let solver = Build::new();
    for name in ["KQK", "KBK", "KRKN", "KBBK"] {
        let report = verify(&solver, name.parse().unwrap(), &Options::default()).unwrap();
        assert!(report.exhaustive);
        assert!(report.referee.checked > 20_000, "{name}");
        assert_eq!(report.failures(), 0, "{name}: {:?}", report.referee.first);
    }
}

#[test]
fn five_men_are_right_on_a_sample() {
    let solver = Build::new();
    let referee = Referee::new(&solver, "KRKBN".parse().unwrap(), &[Metric::Dtc]).unwrap();
    let found = referee.sample(20_000, 7).unwrap();
    assert_eq!((found.checked, found.failures), (20_000, 0), "{:?}", found.first);
    assert_eq!(referee.sample(20_000, 7).unwrap(), found, "a seed fixes the sample");
}

#[test]
fn a_damaged_value_is_found_where_it_is() {
    let solver = Build::new();
    let krk = "KRK".parse().unwrap();
    let mut table = Table::clone(&solver.table(krk, Metric::Dtm).unwrap());
    let position: Position = "8/8/8/8/3k4/8/8/KR6 b - -".parse().unwrap();
    let index = table.parts[0].board.encode(&position).unwrap();
    let game = Arc::make_mut(&mut table.parts[0]);
    *game.values[1].lost[index.tile].row_mut(index.row) ^= 1 << index.column.index();
    let referee = Referee::new(&solver, krk, &[Metric::Dtm]).unwrap();
    let found = referee.judging(vec![Arc::new(table)]).unwrap().exhaustive().unwrap();
    assert!(found.failures > 0);
    assert!(found.first.iter().any(|bad| {
        bad.found == Some(Value::Draw) && matches!(bad.expected, Some(Value::Loss(_)))
    }));
}

/// Of KPKP the referee looks at every position; those next to an en-passant
/// capture are some of them, and a wrong value of one is noticed.
#[test]
fn en_passant_is_looked_at_apart() {
    let solver = Build::new();
    let kpkp = "KPKP".parse().unwrap();
    let referee = Referee::new(&solver, kpkp, &[Metric::Dtm]).unwrap();
    let found = referee.en_passant().unwrap();
    assert_eq!(found.failures, 0, "{:?}", found.first);
    assert!((50_000..500_000).contains(&found.checked), "{}", found.checked);

    let position: Position = "8/8/8/4K3/3p4/7k/4P3/8 w - -".parse().unwrap();
    let mut table = Table::clone(&solver.table(kpkp, Metric::Dtm).unwrap());
    let place = table.locate(&position).unwrap();
    let game = Arc::make_mut(&mut table.parts[place.part]);
    let index = place.index;
    let side = &mut game.values[place.turn.index()];
    *side.won[index.tile].row_mut(index.row) ^= 1 << index.column.index();
    let found = referee.judging(vec![Arc::new(table)]).unwrap().en_passant().unwrap();
    assert!(found.failures > 0);
}

/// A table is checked in its file, in the metrics it has.
#[test]
fn stored_tables_are_checked_in_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let (solver, material) = (Build::new(), "KRKN".parse().unwrap());
    let path = folder.path().join("KRvKN.mol");
    let dtc = solver.table(material, Metric::Dtc).unwrap();
    write(&path, &[&dtc], &WriteOptions::quick(1)).unwrap();
    let file = Arc::new(TableFile::open(&path).unwrap());
    let options = Options { sample: Some(2000), ..Options::default() };
    let report = verify_stored(&solver, file.clone(), &options, 0).unwrap();
    assert_eq!((report.referee.checked, report.failures()), (2000, 0), "{:?}", report.referee);
    assert!(report.planes.is_empty() && !report.exhaustive);
    // A table with a wrong depth in it is found out.
    let mut wrong = Table::clone(&dtc);
    let game = Arc::make_mut(&mut wrong.parts[0]);
    game.values[0].depth[0].iter_mut().for_each(|tile| *tile = tile.zip(tile, |bits, _| bits & 1));
    wrong.stats.sides[0].wins.iter_mut().for_each(|count| count.unique += 1);
    write(&path, &[&wrong], &WriteOptions::quick(1)).unwrap();
    let file = Arc::new(TableFile::open(&path).unwrap());
    assert!(verify_stored(&solver, file, &options, 0).unwrap().failures() > 0);
}

/// The referee takes one table for each metric, of its own material.
#[test]
fn a_wrong_set_of_tables_is_refused() {
    let (solver, material) = (Build::new(), "KRK".parse().unwrap());
    let referee = || Referee::new(&solver, material, &[Metric::Dtm, Metric::Dtc]).unwrap();
    let table = |name: &str, metric| solver.table(name.parse().unwrap(), metric).unwrap();
    let few = referee().judging(vec![table("KRK", Metric::Dtm)]);
    assert!(matches!(few.map(drop), Err(RefereeError::Tables { expected: 2, found: 1 })));
    let other = vec![table("KRK", Metric::Dtm), table("KQK", Metric::Dtc)];
    let other = referee().judging(other);
    assert!(matches!(other.map(drop), Err(RefereeError::Material { .. })));
}

/// Positions with pawns are sampled like others.
#[test]
fn pawn_positions_are_sampled_too() {
    let solver = Build::new();
    let referee = Referee::new(&solver, "KPK".parse().unwrap(), &[Metric::Dtm]).unwrap();
    let report = referee.sample_positions(500, 3).unwrap();
    assert_eq!((report.checked, report.failures), (500, 0));
}

/// Cancels after so many questions.
struct Impatient(Patience);

impl Progress for Impatient {
    fn cancelled(&self) -> bool {
        self.0.is_over()
    }
}

/// A check ends when it is told to, whatever it is doing.
#[test]
fn every_part_of_a_check_can_be_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let patience = Arc::new(Impatient(Patience::new(usize::MAX)));
    let solver =
        Build::new().with_progress(patience.clone()).with_folder(Directory::new(folder.path()));
    let metrics = [Metric::Dtm, Metric::Dtm50];
    for name in ["KRK", "KPK"] {
        let material: Material = name.parse().unwrap();
        let again = |left: usize| patience.0.set(left);
        // All tables are made before.
        again(usize::MAX);
        verify(&solver, material, &Options { metrics: metrics.to_vec(), ..Options::default() })
            .unwrap();
        let table = solver.table(material, Metric::Dtm).unwrap();
        solver.folder().unwrap().store(&[&table], &WriteOptions::quick(1)).unwrap();
        let referee = Referee::new(&solver, material, &[Metric::Dtm]).unwrap();
        for left in [0, 2] {
            let planes = |left| {
                again(left);
                check_consistency(&solver, &table)
            };
            assert!(planes(left).is_err_and(|error| error.is_cancelled()), "{name}");
            again(left);
            let judged = referee.exhaustive();
            assert!(matches!(judged, Err(RefereeError::Interrupted { .. })), "{name}");
            for sample in [Referee::sample, Referee::sample_positions] {
                again(left);
                let judged = sample(&referee, 100, 1);
                assert!(matches!(judged, Err(RefereeError::Interrupted { .. })), "{name}");
            }
            for metric in metrics {
                again(left);
                let options = Options { metrics: vec![metric], ..Options::default() };
                let checked = verify(&solver, material, &options);
                let is_stop = |error| matches!(error, VerifyError::Interrupted { .. });
                assert!(checked.is_err_and(is_stop), "{name} {metric}");
            }
            again(left);
            let file = Arc::new(solver.open_file(material).unwrap().unwrap());
            let checked = verify_stored(&solver, file, &Options::default(), u64::MAX);
            let error = checked.map(drop).unwrap_err();
            assert_eq!(error.to_string(), format!("checking {material} was interrupted"));
        }
    }
}
