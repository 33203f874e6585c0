//! What a table says, file by file of the leading pawn, as sub-tables need it.

use molien_board::{Color, Material, Square};
use molien_build::ZeroingMoves;
use molien_hyper::Hyperboard;
use molien_solve::{SolveError, Zeroing};
use molien_values::{BoardValues, Graded, Table};
use rayon::prelude::*;

use crate::codes::{self, DEPTHS, Depth, UNREAD};
use crate::order::leading_pawns;
use crate::sequence::Contents;
use crate::source::{Layout, POSITIONS, TILE};

/// The values of one file of the leading pawn.
pub(crate) struct FileCodes<'a> {
    pub material: Material,
    pub file: u8,
    layout: Layout,
    pub boards: Vec<&'a BoardValues>,
    /// By side to move.
    pub classes: [Vec<u8>; 2],
    pub depths: [Vec<Depth>; 2],
}

/// Whether the leading pawn of a board stands on a file or its mirror image.
pub(crate) fn leads_on(material: &Material, board: &Hyperboard, file: u8) -> bool {
    let Some((lead, _)) = leading_pawns(material) else { return true };
    let from_edge = |square: Square| square.file().min(7 - square.file());
    board.pawns(lead.color).into_iter().map(from_edge).min() == Some(i32::from(file))
}

impl<'a> FileCodes<'a> {
    /// The values for a file, 0 to 3; without pawns there is one.
    pub fn new(
        moves: &ZeroingMoves<'_>,
        table: &'a Table,
        file: u8,
    ) -> Result<FileCodes<'a>, SolveError> {
        let material = table.material;
        let boards: Vec<&BoardValues> = (table.parts.iter().map(|part| &**part))
            .filter(|part| leads_on(&material, &part.board, file))
            .collect();
        let layout = Layout::new(boards.iter().map(|part| part.board.clone()).collect());
        let mut codes = FileCodes {
            material,
            file,
            classes: [(); 2].map(|()| vec![codes::ANY; layout.len()]),
            depths: [(); 2].map(|()| vec![UNREAD; layout.len()]),
            layout,
            boards,
        };
        codes.fill(moves)?;
        Ok(codes)
    }

    /// The sides to move that are stored.
    pub fn sides(&self) -> &'static [Color] {
        if self.material.is_symmetric() { &[Color::White] } else { &Color::BOTH }
    }

    fn fill(&mut self, moves: &ZeroingMoves<'_>) -> Result<(), SolveError> {
        let (board_len, class_len) = (self.layout.board_len(), self.layout.class_len());
        let [white, black] = &mut self.classes;
        let classes = white.par_chunks_mut(board_len).zip(black.par_chunks_mut(board_len));
        let [white, black] = &mut self.depths;
        let depths = white.par_chunks_mut(board_len).zip(black.par_chunks_mut(board_len));
        self.boards.par_iter().zip(classes).zip(depths).try_for_each(|((part, classes), depths)| {
            let zeroing = moves.of(&part.board)?;
            let sides = [(classes.0, depths.0), (classes.1, depths.1)];
            for (side, (classes, depths)) in Color::BOTH.into_iter().zip(sides) {
                let of_pairs = classes.par_chunks_mut(class_len);
                let of_pairs = of_pairs.zip(depths.par_chunks_mut(class_len));
                of_pairs.enumerate().for_each(|(pair, (classes, depths))| {
                    let first = pair * part.board.axes().len();
                    fill_class(&zeroing, &part.values, (side, first), classes, depths);
                });
            }
            Ok(())
        })
    }

    /// The classes with a side to move.
    pub fn class_source(&self, side: Color) -> Contents<'_, u8> {
        Contents { layout: &self.layout, values: &self.classes[side.index()], none: codes::ANY }
    }

    /// The depths with a side to move.
    pub fn depth_source(&self, side: Color) -> Contents<'_, Depth> {
        Contents { layout: &self.layout, values: &self.depths[side.index()], none: UNREAD }
    }

    /// How often each depth that is read occurs.
    pub fn depth_counts(&self, side: Color) -> Vec<u64> {
        // Equal neighbours would wait for each other: each of four has its own counts.
        let mut counts = vec![[0u64; 4]; DEPTHS];
        let (fours, rest) = self.depths[side.index()].as_chunks::<4>();
        for four in fours.iter().filter(|&four| *four != [UNREAD; 4]) {
            (0..4).for_each(|i| counts[usize::from(four[i])][i] += 1);
        }
        rest.iter().for_each(|&depth| counts[usize::from(depth)][0] += 1);
        counts.into_iter().map(|counts| counts.iter().sum()).collect()
    }
}

/// Writes the codes of one class of king pairs, whose first tile is given.
fn fill_class(
    zeroing: &Zeroing,
    values: &[Graded; 2],
    (side, first): (Color, usize),
    classes: &mut [u8],
    depths: &mut [Depth],
) {
    let values = &values[side.index()];
    let tiles = classes.par_chunks_exact_mut(TILE).zip(depths.par_chunks_exact_mut(TILE));
    tiles.enumerate().with_min_len(16).for_each(|(tile, (classes, depths))| {
        let tile = first + tile;
        let classes = classes[..POSITIONS].as_chunks_mut::<64>().0;
        codes::write_classes(values, &zeroing.captures(side, tile), tile, classes);
        let depths = depths[..POSITIONS].as_chunks_mut::<64>().0;
        codes::write_depths(values, &zeroing.wins(side, tile), tile, depths);
    });
}
