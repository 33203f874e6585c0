//! From a file back to a table in memory.

use std::ops::Range;
use std::sync::Arc;

use molien_board::{Color, Man, Role, Square, Symmetry};
use molien_hyper::{Hyperboard, Index, KING_PAIRS, KingAxis, Plane, Tile};
use molien_operators::{Backend, Graded, SubGame, fastest};
use molien_solve::{Metric, Table};
use rayon::prelude::*;

use crate::codec::{LOSS, Malformed, WIN};
use crate::layout::Layout;
use crate::{TableError, TableFile};

/// The values of some consecutive tiles of a hyperboard.
#[derive(Default)]
struct Stretch {
    won: Vec<Tile>,
    lost: Vec<Tile>,
    depth: Vec<Vec<Tile>>,
}

impl Stretch {
    fn new(tiles: usize) -> Stretch {
        let empty = || vec![Tile::EMPTY; tiles];
        Stretch { won: empty(), lost: empty(), depth: Vec::new() }
    }

    fn set(&mut self, at: Index, won: bool, plies: u16) {
        let plane = if won { &mut self.won } else { &mut self.lost };
        plane[at.tile].insert(at.row, at.column);
        let tiles = self.won.len();
        let mut rest = plies;
        while rest != 0 {
            let bit = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            while self.depth.len() <= bit {
                self.depth.push(vec![Tile::EMPTY; tiles]);
            }
            self.depth[bit][at.tile].insert(at.row, at.column);
        }
    }

    fn append(&mut self, mut next: Stretch) {
        let (before, after) = (self.won.len(), next.won.len());
        while self.depth.len() < next.depth.len() {
            self.depth.push(vec![Tile::EMPTY; before]);
        }
        while next.depth.len() < self.depth.len() {
            next.depth.push(vec![Tile::EMPTY; after]);
        }
        self.won.append(&mut next.won);
        self.lost.append(&mut next.lost);
        self.depth.iter_mut().zip(&mut next.depth).for_each(|(a, b)| a.append(b));
    }
}

/// All ways to give the men of the file their places on the hyperboard (pieces
/// in order, then kings): like men in every order.
fn arrangements(layout: &Layout, board: &Hyperboard) -> Vec<Vec<usize>> {
    let mut slots = board.pieces_in_order();
    slots.extend(Color::BOTH.map(|color| Man::new(color, Role::King)));
    let mut found: Vec<Vec<usize>> = vec![Vec::new()];
    for man in &layout.men {
        let extend = |places: Vec<usize>| {
            let free = (0..slots.len()).filter(|i| slots[*i] == *man && !places.contains(i));
            free.map(|i| [&places[..], &[i]].concat()).collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(extend).collect();
    }
    found
}

/// Fills the values of one hyperboard from blocks.
struct Loader<'a> {
    file: &'a TableFile,
    board: &'a Hyperboard,
    metric: usize,
    /// Number of pieces of the hyperboard, kings left out.
    pieces: usize,
    arrangements: Vec<Vec<usize>>,
}

impl Loader<'_> {
    fn layout(&self) -> &Layout {
        &self.file.shared.meta.layout
    }

    /// The address of pieces in the hyperboard's order, then kings.
    #[inline]
    fn address(&self, class: usize, placed: &[Square; 10]) -> Index {
        let (board, pieces) = (self.board, self.pieces);
        match board.king_axis() {
            KingAxis::Pairs => board.index_of(class, &placed[..pieces]),
            KingAxis::Tile => Index {
                tile: board.tile_at(0, &placed[..pieces]),
                row: placed[pieces],
                column: placed[pieces + 1],
            },
        }
    }

    /// The addresses of a cell: like men in every order, mirror images.
    fn addresses(&self, class: usize, squares: [Square; 8]) -> impl Iterator<Item = Index> + '_ {
        let board = self.board;
        let mirror = match board.king_axis() {
            KingAxis::Pairs => {
                let (white, black) = molien_hyper::king_pair_squares(class);
                let diagonal = |s: Square| s.file() == s.rank();
                (diagonal(white) && diagonal(black)).then_some(Symmetry::DIAGONAL)
            }
            KingAxis::Tile => Color::BOTH
                .into_iter()
                .all(|color| Symmetry::MIRROR.bitboard(board.pawns(color)) == board.pawns(color))
                .then_some(Symmetry::MIRROR),
        };
        let symmetries = std::iter::once(Symmetry::IDENTITY).chain(mirror);
        symmetries.flat_map(move |symmetry| {
            self.arrangements.iter().map(move |places| {
                let mut placed = [Square::new(0); 10];
                for (&place, square) in places.iter().zip(squares) {
                    placed[place] = symmetry.square(square);
                }
                self.address(class, &placed)
            })
        })
    }

    /// The values of the hyperboard tiles that come from some of the file's
    /// blocks, given with their part's first block.
    fn stretch(
        &self,
        part: usize,
        tiles: Range<usize>,
        hyper_tiles: Range<usize>,
    ) -> Result<[Stretch; 2], TableError> {
        let layout = self.layout();
        let mut values = [Stretch::new(hyper_tiles.len()), Stretch::new(hyper_tiles.len())];
        let per_block = layout.tiles_per_block;
        for number in tiles.start / per_block..tiles.end.div_ceil(per_block) {
            let block = self.file.read_block(part * layout.blocks_per_part() + number)?;
            let shared = &self.file.shared;
            let mut fill = |turn: Color| -> Result<(), Malformed> {
                for &cell in block.shape.cells(turn) {
                    let cell = usize::from(cell);
                    let outcome = block.outcome(shared, turn, cell)?;
                    if outcome != WIN && outcome != LOSS {
                        continue;
                    }
                    let plies = match shared.meta.metrics[self.metric].coding.stored {
                        true => block.depth(shared, self.metric, turn, cell)?,
                        false => 0,
                    };
                    let tile = number * per_block + cell / layout.tile_cells();
                    let (class, squares) = layout.squares(tile, cell % layout.tile_cells());
                    for mut at in self.addresses(class, squares) {
                        at.tile -= hyper_tiles.start;
                        values[turn.index()].set(at, outcome == WIN, plies);
                    }
                }
                Ok(())
            };
            let filled = Color::BOTH.into_iter().try_for_each(&mut fill);
            filled.map_err(|Malformed(why)| self.file.malformed(number, why))?;
        }
        Ok(values)
    }

    /// The hyperboard in stretches that no block crosses.
    fn stretches(&self, part: usize) -> Result<[Stretch; 2], TableError> {
        let layout = self.layout();
        let classes = if self.board.king_axis() == KingAxis::Pairs { KING_PAIRS } else { 1 };
        let (file_tiles, board_tiles) =
            (layout.tiles_per_part() / classes, self.board.tiles() / classes);
        let step = (layout.tiles_per_block / file_tiles).max(1);
        let starts: Vec<usize> = (0..classes).step_by(step).collect();
        let read = |&first: &usize| {
            let range = first..(first + step).min(classes);
            let times = |tiles: usize| range.start * tiles..range.end * tiles;
            self.stretch(part, times(file_tiles), times(board_tiles))
        };
        let found = starts.par_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut all = <[Stretch; 2]>::default();
        for [white, black] in found {
            all[0].append(white);
            all[1].append(black);
        }
        Ok(all)
    }
}

impl TableFile {
    /// Reads all values in one metric into memory, as the solver holds them.
    ///
    /// # Errors
    /// If the metric is not stored or a block is damaged.
    pub fn load(&self, metric: Metric) -> Result<Table, TableError> {
        let place = self.find(metric)?;
        let material = self.material();
        let metric = if material.has_pawns() { metric } else { metric.without_pawns() };
        let placements = self.shared.meta.layout.placements.clone();
        let part = |(number, pawns): (usize, &molien_solve::Placement)| {
            let board = match material.has_pawns() {
                true => Hyperboard::around_pawns(material, pawns.bitboards()),
                false => Hyperboard::pieces(material),
            };
            self.load_part(number, board, place).map(Arc::new)
        };
        let parts = placements.par_iter().enumerate().map(part).collect::<Result<Vec<_>, _>>()?;
        Ok(Table { material, metric, parts, stats: self.stats(metric)? })
    }

    fn load_part(
        &self,
        number: usize,
        board: Hyperboard,
        metric: usize,
    ) -> Result<SubGame, TableError> {
        let arrangements = arrangements(&self.shared.meta.layout, &board);
        let pieces = board.pieces_in_order().len();
        let loader = Loader { file: self, board: &board, metric, pieces, arrangements };
        let backend = fastest();
        let stretches = loader.stretches(number)?;
        let legal = Color::BOTH.map(|turn| legal_tiles(backend, &board, turn));
        let graded = |(side, stretch): (Color, Stretch)| Graded {
            legal: legal[side.index()].clone(),
            won: stretch.won,
            lost: stretch.lost,
            depth: stretch.depth,
            stalemate: Vec::new(),
        };
        let [white, black] = stretches;
        let mut values = [graded((Color::White, white)), graded((Color::Black, black))];
        if board.king_axis() == KingAxis::Tile {
            for side in Color::BOTH {
                // As the solver: only where the other side can win at all.
                if board.material().side_len(!side) > 1 {
                    let stalemate = stalemates(backend, &board, side, &values);
                    values[side.index()].stalemate = stalemate;
                }
            }
        }
        Ok(SubGame { board, values })
    }
}

fn legal_tiles(backend: &dyn Backend, board: &Hyperboard, turn: Color) -> Vec<Tile> {
    let tile = |number| board.cell(number).map_or(Tile::EMPTY, |c| backend.legal(board, turn, &c));
    (0..board.tiles()).into_par_iter().with_min_len(16).map(tile).collect()
}

/// The drawn positions in which a side has no legal move.
fn stalemates(
    backend: &dyn Backend,
    board: &Hyperboard,
    side: Color,
    values: &[Graded; 2],
) -> Vec<Tile> {
    let own = &values[side.index()];
    let after = Plane::from_tiles(values[side.other().index()].legal.clone());
    let tile = |number: usize| {
        let Some(cell) = board.cell(number) else { return Tile::EMPTY };
        let drawn = own.legal[number].minus(&own.won[number]).minus(&own.lost[number]);
        let stuck = drawn.minus(&backend.quiet(board, side, &after, &cell));
        let mut found = Tile::EMPTY;
        for (row, column) in stuck.pairs() {
            let position = board.decode(Index { tile: number, row, column }, side);
            if position.is_some_and(|p| p.legal_moves().is_empty()) {
                found.insert(row, column);
            }
        }
        found
    };
    (0..board.tiles()).into_par_iter().with_min_len(16).map(tile).collect()
}
