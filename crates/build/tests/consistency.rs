//! The self-consistency check passes on what was solved, and only on that.

use std::sync::Arc;

use molien_board::Square;
use molien_build::{Build, check_consistency};
use molien_solve::Law;
use molien_values::{Metric, Table};

fn solved(build: &Build, name: &str, metric: Metric) -> Arc<Table> {
    build.table(name.parse().unwrap(), metric).unwrap()
}

#[test]
fn solved_tables_are_consistent() {
    let build = Build::new();
    for name in ["KK", "KQK", "KBK", "KQKR", "KNNK", "KRKN", "KBBK", "KQKQ"] {
        for metric in Metric::ALL {
            let table = solved(&build, name, metric);
            let found = check_consistency(&build, &table).unwrap();
            assert!(found.checked > 0);
            assert_eq!(found.failures, 0, "{name} {metric}: {:?}", found.first);
        }
    }
}

/// Damages one position of KRK, Black to move, lost in a given number of
/// plies, and returns which laws the check finds broken.
fn laws_broken_by(damage: impl Fn(&mut Table, usize, Square, Square)) -> Vec<Law> {
    let build = Build::new();
    let mut table = Table::clone(&solved(&build, "KRK", Metric::Dtm));
    let position = "8/8/8/8/3k4/8/8/KR6 b - -".parse().unwrap();
    let index = table.parts[0].board.encode(&position).unwrap();
    damage(&mut table, index.tile, index.row, index.column);
    let found = check_consistency(&build, &table).unwrap();
    assert!(found.failures > 0);
    assert!(found.first.iter().any(|bad| bad.position.is_some()));
    found.first.iter().map(|bad| bad.law).collect()
}

#[test]
fn a_wrong_depth_is_found() {
    let laws = laws_broken_by(|table, tile, row, column| {
        let game = Arc::make_mut(&mut table.parts[0]);
        let word = game.values[1].depth[1][tile].row_mut(row);
        *word ^= 1 << column.index();
    });
    assert!(laws.contains(&Law::LossDepth), "{laws:?}");
}

#[test]
fn a_wrong_outcome_is_found() {
    let laws = laws_broken_by(|table, tile, row, column| {
        let game = Arc::make_mut(&mut table.parts[0]);
        *game.values[1].lost[tile].row_mut(row) ^= 1 << column.index();
    });
    assert!(laws.contains(&Law::Draw), "{laws:?}");
}

#[test]
fn a_wrong_legality_is_found() {
    let laws = laws_broken_by(|table, tile, row, column| {
        let game = Arc::make_mut(&mut table.parts[0]);
        *game.values[1].legal[tile].row_mut(row) ^= 1 << column.index();
    });
    assert!(laws.contains(&Law::Legal), "{laws:?}");
}

/// Any single depth that is changed is noticed, with captures and promotions
/// and without.
#[test]
fn every_changed_depth_is_found() {
    let build = Build::new();
    let mut numbers = molien_testing::Random::new(5);
    let mut random = |below: usize| numbers.below(below);
    for name in ["KRKN", "KPK", "KQKQ"] {
        let table = solved(&build, name, Metric::Dtm);
        let mut changed = 0;
        while changed < 20 {
            let mut table = Table::clone(&table);
            let part = random(table.parts.len());
            let game = Arc::make_mut(&mut table.parts[part]);
            let values = &mut game.values[random(2)];
            let (tile, row) = (random(values.won.len()), Square::new(random(64)));
            let decided = values.won[tile].row(row) | values.lost[tile].row(row);
            if decided == 0 || values.depth.is_empty() {
                continue;
            }
            let bit = decided & decided.wrapping_neg();
            let plane = random(values.depth.len());
            *values.depth[plane][tile].row_mut(row) ^= bit;
            changed += 1;
            let found = check_consistency(&build, &table).unwrap();
            assert!(found.failures > 0, "{name}: part {part}, tile {tile}, row {row}, bit {plane}");
        }
    }
}
