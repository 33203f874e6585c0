//! The streams of a block, from its values.

use molien_board::{Bitboard, Color, Square};

use crate::format::coding::{
    Alphabet, Coding, Differences, Symbols, pack_outcomes, symbols_to_bytes,
};
use crate::format::layout::Layout;
use crate::format::shape::BlockShape;
use crate::keys::arch::{self, RowKernels, Vectored};
use crate::keys::key::{DRAW, LOSS, ValueKey, WIN, before, outcome};
use crate::write::unwritable::Unwritable;

/// The values of a block in one metric, by cell.
pub(crate) struct BlockKeys<'a> {
    /// The base side's, as seen by the predicted side after its move.
    pub base_after: &'a [ValueKey],
    /// The predicted side's.
    pub own: &'a [ValueKey],
    /// What quiet moves promise the predicted side; raised by the hints.
    pub best: Vec<ValueKey>,
}

/// The symbols of one metric, ready for use.
pub(crate) struct Coder {
    stored: bool,
    reference: Option<(usize, Differences)>,
    base: Symbols,
    own: Symbols,
    /// Bytes of a symbol: base side, predicted side.
    widths: [usize; 2],
}

impl Coder {
    pub fn new(coding: &Coding, predicted: Color) -> Coder {
        let alphabet = |side: Color| &coding.alphabets[side.index()];
        let (base, own) = (alphabet(!predicted), alphabet(predicted));
        let none = Alphabet::default();
        let plain = if coding.reference.is_some() { &none } else { base };
        Coder {
            stored: coding.stored,
            reference: coding.reference.map(|place| (place, Differences::new(base))),
            base: Symbols::new(plain, 0),
            own: Symbols::new(own, 1),
            widths: [base.width(), own.width()],
        }
    }
}

/// All streams of a block, before compression.
pub(crate) fn raw_streams(
    layout: &Layout,
    shape: &BlockShape,
    metrics: &mut [BlockKeys<'_>],
    coders: &mut [Coder],
) -> Result<Vec<Vec<u8>>, Unwritable> {
    check_outcomes(metrics)?;
    arch::run(RawStreams { side: layout.predicted, shape, metrics, coders })
}

struct RawStreams<'s, 'k> {
    /// The predicted side.
    side: Color,
    shape: &'s BlockShape,
    metrics: &'s mut [BlockKeys<'k>],
    coders: &'s mut [Coder],
}

impl Vectored for RawStreams<'_, '_> {
    type Out = Result<Vec<Vec<u8>>, Unwritable>;

    #[inline(always)]
    fn run<R: RowKernels>(self) -> Self::Out {
        let RawStreams { side, shape, metrics, coders } = self;
        streams::<R>(side, shape, metrics, coders)
    }
}

#[inline(always)]
fn streams<R: RowKernels>(
    side: Color,
    shape: &BlockShape,
    metrics: &mut [BlockKeys<'_>],
    coders: &mut [Coder],
) -> Result<Vec<Vec<u8>>, Unwritable> {
    let base_cells = cells(shape, !side);
    let hints = give_hints(shape, side, metrics);
    let first = &metrics[0];
    let outcomes: Vec<u8> = base_cells.iter().map(|&c| base_outcome(first, c)).collect();
    let mut base = Vec::with_capacity(outcomes.len() / 4 + 1);
    pack_outcomes(&outcomes, &mut base);
    let mut streams = vec![base, own_outcomes::<R>(shape, side, first, &hints)];
    let decided = [WIN, LOSS].map(|wanted| select(&base_cells, &outcomes, wanted)).concat();
    for (place, coder) in coders.iter_mut().enumerate() {
        if !coder.stored {
            streams.extend([Vec::new(), Vec::new()]);
            continue;
        }
        streams.push(base_depths(metrics, place, coder, &decided)?);
        let hints = &hints.decided[place];
        streams.push(own_depths::<R>(shape, side, &metrics[place], coder, hints));
        coder.base.check()?;
        coder.own.check()?;
    }
    Ok(streams)
}

#[inline(always)]
fn base_outcome(keys: &BlockKeys<'_>, cell: u16) -> u8 {
    2 - outcome(keys.base_after[usize::from(cell)])
}

/// The cells with the wanted outcome. Which they are is as good as random: no
/// branches on it.
#[inline(always)]
fn select(cells: &[u16], outcomes: &[u8], wanted: u8) -> Vec<u16> {
    let mut found = vec![0; cells.len() + 1];
    let mut count = 0;
    for (&cell, &outcome) in cells.iter().zip(outcomes) {
        found[count] = cell;
        count += usize::from(outcome == wanted);
    }
    found.truncate(count);
    found
}

/// The numbers of the stored cells in order.
#[inline(always)]
fn cells(shape: &BlockShape, turn: Color) -> Vec<u16> {
    let mut cells = Vec::with_capacity(shape.stored(turn).len);
    for (first, mask) in shape.rows(turn) {
        let mut rest = mask;
        while rest != 0 {
            cells.push(first as u16 + rest.trailing_zeros() as u16);
            rest &= rest - 1;
        }
    }
    cells
}

/// Cells that are not stored are compared too: they repeat others or are
/// nothing in every metric.
fn check_outcomes(metrics: &[BlockKeys<'_>]) -> Result<(), Unwritable> {
    let (first, rest) = metrics.split_first().ok_or(Unwritable::Disagree)?;
    let agree = rest.iter().all(|other| {
        arch::run(SameOutcomes(first.base_after, other.base_after))
            && arch::run(SameOutcomes(first.own, other.own))
    });
    if agree { Ok(()) } else { Err(Unwritable::Disagree) }
}

struct SameOutcomes<'a>(&'a [ValueKey], &'a [ValueKey]);

impl Vectored for SameOutcomes<'_> {
    type Out = bool;

    #[inline(always)]
    fn run<R: RowKernels>(self) -> bool {
        let differ = |(a, b): (&ValueKey, &ValueKey)| ValueKey::from(a.signum() != b.signum());
        self.0.iter().zip(self.1).map(differ).fold(0, |any, differ| any | differ) == 0
    }
}

/// Calls `tell` with rank and cell of each stored cell whose value is not the
/// promised one.
#[inline(always)]
fn broken_promises<R: RowKernels>(
    shape: &BlockShape,
    side: Color,
    keys: &BlockKeys<'_>,
    mut tell: impl FnMut(usize, usize),
) {
    let (own, best) = (keys.own.as_chunks::<64>().0, keys.best.as_chunks::<64>().0);
    let mut rank = 0;
    for (first, mask) in shape.rows(side) {
        let mut rest = R::unequal(&own[first / 64], &best[first / 64]) & mask;
        while rest != 0 {
            let lowest = rest & rest.wrapping_neg();
            let before = (mask & (lowest - 1)).count_ones();
            tell(rank + before as usize, first + rest.trailing_zeros() as usize);
            rest ^= lowest;
        }
        rank += mask.count_ones() as usize;
    }
}

/// What hints say: for each hint its class (0 nothing, else 1 more than the
/// outcome), and for each metric the keys of the decided ones.
struct Hints {
    classes: Vec<u8>,
    decided: Vec<Vec<ValueKey>>,
}

/// A capture is worth at most what the worst cell is from which it is
/// possible; where that is more than other moves promise, a hint says so.
#[inline(always)]
fn give_hints(shape: &BlockShape, side: Color, metrics: &mut [BlockKeys<'_>]) -> Hints {
    let mut hints = Hints {
        classes: Vec::with_capacity(shape.hints),
        decided: metrics.iter().map(|_| Vec::new()).collect(),
    };
    let stored = shape.stored(side);
    let mut cells = Vec::with_capacity(64);
    for (number, tile) in shape.tiles.iter().enumerate() {
        for capture in &tile.captures {
            let others = tile.capture_hints(capture);
            let all_origins = capture.all_origins(&tile.men, others);
            for (other, origins) in all_origins.into_iter().enumerate().take(others) {
                cells.clear();
                let cell =
                    |from: Square| tile.first_cell + tile.cell(capture.by_row, from.index(), other);
                if capture.by_row {
                    let is_stored = |from: &Square| stored.row(number, from.index()) >> other & 1;
                    cells.extend(origins.into_iter().filter(|from| is_stored(from) != 0).map(cell));
                } else {
                    let origins = Bitboard(origins.0 & stored.row(number, other));
                    cells.extend(origins.into_iter().map(cell));
                }
                hints.classes.push(give_hint(&cells, metrics, &mut hints.decided));
            }
        }
    }
    hints
}

#[inline(always)]
fn give_hint(cells: &[usize], metrics: &mut [BlockKeys<'_>], decided: &mut [Vec<ValueKey>]) -> u8 {
    if cells.is_empty() {
        return 0;
    }
    let worst = |keys: &BlockKeys<'_>| {
        cells.iter().fold(ValueKey::MAX, |worst, &cell| worst.min(keys.own[cell]))
    };
    let least = |keys: &BlockKeys<'_>| {
        cells.iter().fold(ValueKey::MAX, |least, &cell| least.min(keys.best[cell]))
    };
    if !metrics.iter().any(|keys| least(keys) < worst(keys)) {
        return 0;
    }
    let mut class = 0;
    for (keys, decided) in metrics.iter_mut().zip(decided) {
        let key = worst(keys);
        class = 1 + outcome(key);
        cells.iter().for_each(|&cell| keys.best[cell] = keys.best[cell].max(key));
        if outcome(key) != DRAW {
            decided.push(key);
        }
    }
    class
}

/// The outcome stream of the predicted side: hints, four to a byte, then how
/// much better than promised the outcomes are.
#[inline(always)]
fn own_outcomes<R: RowKernels>(
    shape: &BlockShape,
    side: Color,
    keys: &BlockKeys<'_>,
    hints: &Hints,
) -> Vec<u8> {
    let byte = |four: &[u8]| four.iter().rev().fold(0, |byte, class| byte << 2 | class);
    let mut out: Vec<u8> = hints.classes.chunks(4).map(byte).collect();
    let mut better = vec![0; shape.stored(side).len];
    broken_promises::<R>(shape, side, keys, |rank, cell| {
        let by = outcome(keys.own[cell]) + 3 - outcome(keys.best[cell]);
        better[rank] = if by >= 3 { by - 3 } else { by };
    });
    pack_outcomes(&better, &mut out);
    out
}

#[inline(always)]
fn base_depths(
    metrics: &[BlockKeys<'_>],
    place: usize,
    coder: &mut Coder,
    decided: &[u16],
) -> Result<Vec<u8>, Unwritable> {
    let keys = metrics[place].base_after;
    let symbols: Vec<u16> = match &mut coder.reference {
        None => decided.iter().map(|&c| coder.base.of(before(keys[usize::from(c)]))).collect(),
        Some((reference, differences)) => {
            let reference = metrics[*reference].base_after;
            let symbol = |&cell: &u16| {
                let cell = usize::from(cell);
                differences.of(before(keys[cell]), before(reference[cell]))
            };
            let symbols = decided.iter().map(symbol).collect();
            differences.check()?;
            symbols
        }
    };
    Ok(symbols_to_bytes(&symbols, coder.widths[0]))
}

/// The depth stream of the predicted side: hints, then a symbol for each cell.
#[inline(always)]
fn own_depths<R: RowKernels>(
    shape: &BlockShape,
    side: Color,
    keys: &BlockKeys<'_>,
    coder: &mut Coder,
    hints: &[ValueKey],
) -> Vec<u8> {
    let mut symbols = vec![0; hints.len() + shape.stored(side).len];
    for (symbol, &key) in symbols.iter_mut().zip(hints) {
        *symbol = coder.own.of(key) - 1;
    }
    let of_cells = &mut symbols[hints.len()..];
    broken_promises::<R>(shape, side, keys, |rank, cell| {
        of_cells[rank] = coder.own.of(keys.own[cell]);
    });
    symbols_to_bytes(&symbols, coder.widths[1])
}
