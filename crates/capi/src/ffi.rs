//! The functions and types that C sees.
#![expect(unsafe_code, reason = "C hands in pointers")]
#![expect(non_camel_case_types, reason = "the names of C")]

use std::ffi::{CStr, c_char, c_int};
use std::path::PathBuf;

use molien_board::{Bitboard, Color, Man, Material, Position, Role, Setup, Square};
use molien_values::{Category, Metric, Value};

use crate::{Failed, Tables};

/// An open folder of tables.
pub struct molien_tables(Tables);

/// Plies to mate.
pub const MOLIEN_DTM: c_int = 0;
/// Plies to a capture, a promotion or mate.
pub const MOLIEN_DTC: c_int = 1;
/// Plies to a capture, a pawn move or mate, without the 50-move rule.
pub const MOLIEN_DTZ: c_int = 2;
/// The same with the 50-move rule, as Syzygy counts it.
pub const MOLIEN_DTZ50: c_int = 3;
/// Plies to mate under the 50-move rule.
pub const MOLIEN_DTM50: c_int = 4;
/// No plies: the classes under the 50-move rule.
pub const MOLIEN_WDL: c_int = 5;

/// It worked.
pub const MOLIEN_OK: c_int = 0;
/// The position is not legal, or a text cannot be read.
pub const MOLIEN_ILLEGAL: c_int = 1;
/// The table, or the metric in it, is not there.
pub const MOLIEN_MISSING: c_int = 2;
/// The file of the table is damaged or cannot be read.
pub const MOLIEN_DAMAGED: c_int = 3;
/// A pointer is null, or there is no such metric.
pub const MOLIEN_INVALID: c_int = 4;
/// The file holds the depths of one side to move: it can be probed, not loaded.
pub const MOLIEN_ONE_SIDED: c_int = 5;

/// The side to move loses.
pub const MOLIEN_LOSS: c_int = -2;
/// It would lose, but it is a draw by the 50-move rule.
pub const MOLIEN_BLESSED_LOSS: c_int = -1;
/// A draw.
pub const MOLIEN_DRAW: c_int = 0;
/// It would win, but it is a draw by the 50-move rule.
pub const MOLIEN_CURSED_WIN: c_int = 1;
/// The side to move wins.
pub const MOLIEN_WIN: c_int = 2;

/// A position: sets of squares, bit 0 for a1, bit 1 for b1, bit 63 for h8.
/// Castling rights are outside the tables.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct molien_position {
    /// White's men.
    pub white: u64,
    /// Black's men.
    pub black: u64,
    /// The kings of both sides.
    pub kings: u64,
    /// The queens of both sides.
    pub queens: u64,
    /// The rooks of both sides.
    pub rooks: u64,
    /// The bishops of both sides.
    pub bishops: u64,
    /// The knights of both sides.
    pub knights: u64,
    /// The pawns of both sides.
    pub pawns: u64,
    /// The square behind a pawn that has just made a double step, 0 for none. It
    /// does no harm where no capture is possible.
    pub en_passant: u8,
    /// Not 0 if Black is to move.
    pub black_to_move: u8,
}

/// The value of a position in one metric, for the side to move.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct molien_value {
    /// 1 for a win, 0 for a draw, -1 for a loss.
    pub outcome: i32,
    /// How far it is, never negative; 0 for a draw and for mated.
    pub plies: i32,
}

fn metric_of(number: c_int) -> Option<Metric> {
    Some(match number {
        MOLIEN_DTM => Metric::Dtm,
        MOLIEN_DTC => Metric::Dtc,
        MOLIEN_DTZ => Metric::Dtz,
        MOLIEN_DTZ50 => Metric::Dtz50,
        MOLIEN_DTM50 => Metric::Dtm50,
        MOLIEN_WDL => Metric::Wdl,
        _ => return None,
    })
}

fn status(why: Failed) -> c_int {
    match why {
        Failed::Missing => MOLIEN_MISSING,
        Failed::Damaged => MOLIEN_DAMAGED,
        Failed::OneSided => MOLIEN_ONE_SIDED,
    }
}

impl molien_position {
    fn by_role(&self) -> [(Role, u64); 6] {
        [
            (Role::King, self.kings),
            (Role::Queen, self.queens),
            (Role::Rook, self.rooks),
            (Role::Bishop, self.bishops),
            (Role::Knight, self.knights),
            (Role::Pawn, self.pawns),
        ]
    }

    /// The legal position it stands for.
    fn read(&self) -> Option<Position> {
        let all = self.by_role().iter().fold(0, |all, (_, squares)| all | squares);
        if all != self.white | self.black || self.white & self.black != 0 {
            return None;
        }
        let man = |role: Role, square: Square| {
            let is_white = Bitboard(self.white).contains(square);
            (Man::new(if is_white { Color::White } else { Color::Black }, role), square)
        };
        let men = self.by_role().into_iter();
        let men = men.flat_map(|(role, squares)| {
            Bitboard(squares).into_iter().map(move |square| man(role, square))
        });
        let turn = if self.black_to_move == 0 { Color::White } else { Color::Black };
        let position = Position::new(men, turn).ok()?;
        match self.en_passant {
            0 => Some(position),
            square @ 1..=63 => {
                let square = Square::new(usize::from(square));
                Some(position.with_en_passant(square).unwrap_or(position))
            }
            _ => None,
        }
    }
}

impl From<&Position> for molien_position {
    fn from(position: &Position) -> molien_position {
        let of = |role| {
            let sides = Color::BOTH.map(|color| position.of(Man::new(color, role)).0);
            sides[0] | sides[1]
        };
        molien_position {
            white: position.side(Color::White).0,
            black: position.side(Color::Black).0,
            kings: of(Role::King),
            queens: of(Role::Queen),
            rooks: of(Role::Rook),
            bishops: of(Role::Bishop),
            knights: of(Role::Knight),
            pawns: of(Role::Pawn),
            en_passant: position.en_passant().map_or(0, |square| square.index() as u8),
            black_to_move: u8::from(position.turn() == Color::Black),
        }
    }
}

/// The text that a caller hands in.
///
/// # Safety
/// `text` is null or a string that ends in a zero byte.
unsafe fn text<'a>(text: *const c_char) -> Option<&'a str> {
    if text.is_null() {
        return None;
    }
    // SAFETY: the pointer is not null, and the caller says that it is a string.
    unsafe { CStr::from_ptr(text) }.to_str().ok()
}

/// Opens a folder of tables. Returns null if `folder` is not a text in UTF-8. A
/// folder that is not there is an empty one.
///
/// # Safety
/// `folder` is null or a string that ends in a zero byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molien_open(folder: *const c_char) -> *mut molien_tables {
    // SAFETY: the caller keeps the promise above.
    match unsafe { text(folder) } {
        Some(folder) => Box::into_raw(Box::new(molien_tables(Tables::new(PathBuf::from(folder))))),
        None => std::ptr::null_mut(),
    }
}

/// Closes a folder. No other function may use it any more, in any thread.
/// Closing null does nothing.
///
/// # Safety
/// `tables` is null or comes from `molien_open`, and was not closed before.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molien_close(tables: *mut molien_tables) {
    if !tables.is_null() {
        // SAFETY: `molien_open` made it with `Box::into_raw`, and it is given back
        // once.
        drop(unsafe { Box::from_raw(tables) });
    }
}

/// Brings the whole table of a material such as `KRPKR` into memory in one
/// metric. Probing it then never allocates.
///
/// # Safety
/// `tables` is null or open; `material` is null or a string that ends in a zero
/// byte.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molien_load(
    tables: *const molien_tables,
    material: *const c_char,
    metric: c_int,
) -> c_int {
    // SAFETY: `tables` is null or comes from `molien_open`; only `molien_close`,
    // which no thread may call meanwhile, takes it away.
    let (Some(tables), Some(metric)) = (unsafe { tables.as_ref() }, metric_of(metric)) else {
        return MOLIEN_INVALID;
    };
    // SAFETY: the caller keeps the promise above.
    let Some(material) = (unsafe { text(material) }) else { return MOLIEN_INVALID };
    match material.parse::<Material>() {
        Err(_) => MOLIEN_ILLEGAL,
        Ok(material) => tables.0.load(material, metric).map_or_else(status, |()| MOLIEN_OK),
    }
}

/// The value of a position in a metric, in `value`.
///
/// # Safety
/// `tables` is null or open; `position` and `value` are null or point to such.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molien_probe(
    tables: *const molien_tables,
    position: *const molien_position,
    metric: c_int,
    value: *mut molien_value,
) -> c_int {
    // SAFETY: each pointer is null or points to what its type says; nobody writes
    // to them meanwhile, since the caller shares nothing with another call.
    let handed = unsafe { (tables.as_ref(), position.as_ref(), value.as_mut()) };
    let ((Some(tables), Some(position), Some(value)), Some(metric)) = (handed, metric_of(metric))
    else {
        return MOLIEN_INVALID;
    };
    let Some(position) = position.read() else { return MOLIEN_ILLEGAL };
    match tables.0.value(&position, metric) {
        Err(why) => status(why),
        Ok(found) => {
            let (outcome, plies) = match found {
                Value::Win(plies) => (1, plies),
                Value::Draw => (0, 0),
                Value::Loss(plies) => (-1, plies),
            };
            *value = molien_value { outcome, plies: i32::from(plies) };
            MOLIEN_OK
        }
    }
}

/// The class of a position under the 50-move rule, its count at zero, in `wdl`:
/// one of `MOLIEN_LOSS` to `MOLIEN_WIN`. Asks the table in DTZ50, or the classes
/// where only they are stored.
///
/// # Safety
/// `tables` is null or open; `position` and `wdl` are null or point to such.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molien_probe_wdl(
    tables: *const molien_tables,
    position: *const molien_position,
    wdl: *mut c_int,
) -> c_int {
    // SAFETY: as in `molien_probe`.
    let handed = unsafe { (tables.as_ref(), position.as_ref(), wdl.as_mut()) };
    let (Some(tables), Some(position), Some(wdl)) = handed else { return MOLIEN_INVALID };
    let Some(position) = position.read() else { return MOLIEN_ILLEGAL };
    match tables.0.value(&position, Metric::Wdl) {
        Err(why) => status(why),
        Ok(value) => {
            *wdl = match Category::of(value) {
                Category::Win | Category::MaybeWin => MOLIEN_WIN,
                Category::CursedWin => MOLIEN_CURSED_WIN,
                Category::Draw => MOLIEN_DRAW,
                Category::BlessedLoss => MOLIEN_BLESSED_LOSS,
                Category::Loss | Category::MaybeLoss => MOLIEN_LOSS,
            };
            MOLIEN_OK
        }
    }
}

/// Reads a FEN. Counts of moves are left out.
///
/// # Safety
/// `fen` is null or a string that ends in a zero byte; `position` is null or
/// points to a position.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn molien_read_fen(
    fen: *const c_char,
    position: *mut molien_position,
) -> c_int {
    // SAFETY: the caller keeps the promise above.
    let (Some(fen), Some(position)) = (unsafe { text(fen) }, unsafe { position.as_mut() }) else {
        return MOLIEN_INVALID;
    };
    match fen.parse::<Setup>() {
        Err(_) => MOLIEN_ILLEGAL,
        Ok(setup) => {
            *position = molien_position::from(&setup.position);
            MOLIEN_OK
        }
    }
}

/// What a number that a function returned means, in a few words. The text lives
/// as long as the program.
#[unsafe(no_mangle)]
pub extern "C" fn molien_status_text(status: c_int) -> *const c_char {
    let text = match status {
        MOLIEN_OK => c"done",
        MOLIEN_ILLEGAL => c"the position is not legal, or a text cannot be read",
        MOLIEN_MISSING => c"the table, or the metric in it, is not there",
        MOLIEN_DAMAGED => c"the file of the table is damaged or cannot be read",
        MOLIEN_INVALID => c"a pointer is null, or there is no such metric",
        MOLIEN_ONE_SIDED => {
            c"the table holds the depths of one side to move: probe it without loading"
        }
        _ => c"no status of this library",
    };
    text.as_ptr()
}
