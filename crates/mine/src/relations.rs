//! How the men of a whole tile stand to each other: captures, attacks,
//! distances.

use molien_board::{Bitboard, Color, Man, Role, Square, attacks};
use molien_hyper::{Cell, Hyperboard, Tile};

use crate::exact::reach;
use crate::query::Target;

/// A tile row by row: `columns` is told all men but the column man and gives the
/// squares of the column man that count.
fn by_rows(
    board: &Hyperboard,
    cell: &Cell,
    columns: impl Fn(&[(Man, Square)], Option<Man>) -> u64,
) -> Tile {
    let fixed = fixed_men(board, cell);
    Tile::from_rows(|row| match board.row() {
        None if row.index() > 0 => 0,
        Some(_) if cell.occupied.contains(row) => 0,
        man => {
            let mut men = fixed.clone();
            men.extend(man.map(|man| (man, row)));
            columns(&men, board.column())
        }
    })
}

/// The men whose squares the cell gives.
fn fixed_men(board: &Hyperboard, cell: &Cell) -> Vec<(Man, Square)> {
    let mut men: Vec<(Man, Square)> = board.outer().iter().copied().zip(cell.squares).collect();
    if let Some((white, black)) = cell.kings {
        men.push((Man::new(Color::White, Role::King), white));
        men.push((Man::new(Color::Black, Role::King), black));
    }
    for color in Color::BOTH {
        let pawn = Man::new(color, Role::Pawn);
        men.extend(board.pawns(color).into_iter().map(|square| (pawn, square)));
    }
    men
}

fn squares(men: &[(Man, Square)], wanted: impl Fn(&Man) -> bool) -> Bitboard {
    men.iter().filter(|(man, _)| wanted(man)).map(|(_, square)| *square).collect()
}

/// The positions of a cell in which `side` attacks a man it could capture, if
/// its king allowed.
pub(crate) fn may_capture(board: &Hyperboard, side: Color, cell: &Cell) -> Tile {
    let capturable = |man: &Man| man.color != side && man.role != Role::King;
    by_rows(board, cell, |men, column| {
        let targets = squares(men, capturable);
        let column_is_target = column.as_ref().is_some_and(capturable);
        let of_side = men.iter().filter(|(man, _)| man.color == side);
        let own = of_side.map(|&(man, from)| hits(men, (man, from), targets, column_is_target));
        let by_column = column.filter(|man| man.color == side);
        own.fold(0, |all, found| all | found)
            | by_column.map_or(0, |man| attackers(men, man, targets))
    })
}

/// The positions of a cell in which a man of one kind attacks a man of another,
/// or a square.
pub(crate) fn attacks_tile(board: &Hyperboard, cell: &Cell, man: Man, target: Target) -> Tile {
    by_rows(board, cell, |men, column| {
        let (targets, column_is_target) = match target {
            Target::Man(wanted) => (squares(men, |m| *m == wanted), column == Some(wanted)),
            Target::Squares(squares) => (squares, false),
        };
        let kind = men.iter().filter(|(m, _)| *m == man);
        let own = kind.map(|&(man, from)| hits(men, (man, from), targets, column_is_target));
        let by_column = column.filter(|column| *column == man);
        own.fold(0, |all, found| all | found)
            | by_column.map_or(0, |man| attackers(men, man, targets))
    })
}

/// The squares of the column man for which a man attacks one of the targets, or
/// the column man itself if it is a target. The column man may stand in the
/// way.
fn hits(
    men: &[(Man, Square)],
    (man, from): (Man, Square),
    targets: Bitboard,
    column_is_target: bool,
) -> u64 {
    let reached = reach(man, from, squares(men, |_| true));
    let blocked = |target| !attacks::between(from, target).0;
    let fixed = (reached & targets).into_iter().fold(0, |found, target| found | blocked(target));
    if column_is_target { fixed | reached.0 } else { fixed }
}

/// The squares from which the column man attacks one of the targets.
fn attackers(men: &[(Man, Square)], man: Man, targets: Bitboard) -> u64 {
    // What attacks a square from afar is attacked from there, but pawns look
    // the other way.
    let back = Man::new(!man.color, man.role);
    let occupied = squares(men, |_| true);
    targets.into_iter().fold(0, |found, target| found | reach(back, target, occupied).0)
}

/// The positions of a cell in which two men of these kinds stand at most so
/// many king moves apart.
pub(crate) fn within(board: &Hyperboard, cell: &Cell, [a, b]: [Man; 2], moves: u16) -> Tile {
    by_rows(board, cell, |men, column| {
        let pairs =
            men.iter().enumerate().flat_map(|(i, x)| men[i + 1..].iter().map(move |y| (x, y)));
        let wanted = |x: Man, y: Man| (x, y) == (a, b) || (y, x) == (a, b);
        let near = |x: Square, y: Square| x.distance(y) <= i32::from(moves);
        if pairs.into_iter().any(|(x, y)| wanted(x.0, y.0) && near(x.1, y.1)) {
            return !0;
        }
        let Some(column) = column else { return 0 };
        let partners = men.iter().filter(|(man, _)| wanted(*man, column));
        partners.fold(0, |found, (_, square)| found | zone(*square, moves))
    })
}

/// The squares at most so many king moves from a square.
fn zone(square: Square, moves: u16) -> u64 {
    let near = Square::all().filter(|other| square.distance(*other) <= i32::from(moves));
    near.collect::<Bitboard>().0
}
