//! Positions and values as files that other programs read.
//!
//! Columns: `fen`; `turn` (`w` or `b`); `category` for the side to move under
//! the 50-move rule, its count at zero (`win`, `cursed-win`, `draw`,
//! `blessed-loss`, `loss`; `maybe-win` and `maybe-loss` where the tables do not
//! tell whether the rule comes first); one column for every man with its square, such as
//! `white_king`, `white_rook`, `white_rook2`; and one for every metric, in
//! plies: positive for a win of the side to move, negative for a loss, 0 for
//! mated, empty for a draw.

mod csv;
#[cfg(feature = "parquet")]
mod parquet;

pub use csv::CsvWriter;
#[cfg(feature = "parquet")]
pub use parquet::ParquetWriter;

use molien_board::{Color, Man, Material, Role, Square};
use molien_values::{Metric, Value};

use crate::{Hit, MineError};

/// A file that takes rows.
pub trait RowWriter {
    /// Adds a position.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn write(&mut self, hit: &Hit) -> Result<(), MineError>;

    /// Ends the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn finish(self: Box<Self>) -> Result<(), MineError>;
}

/// What the columns hold.
#[derive(Clone, Debug)]
pub struct Columns {
    men: Vec<Man>,
    metrics: Vec<Metric>,
}

impl Columns {
    /// The columns for a material in some metrics.
    pub fn new(material: Material, metrics: &[Metric]) -> Columns {
        let of_side = |color| {
            let king = Man::new(color, Role::King);
            [king].into_iter().chain(material.men().filter(move |man| man.color == color))
        };
        let men = Color::BOTH.into_iter().flat_map(of_side).collect();
        Columns { men, metrics: metrics.to_vec() }
    }

    /// The names of the columns of men.
    pub fn man_names(&self) -> Vec<String> {
        let name = |(i, man): (usize, &Man)| {
            let number = 1 + self.men[..i].iter().filter(|other| *other == man).count();
            let number = if number == 1 { String::new() } else { number.to_string() };
            let color = man.color.to_string().to_lowercase();
            format!("{color}_{}{number}", role_name(man.role))
        };
        self.men.iter().enumerate().map(name).collect()
    }

    /// The squares of the men; like men in rising order.
    pub fn squares(&self, hit: &Hit) -> Vec<Square> {
        let square = |(i, man): (usize, &Man)| {
            let earlier = self.men[..i].iter().filter(|other| *other == man).count();
            hit.position.of(*man).into_iter().nth(earlier).unwrap_or(Square::new(0))
        };
        self.men.iter().enumerate().map(square).collect()
    }

    fn plies(&self, hit: &Hit) -> Vec<Option<i32>> {
        let plies = |metric: &Metric| hit.values[*metric as usize].and_then(Value::signed_plies);
        self.metrics.iter().map(plies).collect()
    }

    fn names(&self) -> Vec<String> {
        let fixed = ["fen", "turn", "category"].map(str::to_owned);
        let metrics = self.metrics.iter().map(|metric| metric.name().to_owned());
        fixed.into_iter().chain(self.man_names()).chain(metrics).collect()
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::King => "king",
        Role::Queen => "queen",
        Role::Rook => "rook",
        Role::Bishop => "bishop",
        Role::Knight => "knight",
        Role::Pawn => "pawn",
    }
}

fn turn_letter(hit: &Hit) -> &'static str {
    match hit.position.turn() {
        Color::White => "w",
        Color::Black => "b",
    }
}

fn category(hit: &Hit) -> &'static str {
    hit.category.name()
}
