//! The figures that a few seconds decide.

use molien_build::Build;
use molien_reproduce::{Lab, Options, Paper, ReproduceError, Section, reproduce};

fn sections(paper: Paper, table: &str) -> Vec<Section> {
    let options = Options { table: Some(table.to_owned()), full: false };
    let mut found = Vec::new();
    reproduce(paper, &options, &Lab::new(Build::new), &mut |section| found.push(section)).unwrap();
    found
}

#[test]
fn nalimov_table_5_to_the_last_digit() {
    let table = &sections(Paper::Nalimov, "5")[0];
    // 14 plies a side, 2 sides, 2 authors, count and horizon; 4 totals each.
    assert_eq!(table.count("equal"), 14 * 2 * 2 * 2 + 8);
    assert!(!table.has_unexplained(), "{}", table.to_text());
}

#[test]
fn stiller_on_five_men() {
    let table = &sections(Paper::Stiller, "claims")[0];
    assert_eq!(table.count("equal"), 4, "{}", table.to_text());
}

#[test]
fn six_men_are_left_to_full() {
    for (paper, table) in [(Paper::Nalimov, "2"), (Paper::Stiller, "2"), (Paper::Stiller, "3")] {
        let section = &sections(paper, table)[0];
        assert_eq!(section.count("skipped"), section.cells.len());
    }
}

#[test]
#[ignore = "a minute of processor time"]
fn thompson_table_1() {
    let table = &sections(Paper::Thompson, "1")[0];
    assert_eq!(table.count("equal"), 12, "{}", table.to_text());
}

#[test]
fn an_unknown_table_is_named() {
    let options = Options { table: Some("9".to_owned()), full: false };
    let lab = Lab::new(Build::new);
    let error = reproduce(Paper::Thompson, &options, &lab, &mut |_| {}).unwrap_err();
    assert!(matches!(error, ReproduceError::NoTable { .. }));
    assert!(error.to_string().contains("1, 2, 3, lines"));
}
