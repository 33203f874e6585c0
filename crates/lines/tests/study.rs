//! A small file of studies and games, sound, cooked, blundered and malformed.

use molien_build::Build;
use molien_lines::study::{
    Flaw, GameReport, Options, Summary, Unjudged, annotated, check_game, read, to_text,
};
use molien_probe::Tablebase;
use molien_values::Category;

const STUDIES: &str = include_str!("data/studies.pgn");

fn check_with(text: impl AsRef<[u8]>, options: &Options) -> Vec<GameReport> {
    let tables = Tablebase::solving(Build::new());
    read(text).iter().map(|game| check_game(&tables, game, options).unwrap()).collect()
}

fn check(text: impl AsRef<[u8]>) -> Vec<GameReport> {
    check_with(text, &Options::default())
}

/// The file with its annotations.
fn annotate(text: impl AsRef<[u8]>) -> Vec<u8> {
    let reports = check(&text);
    read(&text).iter().zip(&reports).flat_map(|(game, report)| annotated(game, report)).collect()
}

fn annotate_text(text: &str) -> String {
    String::from_utf8(annotate(text)).unwrap()
}

#[test]
fn flaws_duals_and_blunders_are_found() {
    let reports = check(STUDIES);
    assert_eq!(reports.len(), 5);
    let [sound, cooked, blunder, malformed, wrong] = &reports[..] else { unreachable!() };

    // The Saavedra study: unique but for moves that lose time.
    assert_eq!((sound.study, sound.flaw), (true, None));
    assert_eq!(sound.problem, None);
    let find = |san: &str| sound.moves.iter().find(|m| m.san == san).unwrap();
    assert!(find("c8=R").kept() && !find("c8=R").dual());
    assert_eq!(find("c8=R").detours.len(), 2);
    assert_eq!(find("c8=R").remark(), "Kb3 and Kc3 also win but only lose time");
    assert!(!find("c8=Q").kept() && !find("c8=Q").main);
    assert!(find("c7").unique());
    assert_eq!(sound.verdict().as_deref(), Some("study: sound"));

    assert_eq!(cooked.flaw, Some(Flaw::SecondSolution { at: 0 }));
    assert!(cooked.moves[0].others.contains(&"Rh1#".to_owned()));
    assert!(cooked.verdict().unwrap().starts_with("study: cooked at 1. Rg2: "));

    let bad = blunder.moves.iter().find(|m| !m.kept()).unwrap();
    assert_eq!((bad.san.as_str(), bad.number.as_str()), ("Kc6", "61."));

    let problem = malformed.problem.as_ref().unwrap();
    assert_eq!((problem.game, problem.line), (4, 37));
    assert_eq!(malformed.moves.len(), 2); // those before it were judged

    assert_eq!(wrong.flaw, Some(Flaw::WrongResult { at: 0 }));
    let verdict = "study: stated result is wrong: White wins from the start";
    assert_eq!(wrong.verdict().as_deref(), Some(verdict));

    let mut summary = Summary::default();
    reports.iter().for_each(|report| summary.add(report));
    assert_eq!((summary.games, summary.malformed), (5, 1));
    assert!(summary.to_text().starts_with("5 games, 1 malformed\n"));
}

#[test]
fn annotated_games_can_be_read_and_checked_again() {
    let text = annotate_text(STUDIES);
    assert!(text.contains("{throws away the win (draw); better: c8=R, Kb3 and Kc3}"), "{text}");
    assert!(text.contains("61. Kc6 $4"), "{text}");
    let (before, after) = (check(STUDIES), check(&text));
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        let verdicts = |r: &GameReport| {
            r.moves.iter().map(|m| (m.san.clone(), m.before, m.after)).collect::<Vec<_>>()
        };
        assert_eq!(verdicts(old), verdicts(new));
        assert_eq!(old.flaw, new.flaw);
    }
    // The second time there is nothing left to say.
    assert_eq!(annotate_text(&text), text);
}

#[test]
fn marks_are_not_piled_up() {
    let text = annotate_text(STUDIES);
    // The author had marked these already.
    assert!(text.contains("6. c8=R! $1\n{") && !text.contains("c8=R! $7"), "{text}");
    assert!(text.contains("c8=Q?\n{throws away"), "{text}");
}

#[test]
fn what_is_out_of_reach_says_why() {
    let games = check("[Event \"x\"]\n\n1. e4 e5 2. Nf3 *\n");
    assert_eq!(games[0].passed_over, [(Unjudged::Men { most: 5 }, 3)]);
    assert!(games[0].moves.is_empty());
    assert!(to_text(&games[0]).contains("3 moves not judged: more than 5 men on the board"));
    let few = check_with(STUDIES, &Options { max_men: 3, ..Options::default() });
    assert!(few[0].passed_over_moves() > 0);
    let castling = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. Kd2 Kd7 *\n";
    let castling = &check(castling)[0];
    assert_eq!(castling.passed_over, [(Unjudged::Castling, 1)]);
    assert_eq!(castling.moves.len(), 1);
}

#[test]
fn the_clock_of_a_study_counts() {
    // Only the mate comes in time; without the clock both moves win.
    let study = |clock: u32| {
        format!(
            "[Result \"1-0\"]\n[FEN \"8/8/8/8/8/1K6/7R/k7 w - - {clock} 120\"]\n\n120. Rh1# 1-0\n"
        )
    };
    let late = &check(study(98))[0];
    assert_eq!((late.flaw, late.moves[0].unique()), (None, true));
    assert_eq!(late.moves[0].remark(), "only move that wins");
    assert_eq!(check(study(0))[0].flaw, Some(Flaw::SecondSolution { at: 0 }));
    // With 100 plies counted it is a draw, and the claim is wrong.
    let too_late = &check(study(100))[0];
    assert_eq!(too_late.moves[0].before, Category::CursedWin);
    let verdict = "White would win, but it is a draw by the 50-move rule";
    assert!(too_late.verdict().unwrap().contains(verdict), "{:?}", too_late.verdict());
    // Composers leave the rule aside.
    let options = Options { fifty_moves: false, ..Options::default() };
    let aside = &check_with(study(98), &options)[0];
    assert_eq!(aside.flaw, Some(Flaw::SecondSolution { at: 0 }));
}

#[test]
fn what_a_move_throws_away_is_said_by_the_clock() {
    let game = "[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 98 120\"]\n\n120. Rg2 Kb1 *\n";
    let report = &check(game)[0];
    assert!(!report.moves[0].kept());
    let remark = "throws away the win (draw by the 50-move rule); better: Rh1#";
    assert_eq!(report.moves[0].remark(), remark);
}

#[test]
fn null_moves_and_long_algebraic_are_accepted() {
    let game = "[FEN \"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1\"]\n\n\
        1. c6-c7 Rd5-d6+ 2. Kb6b5 (2. Kb7 -- 3. c8=Q) Rd6d5+ 3. Kb5-b4 *\n";
    let report = &check(game)[0];
    assert_eq!(report.problem, None);
    assert_eq!(report.passed_over, [(Unjudged::NullMove, 1)]);
    let names: Vec<&str> = report.moves.iter().map(|m| m.san.as_str()).collect();
    assert_eq!(names, ["c7", "Rd6+", "Kb5", "Kb7", "c8=Q", "Rd5+", "Kb4"]);
    let castles = "[FEN \"4k3/8/8/8/8/8/8/4K2R w K - 0 1\"]\n\n1. e1g1 *\n";
    assert_eq!(check(castles)[0].problem, None);
}

#[test]
fn an_untouched_game_comes_out_untouched() {
    // More men than are looked at, odd spacing, Latin-1, a comment after the
    // result, Windows line ends, and no line end at all.
    let games: [&[u8]; 3] = [
        b"[Event \"M\xfcnchen\"]\r\n\r\n1.e4   e5\t2. Nf3 {sch\xf6n} 1-0 {end}\r\n\r\n\r\n",
        b"\xef\xbb\xbf%escaped\n[A \"1\"]\n\n1. e4 ; to the end } {\n e5 *",
        b"\n\n  1. d4 d5 $14 ( 1... Nf6 ) 1/2-1/2\n",
    ];
    for game in games {
        assert_eq!(annotate(game), game);
    }
}

#[test]
fn an_annotated_game_keeps_every_byte_it_had() {
    let game: &[u8] = b"[White \"J\xf6rg\"]\n[FEN \"4k3/8/4K3/4P3/8/8/8/8 w - - 0 60\"]\n\n\
        60. Kd6 ; \xfcber } {\nKd8 61. Kc6 {verpa\xdft} Ke7 1/2-1/2\n";
    let out = annotate(game);
    assert!(out.len() > game.len());
    let mut rest = out.iter();
    assert!(game.iter().all(|byte| byte.is_ascii_whitespace() || rest.any(|b| b == byte)));
}

/// Games that are not quite PGN.
const BROKEN: [&[u8]; 9] = [
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. Rg2 {never closed\nKb1 2. Rg1# 1-0\n",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n\n1. Rg2 (1. Rh1# 1-0\n",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n\n1. Rg2 ) Kb1 {x} 2. Rg1# 1-0\n\n[Event \"next\"]\n\n1. e4 *\n",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. Rg2 Kb1 (1... Kb9 {a} 2. Rg1) 2. Rg1# 1-0\n",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n[Broken]\n[Result \"1-0\"]\n\n1. Rh1# 1-0\n",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n\n1. Rg2 ; half } a { comment\nKb1 2. Rg1# ; the end",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n\n1. Rg2 { a { brace } Kb1 $x 2. Rg1#\n\n",
    b"[FEN \"8/8/8/8/8/1K6/7R/k7 w - - 0 1\"]\n\n1. Rg2 -- 2. Rg1+ 1-0 {open to the end",
    b"[FEN \"4k3/8/4K3/4P3/8/8/8/8 w - - 0 60\"]\n[White \"J\xf6rg\"]\n\n60. Kd6 Kd8 61. Kc6 {\xdf} Ke7 1/2-1/2\n",
];

/// A strict reader: every game of the file, without an error, with its number
/// of moves and variations.
const READER: &str = "
import sys
try:
    import chess.pgn
except ImportError:
    print('no chess'); sys.exit(0)
class Strict(chess.pgn.GameBuilder):
    def handle_error(self, error):
        raise error
with open(sys.argv[1], encoding='latin-1') as file:
    while True:
        game = chess.pgn.read_game(file, Visitor=Strict)
        if game is None:
            break
        assert not game.errors, game.errors
        assert game.headers.get('Result') in ('1-0', '0-1', '1/2-1/2', '*'), game.headers
        print(sum(1 for _ in game.mainline()), end=' ')
";

#[test]
fn what_comes_out_is_pgn() {
    let folder = std::env::temp_dir().join(format!("molien-study-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("out.pgn");
    let python = std::env::var("MOLIEN_PYTHON").unwrap_or("python3".to_owned());
    let expected = ["1 ", "1 ", "1 1 ", "2 ", "1 ", "3 ", "2 ", "3 ", "4 "];
    for (game, expected) in BROKEN.into_iter().zip(expected) {
        let out = annotate(game);
        let text: String = out.iter().map(|&byte| char::from(byte)).collect();
        // Nothing is lost.
        let mut rest = out.iter();
        let kept = |byte: &u8| byte.is_ascii_whitespace() || rest.any(|found| found == byte);
        assert!(game.iter().all(kept), "{text}");
        // A second time there is nothing wrong any more, and nothing to add.
        assert!(check(&out).iter().all(|report| report.problem.is_none()), "{text}");
        assert_eq!(annotate(&out), out, "{text}");
        std::fs::write(&path, &out).unwrap();
        let read = std::process::Command::new(&python).args(["-c", READER]).arg(&path).output();
        match read {
            Ok(output) if output.stdout == b"no chess\n" => skip("no python-chess"),
            Err(error) => skip(&format!("no python: {error}")),
            Ok(output) => {
                let errors = String::from_utf8_lossy(&output.stderr);
                let found = String::from_utf8_lossy(&output.stdout);
                assert_eq!(found, expected, "{errors}\n{text}");
            }
        }
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// Without the independent reader the test passes, except in CI.
fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("skipped: {why}");
}
