//! Learning in two steps: which questions tell most, from a small sample and all of
//! them; then a tree of those few, from a large one. Most questions tell little that
//! others do not, and each costs its time in every cell of a sample and in every row
//! that is read.

use std::cmp::Reverse;
use std::convert::Infallible;

use crate::learn::{BIT, Growth, Stratum, cost, grow, grow_from, leaf_counts};
use crate::profile::Profile;
use crate::question::Question;
use crate::sample::Sample;
use crate::tree::{Node, Tree};

/// About how many cells the questions are chosen by, and how far a tree is grown for
/// that.
const FIRST_SAMPLE: usize = 40_000;
const FIRST_LEAVES: usize = 400;

/// Where the first tree also says how to thin out a sample, it comes from so many cells at
/// most, and from one for so many of the sample.
const MOST_FIRST: usize = 200_000;
const FIRST_SHARE: usize = 3;

/// A tree of so many leaves says where there is more to learn.
const COARSE_LEAVES: usize = 200;

/// What there may be to tell in a leaf beyond what few cells show of it.
const UNSEEN_BITS: u64 = 8;

/// Where samples come from.
pub(crate) trait Sampler {
    /// A sample of about so many cells with their answers to some questions, and the number
    /// of all cells.
    fn sample(&self, questions: &[Question], size: usize) -> (Sample, u64);

    /// A sample of which the leaves of a tree have their shares, so that about so many
    /// cells come together; the cells of each leaf; and the number of all cells. The tree
    /// asks questions of the second list.
    fn thinned(
        &self,
        questions: &[Question],
        thinning: &Thinning<'_>,
    ) -> (Sample, Vec<Stratum>, u64);
}

/// How a sample is thinned out.
pub(crate) struct Thinning<'a> {
    pub tree: &'a Tree,
    /// The questions of the tree.
    pub questions: &'a [Question],
    /// How many cells are wanted.
    pub size: usize,
    /// For each leaf how often its cells are taken, in relation to others.
    pub weights: Vec<u64>,
    /// How many cells of each leaf there are, in relation to others.
    pub cells: Vec<u64>,
}

/// Shares in 65536ths.
pub(crate) const ONE: u64 = 1 << 16;

impl<'a> Thinning<'a> {
    /// How cells are best taken, by a small sample and a tree grown from it.
    fn new(sample: &Sample, tree: &'a Tree, questions: &'a [Question], size: usize) -> Self {
        let counts = leaf_counts(sample, tree);
        // What learning from few cells costs is how many cells each stands for, times the
        // leaves to be found, which are the more the more there is to tell; that is least
        // in all if cells are taken as often as the root of what there is to tell of each.
        let weight = |counts: &Vec<u64>| {
            let all: u64 = counts.iter().sum();
            ((cost(counts) + UNSEEN_BITS * BIT) * ONE / (all + 1)).isqrt()
        };
        let weights = counts.iter().map(weight).collect();
        let cells = counts.iter().map(|counts| counts.iter().sum()).collect();
        Thinning { tree, questions, size, weights, cells }
    }

    /// What is kept of each leaf's cells where of all together one in so many (in 16ths)
    /// is, in 65536ths: as the weights say, but not more than all.
    pub fn shares(&self, one_in16: u64) -> Vec<u64> {
        let all: u64 = self.cells.iter().sum();
        let wanted = all * ONE * 16 / one_in16.max(1);
        let share = |weight: u64, factor: u64| (weight * factor / ONE).min(ONE);
        let kept = |factor: u64| -> u64 {
            let leaves = self.weights.iter().zip(&self.cells);
            leaves.map(|(&weight, cells)| share(weight, factor) * cells).sum()
        };
        // The least factor that is enough.
        let (mut low, mut high) = (0, ONE * ONE);
        while low < high {
            let middle = (low + high) / 2;
            if kept(middle) < wanted { low = middle + 1 } else { high = middle }
        }
        self.weights.iter().map(|&weight| share(weight, low)).collect()
    }
}

/// The numbers of the questions that gain most, rising, and the tree in which they do.
fn telling(sample: &mut Sample, cells: u64, most: usize) -> (Vec<u16>, Growth) {
    let whole = Stratum::whole(sample, cells);
    let growth = grow_from(sample, &Tree::stump(), &[whole], FIRST_LEAVES);
    let gains = &growth.gains;
    let mut numbers: Vec<u16> = (0..gains.len() as u16).collect();
    numbers.sort_by_key(|&number| (Reverse(gains[usize::from(number)]), number));
    numbers.truncate(most.max(1));
    numbers.sort_unstable();
    (numbers, growth)
}

/// Learns a tree of a table of so many cells, stored or not, and says about how many are
/// stored.
///
/// Most cells of a large table fall where little is left to tell. So what comes first of
/// all, a tree from a small sample, says not only which questions tell most but where
/// there is more to learn; a large sample has more cells from there.
pub(crate) fn learn(
    questions: &[Question],
    profile: &Profile,
    in_all: usize,
    sampler: &impl Sampler,
) -> (Tree, u64) {
    let size = profile.sample_of(in_all);
    let list = |numbers: &[u16]| -> Vec<Question> {
        numbers.iter().map(|&number| questions[usize::from(number)]).collect()
    };
    if in_all <= size {
        let first = |size: usize| Ok::<_, Infallible>(sampler.sample(questions, size));
        let Ok(numbers) = telling_questions(questions, profile, size, first);
        let (mut sample, cells) = sampler.sample(&list(&numbers), size);
        return (grow_of(&mut sample, cells, &numbers, profile.leaves), cells);
    }
    let first_size = (size / FIRST_SHARE).clamp(FIRST_SAMPLE, MOST_FIRST);
    let (mut first, cells) = sampler.sample(questions, first_size.min(size));
    let most = profile.questions.unwrap_or(questions.len());
    let (numbers, growth) = telling(&mut first, cells, most);
    let mut coarse = growth.early(COARSE_LEAVES.min(profile.leaves), &numbers);
    let thinning = Thinning::new(&first, &coarse, questions, size);
    drop(first);
    let (mut sample, strata, cells) = sampler.thinned(&list(&numbers), &thinning);
    // The large sample knows the few questions only.
    renumber(&mut coarse, |number| numbers.partition_point(|&few| few < number) as u16);
    let mut tree = grow_from(&mut sample, &coarse, &strata, profile.leaves).tree();
    renumber(&mut tree, |number| numbers[usize::from(number)]);
    (tree, cells)
}

/// The numbers of the questions that a tree is to ask, rising. `sample` gives a sample of
/// about so many cells with their answers to all questions.
///
/// # Errors
/// If there is no sample.
pub(crate) fn telling_questions<E>(
    questions: &[Question],
    profile: &Profile,
    size: usize,
    sample: impl Fn(usize) -> Result<(Sample, u64), E>,
) -> Result<Vec<u16>, E> {
    match profile.questions {
        Some(most) if most < questions.len() => {
            let (mut first, cells) = sample(FIRST_SAMPLE.min(size))?;
            Ok(telling(&mut first, cells, most).0)
        }
        _ => Ok((0..questions.len() as u16).collect()),
    }
}

/// A tree grown from a sample of so many cells, whose questions have these numbers.
pub(crate) fn grow_of(sample: &mut Sample, cells: u64, numbers: &[u16], leaves: usize) -> Tree {
    let mut tree = grow(sample, cells, leaves);
    renumber(&mut tree, |number| numbers[usize::from(number)]);
    tree
}

/// Gives the questions of a tree other numbers.
fn renumber(tree: &mut Tree, number: impl Fn(u16) -> u16) {
    for node in &mut tree.nodes {
        if let Node::Split { question, .. } = node {
            *question = number(*question);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picks::Random;

    /// Cells in which files decide, but only with an answer 0 to the first question; all else
    /// is noise.
    struct Files;

    impl Files {
        fn put(sample: &mut Sample, questions: &[Question], random: &mut Random) {
            let cell = sample.len();
            let symbol = random.below(8) as u8;
            let is_told = random.below(4) == 0;
            sample.push(u8::from(is_told && symbol > 4));
            for (number, question) in questions.iter().enumerate() {
                let answer = match question {
                    Question::Other => u8::from(!is_told),
                    Question::File(2) => symbol,
                    _ => random.below(question.answers() as u64) as u8,
                };
                sample.set(cell, number, answer);
            }
        }
    }

    impl Sampler for Files {
        fn sample(&self, questions: &[Question], size: usize) -> (Sample, u64) {
            let (mut sample, mut random) = (Sample::new(questions, 3), Random::new(9));
            (0..size).for_each(|_| Files::put(&mut sample, questions, &mut random));
            (sample, 1_000_000)
        }

        fn thinned(
            &self,
            questions: &[Question],
            thinning: &Thinning<'_>,
        ) -> (Sample, Vec<Stratum>, u64) {
            // Files may tell more than the first question, which then the tree asks last.
            assert!(thinning.tree.leaves() >= 3);
            let (mut sample, _) = self.sample(questions, thinning.size);
            let number = |question: u16| {
                let asked = thinning.questions[usize::from(question)];
                questions.iter().position(|&known| known == asked).unwrap()
            };
            let leaf = |row: &[u8]| thinning.tree.leaf_of(|question| row[number(question)]);
            let rows = sample.rows(0, sample.len()).chunks(sample.row_len());
            let leaves: Vec<u16> = rows.map(leaf).collect();
            let ranges = sample.sort(&leaves, thinning.tree.leaves());
            let stratum = |(from, to)| Stratum { from, to, scale16: 16 * 16 };
            (sample, ranges.into_iter().map(stratum).collect(), 1_000_000)
        }
    }

    const QUESTIONS: [Question; 4] =
        [Question::Other, Question::Rank(0), Question::File(2), Question::Dark(1)];

    #[test]
    fn what_tells_is_asked() {
        let profile = Profile { questions: Some(2), leaves: 50, ..Profile::FAST };
        for in_all in [4000, 4_000_000] {
            let (tree, cells) = learn(&QUESTIONS, &profile, in_all, &Files);
            assert_eq!((tree.leaves(), cells), (3, 1_000_000));
            let leaf = |other: u8, file: u8| {
                tree.leaf_of(|question| [other, 9, file, 9][usize::from(question)])
            };
            assert_eq!(leaf(0, 4), leaf(0, 1));
            assert_ne!(leaf(0, 4), leaf(0, 5));
        }
    }

    #[test]
    fn shares_are_what_is_wanted() {
        let tree = Tree::stump();
        let (weights, cells) = (vec![100, 400, 0], vec![1000, 100, 5000]);
        let thinning = Thinning { tree: &tree, questions: &[], size: 0, weights, cells };
        // 1 in 61 of 6100 cells is 100.
        let shares = thinning.shares(61 * 16);
        let kept: u64 =
            shares.iter().zip(&thinning.cells).map(|(share, cells)| share * cells).sum();
        assert!((99 * ONE..=102 * ONE).contains(&kept), "{kept}");
        assert!(shares[1].abs_diff(4 * shares[0]) <= 4 && shares[2] == 0);
        // More than there are: all that can be.
        assert_eq!(thinning.shares(16), [ONE, ONE, 0]);
    }
}
