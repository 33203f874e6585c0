//! All values of a part of a file of learnt contexts, of both sides to move.

use rayon::prelude::*;

use crate::TableError;
use crate::keys::key::ValueKey;
use crate::read::decode::{Images, PartDecoder};
use crate::read::packed::Packed;
use crate::read::packed_load::Exchanged;

impl PartDecoder<'_> {
    /// As [`PartDecoder::decode`], of a file of learnt contexts: values of both sides as their
    /// mover sees them.
    pub(super) fn decode_packed(
        &self,
        packed: &Packed,
        part: usize,
    ) -> Result<[Vec<ValueKey>; 2], TableError> {
        let mut sides = self.filled(packed, part)?.into_iter();
        let base = sides.next().unwrap_or_default();
        let own = match sides.next() {
            Some(own) => own,
            // White to move stands for both.
            None => {
                let exchanged = Exchanged::new(self.layout(), part);
                let other = match exchanged.part == part {
                    true => None,
                    false => self.filled(packed, exchanged.part)?.into_iter().next(),
                };
                exchanged.keys(other.as_ref().unwrap_or(&base))
            }
        };
        Ok([base, own].map(|keys| self.told(keys)))
    }

    /// Where one side stands for both, the part that a part's positions with Black to move
    /// are looked up in.
    pub fn twin(&self, part: usize) -> Option<usize> {
        let one_side = self.file.packed.as_ref().is_some_and(|packed| packed.sides.len() == 1);
        one_side.then(|| Exchanged::new(self.layout(), part).part)
    }

    /// As [`PartDecoder::decode`], of two parts each of which is the other's
    /// [`PartDecoder::twin`], each decoded once.
    pub fn decode_twins(&self, parts: [usize; 2]) -> Result<[[Vec<ValueKey>; 2]; 2], TableError> {
        let Some(packed) = &self.file.packed else {
            let [a, b] = parts;
            return Ok([self.decode(a)?, self.decode(b)?]);
        };
        let white = |part: usize| -> Result<Vec<ValueKey>, TableError> {
            Ok(self.filled(packed, part)?.into_iter().next().unwrap_or_default())
        };
        let [a, b] = [white(parts[0])?, white(parts[1])?];
        let black =
            |part: usize, white: &Vec<ValueKey>| Exchanged::new(self.layout(), part).keys(white);
        let own = [black(parts[0], &b), black(parts[1], &a)];
        let [own_a, own_b] = own;
        Ok([[a, own_a], [b, own_b]].map(|sides| sides.map(|keys| self.told(keys))))
    }

    /// The values of each stored side of a file of learnt contexts, with all images.
    fn filled(&self, packed: &Packed, part: usize) -> Result<Vec<Vec<ValueKey>>, TableError> {
        let images = Images::new(self.layout());
        let mut sides = self.file.packed_keys(packed, part, self.told)?;
        sides.par_iter_mut().for_each(|keys| self.fill_images(&images, part, 0, keys));
        Ok(sides)
    }
}
