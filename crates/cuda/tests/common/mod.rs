//! What the tests share: an engine on a card or in the emulator, and positions to
//! ask about.

use molien_board::{Color, Position, Square};
use molien_cuda::{CudaEngine, CudaError};
use molien_hyper::Index;
use molien_values::Table;

/// An engine on the card, which checks all it solves; without a card there is
/// nothing to test.
pub fn on_the_card() -> Option<CudaEngine> {
    match CudaEngine::new() {
        Ok(engine) => Some(checking(engine)),
        Err(CudaError::NoDevice(why)) => {
            println!("skipped: no CUDA device ({why})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// An engine in the emulator, which checks all it solves; without a compiler there
/// is nothing to test, but CI has one.
pub fn in_the_emulator() -> Option<CudaEngine> {
    match CudaEngine::emulated() {
        Ok(engine) => Some(checking(engine)),
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "{error}");
            println!("skipped: {error}");
            None
        }
    }
}

fn checking(engine: CudaEngine) -> CudaEngine {
    engine.check_tables();
    engine
}

/// Some positions of a table.
#[allow(dead_code, reason = "not every test asks about positions")]
pub fn sample(table: &Table) -> Vec<Position> {
    let board = &table.parts[0].board;
    let index = |n: usize| Index {
        tile: n % board.tiles(),
        row: Square::new(n / 7),
        column: Square::new(n / 3),
    };
    let decode = |n: usize| board.decode(index(n * 977), Color::BOTH[n % 2]);
    let found: Vec<Position> =
        (0..20_000).filter_map(decode).filter(|p| p.check_legal().is_ok()).collect();
    assert!(found.len() > 1000);
    found
}
