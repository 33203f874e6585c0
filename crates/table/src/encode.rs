//! The streams of a block, from its values.

use molien_board::Color;

use crate::codec::{Alphabet, Coding, DepthContext, Malformed, SideValues, find_hint_depths};
use crate::compress::symbols_to_bytes;
use crate::layout::Layout;
use crate::outcomes::{self, find_winning_hints};
use crate::shape::BlockShape;
use crate::source::BlockValues;

/// The two outcome streams: base side, predicted side.
pub(crate) fn outcome_streams(
    layout: &Layout,
    shape: &BlockShape,
    values: &BlockValues,
) -> [Vec<u8>; 2] {
    let (side, base) = (layout.predicted, layout.predicted.other());
    let of = |color: Color| &values.outcomes[color.index()].of;
    [
        outcomes::encode_base(shape.cells(base), of(base)),
        outcomes::encode_predicted(shape, side, of(base), of(side)),
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
    if !coding.stored {
        return Ok([Vec::new(), Vec::new()]);
    }
    let (side, base) = (layout.predicted, layout.predicted.other());
    let context = |side: Color| DepthContext {
        shape,
        side,
        outcomes: &values.outcomes[side.index()],
        reference: coding.reference.map(|i| values.depths[i][side.index()].as_slice()),
        alphabet: &coding.alphabets[side.index()],
    };
    let depths = |color: Color| values.depths[metric][color.index()].as_slice();
    let known = SideValues { outcomes: &values.outcomes[base.index()].of, depths: depths(base) };
    let winning = find_winning_hints(shape, &values.outcomes[side.index()].of);
    let predicted = context(side).encode_predicted(depths(side), known, &winning)?;
    let plain = context(base).encode_base(depths(base))?;
    let width = |color: Color| coding.alphabets[color.index()].width();
    Ok([symbols_to_bytes(&plain, width(base)), symbols_to_bytes(&predicted, width(side))])
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
        let reference = reference.map(|i| &values.depths[i][side.index()]);
        let difference = |&cell: &u16| {
            let cell = usize::from(cell);
            i32::from(depths[cell]) - reference.map_or(0, |depths| i32::from(depths[cell]))
        };
        outcomes.wins.iter().map(difference).for_each(|value| self.wins.insert(value));
        outcomes.losses.iter().map(difference).for_each(|value| self.losses.insert(value));
        if predicted {
            let winning = find_winning_hints(shape, &outcomes.of);
            let values = SideValues { outcomes: &outcomes.of, depths };
            for plies in find_hint_depths(shape, values, &winning) {
                self.hints.insert(i32::from(plies));
            }
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
