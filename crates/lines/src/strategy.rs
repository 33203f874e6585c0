//! What a side plays for.

use std::fmt;
use std::str::FromStr;

use molien_board::Color;
use molien_values::Metric;

use crate::LineError;

/// The metrics a side plays by, the most important first: `FM` minimises (or,
/// losing, maximises) DTZ and settles ties by DTM.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Strategy {
    metrics: Vec<Metric>,
}

impl Strategy {
    /// The metrics, the most important first.
    pub fn metrics(&self) -> &[Metric] {
        &self.metrics
    }
}

impl From<Metric> for Strategy {
    fn from(metric: Metric) -> Strategy {
        Strategy { metrics: vec![metric] }
    }
}

impl FromStr for Strategy {
    type Err = LineError;

    fn from_str(text: &str) -> Result<Strategy, LineError> {
        let wrong = || LineError::Strategy { found: text.to_owned() };
        if let Ok(metric) = text.parse::<Metric>() {
            return Ok(metric.into());
        }
        let letter = |c: char| match c.to_ascii_uppercase() {
            'M' => Ok(Metric::Dtm),
            'C' => Ok(Metric::Dtc),
            'F' | 'Z' => Ok(Metric::Dtz),
            _ => Err(wrong()),
        };
        let mut metrics = text.chars().map(letter).collect::<Result<Vec<_>, _>>()?;
        metrics.dedup();
        if metrics.is_empty() { Err(wrong()) } else { Ok(Strategy { metrics }) }
    }
}

/// The letters of the strategy, such as `ZM`.
impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for metric in &self.metrics {
            f.write_str(match metric {
                Metric::Dtm => "M",
                Metric::Dtc => "C",
                Metric::Dtz => "Z",
                Metric::Dtz50 => "R",
            })?;
        }
        Ok(())
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
    /// Both sides by the same metric.
    pub fn both(metric: Metric) -> Play {
        Play { white: metric.into(), black: metric.into() }
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

    #[test]
    fn letters_and_names_are_read() {
        let metrics = |text: &str| text.parse::<Strategy>().unwrap().metrics().to_vec();
        assert_eq!(metrics("fm"), [Metric::Dtz, Metric::Dtm]);
        assert_eq!(metrics("C"), [Metric::Dtc]);
        assert_eq!(metrics("dtm"), [Metric::Dtm]);
        assert!("".parse::<Strategy>().is_err());
        assert!("MX".parse::<Strategy>().is_err());
    }
}
