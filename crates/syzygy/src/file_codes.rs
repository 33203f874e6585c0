//! What a table says, file by file of the leading pawn, as sub-tables need it.

use molien_board::{Color, Material, Square};
use molien_build::ZeroingMoves;
use molien_hyper::Hyperboard;
use molien_solve::SolveError;
use molien_values::{BoardValues, Table};
use rayon::prelude::*;

use crate::codes::{self, DEPTHS, Depth, UNREAD};
use crate::order::leading_pawns;
use crate::sequence::Contents;
use crate::source::Layout;

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
        let len = self.layout.board_len();
        let [white, black] = &mut self.classes;
        let classes = white.par_chunks_mut(len).zip(black.par_chunks_mut(len));
        let [white, black] = &mut self.depths;
        let depths = white.par_chunks_mut(len).zip(black.par_chunks_mut(len));
        self.boards.par_iter().zip(classes).zip(depths).try_for_each(|((part, classes), depths)| {
            let zeroing = moves.of(&part.board)?;
            let sides = [(classes.0, depths.0), (classes.1, depths.1)];
            for (side, (classes, depths)) in Color::BOTH.into_iter().zip(sides) {
                let values = &part.values[side.index()];
                let tiles = classes.as_chunks_mut::<64>().0.par_chunks_mut(64);
                let tiles = tiles.zip(depths.as_chunks_mut::<64>().0.par_chunks_mut(64));
                tiles.enumerate().with_min_len(16).for_each(|(tile, (classes, depths))| {
                    codes::write_classes(values, &zeroing.captures(side, tile), tile, classes);
                    codes::write_depths(values, &zeroing.wins(side, tile), tile, depths);
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

    /// How often each depth occurs.
    pub fn depth_counts(&self, side: Color) -> Vec<u64> {
        let mut counts = vec![0; DEPTHS];
        self.depths[side.index()].iter().for_each(|&depth| counts[usize::from(depth)] += 1);
        counts
    }
}
