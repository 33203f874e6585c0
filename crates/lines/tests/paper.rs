//! Positions of Table 1 of Nalimov, Wirth and Haworth (1999): strategies that do
//! not mind the 50-move rule throw wins away, strategy R does not.
//!
//! Their moves are counted from the last pawn move: NP3 arises on move 62 after
//! h4 on move 24, with 76 plies counted. For it the paper prints DTF with a
//! question mark, "<=24?"; it is 36, so that the win was gone before that.

use molien_board::{Move, Position, Setup};
use molien_build::Build;
use molien_lines::{End, Judged, Line, Play, Strategy, Until, best_line};
use molien_probe::Tablebase;
use molien_values::{Category, Metric, Precision, Value, category_at};

const BN1: &str = "6Q1/8/8/1n6/8/7K/7B/1k5B w - - 0 1";
const BN2: &str = "8/8/8/1n6/8/7K/k6B/7B w - - 0 1";
const NP1: &str = "6N1/8/7p/8/8/8/3N1k2/7K w - - 0 1";
const NP2: &str = "8/8/4k3/8/7p/6KN/6N1/8 w - - 0 25";
const NP3: &str = "8/8/8/8/7p/1N1K4/7N/4k3 w - - 76 63";
const NP3_IN_TIME: &str = "8/8/8/8/7p/1N1K4/7N/4k3 w - - 64 63";
const NP4: &str = "8/8/8/8/7p/3K4/3N3N/4k3 b - - 77 63";
const M4: &str = "8/q7/P6k/Q7/8/8/8/6K1 w - - 0 1";

fn setup(fen: &str) -> Setup {
    fen.parse().unwrap()
}

fn strategy(letters: &str) -> Strategy {
    letters.parse().unwrap()
}

fn plies(tables: &Tablebase, fen: &str, metric: Metric) -> Option<u16> {
    tables.value(&setup(fen).position, metric).unwrap().plies()
}

/// The class of a position at its clock, for the side to move.
fn category(tables: &Tablebase, setup: &Setup) -> Category {
    let dtz50 = tables.value(&setup.position, Metric::Dtz50).unwrap();
    category_at(dtz50, Precision::Exact, setup.halfmove_clock)
}

fn line(tables: &Tablebase, fen: &str, white: &str, black: &str) -> Line {
    let play = Play { white: strategy(white), black: strategy(black) };
    best_line(tables, setup(fen), &play, Until::default()).unwrap()
}

/// The moves that are best by a strategy.
fn best_moves(tables: &Tablebase, fen: &str, letters: &str) -> Vec<String> {
    let judged = Judged::new(tables, setup(fen), &strategy(letters)).unwrap();
    judged.optimal_moves().iter().map(|m| judged.san(m)).collect()
}

#[test]
fn two_knights_against_the_pawn() {
    let tables = Tablebase::solving(Build::new());
    // As printed, without the rule.
    for (fen, dtm) in [(NP1, 229), (NP2, 181), (NP3, 105), (NP4, 104)] {
        assert_eq!(plies(&tables, fen, Metric::Dtm), Some(dtm), "{fen}");
    }
    assert_eq!(plies(&tables, NP4, Metric::Dtz), Some(35));
    // M and C are of one mind, and wrong: after 63. Nd2 the pawn moves too late.
    for letters in ["M", "C", "MC", "CM"] {
        assert!(best_moves(&tables, NP3, letters).contains(&"Nd2".to_owned()), "{letters}");
    }
    assert_eq!(plies(&tables, NP3, Metric::Dtz50), Some(36));
    assert_eq!(category(&tables, &setup(NP3)), Category::CursedWin);
    assert_eq!(category(&tables, &setup(NP4)), Category::BlessedLoss);
    // With 64 plies counted there is just time. Ke3 moves the pawn as soon, but to
    // where the rule spoils the win: F does not see that, R does.
    assert_eq!(category(&tables, &setup(NP3_IN_TIME)), Category::Win);
    assert!(best_moves(&tables, NP3_IN_TIME, "F").contains(&"Ke3".to_owned()));
    assert_eq!(best_moves(&tables, NP3_IN_TIME, "RZ"), ["Nd2"]);
    // R wins what can be won in time, and does not claim to know the shortest
    // mate. The longest mate of all, NP1, is not among that.
    assert_eq!(category(&tables, &setup(NP1)), Category::CursedWin);
    for fen in [NP1, NP2, NP3_IN_TIME] {
        let is_won = category(&tables, &setup(fen)) == Category::Win;
        let expected = if is_won { (End::Mate, "1-0") } else { (End::FiftyMoves, "1/2-1/2") };
        // A defence that does not mind the rule may lose what it could draw.
        let defences = if is_won { &["R", "M"][..] } else { &["R"] };
        for defence in defences {
            let played = line(&tables, fen, "R", defence);
            assert_eq!((played.end, played.result()), expected, "{fen} {defence}");
            assert!(played.plies.iter().all(|ply| ply.before.halfmove_clock < 100));
            assert!(!played.mate_is_certain());
        }
    }
}

#[test]
fn a_queen_and_pawn_that_take_too_long() {
    let tables = Tablebase::solving(Build::new());
    assert_eq!(plies(&tables, M4, Metric::Dtz), Some(141));
    assert_eq!(category(&tables, &setup(M4)), Category::CursedWin);
    let drawn = line(&tables, M4, "RZ", "RZ");
    assert_eq!((drawn.end, drawn.result()), (End::FiftyMoves, "1/2-1/2"));
}

/// Whether the side to move mates within so many plies, whatever is answered.
fn mates_within(position: &Position, plies: usize) -> bool {
    let mates = |m: &Move| {
        let after = position.play(m);
        after.is_checkmate()
            || plies > 2 && {
                let replies = after.legal_moves();
                !replies.is_empty()
                    && replies.iter().all(|reply| mates_within(&after.play(reply), plies - 2))
            }
    };
    position.legal_moves().iter().any(mates)
}

#[test]
fn a_queen_given_away_for_a_conversion() {
    let tables = Tablebase::solving(Build::new());
    assert_eq!(plies(&tables, BN2, Metric::Dtc), Some(103));
    assert_eq!(plies(&tables, BN2, Metric::Dtm), Some(127));
    assert_eq!(category(&tables, &setup(BN2)), Category::CursedWin);
    for letters in ["R", "M", "Z"] {
        let drawn = line(&tables, BN2, letters, "R");
        assert_eq!((drawn.end, drawn.result()), (End::FiftyMoves, "1/2-1/2"), "{letters}");
    }
    // From BN1 the fastest conversion leads there; the mate in three does not.
    let start = setup(BN1).position;
    let given = start.play(&start.find_move("Qa2+").unwrap());
    let capture = given.find_move("Kxa2").unwrap();
    assert_eq!(given.play(&capture), setup(BN2).position);
    let check = start.play(&start.find_move("Qb3+").unwrap());
    assert!(check.legal_moves().iter().all(|reply| mates_within(&check.play(reply), 3)));
    assert!(!mates_within(&start, 3));
}

/// The same with the table of all six men: gigabytes, minutes.
#[test]
fn six_men_play_within_the_rule() {
    if std::env::var_os("MOLIEN_EXHAUSTIVE").is_none() {
        return;
    }
    let tables = Tablebase::solving(Build::new());
    assert_eq!(tables.value(&setup(BN1).position, Metric::Dtm).unwrap(), Value::Win(5));
    assert_eq!(best_moves(&tables, BN1, "Z"), ["Qa2+"]);
    assert_eq!(best_moves(&tables, BN1, "R"), ["Qb3+"]);
    let won = line(&tables, BN1, "R", "R");
    assert_eq!((won.end, won.result(), won.plies.len()), (End::Mate, "1-0", 5));
}
