//! A file taken apart, with every number checked before it is used.

use molien_board::{Color, Man, Material, Role};
use thiserror::Error;

use crate::checksum::LEN as CHECKSUM;
use crate::file::{Kind, flags};
use crate::order::{Choice, Order, leading_pawns};
use crate::unpack::{RawPacked, expand_symbols};

/// What is wrong with a file.
#[derive(Debug, Error, PartialEq, Eq, Clone)]
#[non_exhaustive]
pub enum Damage {
    /// It has a length that no complete file has.
    #[error("{found} bytes long, but a whole file is 16 bytes longer than a multiple of 64")]
    Length {
        /// Its bytes.
        found: u64,
    },
    /// It begins with other bytes.
    #[error("it begins with {found:02x?}, but a file of this name with {expected:02x?}")]
    Magic {
        /// What it begins with.
        found: [u8; 4],
        /// What it should.
        expected: [u8; 4],
    },
    /// The checksum is another.
    #[error("the checksum does not fit: the file has been changed or copied wrongly")]
    Checksum,
    /// It ends before all of this.
    #[error("it ends within the {part}")]
    Ends {
        /// What is cut off.
        part: &'static str,
    },
    /// Other men than its name says.
    #[error("it is not a file of {material}, as its name says")]
    Men {
        /// The material in the name.
        material: Material,
    },
    /// Something in it makes no sense.
    #[error("{what}")]
    Nonsense {
        /// What, in words.
        what: &'static str,
    },
}

pub(crate) fn nonsense(what: &'static str) -> Damage {
    Damage::Nonsense { what }
}

/// Reads from the front of bytes.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, len: usize, part: &'static str) -> Result<&'a [u8], Damage> {
        let end = self.at.checked_add(len).filter(|&end| end <= self.bytes.len());
        let found = &self.bytes[self.at..end.ok_or(Damage::Ends { part })?];
        self.at += len;
        Ok(found)
    }

    fn byte(&mut self, part: &'static str) -> Result<u8, Damage> {
        Ok(self.take(1, part)?[0])
    }

    fn short(&mut self, part: &'static str) -> Result<u16, Damage> {
        let bytes = self.take(2, part)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn align(&mut self, to: usize) {
        self.at = self.at.next_multiple_of(to).min(self.bytes.len());
    }
}

/// A sub-table of a file.
pub(crate) struct RawTable<'a> {
    pub order: Order,
    pub flags: u8,
    content: RawContent<'a>,
    /// DTZ: the lists that values are places in.
    lists: Option<Vec<&'a [u8]>>,
}

enum RawContent<'a> {
    Single(u8),
    Packed(RawPacked<'a>),
}

/// The sub-tables of a file, by file of the leading pawn and side.
pub(crate) fn take_apart<'a>(
    bytes: &'a [u8],
    kind: Kind,
    material: &Material,
) -> Result<Vec<Vec<RawTable<'a>>>, Damage> {
    let end = bytes.len().saturating_sub(CHECKSUM);
    let mut cursor = Cursor { bytes: &bytes[..end], at: 0 };
    let magic = cursor.take(4, "head")?;
    if magic != kind.magic() {
        let found = [magic[0], magic[1], magic[2], magic[3]];
        return Err(Damage::Magic { found, expected: kind.magic() });
    }
    let layout = cursor.byte("head")?;
    let expected = u8::from(!material.is_symmetric()) | u8::from(material.has_pawns()) << 1;
    if layout & 3 != expected {
        return Err(Damage::Men { material: *material });
    }
    let files = if material.has_pawns() { 4 } else { 1 };
    let sides = if kind == Kind::Wdl && !material.is_symmetric() { 2 } else { 1 };
    let mut orders = Vec::new();
    for file in 0..files {
        orders.push(read_orders(&mut cursor, material, file, sides)?);
    }
    cursor.align(2);
    let mut tables = Vec::new();
    for orders in orders {
        let heads = orders.into_iter().map(|order| read_head(&mut cursor, kind, order));
        tables.push(heads.collect::<Result<Vec<_>, _>>()?);
    }
    if kind == Kind::Dtz {
        for table in tables.iter_mut().flatten().filter(|table| table.flags & flags::MAPPED != 0) {
            let list = |cursor: &mut Cursor<'a>| {
                let len = cursor.byte("lists")?;
                cursor.take(usize::from(len), "lists")
            };
            let lists: Result<Vec<_>, _> = (0..4).map(|_| list(&mut cursor)).collect();
            table.lists = Some(lists?);
        }
        cursor.align(2);
    }
    let packed = tables.iter_mut().flatten().filter_map(RawTable::packed_mut);
    take_bodies(&mut cursor, &mut packed.collect::<Vec<_>>())?;
    Ok(tables)
}

/// The sparse index, block lengths and data of all sub-tables, given with how
/// many indices they have.
fn take_bodies<'a>(
    cursor: &mut Cursor<'a>,
    tables: &mut [(u64, &mut RawPacked<'a>)],
) -> Result<(), Damage> {
    for (len, table) in tables.iter_mut() {
        let spans = len.div_ceil(1 << table.span_bits);
        table.index = cursor.take(spans as usize * 6, "sparse index")?;
    }
    for (_, table) in tables.iter_mut() {
        table.lengths = cursor.take(table.lengths_len * 2, "block lengths")?;
    }
    for (_, table) in tables.iter_mut() {
        cursor.align(64);
        table.data = cursor.take(table.blocks << table.block_bits, "data")?;
    }
    Ok(())
}

fn man(code: u8) -> Option<Man> {
    let role = match code & 7 {
        1 => Role::Pawn,
        2 => Role::Knight,
        3 => Role::Bishop,
        4 => Role::Rook,
        5 => Role::Queen,
        6 => Role::King,
        _ => return None,
    };
    Some(Man::new(if code & 8 == 0 { Color::White } else { Color::Black }, role))
}

/// The orders of the sides of one file of the leading pawn.
fn read_orders(
    cursor: &mut Cursor<'_>,
    material: &Material,
    file: u8,
    sides: usize,
) -> Result<Vec<Order>, Damage> {
    let rest = leading_pawns(material).and_then(|(_, rest)| rest);
    let lead_place = cursor.byte("head")?;
    let pawns_place = rest.map(|_| cursor.byte("head")).transpose()?;
    let codes = cursor.take(material.len(), "head")?;
    let half = |byte: u8, side: usize| if side == 0 { byte & 15 } else { byte >> 4 };
    (0..sides)
        .map(|side| {
            let men: Option<Vec<Man>> = codes.iter().map(|&code| man(half(code, side))).collect();
            let men = men.ok_or(nonsense("it names a man that does not exist"))?;
            let places = [Some(lead_place), pawns_place].map(|p| p.map(|p| half(p, side)));
            order_of(material, &men, file, places)
        })
        .collect()
}

/// The order of a list of men, if the format allows it.
fn order_of(
    material: &Material,
    men: &[Man],
    file: u8,
    places: [Option<u8>; 2],
) -> Result<Order, Damage> {
    let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
    let each_has_one = kings.iter().all(|king| men.iter().filter(|man| *man == king).count() == 1);
    if Material::from_men(men.iter().copied()) != *material || !each_has_one {
        return Err(Damage::Men { material: *material });
    }
    let pawns = leading_pawns(material);
    let single = |man: &Man| material.count(*man) <= 1;
    let lead_len = match pawns {
        Some((lead, _)) => material.count(lead),
        None if men.iter().filter(|man| single(man)).count() >= 3 => 3,
        None => 2,
    };
    let lead = if pawns.is_some() { vec![men[0]] } else { men[..lead_len].to_vec() };
    let mut others = men[lead_len..].to_vec();
    others.dedup();
    others.retain(|man| man.role != Role::Pawn);
    let place = |place: Option<u8>| place.map(usize::from);
    let choice = Choice {
        lead,
        others,
        lead_place: place(places[0]).unwrap_or(0),
        pawns_place: place(places[1]),
    };
    let order = Order::new(material, &choice, file);
    let as_read = order.men() == men
        && Some(order.lead_place()) == place(places[0])
        && order.pawns_place() == place(places[1]);
    if as_read { Ok(order) } else { Err(nonsense("the men are in an order that is not allowed")) }
}

fn read_head<'a>(
    cursor: &mut Cursor<'a>,
    kind: Kind,
    order: Order,
) -> Result<RawTable<'a>, Damage> {
    const PART: &str = "head of a sub-table";
    let flags = cursor.byte(PART)?;
    if flags & flags::SINGLE != 0 {
        let value = cursor.byte(PART)?;
        let content = RawContent::Single(if kind == Kind::Wdl { value } else { 0 });
        return Ok(RawTable { order, flags, content, lists: None });
    }
    let sizes = cursor.take(9, PART)?;
    let blocks = u32::from_le_bytes([sizes[3], sizes[4], sizes[5], sizes[6]]) as usize;
    let (longest, shortest) = (sizes[7], sizes[8]);
    if sizes[0] > 16 || sizes[1] > 40 || sizes[1] == 0 {
        return Err(nonsense("its blocks or spans have impossible sizes"));
    }
    if shortest == 0 || longest > 32 || shortest > longest {
        return Err(nonsense("its codes have impossible lengths"));
    }
    let lowest = (shortest..=longest).map(|_| cursor.short(PART)).collect::<Result<_, _>>()?;
    let count = usize::from(cursor.short(PART)?);
    let symbols = cursor.take(3 * count, "symbols")?;
    cursor.align(2);
    let packed = RawPacked {
        block_bits: sizes[0],
        span_bits: sizes[1],
        blocks,
        lengths_len: blocks + usize::from(sizes[2]),
        shortest,
        lowest,
        symbols: expand_symbols(symbols)?,
        index: &[],
        lengths: &[],
        data: &[],
    };
    Ok(RawTable { order, flags, content: RawContent::Packed(packed), lists: None })
}

impl<'a> RawTable<'a> {
    fn packed_mut(&mut self) -> Option<(u64, &mut RawPacked<'a>)> {
        match &mut self.content {
            RawContent::Single(_) => None,
            RawContent::Packed(packed) => Some((self.order.len(), packed)),
        }
    }

    /// The side to move in a DTZ sub-table.
    pub fn turn(&self) -> Color {
        if self.flags & flags::BLACK_TO_MOVE != 0 { Color::Black } else { Color::White }
    }

    /// The value that a stored number stands for in a list, 0 to 3; none if the
    /// list has no such place.
    pub fn listed(&self, list: usize, number: u16) -> Option<u16> {
        match &self.lists {
            None => Some(number),
            Some(lists) => lists[list].get(usize::from(number)).map(|&value| u16::from(value)),
        }
    }

    /// All stored values, in the order of the indices.
    pub fn values(&self) -> Result<Vec<u16>, Damage> {
        let len = self.order.len() as usize;
        match &self.content {
            RawContent::Single(value) => Ok(vec![u16::from(*value); len]),
            RawContent::Packed(packed) => {
                packed.check_index(len as u64)?;
                packed.values(len)
            }
        }
    }
}
