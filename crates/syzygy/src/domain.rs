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
    /// How many places from this one on can have this value.
    fn run(&self, place: usize, value: u8) -> usize;
    /// How many places from this one on can have nothing but the value of this
    /// one; 0 if it is free.
    fn fixed(&self, place: usize) -> usize;
    /// The values to be tried at a place; of a free one not all that it could
    /// have.
    fn options(&self, place: usize) -> Options;
}

/// Values tried at a free place.
const OPTIONS: usize = 3;

/// A few values.
#[derive(Clone, Copy)]
pub(crate) struct Options {
    values: [u8; OPTIONS],
    len: u8,
}

impl Options {
    fn one(value: u8) -> Options {
        Options { values: [value; OPTIONS], len: 1 }
    }

    /// These, without repetitions.
    #[inline]
    fn some(values: [u8; OPTIONS]) -> Options {
        let mut options = Options { values, len: 0 };
        for value in values {
            if !options.values().contains(&value) {
                options.values[usize::from(options.len)] = value;
                options.len += 1;
            }
        }
        options
    }

    /// The values.
    #[inline]
    pub fn values(&self) -> &[u8] {
        &self.values[..usize::from(self.len)]
    }
}

/// For each place the last value before it that is not free, or this if there
/// is none.
fn last_taken<'a, D: Domain>(codes: impl Iterator<Item = &'a u8>, none: u8) -> Vec<u8> {
    codes
        .scan(none, |last, &code| {
            *last = if D::is_free(code) { *last } else { code };
            Some(*last)
        })
        .collect()
}

/// The values on both sides of free places.
struct Sides {
    before: Vec<u8>,
    after: Vec<u8>,
}

impl Sides {
    fn new<D: Domain>(codes: &[u8], none: u8) -> Sides {
        let mut after = last_taken::<D>(codes.iter().rev(), none);
        after.reverse();
        Sides { before: last_taken::<D>(codes.iter(), none), after }
    }
}

/// For each place, how many from there on are equal and not free.
fn fixed_runs<D: Domain>(codes: &[u8]) -> Vec<u16> {
    let mut runs = vec![0; codes.len()];
    let (mut run, mut last) = (0, 0);
    for (out, &code) in runs.iter_mut().zip(codes).rev() {
        run = if D::is_free(code) {
            0
        } else if code == last {
            run + 1
        } else {
            1
        };
        last = code;
        *out = run;
    }
    runs
}

/// Calls `f` with every run of free places.
pub(crate) fn for_each_free_run<D: Domain>(
    codes: &[u8],
    mut f: impl FnMut(std::ops::Range<usize>),
) {
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
            let mut run = 0;
            let mut runs = vec![0; codes.len()];
            for (out, &code) in runs.iter_mut().zip(&codes).rev() {
                let fits = code == class || Classes::is_free(code) && class + codes::FREE <= code;
                run = if fits { run + 1 } else { 0 };
                *out = run;
            }
            runs
        });
        let sides = Sides::new::<Classes>(&codes, codes::DRAW);
        ClassPlaces { fixed: fixed_runs::<Classes>(&codes), codes, runs, sides }
    }
}

/// Classes, some of them free up to one.
pub(crate) struct ClassPlaces {
    codes: Vec<u8>,
    fixed: Vec<u16>,
    /// By class: how many places from each on can have it.
    runs: [Vec<u16>; codes::CLASSES as usize],
    sides: Sides,
}

impl Places for ClassPlaces {
    #[inline]
    fn run(&self, place: usize, value: u8) -> usize {
        usize::from(self.runs[usize::from(value)][place])
    }

    #[inline]
    fn fixed(&self, place: usize) -> usize {
        usize::from(self.fixed[place])
    }

    #[inline]
    fn options(&self, place: usize) -> Options {
        let code = self.codes[place];
        if !Classes::is_free(code) {
            return Options::one(code);
        }
        let most = code - codes::FREE;
        let (before, after) = (self.sides.before[place], self.sides.after[place]);
        Options::some([before.min(most), after.min(most), codes::DRAW.min(most)])
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
        let mut runs = vec![0u16; codes.len()];
        for i in (0..codes.len()).rev() {
            let (here, next) = (codes[i], codes.get(i + 1).copied());
            let after = match next {
                Some(next) if next == here => runs[i + 1],
                Some(FREE_NUMBER) => {
                    // The free ones, and if the same number follows, its run.
                    let free = runs[i + 1];
                    let beyond = i + 1 + usize::from(free);
                    let same = codes.get(beyond) == Some(&here);
                    if same { free + runs[beyond] } else { free }
                }
                _ => 0,
            };
            runs[i] = after + 1;
        }
        let sides = Sides::new::<Numbers>(&codes, 0);
        NumberPlaces { fixed: fixed_runs::<Numbers>(&codes), codes, runs, sides }
    }
}

/// Numbers, some of them free.
pub(crate) struct NumberPlaces {
    codes: Vec<u8>,
    fixed: Vec<u16>,
    /// How many places from each on can have its number; for free ones, how
    /// many are free.
    runs: Vec<u16>,
    sides: Sides,
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
            Some(&next) if next == value => run + usize::from(self.runs[place + run]),
            _ => run,
        }
    }

    #[inline]
    fn fixed(&self, place: usize) -> usize {
        usize::from(self.fixed[place])
    }

    /// What is on both sides of the free ones, and the most frequent.
    #[inline]
    fn options(&self, place: usize) -> Options {
        let code = self.codes[place];
        if code != FREE_NUMBER {
            return Options::one(code);
        }
        Options::some([self.sides.before[place], self.sides.after[place], 0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs counted one place after the other.
    fn slow_run(codes: &[u8], place: usize, fits: impl Fn(u8) -> bool) -> usize {
        codes[place..].iter().take_while(|&&code| fits(code)).count()
    }

    fn random(len: usize, codes: &[u8]) -> Vec<u8> {
        let mut seed = 5u64;
        let mut out = Vec::new();
        while out.len() < len {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let code = codes[(seed >> 40) as usize % codes.len()];
            out.extend(std::iter::repeat_n(
                code,
                (seed >> 55) as usize % 19 * ((seed >> 62) as usize),
            ));
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
