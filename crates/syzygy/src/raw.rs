//! A file taken apart, with every number checked before it is used.

use molien_board::{Color, Man, Material, Role};
use thiserror::Error;

use crate::checksum::{LEN as CHECKSUM, checksum};
use crate::file::{Kind, flags};
use crate::order::{Choice, Order, leading_pawns};
use crate::pairs::{MAX_LEN, MAX_SYMBOLS};

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

fn nonsense(what: &'static str) -> Damage {
    Damage::Nonsense { what }
}

/// Checks length, first bytes and checksum.
pub(crate) fn check_whole(bytes: &[u8], kind: Kind) -> Result<(), Damage> {
    if bytes.len() % 64 != CHECKSUM || bytes.len() < 64 {
        return Err(Damage::Length { found: bytes.len() as u64 });
    }
    let found = [bytes[0], bytes[1], bytes[2], bytes[3]];
    if found != kind.magic() {
        return Err(Damage::Magic { found, expected: kind.magic() });
    }
    let (body, sum) = bytes.split_at(bytes.len() - CHECKSUM);
    if checksum(body) == sum { Ok(()) } else { Err(Damage::Checksum) }
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

struct RawPacked<'a> {
    block_bits: u8,
    span_bits: u8,
    blocks: usize,
    /// Entries of the lengths, those beyond the blocks included.
    lengths_len: usize,
    shortest: u8,
    lowest: Vec<u16>,
    /// The values of each symbol.
    symbols: Vec<Vec<u16>>,
    index: &'a [u8],
    lengths: &'a [u8],
    data: &'a [u8],
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
            let men = men.ok_or(nonsense("it names a man that there is not"))?;
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
    if Material::from_men(men.iter().copied()) != *material {
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

/// The values of each symbol.
fn expand_symbols(bytes: &[u8]) -> Result<Vec<Vec<u16>>, Damage> {
    let parts: Vec<(u16, u16)> = (bytes.chunks_exact(3))
        .map(|three| {
            let number = u32::from_le_bytes([three[0], three[1], three[2], 0]);
            ((number & 0xfff) as u16, (number >> 12) as u16)
        })
        .collect();
    if parts.len() > MAX_SYMBOLS + 1 {
        return Err(nonsense("it has too many symbols"));
    }
    let mut symbols: Vec<Option<Vec<u16>>> = vec![None; parts.len()];
    // Each round makes the symbols whose parts are known; nesting is bounded, and
    // symbols that contain themselves are never made.
    for _ in 0..=MAX_LEN {
        let mut open = false;
        for symbol in 0..parts.len() {
            if symbols[symbol].is_some() {
                continue;
            }
            let (left, right) = parts[symbol];
            if usize::from(right) == MAX_SYMBOLS {
                symbols[symbol] = Some(vec![left]);
                continue;
            }
            let halves = (symbols.get(usize::from(left)), symbols.get(usize::from(right)));
            let (Some(left), Some(right)) = halves else {
                return Err(nonsense("a symbol refers to one that there is not"));
            };
            let (Some(left), Some(right)) = (left, right) else {
                open = true;
                continue;
            };
            if left.len() + right.len() > MAX_LEN {
                return Err(nonsense("a symbol stands for too many values"));
            }
            symbols[symbol] = Some([left.as_slice(), right].concat());
        }
        if !open {
            break;
        }
    }
    let all: Option<Vec<_>> = symbols.into_iter().collect();
    all.ok_or(nonsense("a symbol contains itself"))
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

impl RawPacked<'_> {
    fn length(&self, block: usize) -> Option<usize> {
        let bytes = self.lengths.get(2 * block..2 * block + 2)?;
        Some(usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) + 1)
    }

    /// Whether the sparse index points where the block lengths say.
    fn check_index(&self, len: u64) -> Result<(), Damage> {
        let (mut block, mut first) = (0usize, 0u64);
        for (span, entry) in self.index.chunks_exact(6).enumerate() {
            let middle = ((span as u64) << self.span_bits) + (1 << (self.span_bits - 1));
            let wrong = nonsense("the sparse index points to a wrong place");
            while middle >= first + self.length(block).ok_or(wrong.clone())? as u64 {
                first += self.length(block).ok_or(wrong.clone())? as u64;
                block += 1;
            }
            let found = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
            let offset = u16::from_le_bytes([entry[4], entry[5]]);
            if middle < len && (found as usize != block || u64::from(offset) != middle - first) {
                return Err(wrong);
            }
        }
        Ok(())
    }

    fn values(&self, len: usize) -> Result<Vec<u16>, Damage> {
        let bases = self.bases()?;
        let mut values = Vec::with_capacity(len);
        for block in 0..self.blocks {
            let count = self.length(block).ok_or(Damage::Ends { part: "block lengths" })?;
            let data = &self.data[block << self.block_bits..(block + 1) << self.block_bits];
            self.decode(data, &bases, count, &mut values)?;
            if values.len() > len {
                return Err(nonsense("the blocks have more values than there are positions"));
            }
        }
        if values.len() < len {
            return Err(nonsense("the blocks have fewer values than there are positions"));
        }
        Ok(values)
    }

    /// The first code of each length, at the top of a word.
    fn bases(&self) -> Result<Vec<u64>, Damage> {
        let mut bases = vec![0u64; self.lowest.len()];
        for i in (0..self.lowest.len() - 1).rev() {
            let longer = u64::from(self.lowest[i]).checked_sub(u64::from(self.lowest[i + 1]));
            let longer = longer.ok_or(nonsense("the codes are not in order"))?;
            bases[i] = (bases[i + 1] + longer) / 2;
        }
        for (base, len) in bases.iter_mut().zip(u32::from(self.shortest)..) {
            if len < 64 && *base >> len != 0 {
                return Err(nonsense("there are more codes than fit their length"));
            }
            *base <<= 64 - len;
        }
        Ok(bases)
    }

    fn decode(
        &self,
        data: &[u8],
        bases: &[u64],
        count: usize,
        values: &mut Vec<u16>,
    ) -> Result<(), Damage> {
        let wanted = values.len() + count;
        let mut bit = 0usize;
        while values.len() < wanted {
            if bit >= 8 * data.len() {
                return Err(nonsense("a block has fewer values than its length says"));
            }
            let window = window(data, bit);
            let len = bases.iter().position(|&base| window >= base);
            let len = len.ok_or(nonsense("a block has a code that there is not"))?;
            let bits = usize::from(self.shortest) + len;
            let number = (window - bases[len]) >> (64 - bits);
            let symbol = u64::from(self.lowest[len]) + number;
            let symbol = usize::try_from(symbol).ok().and_then(|symbol| self.symbols.get(symbol));
            let symbol = symbol.ok_or(nonsense("a code has no symbol"))?;
            let left = wanted - values.len();
            values.extend_from_slice(&symbol[..symbol.len().min(left)]);
            bit += bits;
        }
        Ok(())
    }
}

/// The 32 bits and more from a bit on, at the top of a word.
fn window(data: &[u8], bit: usize) -> u64 {
    let mut bytes = [0; 8];
    let rest = &data[bit / 8..];
    let len = rest.len().min(8);
    bytes[..len].copy_from_slice(&rest[..len]);
    u64::from_be_bytes(bytes) << (bit % 8)
}
