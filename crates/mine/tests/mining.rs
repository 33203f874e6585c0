//! Lists and queries against a slow scan of every position, and against
//! figures from elsewhere.

use std::collections::HashSet;
use std::ops::ControlFlow;

use molien_board::{Color, Man, Material, Position, Square, Symmetry};
use molien_build::Build;
use molien_hyper::{Hyperboard, Index, Tile};
use molien_mine::{
    FreeMan, FreeSquare, Query, Search, TableSet, Zugzwang, ZugzwangKind, maxima, only_moves,
    zugzwangs,
};
use molien_probe::Tablebase;
use molien_values::{Category, Metric, Outcome, Placement, Value};

fn material(name: &str) -> Material {
    name.parse().unwrap()
}

fn list(solver: &Build, name: &str) -> Vec<Zugzwang> {
    let tables = TableSet::solve(solver, material(name), &[Metric::Dtm]).unwrap();
    let mut found = Vec::new();
    let emit = |zugzwang| {
        found.push(zugzwang);
        ControlFlow::Continue(())
    };
    zugzwangs(&tables, &ZugzwangKind::ALL, |_, _| {}, emit).unwrap();
    found
}

fn by_kind(found: &[Zugzwang]) -> [usize; 3] {
    ZugzwangKind::ALL.map(|kind| found.iter().filter(|z| z.kind == kind).count())
}

#[test]
fn known_numbers_of_zugzwangs() {
    let solver = Build::new();
    // White wins, Black wins, full point.
    for (name, expected) in [
        ("KRKN", [18, 0, 0]),
        ("KNKR", [0, 18, 0]),
        ("KRKB", [5, 0, 0]),
        ("KPK", [80, 0, 0]),
        ("KPKP", [106, 106, 30]),
    ] {
        let found = list(&solver, name);
        assert_eq!(by_kind(&found), expected, "{name}");
        let distinct: HashSet<String> = found.iter().map(|z| z.position.to_string()).collect();
        assert_eq!(distinct.len(), found.len(), "{name}");
        for pair in found.windows(2).filter(|pair| pair[0].kind == pair[1].kind) {
            assert!(pair[0].loss_plies() >= pair[1].loss_plies());
        }
        for zugzwang in &found {
            assert_eq!(zugzwang.position.material(), material(name));
            assert!(zugzwang.position.check_legal().is_ok());
        }
    }
}

#[test]
fn lolli_is_the_one_zugzwang_of_the_queen() {
    let found = list(&Build::new(), "KQKBB");
    let white_loses_nothing: Vec<_> =
        found.iter().filter(|z| z.kind == ZugzwangKind::WhiteWins).collect();
    let lolli: Position = "4K3/6k1/4bb2/7Q/8/8/8/8 b - -".parse().unwrap();
    let images: Vec<Position> = Symmetry::ALL.iter().map(|&s| lolli.transform(s)).collect();
    assert_eq!(white_loses_nothing.len(), 1);
    assert!(images.contains(&white_loses_nothing[0].position));
}

/// All legal positions of a material, images included.
fn every_position(material: Material) -> Vec<Position> {
    let boards = match material.has_pawns() {
        false => vec![Hyperboard::pieces(material)],
        true => Placement::all(&material)
            .into_iter()
            .map(|pawns| Hyperboard::around_pawns(material, pawns.bitboards()))
            .collect(),
    };
    let symmetries: &[Symmetry] =
        if material.has_pawns() { &[Symmetry::IDENTITY, Symmetry::MIRROR] } else { &Symmetry::ALL };
    let mut found = HashSet::new();
    for board in boards {
        for tile in 0..board.tiles() {
            for (row, column) in Tile::FULL.pairs() {
                for turn in Color::BOTH {
                    if let Some(position) = board.decode(Index { tile, row, column }, turn) {
                        found.extend(symmetries.iter().map(|&s| position.transform(s)));
                    }
                }
            }
        }
    }
    found.into_iter().collect()
}

/// The least of a position's images, as text.
fn class(position: &Position, symmetries: &[Symmetry]) -> String {
    symmetries.iter().map(|&s| position.transform(s).to_string()).min().unwrap()
}

struct Slow {
    tables: Tablebase,
    positions: Vec<Position>,
}

impl Slow {
    fn new(name: &str) -> Slow {
        let tables = Tablebase::solving(Build::new());
        Slow { tables, positions: every_position(material(name)) }
    }

    fn value(&self, position: &Position, metric: Metric) -> Value {
        self.tables.value(position, metric).unwrap()
    }

    fn check(
        &self,
        name: &str,
        query: &str,
        symmetries: &[Symmetry],
        wanted: impl Fn(&Position) -> bool,
    ) {
        let material = material(name);
        let parsed = Query::parse(query, material).unwrap();
        let solver = Build::new();
        let mut tables = TableSet::solve(&solver, material, &parsed.metrics()).unwrap();
        if parsed.needs_moves() {
            tables = tables.with_moves(&solver).unwrap();
        }
        let search = Search::new(&tables, &parsed).unwrap();
        let mut found = Vec::new();
        search.each(
            |_, _| {},
            |hit| {
                found.push(class(&hit.position, symmetries));
                ControlFlow::Continue(())
            },
        );
        let expected: HashSet<String> =
            self.positions.iter().filter(|p| wanted(p)).map(|p| class(p, symmetries)).collect();
        assert_eq!(search.count(|_, _| {}), found.len() as u64, "{query}");
        assert_eq!(found.len(), expected.len(), "{query}");
        assert_eq!(found.into_iter().collect::<HashSet<_>>(), expected, "{query}");
    }
}

const ONE: [Symmetry; 1] = [Symmetry::IDENTITY];
const SIDES: [Symmetry; 2] = [Symmetry::IDENTITY, Symmetry::MIRROR];

fn man(letter: char) -> Man {
    Man::from_letter(letter).unwrap()
}

#[test]
fn queries_without_pawns_agree_with_a_slow_scan() {
    let slow = Slow::new("KRK");
    let on = |p: &Position, letter, square: &str| {
        p.of(man(letter)).contains(square.parse::<Square>().unwrap())
    };
    let diagonal = Symmetry::DIAGONAL;
    slow.check("KRK", "dtm >= 28 and wtm", &Symmetry::ALL, |p| {
        p.turn() == Color::White && slow.value(p, Metric::Dtm).plies().unwrap() >= 28
    });
    slow.check("KRK", "K = e4 and R = a7", &ONE, |p| on(p, 'K', "e4") && on(p, 'R', "a7"));
    slow.check("KRK", "K = c3 and draw", &[Symmetry::IDENTITY, diagonal], |p| {
        on(p, 'K', "c3") && slow.value(p, Metric::Dtm) == Value::Draw
    });
    slow.check("KRK", "check and not (k on edge or dtc < 3)", &Symmetry::ALL, |p| {
        let edge = [0, 7].contains(&p.king(Color::Black).file())
            || [0, 7].contains(&p.king(Color::Black).rank());
        let shallow = slow.value(p, Metric::Dtc).plies().is_some_and(|plies| plies < 3);
        p.in_check(p.turn()) && !edge && !shallow
    });
    slow.check("KRK", "capture", &Symmetry::ALL, |p| {
        p.legal_moves().iter().any(|m| m.captured.is_some())
    });
    slow.check("KRK", "R on rank 1, rank 2 and only-move", &SIDES, |p| {
        let keep = p.legal_moves().into_iter().filter(|m| {
            let after = slow.value(&p.play(m), Metric::Dtm).outcome();
            after.reverse() == slow.value(p, Metric::Dtm).outcome()
        });
        p.of(man('R')).first().unwrap().rank() < 2 && keep.count() == 1
    });
}

#[test]
fn queries_with_pawns_and_colours_exchanged_agree_with_a_slow_scan() {
    let slow = Slow::new("KKP");
    slow.check("KKP", "p on rank 2 and k = a1, b2 and black wins", &ONE, |p| {
        let outcome = slow.value(p, Metric::Dtm).outcome();
        let black = if p.turn() == Color::White { Outcome::Loss } else { Outcome::Win };
        p.of(man('p')).first().unwrap().rank() == 1
            && ["a1", "b2"].contains(&p.king(Color::Black).to_string().as_str())
            && outcome == black
    });
    slow.check("KKP", "zugzwang and dtz != 5", &SIDES, |p| {
        let other = p.with_turn(!p.turn());
        other.check_legal().is_ok() && slow.value(p, Metric::Dtz).plies() != Some(5) && {
            let (a, b) = (slow.value(p, Metric::Dtm), slow.value(&other, Metric::Dtm));
            a.outcome().reverse() > b.outcome() && b.outcome().reverse() > a.outcome()
                || (a.outcome(), b.outcome()) == (Outcome::Draw, Outcome::Loss)
                || (a.outcome(), b.outcome()) == (Outcome::Loss, Outcome::Draw)
        }
    });
    slow.check("KKP", "capture and win", &SIDES, |p| {
        let win = slow.value(p, Metric::Dtm).outcome() == Outcome::Win;
        win && p.legal_moves().iter().any(|m| m.captured.is_some())
    });
}

#[test]
fn all_maxima_of_queen_against_queen() {
    let solver = Build::new();
    let tables = TableSet::solve(&solver, material("KQKQ"), &[Metric::Dtm]).unwrap();
    let table = tables.first();
    let board = &table.parts[0].board;
    for (side, outcome) in [(Color::White, Outcome::Win), (Color::Black, Outcome::Loss)] {
        let found = maxima(&tables, Metric::Dtm, side, outcome, |_, _| {}).unwrap();
        let found: HashSet<String> =
            found.iter().map(|hit| class(&hit.position, &Symmetry::ALL)).collect();
        let (mut deepest, mut expected) = (0, HashSet::new());
        for tile in 0..board.tiles() {
            for (row, column) in table.parts[0].values[side.index()].legal[tile].pairs() {
                let position = board.decode(Index { tile, row, column }, side).unwrap();
                let value = table.get(&position).unwrap();
                if value.outcome() != outcome || value.plies() < Some(deepest) {
                    continue;
                }
                if value.plies() > Some(deepest) {
                    deepest = value.plies().unwrap();
                    expected.clear();
                }
                expected.insert(class(&position, &Symmetry::ALL));
            }
        }
        assert_eq!(found, expected);
        assert!(deepest > 20 && !found.is_empty());
    }
}

#[test]
fn a_free_rook() {
    let tables = Tablebase::solving(Build::new());
    let free = FreeMan::parse("8/8/8/8/8/2k5/8/K7 w - -", man('R')).unwrap();
    let squares = free.squares(&tables, Metric::Dtm).unwrap();
    let at = |square: &str| squares[square.parse::<Square>().unwrap().index()].clone();
    assert!(matches!(at("a1"), FreeSquare::Taken(taken) if taken == man('K')));
    assert!(matches!(at("c8"), FreeSquare::Illegal)); // Black would be in check
    let FreeSquare::Legal(answer) = at("h1") else { panic!("h1 is legal") };
    assert_eq!((answer.category, answer.values.plies(Metric::Dtm)), (Category::Win, Some(27)));
    // The free man may be a king, too.
    let king = FreeMan::parse("8/8/8/8/8/2k5/8/7R b - -", man('K')).unwrap();
    let squares = king.squares(&tables, Metric::Dtm).unwrap();
    let legal = squares.iter().filter(|square| matches!(square, FreeSquare::Legal(_)));
    assert_eq!(legal.count(), 64 - 1 - 9);
    assert!(FreeMan::parse("8/8/8 w - -", man('R')).is_err());
}

#[test]
fn only_moves_of_a_rook() {
    let solver = Build::new();
    let tables = TableSet::solve(&solver, material("KRK"), &[Metric::Dtm]).unwrap();
    let [white, black] =
        only_moves(&tables.with_moves(&solver).unwrap(), Metric::Dtm, |_, _| {}).unwrap();
    let stats = solver.table(material("KRK"), Metric::Dtm).unwrap().stats.clone();
    for (ply, counts) in white.wins.iter().enumerate() {
        assert_eq!(counts.positions, stats.sides[0].wins[ply].unique, "{ply}");
        assert!(counts.one_keeping <= counts.positions && counts.one_legal <= counts.one_keeping);
    }
    // Mated positions have no move; stalemates neither.
    let moving: u64 = black.losses.iter().map(|counts| counts.positions).sum();
    assert_eq!(moving, stats.sides[1].total_losses().unique - stats.sides[1].losses[0].unique);
    // The bare king draws only by taking the rook.
    assert!(black.draws.positions > 0 && black.draws.one_keeping <= black.draws.positions);
}
