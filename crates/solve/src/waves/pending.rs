//! When conversions decide positions.

use molien_hyper::{Plane, Tile};
use molien_operators::{Backend, Release};
use rayon::prelude::*;

use super::CHUNK_TILES;

/// A ply that never comes.
pub(crate) const NEVER: u16 = u16::MAX;

/// What conversions do to each tile, and when next.
pub(crate) struct Pending {
    pub releases: Vec<Release>,
    /// By tile, the least ply of a position that still matters; [`NEVER`] if
    /// there is none. Apart from the releases, since every wave reads all of
    /// it.
    pub next: Vec<u16>,
}

impl Pending {
    pub fn new(backend: &dyn Backend, releases: Vec<Release>, plane: &Plane) -> Pending {
        let tiles = releases.par_iter().zip(&plane.tiles).with_min_len(CHUNK_TILES);
        let next = tiles.map(|(release, among)| next_due(backend, release, among)).collect();
        Pending { releases, next }
    }

    /// The same conversions, every one sooner by so many plies, but none before
    /// the first.
    pub fn sooner(releases: &[Release], plies: u16) -> Vec<Release> {
        releases.par_iter().with_min_len(CHUNK_TILES).map(|r| r.sooner(plies)).collect()
    }

    /// The first ply at which a tile has a conversion due.
    pub fn first_due(&self) -> u16 {
        self.next.iter().copied().min().unwrap_or(NEVER)
    }
}

/// The next ply at which one of these positions is due; none of them is due
/// yet.
pub(crate) fn next_due(backend: &dyn Backend, release: &Release, among: &Tile) -> u16 {
    backend.release_least(release, among).unwrap_or(NEVER)
}

/// The positions whose conversions hold until this ply no longer do.
pub(crate) fn let_go(backend: &dyn Backend, hold: &mut Release, ply: u16) {
    hold.some = backend.difference(&hold.some, &backend.release_at(hold, ply));
}
