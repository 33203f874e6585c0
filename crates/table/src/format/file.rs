//! The outside of a file: head, description, index, records (FORMAT.md,
//! sections 2 and 3).

use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_64_with_seed};

use crate::format::bytes::{ByteReader, ByteWriter};
use crate::format::coding::Malformed;

/// The newest version of the format: values coded by learnt contexts.
pub const VERSION: u16 = 5;
/// The version of files whose streams are compressed by zstd.
pub const QUICK_VERSION: u16 = 3;
/// The oldest version it reads.
pub const OLDEST_VERSION: u16 = 2;
/// The version whose depths were coded without lines. Its files are not read.
const WITHOUT_LINES: u16 = 4;
/// The last version whose files have a date in their head.
const LAST_DATED_VERSION: u16 = 2;
/// How every file begins.
pub(crate) const MAGIC: [u8; 8] = *b"MOLIEN\x1a\n";
/// Bytes of the head.
pub(crate) const HEAD_LEN: usize = 64;
/// Bytes of the checksum at the end of a record.
pub(crate) const SUM_LEN: usize = 8;
/// Bytes that have a checksum together, since version 4.
pub(crate) const GROUP_LEN: usize = 1 << 14;

/// Whether files of a version are read.
pub(crate) fn is_read(version: u16) -> bool {
    (OLDEST_VERSION..=VERSION).contains(&version) && version != WITHOUT_LINES
}

const RESERVED: Malformed = Malformed("a reserved field is not 0");

/// The first bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub version: u16,
    /// Bytes of the description, compressed and uncompressed.
    pub meta_len: u32,
    pub meta_raw_len: u32,
    pub blocks: u64,
    pub file_len: u64,
    /// Checksum of the records' checksums.
    pub records_sum: u64,
    /// Checksum of head (up to here), description and index.
    pub head_sum: u64,
}

impl Head {
    /// The head without its own checksum.
    pub fn encode_unsummed(&self) -> Vec<u8> {
        let mut out = ByteWriter::default();
        out.0.extend(MAGIC);
        out.u16(self.version);
        out.u16(0);
        out.u32(self.meta_len);
        out.u32(self.meta_raw_len);
        out.u32(0);
        out.u64(self.blocks);
        out.u64(self.file_len);
        out.u64(self.records_sum);
        out.u64(0);
        out.0
    }

    /// Reads a head whose magic and version have been checked.
    pub fn decode(bytes: &[u8]) -> Result<Head, Malformed> {
        let mut input = ByteReader(bytes);
        input.take(MAGIC.len())?;
        let version = input.u16()?;
        let reserved = input.u16()?;
        let (meta_len, meta_raw_len) = (input.u32()?, input.u32()?);
        if reserved != 0 || input.u32()? != 0 {
            return Err(RESERVED);
        }
        let (blocks, file_len) = (input.u64()?, input.u64()?);
        let (records_sum, date, head_sum) = (input.u64()?, input.u64()?, input.u64()?);
        if date != 0 && version > LAST_DATED_VERSION {
            return Err(RESERVED);
        }
        Ok(Head { version, meta_len, meta_raw_len, blocks, file_len, records_sum, head_sum })
    }

    /// Where the index starts.
    pub fn index_start(&self) -> u64 {
        HEAD_LEN as u64 + u64::from(self.meta_len)
    }

    /// Where the records start, if that is a number.
    pub fn records_start(&self) -> Option<u64> {
        self.blocks.checked_mul(8)?.checked_add(self.index_start())
    }
}

/// The checksum of head, description and index.
pub(crate) fn head_sum(unsummed: &[u8], meta_and_index: &[u8]) -> u64 {
    let mut hasher = Xxh3::new();
    hasher.update(unsummed);
    hasher.update(meta_and_index);
    hasher.digest()
}

/// The checksum of a record's contents. The number of the block goes in, so
/// that a record in the wrong place is noticed.
pub(crate) fn record_sum(contents: &[u8], block: u64) -> u64 {
    xxh3_64_with_seed(contents, block)
}

/// The checksum of all records' checksums, one after the other.
pub(crate) fn records_sum(sums: &[u64]) -> u64 {
    let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// A record: the lengths of its streams, the streams, a checksum.
pub(crate) fn encode_record(streams: &[Vec<u8>], block: u64) -> Option<Vec<u8>> {
    let mut out = ByteWriter::default();
    for stream in streams {
        out.u16(u16::try_from(stream.len()).ok()?);
    }
    streams.iter().for_each(|stream| out.0.extend(stream));
    let sum = record_sum(&out.0, block);
    out.u64(sum);
    Some(out.0)
}

/// The streams of a record's contents (without the checksum).
pub(crate) fn split_record(contents: &[u8], streams: usize) -> Result<Vec<&[u8]>, Malformed> {
    let mut input = ByteReader(contents);
    let lens = (0..streams).map(|_| input.u16()).collect::<Result<Vec<u16>, _>>()?;
    let found = lens.into_iter().map(|len| input.take(usize::from(len))).collect();
    input.end()?;
    found
}
