//! Best play, checked move by move against a count of our own.

use molien_board::{Color, Position};
use molien_build::Build;
use molien_lines::{End, Line, Mark, Play, Until, best_line, check_line};
use molien_probe::Tablebase;
use molien_values::{Metric, MoveClass, Outcome, Value, better, value_before};

/// The worth of every legal move, counted without the crate under test.
fn worths(tables: &Tablebase, position: &Position, metric: Metric) -> Vec<(String, Value)> {
    let worth = |m: &molien_board::Move| {
        let after = tables.value(&position.play(m), metric).unwrap();
        (m.to_string(), value_before(metric, MoveClass::of(m), after))
    };
    position.legal_moves().iter().map(worth).collect()
}

/// Every move is optimal, leads to the value expected, and has the right mark.
fn check(tables: &Tablebase, line: &Line, metric: Metric) {
    for ply in &line.plies {
        let worths = worths(tables, &ply.before.position, metric);
        let best = worths.iter().map(|(_, value)| *value).reduce(better).unwrap();
        assert_eq!(tables.value(&ply.before.position, metric).unwrap(), best, "{}", ply.before);
        assert_eq!((ply.got, ply.best.1), (best, best), "{} {}", ply.before, ply.san);
        let optimal = worths.iter().filter(|(_, value)| *value == best).count();
        let keeping = worths.iter().filter(|(_, value)| value.outcome() == best.outcome()).count();
        let expected = match (worths.len(), keeping, optimal) {
            (1, _, _) => Mark::OnlyLegal,
            (_, 1, _) => Mark::OnlyPreserving,
            (_, _, 1) => Mark::OnlyOptimal,
            _ => Mark::OneOfSeveral,
        };
        assert_eq!(ply.mark, expected, "{} {}", ply.before, ply.san);
        assert_eq!(ply.equals.len(), optimal - 1, "{} {}", ply.before, ply.san);
    }
}

#[test]
fn every_move_of_a_line_is_optimal_and_rightly_marked() {
    let tables = Tablebase::solving(Build::new());
    let cases = [
        ("8/8/8/8/8/2k5/8/K6R w - -", 27, Metric::Dtm), // KRK
        ("7k/8/8/8/8/8/8/KBN5 w - -", 57, Metric::Dtm), // KBNK
        ("8/8/8/3k4/8/8/1r6/KQ6 b - -", 0, Metric::Dtm),
        ("8/1k6/8/8/3r4/8/8/Q5K1 w - -", 0, Metric::Dtm), // KQKR
        ("8/1k6/8/8/3r4/8/8/Q5K1 w - -", 0, Metric::Dtc),
    ];
    for (fen, plies, metric) in cases {
        let start: Position = fen.parse().unwrap();
        let play = Play::both(metric);
        let line = best_line(&tables, start, &play, Until::default()).unwrap();
        check(&tables, &line, metric);
        match line.winner {
            Some(_) => assert_eq!(line.end, End::Mate, "{fen}"),
            None => assert_eq!(line.end, End::Draw, "{fen}"),
        }
        if metric == Metric::Dtm && line.winner.is_some() {
            let value = tables.value(&start, metric).unwrap();
            assert_eq!(Some(line.plies.len()), value.plies().map(usize::from));
        }
        if plies > 0 {
            assert_eq!(line.plies.len(), plies, "{fen}");
        }
        let names: Vec<String> = line.plies.iter().map(|p| p.played.to_string()).collect();
        let again = check_line(&tables, start, &names, &play).unwrap();
        assert_eq!(again.plies, line.plies);
        assert!(again.is_optimal());
    }
}

#[test]
fn strategies_differ_by_side_and_nest() {
    let tables = Tablebase::solving(Build::new());
    // White can mate in three plies; playing for DTC and then for DTM agrees
    // with it, as mate is a conversion.
    let start: Position = "8/8/8/8/6KR/6R1/k7/8 w - -".parse().unwrap();
    let play = Play { white: "CM".parse().unwrap(), black: "M".parse().unwrap() };
    let line = best_line(&tables, start, &play, Until::default()).unwrap();
    assert_eq!(line.plies.len(), 3);
    assert_eq!(line.winner, Some(Color::White));
    let until = Until { plies: 1, ..Until::default() };
    assert_eq!(best_line(&tables, start, &play, until).unwrap().plies.len(), 1);
}

#[test]
fn a_drawn_position_has_no_line_but_its_drawing_moves() {
    let tables = Tablebase::solving(Build::new());
    let start: Position = "8/8/8/4k3/8/4K3/4P3/8 w - -".parse().unwrap();
    let line = best_line(&tables, start, &Play::both(Metric::Dtz), Until::default()).unwrap();
    let outcome = tables.value(&start, Metric::Dtz).unwrap().outcome();
    assert_eq!(outcome == Outcome::Draw, line.end == End::Draw);
    assert_eq!(line.plies.is_empty(), line.end == End::Draw);
}

#[test]
fn an_illegal_move_is_named() {
    let tables = Tablebase::solving(Build::new());
    let start: Position = "8/8/8/8/8/2k5/8/K6R w - -".parse().unwrap();
    let error = check_line(&tables, start, &["h1h2", "c3c9"], &Play::both(Metric::Dtm));
    assert!(error.unwrap_err().to_string().starts_with("ply 2: c3c9 is not a legal move"));
}
