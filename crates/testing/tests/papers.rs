//! Published figures, reproduced.

use molien_board::{Color, Material};
use molien_build::Build;
use molien_values::{Count, Metric, Stats};

/// Thompson (1986), Table 1: material, what was counted ("max to win" is DTC,
/// "max to mate" DTM), and the greatest number of White's moves.
const THOMPSON: [(&str, Metric, u16); 12] = [
    ("KBBKN", Metric::Dtc, 66),
    ("KQKNN", Metric::Dtc, 63),
    ("KQKBN", Metric::Dtc, 42),
    ("KQKBB", Metric::Dtc, 71),
    ("KRNKR", Metric::Dtc, 33),
    ("KRBKR", Metric::Dtc, 59),
    ("KRRKR", Metric::Dtm, 31),
    // A position with Black to move; with White to move it is 34.
    ("KQRKR", Metric::Dtm, 35),
    ("KQNKQ", Metric::Dtm, 41),
    ("KQBKQ", Metric::Dtm, 33),
    ("KQRKQ", Metric::Dtm, 67),
    ("KQQKQ", Metric::Dtm, 30),
];

/// The most moves White needs, whoever is to move.
fn most_moves(stats: &Stats) -> u16 {
    let [white, black] = &stats.sides;
    let moves = [&white.longest_win, &black.longest_loss]
        .map(|longest| longest.as_ref().map_or(0, |longest| longest.plies.div_ceil(2)));
    moves[0].max(moves[1])
}

#[test]
fn thompson_table_1() {
    let solver = Build::new();
    for (name, metric, expected) in THOMPSON {
        let material: Material = name.parse().unwrap();
        let table = solver.table(material, metric).unwrap();
        let swapped = table.material != material;
        let stats = if swapped { table.stats.swap_colors() } else { table.stats.clone() };
        assert_eq!(most_moves(&stats), expected, "{name}");
        solver.forget(material, metric);
    }
}

/// Nalimov, Wirth and Haworth (1999), Table 5: KQKQ, White wins in n plies by
/// Nalimov's and by Wirth's counting; White to move (odd plies), Black to move
/// (even plies).
const KQKQ_WHITE: [(usize, u64, u64); 13] = [
    (1, 7397, 7223),
    (3, 5570, 5347),
    (5, 7839, 7279),
    (7, 19434, 19007),
    (9, 34767, 33691),
    (11, 61321, 60444),
    (13, 92389, 90727),
    (15, 121_485, 119_308),
    (17, 95358, 93140),
    (19, 29445, 27995),
    (21, 3095, 2915),
    (23, 136, 136),
    (25, 2, 2),
];
const KQKQ_BLACK: [(usize, u64, u64); 13] = [
    (0, 815, 801),
    (2, 640, 623),
    (4, 397, 381),
    (6, 235, 205),
    (8, 220, 197),
    (10, 87, 79),
    (12, 92, 87),
    (14, 328, 325),
    (16, 856, 846),
    (18, 1134, 1115),
    (20, 422, 404),
    (22, 26, 26),
    (24, 2, 2),
];

fn assert_histogram(ours: &[Count], expected: &[(usize, u64, u64)]) {
    let occurring = ours.iter().enumerate().filter(|(_, count)| count.nalimov > 0);
    let ours: Vec<(usize, u64, u64)> =
        occurring.map(|(ply, count)| (ply, count.nalimov, count.unique)).collect();
    assert_eq!(ours, expected);
}

#[test]
fn nalimov_table_5() {
    let table = Build::new().table("KQKQ".parse().unwrap(), Metric::Dtm).unwrap();
    let [white, black] = &table.stats.sides;
    assert_histogram(&white.wins, &KQKQ_WHITE);
    assert_histogram(&black.losses, &KQKQ_BLACK);
    assert_eq!(white.legal, Count { unique: 1_119_216, nalimov: 1_145_588 });
    assert_eq!(table.stats.sides[Color::White.index()].total_wins().nalimov, 478_238);
}
