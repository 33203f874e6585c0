//! En passant: the capture is one more move, and sometimes the only one.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_build::Build;
use molien_probe::{Failure, Source, Tablebase};
use molien_values::{Metric, Value, Values};

/// Knows one value before captures, and one after.
struct ByMen {
    men: usize,
    before: Value,
    after: Value,
}

impl Source for ByMen {
    fn holds(&self, _material: Material, _metric: Metric) -> bool {
        true
    }

    fn values(
        &self,
        positions: &[Position],
        metrics: &[Metric],
        found: &mut [Values],
    ) -> Vec<Failure> {
        for (position, values) in positions.iter().zip(found) {
            let whole = position.material().len() == self.men;
            let value = if whole { self.before } else { self.after };
            metrics.iter().for_each(|&metric| values.set(metric, value));
        }
        Vec::new()
    }
}

fn value(fen: &str, metric: Metric, before: Value, after: Value) -> Value {
    let position: Position = fen.parse().unwrap();
    assert!(position.en_passant().is_some(), "{fen}");
    let men = position.material().len();
    Tablebase::new(Arc::new(ByMen { men, before, after })).value(&position, metric).unwrap()
}

/// Black may take on d3 and may do other things.
const CHOICE: &str = "8/8/8/2k5/3Pp3/8/8/K7 b - d3";
/// Black must take on d3: without the right it would be stalemate.
const FORCED: &str = "k7/2Q5/8/8/3Pp3/4N3/8/7K b - d3";

#[test]
fn the_better_of_both_counts() {
    let draw = Value::Draw;
    assert_eq!(value(CHOICE, Metric::Dtm, draw, Value::Loss(6)), Value::Win(7));
    assert_eq!(value(CHOICE, Metric::Dtc, draw, Value::Loss(6)), Value::Win(1));
    assert_eq!(value(CHOICE, Metric::Dtm, Value::Loss(4), draw), draw);
    assert_eq!(value(CHOICE, Metric::Dtm, Value::Loss(4), Value::Win(9)), Value::Loss(10));
    assert_eq!(value(CHOICE, Metric::Dtz, Value::Loss(4), Value::Win(9)), Value::Loss(4));
    assert_eq!(value(CHOICE, Metric::Dtz50, draw, Value::Loss(101)), Value::Win(101));
}

#[test]
fn a_forced_capture_alone_counts() {
    let position: Position = FORCED.parse().unwrap();
    assert_eq!(position.legal_moves().len(), 1);
    assert_eq!(value(FORCED, Metric::Dtm, Value::Draw, Value::Win(9)), Value::Loss(10));
}

#[test]
fn moves_agree_with_the_position() {
    let tables = Tablebase::solving(Build::new());
    for fen in [CHOICE, "8/8/8/8/1k1Pp3/8/8/4K3 b - d3", "8/8/8/3pP3/8/1K6/8/7k w - d6"] {
        let position: Position = fen.parse().unwrap();
        let (answer, moves) = (tables.probe(&position).unwrap(), tables.moves(&position).unwrap());
        let best = moves.first().unwrap();
        assert_eq!(answer.category, best.after.category.reverse(), "{fen}");
        assert!(moves.iter().any(|m| m.played.is_en_passant()), "{fen}");
    }
}
