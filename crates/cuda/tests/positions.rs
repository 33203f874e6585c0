//! A position with more men than the card has large tables of: the card makes the boards
//! that its captures lead to, the processor the rest.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_build::Build;
use molien_cuda::{CudaEngine, CudaShelf};
use molien_testing::is_exhaustive;
use molien_values::{BoardReceiver, Metric, Placement, Shelf, ShelfError, Stats};

/// Of the card, the boards of large tables alone: it has all smaller tables, too.
struct BoardsOnly(CudaShelf);

impl Shelf for BoardsOnly {
    fn has_boards(&self, material: Material, metric: Metric) -> bool {
        self.0.has_boards(material, metric)
    }

    fn hand_over_some(
        &self,
        material: Material,
        metric: Metric,
        pawns: &[Placement],
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        self.0.hand_over_some(material, metric, pawns, receiver)
    }
}

/// Asks about a position and all that its moves lead to, with tables of so many men taken
/// for large ones.
fn compare(fen: &str, men: usize, metric: Metric) {
    let Ok(engine) = CudaEngine::emulated() else {
        println!("skipped: no compiler for the emulator");
        return;
    };
    let shelf = CudaShelf::new(Arc::new(engine.with_large_tables(men, 4 * 64 * 512)));
    let build =
        Build::new().by_part_from(men).from_shelf_at(0).with_shelf(Arc::new(BoardsOnly(shelf)));
    let position: Position = fen.parse().unwrap();
    assert!(build.cost(&position, metric).unwrap().disk_bytes > 0, "boards go to logs");
    let plain = Build::new();
    let moves = position.legal_moves();
    let next = moves.iter().map(|m| position.play(m).without_en_passant());
    for asked in std::iter::once(position).chain(next) {
        let expected = plain.value(&asked, metric).unwrap();
        assert_eq!(build.value(&asked, metric).unwrap(), expected, "{metric} {asked}");
    }
}

#[test]
fn captures_lead_to_boards_of_the_card() {
    for metric in [Metric::Dtm, Metric::Dtz50] {
        compare("8/8/P7/1k6/8/8/8/KN6 b - -", 3, metric);
    }
}

/// Blocked pawns, as those of seven men that only a card can solve.
#[test]
fn blocked_pawns_around_a_rook() {
    if is_exhaustive() {
        compare("8/p7/Pk6/8/8/8/8/K2R4 w - -", 4, Metric::Dtm);
        compare("8/p7/Pk6/8/8/8/8/K2R4 b - -", 4, Metric::Dtz50);
    }
}
