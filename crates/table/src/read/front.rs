//! Head, description and index of a file: what is checked when it is opened.

use std::path::Path;

use crate::TableError;
use crate::format::coding::Malformed;
use crate::format::compress::Unpacker;
use crate::format::file::{
    GROUP_LEN, HEAD_LEN, Head, MAGIC, QUICK_VERSION, SUM_LEN, head_sum, is_read,
};
use crate::format::meta::Meta;

/// The longest description, in bytes: placements of eight men's pawns and more.
const MAX_META_LEN: u32 = 256 << 20;

/// Reads and checks head, description and index.
pub(crate) fn read_front(path: &Path, bytes: &[u8]) -> Result<(Head, Meta), TableError> {
    let path_buf = || path.to_owned();
    if !bytes.starts_with(&MAGIC) {
        return Err(TableError::Foreign { path: path_buf() });
    }
    let malformed = |what: &str, Malformed(why): Malformed| TableError::Malformed {
        path: path_buf(),
        what: what.to_owned(),
        why,
    };
    let version = u16::from_le_bytes([bytes[8], bytes[9]]);
    if !is_read(version) {
        return Err(TableError::Version { path: path_buf(), found: version });
    }
    let head = Head::decode(&bytes[..HEAD_LEN]).map_err(|error| malformed("the head", error))?;
    let (expected, found) = (head.file_len, bytes.len() as u64);
    if expected != found {
        return Err(TableError::Length { path: path_buf(), expected, found });
    }
    let front = head.records_start().filter(|&start| start <= found);
    let front = front.ok_or_else(|| malformed("the head", Malformed("the index is too long")))?;
    let after_head = &bytes[HEAD_LEN..front as usize];
    let sum = head_sum(&bytes[..HEAD_LEN - SUM_LEN], after_head);
    if sum != head.head_sum {
        let what = "head, description or index".to_owned();
        let (expected, found) = (head.head_sum, sum);
        return Err(TableError::Checksum { path: path_buf(), what, expected, found });
    }
    if head.meta_raw_len > MAX_META_LEN {
        return Err(malformed("the head", Malformed("the description is too long")));
    }
    let packed = &after_head[..head.meta_len as usize];
    let raw = Unpacker::new(&[]).unpack(packed, head.meta_raw_len as usize);
    let decode = if version > QUICK_VERSION { Meta::decode_packed } else { Meta::decode };
    let meta = raw.and_then(|raw| decode(&raw));
    let meta = meta.map_err(|error| malformed("the description", error))?;
    let blocks = match &meta.packed {
        None => meta.layout.blocks() as u64,
        Some(packed) => {
            let lens = packed.sections.iter().flat_map(|section| [section.front, section.data]);
            let body = lens.fold(0, u64::saturating_add);
            if found - front != body {
                let wrong = Malformed("the sections do not fill the file");
                return Err(malformed("the description", wrong));
            }
            body.div_ceil(GROUP_LEN as u64)
        }
    };
    if blocks != head.blocks {
        return Err(malformed("the head", Malformed("the number of blocks is wrong")));
    }
    Ok((head, meta))
}
