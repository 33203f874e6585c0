//! What a table says of every position, one byte each, in the order of its
//! hyperboards.
//!
//! A byte is a value of the sub-table to be written or says that the reader
//! does not look: such positions may hold anything that compresses well.

use molien_board::{Color, Square};
use molien_hyper::Tile;
use molien_solve::{Captures, ZeroingWins};
use molien_values::{FIFTY_MOVES_PLIES, Graded, MAX_BITS};

/// The five classes as WDL files number them, from 0, a loss, to 4, a win; a
/// code above stands for all
/// values up to that of a capture: `FREE + c` for those up to class `c`.
pub(crate) const DRAW: u8 = 2;
const WIN: u8 = 4;
pub(crate) const CLASSES: u8 = 5;
/// Added to a class: this one or any worse.
pub(crate) const FREE: u8 = 4;
/// Any value at all.
pub(crate) const ANY: u8 = FREE + WIN;

/// Bytes 0 or 1 for the bits of a byte.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// Writes 64 numbers given by their bits, a word for each bit.
fn write_bytes(bits: &[u64], out: &mut [u8; 64]) {
    for (i, out) in out.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        let mut eight = 0;
        for (bit, word) in bits.iter().enumerate() {
            eight |= SPREAD[(word >> (8 * i)) as usize & 0xff] << bit;
        }
        *out = eight.to_le_bytes();
    }
}

/// One row of values, as words.
struct Row {
    legal: u64,
    won: u64,
    lost: u64,
    /// Won or lost too late for the 50-move rule.
    late: u64,
    depth: [u64; MAX_BITS],
    bits: usize,
}

impl Row {
    fn new(values: &Graded, tile: usize, row: Square) -> Row {
        let word = |plane: &[Tile]| plane[tile].row(row);
        let mut depth = [0; MAX_BITS];
        for (word, plane) in depth.iter_mut().zip(&values.depth) {
            *word = plane[tile].row(row);
        }
        let bits = values.depth.len();
        let mut late = 0;
        for (bit, &word) in depth.iter().enumerate() {
            let limit = if FIFTY_MOVES_PLIES >> bit & 1 != 0 { !0 } else { 0 };
            late = (word & !limit) | (late & !(word ^ limit));
        }
        let (legal, won, lost) = (word(&values.legal), word(&values.won), word(&values.lost));
        Row { legal, won, lost, late, depth, bits }
    }
}

/// The classes of a tile's positions.
pub(crate) fn write_classes(
    values: &Graded,
    captures: &Captures,
    tile: usize,
    out: &mut [[u8; 64]],
) {
    for (square, out) in Square::all().zip(out) {
        let row = Row::new(values, tile, square);
        let word = |tile: &Tile| tile.row(square);
        let win = row.won & !row.late;
        let cursed = row.won & row.late;
        let draw = row.legal & !(row.won | row.lost);
        let blessed = row.lost & row.late;
        let free_win = (win & word(&captures.win)) | !row.legal;
        let free_cursed = cursed & word(&captures.cursed_win);
        let free_draw = draw & word(&captures.draw);
        let free_blessed = blessed & word(&captures.blessed_loss);
        // The codes in binary: losses are 0, free ones 5 to 8.
        let bits = [
            (cursed & !free_cursed) | (blessed & !free_blessed) | free_cursed | free_blessed,
            (cursed & !free_cursed) | (draw & !free_draw) | free_cursed | free_draw,
            (win & !free_win) | free_cursed | free_draw | free_blessed,
            free_win,
        ];
        write_bytes(&bits, out);
    }
}

/// How a decided position is lost or won: the four lists of values that a DTZ
/// file has, in its order.
pub(crate) const DECIDED: usize = 4;

/// A position's list and depth in plies: `list << LIST_SHIFT | plies`.
pub(crate) type Depth = u16;
pub(crate) const LIST_SHIFT: u32 = MAX_BITS as u32;
/// The reader does not look: nothing is decided, or a zeroing move wins.
pub(crate) const UNREAD: Depth = (DECIDED as Depth) << LIST_SHIFT;
/// One more than the largest [`Depth`].
pub(crate) const DEPTHS: usize = UNREAD as usize + 1;

/// The depths of a tile's positions.
pub(crate) fn write_depths(
    values: &Graded,
    zeroing: &ZeroingWins,
    tile: usize,
    out: &mut [[Depth; 64]],
) {
    for (square, out) in Square::all().zip(out) {
        let row = Row::new(values, tile, square);
        let won_at_once = (row.won & !row.late & zeroing.win.row(square))
            | (row.won & row.late & zeroing.cursed_win.row(square));
        let read = (row.won | row.lost) & !won_at_once;
        if read == 0 {
            *out = [UNREAD; 64];
            continue;
        }
        let (mut low, mut high) = ([0; 64], [0; 64]);
        let depth = row.depth[..row.bits].split_at(row.bits.min(8));
        write_bytes(depth.0, &mut low);
        // High bits of the depth, then the list: 0 wins, 1 losses, 2 cursed
        // wins, 3 blessed losses, 4 nothing to be read.
        let mut bits = [0; 8];
        bits[..depth.1.len()].copy_from_slice(depth.1);
        let lists = [row.lost & read, row.late & read, !read];
        bits[MAX_BITS - 8..MAX_BITS - 5].copy_from_slice(&lists);
        write_bytes(&bits[..MAX_BITS - 5], &mut high);
        for ((out, low), high) in out.iter_mut().zip(low).zip(high) {
            let depth = Depth::from(high) << 8 | Depth::from(low);
            *out = if depth >= UNREAD { UNREAD } else { depth };
        }
    }
}

/// Which side's exact plies a table needs: where a win takes just the 100
/// plies that the 50-move rule allows, one ply too many would spoil it.
pub(crate) fn needs_plies(values: &[Graded; 2], winner: Color) -> bool {
    let at_limit = |decided: &[Tile], depth: &[Vec<Tile>]| {
        (0..decided.len()).any(|tile| {
            Square::all().any(|square| {
                let word = depth.iter().enumerate().fold(!0, |word, (bit, plane)| {
                    let limit = if FIFTY_MOVES_PLIES >> bit & 1 != 0 { 0 } else { !0 };
                    word & (plane[tile].row(square) ^ limit)
                });
                decided[tile].row(square) & word != 0
            })
        })
    };
    let enough = |side: &Graded| FIFTY_MOVES_PLIES >> side.depth.len() == 0;
    let (own, other) = (&values[winner.index()], &values[(!winner).index()]);
    (enough(own) && at_limit(&own.won, &own.depth))
        || (enough(other) && at_limit(&other.lost, &other.depth))
}
