//! Counts and maxima of all tables of three and four men, as others found
//! them.

use molien_board::Color;
use molien_build::Build;
use molien_testing::{Row, oracle, read_tsv};
use molien_values::{Metric, Stats};

#[test]
fn wins_draws_losses_and_zugzwangs_are_equal() {
    let Some(oracle) = oracle() else { return };
    let solver = Build::new();
    let rows = read_tsv(&oracle.join("derived/mutual_zugzwang_3_4_men.tsv"));
    for row in rows.iter() {
        let table = solver.table(row.text("table").parse().unwrap(), Metric::Dtz).unwrap();
        compare(&row, &table.stats);
    }
    assert_eq!(rows.iter().count(), 35);
}

fn compare(row: &Row<'_>, stats: &Stats) {
    let check = |name: &str, ours: u64| {
        assert_eq!(ours as i64, row.number(name), "{} {name}", row.text("table"));
    };
    for (side, prefix) in [(Color::White, "wtm"), (Color::Black, "btm")] {
        let stats = &stats.sides[side.index()];
        let (wins, losses) = (stats.total_wins().unique, stats.total_losses().unique);
        check(&format!("{prefix}_win"), wins);
        check(&format!("{prefix}_draw"), stats.legal.unique - wins - losses);
        check(&format!("{prefix}_loss"), losses);
    }
    let zugzwangs = &stats.zugzwangs;
    check("mzug_half_point_white_wins_if_btm", zugzwangs.white_wins.unique);
    check("mzug_half_point_black_wins_if_wtm", zugzwangs.black_wins.unique);
    check("mzug_full_point", zugzwangs.full_point.unique);
}

#[test]
fn longest_mates_are_equal() {
    let Some(oracle) = oracle() else { return };
    let solver = Build::new();
    let rows = read_tsv(&oracle.join("derived/prophet_max_dtm_ply.tsv"));
    for row in rows.iter().filter(|row| (3..=4).contains(&row.number("men"))) {
        let table = solver.table(row.text("table").parse().unwrap(), Metric::Dtm).unwrap();
        let longest = |side: Color| {
            let longest = table.stats.sides[side.index()].longest_win.as_ref();
            longest.map_or(String::new(), |longest| longest.plies.to_string())
        };
        let name = row.text("table");
        let first = row.text("max_dtm_ply_first_side_to_move_and_wins");
        assert_eq!(longest(Color::White), first, "{name}");
        if !table.material.is_symmetric() {
            let second = row.text("max_dtm_ply_second_side_to_move_and_wins");
            assert_eq!(longest(Color::Black), second, "{name}");
        }
    }
}
