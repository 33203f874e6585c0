//! The file: head, sub-tables, checksum. docs/syzygy.md has the layout.

use molien_board::{Color, Man, Material, Role};

use crate::blocks::Packed;
use crate::checksum::checksum;
use crate::order::Order;
use crate::pairs::Symbol;

/// What a file holds.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// Wins, draws and losses in five classes.
    Wdl,
    /// Plies to a zeroing move.
    Dtz,
}

impl Kind {
    /// Both kinds.
    pub const ALL: [Kind; 2] = [Kind::Wdl, Kind::Dtz];

    /// The first bytes of a file.
    pub(crate) const fn magic(self) -> [u8; 4] {
        match self {
            Kind::Wdl => [0x71, 0xe8, 0x23, 0x5d],
            Kind::Dtz => [0xd7, 0x66, 0x0c, 0xa5],
        }
    }

    /// The extension of its name.
    pub const fn extension(self) -> &'static str {
        match self {
            Kind::Wdl => "rtbw",
            Kind::Dtz => "rtbz",
        }
    }
}

/// A list of the values of a DTZ sub-table, by class and number.
pub(crate) type Lists = [Vec<u8>; 4];

/// Flags of a sub-table.
pub(crate) mod flags {
    /// DTZ: Black is to move.
    pub(crate) const BLACK_TO_MOVE: u8 = 1;
    /// DTZ: values are numbers in lists.
    pub(crate) const MAPPED: u8 = 2;
    /// DTZ: wins are in plies, not in pairs of plies.
    pub(crate) const WIN_PLIES: u8 = 4;
    /// DTZ: losses are in plies.
    pub(crate) const LOSS_PLIES: u8 = 8;
    /// There is only one value.
    pub(crate) const SINGLE: u8 = 128;
}

/// What a sub-table holds.
pub(crate) enum Content {
    /// The same value everywhere.
    Single(u8),
    Packed(Box<Packed>),
}

/// The values of one side to move, of one file of the leading pawn.
pub(crate) struct SubTable {
    pub order: Order,
    pub flags: u8,
    pub content: Content,
    /// DTZ: the lists that the values are numbers in.
    pub lists: Option<Lists>,
}

impl SubTable {
    fn packed(&self) -> Option<&Packed> {
        match &self.content {
            Content::Single(_) => None,
            Content::Packed(packed) => Some(packed),
        }
    }
}

/// The number of a man in a file.
fn man_code(man: Man) -> u8 {
    let role = match man.role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    };
    if man.color == Color::Black { role | 8 } else { role }
}

const SPLIT: u8 = 1;
const HAS_PAWNS: u8 = 2;
/// Data of sub-tables begin at multiples of this.
const ALIGNMENT: usize = 64;

fn align(out: &mut Vec<u8>, to: usize) {
    out.resize(out.len().next_multiple_of(to), 0);
}

/// A file: for each file of the leading pawn (one without pawns) the
/// sub-tables of the sides to move.
pub(crate) fn assemble(kind: Kind, material: &Material, files: &[Vec<SubTable>]) -> Vec<u8> {
    let mut out = kind.magic().to_vec();
    let split = if material.is_symmetric() { 0 } else { SPLIT };
    let pawns = if material.has_pawns() { HAS_PAWNS } else { 0 };
    out.push((material.len() as u8) << 4 | split | pawns);
    files.iter().for_each(|sides| write_orders(&mut out, kind, sides));
    align(&mut out, 2);
    let tables = || files.iter().flatten();
    for table in tables() {
        write_head(&mut out, table);
        align(&mut out, 2);
    }
    if kind == Kind::Dtz {
        for list in tables().filter_map(|table| table.lists.as_ref()).flatten() {
            out.push(list.len() as u8);
            out.extend_from_slice(list);
        }
        align(&mut out, 2);
    }
    for (block, offset) in tables().filter_map(SubTable::packed).flat_map(|packed| &packed.index) {
        out.extend_from_slice(&block.to_le_bytes());
        out.extend_from_slice(&offset.to_le_bytes());
    }
    for length in tables().filter_map(SubTable::packed).flat_map(|packed| &packed.lengths) {
        out.extend_from_slice(&length.to_le_bytes());
    }
    align(&mut out, ALIGNMENT);
    for packed in tables().filter_map(SubTable::packed) {
        out.extend_from_slice(&packed.data);
        align(&mut out, ALIGNMENT);
    }
    let sum = checksum(&out);
    out.extend_from_slice(&sum);
    out
}

/// The orders of the sub-tables of one file of the leading pawn. The second
/// side, if any, is in the high halves of the bytes.
fn write_orders(out: &mut Vec<u8>, kind: Kind, sides: &[SubTable]) {
    let first = &sides[0].order;
    // A WDL file of one side repeats it; a DTZ file leaves the high half empty.
    let second = match (sides.get(1), kind) {
        (Some(table), _) => Some(&table.order),
        (None, Kind::Wdl) => Some(first),
        (None, Kind::Dtz) => None,
    };
    let mut push = |code: &dyn Fn(&Order) -> u8| {
        out.push(code(first) | second.map_or(0, |order| code(order) << 4));
    };
    push(&|order| order.lead_place() as u8);
    if first.pawns_place().is_some() {
        push(&|order| order.pawns_place().unwrap_or(0) as u8);
    }
    for man in 0..first.men().len() {
        push(&|order| man_code(order.men()[man]));
    }
}

/// The head of a sub-table: flags, sizes, codes and symbols.
fn write_head(out: &mut Vec<u8>, table: &SubTable) {
    let packed = match &table.content {
        Content::Single(value) => return out.extend_from_slice(&[table.flags, *value]),
        Content::Packed(packed) => packed,
    };
    let padding = packed.lengths.len() as u32 - packed.blocks;
    out.extend_from_slice(&[table.flags, packed.block_bits, packed.span_bits, padding as u8]);
    out.extend_from_slice(&packed.blocks.to_le_bytes());
    let codes = &packed.codes;
    out.extend_from_slice(&[codes.range.1, codes.range.0]);
    codes.lowest.iter().for_each(|lowest| out.extend_from_slice(&lowest.to_le_bytes()));
    out.extend_from_slice(&(packed.dictionary.len() as u16).to_le_bytes());
    for &symbol in &codes.order {
        let number = |symbol: u16| u32::from(codes.numbers[usize::from(symbol)]);
        // Two numbers of twelve bits; all ones for the second of a value.
        let halves = match packed.dictionary.symbols[usize::from(symbol)] {
            Symbol::Value(value) => u32::from(value) | 0xfff << 12,
            Symbol::Pair(first, second) => number(first) | number(second) << 12,
        };
        out.extend_from_slice(&halves.to_le_bytes()[..3]);
    }
}
