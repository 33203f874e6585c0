//! Play within the 50-move rule, at the clock as it stands.

use molien_board::{Color, Position, Setup};
use molien_build::Build;
use molien_lines::{End, Line, Play, Strategy, Until, best_line};
use molien_probe::Tablebase;
use molien_values::{Category, Metric, Precision, Value, category_at};

fn r() -> Strategy {
    "R".parse().unwrap()
}

fn play(white: &str, black: &str) -> Play {
    Play { white: white.parse().unwrap(), black: black.parse().unwrap() }
}

fn line(tables: &Tablebase, fen: &str, play: &Play) -> Line {
    let setup: Setup = fen.parse().unwrap();
    best_line(tables, setup, play, Until::default()).unwrap()
}

/// The class of a position at its clock, seen from the side to move.
fn category(tables: &Tablebase, setup: &Setup) -> Category {
    let dtz50 = tables.value(&setup.position, Metric::Dtz50).unwrap();
    category_at(dtz50, Precision::Exact, setup.halfmove_clock)
}

#[test]
fn a_win_that_comes_too_late_is_a_draw() {
    let tables = Tablebase::solving(Build::new());
    for strategy in ["R", "M", "Z", "RZ"] {
        let play = play(strategy, strategy);
        let late = line(&tables, "8/8/8/8/8/2k5/1R6/K7 w - - 90 100", &play);
        assert_eq!((late.end, late.result()), (End::FiftyMoves, "1/2-1/2"), "{strategy}");
        assert_eq!(late.categories.map(|[first, _]| first), Some(Category::CursedWin));
        assert!(late.verdict().ends_with("but it is a draw by the 50-move rule"));
        assert_eq!(late.plies.len(), 10);
        let in_time = line(&tables, "8/8/8/8/8/2k5/1R6/K7 w - - 60 100", &play);
        assert_eq!((in_time.end, in_time.result()), (End::Mate, "1-0"), "{strategy}");
    }
    // Mate on the hundredth ply counts.
    let mate = line(&tables, "8/8/8/8/8/1K6/7R/k7 w - - 99 120", &play("R", "R"));
    assert_eq!((mate.to_text().as_str(), mate.result()), ("120. Rh1#\" {mate}", "1-0"));
    let late = line(&tables, "8/8/8/8/8/1K6/7R/k7 w - - 100 120", &play("R", "R"));
    assert_eq!((late.plies.len(), late.result()), (0, "1/2-1/2"));
    // Without the rule nothing of this is looked at.
    let until = Until { fifty_moves: false, ..Until::default() };
    let setup: Setup = "8/8/8/8/8/2k5/1R6/K7 w - - 90 100".parse().unwrap();
    let free = best_line(&tables, setup, &Play::both(Metric::Dtm), until).unwrap();
    assert_eq!((free.end, free.result(), free.plies.len()), (End::Mate, "1-0", 31));
}

/// R wins exactly where the rule allows it, whatever the other side plays by.
#[test]
fn r_wins_wherever_the_rule_allows_it() {
    let tables = Tablebase::solving(Build::new());
    let starts = [
        "7k/8/8/8/8/8/8/KBN5 w - -",
        "8/8/8/2n5/4k3/8/8/K5b1 b - -",
        "8/1k6/8/8/3r4/8/8/Q5K1 w - -",
        "k7/8/8/8/8/8/1r6/5KQ1 w - -",
        "8/8/8/8/1p6/1k6/8/K1R5 w - -",
        "4k3/8/8/8/8/8/3KP3/8 w - -",
    ];
    let (mut won, mut saved) = (0, 0);
    for fen in starts {
        let position: Position = fen.parse().unwrap();
        let Value::Win(depth) = tables.value(&position, Metric::Dtz50).unwrap() else {
            panic!("{fen} is not won")
        };
        let last = 100 - u32::from(depth);
        for clock in [0, last / 2, last.saturating_sub(1), last, last + 1] {
            let setup = Setup { halfmove_clock: clock, ..position.into() };
            let wins = category(&tables, &setup) == Category::Win;
            assert_eq!(wins, clock <= last, "{setup}");
            for defence in ["R", "M", "Z", "C", "RZ"] {
                let mut play = Play::both(r());
                let defender = match position.turn() {
                    Color::White => &mut play.black,
                    Color::Black => &mut play.white,
                };
                *defender = defence.parse().unwrap();
                let line = best_line(&tables, setup, &play, Until::default()).unwrap();
                assert!(line.plies.iter().all(|ply| ply.before.halfmove_clock < 100), "{setup}");
                // Against other than best defence a lost win may still be won.
                assert!(line.end == End::Mate || !wins, "{setup} {defence}: {}", line.to_text());
                won += usize::from(wins);
                saved += usize::from(line.end == End::FiftyMoves);
            }
        }
    }
    assert!(won > 60 && saved > 5, "{won} {saved}");
}

/// There are positions in which playing for the shortest mate runs into the
/// rule; R wins them.
#[test]
fn the_shortest_mate_can_throw_the_win_away() {
    let tables = Tablebase::solving(Build::new());
    let mut found = 0;
    for square in ["a8", "c7", "f6", "h3", "b4", "g7"] {
        let rook = Position::new(
            [('K', "e1"), ('Q', "d1"), ('k', "e5"), ('r', square)].map(|(letter, square)| {
                (molien_board::Man::from_letter(letter).unwrap(), square.parse().unwrap())
            }),
            Color::White,
        );
        let Ok(position) = rook else { continue };
        let Value::Win(depth) = tables.value(&position, Metric::Dtz50).unwrap() else { continue };
        let halfmove_clock = 100 - u32::from(depth);
        let setup = Setup { halfmove_clock, ..position.into() };
        let by_mate = best_line(&tables, setup, &play("M", "R"), Until::default()).unwrap();
        let by_rule = best_line(&tables, setup, &play("R", "R"), Until::default()).unwrap();
        assert_eq!((by_rule.end, by_rule.result()), (End::Mate, "1-0"), "{setup}");
        if by_mate.throws_the_win_away() {
            assert_eq!(by_mate.result(), "1/2-1/2");
            found += 1;
        }
    }
    assert!(found > 0);
}

/// Who plays by DTM50 mates as soon as the rule allows: in as many plies as the
/// value says, and never later than R does.
#[test]
fn dtm50_mates_as_soon_as_the_rule_allows() {
    let tables = Tablebase::solving(Build::new());
    let mut sooner = 0;
    for rook in ["8/8/8/4k3/8/8/8/r2QK3 w - -", "8/2r5/8/4k3/8/8/8/3QK3 w - -"] {
        let position: Position = rook.parse().unwrap();
        let Value::Win(depth) = tables.value(&position, Metric::Dtz50).unwrap() else {
            panic!("{rook} is not won")
        };
        for spare in [0, 1, 4] {
            let halfmove_clock = 100 - u32::from(depth) - spare;
            let setup = Setup { halfmove_clock, ..position.into() };
            let lines = ["dtm50", "R"].map(|white| {
                best_line(&tables, setup, &play(white, "dtm50"), Until::default()).unwrap()
            });
            let (values, _) = tables.values_at(&[setup], &[Metric::Dtm50]).unwrap();
            let plies = values[0].plies(Metric::Dtm50).unwrap() as usize;
            assert_eq!(lines[0].depth(), Some((Metric::Dtm50, plies as u16)), "{setup}");
            assert_eq!((lines[0].end, lines[0].plies.len()), (End::Mate, plies), "{setup}");
            assert!(lines[0].is_optimal() && lines[1].end == End::Mate, "{setup}");
            assert!(lines[1].plies.len() >= plies, "{setup}");
            sooner += usize::from(lines[1].plies.len() > plies);
        }
    }
    println!("{sooner} of 6 sooner than R");
}
