//! The depths of one side to move from those of the other, one move on.

use molien_board::Color;
use molien_hyper::{Plane, Tile};
use molien_operators::Backend;
use molien_values::BoardValues;
use rayon::prelude::*;

use super::Check;
use super::depths::{OutPlies, Side, show};
use crate::exits::Exits;
use crate::{Progress, SolveError};

/// The depths of a board with this side to move, a plane for each bit, the lowest
/// first. Known are who wins for both sides, the depths of the other side, and
/// what the moves out of the board lead to; what `game` says of this side's own
/// depths does not matter.
///
/// A win is as deep as its soonest move, a loss as its latest: going up through
/// the plies, a win takes the first that a move gives it, a loss the last.
///
/// # Errors
/// If it is cancelled.
pub fn derive_depths(
    backend: &dyn Backend,
    game: &BoardValues,
    side: Color,
    exits: &dyn Exits,
    progress: &dyn Progress,
) -> Result<Vec<Vec<Tile>>, SolveError> {
    let check = Check { backend, game, exits, progress };
    let cancelled = || SolveError::Cancelled { material: game.board.material() };
    let own = &game.values[side.index()];
    let their = Side::new(&game.values[side.other().index()]);
    let out = check.moves_out(side).ok_or_else(cancelled)?;
    let tiles = out.len();
    let plies = OutPlies::new(&out);
    let deepest = their.deepest().saturating_add(1).max(plies.greatest());
    let bits = (u16::BITS - deepest.leading_zeros()) as usize;
    let mut open_wins = own.won.clone();
    // The bits of a tile side by side.
    let mut depths = vec![Tile::EMPTY; tiles * bits];
    let (mut their_won, mut their_lost) = (Plane::empty(tiles), Plane::empty(tiles));
    for ply in 1..=deepest {
        if progress.cancelled() {
            return Err(cancelled());
        }
        show(&mut their_won, |tile| their.won_at(tile, ply - 1));
        show(&mut their_lost, |tile| their.lost_at(tile, ply - 1));
        let each = depths.par_chunks_mut(bits).zip(&mut open_wins).enumerate().with_min_len(16);
        each.for_each(|(tile, (depth, open))| {
            let Some(cell) = game.board.cell(tile) else { return };
            if !open.is_empty() {
                let quiet = check.quiet(side, &their_lost, &cell);
                let now = quiet.or(&plies.win_at(backend, &out, tile, ply)).and(open);
                *open = open.minus(&now);
                set(depth, &now, ply);
            }
            if !own.lost[tile].is_empty() {
                let quiet = check.quiet(side, &their_won, &cell);
                let now = quiet.or(&plies.hold_at(backend, &out, tile, ply)).and(&own.lost[tile]);
                set(depth, &now, ply);
            }
        });
    }
    let plane = |bit: usize| -> Vec<Tile> { depths.chunks(bits).map(|tile| tile[bit]).collect() };
    let mut planes: Vec<Vec<Tile>> = (0..bits).map(plane).collect();
    while planes.last().is_some_and(|plane| plane.iter().all(Tile::is_empty)) {
        planes.pop();
    }
    Ok(planes)
}

/// Sets the depth of some positions, whatever it was.
fn set(depth: &mut [Tile], some: &Tile, ply: u16) {
    if some.is_empty() {
        return;
    }
    for (bit, tile) in depth.iter_mut().enumerate() {
        *tile = if ply >> bit & 1 != 0 { tile.or(some) } else { tile.minus(some) };
    }
}
