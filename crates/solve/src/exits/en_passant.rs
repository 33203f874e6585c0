//! The values after a double step that can be captured en passant.

use molien_board::Bitboard;
use molien_hyper::Tile;
use molien_operators::{Backend, Conversions, Goal, Release};
use molien_values::{Graded, Rule};

use crate::views::View;

/// Adds the right to capture en passant to the values after a double step.
///
/// `values` are those without the right, with the capturing side to move.
/// `captures` lead to what follows each possible capture. The capture is one
/// more move: it can win, it can save, and it is forced where it is the only
/// legal one.
pub(crate) fn with_en_passant(
    backend: &'static dyn Backend,
    values: &Graded,
    captures: &[View],
    rule: Rule,
) -> Graded {
    let deepest = captures.iter().map(|view| view.sub().values.depth.len()).max().unwrap_or(0);
    let bits = (deepest + 1).max(values.depth.len()).max(7);
    let tiles = values.legal.len();
    let mut out = Graded {
        legal: values.legal.clone(),
        won: Vec::with_capacity(tiles),
        lost: Vec::with_capacity(tiles),
        depth: vec![Vec::with_capacity(tiles); bits],
        stalemate: Vec::new(),
    };
    for tile in 0..tiles {
        let gather = |goal| {
            let mut found = Conversions::new(backend, goal, bits);
            for view in captures {
                found.add_tile(view.sub().values, tile, Bitboard::EMPTY, rule);
            }
            found.restrict(&values.legal[tile]);
            found
        };
        let (wins, mut holds) = (gather(Goal::Win), gather(Goal::Hold));
        let mut won = release(values, tile, values.won[tile], bits);
        backend.merge_least(&mut won, &wins.release);
        let without_move = values.stalemate.get(tile).copied().unwrap_or(Tile::EMPTY);
        // A stalemate becomes a loss only through a capture that loses.
        let lost_before = values.lost[tile].minus(&holds.escape);
        let forced = without_move.and(&holds.release.some);
        holds.release.some = holds.release.some.and(&lost_before.or(&forced)).minus(&holds.escape);
        let mut lost = release(values, tile, lost_before, bits);
        backend.merge_greatest(&mut lost, &holds.release);
        out.won.push(won.some);
        out.lost.push(lost.some);
        for (b, plane) in out.depth.iter_mut().enumerate() {
            plane.push(won.bits[b].and(&won.some).or(&lost.bits[b].and(&lost.some)));
        }
    }
    out
}

/// The stored depths of the positions `some`.
pub(super) fn release(values: &Graded, tile: usize, some: Tile, bits: usize) -> Release {
    let bit = |b: usize| values.depth.get(b).map_or(Tile::EMPTY, |plane| plane[tile]);
    Release { some, bits: (0..bits).map(bit).collect() }
}
