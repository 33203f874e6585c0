//! The streams of a block, from its values.

use molien_board::Color;

use crate::codec::{
    Alphabet, DepthContext, LOSS, Malformed, SideValues, WIN, encode_base_outcomes,
    encode_predicted_outcomes, find_hints,
};
use crate::compress::symbols_to_bytes;
use crate::layout::Layout;
use crate::predict::key;
use crate::shape::BlockShape;
use crate::source::BlockValues;

/// How a metric is written: what its depths are counted from, and with which
/// symbols.
#[derive(Clone, Debug, Default)]
pub(crate) struct Coding {
    pub reference: Option<usize>,
    pub alphabets: [Alphabet; 2],
}

/// The two outcome streams: base side, predicted side.
pub(crate) fn outcome_streams(
    layout: &Layout,
    shape: &BlockShape,
    values: &BlockValues,
) -> [Vec<u8>; 2] {
    let (side, base) = (layout.predicted, layout.predicted.other());
    let of = |color: Color| &values.outcomes[color.index()];
    [
        encode_base_outcomes(&shape.cells[base.index()], of(base)),
        encode_predicted_outcomes(shape, side, of(base), of(side)),
    ]
}

/// The two depth streams of one metric.
pub(crate) fn depth_streams(
    layout: &Layout,
    shape: &BlockShape,
    values: &BlockValues,
    metric: usize,
    coding: &Coding,
) -> Result<[Vec<u8>; 2], Malformed> {
    let side_values = |color: Color| SideValues {
        outcomes: &values.outcomes[color.index()],
        depths: &values.depths[metric][color.index()],
    };
    let stream = |side: Color| {
        let alphabet = &coding.alphabets[side.index()];
        let context = DepthContext {
            shape,
            side,
            outcomes: &values.outcomes[side.index()],
            reference: coding.reference.map(|i| values.depths[i][side.index()].as_slice()),
            alphabet,
        };
        let base = side_values(layout.predicted.other());
        let base = (side == layout.predicted).then_some(&base);
        let symbols = context.encode(&values.depths[metric][side.index()], base)?;
        Ok(symbols_to_bytes(&symbols, alphabet.width()))
    };
    Ok([stream(layout.predicted.other())?, stream(layout.predicted)?])
}

/// The depths that occur, as sets of bits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    wins: Seen,
    losses: Seen,
    hints: Seen,
}

/// A set of small numbers, negative ones among them.
#[derive(Clone, Debug, Default)]
struct Seen(std::collections::BTreeSet<i32>, [u64; 32]);

impl Seen {
    fn insert(&mut self, value: i32) {
        // Nearly every value has been seen before.
        match usize::try_from(value) {
            Ok(v) if v < 2048 => self.1[v >> 6] |= 1 << (v & 63),
            _ => drop(self.0.insert(value)),
        }
    }

    fn list(&self) -> Vec<i32> {
        let small = (0..2048).filter(|v| self.1[v >> 6] >> (v & 63) & 1 != 0).map(|v| v as i32);
        let mut all: Vec<i32> = self.0.iter().copied().chain(small).collect();
        all.sort_unstable();
        all
    }

    fn absorb(&mut self, other: &Seen) {
        self.0.extend(&other.0);
        self.1.iter_mut().zip(other.1).for_each(|(a, b)| *a |= b);
    }
}

impl Found {
    /// Takes in a block's depths of one side and metric.
    pub fn add(
        &mut self,
        shape: &BlockShape,
        side: Color,
        values: &BlockValues,
        metric: usize,
        reference: Option<usize>,
        predicted: bool,
    ) {
        let outcomes = &values.outcomes[side.index()];
        let depths = &values.depths[metric][side.index()];
        for &cell in &shape.cells[side.index()] {
            let cell = usize::from(cell);
            let from = reference.map_or(0, |i| values.depths[i][side.index()][cell]);
            let difference = i32::from(depths[cell]) - i32::from(from);
            match outcomes[cell] {
                WIN => self.wins.insert(difference),
                LOSS => self.losses.insert(difference),
                _ => {}
            }
        }
        if predicted {
            let hints = find_hints(shape, &SideValues { outcomes, depths });
            let wins = hints.iter().filter(|&&hint| hint > key::DRAW);
            wins.for_each(|&hint| self.hints.insert(i32::from(key::win_plies(hint))));
        }
    }

    pub fn absorb(&mut self, other: &Found) {
        self.wins.absorb(&other.wins);
        self.losses.absorb(&other.losses);
        self.hints.absorb(&other.hints);
    }

    pub fn alphabet(&self) -> Alphabet {
        Alphabet { wins: self.wins.list(), losses: self.losses.list(), hints: self.hints.list() }
    }
}
