//! What trees are learnt from.

use crate::profile::Ignored;
use crate::question::Question;

/// Cells with their answers and symbols.
pub(crate) struct Sample {
    /// For each cell the answers to all questions, as bins: the number of the
    /// answer plus those of all earlier questions.
    pub bins: Vec<u16>,
    pub symbols: Vec<u8>,
    /// First bin of each question, and the end.
    pub first: Vec<u16>,
    /// How many symbols there are.
    pub alphabet: usize,
    /// Whether a tree may ask each question.
    pub asked: Vec<bool>,
}

impl Sample {
    pub fn new(questions: &[Question], alphabet: usize) -> Sample {
        let mut first = vec![0];
        for question in questions {
            first.push(first[first.len() - 1] + question.answers() as u16);
        }
        let asked = vec![true; questions.len()];
        Sample { bins: Vec::new(), symbols: Vec::new(), first, alphabet, asked }
    }

    /// Keeps trees from asking some questions.
    pub fn ignore(&mut self, questions: &[Question], ignored: Ignored) {
        self.asked = questions.iter().map(|&question| !ignored.contains(question)).collect();
    }

    /// Adds a cell, whose answers are still to be given.
    pub fn push(&mut self, symbol: u8) {
        self.bins.resize(self.bins.len() + self.questions(), 0);
        self.symbols.push(symbol);
    }

    /// Gives a cell's answer to a question.
    #[inline]
    pub fn set(&mut self, cell: usize, question: usize, answer: u8) {
        let width = self.questions();
        self.bins[cell * width + question] = self.first[question] + u16::from(answer);
    }

    pub fn append(&mut self, mut other: Sample) {
        self.bins.append(&mut other.bins);
        self.symbols.append(&mut other.symbols);
    }

    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    pub fn questions(&self) -> usize {
        self.first.len() - 1
    }

    pub fn row(&self, cell: u32) -> &[u16] {
        let width = self.questions();
        &self.bins[cell as usize * width..][..width]
    }
}
