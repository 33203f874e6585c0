//! Tables and statistics from solved units.
#![expect(unsafe_code, reason = "reads planes of tiles as bytes")]

use std::ops::Range;
use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, Tile};
use molien_operators::{Graded, SubGame};
use molien_solve::{Metric, Placement, SideStats, Stats, Zugzwangs};

use crate::CudaError;
use crate::counts::{Boards, TALLY_WORDS, Tally};
use crate::device::Buffer;
use crate::unit::Unit;

/// Copies a plane from the card.
fn download(plane: &Buffer, tiles: usize) -> Result<Vec<Tile>, CudaError> {
    let mut out = vec![Tile::EMPTY; tiles];
    let bytes = tiles * size_of::<Tile>();
    // SAFETY: a tile is 64 words without padding, any bytes are a valid tile,
    // and the slice covers exactly the vector's tiles.
    let view = unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), bytes) };
    plane.download(view)?;
    Ok(out)
}

fn download_or_empty(plane: Option<&Buffer>, tiles: usize) -> Result<Vec<Tile>, CudaError> {
    plane.map_or_else(|| Ok(vec![Tile::EMPTY; tiles]), |plane| download(plane, tiles))
}

fn add(into: &mut [Tile], from: &[Tile]) {
    into.iter_mut().zip(from).for_each(|(into, from)| into.add(from));
}

/// The values with one side to move: won where it attacks, lost where the
/// other does.
fn graded(own: &Unit, other: &Unit) -> Result<Graded, CudaError> {
    let tiles = own.board.tiles();
    let won = download_or_empty(own.won.as_ref(), tiles)?;
    let mut legal = download(&own.open, tiles)?;
    add(&mut legal, &won);
    let lost = download_or_empty(other.lost.as_ref(), tiles)?;
    let mut depth = Vec::new();
    if own.has_depths {
        let deepest = own.record.won.len().max(other.record.lost.len()).saturating_sub(1);
        for k in 0..(usize::BITS - deepest.leading_zeros()) as usize {
            let mut plane = download_or_empty(own.won_depth.get(k), tiles)?;
            if let Some(losses) = other.lost_depth.get(k) {
                add(&mut plane, &download(losses, tiles)?);
            }
            depth.push(plane);
        }
    }
    Ok(Graded { legal, won, lost, depth, stalemate: Vec::new() })
}

/// The game of both sides' units.
pub(crate) fn game(white: &Unit, black: &Unit) -> Result<SubGame, CudaError> {
    let values = [graded(white, black)?, graded(black, white)?];
    Ok(SubGame { board: white.board.clone(), values })
}

/// One side to move of all placements: whole planes, one placement after the
/// other.
struct Planes {
    legal: Vec<Tile>,
    won: Vec<Tile>,
    lost: Vec<Tile>,
    depth: Vec<Vec<Tile>>,
    /// Empty where the other side cannot win.
    stalemate: Vec<Tile>,
}

impl Planes {
    fn new(own: &Unit, other: &Unit) -> Result<Planes, CudaError> {
        let tiles = own.layout.tiles as usize;
        let won = download_or_empty(own.won.as_ref(), tiles)?;
        let mut legal = download(&own.open, tiles)?;
        add(&mut legal, &won);
        let lost = download_or_empty(other.lost.as_ref(), tiles)?;
        let mut depth = Vec::new();
        for k in 0..own.depth_bits().max(other.depth_bits()) {
            let mut plane = download_or_empty(own.won_depth.get(k), tiles)?;
            if let Some(losses) = other.lost_depth.get(k) {
                add(&mut plane, &download(losses, tiles)?);
            }
            depth.push(plane);
        }
        let stalemate = other.stalemate.as_ref().map(|plane| download(plane, tiles));
        let stalemate = stalemate.transpose()?.unwrap_or_default();
        Ok(Planes { legal, won, lost, depth, stalemate })
    }

    /// The values of one placement, which has the tiles of this range.
    fn part(&self, range: Range<usize>) -> Graded {
        let cut = |plane: &Vec<Tile>| plane[range.clone()].to_vec();
        let filled = |plane: &Vec<Tile>| !plane[range.clone()].iter().all(Tile::is_empty);
        let bits = self.depth.iter().rposition(filled).map_or(0, |top| top + 1);
        Graded {
            legal: cut(&self.legal),
            won: cut(&self.won),
            lost: cut(&self.lost),
            depth: self.depth[..bits].iter().map(cut).collect(),
            stalemate: if self.stalemate.is_empty() { Vec::new() } else { cut(&self.stalemate) },
        }
    }
}

/// The games of all placements of a material with pawns, in their order.
pub(crate) fn games(
    material: Material,
    white: &Unit,
    black: &Unit,
) -> Result<Vec<Arc<SubGame>>, CudaError> {
    let sides = [Planes::new(white, black)?, Planes::new(black, white)?];
    let numbers = white.layout.numbers as usize;
    let game = |(i, placement): (usize, &Placement)| {
        let board = Hyperboard::around_pawns(material, placement.bitboards());
        let range = i * numbers..(i + 1) * numbers;
        let values = [sides[0].part(range.clone()), sides[1].part(range)];
        Arc::new(SubGame { board, values })
    };
    Ok(white.boards().placements.iter().enumerate().map(game).collect())
}

/// Statistics of the waves of White and, if solved, of Black.
pub(crate) fn wave_stats(metric: Metric, white: &Unit, black: Option<&Unit>) -> Stats {
    let boards = white.boards();
    let mut sides: [SideStats; 2] = Default::default();
    white.record.add_to(boards, Color::White, &mut sides);
    if let Some(black) = black {
        black.record.add_to(boards, Color::Black, &mut sides);
    }
    let material = boards.board.material();
    let mut stats = Stats { material, metric, sides, zugzwangs: Zugzwangs::default() };
    if material.is_symmetric() && !material.has_pawns() && black.is_some() {
        // Black's wins are White's with colours exchanged, the examples too.
        let mirrored = stats.swap_colors();
        let [white_side, black_side] = &mut stats.sides;
        let [from_black, from_white] = mirrored.sides;
        white_side.losses = from_black.losses;
        white_side.longest_loss = from_black.longest_loss;
        black_side.wins = from_white.wins;
        black_side.longest_win = from_white.longest_win;
    }
    stats
}

/// Tallies of `final_counts`, in its order.
pub(crate) const FINAL_TALLIES: usize = 7;

/// Fills in what was counted on the finished planes.
pub(crate) fn add_final_counts(
    stats: &mut Stats,
    boards: Boards<'_>,
    words: &[u64; FINAL_TALLIES * TALLY_WORDS],
) {
    let count = |i: usize| boards.count(&Tally::from_words(&words[i * TALLY_WORDS..]));
    stats.sides[0].legal = count(0);
    stats.sides[0].broken = count(1);
    stats.sides[1].legal = count(2);
    stats.sides[1].broken = count(3);
    stats.zugzwangs =
        Zugzwangs { white_wins: count(4), black_wins: count(5), full_point: count(6) };
}
