//! Streams of outcomes.
//!
//! The base side's outcomes are written as they are, four to a byte. Of the
//! predicted side's, those that a move inside the tile shows to be wins are
//! left out.

use molien_board::{Color, Square};

use crate::codec::{ABSENT, DRAW, LOSS, Malformed, WIN};
use crate::frame::Mask;
use crate::predict::moves_into;
use crate::shape::{BlockShape, TileShape};

/// The outcomes of one side to move.
pub(crate) struct Outcomes {
    /// By cell.
    pub of: Vec<u8>,
    /// The won and the lost cells, in scan order.
    pub wins: Vec<u16>,
    pub losses: Vec<u16>,
}

impl Outcomes {
    pub fn new(cells: &[u16], of: Vec<u8>) -> Outcomes {
        // Which cell is won is as good as random: no branches on it.
        let with = |outcome: u8| {
            let mut found = vec![0; cells.len()];
            let mut count = 0;
            for &cell in cells {
                found[count] = cell;
                count += usize::from(of[usize::from(cell)] == outcome);
            }
            found.truncate(count);
            found
        };
        let (wins, losses) = (with(WIN), with(LOSS));
        Outcomes { of, wins, losses }
    }
}

/// For each hint whether the capture wins wherever it is possible.
pub(crate) fn find_winning_hints(shape: &BlockShape, outcomes: &[u8]) -> Vec<bool> {
    let mut hints = Vec::with_capacity(shape.hints);
    for tile in &shape.tiles {
        for capture in &tile.captures {
            for other in 0..tile.capture_hints(capture) {
                let origins = capture.origins(&tile.frame, Square::new(other)).into_iter();
                let found = origins
                    .map(|from| outcomes[tile.cell(capture.by_row, from.index(), other)])
                    .filter(|&outcome| outcome != ABSENT);
                hints.push(found.min() == Some(WIN));
            }
        }
    }
    hints
}

/// The cells known to be won: a move inside the tile wins.
fn known_wins(shape: &BlockShape, side: Color, base: &[u8], hints: &[bool]) -> Vec<bool> {
    let mut known = vec![false; shape.len];
    for tile in &shape.tiles {
        let lost: Mask = std::array::from_fn(|row| {
            let first = tile.first_cell + row * 64;
            let cells = base.get(first..first + 64).filter(|_| row < tile.frame.rows());
            let bit = |word, (i, &outcome): (usize, &u8)| word | u64::from(outcome == LOSS) << i;
            cells.map_or(0, |cells| cells.iter().enumerate().fold(0, bit))
        });
        let reached = moves_into(&tile.frame, side, &lost);
        for (row, word) in reached.iter().enumerate().take(tile.frame.rows()) {
            let first = tile.first_cell + row * 64;
            for (i, known) in known[first..first + 64].iter_mut().enumerate() {
                *known = word >> i & 1 != 0;
            }
        }
        add_hinted(tile, hints, &mut known);
    }
    known
}

fn add_hinted(tile: &TileShape, hints: &[bool], known: &mut [bool]) {
    let mut hint = tile.first_hint;
    for capture in &tile.captures {
        for other in 0..tile.capture_hints(capture) {
            if hints[hint] {
                for from in capture.origins(&tile.frame, Square::new(other)) {
                    known[tile.cell(capture.by_row, from.index(), other)] = true;
                }
            }
            hint += 1;
        }
    }
}

/// Packs outcomes four to a byte, the first in the lowest place, base 3.
fn pack(outcomes: impl Iterator<Item = u8>, out: &mut Vec<u8>) {
    let mut place = 1;
    for outcome in outcomes {
        if place == 1 {
            out.push(0);
        }
        if let Some(last) = out.last_mut() {
            *last += outcome * place;
        }
        place = if place == 27 { 1 } else { place * 3 };
    }
}

/// The four outcomes of every byte.
const FOUR: [[u8; 4]; 81] = {
    let mut table = [[0; 4]; 81];
    let mut byte = 0;
    while byte < 81 {
        let b = byte as u8;
        table[byte] = [b % 3, b / 3 % 3, b / 9 % 3, b / 27];
        byte += 1;
    }
    table
};

/// Undoes [`pack`]; there may be up to three outcomes too many.
fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
    let mut outcomes = Vec::with_capacity(bytes.len() * 4);
    for &byte in bytes {
        let four = FOUR.get(usize::from(byte)).ok_or(Malformed("a byte is not four outcomes"))?;
        outcomes.extend_from_slice(four);
    }
    Ok(outcomes)
}

/// The outcome stream of the base side.
pub(crate) fn encode_base(cells: &[u16], outcomes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(cells.len() / 4 + 1);
    pack(cells.iter().map(|&cell| outcomes[usize::from(cell)]), &mut out);
    out
}

/// The outcome stream of the predicted side: hints, eight to a byte, then
/// outcomes.
pub(crate) fn encode_predicted(
    shape: &BlockShape,
    side: Color,
    base: &[u8],
    outcomes: &[u8],
) -> Vec<u8> {
    let hints = find_winning_hints(shape, outcomes);
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    let mut out: Vec<u8> = hints.chunks(8).map(byte).collect();
    let known = known_wins(shape, side, base, &hints);
    let cells = shape.cells(side).iter().map(|&cell| usize::from(cell));
    pack(cells.filter(|&cell| !known[cell]).map(|cell| outcomes[cell]), &mut out);
    out
}

const TOO_FEW: Malformed = Malformed("too few outcomes");

/// Decodes the outcome stream of the base side.
pub(crate) fn decode_base(len: usize, cells: &[u16], bytes: &[u8]) -> Result<Outcomes, Malformed> {
    let mut outcomes = vec![ABSENT; len];
    let stream = unpack(bytes)?;
    if stream.len() < cells.len() {
        return Err(TOO_FEW);
    }
    for (&cell, outcome) in cells.iter().zip(stream) {
        outcomes[usize::from(cell)] = outcome;
    }
    Ok(Outcomes::new(cells, outcomes))
}

/// Decodes the outcome stream of the predicted side, and its hints.
pub(crate) fn decode_predicted(
    shape: &BlockShape,
    side: Color,
    base: &[u8],
    bytes: &[u8],
) -> Result<(Outcomes, Vec<bool>), Malformed> {
    let split = bytes.split_at_checked(shape.hints.div_ceil(8));
    let (hints, rest) = split.ok_or(Malformed("too few hints"))?;
    let hints: Vec<bool> = (0..shape.hints).map(|i| hints[i / 8] >> (i % 8) & 1 != 0).collect();
    let known = known_wins(shape, side, base, &hints);
    let mut outcomes = vec![ABSENT; shape.len];
    let stream = unpack(rest)?;
    let cells = shape.cells(side);
    let mut next = 0;
    for &cell in cells {
        let cell = usize::from(cell);
        // Past the end only if the stream is too short: checked below.
        let told = stream.get(next).copied().unwrap_or(DRAW);
        outcomes[cell] = if known[cell] { WIN } else { told };
        next += usize::from(!known[cell]);
    }
    if next > stream.len() {
        return Err(TOO_FEW);
    }
    Ok((Outcomes::new(cells, outcomes), hints))
}
