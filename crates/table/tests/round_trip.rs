//! What is written is what is read.

use std::sync::Arc;

use molien_board::{Color, Position, Symmetry};
use molien_build::Build;
use molien_hyper::{Index, Tile};
use molien_table::{Pack, TableFile, WriteOptions, write};
use molien_values::{Graded, Metric, Stats, Table};

fn check(file: &TableFile, table: &Table) {
    assert_eq!(file.stats(table.metric).unwrap(), table.stats);
    for part in &table.parts {
        for tile in 0..part.board.tiles() {
            for (row, column) in Tile::FULL.pairs().skip(tile % 11).step_by(11) {
                for turn in Color::BOTH {
                    let at = Index { tile, row, column };
                    let Some(position) = part.board.decode(at, turn) else { continue };
                    let expected = table.get(&position);
                    let found = file.get(&position, table.metric).ok();
                    assert_eq!(found, expected, "{position}");
                }
            }
        }
    }
}

/// All planes are the same; those of depth bits that no position has may be
/// missing.
fn assert_same(found: &Graded, expected: &Graded, name: &str) {
    assert!(found.legal == expected.legal, "{name}: legal");
    assert!(found.won == expected.won, "{name}: won");
    assert!(found.lost == expected.lost, "{name}: lost");
    assert!(found.stalemate == expected.stalemate, "{name}: stalemate");
    let bits = found.depth.len().max(expected.depth.len());
    for bit in 0..bits {
        let plane = |values: &Graded| values.depth.get(bit).cloned();
        let empty = vec![Tile::EMPTY; found.won.len()];
        let [found, expected] = [found, expected].map(|v| plane(v).unwrap_or(empty.clone()));
        assert!(found == expected, "{name}: bit {bit} of the depth");
    }
}

fn round_trip(name: &str, metrics: &[Metric]) {
    round_trip_in(name, metrics, &WriteOptions::quick(5));
}

fn round_trip_in(name: &str, metrics: &[Metric], options: &WriteOptions) {
    round_trip_of(&Build::new(), name, metrics, options);
}

fn round_trip_of(solver: &Build, name: &str, metrics: &[Metric], options: &WriteOptions) {
    let material = name.parse().unwrap();
    let tables: Vec<_> = metrics.iter().map(|&m| solver.table(material, m).unwrap()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    let references: Vec<&Table> = tables.iter().map(|table| &**table).collect();
    write(&path, &references, options).unwrap();
    let file = TableFile::open(&path).unwrap();
    file.verify().unwrap();
    for table in &tables {
        let winners = file.load_winners(table.metric).unwrap();
        for (found, expected) in winners.parts.iter().zip(&table.parts) {
            for (found, expected) in found.values.iter().zip(&expected.values) {
                let expected = Graded { depth: Vec::new(), ..expected.clone() };
                assert_same(found, &expected, name);
            }
        }
        let loaded = file.load(table.metric).unwrap();
        assert_eq!((loaded.material, loaded.metric), (table.material, table.metric));
        assert_eq!(loaded.stats, table.stats);
        for (loaded, part) in loaded.parts.iter().zip(&table.parts) {
            assert_eq!(loaded.board, part.board);
            for (found, expected) in loaded.values.iter().zip(&part.values) {
                assert_same(found, expected, &format!("{name} {}", table.metric));
            }
        }
        check(&file, table);
    }
}

#[test]
fn three_men() {
    for name in ["KQK", "KRK", "KNK"] {
        round_trip(name, &[Metric::Dtm, Metric::Dtc]);
    }
    round_trip("KPK", &Metric::ALL);
}

#[test]
fn four_men() {
    for name in ["KQKR", "KBBK", "KNKN", "KBNK"] {
        round_trip(name, &[Metric::Dtm, Metric::Dtc, Metric::Dtz50]);
    }
}

#[test]
fn four_men_with_pawns() {
    for name in ["KPPK", "KRKP"] {
        round_trip(name, &Metric::ALL);
    }
}

/// Metrics that do not grow from one to the next, as those of chess do, are
/// stored all the same.
#[test]
fn unexpected_differences() {
    let solver = Build::new();
    let solve = |metric| solver.table("KQKR".parse().unwrap(), metric).unwrap();
    let named = |table: &Table, metric| {
        let stats = Stats { metric, ..table.stats.clone() };
        Table { metric, stats, ..table.clone() }
    };
    let (dtm, dtc) = (solve(Metric::Dtm), solve(Metric::Dtc));
    let exchanged = [named(&dtm, Metric::Dtc), named(&dtc, Metric::Dtm)];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    write(&path, &[&exchanged[0], &exchanged[1]], &WriteOptions::default()).unwrap();
    let file = TableFile::open(&path).unwrap();
    file.verify().unwrap();
    for table in &exchanged {
        let loaded = file.load(table.metric).unwrap();
        assert!(loaded.parts[0].values == table.parts[0].values, "{}", table.metric);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn every_orientation_has_the_same_value() {
    let solver = Build::new();
    let table = solver.table("KQKR".parse().unwrap(), Metric::Dtm).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("KQvKR.mol");
    write(&path, &[&table], &WriteOptions::default()).unwrap();
    let file = TableFile::open(&path).unwrap();
    let position: Position = "8/8/8/3k4/6r1/8/1Q6/K7 b - -".parse().unwrap();
    let expected = table.get(&position).unwrap();
    for symmetry in Symmetry::ALL {
        let image = position.transform(symmetry);
        assert_eq!(file.get(&image, Metric::Dtm).unwrap(), expected);
        assert_eq!(file.get(&image.swap_colors(), Metric::Dtm).unwrap(), expected);
    }
}

const FAST: WriteOptions = WriteOptions::packed(Pack::Fast);

#[test]
fn learnt_contexts() {
    round_trip_in("KQK", &[Metric::Dtm], &FAST);
    round_trip_in("KNK", &[Metric::Wdl], &FAST);
    round_trip_in("KPK", &Metric::ALL, &FAST);
    // Like men; one side for both.
    round_trip_in("KBBK", &[Metric::Dtc, Metric::Wdl], &FAST);
    round_trip_in("KNKN", &[Metric::Dtm], &FAST);
}

/// DTZ50 is told DTZ, and comes back also where they differ: of some wins in 1 ply wins in 3
/// are made.
#[test]
fn dtz50_is_told_dtz() {
    let solver = Build::new();
    let solve = |metric| solver.table("KPK".parse().unwrap(), metric).unwrap();
    let [dtz, dtc, dtm] = [Metric::Dtz, Metric::Dtc, Metric::Dtm].map(solve);
    let stats = Stats { metric: Metric::Dtz50, ..dtz.stats.clone() };
    let mut dtz50 = Table { metric: Metric::Dtz50, stats, ..Table::clone(&dtz) };
    for part in dtz50.parts.iter_mut().step_by(3) {
        let white = &mut Arc::make_mut(part).values[Color::White.index()];
        for tile in 0..white.won.len() {
            let deeper = white.depth[1..].iter().fold(Tile::EMPTY, |all, bit| all.or(&bit[tile]));
            let in_one = white.won[tile].and(&white.depth[0][tile]).minus(&deeper);
            white.depth[1][tile].add(&in_one);
        }
    }
    let [white, of_dtz] = [&dtz50, &*dtz].map(|table| &table.parts[0].values[0]);
    assert!(white != of_dtz);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.mol");
    let tables = [&*dtm, &*dtc, &dtz50, &*dtz];
    write(&path, &tables, &FAST).unwrap();
    let file = TableFile::open(&path).unwrap();
    for table in tables {
        let loaded = file.load(table.metric).unwrap();
        for (found, expected) in loaded.parts.iter().zip(&table.parts) {
            let both = found.values.iter().zip(&expected.values);
            both.for_each(|(a, b)| assert_same(a, b, table.metric.name()));
        }
        check(&file, table);
    }
    let sizes = file.sizes().unwrap();
    let bytes = |metric| sizes.depths_of(metric).unwrap().iter().sum::<u64>();
    assert!(bytes(Metric::Dtz50) < bytes(Metric::Dtz) / 2);
}

/// Classes alone, and those that DTZ50 tells.
#[test]
fn classes() {
    for options in [WriteOptions::quick(3), FAST] {
        round_trip_in("KPK", &[Metric::Wdl], &options);
        let solver = Build::new();
        let solve = |metric| solver.table("KPK".parse().unwrap(), metric).unwrap();
        let (dtz50, wdl) = (solve(Metric::Dtz50), solve(Metric::Wdl));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.mol");
        write(&path, &[&dtz50, &wdl], &options).unwrap();
        let file = TableFile::open(&path).unwrap();
        assert_eq!(file.metrics(), [Metric::Dtz50]);
        assert!(file.holds(Metric::Wdl));
        check(&file, &wdl);
        let loaded = file.load(Metric::Wdl).unwrap();
        assert!(loaded.parts.iter().zip(&wdl.parts).all(|(a, b)| a.values == b.values));
    }
}

/// Positions that other metrics call won are drawn by the 50-move rule. (A
/// stricter rule, so that few men do.)
#[test]
fn drawn_by_the_rule() {
    let solver = Build::new().with_rule_plies(16);
    for name in ["KPK", "KBNK", "KRKP"] {
        let material = name.parse().unwrap();
        let [free, ruled] =
            [Metric::Dtm, Metric::Dtm50].map(|m| solver.table(material, m).unwrap());
        let won = |table: &Table| table.stats.sides[0].total_wins();
        assert!(won(&ruled).unique < won(&free).unique, "{name}");
        // Learnt contexts take their time.
        let packs = [Pack::QUICK, Pack::Fast, Pack::Small];
        for pack in packs.into_iter().take(if name == "KPK" { 3 } else { 1 }) {
            let metrics = [Metric::Dtm50, Metric::Dtm, Metric::Dtc, Metric::Dtz50];
            round_trip_of(&solver, name, &metrics, &WriteOptions::packed(pack));
        }
    }
}
