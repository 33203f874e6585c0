//! Streams of depths: from depths to symbols and back.
//!
//! Won cells come first, then lost ones. The base side's depths are written as
//! symbols of an alphabet; of the predicted side's, symbol 0 says "as
//! predicted", and the alphabet starts at 1. Depths of winning hints go ahead.

use molien_board::{Color, Square};

use crate::outcomes::Outcomes;
use crate::predict::{Grid, empty_grid, key, quiet_moves};
use crate::shape::{BlockShape, TileShape};

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
    /// Bytes of a symbol.
    pub fn width(&self) -> usize {
        let longest = self.wins.len().max(self.losses.len()).max(self.hints.len());
        if longest < 256 { 1 } else { 2 }
    }
}

/// How a metric is written: what its depths are counted from, and with which
/// symbols.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coding {
    /// Whether depths are written at all, or only counted in the statistics.
    pub stored: bool,
    /// The earlier metric (by place in the list) whose depths are subtracted.
    pub reference: Option<usize>,
    /// For White and Black to move.
    pub alphabets: [Alphabet; 2],
}

fn symbol(list: &[i32], value: i32) -> Result<u16, Malformed> {
    let found = list.binary_search(&value);
    found.map(|i| i as u16).map_err(|_| Malformed("a depth that the alphabet lacks"))
}

#[inline]
fn depth(list: &[i32], symbol: u16, reference: u16) -> Result<u16, Malformed> {
    let value = list.get(usize::from(symbol)).ok_or(Malformed("a symbol beyond the alphabet"))?;
    let depth = value + i32::from(reference);
    if (0..0x7fff).contains(&depth) { Ok(depth as u16) } else { Err(Malformed("a depth is wrong")) }
}

/// The values of one side to move in a block.
#[derive(Clone, Copy)]
pub(crate) struct SideValues<'a> {
    pub outcomes: &'a [u8],
    pub depths: &'a [u16],
}

impl SideValues<'_> {
    /// How good it is for the other side to have moved here.
    #[inline]
    fn key_after(&self, cell: usize) -> u16 {
        match self.outcomes[cell] {
            WIN => key::loss(self.depths[cell] + 1),
            DRAW => key::DRAW,
            LOSS => key::win(self.depths[cell] + 1),
            _ => key::NONE,
        }
    }
}

/// The depth of every winning hint, in order: that of the longest win among
/// the positions with the capture.
pub(crate) fn find_hint_depths(
    shape: &BlockShape,
    values: SideValues<'_>,
    winning: &[bool],
) -> Vec<u16> {
    let mut depths = Vec::new();
    let mut winning = winning.iter();
    for tile in &shape.tiles {
        for capture in &tile.captures {
            for other in 0..tile.capture_hints(capture) {
                if winning.next() != Some(&true) {
                    continue;
                }
                let origins = capture.origins(&tile.frame, Square::new(other)).into_iter();
                let cells = origins.map(|from| tile.cell(capture.by_row, from.index(), other));
                let won = cells.filter(|&cell| values.outcomes[cell] == WIN);
                depths.push(won.map(|cell| values.depths[cell]).max().unwrap_or(0));
            }
        }
    }
    depths
}

/// The key of every hint: none where it does not win.
pub(crate) fn hint_keys(winning: &[bool], depths: &[u16]) -> Vec<u16> {
    let mut depths = depths.iter();
    let key = |&wins: &bool| match wins {
        true => depths.next().map_or(key::NONE, |&plies| key::win(plies)),
        false => key::NONE,
    };
    winning.iter().map(key).collect()
}

/// What the moves inside a tile promise the predicted side. `base` are the
/// other side's values.
pub(crate) fn predict_tile(
    tile: &TileShape,
    side: Color,
    base: SideValues<'_>,
    hints: &[u16],
) -> Box<Grid> {
    let mut after = empty_grid();
    for (row, keys) in after.iter_mut().enumerate().take(tile.frame.rows()) {
        let first = tile.first_cell + row * 64;
        for (column, key) in keys.iter_mut().enumerate() {
            *key = base.key_after(first + column);
        }
    }
    let mut best = quiet_moves(&tile.frame, side, &mut after);
    let mut hint = hints[tile.first_hint..].iter();
    for capture in &tile.captures {
        for other in 0..tile.capture_hints(capture) {
            let Some(&hint) = hint.next().filter(|&&hint| hint != key::NONE) else { continue };
            for from in capture.origins(&tile.frame, Square::new(other)) {
                let (row, column) =
                    if capture.by_row { (from.index(), other) } else { (other, from.index()) };
                best[row][column] = best[row][column].max(hint);
            }
        }
    }
    best
}

/// What a stream of depths is coded with.
pub(crate) struct DepthContext<'a> {
    pub shape: &'a BlockShape,
    pub side: Color,
    pub outcomes: &'a Outcomes,
    /// Depths in the reference metric.
    pub reference: Option<&'a [u16]>,
    pub alphabet: &'a Alphabet,
}

impl DepthContext<'_> {
    #[inline]
    fn reference(&self, cell: usize) -> u16 {
        self.reference.map_or(0, |depths| depths[cell])
    }

    fn lists(&self) -> [(&[u16], &[i32], u8); 2] {
        let Outcomes { wins, losses, .. } = self.outcomes;
        [(wins, &self.alphabet.wins, WIN), (losses, &self.alphabet.losses, LOSS)]
    }

    fn difference(&self, depths: &[u16], cell: usize) -> i32 {
        i32::from(depths[cell]) - i32::from(self.reference(cell))
    }

    /// The symbols of the base side.
    pub fn encode_base(&self, depths: &[u16]) -> Result<Vec<u16>, Malformed> {
        let mut out = Vec::new();
        for (cells, list, _) in self.lists() {
            for &cell in cells {
                out.push(symbol(list, self.difference(depths, usize::from(cell)))?);
            }
        }
        Ok(out)
    }

    /// The symbols of the predicted side.
    pub fn encode_predicted(
        &self,
        depths: &[u16],
        base: SideValues<'_>,
        winning: &[bool],
    ) -> Result<Vec<u16>, Malformed> {
        let own = SideValues { outcomes: &self.outcomes.of, depths };
        let hints = find_hint_depths(self.shape, own, winning);
        let hint = |&plies: &u16| symbol(&self.alphabet.hints, i32::from(plies));
        let mut out = hints.iter().map(hint).collect::<Result<Vec<u16>, _>>()?;
        let keys = hint_keys(winning, &hints);
        let mut predicted = vec![key::NONE; self.shape.len];
        for tile in &self.shape.tiles {
            let grid = predict_tile(tile, self.side, base, &keys);
            let cells = &mut predicted[tile.range()];
            cells.copy_from_slice(&grid.as_flattened()[..cells.len()]);
        }
        for (cells, list, outcome) in self.lists() {
            for cell in cells.iter().map(|&cell| usize::from(cell)) {
                let own = match outcome {
                    WIN => key::win(depths[cell]),
                    _ => key::loss(depths[cell]),
                };
                out.push(match predicted[cell] == own {
                    true => 0,
                    false => symbol(list, self.difference(depths, cell))? + 1,
                });
            }
        }
        Ok(out)
    }

    /// How many symbols the stream has.
    pub fn len(&self, winning: &[bool]) -> usize {
        let hints = winning.iter().filter(|&&wins| wins).count();
        hints + self.outcomes.wins.len() + self.outcomes.losses.len()
    }

    /// Decodes the base side.
    pub fn decode_base(&self, symbols: &[u16]) -> Result<Vec<u16>, Malformed> {
        let mut depths = vec![0; self.shape.len];
        let mut symbols = symbols.iter();
        for (cells, list, _) in self.lists() {
            for (&cell, &symbol) in cells.iter().zip(&mut symbols) {
                let cell = usize::from(cell);
                depths[cell] = depth(list, symbol, self.reference(cell))?;
            }
        }
        Ok(depths)
    }

    /// Splits the symbols of the predicted side: hints' keys, and symbols by
    /// cell.
    pub fn spread(
        &self,
        symbols: &[u16],
        winning: &[bool],
    ) -> Result<(Vec<u16>, Vec<u16>), Malformed> {
        let hints = winning.iter().filter(|&&wins| wins).count();
        let split = symbols.split_at_checked(hints);
        let (hints, rest) = split.ok_or(Malformed("too few depths"))?;
        let plies = hints.iter().map(|&symbol| depth(&self.alphabet.hints, symbol, 0));
        let plies = plies.collect::<Result<Vec<u16>, _>>()?;
        let mut by_cell = vec![0; self.shape.len];
        let decided = self.outcomes.wins.iter().chain(&self.outcomes.losses);
        for (&cell, &symbol) in decided.zip(rest) {
            by_cell[usize::from(cell)] = symbol;
        }
        Ok((hint_keys(winning, &plies), by_cell))
    }

    /// Decodes one tile of the predicted side. Depths are numbered from the
    /// tile's first cell.
    pub fn decode_tile(
        &self,
        tile: &TileShape,
        by_cell: &[u16],
        base: SideValues<'_>,
        hints: &[u16],
        reference: Option<&[u16]>,
    ) -> Result<Vec<u16>, Malformed> {
        let predicted = predict_tile(tile, self.side, base, hints);
        let range = tile.range();
        let mut depths = vec![0; range.len()];
        for (i, cell) in range.enumerate() {
            let (outcome, promised) = (self.outcomes.of[cell], predicted[i >> 6][i & 63]);
            let list = match outcome {
                WIN => &self.alphabet.wins,
                LOSS => &self.alphabet.losses,
                _ => continue,
            };
            depths[i] = match by_cell[cell] {
                0 if outcome == WIN && promised > key::DRAW => key::win_plies(promised),
                0 if outcome == LOSS && promised != key::NONE && promised < key::DRAW => {
                    key::loss_plies(promised)
                }
                0 => return Err(Malformed("as predicted, without prediction")),
                symbol => depth(list, symbol - 1, reference.map_or(0, |r| r[i]))?,
            };
        }
        Ok(depths)
    }
}
