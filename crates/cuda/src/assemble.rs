//! Tables and statistics from solved units.

use std::ops::Range;
use std::sync::Arc;

use molien_board::Color;
use molien_hyper::{Hyperboard, Tile};
use molien_values::{BoardValues, Graded, Metric, SideStats, Stats, Zugzwangs};
use rayon::prelude::*;

use crate::counts::{Boards, TALLY_WORDS, Tally};
use crate::device::{Buffer, Kernel};
use crate::layout::Board;
use crate::unit::Unit;
use crate::waves::base_job;
use crate::{CudaEngine, CudaError};

/// A plane with one side to move on the card: known from one attacker's run,
/// from both, or empty.
enum Plane<'a> {
    Stored(&'a Buffer),
    United(Buffer),
    Empty,
}

impl Plane<'_> {
    fn download(&self, tiles: Range<usize>) -> Result<Vec<Tile>, CudaError> {
        match self {
            Plane::Stored(buffer) => download(buffer, tiles),
            Plane::United(buffer) => download(buffer, tiles),
            Plane::Empty => Ok(vec![Tile::EMPTY; tiles.len()]),
        }
    }
}

/// Copies tiles from the card, in pieces side by side.
pub(crate) fn download(plane: &Buffer, tiles: Range<usize>) -> Result<Vec<Tile>, CudaError> {
    let mut out = vec![Tile::EMPTY; tiles.len()];
    let copy =
        |(i, piece): (usize, &mut [Tile])| plane.read_into(piece, tiles.start + i * BATCH_TILES);
    out.par_chunks_mut(BATCH_TILES).enumerate().try_for_each(copy)?;
    Ok(out)
}

/// The values of one side to move, on the card: won where it attacks, lost
/// where the other does.
struct Side<'a> {
    legal: Plane<'a>,
    won: Plane<'a>,
    lost: Plane<'a>,
    depth: Vec<Plane<'a>>,
    /// With pawns only, and only where the other side can win.
    stalemate: Option<Plane<'a>>,
}

fn unite<'a>(
    engine: &CudaEngine,
    layout: Board,
    a: Option<&'a Buffer>,
    b: Option<&'a Buffer>,
) -> Result<Plane<'a>, CudaError> {
    let (a, b) = match (a, b) {
        (None, None) => return Ok(Plane::Empty),
        (Some(one), None) | (None, Some(one)) => return Ok(Plane::Stored(one)),
        (Some(a), Some(b)) => (a, b),
    };
    let out = Buffer::new(&engine.device, layout.tiles as usize * size_of::<Tile>())?;
    let mut job = base_job(layout, &engine.tables, Color::White);
    job.open = a.address();
    job.other_won = b.address();
    job.candidates = out.address();
    engine.device.launch(Kernel::UnitePlanes, &job)?;
    Ok(Plane::United(out))
}

impl<'a> Side<'a> {
    fn new(engine: &CudaEngine, own: &'a Unit, other: &'a Unit) -> Result<Side<'a>, CudaError> {
        let unite = |a, b| unite(engine, own.layout, a, b);
        let mut depth = Vec::new();
        if own.has_depths {
            for k in 0..own.won_depth.len().max(other.lost_depth.len()) {
                depth.push(unite(own.won_depth.get(k), other.lost_depth.get(k))?);
            }
        }
        let side = Side {
            legal: unite(Some(&own.open), own.won.as_ref())?,
            won: own.won.as_ref().map_or(Plane::Empty, Plane::Stored),
            lost: other.lost.as_ref().map_or(Plane::Empty, Plane::Stored),
            depth,
            stalemate: other.stalemate.as_ref().map(Plane::Stored),
        };
        engine.device.synchronize()?;
        Ok(side)
    }

    /// How many planes a copy has.
    fn planes(&self) -> usize {
        3 + self.depth.len() + usize::from(self.stalemate.is_some())
    }

    /// The values of one board, which has the tiles of this range.
    fn graded(&self, tiles: Range<usize>) -> Result<Graded, CudaError> {
        let get = |plane: &Plane<'_>| plane.download(tiles.clone());
        let depth = self.depth.iter().map(get).collect::<Result<Vec<_>, _>>()?;
        let stalemate = self.stalemate.as_ref().map(get).transpose()?.unwrap_or_default();
        let graded = Graded {
            legal: get(&self.legal)?,
            won: get(&self.won)?,
            lost: get(&self.lost)?,
            depth,
            stalemate,
        };
        Ok(graded.without_empty_bits())
    }
}

/// The games of a table in the order of its parts: one without pawns, else
/// one for each placement.
pub(crate) fn games(
    engine: &CudaEngine,
    white: &Unit,
    black: &Unit,
) -> Result<Vec<Arc<BoardValues>>, CudaError> {
    let finished = Finished::new(engine, white, black)?;
    let all = finished.copy(0..finished.boards.len())?;
    Ok(all.into_iter().map(Arc::new).collect())
}

/// Boards solved for both attackers, on the card.
pub(crate) struct Finished<'a> {
    sides: [Side<'a>; 2],
    /// In the order of the parts.
    pub boards: Vec<Hyperboard>,
    /// Of each board.
    tiles: usize,
}

impl<'a> Finished<'a> {
    pub fn new(
        engine: &CudaEngine,
        white: &'a Unit,
        black: &'a Unit,
    ) -> Result<Finished<'a>, CudaError> {
        let sides = [Side::new(engine, white, black)?, Side::new(engine, black, white)?];
        let Boards { board, placements } = white.boards();
        let boards: Vec<Hyperboard> = match placements {
            [] => vec![board.clone()],
            _ => placements
                .iter()
                .map(|p| Hyperboard::around_pawns(board.material(), p.bitboards()))
                .collect(),
        };
        Ok(Finished { sides, boards, tiles: board.tiles() })
    }

    /// Bytes of one board on the host.
    pub fn board_bytes(&self) -> u64 {
        let planes: usize = self.sides.iter().map(Side::planes).sum();
        (planes * self.tiles * size_of::<Tile>()) as u64
    }

    /// Copies some of the boards to the host.
    pub fn copy(&self, which: Range<usize>) -> Result<Vec<BoardValues>, CudaError> {
        let (first, boards, tiles) = (which.start, &self.boards[which], self.tiles);
        // Enough boards at a time that a copy is worth its call.
        let batch = (BATCH_TILES / tiles).clamp(1, boards.len().max(1));
        let batches: Vec<(usize, &[Hyperboard])> = boards
            .chunks(batch)
            .enumerate()
            .map(|(i, boards)| (first + i * batch, boards))
            .collect();
        let copy = |&(first, boards): &(usize, &[Hyperboard])| {
            let range = first * tiles..(first + boards.len()) * tiles;
            let values = [self.sides[0].graded(range.clone())?, self.sides[1].graded(range)?];
            Ok(split(values, boards))
        };
        let copied: Vec<Vec<BoardValues>> =
            batches.par_iter().map(copy).collect::<Result<_, CudaError>>()?;
        Ok(copied.into_iter().flatten().collect())
    }
}

/// Tiles copied at a time: 2 MiB of a plane.
const BATCH_TILES: usize = 4096;

/// The values of several boards, one after the other, as a game each.
fn split(values: [Graded; 2], boards: &[Hyperboard]) -> Vec<BoardValues> {
    if let [board] = boards {
        return vec![BoardValues { board: board.clone(), values }];
    }
    let game = |(i, board): (usize, &Hyperboard)| {
        let tiles = i * board.tiles()..(i + 1) * board.tiles();
        let cut = |plane: &Vec<Tile>| match plane.get(tiles.clone()) {
            Some(own) => own.to_vec(),
            None => Vec::new(), // a plane that is not kept
        };
        let part = |whole: &Graded| {
            let part = Graded {
                legal: cut(&whole.legal),
                won: cut(&whole.won),
                lost: cut(&whole.lost),
                depth: whole.depth.iter().map(cut).collect(),
                stalemate: cut(&whole.stalemate),
            };
            part.without_empty_bits()
        };
        let values = [part(&values[0]), part(&values[1])];
        BoardValues { board: board.clone(), values }
    };
    boards.iter().enumerate().map(game).collect()
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
