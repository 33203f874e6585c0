//! Streams of symbols as zstd frames.

use std::cell::RefCell;

use zstd::bulk::Compressor;
use zstd::dict::DecoderDictionary;
use zstd::zstd_safe::{CParameter, DCtx, Strategy};

use crate::format::coding::Malformed;

/// The level at which streams without a dictionary are compressed by
/// parameters of our own.
const TUNED_LEVEL: i32 = 6;
/// Short matches hardly pay in streams of depths: as small as the level's own
/// parameters within a percent, in two thirds of the time.
const TUNED: [CParameter; 7] = [
    CParameter::Strategy(Strategy::ZSTD_lazy),
    CParameter::MinMatch(5),
    CParameter::SearchLog(3),
    CParameter::TargetLength(8),
    CParameter::WindowLog(15),
    CParameter::HashLog(14),
    CParameter::ChainLog(14),
];

/// Compresses the streams of one kind.
pub(crate) struct Packer<'a> {
    compressor: Compressor<'a>,
}

impl Packer<'_> {
    pub fn new(level: i32, dictionary: &[u8]) -> std::io::Result<Packer<'static>> {
        let mut compressor = match dictionary {
            [] => Compressor::new(level)?,
            dictionary => Compressor::with_dictionary(level, dictionary)?,
        };
        // The reader knows the size and has a checksum; the dictionary goes
        // without saying.
        compressor.set_parameter(CParameter::ContentSizeFlag(false))?;
        compressor.set_parameter(CParameter::ChecksumFlag(false))?;
        compressor.set_parameter(CParameter::DictIdFlag(false))?;
        if level == TUNED_LEVEL && dictionary.is_empty() {
            for parameter in TUNED {
                compressor.set_parameter(parameter)?;
            }
        }
        Ok(Packer { compressor })
    }

    /// Nothing for an empty stream, one byte for a stream of that byte only,
    /// a zstd frame else.
    pub fn pack(&mut self, raw: &[u8]) -> std::io::Result<Vec<u8>> {
        match raw {
            [] => Ok(Vec::new()),
            [first, rest @ ..] if rest.iter().all(|byte| byte == first) => Ok(vec![*first]),
            _ => self.compressor.compress(raw),
        }
    }
}

thread_local! {
    /// Making a decompressor takes longer than using it.
    static CONTEXT: RefCell<DCtx<'static>> = RefCell::new(DCtx::create());
}

/// Decompresses the streams of one kind.
pub(crate) struct Unpacker {
    dictionary: Option<DecoderDictionary<'static>>,
}

impl Unpacker {
    pub fn new(dictionary: &[u8]) -> Unpacker {
        let some = !dictionary.is_empty();
        Unpacker { dictionary: some.then(|| DecoderDictionary::copy(dictionary)) }
    }

    /// Undoes [`Packer::pack`]; the stream has at most `limit` bytes, and
    /// exactly that many if it is all one byte.
    pub fn unpack(&self, packed: &[u8], limit: usize) -> Result<Vec<u8>, Malformed> {
        match packed {
            [] => Ok(Vec::new()),
            [byte] => Ok(vec![*byte; limit]),
            _ => CONTEXT.with_borrow_mut(|context| {
                let mut out = Vec::with_capacity(limit);
                let done = match &self.dictionary {
                    None => context.decompress(&mut out, packed),
                    Some(dictionary) => {
                        context.decompress_using_ddict(&mut out, packed, dictionary.as_ddict())
                    }
                };
                done.map_err(|_| Malformed("not a zstd frame of the right size"))?;
                Ok(out)
            }),
        }
    }
}
