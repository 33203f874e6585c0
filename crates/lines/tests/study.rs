//! A small file of studies and games, sound, cooked, blundered and malformed.

use molien_build::Build;
use molien_lines::study::{Flaw, GameReport, Options, annotated, check_game, read};
use molien_probe::Tablebase;

const STUDIES: &str = include_str!("data/studies.pgn");

fn reports() -> Vec<GameReport> {
    let tables = Tablebase::solving(Build::new());
    let options = Options::default();
    let check = |game| check_game(&tables, &game, &options).unwrap();
    read(STUDIES).into_iter().map(check).collect()
}

#[test]
fn flaws_duals_and_blunders_are_found() {
    let reports = reports();
    assert_eq!(reports.len(), 5);
    let [sound, cooked, blunder, malformed, wrong] = &reports[..] else { unreachable!() };

    // The Saavedra study: unique but for moves that lose time.
    assert_eq!((sound.study, sound.flaw), (true, None));
    assert_eq!(sound.problem, None);
    let find = |san: &str| sound.moves.iter().find(|m| m.san == san).unwrap();
    assert!(find("c8=R").kept() && !find("c8=R").dual());
    assert_eq!(find("c8=R").detours.len(), 2);
    assert!(!find("c8=Q").kept() && !find("c8=Q").main);
    assert!(find("c7").unique());

    assert_eq!(cooked.flaw, Some(Flaw::SecondSolution { at: 0 }));
    assert!(cooked.moves[0].others.contains(&"Rh1#".to_owned()));

    let bad = blunder.moves.iter().find(|m| !m.kept()).unwrap();
    assert_eq!((bad.san.as_str(), bad.number.as_str()), ("Kc6", "61."));

    let problem = malformed.problem.as_ref().unwrap();
    assert_eq!((problem.game, problem.line), (4, 37));
    assert_eq!(malformed.moves.len(), 2); // those before it were judged

    assert_eq!(wrong.flaw, Some(Flaw::WrongResult { at: 0 }));
}

#[test]
fn annotated_games_can_be_read_and_checked_again() {
    let games = read(STUDIES);
    let reports = reports();
    let bytes = games.iter().zip(&reports).map(|(g, r)| annotated(g, r));
    let text: Vec<String> = bytes.map(|bytes| String::from_utf8(bytes).unwrap()).collect();
    assert!(text[0].contains("6. c8=R"), "{}", text[0]);
    assert!(text[0].contains("$4 $2 {throws away the win (draw); better: c8=R, Kb3, Kc3}"));
    assert!(text[2].contains("61. Kc6 $4"), "{}", text[2]);
    let again = read(&text.join("\n"));
    assert_eq!(again.len(), games.len());
    let tables = Tablebase::solving(Build::new());
    for (game, report) in again.iter().zip(&reports) {
        let repeated = check_game(&tables, game, &Options::default()).unwrap();
        let verdicts = |r: &GameReport| {
            r.moves.iter().map(|m| (m.san.clone(), m.before, m.after)).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(&repeated), verdicts(report));
        assert_eq!(repeated.flaw, report.flaw);
    }
}

#[test]
fn positions_out_of_reach_are_passed_over() {
    let tables = Tablebase::solving(Build::new());
    let games = read("[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n");
    let report = check_game(&tables, &games[0], &Options::default()).unwrap();
    let passed_over: usize = report.passed_over.iter().map(|(_, moves)| moves).sum();
    assert_eq!((passed_over, report.moves.len()), (3, 0));
    let games = read(STUDIES);
    let report =
        check_game(&tables, &games[0], &Options { max_men: 3, ..Options::default() }).unwrap();
    assert!(!report.passed_over.is_empty());
}
