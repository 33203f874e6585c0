//! What a side plays for.

use std::fmt;
use std::str::FromStr;

use molien_board::Color;
use molien_values::Metric;

use crate::LineError;

/// One thing a side plays for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Goal {
    /// The best class under the 50-move rule, at the clock as it stands: above
    /// all a win that comes in time.
    Rule,
    /// A fast win, a slow loss, counted in a metric.
    Depth(Metric),
}

/// What a side plays for, the most important first: `ZM` minimises (or,
/// losing, maximises) DTZ and settles ties by DTM.
///
/// The letters are those of Nalimov, Wirth and Haworth. M, C and Z (or F) know
/// nothing of the 50-move rule and may throw a win away. R wins within the rule
/// wherever that is possible: of the moves that still win in time it takes the
/// one with the shortest mate. But that mate is counted without the rule, and may
/// be out of reach; who plays by DTM50 mates as soon as the rule allows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    goals: Vec<Goal>,
}

impl Strategy {
    /// Strategy R: win within the 50-move rule, then mate soon.
    pub fn within_the_rule() -> Strategy {
        Strategy { goals: vec![Goal::Rule, Goal::Depth(Metric::Dtm)] }
    }

    /// The goals, the most important first.
    pub fn goals(&self) -> &[Goal] {
        &self.goals
    }

    /// Whether the 50-move rule is looked at.
    pub fn minds_the_rule(&self) -> bool {
        self.goals.contains(&Goal::Rule)
    }

    /// The metrics, the most important first.
    pub fn metrics(&self) -> impl Iterator<Item = Metric> + '_ {
        self.goals.iter().filter_map(|goal| match goal {
            Goal::Rule => None,
            Goal::Depth(metric) => Some(*metric),
        })
    }
}

impl From<Metric> for Strategy {
    /// DTZ50 and DTM50 are meant to be played with an eye on the clock, and so are
    /// classes: alone they lead nowhere.
    fn from(metric: Metric) -> Strategy {
        let metric = if metric == Metric::Wdl { Metric::Dtz50 } else { metric };
        let rule = matches!(metric, Metric::Dtz50 | Metric::Dtm50).then_some(Goal::Rule);
        Strategy { goals: rule.into_iter().chain([Goal::Depth(metric)]).collect() }
    }
}

impl FromStr for Strategy {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Strategy, LineError> {
        if let Ok(metric) = text.parse::<Metric>() {
            return Ok(Strategy::from(metric));
        }
        let wrong = || LineError::Strategy { found: text.to_owned() };
        let mut goals: Vec<Goal> = Vec::new();
        for letter in text.chars() {
            let goal = match letter.to_ascii_uppercase() {
                'R' => Goal::Rule,
                'M' => Goal::Depth(Metric::Dtm),
                'C' => Goal::Depth(Metric::Dtc),
                // Who minds the rule counts to zeroing moves that keep the win.
                'F' | 'Z' if goals.contains(&Goal::Rule) => Goal::Depth(Metric::Dtz50),
                'F' | 'Z' => Goal::Depth(Metric::Dtz),
                _ => return Err(wrong()),
            };
            if !goals.contains(&goal) {
                goals.push(goal);
            }
        }
        match goals[..] {
            [] => Err(wrong()),
            [Goal::Rule] => Ok(Strategy::within_the_rule()),
            _ => Ok(Strategy { goals }),
        }
    }
}

/// The letters of the strategy, such as `ZM`.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Strategy::within_the_rule() {
            return f.write_str("R");
        }
        if *self == Strategy::from(Metric::Dtm50) {
            return f.write_str(Metric::Dtm50.name());
        }
        let letter = |goal: &Goal| match goal {
            Goal::Rule => "R",
            Goal::Depth(Metric::Dtm | Metric::Dtm50) => "M",
            Goal::Depth(Metric::Dtc) => "C",
            Goal::Depth(Metric::Dtz | Metric::Dtz50 | Metric::Wdl) => "Z",
        };
        self.goals.iter().try_for_each(|goal| f.write_str(letter(goal)))
    }
}

/// The strategies of both sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Play {
    /// White's.
    pub white: Strategy,
    /// Black's.
    pub black: Strategy,
}

impl Play {
    /// Both sides by the same strategy, or metric.
    pub fn both(strategy: impl Into<Strategy>) -> Play {
        let white = strategy.into();
        Play { black: white.clone(), white }
    }

    /// The strategy of a side.
    pub fn of(&self, side: Color) -> &Strategy {
        match side {
            Color::White => &self.white,
            Color::Black => &self.black,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Strategy {
        text.parse().unwrap()
    }

    #[test]
    fn letters_and_names_are_read() {
        let metrics = |text: &str| read(text).metrics().collect::<Vec<_>>();
        assert_eq!(metrics("fm"), [Metric::Dtz, Metric::Dtm]);
        assert_eq!(metrics("C"), [Metric::Dtc]);
        assert_eq!(metrics("dtm"), [Metric::Dtm]);
        assert_eq!(metrics("RZ"), [Metric::Dtz50]);
        assert_eq!(read("r"), Strategy::within_the_rule());
        assert_eq!(read("RM"), read("R"));
        assert_eq!(read("dtz50"), read("RZ"));
        assert_eq!(metrics("dtm50"), [Metric::Dtm50]);
        assert!(read("dtm50").minds_the_rule() && read("dtm50") != read("R"));
        assert!(read("R").minds_the_rule() && !read("CM").minds_the_rule());
        assert!("".parse::<Strategy>().is_err());
        assert!("MX".parse::<Strategy>().is_err());
    }

    #[test]
    fn what_is_printed_is_read_again() {
        for text in
            ["M", "C", "Z", "F", "R", "RM", "RZ", "RC", "CM", "ZM", "FCM", "RZM", "dtz50", "dtm50"]
        {
            assert_eq!(read(&read(text).to_string()), read(text), "{text}");
        }
        assert_eq!(read("RM").to_string(), "R");
        assert_eq!(read("FM").to_string(), "ZM");
    }
}
