//! Boards as SVG.

use molien::draw::Board;
use molien::{Color, Square};
use pyo3::prelude::*;

use crate::errors::Failure;
use crate::input;

/// A board with arrows for moves in UCI and lines of text below.
#[pyfunction]
#[pyo3(signature = (fen, moves=Vec::new(), captions=Vec::new(), flipped=false))]
pub fn board_svg(
    fen: &str,
    moves: Vec<String>,
    captions: Vec<String>,
    flipped: bool,
) -> PyResult<String> {
    let setup = input::setup(fen)?;
    let arrows = moves.iter().map(|name| arrow(name)).collect::<Result<_, Failure>>()?;
    let seen_from = if flipped { Color::Black } else { Color::White };
    Ok(Board { arrows, captions, seen_from, ..Board::from(&setup.position) }.to_svg())
}

fn arrow(name: &str) -> Result<(Square, Square), Failure> {
    let square = |range| name.get(range).and_then(|text: &str| text.parse::<Square>().ok());
    match (square(0..2), square(2..4)) {
        (Some(from), Some(to)) => Ok((from, to)),
        _ => Err(Failure::invalid(format!("'{name}' is not a move in UCI"))),
    }
}
