//! From counts to heights.

/// How counts become heights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Scale {
    /// Twice as many, twice as high.
    #[default]
    Linear,
    /// Ten times as many, one step higher: the few at the far end can be seen.
    Logarithmic,
}

/// A count of one still has a height on a logarithmic axis.
const FOOT: f64 = 0.3;

/// An axis from 0 (or 1) to a round ceiling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    scale: Scale,
    ceiling: u64,
}

impl Axis {
    pub fn new(scale: Scale, highest: u64) -> Axis {
        let ceiling = match scale {
            Scale::Linear => highest.div_ceil(tick(highest)) * tick(highest),
            Scale::Logarithmic => power_of_ten_from(highest),
        };
        Axis { scale, ceiling: ceiling.max(1) }
    }

    /// The share of the height that a count takes, 0 to 1.
    pub fn share(&self, count: u64) -> f64 {
        let log = |count: u64| (count as f64).log10() + FOOT;
        match (self.scale, count) {
            (_, 0) => 0.0,
            (Scale::Linear, _) => count as f64 / self.ceiling as f64,
            (Scale::Logarithmic, _) => log(count) / log(self.ceiling),
        }
    }

    /// The counts that get a line and a name.
    pub fn ticks(&self) -> Vec<u64> {
        match self.scale {
            Scale::Linear => {
                let step = tick(self.ceiling);
                (0..=self.ceiling / step).map(|i| i * step).collect()
            }
            Scale::Logarithmic => {
                let powers = std::iter::successors(Some(1u64), |power| power.checked_mul(10));
                powers.take_while(|power| *power <= self.ceiling).collect()
            }
        }
    }
}

fn power_of_ten_from(count: u64) -> u64 {
    let mut power = 1u64;
    while power < count && power < u64::MAX / 10 {
        power *= 10;
    }
    power
}

/// A round step that divides a range into at most ten.
pub(super) fn tick(range: u64) -> u64 {
    let mut power = 1;
    loop {
        for step in [1, 2, 5].map(|digit| digit * power) {
            if range / step <= 10 {
                return step;
            }
        }
        power *= 10;
    }
}

/// A number with its digits grouped.
pub(super) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round() {
        assert_eq!([0, 9, 11, 60, 4000, 7_654_321].map(tick), [1, 1, 2, 10, 500, 1_000_000]);
        assert_eq!(grouped(1_234_567), "1,234,567");
        let log = Axis::new(Scale::Logarithmic, 4321);
        assert_eq!(log.ticks(), [1, 10, 100, 1000, 10_000]);
    }

    #[test]
    fn heights_grow_with_counts_and_stay_on_the_axis() {
        for scale in [Scale::Linear, Scale::Logarithmic] {
            for highest in [1, 2, 7, 99, 100, 123_456, u64::MAX / 20] {
                let axis = Axis::new(scale, highest);
                let counts = [0, 1, highest / 3 + 1, highest];
                let shares = counts.map(|count| axis.share(count));
                assert!(shares.is_sorted() && shares[0] == 0.0 && shares[3] <= 1.0, "{highest}");
                assert!(shares[1] > 0.0);
            }
        }
    }
}
