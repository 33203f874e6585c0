//! What is known about the depths of every cell of a tile is what the slow form says.

use molien_board::{Bitboard, Color, Square};

use crate::classes::ClassTile;
use crate::conformance::{layout, random_tile};
use crate::depth::{Alphabet, Key, UNKNOWN, decided, lost};
use crate::depth_batch::WordLanes;
use crate::depth_tile::{Cells, DepthRoom, DepthSink, DepthsOf, rows_of};
use crate::flat::Asked;
use crate::lanes::COLUMN;
use crate::layout::Layout;
use crate::picks::Random;
use crate::question::{Question, Scope, Stage};
use crate::scan::{Segments, is_known_depth};
use crate::slow_depth::{KeyTile, SlowBatch, SlowLines};
use crate::source::DepthTile;

/// Compares the answers of each batch with the slow ones.
struct Comparing<'a> {
    layout: &'a Layout,
    lines: SlowLines<'a>,
    rows: u64,
    classes: &'a ClassTile,
    truth: &'a KeyTile,
    /// Depths in the earlier metric, images of cells having those of the cells.
    earlier: Option<&'a DepthTile>,
    start: [u16; 2],
    questions: &'a [Question],
    cells: usize,
}

impl Comparing<'_> {
    /// What is known when a cell is coded, images included.
    fn known(&self, at: (usize, usize)) -> Box<KeyTile> {
        let mut known: Box<KeyTile> = Box::new([[UNKNOWN; 64]; 64]);
        for row in Bitboard(self.rows).into_iter().map(Square::index) {
            for column in Bitboard(decided(self.classes, row)).into_iter().map(Square::index) {
                if is_known_depth((row, column), at) {
                    known[row][column] = self.truth[row][column];
                    if self.layout.men().alike() && self.rows >> column & 1 != 0 {
                        known[column][row] = self.truth[row][column];
                    }
                }
            }
        }
        known
    }
}

impl DepthSink for Comparing<'_> {
    fn batch(&mut self, cells: &Cells<'_>, known: &mut WordLanes) {
        let row = cells.row;
        let columns: Vec<usize> =
            cells.lanes.iter().map(|&lane| COLUMN[usize::from(lane)].into()).collect();
        let set = columns.iter().fold(0, |set, column| set | 1 << column);
        let tile = self.known((row, columns[0]));
        let at = (row, self.layout.men().row().is_some());
        let mut slow = SlowBatch::new();
        let of = (set, lost(self.classes, row));
        slow.fill(at, of, &tile, &self.start, self.earlier, Some(&self.lines));
        for (&lane, &column) in cells.lanes.iter().zip(&columns) {
            let predicted = cells.predicted[usize::from(lane)];
            assert_eq!(predicted, slow.predicted[column] as i16, "row {row} column {column}");
            for (number, &question) in self.questions.iter().enumerate() {
                let Some(expected) = slow.answers(question) else { continue };
                let found = cells.answers.get(number as u16, lane.into());
                assert_eq!(found, expected[column], "{question:?} of row {row} column {column}");
            }
            self.cells += 1;
            known.set(row, lane.into(), self.truth[row][column]);
        }
    }
}

fn compare(
    layout: &Layout,
    tile: usize,
    turn: Color,
    (segments, has_earlier): (Segments, bool),
) -> usize {
    let Some(frame) = layout.frame(tile) else { return 0 };
    let mut random = Random::new(tile as u64 + 3);
    let all = random_tile(layout, &frame, turn, &mut random);
    let rows = segments.rows(layout, 2);
    let mut classes = ClassTile::default();
    classes.copy_rows(&all, rows);
    let mut truth: Box<KeyTile> = Box::new([[UNKNOWN; 64]; 64]);
    let mut plies: Box<DepthTile> = Box::new([[0; 64]; 64]);
    plies.as_flattened_mut().iter_mut().for_each(|depth| *depth = random.below(90) as u16);
    let mut earlier = plies.clone();
    for row in rows.iter().map(|&row| usize::from(row)) {
        for column in Bitboard(decided(&classes, row)).into_iter().map(Square::index) {
            let sign = (lost(&classes, row) >> column & 1) as Key;
            truth[row][column] = (random.below(60) as Key) << 1 | sign;
            earlier[column][row] = plies[row][column];
            earlier[row][column] = plies[row][column];
        }
    }
    let questions = Question::all(layout.men(), Stage::Depth { earlier: has_earlier });
    let asked = Asked::new(&questions, layout.men(), |i| {
        questions[i].scope(layout.men(), true) == Scope::Batch
    });
    let alphabet = Alphabet { start: [17, 40], ..Alphabet::default() };
    let of = DepthsOf {
        layout,
        frame: &frame,
        turn,
        rows: rows_of(rows),
        classes: &classes,
        alphabet: &alphabet,
        earlier: has_earlier.then_some(&*plies),
    };
    let mut sink = Comparing {
        layout,
        lines: SlowLines { men: layout.men(), fixed: frame.occupied, turn },
        rows: rows_of(rows),
        classes: &classes,
        truth: &truth,
        earlier: has_earlier.then_some(if layout.men().alike() { &*earlier } else { &*plies }),
        start: alphabet.start,
        questions: &questions,
        cells: 0,
    };
    let mut room = DepthRoom::new();
    // Twice: nothing is left over from the first time.
    of.walk(&asked, rows, &mut room, &mut sink);
    of.walk(&asked, rows, &mut room, &mut sink);
    sink.cells
}

#[test]
fn fast_batches_are_the_slow_ones() {
    for (name, order) in [
        ("KQK", ""),
        ("KRKN", "nR"),
        ("KQKR", "Qr"),
        ("KBNK", "NB"),
        ("KQQK", "QQ"),
        ("KBBKN", "nBB"),
        ("KRKP", "kKR"),
        ("KRPKR", "KkRr"),
    ] {
        let layout = layout(name, order);
        let mut cells = 0;
        for i in 0..6 {
            let tile = (i * 7919 + 12 * 64 + 5) * (layout.tiles() / 3 + 1) % layout.tiles();
            let segments = [Segments::Whole, Segments::Quarters][i % 2];
            for has_earlier in [false, true] {
                let how = (segments, has_earlier);
                cells += compare(&layout, tile, Color::BOTH[i / 2 % 2], how);
            }
        }
        assert!(cells > 50, "{name}: {cells} cells");
    }
}
