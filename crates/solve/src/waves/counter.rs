//! Counts the positions that addresses of a hyperboard stand for.

use molien_board::{Color, Position};
use molien_hyper::{Cell, Hyperboard, Index, KingAxis, Plane, Tile};
use molien_operators::Backend;
use molien_values::{BoardValues, Count, Graded, Stats, Zugzwangs};
use rayon::prelude::*;

/// Counts addresses of a hyperboard as positions.
pub(crate) struct Counter<'a> {
    backend: &'a dyn Backend,
    board: &'a Hyperboard,
    /// Addresses of one placement of like men.
    stored_factor: u64,
    /// By tile: the representatives, for tiles with mirror images of their own
    /// positions; none for the others.
    mirrors: Vec<Option<Box<Tile>>>,
}

/// Addresses in tiles without and with mirror images, and representatives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Raw {
    plain: u64,
    mirrored: u64,
    mirrored_unique: u64,
}

impl Raw {
    #[inline(always)]
    pub fn add(self, other: Raw) -> Raw {
        Raw {
            plain: self.plain + other.plain,
            mirrored: self.mirrored + other.mirrored,
            mirrored_unique: self.mirrored_unique + other.mirrored_unique,
        }
    }
}

impl<'a> Counter<'a> {
    pub fn new(backend: &'a dyn Backend, board: &'a Hyperboard) -> Counter<'a> {
        let mirror = |tile| {
            let cell = board.cell(tile)?;
            board.maps_to_itself(&cell).then(|| Box::new(board.representatives(&cell)))
        };
        let mirrors = (0..board.tiles()).into_par_iter().with_min_len(64).map(mirror).collect();
        Counter { backend, board, stored_factor: board.stored_factor(), mirrors }
    }

    /// Sorts the addresses of a tile, so many of them.
    pub fn raw(&self, number: usize, tile: &Tile, addresses: u64) -> Raw {
        match &self.mirrors[number] {
            None => Raw { plain: addresses, ..Raw::default() },
            Some(mask) => {
                let mirrored_unique = self.backend.count(&tile.and(mask));
                Raw { plain: 0, mirrored: addresses, mirrored_unique }
            }
        }
    }

    /// The positions that some addresses stand for.
    pub fn finish(&self, raw: Raw) -> Count {
        let unique = raw.plain / self.stored_factor + raw.mirrored_unique;
        let nalimov = match self.board.king_axis() {
            KingAxis::Pairs => (raw.plain + raw.mirrored) / self.stored_factor,
            KingAxis::Tile => unique,
        };
        Count { unique, nalimov }
    }

    /// Counts the positions given tile by tile.
    pub fn tiles(&self, tile: impl Fn(usize, &Cell) -> Tile + Sync) -> Count {
        let raw = (0..self.board.tiles())
            .into_par_iter()
            .with_min_len(64)
            .filter_map(|number| {
                let cell = self.board.cell(number)?;
                let tile = tile(number, &cell);
                Some(self.raw(number, &tile, self.backend.count(&tile)))
            })
            .reduce(Raw::default, Raw::add);
        self.finish(raw)
    }
}

/// The first position of a plane, in the order of the table.
pub(crate) fn first_position(board: &Hyperboard, plane: &Plane, turn: Color) -> Option<Position> {
    let tile = plane.live.iter().position(|&live| live)?;
    let (row, column) = plane.tiles[tile].pairs().next()?;
    board.decode(Index { tile, row, column }, turn)
}

/// Fills in what needs the finished values: legal and broken positions, and
/// mutual zugzwangs.
pub(crate) fn finish_stats(
    stats: &mut Stats,
    counter: &Counter<'_>,
    game: &BoardValues,
    placements: impl Fn(&Cell) -> Tile + Sync,
) {
    let [white, black] = &game.values;
    for turn in Color::BOTH {
        let legal = &game.values[turn.index()].legal;
        let side = &mut stats.sides[turn.index()];
        side.legal = counter.tiles(|tile, _| legal[tile]);
        side.broken = counter.tiles(|tile, cell| placements(cell).minus(&legal[tile]));
    }
    let both_legal = |tile: usize| white.legal[tile].and(&black.legal[tile]);
    let draw = |side: &Graded, tile: usize| {
        side.legal[tile].minus(&side.won[tile]).minus(&side.lost[tile])
    };
    stats.zugzwangs = Zugzwangs {
        white_wins: counter.tiles(|t, _| black.lost[t].and(&draw(white, t)).and(&both_legal(t))),
        black_wins: counter.tiles(|t, _| white.lost[t].and(&draw(black, t)).and(&both_legal(t))),
        full_point: counter.tiles(|t, _| black.lost[t].and(&white.lost[t]).and(&both_legal(t))),
    };
}
