//! The records of a file that is being written, and its front, which comes last.

use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::format::compress::Packer;
use crate::format::file::{
    HEAD_LEN, Head, QUICK_VERSION, SUM_LEN, head_sum, record_sum, records_sum,
};
use crate::format::meta::Meta;
use crate::write::block_encoder::BlockEncoder;
use crate::write::unwritable::Unwritable;

/// Head and description of a file, the records of which are not known yet.
pub(crate) struct FileFront {
    meta_raw_len: usize,
    meta_packed: Vec<u8>,
    blocks: usize,
    streams: usize,
}

/// Where the records written so far begin, and their checksums.
pub(crate) struct Records {
    offsets: Vec<u64>,
    sums: Vec<u64>,
    /// Where the next record begins.
    end: u64,
}

impl FileFront {
    pub fn new(meta: &Meta) -> io::Result<FileFront> {
        let raw = meta.encode();
        let meta_packed = Packer::new(19, &[])?.pack(&raw)?;
        let (blocks, streams) = (meta.layout.blocks(), meta.streams());
        Ok(FileFront { meta_raw_len: raw.len(), meta_packed, blocks, streams })
    }

    /// No records yet.
    pub fn begin(&self) -> Records {
        let end = (HEAD_LEN + self.meta_packed.len() + 8 * self.blocks) as u64;
        let (offsets, sums) = (Vec::with_capacity(self.blocks), Vec::with_capacity(self.blocks));
        Records { offsets, sums, end }
    }

    /// Writes the description where it belongs, so that a file with its first
    /// records is known again.
    pub fn mark(&self, mut out: impl Write + Seek) -> io::Result<()> {
        out.seek(SeekFrom::Start(HEAD_LEN as u64))?;
        out.write_all(&self.meta_packed)
    }

    /// The whole records that an earlier process left in a file with this
    /// description; none if it is another file.
    pub fn find(&self, mut input: impl Read + Seek) -> io::Result<Records> {
        let mut records = self.begin();
        input.seek(SeekFrom::Start(HEAD_LEN as u64))?;
        let mut meta = vec![0; self.meta_packed.len()];
        if input.read_exact(&mut meta).is_err() || meta != self.meta_packed {
            return Ok(records);
        }
        input.seek(SeekFrom::Start(records.end))?;
        while records.offsets.len() < self.blocks {
            let Some(record) = self.next(&mut input, records.offsets.len()) else { break };
            records.push(&record);
        }
        Ok(records)
    }

    /// The record that follows, if it is whole.
    fn next(&self, input: &mut impl Read, block: usize) -> Option<Vec<u8>> {
        let mut record = vec![0; 2 * self.streams];
        input.read_exact(&mut record).ok()?;
        let lens = record.as_chunks::<2>().0.iter();
        let streams: usize = lens.map(|&len| usize::from(u16::from_le_bytes(len))).sum();
        let head = record.len();
        record.resize(head + streams + SUM_LEN, 0);
        input.read_exact(&mut record[head..]).ok()?;
        let (contents, sum) = record.split_last_chunk::<SUM_LEN>()?;
        let whole = record_sum(contents, block as u64) == u64::from_le_bytes(*sum);
        whole.then_some(record)
    }

    /// Adds the records that are missing, then head, description and index.
    /// `go_on` is asked after each record; if it says no, the file stays as it
    /// is.
    pub fn complete(
        &self,
        mut out: impl Write + Seek,
        mut records: Records,
        encoder: &BlockEncoder<'_>,
        mut go_on: impl FnMut(usize) -> bool,
    ) -> Result<(), Unwritable> {
        let first = encoder.beginning(records.offsets.len().min(self.blocks.saturating_sub(1)));
        if records.offsets.len() < self.blocks {
            records.truncate(first);
            out.seek(SeekFrom::Start(records.end))?;
            encoder.encode(first, |record| {
                out.write_all(&record)?;
                records.push(&record);
                match go_on(records.offsets.len()) {
                    true => Ok(()),
                    false => Err(Unwritable::Stopped),
                }
            })?;
        }
        Ok(self.finish(out, &records)?)
    }

    fn finish(&self, mut out: impl Write + Seek, records: &Records) -> io::Result<()> {
        let head = Head {
            version: QUICK_VERSION,
            meta_len: self.meta_packed.len() as u32,
            meta_raw_len: self.meta_raw_len as u32,
            blocks: self.blocks as u64,
            file_len: records.end,
            records_sum: records_sum(&records.sums),
            head_sum: 0,
        };
        let mut meta_and_index = self.meta_packed.clone();
        meta_and_index.extend(records.offsets.iter().flat_map(|offset| offset.to_le_bytes()));
        let unsummed = head.encode_unsummed();
        out.seek(SeekFrom::Start(0))?;
        out.write_all(&unsummed)?;
        out.write_all(&head_sum(&unsummed, &meta_and_index).to_le_bytes())?;
        out.write_all(&meta_and_index)?;
        out.flush()
    }
}

impl Records {
    fn push(&mut self, record: &[u8]) {
        self.offsets.push(self.end);
        self.end += record.len() as u64;
        let sum = record.last_chunk::<SUM_LEN>().copied().unwrap_or_default();
        self.sums.push(u64::from_le_bytes(sum));
    }

    /// Keeps the first `len` records.
    fn truncate(&mut self, len: usize) {
        if let Some(&end) = self.offsets.get(len) {
            self.end = end;
        }
        self.offsets.truncate(len);
        self.sums.truncate(len);
    }

    /// Where the next record begins.
    pub fn end(&self) -> u64 {
        self.end
    }
}
