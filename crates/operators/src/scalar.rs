//! The meaning of the operators: one position after the other, by the rules.

use molien_board::{Color, MoveKind, Square};
use molien_hyper::{Cell, Hyperboard, Index, Tile};

use crate::{
    Backend, Conversions, Goal, Movers, Plies, QuietMoves, Reading, Release, TileMoves, Which,
};

/// The slow, obvious implementation that all others are compared with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Scalar;

impl Backend for Scalar {
    fn name(&self) -> &'static str {
        "scalar"
    }

    fn take_by_moves(
        &self,
        moves: &QuietMoves<'_>,
        which: Which<'_>,
        open: &mut Tile,
        taken: &mut Tile,
    ) -> (u64, bool) {
        let found = filter(open, |row, column| match which {
            Which::Moving { also } => also.contains(row, column) || has_quiet(moves, row, column),
            Which::Stuck { held } => !held.contains(row, column) && !has_quiet(moves, row, column),
        });
        if !found.is_empty() {
            *taken = found;
        }
        self.take(open, &found)
    }

    fn in_check(&self, board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
        filter(&Tile::FULL, |row, column| {
            let index = Index { tile: cell.tile, row, column };
            placement(board, index, color).is_some_and(|position| position.in_check(color))
        })
    }

    fn add_moves(&self, found: &mut Conversions, moves: &TileMoves<'_>) {
        for (row, column) in Tile::FULL.pairs().filter(|&at| has_move(moves.movers, at)) {
            let values = moves.values;
            let (to_row, to_column) = read_at(moves.reading, (row, column));
            let holds = |plane: &[Tile]| plane[moves.tile].contains(to_row, to_column);
            let plies = moves.rule.plies(values.depth_at(moves.tile, to_row, to_column));
            match found.goal {
                Goal::Win if holds(&values.lost) => {
                    keep(&mut found.release, (row, column), plies, u16::min);
                }
                Goal::Hold if holds(&values.won) => {
                    keep(&mut found.release, (row, column), plies, u16::max);
                }
                Goal::Hold if holds(&values.legal) => found.escape.insert(row, column),
                Goal::Win | Goal::Hold => {}
            }
        }
    }

    fn merge_least(&self, release: &mut Release, other: &Release) {
        merge(release, other, u16::min);
    }

    fn merge_greatest(&self, release: &mut Release, other: &Release) {
        merge(release, other, u16::max);
    }

    fn release_at(&self, plies: Plies<'_>, ply: u16) -> Tile {
        filter(plies.some, |row, column| plies.ply_at(row, column) == Some(ply))
    }

    fn release_least(&self, plies: Plies<'_>, among: &Tile) -> Option<u16> {
        among.pairs().filter_map(|(row, column)| plies.ply_at(row, column)).min()
    }

    fn count(&self, tile: &Tile) -> u64 {
        tile.pairs().count() as u64
    }

    fn difference(&self, a: &Tile, b: &Tile) -> Tile {
        filter(a, |row, column| !b.contains(row, column))
    }

    fn take(&self, open: &mut Tile, decided: &Tile) -> (u64, bool) {
        *open = self.difference(open, decided);
        (self.count(decided), self.count(open) > 0)
    }

    fn toggle(&self, planes: &mut [&mut [Tile]], bits: u16, number: usize, tiles: [&Tile; 2]) {
        let [a, b] = tiles;
        for (_, plane) in planes.iter_mut().enumerate().filter(|(i, _)| bits >> i & 1 != 0) {
            let old = plane[number];
            plane[number] = filter(&Tile::FULL, |row, column| {
                let toggled = a.contains(row, column) || b.contains(row, column);
                old.contains(row, column) != toggled
            });
        }
    }

    fn transpose(&self, tile: &Tile) -> Tile {
        filter(&Tile::FULL, |row, column| tile.contains(column, row))
    }

    fn column(&self, tile: &Tile, square: Square) -> u64 {
        self.transpose(tile).row(square)
    }
}

/// The pairs of a tile that pass a test.
fn filter(tile: &Tile, test: impl Fn(Square, Square) -> bool) -> Tile {
    let mut out = Tile::EMPTY;
    let pairs = tile.pairs().filter(|&(row, column)| test(row, column));
    pairs.for_each(|(row, column)| out.insert(row, column));
    out
}

/// Whether a placement has one of the moves.
fn has_quiet(moves: &QuietMoves<'_>, row: Square, column: Square) -> bool {
    let QuietMoves { board, side, plane, cell } = *moves;
    // The operator may be asked about a placement that is illegal with this
    // side to move: it has moves like any other.
    let Some(position) = placement(board, Index { tile: cell.tile, row, column }, side) else {
        return false;
    };
    let holds = |at: Index| plane.live[at.tile] && plane.tiles[at.tile].contains(at.row, at.column);
    let mut quiet = position.pseudo_legal_moves().into_iter().filter(|m| m.kind == MoveKind::Quiet);
    quiet.any(|m| board.encode(&position.play(&m)).is_some_and(holds))
}

/// The placement of an address with kings apart, legal or not.
fn placement(board: &Hyperboard, index: Index, turn: Color) -> Option<molien_board::Position> {
    let position = molien_board::Position::placement(board.decode_men(index)?, turn)?;
    let kings = Color::BOTH.map(|color| position.king(color));
    (kings[0].distance(kings[1]) > 1).then_some(position)
}

/// Whether the position of a row and a column square has the move.
fn has_move(movers: Movers<'_>, (row, column): (Square, Square)) -> bool {
    match movers {
        Movers::Unblocked(path) => !path.contains(row) && !path.contains(column),
        Movers::Of(tile) => tile.contains(row, column),
    }
}

/// Where the position finds the value after its move.
fn read_at(reading: Reading, (row, column): (Square, Square)) -> (Square, Square) {
    match reading {
        Reading::Same => (row, column),
        Reading::Row(square) => (square, column),
        Reading::Column(square) => (row, square),
        Reading::Through { symmetry, rows, columns } => {
            let through = |moves, square| if moves { symmetry.square(square) } else { square };
            (through(rows, row), through(columns, column))
        }
    }
}

/// Takes in the plies of another release, keeping one of two.
fn merge(release: &mut Release, other: &Release, better: impl Fn(u16, u16) -> u16) {
    for (row, column) in other.some.pairs() {
        let ply = other.ply_at(row, column).unwrap_or(0);
        keep(release, (row, column), ply, &better);
    }
}

/// Takes in a ply of one position, keeping the better of old and new.
fn keep(
    release: &mut Release,
    (row, column): (Square, Square),
    ply: u16,
    better: impl Fn(u16, u16) -> u16,
) {
    let ply = release.ply_at(row, column).map_or(ply, |old| better(old, ply));
    release.some.insert(row, column);
    for (b, plane) in release.bits.iter_mut().enumerate() {
        let bit = 1 << column.index();
        let word = plane.row_mut(row);
        *word = if ply >> b & 1 != 0 { *word | bit } else { *word & !bit };
    }
}
