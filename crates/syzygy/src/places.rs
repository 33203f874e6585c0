//! Sequences of values some of which are free.

use crate::codes;
use crate::parse::Places;

/// A number that stands for any.
pub(crate) const FREE_NUMBER: u8 = u8::MAX;

/// Classes, some of them free up to one.
pub(crate) struct ClassPlaces {
    codes: Vec<u8>,
    /// By class: how many places from each on can have it, up to 255.
    runs: [Vec<u8>; codes::CLASSES as usize],
}

impl ClassPlaces {
    pub fn new(codes: Vec<u8>) -> ClassPlaces {
        let runs = std::array::from_fn(|class| {
            let mut run = 0u8;
            let mut runs = vec![0; codes.len()];
            for (out, &code) in runs.iter_mut().zip(&codes).rev() {
                let class = class as u8;
                let fits = code == class || code >= codes::CLASSES && class + codes::FREE <= code;
                run = if fits { run.saturating_add(1) } else { 0 };
                *out = run;
            }
            runs
        });
        ClassPlaces { codes, runs }
    }
}

impl Places for ClassPlaces {
    fn len(&self) -> usize {
        self.codes.len()
    }

    #[inline]
    fn run(&self, place: usize, value: u8) -> usize {
        usize::from(self.runs[usize::from(value)][place])
    }

    #[inline]
    fn only(&self, place: usize) -> Option<u8> {
        Some(self.codes[place]).filter(|&code| code < codes::CLASSES)
    }
}

/// Numbers, some of them free.
pub(crate) struct NumberPlaces {
    numbers: Vec<u8>,
    /// How many places from each on can have its number; for free ones, how
    /// many are free. Up to 255.
    runs: Vec<u8>,
}

impl NumberPlaces {
    pub fn new(numbers: Vec<u8>) -> NumberPlaces {
        let mut runs = vec![0u8; numbers.len()];
        for i in (0..numbers.len()).rev() {
            let Some(&next) = numbers.get(i + 1) else {
                runs[i] = 1;
                continue;
            };
            let here = numbers[i];
            let after = if next == here {
                runs[i + 1]
            } else if next == FREE_NUMBER {
                // The free ones, and if the same number follows, its run.
                let free = runs[i + 1];
                let beyond = i + 1 + usize::from(free);
                let same = free < 255 && numbers.get(beyond) == Some(&here);
                if same { free.saturating_add(runs[beyond]) } else { free }
            } else {
                0
            };
            runs[i] = after.saturating_add(1);
        }
        NumberPlaces { numbers, runs }
    }
}

impl Places for NumberPlaces {
    fn len(&self) -> usize {
        self.numbers.len()
    }

    #[inline]
    fn run(&self, place: usize, value: u8) -> usize {
        let here = self.numbers[place];
        let run = usize::from(self.runs[place]);
        if here == value {
            return run;
        }
        if here != FREE_NUMBER {
            return 0;
        }
        match self.numbers.get(place + run) {
            Some(&next) if next == value => (run + usize::from(self.runs[place + run])).min(255),
            _ => run,
        }
    }

    #[inline]
    fn only(&self, place: usize) -> Option<u8> {
        Some(self.numbers[place]).filter(|&number| number != FREE_NUMBER)
    }
}
