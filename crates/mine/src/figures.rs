//! The figures of a table in one metric and one counting.

use molien_board::Color;
use molien_values::{Count, Counting, FIFTY_MOVES_PLIES, Metric, Stats};

use crate::horizon;

/// Numbers of positions by class, for the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Shares {
    /// Won.
    pub wins: u64,
    /// Won, but spoilt by the 50-move rule.
    pub cursed_wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost, but saved by the 50-move rule.
    pub blessed_losses: u64,
    /// Lost.
    pub losses: u64,
}

impl Shares {
    /// All positions.
    pub fn total(&self) -> u64 {
        let Shares { wins, cursed_wins, draws, blessed_losses, losses } = self;
        wins + cursed_wins + draws + blessed_losses + losses
    }
}

/// What happens at one ply.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct PlyFigures {
    /// The ply.
    pub ply: usize,
    /// Positions won in so many plies.
    pub wins: u64,
    /// Positions lost in so many plies.
    pub losses: u64,
    /// The share of decided positions among those not decided within so many
    /// plies.
    pub horizon: f64,
}

/// Statistics as they are counted and read.
#[derive(Clone, Copy, Debug)]
pub struct Figures<'a> {
    /// The numbers.
    pub stats: &'a Stats,
    /// As asked; the numbers may be those of an equal metric.
    pub metric: Metric,
    /// How positions are counted.
    pub counting: Counting,
}

impl Figures<'_> {
    /// A number in this counting.
    pub fn number(&self, count: Count) -> u64 {
        self.stats.number(count, self.counting)
    }

    /// Whether the metric knows of the 50-move rule.
    pub fn minds_the_rule(&self) -> bool {
        self.metric == Metric::Dtz50
    }

    /// The last ply that the 50-move rule does not spoil, if the metric knows
    /// of the rule.
    pub fn last_ply(&self) -> Option<usize> {
        self.minds_the_rule().then_some(usize::from(FIFTY_MOVES_PLIES))
    }

    /// Positions of a side to move by class. Without the 50-move rule nothing
    /// is cursed.
    pub fn shares(&self, side: Color) -> Shares {
        let stats = &self.stats.sides[side.index()];
        let spoilt = |count: Count| if self.minds_the_rule() { self.number(count) } else { 0 };
        let (cursed_wins, blessed_losses) =
            (spoilt(stats.cursed_wins()), spoilt(stats.blessed_losses()));
        let wins = self.stats.wins(side, self.counting);
        // Placements that only a convention counts as wins count as positions.
        let conventional = wins - self.number(stats.total_wins());
        let legal = self.number(stats.legal) + conventional;
        let losses = self.number(stats.total_losses());
        Shares {
            wins: wins - cursed_wins,
            cursed_wins,
            draws: legal.saturating_sub(wins + losses),
            blessed_losses,
            losses: losses - blessed_losses,
        }
    }

    /// Wins and losses of a side to move, by ply.
    pub fn by_ply(&self, side: Color) -> [Vec<u64>; 2] {
        let stats = &self.stats.sides[side.index()];
        let numbers = |counts: &[Count]| counts.iter().map(|&count| self.number(count)).collect();
        [numbers(&stats.wins), numbers(&stats.losses)]
    }

    /// Wins, losses and horizon at every ply that occurs.
    pub fn plies(&self, side: Color) -> Vec<PlyFigures> {
        let [wins, losses] = self.by_ply(side);
        let at = |counts: &[u64], ply: usize| counts.get(ply).copied().unwrap_or(0);
        let legal = self.number(self.stats.sides[side.index()].legal);
        let of_ply = |(ply, horizon)| {
            let (wins, losses) = (at(&wins, ply), at(&losses, ply));
            PlyFigures { ply, wins, losses, horizon }
        };
        let plies = horizon(legal, &wins, &losses).into_iter().enumerate().map(of_ply);
        plies.filter(|figures| figures.wins + figures.losses > 0).collect()
    }
}
