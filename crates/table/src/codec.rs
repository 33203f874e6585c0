//! From values to the symbols of a block's streams and back.
//!
//! A block has a stream of outcomes for each side and a stream of depths for
//! each metric and side. The *base* side is written as it is; of the other,
//! only what the prediction does not tell.

use crate::predict::{Grid, empty_grid, key, quiet_moves};
use crate::shape::{BlockShape, TileShape};
use molien_board::{Color, Square};

/// Outcomes as stored: worse to better for the side to move.
pub(crate) const LOSS: u8 = 0;
pub(crate) const DRAW: u8 = 1;
pub(crate) const WIN: u8 = 2;
/// No position is stored in the cell.
pub(crate) const ABSENT: u8 = 3;

/// A stream does not fit what the format promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Malformed(pub &'static str);

/// The depths that occur, each with a symbol: its place in the list. With a
/// reference metric, the differences to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Alphabet {
    pub wins: Vec<i32>,
    pub losses: Vec<i32>,
    /// Depths of winning hints.
    pub hints: Vec<i32>,
}

impl Alphabet {
    /// Bytes of a symbol. Symbol 0 is "as predicted" on the predicted side.
    pub fn width(&self) -> usize {
        let longest = self.wins.len().max(self.losses.len()).max(self.hints.len());
        if longest < 256 { 1 } else { 2 }
    }
}

fn symbol(list: &[i32], value: i32) -> Result<u16, Malformed> {
    let found = list.binary_search(&value);
    found.map(|i| i as u16).map_err(|_| Malformed("a depth that the alphabet lacks"))
}

fn depth(list: &[i32], symbol: u16, reference: u16) -> Result<u16, Malformed> {
    let value = list.get(usize::from(symbol)).ok_or(Malformed("a symbol beyond the alphabet"))?;
    u16::try_from(value + i32::from(reference)).map_err(|_| Malformed("a depth out of range"))
}

/// The values of one side to move in a block.
pub(crate) struct SideValues<'a> {
    pub outcomes: &'a [u8],
    pub depths: &'a [u16],
}

impl SideValues<'_> {
    fn key(&self, cell: usize) -> u16 {
        match self.outcomes[cell] {
            WIN => key::win(self.depths[cell]),
            DRAW => key::DRAW,
            LOSS => key::loss(self.depths[cell]),
            _ => key::NONE,
        }
    }

    /// How good it is for the other side to have moved here.
    fn key_after(&self, cell: usize) -> u16 {
        match self.outcomes[cell] {
            WIN => key::loss(self.depths[cell].saturating_add(1)),
            DRAW => key::DRAW,
            LOSS => key::win(self.depths[cell].saturating_add(1)),
            _ => key::NONE,
        }
    }
}

/// Hints of a block, tile by tile, capture by capture: the value the capture
/// promises, as the key of a win or draw, else none.
pub(crate) fn find_hints(shape: &BlockShape, values: &SideValues<'_>) -> Vec<u16> {
    let mut hints = Vec::with_capacity(shape.hints());
    for tile in &shape.tiles {
        for capture in &tile.captures {
            for other in 0..tile.capture_hints(capture) {
                let origins = capture.origins(&tile.frame, Square::new(other));
                let keys = origins
                    .into_iter()
                    .map(|from| values.key(tile.cell(capture.by_row, from.index(), other)))
                    .filter(|&key| key != key::NONE);
                // Every position with the capture is at least as good.
                hints.push(keys.min().filter(|&key| key >= key::DRAW).unwrap_or(key::NONE));
            }
        }
    }
    hints
}

impl TileShape {
    /// The cell of a man of the tile and the other man.
    fn cell(&self, by_row: bool, mover: usize, other: usize) -> usize {
        let (row, column) = if by_row { (mover, other) } else { (other, mover) };
        self.first_cell + row * 64 + column
    }
}

/// What the moves inside the tiles promise the predicted side, cell by cell.
/// `values` are the other side's.
pub(crate) fn predict(
    shape: &BlockShape,
    side: Color,
    values: &SideValues<'_>,
    hints: &[u16],
) -> Vec<u16> {
    let mut predicted = vec![key::NONE; shape.len];
    let mut hints = hints.iter();
    for tile in &shape.tiles {
        let rows = tile.frame.rows();
        let mut after = empty_grid();
        for (row, keys) in after.iter_mut().enumerate().take(rows) {
            let first = tile.first_cell + row * 64;
            for (column, key) in keys.iter_mut().enumerate() {
                *key = values.key_after(first + column);
            }
        }
        let mut best = quiet_moves(&tile.frame, side, &mut after);
        apply_hints(tile, &mut hints, &mut best);
        for (row, keys) in best.iter().enumerate().take(rows) {
            let first = tile.first_cell + row * 64;
            predicted[first..first + 64].copy_from_slice(keys);
        }
    }
    predicted
}

fn apply_hints<'a>(tile: &TileShape, hints: &mut impl Iterator<Item = &'a u16>, best: &mut Grid) {
    for capture in &tile.captures {
        for other in 0..tile.capture_hints(capture) {
            let hint = hints.next().copied().unwrap_or(key::NONE);
            if hint == key::NONE {
                continue;
            }
            for from in capture.origins(&tile.frame, Square::new(other)) {
                let (row, column) =
                    if capture.by_row { (from.index(), other) } else { (other, from.index()) };
                best[row][column] = best[row][column].max(hint);
            }
        }
    }
}

/// Packs outcomes four to a byte, the first in the lowest place, base 3.
pub(crate) fn pack(outcomes: impl Iterator<Item = u8>, out: &mut Vec<u8>) {
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

/// Reads packed outcomes.
pub(crate) struct Unpack<'a> {
    bytes: std::slice::Iter<'a, u8>,
    byte: u8,
    left: u8,
}

impl<'a> Unpack<'a> {
    pub fn new(bytes: &'a [u8]) -> Unpack<'a> {
        Unpack { bytes: bytes.iter(), byte: 0, left: 0 }
    }

    #[inline]
    pub fn take(&mut self) -> Result<u8, Malformed> {
        if self.left == 0 {
            self.byte = *self.bytes.next().ok_or(Malformed("too few outcomes"))?;
            if self.byte > 80 {
                return Err(Malformed("a byte that is not four outcomes"));
            }
            self.left = 4;
        }
        let outcome = self.byte % 3;
        self.byte /= 3;
        self.left -= 1;
        Ok(outcome)
    }
}

/// Depth prediction plays no part in outcomes: all depths 0.
fn without_depths(len: usize) -> Vec<u16> {
    vec![0; len]
}

fn hint_outcome(key: u16) -> u8 {
    match key {
        key::NONE => LOSS,
        key::DRAW => DRAW,
        _ => WIN,
    }
}

/// The outcome stream of the base side.
pub(crate) fn encode_base_outcomes(cells: &[u16], outcomes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(cells.len() / 4 + 1);
    pack(cells.iter().map(|&cell| outcomes[usize::from(cell)]), &mut out);
    out
}

/// The outcome stream of the predicted side.
pub(crate) fn encode_predicted_outcomes(
    shape: &BlockShape,
    side: Color,
    base: &[u8],
    outcomes: &[u8],
) -> Vec<u8> {
    let zeros = without_depths(shape.len);
    let hints = find_hints(shape, &SideValues { outcomes, depths: &zeros });
    let mut out = Vec::new();
    pack(hints.iter().map(|&hint| hint_outcome(hint)), &mut out);
    let known = predict(shape, side, &SideValues { outcomes: base, depths: &zeros }, &hints);
    let unknown = shape.cells[side.index()].iter().map(|&cell| usize::from(cell));
    let unknown = unknown.filter(|&cell| known[cell] <= key::DRAW);
    pack(unknown.map(|cell| outcomes[cell]), &mut out);
    out
}

/// Decodes the outcome stream of the base side.
pub(crate) fn decode_base_outcomes(
    len: usize,
    cells: &[u16],
    bytes: &[u8],
) -> Result<Vec<u8>, Malformed> {
    let mut outcomes = vec![ABSENT; len];
    let mut stream = Unpack::new(bytes);
    for &cell in cells {
        outcomes[usize::from(cell)] = stream.take()?;
    }
    Ok(outcomes)
}

/// Decodes the outcome stream of the predicted side, and the outcomes of its
/// hints.
pub(crate) fn decode_predicted_outcomes(
    shape: &BlockShape,
    side: Color,
    base: &[u8],
    bytes: &[u8],
) -> Result<(Vec<u8>, Vec<u8>), Malformed> {
    let (hint_bytes, rest) =
        bytes.split_at_checked(shape.hints().div_ceil(4)).ok_or(Malformed("too few hints"))?;
    let mut stream = Unpack::new(hint_bytes);
    let hints = (0..shape.hints()).map(|_| stream.take()).collect::<Result<Vec<u8>, _>>()?;
    let keys: Vec<u16> = hints.iter().map(|&hint| outcome_key(hint)).collect();
    let zeros = without_depths(shape.len);
    let known = predict(shape, side, &SideValues { outcomes: base, depths: &zeros }, &keys);
    let mut outcomes = vec![ABSENT; shape.len];
    let mut stream = Unpack::new(rest);
    for &cell in &shape.cells[side.index()] {
        let cell = usize::from(cell);
        outcomes[cell] = if known[cell] > key::DRAW { WIN } else { stream.take()? };
    }
    Ok((outcomes, hints))
}

/// The key a hint of this outcome has where depths play no part.
fn outcome_key(outcome: u8) -> u16 {
    match outcome {
        WIN => key::win(0),
        DRAW => key::DRAW,
        _ => key::NONE,
    }
}

/// What a stream of depths is decoded with.
pub(crate) struct DepthContext<'a> {
    pub shape: &'a BlockShape,
    pub side: Color,
    pub outcomes: &'a [u8],
    /// Depths in the reference metric.
    pub reference: Option<&'a [u16]>,
    pub alphabet: &'a Alphabet,
}

impl DepthContext<'_> {
    fn reference(&self, cell: usize) -> u16 {
        self.reference.map_or(0, |depths| depths[cell])
    }

    /// The cells with this outcome, in scan order.
    fn cells(&self, outcome: u8) -> impl Iterator<Item = usize> + '_ {
        let cells = self.shape.cells[self.side.index()].iter().map(|&cell| usize::from(cell));
        cells.filter(move |&cell| self.outcomes[cell] == outcome)
    }

    fn lists(&self) -> [(u8, &[i32]); 2] {
        [(WIN, &self.alphabet.wins), (LOSS, &self.alphabet.losses)]
    }

    fn value_key(outcome: u8, depth: u16) -> u16 {
        if outcome == WIN { key::win(depth) } else { key::loss(depth) }
    }

    /// Symbols of the base side (no prediction) or the predicted side.
    pub fn encode(
        &self,
        depths: &[u16],
        base: Option<&SideValues<'_>>,
    ) -> Result<Vec<u16>, Malformed> {
        let mut out = Vec::with_capacity(self.shape.cells[self.side.index()].len());
        let mut predicted = None;
        if let Some(base) = base {
            let own = SideValues { outcomes: self.outcomes, depths };
            let hints = find_hints(self.shape, &own);
            for &hint in hints.iter().filter(|&&hint| hint > key::DRAW) {
                out.push(symbol(&self.alphabet.hints, i32::from(key::win_plies(hint)))?);
            }
            predicted = Some(predict(self.shape, self.side, base, &hints));
        }
        for (outcome, list) in self.lists() {
            for cell in self.cells(outcome) {
                let difference = i32::from(depths[cell]) - i32::from(self.reference(cell));
                out.push(match &predicted {
                    Some(keys) if keys[cell] == Self::value_key(outcome, depths[cell]) => 0,
                    Some(_) => symbol(list, difference)? + 1,
                    None => symbol(list, difference)?,
                });
            }
        }
        Ok(out)
    }

    /// Decodes the base side.
    pub fn decode_base(&self, symbols: &[u16]) -> Result<Vec<u16>, Malformed> {
        let mut depths = vec![0; self.shape.len];
        let mut symbols = symbols.iter();
        for (outcome, list) in self.lists() {
            for cell in self.cells(outcome) {
                let &symbol = symbols.next().ok_or(Malformed("too few depths"))?;
                depths[cell] = depth(list, symbol, self.reference(cell))?;
            }
        }
        Ok(depths)
    }

    /// Decodes the predicted side.
    pub fn decode_predicted(
        &self,
        symbols: &[u16],
        base: &SideValues<'_>,
        hint_outcomes: &[u8],
    ) -> Result<Vec<u16>, Malformed> {
        let mut symbols = symbols.iter().copied();
        let mut next = || symbols.next().ok_or(Malformed("too few depths"));
        let mut hints = Vec::with_capacity(hint_outcomes.len());
        for &outcome in hint_outcomes {
            hints.push(match outcome {
                WIN => key::win(depth(&self.alphabet.hints, next()?, 0)?),
                other => outcome_key(other),
            });
        }
        let predicted = predict(self.shape, self.side, base, &hints);
        let mut depths = vec![0; self.shape.len];
        for (outcome, list) in self.lists() {
            for cell in self.cells(outcome) {
                depths[cell] = match (next()?, outcome, predicted[cell]) {
                    (0, WIN, key) if key > key::DRAW => key::win_plies(key),
                    (0, LOSS, key) if key != key::NONE && key < key::DRAW => key::loss_plies(key),
                    (0, ..) => return Err(Malformed("a depth as predicted without prediction")),
                    (symbol, ..) => depth(list, symbol - 1, self.reference(cell))?,
                };
            }
        }
        Ok(depths)
    }

    /// How many symbols the stream has.
    pub fn len(&self, hint_outcomes: &[u8]) -> usize {
        let decided = self.cells(WIN).count() + self.cells(LOSS).count();
        decided + hint_outcomes.iter().filter(|&&outcome| outcome == WIN).count()
    }
}
