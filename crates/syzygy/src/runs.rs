//! Values as runs. Free places belong to the run before them or to the one after
//! them, so that the end of a run need not be fixed.
//!
//! Free places between equal values get that value: nothing else would be
//! shorter. What is left to decide is where between two unlike values one ends and
//! the other begins. Of a hundred places that are one or two.

use crate::domain::Domain;

/// A run of one value. The next one begins at some place from `least` to `most`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub value: u8,
    pub least: u32,
    pub most: u32,
}

/// The end of a run is left open over so many places at most, the last ones.
const MOST_OPEN: usize = 128;

/// The runs of some codes. The first or the last one may be empty.
pub(crate) fn find_runs<D: Domain>(codes: &[u8], runs: &mut Vec<Run>) {
    runs.clear();
    // The value of the run that is being made.
    let mut value = None;
    let mut at = 0;
    while let Some(&code) = codes.get(at) {
        if !D::is_free(code) {
            if let Some(before) = value.filter(|&before| before != code) {
                runs.push(Run { value: before, least: at as u32, most: at as u32 });
            }
            value = Some(code);
            let same = u64::from_ne_bytes([code; 8]);
            at += first_marked(&codes[at..], |eight| eight ^ same);
            continue;
        }
        let start = at;
        at += first_marked(&codes[at..], D::fixed);
        let gap = Gap { codes: &codes[start..at], start, before: value, after: codes.get(at) };
        value = Some(gap.cross::<D>(runs));
    }
    let end = codes.len() as u32;
    runs.extend(value.map(|value| Run { value, least: end, most: end }));
}

/// The first place whose byte is not zero in what `mark` makes of eight codes, or
/// how many codes there are.
#[inline]
fn first_marked(codes: &[u8], mark: impl Fn(u64) -> u64) -> usize {
    let (eights, rest) = codes.as_chunks::<8>();
    for (i, &eight) in eights.iter().enumerate() {
        let marks = mark(u64::from_le_bytes(eight));
        if marks != 0 {
            return 8 * i + marks.trailing_zeros() as usize / 8;
        }
    }
    // What fills up the last eight is beyond the end, marked or not.
    let mut eight = [0; 8];
    eight[..rest.len()].copy_from_slice(rest);
    let marks = mark(u64::from_le_bytes(eight));
    8 * eights.len() + (marks.trailing_zeros() as usize / 8).min(rest.len())
}

/// Free places, and the values on both sides, if there are any.
struct Gap<'a> {
    codes: &'a [u8],
    start: usize,
    before: Option<u8>,
    after: Option<&'a u8>,
}

impl Gap<'_> {
    /// Ends the runs that end here, and gives the value of the run that goes on
    /// after the gap.
    fn cross<D: Domain>(&self, runs: &mut Vec<Run>) -> u8 {
        let len = self.codes.len();
        let any = self.before.or(self.after.copied()).unwrap_or_else(|| D::common(self.codes));
        let (before, after) = (self.before.unwrap_or(any), self.after.copied().unwrap_or(any));
        // As far as the value before can go on, and the one after can come forward.
        let misfit = |value: u8| move |&code: &u8| !D::fits(code, value);
        let last = self.codes.iter().position(misfit(before)).unwrap_or(len);
        if before == after && last == len {
            return after;
        }
        let first = self.codes.iter().rposition(misfit(after)).map_or(0, |place| place + 1);
        if first <= last {
            runs.push(self.run(before, first, last));
        } else {
            runs.push(self.run(before, 0, last));
            runs.push(self.run(D::common(self.codes), first, len));
        }
        after
    }

    fn run(&self, value: u8, least: usize, most: usize) -> Run {
        let least = self.start + least.max(most.saturating_sub(MOST_OPEN));
        Run { value, least: least as u32, most: (self.start + most) as u32 }
    }
}

/// Gives the free places of some codes the values that runs have if each is as long
/// as can be.
pub(crate) fn fill<D: Domain>(codes: &mut [u8], runs: &mut Vec<Run>) {
    find_runs::<D>(codes, runs);
    let mut at = 0;
    for run in runs {
        codes[at..run.most as usize].fill(run.value);
        at = run.most as usize;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes::{ANY, FREE};
    use crate::domain::{Classes, FREE_NUMBER, Numbers};
    use crate::sequence::random;

    fn codes(len: usize, some: &[u8]) -> Vec<u8> {
        let mut seed = 5;
        let mut out = Vec::new();
        while out.len() < len {
            let number = random(&mut seed);
            let code = some[number as usize % some.len()];
            out.extend(std::iter::repeat_n(code, (number >> 32) as usize % 7));
        }
        out
    }

    /// Wherever the runs end, the values fit.
    fn check<D: Domain>(codes: &[u8]) {
        let mut runs = Vec::new();
        find_runs::<D>(codes, &mut runs);
        let fits = |place: usize, value: u8| match codes[place] {
            code if D::is_free(code) => D::fits(code, value),
            code => code == value,
        };
        let (mut least, mut most) = (0, 0);
        for run in &runs {
            assert!(run.least <= run.most && run.least as usize + MOST_OPEN >= run.most as usize);
            let (next_least, next_most) = (run.least as usize, run.most as usize);
            assert!(least <= next_least && most <= next_most);
            assert!((least..next_most).all(|place| fits(place, run.value)), "{run:?}");
            (least, most) = (next_least, next_most);
        }
        assert_eq!((least, most), (codes.len(), codes.len()));
    }

    #[test]
    fn open_ends_leave_values_that_fit() {
        for len in [1, 2, 5, 30, 3000] {
            check::<Numbers>(&codes(len, &[0, 1, 2, FREE_NUMBER, FREE_NUMBER]));
            check::<Classes>(&codes(len, &[0, 1, 2, 3, 4, 5, 6, 7, 8]));
            check::<Classes>(&codes(len, &[4, FREE + 2, ANY, ANY]));
        }
        check::<Numbers>(&[]);
        check::<Numbers>(&[FREE_NUMBER; 300]);
    }

    #[test]
    fn a_gap_between_equal_values_is_no_gap() {
        let (mut runs, free) = (Vec::new(), FREE_NUMBER);
        find_runs::<Numbers>(&[free, 1, free, 1, free, free, 2, free], &mut runs);
        let run = |value, least, most| Run { value, least, most };
        assert_eq!(runs, [run(1, 4, 6), run(2, 8, 8)]);
        // Only a draw or worse fits between the two wins.
        find_runs::<Classes>(&[4, ANY, FREE + 2, ANY, 4], &mut runs);
        assert_eq!(runs, [run(4, 1, 2), run(2, 3, 4), run(4, 5, 5)]);
    }
}
