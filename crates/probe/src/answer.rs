//! What a probe returns.

use molien_board::Move;
use molien_values::{Category, Metric, Values, category_at, category_in};

use crate::Failure;

/// The value of a position.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Answer {
    /// The class under the 50-move rule, at the count that was asked about, if
    /// the value in DTZ50 or DTM50 is known, or the class alone. Otherwise what the known metrics tell: with
    /// the count at zero that is the class without the rule.
    pub category: Category,
    /// The depths.
    pub values: Values,
    /// Metrics that were asked for but are not known, and why.
    pub missing: Vec<Failure>,
}

impl Answer {
    /// The answer that these values give with so many plies counted under the
    /// 50-move rule; if nothing is known, why.
    pub(crate) fn new(
        values: Values,
        clock: u32,
        missing: Vec<Failure>,
    ) -> Result<Answer, Vec<Failure>> {
        match class_of(&values, clock) {
            Some(category) => Ok(Answer { category, values, missing }),
            None => Err(missing),
        }
    }
}

fn class_of(values: &Values, clock: u32) -> Option<Category> {
    Some(match values.get(Metric::Dtz50) {
        Some(value) => category_at(value, values.precision(Metric::Dtz50), clock),
        None if clock == 0 => match values.get(Metric::Wdl) {
            Some(class) => category_in(Metric::Wdl, class, clock),
            None => values.get(values.known().next()?)?.outcome().into(),
        },
        None => told_by_others(values, clock)?,
    })
}

/// What metrics other than DTZ50 tell: the first certain class, if there is one.
fn told_by_others(values: &Values, clock: u32) -> Option<Category> {
    let told = |metric| match (metric, values.get(metric)?) {
        // Counted in already.
        (Metric::Dtm50, value) => Some(value.outcome().into()),
        (metric, value) => Some(category_in(metric, value, clock)),
    };
    let told = || values.known().filter_map(told);
    let certain =
        |category: &Category| !matches!(category, Category::MaybeWin | Category::MaybeLoss);
    told().find(certain).or_else(|| told().next())
}

/// A legal move and the value of the position after it, seen from the side
/// then to move.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MoveAnswer {
    /// The move.
    pub played: Move,
    /// Its name in standard notation, such as `Rxb7+`.
    pub san: String,
    /// The position after it.
    pub after: Answer,
}

impl MoveAnswer {
    /// Sorts best first: the class for the mover, then fast wins and slow
    /// losses by the first metric that is there, then by the others, then by
    /// name.
    pub(crate) fn sort_key(&self) -> (Category, i32, [i32; Metric::ALL.len()], String) {
        // The opponent's plies: a loss far off is negative and large, a win
        // far off positive and large. Near losses come first, so do far wins.
        let depth = |metric| -self.after.values.plies(metric).unwrap_or(0);
        // Mate within the rule says all there is to say.
        let mate = depth(Metric::Dtm50);
        (self.after.category, mate, Metric::ALL.map(depth), self.played.to_string())
    }
}
