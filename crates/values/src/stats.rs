//! Counts, histograms, maxima, zugzwangs.

use std::fmt;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use molien_board::{Color, Material, Position};

use crate::{FIFTY_MOVES_PLIES, Metric, UnknownName, Value};

/// How positions are counted in published tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Counting {
    /// Each class under symmetry and exchange of like men once.
    Unique,
    /// As `Unique`, but the two mirror images that arise when both kings
    /// stand on the long diagonal count separately.
    Nalimov,
    /// Like men told apart, and white-to-move placements with Black in check
    /// counted as White wins.
    Stiller,
}

impl FromStr for Counting {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Counting, UnknownName> {
        match text.to_ascii_lowercase().as_str() {
            "unique" => Ok(Counting::Unique),
            "nalimov" => Ok(Counting::Nalimov),
            "stiller" => Ok(Counting::Stiller),
            _ => Err(UnknownName::new("way of counting", text, "unique, nalimov or stiller")),
        }
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Counting::Unique => "unique",
            Counting::Nalimov => "nalimov",
            Counting::Stiller => "stiller",
        })
    }
}

/// A number of positions, counted in two ways at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// As [`Counting::Unique`].
    pub unique: u64,
    /// As [`Counting::Nalimov`].
    pub nalimov: u64,
}

impl Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { unique: self.unique + other.unique, nalimov: self.nalimov + other.nalimov }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        counts.fold(Count::default(), Add::add)
    }
}

/// A longest win or loss: its depth and one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Longest {
    /// Depth in plies.
    pub plies: u16,
    /// The first such position in the order of the table.
    pub position: Position,
}

/// Statistics of one side to move, seen from that side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SideStats {
    /// Legal positions.
    pub legal: Count,
    /// Placements that are illegal because the other side is in check.
    pub broken: Count,
    /// Wins by depth in plies.
    pub wins: Vec<Count>,
    /// Losses by depth in plies.
    pub losses: Vec<Count>,
    /// The deepest win.
    pub longest_win: Option<Longest>,
    /// The deepest loss.
    pub longest_loss: Option<Longest>,
}

impl SideStats {
    /// All wins.
    pub fn total_wins(&self) -> Count {
        self.wins.iter().copied().sum()
    }

    /// All losses.
    pub fn total_losses(&self) -> Count {
        self.losses.iter().copied().sum()
    }

    /// Whether wins and losses are counted by their depth: where only who wins was asked
    /// for, no longest ones are known.
    fn counts_depths(&self) -> bool {
        let is_some = |counts: &[Count]| counts.iter().any(|count| count.nalimov > 0);
        (self.longest_win.is_some() || !is_some(&self.wins))
            && (self.longest_loss.is_some() || !is_some(&self.losses))
    }

    /// The wins that the 50-move rule spoils. Of statistics in DTZ50 only: no
    /// other metric tells.
    pub fn cursed_wins(&self) -> Count {
        beyond_the_rule(&self.wins)
    }

    /// The losses that the 50-move rule saves, under the same condition.
    pub fn blessed_losses(&self) -> Count {
        beyond_the_rule(&self.losses)
    }

    /// Adds the counts of another part of the same table; of equal depths
    /// the position found first stays.
    pub fn absorb(&mut self, other: &SideStats) {
        self.legal += other.legal;
        self.broken += other.broken;
        add_histogram(&mut self.wins, &other.wins);
        add_histogram(&mut self.losses, &other.losses);
        keep_longer(&mut self.longest_win, &other.longest_win);
        keep_longer(&mut self.longest_loss, &other.longest_loss);
    }

    fn swap_colors(mut self) -> SideStats {
        for longest in [&mut self.longest_win, &mut self.longest_loss].into_iter().flatten() {
            longest.position = longest.position.swap_colors();
        }
        self
    }
}

fn beyond_the_rule(by_ply: &[Count]) -> Count {
    by_ply.iter().skip(usize::from(FIFTY_MOVES_PLIES) + 1).copied().sum()
}

fn add_histogram(into: &mut Vec<Count>, from: &[Count]) {
    if into.len() < from.len() {
        into.resize(from.len(), Count::default());
    }
    into.iter_mut().zip(from).for_each(|(a, b)| *a += *b);
}

fn keep_longer(mine: &mut Option<Longest>, other: &Option<Longest>) {
    let longer = match (&mine, other) {
        (None, Some(_)) => true,
        (Some(a), Some(b)) => b.plies > a.plies,
        _ => false,
    };
    if longer {
        mine.clone_from(other);
    }
}

/// Mutual zugzwangs by type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Zugzwangs {
    /// White to move draws, Black to move loses.
    pub white_wins: Count,
    /// Black to move draws, White to move loses.
    pub black_wins: Count,
    /// Whoever moves loses.
    pub full_point: Count,
}

/// Statistics of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The material, in this orientation.
    pub material: Material,
    /// What is counted in the histograms.
    pub metric: Metric,
    /// White to move, Black to move.
    pub sides: [SideStats; 2],
    /// Mutual zugzwangs.
    pub zugzwangs: Zugzwangs,
}

impl Stats {
    /// Nothing counted yet.
    pub fn new(material: Material, metric: Metric) -> Stats {
        Stats { material, metric, sides: Default::default(), zugzwangs: Zugzwangs::default() }
    }

    /// In how many ways like men can be told apart.
    pub fn labelled_factor(&self) -> u64 {
        let mut kinds: Vec<molien_board::Man> = self.material.men().collect();
        kinds.dedup();
        let factorial = |n: usize| (1..=n as u64).product::<u64>();
        kinds.into_iter().map(|man| factorial(self.material.count(man))).product()
    }

    /// The greatest depth of a win or loss of either side, in plies.
    pub fn deepest(&self) -> usize {
        let histograms = self.sides.iter().flat_map(|side| [&side.wins, &side.losses]);
        histograms.map(|plies| plies.len().saturating_sub(1)).max().unwrap_or(0)
    }

    /// Whether wins and losses are counted by depth, as far as the metric has any.
    pub fn counts_depths(&self) -> bool {
        self.metric == Metric::Wdl || self.sides.iter().all(SideStats::counts_depths)
    }

    /// Whether something takes longer than the 50-move rule allows.
    pub fn is_cursed(&self) -> bool {
        self.deepest() > usize::from(FIFTY_MOVES_PLIES)
    }

    /// Statistics in DTZ50 as those of the classes alone. Nothing is longest.
    pub fn as_classes(&self) -> Stats {
        let by_class = |by_ply: &[Count], value: fn(u16) -> Value| {
            let mut classes = Vec::new();
            for (plies, &count) in by_ply.iter().enumerate().filter(|(_, n)| n.nalimov > 0) {
                let class = value(plies as u16).as_class().plies().unwrap_or(0);
                let len = classes.len().max(usize::from(class) + 1);
                classes.resize(len, Count::default());
                classes[usize::from(class)] += count;
            }
            classes
        };
        let side = |side: &SideStats| SideStats {
            legal: side.legal,
            broken: side.broken,
            wins: by_class(&side.wins, Value::Win),
            losses: by_class(&side.losses, Value::Loss),
            longest_win: None,
            longest_loss: None,
        };
        Stats {
            material: self.material,
            metric: Metric::Wdl,
            sides: self.sides.each_ref().map(side),
            zugzwangs: self.zugzwangs,
        }
    }

    /// A count in the wanted counting (wins of White to move need
    /// [`Stats::wins`] for Stiller's).
    pub fn number(&self, count: Count, counting: Counting) -> u64 {
        match counting {
            Counting::Unique => count.unique,
            Counting::Nalimov => count.nalimov,
            Counting::Stiller => count.nalimov * self.labelled_factor(),
        }
    }

    /// The wins of a side to move. In Stiller's counting a white-to-move
    /// placement with Black in check is a win.
    pub fn wins(&self, side: Color, counting: Counting) -> u64 {
        let stats = &self.sides[side.index()];
        let broken = match (counting, side) {
            (Counting::Stiller, Color::White) => self.number(stats.broken, counting),
            _ => 0,
        };
        self.number(stats.total_wins(), counting) + broken
    }

    /// The same statistics with the colours exchanged.
    pub fn swap_colors(&self) -> Stats {
        let [white, black] = self.sides.clone();
        Stats {
            material: self.material.swap_colors(),
            metric: self.metric,
            sides: [black.swap_colors(), white.swap_colors()],
            zugzwangs: Zugzwangs {
                white_wins: self.zugzwangs.black_wins,
                black_wins: self.zugzwangs.white_wins,
                full_point: self.zugzwangs.full_point,
            },
        }
    }

    /// Adds the counts of another part of the same table.
    pub fn absorb(&mut self, other: &Stats) {
        for (mine, theirs) in self.sides.iter_mut().zip(&other.sides) {
            mine.absorb(theirs);
        }
        self.zugzwangs.white_wins += other.zugzwangs.white_wins;
        self.zugzwangs.black_wins += other.zugzwangs.black_wins;
        self.zugzwangs.full_point += other.zugzwangs.full_point;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_spoils_what_is_deeper_than_a_hundred_plies() {
        let one = Count { unique: 1, nalimov: 2 };
        let side = SideStats { wins: vec![one; 104], losses: vec![one; 101], ..Default::default() };
        assert_eq!(side.cursed_wins(), Count { unique: 3, nalimov: 6 });
        assert_eq!(side.blessed_losses(), Count::default());
        assert_eq!(SideStats::default().cursed_wins(), Count::default());
    }
}
