//! The operators on whole tiles. Nothing here is processor specific: the code
//! is written so that the compiler turns eight words into one vector register,
//! and `arch` compiles it once per instruction set.

use molien_board::{Bitboard, Color, Role, Square, Symmetry, attacks};
use molien_hyper::{Cell, Hyperboard, KingAxis, MAX_OUTER, Plane, Tile, king_pair};

use crate::backend::valid;

/// The eight words of one rank of row squares.
type Lanes = [u64; 8];

#[inline(always)]
fn or(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|i| a[i] | b[i])
}

#[inline(always)]
fn and(a: Lanes, b: Lanes) -> Lanes {
    std::array::from_fn(|i| a[i] & b[i])
}

/// Lane i takes lane i + N: what is found `N` files to the right. Lanes from
/// beyond the edge are empty.
#[inline(always)]
fn from_right<const N: usize>(a: Lanes) -> Lanes {
    std::array::from_fn(|i| if i + N < 8 { a[i + N] } else { 0 })
}

/// Lane i takes lane i - N.
#[inline(always)]
fn from_left<const N: usize>(a: Lanes) -> Lanes {
    std::array::from_fn(|i| if i >= N { a[i - N] } else { 0 })
}

#[inline(always)]
fn same(a: Lanes) -> Lanes {
    a
}

/// Quiet moves: see [`crate::Backend::quiet`].
#[inline(always)]
pub(crate) fn quiet(board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell) -> Tile {
    let valid = valid(board, cell);
    let mut out = Tile::EMPTY;
    let own = &plane.tiles[cell.tile];
    if plane.live[cell.tile] {
        if let Some(man) = board.row().filter(|man| man.color == side) {
            row_man(man.role, own, &valid, &mut out);
        }
        if let Some(man) = board.column().filter(|man| man.color == side) {
            column_man(man.role, own, &valid, &mut out);
        }
    }
    for (i, man) in board.outer().iter().enumerate() {
        if man.color == side {
            outer_man(board, i, man.role, plane, cell, &mut out);
        }
    }
    if board.king_axis() == KingAxis::Pairs {
        outer_king(board, side, plane, cell, &mut out);
    }
    out.and(&valid)
}

/// Moves of an outer man: whole tiles, each masked by the squares of the ray
/// on which the row or column man would block.
#[inline(always)]
fn outer_man(
    board: &Hyperboard,
    man: usize,
    role: Role,
    plane: &Plane,
    cell: &Cell,
    out: &mut Tile,
) {
    let from = cell.squares[man];
    if !role.is_slider() {
        for to in attacks::attacks(role, from, Bitboard::EMPTY) - cell.occupied {
            let source = board.tile_with(cell, man, to);
            if plane.live[source] {
                out.add(&plane.tiles[source]);
            }
        }
        return;
    }
    for direction in attacks::ray_directions(role) {
        let ray = attacks::ray_squares(direction, from);
        let free = ray.iter().take_while(|&&to| !cell.occupied.contains(to)).count();
        // From the far end inwards: what is beyond a square is cut off where
        // the row or column man stands on it.
        let mut beyond = Tile::EMPTY;
        let mut any = false;
        for &to in ray[..free].iter().rev() {
            let source = board.tile_with(cell, man, to);
            let live = plane.live[source];
            if !(live || any) {
                continue;
            }
            any = true;
            let mask = !Bitboard::from_square(to).0;
            let source = &plane.tiles[source];
            for rank in 0..8 {
                for file in 0..8 {
                    beyond.0[rank][file] = (beyond.0[rank][file] | source.0[rank][file]) & mask;
                }
            }
            if board.row().is_some() {
                *beyond.row_mut(to) = 0;
            }
        }
        if any {
            out.add(&beyond);
        }
    }
}

/// King moves where the kings are outer coordinates: the tile comes back
/// through the symmetry that returns the pair to its class.
#[inline(always)]
fn outer_king(board: &Hyperboard, side: Color, plane: &Plane, cell: &Cell, out: &mut Tile) {
    let Some((white, black)) = cell.kings else { return };
    let from = if side == Color::White { white } else { black };
    let outer = board.outer().len();
    for to in attacks::king(from) - cell.occupied {
        let kings = if side == Color::White { (to, black) } else { (white, to) };
        let Some(pair) = king_pair(kings.0, kings.1) else { continue };
        let mut squares = [Square::new(0); MAX_OUTER];
        for i in 0..outer {
            squares[i] = pair.symmetry.square(cell.squares[i]);
        }
        let source = board.tile_at(pair.class, &squares[..outer]);
        if !plane.live[source] {
            continue;
        }
        let (rows, columns) = (board.row().is_some(), board.column().is_some());
        if pair.symmetry == Symmetry::IDENTITY {
            out.add(&plane.tiles[source]);
        } else {
            out.add(&back_through(pair.symmetry, &plane.tiles[source], rows, columns));
        }
    }
}

/// The tile in the frame before the symmetry was applied.
#[inline(always)]
fn back_through(symmetry: Symmetry, tile: &Tile, rows: bool, columns: bool) -> Tile {
    let mut out = Tile::EMPTY;
    for i in 0..64 {
        let row = Square::new(i);
        out.0[i >> 3][i & 7] = tile.row(if rows { symmetry.square(row) } else { row });
    }
    if columns {
        let back = symmetry.inverse();
        for word in out.0.as_flattened_mut() {
            *word = back.bitboard(Bitboard(*word)).0;
        }
    }
    out
}

/// Moves of the row man: fills across the words.
#[inline(always)]
fn row_man(role: Role, set: &Tile, valid: &Tile, out: &mut Tile) {
    match role {
        Role::Queen => {
            row_rook(set, valid, out);
            row_bishop(set, valid, out);
        }
        Role::Rook => row_rook(set, valid, out),
        Role::Bishop => row_bishop(set, valid, out),
        Role::Knight => row_knight(set, out),
        Role::King => row_king(set, out),
        Role::Pawn => {}
    }
}

/// One direction with a rank component: a scan over the eight ranks. `step`
/// moves the carried set sideways (or not).
#[inline(always)]
fn scan(
    ranks: impl Iterator<Item = usize>,
    step: impl Fn(Lanes) -> Lanes,
    set: &Tile,
    valid: &Tile,
    out: &mut Tile,
) {
    let mut carried = [0; 8];
    for rank in ranks {
        carried = and(step(carried), valid.0[rank]);
        out.0[rank] = or(out.0[rank], carried);
        carried = or(carried, set.0[rank]);
    }
}

#[inline(always)]
fn row_rook(set: &Tile, valid: &Tile, out: &mut Tile) {
    scan(0..8, same, set, valid, out);
    scan((0..8).rev(), same, set, valid, out);
    for rank in 0..8 {
        let (s, v) = (set.0[rank], valid.0[rank]);
        // Kogge-Stone: three doublings reach seven squares.
        let mut g = s;
        let mut p = v;
        g = or(g, and(p, from_left::<1>(g)));
        p = and(p, from_left::<1>(p));
        g = or(g, and(p, from_left::<2>(g)));
        p = and(p, from_left::<2>(p));
        g = or(g, and(p, from_left::<4>(g)));
        let rightward = from_left::<1>(g);
        let mut g = s;
        let mut p = v;
        g = or(g, and(p, from_right::<1>(g)));
        p = and(p, from_right::<1>(p));
        g = or(g, and(p, from_right::<2>(g)));
        p = and(p, from_right::<2>(p));
        g = or(g, and(p, from_right::<4>(g)));
        let leftward = from_right::<1>(g);
        out.0[rank] = or(out.0[rank], and(v, or(rightward, leftward)));
    }
}

#[inline(always)]
fn row_bishop(set: &Tile, valid: &Tile, out: &mut Tile) {
    scan(0..8, from_left::<1>, set, valid, out);
    scan(0..8, from_right::<1>, set, valid, out);
    scan((0..8).rev(), from_left::<1>, set, valid, out);
    scan((0..8).rev(), from_right::<1>, set, valid, out);
}

#[inline(always)]
fn row_knight(set: &Tile, out: &mut Tile) {
    for rank in 0..8usize {
        let s = set.0[rank];
        let one = or(from_left::<1>(s), from_right::<1>(s));
        let two = or(from_left::<2>(s), from_right::<2>(s));
        for (distance, lanes) in [(2, one), (1, two)] {
            if rank >= distance {
                out.0[rank - distance] = or(out.0[rank - distance], lanes);
            }
            if rank + distance < 8 {
                out.0[rank + distance] = or(out.0[rank + distance], lanes);
            }
        }
    }
}

#[inline(always)]
fn row_king(set: &Tile, out: &mut Tile) {
    for rank in 0..8usize {
        let s = set.0[rank];
        let sides = or(from_left::<1>(s), from_right::<1>(s));
        let three = or(s, sides);
        out.0[rank] = or(out.0[rank], sides);
        if rank > 0 {
            out.0[rank - 1] = or(out.0[rank - 1], three);
        }
        if rank < 7 {
            out.0[rank + 1] = or(out.0[rank + 1], three);
        }
    }
}

const NOT_A: u64 = !Bitboard::FILE_A.0;
const NOT_H: u64 = !(Bitboard::FILE_A.0 << 7);
const NOT_AB: u64 = NOT_A & !(Bitboard::FILE_A.0 << 1);
const NOT_GH: u64 = NOT_H & !(Bitboard::FILE_A.0 << 6);

/// Eight words at a time, so that every step is one vector instruction.
#[inline(always)]
fn each(a: Lanes, f: impl Fn(u64) -> u64) -> Lanes {
    [f(a[0]), f(a[1]), f(a[2]), f(a[3]), f(a[4]), f(a[5]), f(a[6]), f(a[7])]
}

#[inline(always)]
fn up<const STEP: u32>(a: Lanes) -> Lanes {
    each(a, |word| word << STEP)
}

#[inline(always)]
fn down<const STEP: u32>(a: Lanes) -> Lanes {
    each(a, |word| word >> STEP)
}

#[inline(always)]
fn only(a: Lanes, mask: u64) -> Lanes {
    each(a, |word| word & mask)
}

/// Fills within the words in one direction, by Kogge-Stone: three doublings
/// reach seven squares. `mask` removes the file a step would wrap to.
macro_rules! fill {
    ($name:ident, $step:ident) => {
        #[inline(always)]
        fn $name<const ONE: u32, const TWO: u32, const FOUR: u32>(
            set: Lanes,
            empty: Lanes,
            mask: u64,
        ) -> Lanes {
            let mut p = only(empty, mask);
            let mut g = set;
            g = or(g, and(p, $step::<ONE>(g)));
            p = and(p, $step::<ONE>(p));
            g = or(g, and(p, $step::<TWO>(g)));
            p = and(p, $step::<TWO>(p));
            g = or(g, and(p, $step::<FOUR>(g)));
            and(only($step::<ONE>(g), mask), empty)
        }
    };
}

fill!(fill_up, up);
fill!(fill_down, down);

#[inline(always)]
fn word_rook(set: Lanes, empty: Lanes) -> Lanes {
    let vertical = or(fill_up::<8, 16, 32>(set, empty, !0), fill_down::<8, 16, 32>(set, empty, !0));
    let right = fill_up::<1, 2, 4>(set, empty, NOT_A);
    let left = fill_down::<1, 2, 4>(set, empty, NOT_H);
    or(vertical, or(right, left))
}

#[inline(always)]
fn word_bishop(set: Lanes, empty: Lanes) -> Lanes {
    let rising =
        or(fill_up::<9, 18, 36>(set, empty, NOT_A), fill_down::<9, 18, 36>(set, empty, NOT_H));
    let falling =
        or(fill_up::<7, 14, 28>(set, empty, NOT_H), fill_down::<7, 14, 28>(set, empty, NOT_A));
    or(rising, falling)
}

#[inline(always)]
fn word_queen(set: Lanes, empty: Lanes) -> Lanes {
    or(word_rook(set, empty), word_bishop(set, empty))
}

#[inline(always)]
fn word_knight(set: Lanes, _empty: Lanes) -> Lanes {
    let one = or(only(up::<1>(set), NOT_A), only(down::<1>(set), NOT_H));
    let two = or(only(up::<2>(set), NOT_AB), only(down::<2>(set), NOT_GH));
    or(or(up::<16>(one), down::<16>(one)), or(up::<8>(two), down::<8>(two)))
}

#[inline(always)]
fn word_king(set: Lanes, _empty: Lanes) -> Lanes {
    let sides = or(only(up::<1>(set), NOT_A), only(down::<1>(set), NOT_H));
    let three = or(set, sides);
    or(sides, or(up::<8>(three), down::<8>(three)))
}

/// Moves of the column man: fills within each word.
#[inline(always)]
fn column_man(role: Role, set: &Tile, valid: &Tile, out: &mut Tile) {
    match role {
        Role::Queen => each_rank(set, valid, out, word_queen),
        Role::Rook => each_rank(set, valid, out, word_rook),
        Role::Bishop => each_rank(set, valid, out, word_bishop),
        Role::Knight => each_rank(set, valid, out, word_knight),
        Role::King => each_rank(set, valid, out, word_king),
        Role::Pawn => {}
    }
}

#[inline(always)]
fn each_rank(set: &Tile, valid: &Tile, out: &mut Tile, f: impl Fn(Lanes, Lanes) -> Lanes) {
    for rank in 0..8 {
        out.0[rank] = or(out.0[rank], f(set.0[rank], valid.0[rank]));
    }
}

/// Checks: see [`crate::Backend::in_check`].
#[inline(always)]
pub(crate) fn in_check(board: &Hyperboard, color: Color, cell: &Cell) -> Tile {
    let attacked = match cell.kings {
        Some((white, black)) => attacks_on_square(
            board,
            !color,
            cell,
            if color == Color::White { white } else { black },
        ),
        None if color == Color::White => attacks_on_row_king(board, cell),
        None => attacks_on_column_king(board, cell),
    };
    attacked.and(&valid(board, cell))
}

/// Positions in which a man of `by` attacks a fixed square.
#[inline(always)]
fn attacks_on_square(board: &Hyperboard, by: Color, cell: &Cell, target: Square) -> Tile {
    let occupied = cell.occupied;
    let mut out = Tile::EMPTY;
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == by) {
        let from = cell.squares[i];
        if attacks::attacks(man.role, from, occupied).contains(target) {
            let path =
                if man.role.is_slider() { attacks::between(from, target) } else { Bitboard::EMPTY };
            let rows = if board.row().is_some() { path } else { Bitboard::EMPTY };
            out.add(&Tile::from_rows(|row| if rows.contains(row) { 0 } else { !path.0 }));
        }
    }
    if let Some(man) = board.row().filter(|man| man.color == by) {
        for row in attacks::attacks(man.role, target, occupied) {
            let path =
                if man.role.is_slider() { attacks::between(row, target) } else { Bitboard::EMPTY };
            *out.row_mut(row) |= !path.0;
        }
    }
    if let Some(man) = board.column().filter(|man| man.color == by) {
        out.add(&Tile::from_rows(|row| {
            let blocker =
                if board.row().is_some() { Bitboard::from_square(row) } else { Bitboard::EMPTY };
            attacks::attacks(man.role, target, occupied | blocker).0
        }));
    }
    out
}

/// Positions in which Black attacks the white king, the row man.
#[inline(always)]
fn attacks_on_row_king(board: &Hyperboard, cell: &Cell) -> Tile {
    let mut out = Tile::EMPTY;
    for pawn in board.pawns(Color::Black) {
        for row in attacks::pawn(Color::Black, pawn) {
            *out.row_mut(row) = !0;
        }
    }
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == Color::Black) {
        let from = cell.squares[i];
        for row in attacks::attacks(man.role, from, cell.occupied) {
            let path =
                if man.role.is_slider() { attacks::between(from, row) } else { Bitboard::EMPTY };
            *out.row_mut(row) |= !path.0;
        }
    }
    out
}

/// Positions in which White attacks the black king, the column man.
#[inline(always)]
fn attacks_on_column_king(board: &Hyperboard, cell: &Cell) -> Tile {
    let by_pawns = board
        .pawns(Color::White)
        .into_iter()
        .fold(Bitboard::EMPTY, |set, pawn| set | attacks::pawn(Color::White, pawn));
    let mut out = Tile::from_rows(|_| by_pawns.0);
    for (i, man) in board.outer().iter().enumerate().filter(|(_, man)| man.color == Color::White) {
        out.add(&Tile::from_rows(|row| {
            let occupied = cell.occupied | Bitboard::from_square(row);
            attacks::attacks(man.role, cell.squares[i], occupied).0
        }));
    }
    out
}
