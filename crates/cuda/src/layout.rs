//! What the kernels are told: the same structures as in `kernels/base.cu`, and
//! the tables of the board and hyper crates in the form the card reads.

use bytemuck::{Pod, Zeroable};
use molien_board::{Color, Man, Role, Square, attacks};
use molien_hyper::{Hyperboard, KING_PAIRS, OuterAxes, king_pair, king_pair_squares};
use molien_values::MAX_BITS;

/// The most pieces (kings aside) a board on the card can have.
pub(crate) const MAX_PIECES: usize = 6;

/// An address on the card; 0 for none.
pub(crate) type Address = u64;

/// The layout of one hyperboard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Board {
    pub tiles: u32,
    pub numbers: u32,
    pub outer: u32,
    pub inner: u32,
    pub has_row: u32,
    pub has_column: u32,
    pub stride: [u32; MAX_PIECES],
    pub numbers_inverse: u64,
    pub stride_inverse: [u64; MAX_PIECES],
    pub close: [u8; MAX_PIECES],
    pub group: [u8; MAX_PIECES],
    pub group_len: [u8; MAX_PIECES],
    pub role: [u8; MAX_PIECES],
    pub color: [u8; MAX_PIECES],
    pub kind_end: [u8; MAX_PIECES],
    pub unused: [u8; 4],
}

/// The solved board without one piece.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Sub {
    pub board: Board,
    pub depth_bits: u32,
    pub unused: u32,
    pub open: Address,
    pub won: Address,
    pub lost: Address,
    pub won_depth: [Address; MAX_BITS],
    pub lost_depth: [Address; MAX_BITS],
}

/// The plies at which conversions fall due.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Release {
    pub some: Address,
    pub bits: [Address; MAX_BITS],
    pub due: Address,
}

/// One placement of the pawns.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Place {
    pub pawns: [u64; 2],
    pub first_exit: u32,
    pub last_exit: u32,
    pub symmetric: u32,
    pub unused: u32,
}

/// The solved values of a board whose kings span the tile.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Target {
    pub board: Board,
    pub depth_bits: u32,
    pub unused: u32,
    pub open: Address,
    pub won: Address,
    pub lost: Address,
    pub stalemate: Address,
    pub won_depth: [Address; MAX_BITS],
    pub lost_depth: [Address; MAX_BITS],
}

/// The most outer men a target can have.
pub(crate) const MAX_TARGET_MEN: usize = 4;
/// In [`Exit::from`]: the promoted man.
pub(crate) const FIXED_MAN: u8 = 0xff;
/// No outer man is taken.
pub(crate) const NO_VICTIM: u8 = 0xff;

/// A kind of move that leaves a placement; see `kernels/base.cu`.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Exit {
    pub empty: u64,
    pub passed: u64,
    pub first_tile: u32,
    pub target: u32,
    pub en_passant_first: [u32; 2],
    pub en_passant_target: [u32; 2],
    pub en_passant_mirrored: [u8; 2],
    pub en_passants: u8,
    pub kind: u8,
    pub side: u8,
    pub rule: u8,
    pub victim: u8,
    pub square: u8,
    pub mirrored: u8,
    pub fixed_square: u8,
    pub from: [u8; MAX_TARGET_MEN],
    pub unused: [u8; 2],
}

/// A tile of a set that is taken off a plane later.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PutOffTile {
    pub tile: u32,
    pub start: u32,
}

/// Room for such tiles.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct PutOff {
    pub used: Address,
    pub tiles: Address,
    pub blocks: Address,
    pub most_tiles: u64,
    pub most_blocks: u64,
    pub wanted: u32,
    pub from_open: u32,
}

/// What the runs of a board under the 50-move rule start from and leave.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Late {
    pub open: Address,
    pub candidates: Address,
    pub mates: Address,
    pub wins_due: Address,
    pub holds_due: Address,
    pub run_open: Address,
    pub run_candidates: Address,
    pub left: Address,
}

/// The values of a board at one clock.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Layer {
    pub open: Address,
    pub won: Address,
    pub lost: Address,
    pub won_depth: [Address; MAX_BITS],
    pub lost_depth: [Address; MAX_BITS],
}

/// Everything a launch needs.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Job {
    pub board: Board,
    pub subs: [Sub; MAX_PIECES],
    pub tables: Address,
    pub attacker: u32,
    pub rule: u32,
    pub release_bits: u32,
    pub ply: u32,
    pub bishops: [i32; 2],
    pub open: Address,
    pub open_live: Address,
    pub candidates: Address,
    pub candidates_live: Address,
    pub lost_before: Address,
    pub lost_before_live: Address,
    pub lost_now: Address,
    pub lost_now_live: Address,
    pub dirty_open: Address,
    pub dirty_candidates: Address,
    pub list_open: Address,
    pub list_candidates: Address,
    pub starts: Address,
    pub counts: Address,
    pub wins: Release,
    pub holds: Release,
    pub won: Address,
    pub lost: Address,
    pub won_depth: [Address; MAX_BITS],
    pub lost_depth: [Address; MAX_BITS],
    pub other_won: Address,
    pub other_lost: Address,
    pub tally: Address,
    pub last_due: Address,
    pub watched: Address,
    pub watched_plies: Address,
    pub watched_count: u32,
    pub sooner: u32,
    pub noted_won: Address,
    pub noted_lost: Address,
    pub places: Address,
    pub exits: Address,
    pub targets: Address,
    pub level: Address,
    pub level_count: u64,
    pub stalemate: Address,
    pub held: Address,
    pub put_off: PutOff,
    pub late: Late,
    pub layer: Layer,
}

// A kernel's parameters may take 4096 bytes.
const _: () = assert!(size_of::<Job>() <= 4096);

/// Defines with the sizes of the structures, which the kernels compare with
/// those of their own. `Pod` sees to it that none has padding.
pub(crate) fn size_defines() -> Vec<String> {
    let sizes = [
        ("BOARD", size_of::<Board>()),
        ("TABLES", size_of::<Tables>()),
        ("SUB", size_of::<Sub>()),
        ("RELEASE", size_of::<Release>()),
        ("PLACE", size_of::<Place>()),
        ("TARGET", size_of::<Target>()),
        ("EXIT", size_of::<Exit>()),
        ("PUT_OFF", size_of::<PutOff>()),
        ("PUT_OFF_TILE", size_of::<PutOffTile>()),
        ("LATE", size_of::<Late>()),
        ("LAYER", size_of::<Layer>()),
        ("JOB", size_of::<Job>()),
    ];
    sizes.map(|(name, bytes)| format!("-D{name}_BYTES={bytes}")).into()
}

pub(crate) fn binomial(n: u64, k: u64) -> u64 {
    (0..k).fold(1, |value, i| if n < i + 1 { 0 } else { value * (n - i) / (i + 1) })
}

/// The factor by which `divide` in `kernels/base.cu` divides.
fn inverse(divisor: u32) -> u64 {
    if divisor == 1 { 0 } else { u64::MAX / u64::from(divisor) + 1 }
}

impl Board {
    /// The layout of a hyperboard without pawns.
    pub fn new(board: &Hyperboard) -> Board {
        let tile_men: Vec<Man> = board.row().into_iter().chain(board.column()).collect();
        let out = Board {
            tiles: board.tiles() as u32,
            has_row: u32::from(board.row().is_some()),
            has_column: u32::from(board.column().is_some()),
            ..Board::default()
        };
        out.with_men(board.outer(), &tile_men)
    }

    /// The layout of so many hyperboards, one after the other, with these men
    /// around the kings, which span the tile.
    pub fn around_kings(outer: &[Man], places: usize) -> Board {
        let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
        let out = Board { has_row: 1, has_column: 1, ..Board::default() }.with_men(outer, &kings);
        Board { tiles: out.numbers * places as u32, ..out }
    }

    /// The same however many tiles there are.
    pub fn of_any_size(self) -> Board {
        Board { tiles: 0, ..self }
    }

    /// Whether the kings span the tile.
    pub fn kings_in_tile(&self) -> bool {
        // Without pawns the row man is a piece.
        self.has_row == 1 && usize::from(self.role[self.outer as usize]) == Role::King.index()
    }

    fn with_men(mut self, outer: &[Man], tile_men: &[Man]) -> Board {
        let (axes, out) = (OuterAxes::new(outer), &mut self);
        out.numbers = axes.len() as u32;
        out.outer = outer.len() as u32;
        out.inner = 1;
        let pieces: Vec<Man> = outer.iter().chain(tile_men).copied().collect();
        for (i, man) in pieces.iter().enumerate() {
            out.role[i] = man.role.index() as u8;
            out.color[i] = man.color.index() as u8;
            out.kind_end[i] = u8::from(pieces.get(i + 1) != Some(man));
        }
        let lens: Vec<usize> = axes.group_lens().collect();
        let (mut stride, mut end) = (1, outer.len());
        for (group, &len) in lens.iter().enumerate().rev() {
            for man in end - len..end {
                out.stride[man] = stride;
                out.group[man] = group as u8;
                out.group_len[man] = len as u8;
            }
            out.close[end - 1] = len as u8;
            stride *= binomial(64, len as u64) as u32;
            if pieces[end - 1].color == Color::White {
                out.inner = stride;
            }
            end -= len;
        }
        debug_assert_eq!(stride, out.numbers);
        out.numbers_inverse = inverse(out.numbers);
        for man in 0..outer.len() {
            out.stride_inverse[man] = inverse(out.stride[man]);
        }
        self
    }
}

impl Board {
    /// The layout as an initialiser in the kernels' language.
    pub fn initialiser(&self) -> String {
        let list = |items: Vec<String>| format!("{{{}}}", items.join(","));
        let bytes = |items: &[u8]| list(items.iter().map(u8::to_string).collect());
        list(vec![
            self.tiles.to_string(),
            self.numbers.to_string(),
            self.outer.to_string(),
            self.inner.to_string(),
            self.has_row.to_string(),
            self.has_column.to_string(),
            list(self.stride.iter().map(u32::to_string).collect()),
            format!("{}ull", self.numbers_inverse),
            list(self.stride_inverse.iter().map(|x| format!("{x}ull")).collect()),
            bytes(&self.close),
            bytes(&self.group),
            bytes(&self.group_len),
            bytes(&self.role),
            bytes(&self.color),
            bytes(&self.kind_end),
        ])
    }
}

const NO_PAIR: u16 = 0xffff;
const NO_SQUARE: u8 = 0xff;
/// King classes, rounded up so that the fields after them stay aligned.
const KING_PLACES: usize = 464;

/// The tables of the board and hyper crates.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Tables {
    between: [[u64; 64]; 64],
    reach: [[u64; 64]; 5],
    binomial: [[u32; 64]; MAX_PIECES + 1],
    pair: [[u16; 64]; 64],
    kings: [[u8; KING_PLACES]; 2],
    king_to: [[u8; 8]; 64],
}

impl Tables {
    pub fn new() -> Tables {
        let mut out = Tables::zeroed();
        for (a, b) in Square::all().flat_map(|a| Square::all().map(move |b| (a, b))) {
            out.between[a.index()][b.index()] = attacks::between(a, b).0;
            out.pair[a.index()][b.index()] = king_pair(a, b)
                .map_or(NO_PAIR, |pair| pair.class as u16 | (pair.symmetry.index() as u16) << 9);
        }
        let roles = [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
        for (reach, role) in out.reach.iter_mut().zip(roles) {
            *reach = by_square(|s| attacks::attacks(role, s, Default::default()).0);
        }
        for (k, binomials) in out.binomial.iter_mut().enumerate() {
            *binomials = std::array::from_fn(|n| binomial(n as u64, k as u64) as u32);
        }
        for class in 0..KING_PLACES {
            let (white, black) = king_pair_squares(class.min(KING_PAIRS - 1));
            out.kings[0][class] = white.index() as u8;
            out.kings[1][class] = black.index() as u8;
        }
        out.king_to = by_square(|from| {
            let targets: Vec<Square> = attacks::king(from).into_iter().collect();
            std::array::from_fn(|i| targets.get(i).map_or(NO_SQUARE, |to| to.index() as u8))
        });
        out
    }
}

fn by_square<T>(of: impl Fn(Square) -> T) -> [T; 64] {
    std::array::from_fn(|square| of(Square::new(square)))
}

/// The two like bishops of one side in the order of the board's pieces.
pub(crate) fn bishop_pair(board: &Hyperboard) -> Option<[i32; 2]> {
    let pieces = board.pieces_in_order();
    Color::BOTH.into_iter().find_map(|color| {
        let bishop = Man::new(color, Role::Bishop);
        let at: Vec<i32> =
            (0..pieces.len()).filter(|&i| pieces[i] == bishop).map(|i| i as i32).collect();
        (at.len() == 2).then(|| [at[0], at[1]])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_men_share_an_axis() {
        let board = Hyperboard::pieces("KRRNKRR".parse().unwrap());
        let layout = Board::new(&board);
        assert_eq!(layout.numbers, 2016 * 64);
        assert_eq!(layout.inner, 64);
        assert_eq!(layout.close[..3], [0, 2, 1]);
        assert_eq!(layout.stride[..3], [64, 64, 1]);
        assert_eq!(layout.kind_end[..5], [0, 1, 0, 1, 1]);
        assert_eq!(bishop_pair(&board), None);
    }
}
