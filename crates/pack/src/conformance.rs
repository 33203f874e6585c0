//! The fast answers are the slow ones: tests.

use molien_board::{Color, Man, Material, Square};
use molien_values::Placement;

use crate::answers::RowView;
use crate::classes::{CLASSES, ClassTile};
use crate::features::{ClassLanes, RowFeatures};
use crate::flat::{Answers, Asked, FlatTree, TileTree};
use crate::lanes::LANE;
use crate::layout::Layout;
use crate::learn::grow;
use crate::men::{Men, placed_men};
use crate::picks::Random;
use crate::question::{LATER, Question, Stage};
use crate::row_answers::RowAnswers;
use crate::sample::Sample;
use crate::scan::{PHASES, Segments};
use crate::slow::CellView;
use crate::tile::{Counting, TileOf};
use crate::walker::{Compiled, Test, Walker};

pub(crate) fn layout(name: &str, order: &str) -> Layout {
    let material: Material = name.parse().unwrap();
    let placed: Vec<Man> = match order {
        "" => placed_men(&material),
        order => order.chars().map(|letter| Man::from_letter(letter).unwrap()).collect(),
    };
    let placements = match material.has_pawns() {
        true => Placement::all(&material),
        false => vec![Placement::NONE],
    };
    Layout::new(material, &placed, placements).unwrap()
}

/// Random classes in the legal cells of a tile.
pub(crate) fn random_tile(
    layout: &Layout,
    frame: &crate::FixedMen,
    turn: Color,
    random: &mut Random,
) -> ClassTile {
    let mut tile = ClassTile::default();
    for row in 0..layout.rows() {
        let view = RowView::new(layout.men(), frame, turn, row, None);
        let mut left = view.geometry.legal(layout.men(), turn) & frame.unique[row];
        for class in 0..5 {
            let some = if class == 4 { left } else { left & random.next() & random.next() };
            tile.set(row, some, class);
            left &= !some;
        }
    }
    tile
}

/// The columns whose answer is at most each threshold.
fn words_of(view: &mut RowView<'_>, question: Question, own: &ClassTile) -> Vec<u64> {
    let thresholds = 0..question.answers() as u8;
    thresholds.map(|threshold| view.at_most(question, threshold, own)).collect()
}

/// For each question whose answer is the same for all cells of a row, the rows where it is at
/// most each threshold.
fn rows_of(
    view: &mut RowView<'_>,
    men: &Men,
    questions: &[Question],
    own: &ClassTile,
) -> Vec<Option<Vec<u64>>> {
    let rows = |&question: &Question| {
        let thresholds = 0..question.answers() as u8 - 1;
        let test = |threshold| Test { question, threshold, is_same: true };
        let rows = thresholds.map(|threshold| view.answer(&test(threshold), own)).collect();
        question.is_same_in_row(men).then_some(rows)
    };
    questions.iter().map(rows).collect()
}

fn compare(layout: &Layout, tile: usize, turn: Color, stage: Stage, segments: Segments) {
    let Some(frame) = layout.frame(tile) else { return };
    let mut random = Random::new(tile as u64);
    let truth = random_tile(layout, &frame, turn, &mut random);
    let base = random_tile(layout, &frame, !turn, &mut random);
    let segment = segments.rows(layout, 1);
    let mut seen = ClassTile::default();
    seen.copy_rows(&base, segment);
    let other = (stage == Stage::Second).then_some(&seen);
    let questions = Question::all(layout.men(), stage);
    let (mut own, mut known_rows) = (ClassTile::default(), 0);
    let (mut all, mut all_other, mut answers) =
        (ClassLanes::new(), ClassLanes::new(), Answers::new());
    all.fill(&truth);
    all_other.fill(&seen);
    // A row finds them for all those that come after it.
    let first = RowView::new(layout.men(), &frame, turn, segment[0].into(), other);
    let of_rows = rows_of(&mut { first }, layout.men(), &questions, &own);
    for row in segment.iter().map(|&row| usize::from(row)) {
        let legal = truth.known(row);
        let mut view = RowView::new(layout.men(), &frame, turn, row, other);
        let geometry = view.geometry.clone();
        let men = layout.men();
        let features = RowFeatures { men, geometry: &geometry, row, classes: &all };
        let (own_lanes, other_lanes) = (&all, other.map(|_| &all_other));
        let view_of = &mut view;
        RowAnswers { view: view_of, features, row, known_rows, own: own_lanes, other: other_lanes }
            .answer_all(&questions, &mut answers);
        known_rows |= 1 << row;
        let begun: Vec<_> =
            questions.iter().map(|&question| words_of(&mut view, question, &own)).collect();
        for (words, rows) in begun.iter().zip(&of_rows) {
            for (word, rows) in words.iter().zip(rows.iter().flatten()) {
                let expected = if rows >> row & 1 != 0 { legal } else { 0 };
                assert_eq!(word & legal, expected, "row {row} of tile {tile}");
            }
        }
        for phase in PHASES {
            for ((&question, begun), number) in questions.iter().zip(&begun).zip(0..) {
                let words = words_of(&mut view, question, &own);
                // What is not said to be known later is known when the row begins.
                let early = legal & phase & !LATER[usize::from(question.later())];
                let differ =
                    words.iter().zip(begun).any(|(word, begun)| (word ^ begun) & early != 0);
                assert!(!differ, "{question:?} in row {row}");
                for column in (0..64).filter(|column| legal & phase & 1 << column != 0) {
                    let (at, scope) = ((row, column), (segment, false));
                    let slow = CellView::new(layout, &frame, turn, at, &truth, other, scope);
                    let expected = slow.answer(question);
                    let found = answers.get(number, LANE[column].into());
                    assert_eq!(found, expected, "{question:?} at {at:?} of tile {tile}");
                    for (threshold, word) in words.iter().enumerate() {
                        // The last answer needs no question.
                        if threshold + 1 < words.len() {
                            let fast = word >> column & 1 != 0;
                            assert_eq!(fast, usize::from(expected) <= threshold, "{question:?}");
                        }
                    }
                }
            }
            own.copy_cells(&truth, row, legal & phase);
        }
    }
}

#[test]
fn fast_answers_are_the_slow_ones() {
    for (name, order) in [
        ("KQK", ""),
        ("KRKN", "nR"),
        ("KPK", "Kk"),
        ("KRKP", "KRk"),
        ("KBBKN", "BBn"),
        ("KNNKP", "KNkN"),
    ] {
        let layout = layout(name, order);
        let tiles = layout.tiles();
        for (i, segments) in [Segments::Whole, Segments::Quarters].into_iter().enumerate() {
            let tile = (i * 7919 + 12 * 64 + 5) * (tiles / 3 + 1) % tiles;
            let turn = Color::BOTH[i];
            compare(&layout, tile, turn, Stage::Base, segments);
            compare(&layout, tile, !turn, Stage::Second, segments);
        }
    }
}

/// Answers as bytes, where the classes of the segment are all known.
#[test]
fn answers_by_lane_are_the_slow_ones() {
    for (name, order) in [("KQK", ""), ("KRKN", "nR"), ("KPK", "Kk"), ("KBBKN", "BBn")] {
        let layout = layout(name, order);
        for (i, segments) in [Segments::Whole, Segments::Quarters].into_iter().enumerate() {
            let tile = (i * 7919 + 12 * 64 + 5) * (layout.tiles() / 3 + 1) % layout.tiles();
            let Some(frame) = layout.frame(tile) else { continue };
            let (turn, mut random) = (Color::BOTH[i], Random::new(tile as u64));
            let truth = random_tile(&layout, &frame, turn, &mut random);
            compare_lanes(&layout, &frame, turn, &truth, segments.rows(&layout, 2));
        }
    }
}

fn compare_lanes(
    layout: &Layout,
    frame: &crate::FixedMen,
    turn: Color,
    truth: &ClassTile,
    segment: &[u8],
) {
    let questions = Question::all(layout.men(), Stage::Depth { earlier: false });
    let asked = Asked::new(&questions, layout.men(), |_| true);
    let (mut lanes, mut answers) = (ClassLanes::new(), Answers::new());
    let mut own = ClassTile::default();
    own.copy_rows(truth, segment);
    lanes.fill(&own);
    for (i, row) in segment.iter().map(|&row| usize::from(row)).enumerate() {
        let mut geometry = frame.geometry.clone();
        geometry.set_row(layout.men(), &frame.geometry, Square::new(row));
        let men = layout.men();
        let view = RowFeatures { men, geometry: &geometry, row, classes: &lanes };
        if i == 0 {
            view.answer_all(&asked.tile, &mut answers);
        }
        view.answer_all(&asked.row, &mut answers);
        for column in (0..64).filter(|column| own.known(row) >> column & 1 != 0) {
            let at = (row, column);
            let slow = CellView::new(layout, frame, turn, at, truth, None, (segment, true));
            for &(number, question) in asked.tile.iter().chain(&asked.row) {
                let found = answers.get(number, LANE[column].into());
                assert_eq!(found, slow.answer(question), "{question:?} at {at:?}");
            }
        }
    }
}

/// The leaf of every cell, one after the other, is where sets of columns
/// arrive.
#[test]
fn walking_in_sets_is_walking_alone() {
    let layout = layout("KRKP", "KRk");
    let (tile, turn) = (7 * 64 + 20, Color::Black);
    let frame = layout.frame(tile).unwrap();
    // Noise with something to learn in it.
    let mut random = Random::new(5);
    let mut truth = ClassTile::default();
    for row in 0..64 {
        let legal = random_tile(&layout, &frame, turn, &mut random).known(row);
        let near = (0..64).filter(|column| row / 8 + column % 8 > 8).fold(0, |s, c| s | 1 << c);
        let some = random.next() & random.next() & legal;
        truth.set(row, some, 2);
        truth.set(row, legal & near & !some, 4);
        truth.set(row, legal & !near & !some, 0);
    }
    let questions = Question::all(layout.men(), Stage::Base);
    let rows = Segments::Whole.rows(&layout, 0);
    let view = |at| CellView::new(&layout, &frame, turn, at, &truth, None, (rows, false));
    let cells = || {
        let row = |row: usize| (0..64).map(move |column| (row, column));
        (0..64).flat_map(row).filter(|&(row, column)| truth.known(row) >> column & 1 != 0)
    };
    let mut sample = Sample::new(&questions, CLASSES);
    for (cell, at) in cells().step_by(3).enumerate() {
        sample.push(truth.get(at.0, at.1).unwrap());
        for (number, &question) in questions.iter().enumerate() {
            sample.set(cell, number, view(at).answer(question));
        }
    }
    let in_all = 1000 * sample.len() as u64;
    let tree = grow(&mut sample, in_all, 60);
    assert!(tree.leaves() > 5, "{} leaves", tree.leaves());
    let mut counts = vec![[0; CLASSES]; tree.leaves()];
    for at in cells() {
        let leaf = tree.leaf_of(|number| view(at).answer(questions[usize::from(number)]));
        counts[usize::from(leaf)][usize::from(truth.get(at.0, at.1).unwrap())] += 1;
    }
    let compiled = Compiled::new(&tree, &questions, layout.men());
    let mut found = vec![[0; CLASSES]; tree.leaves()];
    let of = TileOf { layout: &layout, frame: &frame, turn, compiled: &compiled, other: None };
    let mut sink = Counting { truth: &truth, counts: &mut found, found: None };
    of.walk(&mut Walker::new(), &mut ClassTile::default(), rows, &mut sink);
    assert_eq!(found, counts);
}

/// Walking many cells abreast leads to the leaves that walking alone does.
#[test]
fn walking_abreast_is_walking_alone() {
    let layout = layout("KRKP", "KRk");
    let questions = Question::all(layout.men(), Stage::Depth { earlier: true });
    let mut random = Random::new(11);
    let mut answers = Answers::new();
    for (number, question) in questions.iter().enumerate() {
        let lanes = answers.of(number as u16);
        lanes.iter_mut().for_each(|lane| *lane = random.below(question.answers() as u64) as u8);
    }
    let mut sample = Sample::new(&questions, CLASSES);
    for cell in 0..20_000 {
        let mut sum = 0;
        sample.push(0);
        for (number, question) in questions.iter().enumerate() {
            let answer = random.below(question.answers() as u64) as u8;
            let is_low = usize::from(answer) * 2 < question.answers();
            sum += usize::from(number % 12 == 0 && is_low);
            sample.set(cell, number, answer);
        }
        sample.set_symbol(cell, (sum / 2).min(CLASSES - 1) as u8);
    }
    // More nodes than are sought out for a tile.
    let in_all = 1000 * sample.len() as u64;
    let tree = grow(&mut sample, in_all, 3000);
    assert!(tree.leaves() > 600, "{} leaves", tree.leaves());
    let flat = FlatTree::new(&tree, &questions, layout.men());
    // What is the same in a tile is the same in all lanes.
    for (number, question) in questions.iter().enumerate() {
        if question.is_same_in_tile(layout.men()) {
            let lanes = answers.of(number as u16);
            *lanes = [lanes[0]; 64];
        }
    }
    let mut local = TileTree::new();
    local.set(&flat, &answers);
    for count in [1, 7, 8, 9, 32] {
        let lanes: Vec<u8> = (0..count).map(|_| random.below(64) as u8).collect();
        let mut leaves = [0; 64];
        local.leaves(&answers, &lanes, &mut leaves);
        for (&lane, leaf) in lanes.iter().zip(leaves) {
            assert_eq!(leaf, tree.leaf_of(|number| answers.get(number, lane.into())));
        }
    }
}
