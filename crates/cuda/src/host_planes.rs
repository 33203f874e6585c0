//! Planes in the memory of the host, where the card has no room for them.

use std::cell::RefCell;
use std::io;
use std::sync::Arc;

use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};

use crate::CudaError;
use crate::device::{Buffer, Device};

/// Bytes copied at a time: the copies of several threads go side by side.
const COPY_BYTES: usize = 4 << 20;
/// Higher levels take several times as long and save little.
const LEVEL: i32 = 1;

/// What a thread that copies keeps for the next copy.
struct Tools {
    packer: Compressor<'static>,
    unpacker: Decompressor<'static>,
    /// As many bytes as are copied at a time.
    bytes: Vec<u8>,
}

thread_local! {
    static TOOLS: RefCell<Option<Tools>> = const { RefCell::new(None) };
}

fn with_tools<T>(work: impl FnOnce(&mut Tools) -> Result<T, CudaError>) -> Result<T, CudaError> {
    TOOLS.with_borrow_mut(|tools| match tools {
        Some(tools) => work(tools),
        none => {
            let packer = Compressor::new(LEVEL).map_err(unpacked)?;
            let unpacker = Decompressor::new().map_err(unpacked)?;
            work(none.insert(Tools { packer, unpacker, bytes: vec![0; COPY_BYTES] }))
        }
    })
}

fn unpacked(error: io::Error) -> CudaError {
    CudaError::Packing { reason: error.to_string() }
}

/// How planes are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Form {
    /// As they are: that takes the least time.
    #[default]
    Plain,
    /// Compressed lightly; planes of few positions nearly vanish.
    Packed,
}

/// A plane, or what stands for it.
pub(crate) struct HostPlane {
    form: Form,
    /// Of the plane on the card.
    len_bytes: usize,
    pieces: Vec<Box<[u8]>>,
}

impl HostPlane {
    /// Copies a plane from the card.
    pub fn of(plane: &Buffer, form: Form) -> Result<HostPlane, CudaError> {
        let len_bytes = plane.len_bytes();
        let piece = |start: usize| {
            let len = COPY_BYTES.min(len_bytes - start);
            match form {
                Form::Plain => {
                    let mut piece = vec![0u8; len];
                    plane.read_into(&mut piece, start)?;
                    Ok(piece.into_boxed_slice())
                }
                Form::Packed => with_tools(|tools| {
                    let bytes = &mut tools.bytes[..len];
                    plane.read_into(bytes, start)?;
                    let packed = tools.packer.compress(bytes).map_err(unpacked)?;
                    Ok(packed.into_boxed_slice())
                }),
            }
        };
        let starts: Vec<usize> = (0..len_bytes).step_by(COPY_BYTES).collect();
        let pieces = starts.into_par_iter().map(piece).collect::<Result<_, CudaError>>()?;
        Ok(HostPlane { form, len_bytes, pieces })
    }

    /// Copies it to the card.
    pub fn to_card(&self, device: &Arc<dyn Device>) -> Result<Buffer, CudaError> {
        let plane = Buffer::new(device, self.len_bytes)?;
        let copy = |(i, piece): (usize, &[u8])| {
            let start = i * COPY_BYTES;
            if self.form == Form::Plain {
                return plane.write_at(piece, start);
            }
            with_tools(|tools| {
                let bytes = &mut tools.bytes[..COPY_BYTES.min(self.len_bytes - start)];
                tools.unpacker.decompress_to_buffer(piece, bytes).map_err(unpacked)?;
                plane.write_at(bytes, start)
            })
        };
        self.pieces.par_iter().map(|piece| &**piece).enumerate().try_for_each(copy)?;
        Ok(plane)
    }

    /// Bytes of the plane on the card.
    pub fn card_bytes(&self) -> u64 {
        self.len_bytes as u64
    }

    /// Bytes that it takes here.
    pub fn held_bytes(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CudaEngine;
    use molien_testing::Random;

    /// Noise and nothing come back as they were, of whole pieces and less; what is empty
    /// takes next to nothing if it is compressed.
    #[test]
    fn planes_come_back_in_either_form() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let mut random = Random::new(4);
        for words in [1, COPY_BYTES / 8, COPY_BYTES / 8 + 77] {
            let noise: Vec<u64> = (0..words).map(|_| random.number()).collect();
            for (form, values) in [Form::Plain, Form::Packed]
                .into_iter()
                .flat_map(|form| [(form, noise.clone()), (form, vec![0; words])])
            {
                let plane = Buffer::of(&engine.device, &values).unwrap();
                let kept = HostPlane::of(&plane, form).unwrap();
                let back = kept.to_card(&engine.device).unwrap();
                assert!(back.read::<u64>(words).unwrap() == values, "{form:?} {words}");
                assert_eq!(kept.card_bytes(), plane.len_bytes() as u64);
                let empty = values.iter().all(|word| *word == 0);
                match form {
                    Form::Plain => assert_eq!(kept.held_bytes(), kept.card_bytes()),
                    Form::Packed if empty => assert!(kept.held_bytes() < 2048),
                    Form::Packed => assert!(kept.held_bytes() > 0),
                }
            }
        }
    }
}
