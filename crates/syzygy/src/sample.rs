//! A sample of positions, looked up as a reader would and compared with values
//! from elsewhere.

use molien_board::{Color, Man, Material, Position, Role, Square};
use molien_probe::{ProbeError, Tablebase};
use molien_values::{Category, Metric, Value};
use thiserror::Error;

use crate::check::{REPORTED, Values, Wrong};
use crate::read::{Answer, ReadError, SyzygyFolder};
use crate::sequence::random;

/// A sample could not be compared.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum SampleError {
    /// The files do not answer.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The values to compare with could not be had.
    #[error(transparent)]
    Probe(#[from] ProbeError),
}

/// Positions asked for together. They share the squares of the pawns, so that a
/// source that solves for them solves few boards.
const TOGETHER: u64 = 250;

/// Compares random positions of a material in two sources.
///
/// # Errors
/// If a file that is needed is missing or damaged, or a value to compare with
/// cannot be had.
pub fn check_sample(
    files: &SyzygyFolder,
    tables: &Tablebase,
    material: Material,
    count: u64,
    seed: u64,
) -> Result<Values, SampleError> {
    let mut values = Values::default();
    let mut seed = seed;
    let mut left = count;
    while left > 0 {
        let positions = draw(&material, left.min(TOGETHER) as usize, &mut seed);
        left -= left.min(TOGETHER);
        let (expected, failures) = tables.values(&positions, &[Metric::Dtz50])?;
        for (position, expected) in positions.iter().zip(expected) {
            let Some(expected) = expected.get(Metric::Dtz50) else {
                let failure = failures.first().map(|failure| failure.error.clone());
                let metric = Metric::Dtz50;
                let missing = ProbeError::MissingTable { material, metric };
                return Err(failure.unwrap_or(missing).into());
            };
            values.compare(position, files.probe(position)?, expected);
        }
    }
    Ok(values)
}

impl Values {
    fn compare(&mut self, position: &Position, found: Answer, expected: Value) {
        self.compared += 1;
        let category = Category::of(expected);
        // The files count a mate as one ply.
        let plies = expected.plies().map(|plies| plies.max(1));
        let in_range = match (found.plies, plies) {
            (Some(found), Some(plies)) => (found.least..=found.most).contains(&plies),
            (found, plies) => found.is_none() && plies.is_none(),
        };
        if found.category == category && in_range {
            return;
        }
        self.wrong += 1;
        if self.first.len() < REPORTED {
            let words = |category: Category, plies: Option<String>| match plies {
                Some(plies) => format!("{category} in {plies} plies"),
                None => category.to_string(),
            };
            self.first.push(Wrong {
                position: *position,
                found: words(found.category, found.plies.map(|plies| plies.to_string())),
                expected: words(category, plies.map(|plies| plies.to_string())),
            });
        }
    }
}

/// Legal positions at random, the pawns of all on the same squares.
fn draw(material: &Material, count: usize, seed: &mut u64) -> Vec<Position> {
    let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
    let (pawns, pieces): (Vec<Man>, Vec<Man>) =
        material.men().chain(kings).partition(|man| man.role == Role::Pawn);
    let mut found = Vec::with_capacity(count);
    // Few placements of pawns leave no room for legal positions; then others
    // are drawn.
    let mut tries = 0;
    let mut fixed = place(&pawns, &[], seed);
    while found.len() < count {
        tries += 1;
        if tries % 4096 == 0 {
            fixed = place(&pawns, &[], seed);
        }
        let turn = if random(seed) & 1 == 0 { Color::White } else { Color::Black };
        let men = place(&pieces, &fixed, seed);
        let legal = |position: &Position| position.check_legal().is_ok();
        found.extend(Position::new(men, turn).ok().filter(legal));
    }
    found
}

/// Men on random squares that are free, beside those already placed.
fn place(men: &[Man], placed: &[(Man, Square)], seed: &mut u64) -> Vec<(Man, Square)> {
    let mut out = placed.to_vec();
    for &man in men {
        let (first, squares) = if man.role == Role::Pawn { (8, 48) } else { (0, 64) };
        loop {
            let square = Square::new(first + (random(seed) % squares) as usize);
            if out.iter().all(|(_, taken)| *taken != square) {
                out.push((man, square));
                break;
            }
        }
    }
    out
}
