//! What trees are learnt from.

use crate::profile::Ignored;
use crate::question::Question;

/// Rows of cells are made of pieces of so many bytes, so that they are moved fast.
const PIECE: usize = 16;
type Piece = [u8; PIECE];

/// Cells with their answers and symbols.
pub(crate) struct Sample {
    /// A row for each cell: the answers to all questions, and the symbol at the end.
    rows: Vec<Piece>,
    /// Pieces of a row.
    width: usize,
    /// First bin of each question, and the end: an answer's bin is its number plus those
    /// of all earlier questions.
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
        let width = (questions.len() + 1).div_ceil(PIECE);
        Sample { rows: Vec::new(), width, first, alphabet, asked }
    }

    /// Keeps trees from asking some questions.
    pub fn ignore(&mut self, questions: &[Question], ignored: Ignored) {
        self.asked = questions.iter().map(|&question| !ignored.contains(question)).collect();
    }

    /// Keeps trees from asking all but some questions, whose numbers rise.
    pub fn ask_only(&mut self, numbers: &[u16]) {
        for (number, asked) in (0..).zip(&mut self.asked) {
            *asked &= numbers.binary_search(&number).is_ok();
        }
    }

    /// Brings the cells of each stratum together, and says where they are: from where to
    /// where, for so many strata.
    pub fn sort(&mut self, stratum_of: &[u16], strata: usize) -> Vec<(usize, usize)> {
        let mut counts = vec![0; strata];
        stratum_of.iter().for_each(|&stratum| counts[usize::from(stratum)] += 1);
        let mut end = 0;
        let ranges: Vec<(usize, usize)> = counts
            .iter()
            .map(|count| {
                end += count;
                (end - count, end)
            })
            .collect();
        let mut to: Vec<usize> = ranges.iter().map(|range| range.0).collect();
        let mut rows = vec![[0; PIECE]; self.rows.len()];
        for (row, &stratum) in self.rows.chunks(self.width).zip(stratum_of) {
            let place = &mut to[usize::from(stratum)];
            rows[*place * self.width..][..self.width].copy_from_slice(row);
            *place += 1;
        }
        self.rows = rows;
        ranges
    }

    /// Adds a cell, whose answers are still to be given.
    pub fn push(&mut self, symbol: u8) {
        self.rows.resize(self.rows.len() + self.width, [0; PIECE]);
        self.set_symbol(self.len() - 1, symbol);
    }

    /// Adds a cell with all its answers.
    #[inline]
    pub fn push_answers(&mut self, symbol: u8, answer: impl Fn(u16) -> u8) {
        let questions = self.questions();
        self.push(symbol);
        let row = self.row_mut(self.len() - 1);
        row[..questions].iter_mut().zip(0..).for_each(|(to, number)| *to = answer(number));
    }

    /// Gives a cell another symbol.
    pub fn set_symbol(&mut self, cell: usize, symbol: u8) {
        let at = self.row_len() - 1;
        self.row_mut(cell)[at] = symbol;
    }

    /// Gives a cell's answer to a question.
    #[cfg(test)]
    pub fn set(&mut self, cell: usize, question: usize, answer: u8) {
        self.row_mut(cell)[question] = answer;
    }

    /// Makes room for so many cells.
    pub fn reserve(&mut self, cells: usize) {
        self.rows.reserve_exact(cells * self.width);
    }

    pub fn append(&mut self, mut other: Sample) {
        self.rows.append(&mut other.rows);
    }

    pub fn len(&self) -> usize {
        self.rows.len() / self.width
    }

    pub fn questions(&self) -> usize {
        self.first.len() - 1
    }

    /// Bytes of a row.
    pub fn row_len(&self) -> usize {
        self.width * PIECE
    }

    fn row_mut(&mut self, cell: usize) -> &mut [u8] {
        self.rows[cell * self.width..][..self.width].as_flattened_mut()
    }

    /// The rows of some cells.
    #[inline]
    pub fn rows(&self, from: usize, to: usize) -> &[u8] {
        self.rows[from * self.width..to * self.width].as_flattened()
    }

    /// The symbols of all cells.
    pub fn symbols(&self) -> impl Iterator<Item = u8> + '_ {
        self.rows.chunks(self.width).map(|row| row[row.len() - 1][PIECE - 1])
    }

    /// Moves the cells among some whose answer to a question is at most this to the
    /// front, and says where they end. The order of cells means nothing.
    pub fn partition(
        &mut self,
        (from, to): (usize, usize),
        question: usize,
        threshold: u8,
        room: &mut Vec<[u8; PIECE]>,
    ) -> usize {
        let width = self.width;
        let rows = &mut self.rows[from * width..to * width];
        room.resize(rows.len().max(room.len()), [0; PIECE]);
        let (piece, byte) = (question / PIECE, question % PIECE);
        let (mut yes, mut no) = (0, 0);
        // Which way a cell goes nobody can foresee, so it is written down both ways. The
        // places up to the one that is read are free.
        for at in (0..rows.len()).step_by(width) {
            let is_yes = rows[at + piece][byte] <= threshold;
            for i in 0..width {
                let piece = rows[at + i];
                room[no + i] = piece;
                rows[yes + i] = piece;
            }
            yes += width * usize::from(is_yes);
            no += width * usize::from(!is_yes);
        }
        rows[yes..].copy_from_slice(&room[..no]);
        from + yes / width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picks::Random;

    #[test]
    fn cells_are_parted() {
        let questions = [Question::Other, Question::File(0), Question::Predicted];
        let (mut sample, mut random) = (Sample::new(&questions, 3), Random::new(3));
        for cell in 0..1000 {
            let answer = random.below(8) as u8;
            sample.push(answer % 3);
            sample.set(cell, 1, answer);
        }
        let symbols = |sample: &Sample| {
            let mut symbols: Vec<u8> = sample.symbols().collect();
            symbols[100..].sort_unstable();
            symbols
        };
        let before = symbols(&sample);
        let at = sample.partition((100, 1000), 1, 4, &mut Vec::new());
        assert_eq!(symbols(&sample), before);
        for (cell, row) in sample.rows(0, 1000).chunks(sample.row_len()).enumerate() {
            assert_eq!(row[row.len() - 1], row[1] % 3);
            assert!(cell < 100 || (row[1] <= 4) == (cell < at));
        }
    }
}
