//! Counts the positions that addresses of a hyperboard stand for.

use molien_hyper::{Cell, Hyperboard, KingAxis, Tile};
use molien_operators::Backend;
use molien_values::{BoardValues, Count, Graded, Stats, Zugzwangs};
use rayon::prelude::*;

use crate::ranks::{ExchangeError, Share};

/// Counts addresses of a hyperboard as positions.
pub(crate) struct Counter<'a> {
    backend: &'a dyn Backend,
    /// What is counted here.
    board: &'a Hyperboard,
    /// Set if others count the rest.
    pub share: Option<&'a Share<'a>>,
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
    /// Takes in addresses of a tile, so many of them.
    #[inline]
    pub fn count(&mut self, counter: &Counter<'_>, number: usize, tile: &Tile, addresses: u64) {
        match &counter.mirrors[number] {
            None => self.plain += addresses,
            Some(mask) => {
                self.mirrored += addresses;
                self.mirrored_unique += counter.backend.count(&tile.and(mask));
            }
        }
    }

    /// Takes in addresses of one word; `mask` holds the representatives where the tile
    /// has mirror images of its own positions.
    #[inline]
    pub fn count_word(&mut self, word: u64, mask: Option<u64>) {
        let addresses = u64::from(word.count_ones());
        match mask {
            None => self.plain += addresses,
            Some(mask) => {
                self.mirrored += addresses;
                self.mirrored_unique += u64::from((word & mask).count_ones());
            }
        }
    }

    /// As plain numbers, to be added up.
    pub fn numbers(self) -> [u64; 3] {
        [self.plain, self.mirrored, self.mirrored_unique]
    }

    pub fn of_numbers([plain, mirrored, mirrored_unique]: [u64; 3]) -> Raw {
        Raw { plain, mirrored, mirrored_unique }
    }

    /// All addresses.
    pub fn addresses(self) -> u64 {
        self.plain + self.mirrored
    }

    pub fn is_empty(self) -> bool {
        self.addresses() == 0
    }

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
    pub fn new(
        backend: &'a dyn Backend,
        board: &'a Hyperboard,
        share: Option<&'a Share<'a>>,
    ) -> Counter<'a> {
        let mirror = |tile| {
            let cell = board.cell(tile)?;
            board.maps_to_itself(&cell).then(|| Box::new(board.representatives(&cell)))
        };
        let mirrors = (0..board.tiles()).into_par_iter().with_min_len(64).map(mirror).collect();
        Counter { backend, board, share, stored_factor: board.stored_factor(), mirrors }
    }

    /// The representatives of a tile that has mirror images of its own positions.
    pub fn representatives(&self, number: usize) -> Option<&Tile> {
        self.mirrors[number].as_deref()
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

    /// Counts several sets of positions, given tile by tile, in one pass.
    pub fn tiles<const N: usize>(
        &self,
        sets: impl Fn(usize, &Cell) -> [Tile; N] + Sync,
    ) -> Result<[Count; N], ExchangeError> {
        let count = |mut raw: [Raw; N], number: usize| {
            if let Some(cell) = self.board.cell(number) {
                for (raw, set) in raw.iter_mut().zip(&sets(number, &cell)) {
                    raw.count(self, number, set, self.backend.count(set));
                }
            }
            raw
        };
        let add = |a: [Raw; N], b: [Raw; N]| std::array::from_fn(|i| a[i].add(b[i]));
        let none = || [Raw::default(); N];
        let numbers = (0..self.board.tiles()).into_par_iter().with_min_len(64);
        let mut raw = numbers.fold(none, count).reduce(none, add);
        if let Some(share) = self.share {
            let mut numbers: Vec<u64> = raw.iter().flat_map(|raw| raw.numbers()).collect();
            share.exchange.sum(&mut numbers)?;
            let (all, _) = numbers.as_chunks::<3>();
            raw.iter_mut().zip(all).for_each(|(raw, all)| *raw = Raw::of_numbers(*all));
        }
        Ok(raw.map(|raw| self.finish(raw)))
    }
}

/// Fills in what needs the finished values: legal and broken positions, and
/// mutual zugzwangs.
pub(crate) fn finish_stats(
    stats: &mut Stats,
    counter: &Counter<'_>,
    game: &BoardValues,
    placements: impl Fn(&Cell) -> Tile + Sync,
) -> Result<(), ExchangeError> {
    let [white, black] = &game.values;
    let draw = |side: &Graded, tile: usize| {
        side.legal[tile].minus(&side.won[tile]).minus(&side.lost[tile])
    };
    // Only what is legal is lost or drawn: such sets need not be restricted to
    // the positions that are legal with either side to move.
    let [legal_white, legal_black, broken_white, broken_black, white_wins, black_wins, full_point] =
        counter.tiles(|t, cell| {
            let placements = placements(cell);
            [
                white.legal[t],
                black.legal[t],
                placements.minus(&white.legal[t]),
                placements.minus(&black.legal[t]),
                black.lost[t].and(&draw(white, t)),
                white.lost[t].and(&draw(black, t)),
                black.lost[t].and(&white.lost[t]),
            ]
        })?;
    let [white, black] = &mut stats.sides;
    (white.legal, white.broken) = (legal_white, broken_white);
    (black.legal, black.broken) = (legal_black, broken_black);
    stats.zugzwangs = Zugzwangs { white_wins, black_wins, full_point };
    Ok(())
}
