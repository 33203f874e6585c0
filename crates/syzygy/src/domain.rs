//! The values of WDL and of DTZ sub-tables, and which of them are free.

use crate::codes;

/// A kind of values, some of which are free.
pub(crate) trait Domain: Sync {
    /// Whether the code stands for more than one value.
    fn is_free(code: u8) -> bool;
    /// Gives the free places of a sequence values that go well with their
    /// neighbours.
    fn fill(codes: &mut [u8]);
    /// The values of a part of a sequence.
    type Places: Places;
    /// The values of a part of a sequence.
    fn places(codes: Vec<u8>) -> Self::Places;
}

/// What values the places of a part can have.
pub(crate) trait Places {
    /// How many places from this one on can have this value; at most 255 are
    /// counted.
    fn run(&self, place: usize, value: u8) -> usize;
    /// The only value the place can have, if there is just one.
    fn only(&self, place: usize) -> Option<u8>;
}

/// Calls `f` with every run of free places.
pub(crate) fn for_each_free_run<D: Domain>(codes: &[u8], mut f: impl FnMut(std::ops::Range<usize>)) {
    let mut at = 0;
    while at < codes.len() {
        let Some(start) = codes[at..].iter().position(|&code| D::is_free(code)) else { return };
        let start = at + start;
        let len = codes[start..].iter().position(|&code| !D::is_free(code));
        at = len.map_or(codes.len(), |len| start + len);
        f(start..at);
    }
}

/// The five classes; codes above them are free up to a class.
pub(crate) enum Classes {}

impl Domain for Classes {
    type Places = ClassPlaces;

    #[inline]
    fn is_free(code: u8) -> bool {
        code >= codes::CLASSES
    }

    /// The class before, else the one after, else a draw or worse.
    fn fill(codes: &mut [u8]) {
        let mut runs = Vec::new();
        for_each_free_run::<Classes>(codes, |run| runs.push(run));
        for run in runs {
            let before = run.start.checked_sub(1).map(|i| codes[i]);
            let after = codes.get(run.end).copied();
            for code in &mut codes[run] {
                let most = *code - codes::FREE;
                let fits = |class: &u8| *class <= most;
                let default = most.min(codes::DRAW);
                *code = before.filter(fits).or(after.filter(fits)).unwrap_or(default);
            }
        }
    }

    fn places(codes: Vec<u8>) -> ClassPlaces {
        let runs = std::array::from_fn(|class| {
            let class = class as u8;
            let mut run = 0u8;
            let mut runs = vec![0; codes.len()];
            for (out, &code) in runs.iter_mut().zip(&codes).rev() {
                let fits = code == class || Classes::is_free(code) && class + codes::FREE <= code;
                run = if fits { run.saturating_add(1) } else { 0 };
                *out = run;
            }
            runs
        });
        ClassPlaces { codes, runs }
    }
}

/// Classes, some of them free up to one.
pub(crate) struct ClassPlaces {
    codes: Vec<u8>,
    /// By class: how many places from each on can have it, up to 255.
    runs: [Vec<u8>; codes::CLASSES as usize],
}

impl Places for ClassPlaces {
    #[inline]
    fn run(&self, place: usize, value: u8) -> usize {
        usize::from(self.runs[usize::from(value)][place])
    }

    #[inline]
    fn only(&self, place: usize) -> Option<u8> {
        Some(self.codes[place]).filter(|&code| !Classes::is_free(code))
    }
}

/// Numbers of depths, frequent ones first.
pub(crate) enum Numbers {}

/// A place that can have any number.
pub(crate) const FREE_NUMBER: u8 = u8::MAX;
/// Runs of free places this long are no longer filled by what is beside them.
const LONG: usize = 32;

impl Domain for Numbers {
    type Places = NumberPlaces;

    #[inline]
    fn is_free(code: u8) -> bool {
        code == FREE_NUMBER
    }

    /// The more frequent of the numbers on both sides; in long runs the most
    /// frequent of all.
    fn fill(codes: &mut [u8]) {
        let mut runs = Vec::new();
        for_each_free_run::<Numbers>(codes, |run| runs.push(run));
        for run in runs {
            let before = run.start.checked_sub(1).map_or(FREE_NUMBER, |i| codes[i]);
            let after = codes.get(run.end).copied().unwrap_or(FREE_NUMBER);
            let least = before.min(after);
            let short = run.len() < LONG && least != FREE_NUMBER;
            codes[run].fill(if short { least } else { 0 });
        }
    }

    fn places(codes: Vec<u8>) -> NumberPlaces {
        let mut runs = vec![0u8; codes.len()];
        for i in (0..codes.len()).rev() {
            let (here, next) = (codes[i], codes.get(i + 1).copied());
            let after = match next {
                Some(next) if next == here => runs[i + 1],
                Some(FREE_NUMBER) => {
                    // The free ones, and if the same number follows, its run.
                    let free = runs[i + 1];
                    let beyond = i + 1 + usize::from(free);
                    let same = free < u8::MAX && codes.get(beyond) == Some(&here);
                    if same { free.saturating_add(runs[beyond]) } else { free }
                }
                _ => 0,
            };
            runs[i] = after.saturating_add(1);
        }
        NumberPlaces { codes, runs }
    }
}

/// Numbers, some of them free.
pub(crate) struct NumberPlaces {
    codes: Vec<u8>,
    /// How many places from each on can have its number; for free ones, how
    /// many are free. Up to 255.
    runs: Vec<u8>,
}

impl Places for NumberPlaces {
    #[inline]
    fn run(&self, place: usize, value: u8) -> usize {
        let (here, run) = (self.codes[place], usize::from(self.runs[place]));
        if here == value {
            return run;
        }
        if here != FREE_NUMBER {
            return 0;
        }
        match self.codes.get(place + run) {
            Some(&next) if next == value => (run + usize::from(self.runs[place + run])).min(255),
            _ => run,
        }
    }

    #[inline]
    fn only(&self, place: usize) -> Option<u8> {
        Some(self.codes[place]).filter(|&number| number != FREE_NUMBER)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs counted one place after the other.
    fn slow_run(codes: &[u8], place: usize, fits: impl Fn(u8) -> bool) -> usize {
        codes[place..].iter().take_while(|&&code| fits(code)).count().min(255)
    }

    fn random(len: usize, codes: &[u8]) -> Vec<u8> {
        let mut seed = 5u64;
        let mut out = Vec::new();
        while out.len() < len {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let code = codes[(seed >> 40) as usize % codes.len()];
            out.extend(std::iter::repeat_n(code, (seed >> 55) as usize % 19 * ((seed >> 62) as usize)));
        }
        out
    }

    #[test]
    fn runs_of_numbers() {
        let codes = random(5000, &[0, 1, 2, FREE_NUMBER, FREE_NUMBER]);
        let places = Numbers::places(codes.clone());
        for place in 0..codes.len() {
            for value in 0..4 {
                let fits = |code| code == value || code == FREE_NUMBER;
                let slow = slow_run(&codes, place, fits);
                assert_eq!(places.run(place, value), slow, "{place} {value}");
            }
        }
    }

    #[test]
    fn runs_of_classes_and_fillings_that_fit() {
        let codes = random(5000, &[0, 1, 2, 3, 4, 5, 6, 7, 8]);
        let places = Classes::places(codes.clone());
        let fits = |code: u8, value: u8| code == value || code >= 5 && value <= code - 4;
        for place in 0..codes.len() {
            for value in 0..5 {
                let slow = slow_run(&codes, place, |code| fits(code, value));
                assert_eq!(places.run(place, value), slow);
            }
        }
        let mut filled = codes.clone();
        Classes::fill(&mut filled);
        assert!(codes.iter().zip(&filled).all(|(&code, &value)| fits(code, value)));
    }
}
