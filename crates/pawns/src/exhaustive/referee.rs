//! The judge: positions as another library sees them, and outside tables.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use molien_board as board;
use shakmaty::{CastlingMode, Chess, Color, FromSetup, Piece, PositionError, Role, Setup, Square};
use shakmaty_syzygy::filesystem::{Filesystem, RandomAccessFile, ReadHint};
use shakmaty_syzygy::{Tablebase, Wdl};

/// Reads every table whole when it is opened: the files are small, and the
/// tests ask millions of times.
struct InMemory;

struct Bytes(Vec<u8>);

impl Filesystem for InMemory {
    fn regular_file_size(&self, path: &Path) -> io::Result<u64> {
        Ok(std::fs::metadata(path)?.len())
    }

    fn read_dir(&self, path: &Path) -> io::Result<Vec<PathBuf>> {
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn open(&self, path: &Path) -> io::Result<Box<dyn RandomAccessFile>> {
        Ok(Box::new(Bytes(std::fs::read(path)?)))
    }
}

impl RandomAccessFile for Bytes {
    fn read_at(&self, buffer: &mut [u8], offset: u64, _: ReadHint) -> io::Result<usize> {
        let from = self.0.get(offset as usize..).unwrap_or_default();
        let count = buffer.len().min(from.len());
        buffer[..count].copy_from_slice(&from[..count]);
        Ok(count)
    }
}

pub(super) fn oracle() -> Option<Tablebase<Chess>> {
    let folder = std::env::var_os("MOLIEN_ORACLE").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/oracle"),
        PathBuf::from,
    );
    let mut tables = Tablebase::with_filesystem(Arc::new(InMemory));
    match tables.add_directory(folder.join("syzygy/regular")) {
        Ok(found) if found > 0 => Some(tables),
        _ => {
            assert!(std::env::var_os("CI").is_none(), "no oracle in {}", folder.display());
            println!("skipped: no oracle in {}", folder.display());
            None
        }
    }
}

pub(super) type Men<'a> = &'a [(Color, Role, usize)];

/// The position, if it is legal.
pub(super) fn legal(men: Men<'_>, turn: Color, ep: Option<usize>) -> Option<Chess> {
    let mut setup = Setup { turn, ..Setup::empty() };
    let mut taken = 0u64;
    for &(color, role, square) in men {
        let edge = !(8..56).contains(&square);
        if taken >> square & 1 != 0 || (role == Role::Pawn && edge) {
            return None;
        }
        taken |= 1 << square;
        setup.board.set_piece_at(Square::new(square as u32), Piece { color, role });
    }
    setup.ep_square = ep.map(|square| Square::new(square as u32));
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .ok()
}

/// 1, 0 or -1 for the side to move.
pub(super) fn truth(tables: &Tablebase<Chess>, position: &Chess) -> i8 {
    match tables.probe_wdl_after_zeroing(position).expect("a complete oracle") {
        Wdl::Win | Wdl::CursedWin => 1,
        Wdl::Draw => 0,
        Wdl::Loss | Wdl::BlessedLoss => -1,
    }
}

pub(super) const WK: (Color, Role) = (Color::White, Role::King);
pub(super) const BK: (Color, Role) = (Color::Black, Role::King);
pub(super) const WP: (Color, Role) = (Color::White, Role::Pawn);
pub(super) const BP: (Color, Role) = (Color::Black, Role::Pawn);
pub(super) const WQ: (Color, Role) = (Color::White, Role::Queen);
pub(super) const BQ: (Color, Role) = (Color::Black, Role::Queen);

/// Calls `visit` with every placement of four men whose first stands on the
/// left half of the board: the mirror gives the rest. Every third one only, if
/// not everything is to be looked at.
pub(super) fn left_half(mut visit: impl FnMut([usize; 4])) {
    let every = if molien_testing::is_exhaustive() { 1 } else { 3 };
    for a in (0..64).filter(|a| a % 8 < 4) {
        for b in 0..64 {
            for c in 0..64 {
                for d in (0..64).filter(|d| (a + b + c + d) % every == 0) {
                    visit([a, b, c, d]);
                }
            }
        }
    }
}

pub(super) fn place(men: [(Color, Role); 4], at: [usize; 4]) -> [(Color, Role, usize); 4] {
    std::array::from_fn(|i| (men[i].0, men[i].1, at[i]))
}

/// The same position in this project's own words.
pub(super) fn ours(men: Men<'_>, turn: Color) -> board::Position {
    let color = |c: Color| c.fold_wb(board::Color::White, board::Color::Black);
    let men = men.iter().map(|&(c, role, square)| {
        let role = board::Role::from_letter(role.upper_char()).expect("a role");
        (board::Man::new(color(c), role), board::Square::new(square))
    });
    board::Position::new(men, color(turn)).expect("legal")
}

/// The value of a position of ours for its side to move.
pub(super) fn truth_of(tables: &Tablebase<Chess>, position: &board::Position) -> i8 {
    let color = |c: board::Color| Color::from_white(c == board::Color::White);
    let men: Vec<(Color, Role, usize)> = position
        .men()
        .filter_map(|(man, square)| {
            Some((color(man.color), Role::from_char(man.role.letter())?, square.index()))
        })
        .collect();
    let ep = position.en_passant().map(|square| square.index());
    truth(tables, &legal(&men, color(position.turn()), ep).expect("legal"))
}
