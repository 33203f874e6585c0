//! Lists and queries against a slow scan of every position, and against
//! figures from elsewhere.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use molien_board::{Color, FenOptions, Man, Material, Position, Role, Square, Symmetry, attacks};
use molien_build::Build;
use molien_hyper::{Hyperboard, Index, Tile};
use molien_mine::{
    FreeMan, FreeSquare, Hit, MineError, Query, Search, Selection, TableSet, Zugzwang,
    ZugzwangKind, maxima, only_moves, zugzwangs,
};
use molien_probe::Tablebase;
use molien_table::{Directory, WriteOptions};
use molien_values::{Category, Metric, Outcome, Placement, Table, Value};

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

/// Every position of a material, looked at the slow way; and what is under
/// test, from memory and from a file.
struct Slow {
    material: Material,
    tables: Tablebase,
    positions: Vec<Position>,
    builds: [Build; 2],
    _folder: tempfile::TempDir,
}

/// A build whose folder holds the table of a material in these metrics.
fn stored(folder: &std::path::Path, material: Material, metrics: &[Metric]) -> Build {
    let directory = Directory::new(folder);
    let build = Build::new();
    let tables = metrics.iter().map(|&metric| build.table(material, metric).unwrap());
    let tables: Vec<_> = tables.collect();
    let tables: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    directory.store(&tables, &WriteOptions::default()).unwrap();
    Build::new().with_folder(directory)
}

impl Slow {
    fn new(name: &str) -> Slow {
        let material = material(name);
        let folder = tempfile::tempdir().unwrap();
        Slow {
            material,
            tables: Tablebase::solving(Build::new()),
            positions: every_position(material),
            builds: [Build::new(), stored(folder.path(), material, &Metric::ALL)],
            _folder: folder,
        }
    }

    fn value(&self, position: &Position, metric: Metric) -> Value {
        self.tables.value(position, metric).unwrap()
    }

    fn check(&self, query: &str, symmetries: &[Symmetry], wanted: impl Fn(&Position) -> bool) {
        let expected: HashSet<String> =
            self.positions.iter().filter(|p| wanted(p)).map(|p| class(p, symmetries)).collect();
        let parsed = Query::parse(query, self.material).unwrap();
        for build in &self.builds {
            let told = [Metric::Dtm];
            let mut tables =
                TableSet::open(build, self.material, &parsed.metrics(), &told).unwrap();
            if parsed.needs_moves() {
                tables = tables.with_moves(build).unwrap();
            }
            let search = Search::new(&tables, &parsed).unwrap();
            let mut found = Vec::new();
            let emit = |hit: Hit| {
                let dtm = hit.values[Metric::Dtm as usize].unwrap();
                assert_eq!(dtm, self.value(&hit.position, Metric::Dtm), "{}", hit.position);
                assert_eq!(hit.category, dtm.outcome().into(), "{}", hit.position);
                found.push(class(&hit.position, symmetries));
                ControlFlow::Continue(())
            };
            search.each(|_, _| {}, emit).unwrap();
            assert_eq!(search.count(|_, _| {}).unwrap(), found.len() as u64, "{query}");
            assert_eq!(found.len(), expected.len(), "{query}");
            assert_eq!(found.into_iter().collect::<HashSet<_>>(), expected, "{query}");
        }
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
    slow.check("dtm >= 28 and wtm", &Symmetry::ALL, |p| {
        p.turn() == Color::White && slow.value(p, Metric::Dtm).plies().unwrap() >= 28
    });
    slow.check("K = e4 and R = a7", &ONE, |p| on(p, 'K', "e4") && on(p, 'R', "a7"));
    slow.check("K = c3 and draw", &[Symmetry::IDENTITY, diagonal], |p| {
        on(p, 'K', "c3") && slow.value(p, Metric::Dtm) == Value::Draw
    });
    slow.check("check and not (k on edge or dtc < 3)", &Symmetry::ALL, |p| {
        let edge = [0, 7].contains(&p.king(Color::Black).file())
            || [0, 7].contains(&p.king(Color::Black).rank());
        let shallow = slow.value(p, Metric::Dtc).plies().is_some_and(|plies| plies < 3);
        p.in_check(p.turn()) && !edge && !shallow
    });
    slow.check("capture", &Symmetry::ALL, |p| p.legal_moves().iter().any(|m| m.captured.is_some()));
    slow.check("R on rank 1, rank 2 and only-move", &SIDES, |p| {
        let keep = p.legal_moves().into_iter().filter(|m| {
            let after = slow.value(&p.play(m), Metric::Dtm).outcome();
            after.reverse() == slow.value(p, Metric::Dtm).outcome()
        });
        p.of(man('R')).first().unwrap().rank() < 2 && keep.count() == 1
    });
    slow.check("mate", &Symmetry::ALL, Position::is_checkmate);
    slow.check("stalemate and not k = a1", &[Symmetry::IDENTITY, diagonal], |p| {
        p.is_stalemate() && !on(p, 'k', "a1")
    });
    slow.check("distance = 2 and btm", &Symmetry::ALL, |p| {
        let apart = p.king(Color::White).distance(p.king(Color::Black));
        p.turn() == Color::Black && apart == 2
    });
    slow.check("distance R k > 5 or R attacks e4, d5", &keeping_e4_and_d5(), |p| {
        let rook = p.of(man('R')).first().unwrap();
        let reach = attacks::attacks(Role::Rook, rook, p.occupied());
        let targets = ["e4", "d5"].map(|square| square.parse::<Square>().unwrap());
        rook.distance(p.king(Color::Black)) > 5 || targets.iter().any(|&s| reach.contains(s))
    });
    slow.check("R attacks k and K protects R and k attacks R", &Symmetry::ALL, |p| {
        let rook = p.of(man('R')).first().unwrap();
        let reach = attacks::attacks(Role::Rook, rook, p.occupied());
        reach.contains(p.king(Color::Black))
            && rook.distance(p.king(Color::White)) == 1
            && rook.distance(p.king(Color::Black)) == 1
    });
}

/// The half turn and the reflections at both long diagonals keep or exchange
/// these squares.
fn keeping_e4_and_d5() -> Vec<Symmetry> {
    let squares = ["e4", "d5"].map(|square| square.parse::<Square>().unwrap());
    let keeps = |s: &Symmetry| squares.iter().all(|&square| squares.contains(&s.square(square)));
    let kept: Vec<Symmetry> = Symmetry::ALL.into_iter().filter(keeps).collect();
    assert_eq!(kept.len(), 4);
    kept
}

#[test]
fn queries_with_pawns_and_colours_exchanged_agree_with_a_slow_scan() {
    let slow = Slow::new("KKP");
    slow.check("p on rank 2 and k = a1, b2 and black wins", &ONE, |p| {
        let outcome = slow.value(p, Metric::Dtm).outcome();
        let black = if p.turn() == Color::White { Outcome::Loss } else { Outcome::Win };
        p.of(man('p')).first().unwrap().rank() == 1
            && ["a1", "b2"].contains(&p.king(Color::Black).to_string().as_str())
            && outcome == black
    });
    slow.check("zugzwang and dtz != 5", &SIDES, |p| {
        let other = p.with_turn(!p.turn());
        other.check_legal().is_ok() && slow.value(p, Metric::Dtz).plies() != Some(5) && {
            let (a, b) = (slow.value(p, Metric::Dtm), slow.value(&other, Metric::Dtm));
            a.outcome().reverse() > b.outcome() && b.outcome().reverse() > a.outcome()
                || (a.outcome(), b.outcome()) == (Outcome::Draw, Outcome::Loss)
                || (a.outcome(), b.outcome()) == (Outcome::Loss, Outcome::Draw)
        }
    });
    slow.check("capture and win", &SIDES, |p| {
        let win = slow.value(p, Metric::Dtm).outcome() == Outcome::Win;
        win && p.legal_moves().iter().any(|m| m.captured.is_some())
    });
    slow.check("p attacks K", &SIDES, |p| p.in_check(Color::White) && p.turn() == Color::White);
    slow.check("stalemate and K protects a2, b1", &ONE, |p| {
        let king = p.king(Color::White);
        let near = ["a2", "b1"].map(|square| square.parse::<Square>().unwrap());
        p.is_stalemate() && near.iter().any(|&square| king.distance(square) == 1)
    });
    slow.check("mate or distance K p = 1", &SIDES, |p| {
        let pawn = p.of(man('p')).first().unwrap();
        p.is_checkmate() || p.king(Color::White).distance(pawn) == 1
    });
    slow.check("p on rank 4 and wtm and not dtc >= 10", &SIDES, |p| {
        let pawn = p.of(man('p')).first().unwrap();
        let deep = slow.value(p, Metric::Dtc).plies().is_some_and(|plies| plies >= 10);
        pawn.rank() == 3 && p.turn() == Color::White && !deep
    });
}

#[test]
fn classes_are_counted_as_elsewhere() {
    let Some(folder) = molien_testing::oracle() else { return };
    let path = folder.join("derived/syzygy_regular_wdl_dtz_summary.tsv");
    let rows = molien_testing::read_tsv(&path);
    // Five unlike men: counts of placements and of positions are the same.
    let row = rows.iter().find(|row| row.text("table") == "KBNvKN").unwrap();
    let build = Build::new();
    let name = material("KBNKN");
    let tables = TableSet::open(&build, name, &[], &[]).unwrap().minding_the_rule();
    for (words, column) in [
        ("wtm and win", "w_win"),
        ("wtm and cursed-win", "w_cursed_win"),
        ("wtm and draw", "w_draw"),
        ("btm and blessed-loss", "b_cursed_loss"),
        ("btm and cursed", "b_cursed_loss"),
        ("btm and loss", "b_loss"),
        ("wtm and white wins", "w_win"),
    ] {
        let query = Query::parse(words, name).unwrap();
        let count = Search::new(&tables, &query).unwrap().count(|_, _| {}).unwrap();
        assert_eq!(count as i64, row.number(column), "{words}");
    }
    let cursed = Query::parse("cursed-win", name).unwrap();
    let mut seen = 0;
    let search = Search::new(&tables, &cursed).unwrap();
    let emit = |hit: Hit| {
        assert_eq!(hit.category, Category::CursedWin);
        seen += 1;
        if seen < 100 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    search.each(|_, _| {}, emit).unwrap();
    assert_eq!(seen, 100);
}

#[test]
fn a_file_without_the_rule_is_searched_as_far_as_it_goes() {
    let folder = tempfile::tempdir().unwrap();
    let name = material("KRKN");
    let build = stored(folder.path(), name, &[Metric::Dtm]).without_solving();
    let open = |text: &str| {
        let query = Query::parse(text, name).unwrap();
        (TableSet::for_query(&build, name, &query, &[Metric::Dtm]), query)
    };
    let (tables, query) = open("dtm = 79");
    let tables = tables.unwrap();
    let mut found = Vec::new();
    let emit = |hit: Hit| {
        found.push(hit.category);
        ControlFlow::Continue(())
    };
    Search::new(&tables, &query).unwrap().each(|_, _| {}, emit).unwrap();
    assert!(!found.is_empty() && found.iter().all(|class| *class == Category::Win), "{found:?}");
    // A question about the rule needs the table that knows it.
    let (tables, query) = open("cursed-win");
    let tables = tables.unwrap();
    let refused = Search::new(&tables, &query).err().expect("not known");
    assert!(matches!(refused, MineError::NoMetric { metric: Metric::Dtz50, .. }), "{refused}");
    // So does a depth that is not stored.
    let (tables, _) = open("dtc = 5");
    assert!(tables.is_err());
}

#[test]
fn long_queries_are_answered() {
    let build = Build::new();
    let name = material("KRK");
    let tables = TableSet::solve(&build, name, &[Metric::Dtm]).unwrap();
    let count = |text: &str| {
        let query = Query::parse(text, name).unwrap();
        Search::new(&tables, &query).unwrap().count(|_, _| {}).unwrap()
    };
    let chain = |terms: usize| {
        let terms = (0..terms).map(|i| format!("dtm = {}", 31 + 1000 * (i % 2)));
        terms.collect::<Vec<_>>().join(" or ")
    };
    assert_eq!(count(&chain(500)), count("dtm = 31"));
    assert_eq!(count(&chain(100_000)), count("dtm = 31"));
    assert!(Query::parse(&"(".repeat(200_000), name).is_err());
}

#[test]
fn samples_and_orders() {
    let build = Build::new();
    let name = material("KRK");
    let tables = TableSet::solve(&build, name, &[Metric::Dtm]).unwrap();
    let query = Query::parse("wtm", name).unwrap();
    let search = Search::new(&tables, &query).unwrap();
    let pick = |count, seed| {
        let hits = Selection::Sample { count, seed }.of(&search, |_, _| {}).unwrap();
        hits.into_iter().map(|hit| hit.position.to_string()).collect::<Vec<_>>()
    };
    let all: Vec<String> = pick(usize::MAX, 1);
    assert_eq!(all.len() as u64, search.count(|_, _| {}).unwrap());
    let one = pick(20, 1);
    assert_eq!((one.len(), pick(20, 1) == one, pick(20, 2) == one), (20, true, false));
    assert_eq!(one.iter().collect::<HashSet<_>>().len(), 20);
    // In the order of the table.
    let place = |fen: &String| all.iter().position(|known| known == fen).unwrap();
    assert!(one.iter().map(place).collect::<Vec<_>>().is_sorted());
    for deepest_first in [false, true] {
        let sorted = Selection::Sorted { metric: Metric::Dtm, deepest_first };
        let hits = sorted.of(&search, |_, _| {}).unwrap();
        let plies: Vec<u16> = hits
            .iter()
            .filter_map(|hit| hit.values[Metric::Dtm as usize].and_then(Value::plies))
            .collect();
        assert_eq!(hits.len(), all.len());
        match deepest_first {
            true => assert!(plies.is_sorted_by(|a, b| a >= b) && plies[0] == 31),
            false => assert!(plies.is_sorted() && plies[0] == 1),
        }
    }
}

/// A search ends at the next tiles once nobody wants its answer.
#[test]
fn searches_can_be_given_up() {
    let given_up = Arc::new(AtomicBool::new(false));
    let tables = TableSet::solve(&Build::new(), material("KQKQ"), &[Metric::Dtm]).unwrap();
    let tables = tables.unless(given_up.clone());
    let count = |tables: &TableSet, progress: &mut dyn FnMut(u64, u64)| {
        maxima(tables, Metric::Dtm, Color::White, Outcome::Win, progress).map(|hits| hits.len())
    };
    assert!(count(&tables, &mut |_, _| {}).unwrap() > 0);
    let mut told = Vec::new();
    let gone = count(&tables, &mut |done, total| {
        told.push((done, total));
        given_up.store(true, Ordering::Relaxed);
    });
    assert!(matches!(gone, Err(MineError::GivenUp)));
    assert!(matches!(told[..], [(done, total)] if done < total), "{told:?}");
    let emit = |_| ControlFlow::Continue(());
    let gone = zugzwangs(&tables, &ZugzwangKind::ALL, |_, _| {}, emit);
    assert!(matches!(gone, Err(MineError::GivenUp)));
}

#[test]
fn all_maxima_of_queen_against_queen() {
    let solver = Build::new();
    let tables = TableSet::solve(&solver, material("KQKQ"), &[Metric::Dtm]).unwrap();
    let table = solver.table(material("KQKQ"), Metric::Dtm).unwrap();
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
    let free = parse("8/8/8/8/8/2k5/8/K7 w - -", 'R').unwrap();
    let squares = free.squares(&tables, Metric::Dtm).unwrap();
    let at = |square: &str| squares[square.parse::<Square>().unwrap().index()].clone();
    assert!(matches!(at("a1"), FreeSquare::Taken(taken) if taken == man('K')));
    assert!(matches!(at("c8"), FreeSquare::Illegal)); // Black would be in check
    let FreeSquare::Legal(answer) = at("h1") else { panic!("h1 is legal") };
    assert_eq!((answer.category, answer.values.plies(Metric::Dtm)), (Category::Win, Some(27)));
    // The free man may be a king, too.
    let king = parse("8/8/8/8/8/2k5/8/7R b - -", 'K').unwrap();
    let squares = king.squares(&tables, Metric::Dtm).unwrap();
    let legal = squares.iter().filter(|square| matches!(square, FreeSquare::Legal(_)));
    assert_eq!(legal.count(), 64 - 1 - 9);
    assert!(parse("8/8/8 w - -", 'R').is_err());
    let second = parse("8/8/8/8/8/2k5/8/K7 w - -", 'k').unwrap_err();
    assert_eq!(second.to_string(), "illegal position: Black has 2 kings instead of one");
    assert!(parse("8/8/8/8/8/2k5/8/8 w - -", 'R').is_err());
    assert!(parse("8/8/8/8/8/2k5/8/K7 w - e3", 'R').is_err());
    assert!(parse("8/8/8/8/8/2k5/8/K7 w - - 0 1 moves a1a2", 'R').is_err());
    // No square makes up for kings side by side.
    let beside = parse("8/8/8/8/8/8/1k6/K7 w - -", 'R').unwrap();
    let error = beside.squares(&tables, Metric::Dtm).unwrap_err();
    assert!(error.to_string().contains("next to each other"), "{error}");
    // The clock of the FEN counts.
    let late = parse("8/8/8/8/8/2k5/8/K7 w - - 90 100", 'R').unwrap();
    let squares = late.squares(&tables, Metric::Dtm).unwrap();
    let FreeSquare::Legal(answer) = &squares[7] else { panic!("h1 is legal") };
    assert_eq!(answer.category, Category::CursedWin);
}

fn parse(fen: &str, letter: char) -> Result<FreeMan, MineError> {
    FreeMan::parse(fen, man(letter), FenOptions::default())
}

#[cfg(feature = "plot")]
#[test]
fn plots_are_written() {
    use molien_mine::Shares;
    use molien_mine::plot::{Panel, Plot, Scale, Series};
    let folder = tempfile::tempdir().unwrap();
    let series = |name: &str, last_ply| Series {
        name: name.to_owned(),
        wins: (0..140).map(|ply| if ply % 2 == 1 { 140 - ply } else { 0 }).collect(),
        losses: (0..120).map(|ply| if ply % 2 == 0 { ply + 1 } else { 0 }).collect(),
        last_ply,
    };
    let shares = Shares { wins: 700, cursed_wins: 200, draws: 50, losses: 40, blessed_losses: 10 };
    let panel = |series| Panel { title: "White to move".to_owned(), shares, series };
    for (name, scale, series) in [
        ("bars", Scale::Linear, vec![series("dtz50", Some(100))]),
        ("log", Scale::Logarithmic, vec![series("dtm", None), series("dtc", None)]),
        ("none", Scale::Linear, vec![]),
    ] {
        let plot = Plot { title: name.to_owned(), scale, panels: vec![panel(series)] };
        let [svg, png] = ["svg", "png"].map(|end| folder.path().join(format!("{name}.{end}")));
        plot.write(&svg).unwrap();
        plot.write(&png).unwrap();
        let text = std::fs::read_to_string(svg).unwrap();
        assert!(text.contains("White to move") && text.contains("drawn 5.00 %"), "{text}");
        assert!(std::fs::read(png).unwrap().starts_with(b"\x89PNG"));
    }
    let plot = Plot::default();
    assert!(plot.write(&folder.path().join("x.gif")).is_err());
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
