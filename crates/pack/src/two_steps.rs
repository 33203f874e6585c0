//! Learning in two steps: which questions tell most, from a small sample and all of
//! them; then a tree of those few, from a large one. Most questions tell little that
//! others do not, and each costs its time in every cell of a sample and in every row
//! that is read.

use std::cmp::Reverse;

use crate::learn::{Limits, grow, grow_with_gains};
use crate::profile::Profile;
use crate::question::Question;
use crate::sample::Sample;
use crate::tree::{Node, Tree};

/// About how many cells the questions are chosen by, and how far a tree is grown for
/// that.
const FIRST_SAMPLE: usize = 40_000;
const FIRST_LEAVES: usize = 400;

/// How many cells each of a sample stands for, in 16ths.
fn scale16(sample: &Sample, cells: u64) -> u64 {
    (cells * 16 / sample.len().max(1) as u64).max(16)
}

/// The numbers of the questions that gain most, rising.
fn telling(sample: &mut Sample, cells: u64, most: usize) -> Vec<u16> {
    let limits = Limits { leaves: FIRST_LEAVES, scale16: scale16(sample, cells) };
    let (_, gains) = grow_with_gains(sample, limits);
    let mut numbers: Vec<u16> = (0..gains.len() as u16).collect();
    numbers.sort_by_key(|&number| (Reverse(gains[usize::from(number)]), number));
    numbers.truncate(most.max(1));
    numbers.sort_unstable();
    numbers
}

/// Learns a tree, and says about how many cells there are. `sample` gives a sample of
/// about so many cells with their answers to some questions, and the number of all
/// cells.
pub(crate) fn learn(
    questions: &[Question],
    profile: &Profile,
    size: usize,
    sample: impl Fn(&[Question], usize) -> (Sample, u64),
) -> (Tree, u64) {
    let first = |size: usize| sample(questions, size);
    let numbers = telling_questions(questions, profile, size, first);
    let few: Vec<Question> = numbers.iter().map(|&number| questions[usize::from(number)]).collect();
    let (mut sample, cells) = sample(&few, size);
    (grow_of(&mut sample, cells, &numbers, profile.leaves), cells)
}

/// The numbers of the questions that a tree is to ask, rising. `sample` gives a sample of
/// about so many cells with their answers to all questions.
pub(crate) fn telling_questions(
    questions: &[Question],
    profile: &Profile,
    size: usize,
    sample: impl Fn(usize) -> (Sample, u64),
) -> Vec<u16> {
    match profile.questions {
        Some(most) if most < questions.len() => {
            let (mut first, cells) = sample(FIRST_SAMPLE.min(size));
            telling(&mut first, cells, most)
        }
        _ => (0..questions.len() as u16).collect(),
    }
}

/// A tree grown from a sample of so many cells, whose questions have these numbers.
pub(crate) fn grow_of(sample: &mut Sample, cells: u64, numbers: &[u16], leaves: usize) -> Tree {
    let limits = Limits { leaves, scale16: scale16(sample, cells) };
    let mut tree = grow(sample, limits);
    for node in &mut tree.nodes {
        if let Node::Split { question, .. } = node {
            *question = numbers[usize::from(*question)];
        }
    }
    tree
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picks::Random;

    /// Files decide; all else is noise.
    fn sample(questions: &[Question], size: usize) -> (Sample, u64) {
        let (mut sample, mut random) = (Sample::new(questions, 3), Random::new(9));
        for cell in 0..size {
            sample.push(0);
            for (number, question) in questions.iter().enumerate() {
                let answer = random.below(question.answers() as u64) as u8;
                sample.set(cell, number, answer);
                if *question == Question::File(2) {
                    sample.set_symbol(cell, u8::from(answer > 4));
                }
            }
        }
        (sample, 1_000_000)
    }

    #[test]
    fn what_tells_is_asked() {
        let questions = [Question::Other, Question::Rank(0), Question::File(2), Question::Dark(1)];
        let profile = Profile { questions: Some(1), leaves: 50, ..Profile::FAST };
        let (tree, cells) = learn(&questions, &profile, 4000, sample);
        assert_eq!((tree.leaves(), cells), (2, 1_000_000));
        assert!(matches!(tree.nodes[0], Node::Split { question: 2, threshold: 4, .. }));
    }
}
