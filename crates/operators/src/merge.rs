//! Moves out of the board, whole tiles of them: what is read off a sub-game's
//! tile and merged into what was found before.

use molien_board::{Bitboard, Square, Symmetry};
use molien_hyper::Tile;

use crate::conversions::plies_before;
use crate::wide::{Wide, each_rank};
use crate::words::{Sets, Words};
use crate::{Conversions, Goal, Release};
use molien_values::{Graded, MAX_BITS, Rule};

/// Where in the sub-game's tile a position finds the value after its move.
#[derive(Clone, Copy, Debug)]
pub enum Reading {
    /// At its own place.
    Same,
    /// In the row of the square to which the row man has moved.
    Row(Square),
    /// In the column of the square to which the column man has moved.
    Column(Square),
    /// At its place seen through the symmetry after a king's step; an axis
    /// without a man stays as it is.
    Through {
        /// Takes the new king pair to its class.
        symmetry: Symmetry,
        /// Whether there is a row man.
        rows: bool,
        /// Whether there is a column man.
        columns: bool,
    },
}

/// Which positions of the tile have the move.
#[derive(Clone, Copy, Debug)]
pub enum Movers<'a> {
    /// All with row and column man off the path.
    Unblocked(Bitboard),
    /// These.
    Of(&'a Tile),
}

/// Moves from positions of one tile to the values of another board's.
#[derive(Clone, Copy, Debug)]
pub struct TileMoves<'a> {
    /// The values after the moves.
    pub values: &'a Graded,
    /// Their tile.
    pub tile: usize,
    /// Where in the tile.
    pub reading: Reading,
    /// Which positions have the move.
    pub movers: Movers<'a>,
    /// How the count of plies passes through it.
    pub rule: Rule,
}

/// One rank of values, for readings that keep the ranks apart.
#[inline(always)]
fn read_rank<W: Words>(tile: &Tile, reading: Reading, rank: usize) -> W {
    match reading {
        Reading::Same | Reading::Through { .. } => W::load(&tile.0[rank]),
        Reading::Row(square) => W::splat(tile.row(square)),
        Reading::Column(square) => W::load(&tile.0[rank]).spread(W::splat(1 << square.index())),
    }
}

#[inline(always)]
fn read<W: Words>(tile: &Tile, reading: Reading) -> Wide<W> {
    if let Reading::Through { symmetry, rows, columns } = reading {
        return Wide::load(tile).back_through(symmetry, rows, columns);
    }
    let mut out = Wide::splat(0);
    each_rank!(RANK, {
        out.0[RANK] = read_rank(tile, reading, RANK);
    });
    out
}

/// See [`crate::Backend::add_moves`].
#[inline(always)]
pub(crate) fn add_moves<W: Words>(found: &mut Conversions, moves: &TileMoves<'_>) {
    let TileMoves { values, tile, reading, movers, rule } = *moves;
    let movers = match movers {
        Movers::Unblocked(path) => Wide::<W>::unblocked(path),
        Movers::Of(tile) => Wide::load(tile),
    };
    let mut depth = [&Tile::EMPTY; MAX_BITS];
    for (plane, of_board) in depth.iter_mut().zip(&values.depth) {
        *plane = &of_board[tile];
    }
    let depth = &depth[..values.depth.len()];
    match found.goal {
        Goal::Win => {
            let lost = read::<W>(&values.lost[tile], reading).and(movers);
            merge_moves::<W, true>(&mut found.release, lost, depth, reading, rule);
        }
        Goal::Hold => {
            let won = read::<W>(&values.won[tile], reading);
            let legal = read::<W>(&values.legal[tile], reading);
            let mut escape = Wide::load(&found.escape);
            escape.add(legal.and(movers).minus(won));
            found.escape = escape.store();
            merge_moves::<W, false>(&mut found.release, won.and(movers), depth, reading, rule);
        }
    }
}

#[inline(always)]
fn merge_moves<W: Words, const MINIMUM: bool>(
    release: &mut Release,
    positions: Wide<W>,
    depth: &[&Tile],
    reading: Reading,
    rule: Rule,
) {
    if positions.is_empty() {
        return;
    }
    let positions = positions.store();
    if !matches!(reading, Reading::Through { .. }) || rule == Rule::One {
        return merge::<W, MINIMUM>(release, &positions, depth, reading, Some(rule));
    }
    let mut turned = [Tile::EMPTY; MAX_BITS];
    for (turned, plane) in turned.iter_mut().zip(depth) {
        *turned = read::<W>(plane, reading).store();
    }
    let turned: [&Tile; MAX_BITS] = turned.each_ref();
    merge::<W, MINIMUM>(release, &positions, &turned[..depth.len()], Reading::Same, Some(rule));
}

/// Takes in plies for some positions, keeping the lesser (`MINIMUM`) or the
/// greater of old and new. The plies are those of the rule, or without one
/// the depths themselves.
#[inline(always)]
pub(crate) fn merge<W: Words, const MINIMUM: bool>(
    release: &mut Release,
    positions: &Tile,
    depth: &[&Tile],
    reading: Reading,
    rule: Option<Rule>,
) {
    for rank in 0..8 {
        let mask = W::load(&positions.0[rank]);
        let some = W::load(&release.some.0[rank]);
        release.some.0[rank] = some.or(mask).store();
        if release.bits.is_empty() || mask.is_empty() {
            continue;
        }
        let mut new = [W::splat(0); MAX_BITS];
        for (new, plane) in new.iter_mut().zip(depth) {
            *new = read_rank(plane, reading, rank);
        }
        if let Some(rule) = rule {
            new = plies_before(rule, &new);
        }
        let mut old = [W::splat(0); MAX_BITS];
        for (old, plane) in old.iter_mut().zip(&release.bits) {
            *old = W::load(&plane.0[rank]);
        }
        let bits = release.bits.len();
        let taken = replaced::<W, MINIMUM>(some, &old[..bits], mask, &new);
        for (b, plane) in release.bits.iter_mut().enumerate() {
            plane.0[rank] = old[b].minus(taken).or(new[b].and(taken)).store();
        }
    }
}

/// Where new plies replace old ones: in `mask`, where there is no old ply or
/// the new one is the lesser (`MINIMUM`) or not the lesser.
#[inline(always)]
pub(crate) fn replaced<S: Sets, const MINIMUM: bool>(
    old_some: S,
    old: &[S],
    mask: S,
    new: &[S; MAX_BITS],
) -> S {
    // Compare from the lowest bit up: the highest differing bit decides.
    let mut less = S::splat(0);
    for (old, new) in old.iter().zip(new) {
        less = old.minus(*new).or(less.minus(old.xor(*new)));
    }
    let kept = if MINIMUM { old_some.minus(less) } else { old_some.and(less) };
    mask.minus(kept)
}
