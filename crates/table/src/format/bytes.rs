//! Little-endian numbers and short texts.

use crate::format::coding::Malformed;

/// Appends numbers and texts.
#[derive(Default)]
pub(crate) struct ByteWriter(pub Vec<u8>);

impl ByteWriter {
    pub fn u8(&mut self, value: u8) {
        self.0.push(value);
    }

    pub fn u16(&mut self, value: u16) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn u32(&mut self, value: u32) {
        self.0.extend(value.to_le_bytes());
    }

    pub fn u64(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    /// Up to 255 bytes of text after their number.
    pub fn text(&mut self, text: &str) {
        let bytes = &text.as_bytes()[..text.len().min(255)];
        self.u8(bytes.len() as u8);
        self.0.extend(bytes);
    }

    /// Bytes after their number.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.u32(bytes.len() as u32);
        self.0.extend(bytes);
    }
}

/// Reads what a [`ByteWriter`] wrote; every read is checked.
pub(crate) struct ByteReader<'a>(pub &'a [u8]);

const SHORT: Malformed = Malformed("it ends too early");

impl<'a> ByteReader<'a> {
    pub fn take(&mut self, len: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(SHORT)?;
        self.0 = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (taken, rest) = self.0.split_first_chunk::<N>().ok_or(SHORT)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, Malformed> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_le_bytes)
    }

    pub fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn text(&mut self) -> Result<&'a str, Malformed> {
        let len = usize::from(self.u8()?);
        std::str::from_utf8(self.take(len)?).map_err(|_| Malformed("a text is not UTF-8"))
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let len = self.u32()? as usize;
        self.take(len)
    }

    /// A list after its number of entries.
    pub fn list<T>(
        &mut self,
        mut entry: impl FnMut(&mut Self) -> Result<T, Malformed>,
    ) -> Result<Vec<T>, Malformed> {
        let len = self.u32()? as usize;
        if len > self.0.len() {
            return Err(SHORT); // an entry has at least a byte
        }
        (0..len).map(|_| entry(self)).collect()
    }

    pub fn end(&self) -> Result<(), Malformed> {
        if self.0.is_empty() { Ok(()) } else { Err(Malformed("bytes are left over")) }
    }
}
