//! Tables become files.

use molien_board::{Color, Material, Square};
use molien_build::{Build, BuildError, ZeroingMoves};
use molien_hyper::Hyperboard;
use molien_solve::SolveError;
use molien_values::{BoardValues, Table};
use rayon::prelude::*;
use thiserror::Error;

use crate::choose::{Best, any_order, best_order};
use crate::codes::{self, DEPTHS, Depth, UNREAD};
use crate::compress::compress;
use crate::depth_map::DepthMap;
use crate::domain::{Classes, Numbers};
use crate::file::{Content, Kind, SubTable, assemble, flags};
use crate::order::{MAX_MEN, leading_pawns};
use crate::sequence::Source;
use crate::source::Layout;

/// How plies are stored in DTZ files.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Plies {
    /// In pairs, but for tables in which one ply more could cost a win.
    #[default]
    Rounded,
    /// One by one, but for what the 50-move rule spoils: for that the format has
    /// pairs only.
    Exact,
}

/// The two files of a material.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// Who wins.
    pub wdl: Vec<u8>,
    /// Plies to a zeroing move.
    pub dtz: Vec<u8>,
}

impl Files {
    /// One of them.
    pub fn of(&self, kind: Kind) -> &[u8] {
        match kind {
            Kind::Wdl => &self.wdl,
            Kind::Dtz => &self.dtz,
        }
    }
}

/// Files cannot be written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum WriteError {
    /// What captures lead to could not be had.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// What captures lead to is not at hand.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// The table does not say who wins in how many plies.
    #[error("{material}: Syzygy files are made from a table of DTZ50 with depths")]
    NotDtz50 {
        /// The table's material.
        material: Material,
    },
    /// The format has no place for it.
    #[error("{material}: {found} men, but Syzygy files have at most {MAX_MEN}, and at least three")]
    Men {
        /// The material.
        material: Material,
        /// Its men.
        found: usize,
    },
    /// Values that need 16 bits.
    #[error("{material}: a win takes more plies than are written here, some 600")]
    TooDeep {
        /// The material.
        material: Material,
    },
}

/// Largest blocks, as powers of 2 bytes: small where engines look often, large
/// where size counts.
const WDL_BLOCKS: std::ops::RangeInclusive<u8> = 5..=6;
const DTZ_BLOCKS: std::ops::RangeInclusive<u8> = 6..=10;

/// Writes a table in [`Metric::Dtz50`](molien_values::Metric::Dtz50). The
/// solver has the tables that captures lead to, or solves them.
///
/// # Errors
/// If the table has no depths, or something must be solved and that fails.
pub fn write(build: &Build, table: &Table, plies: Plies) -> Result<Files, WriteError> {
    let material = table.material;
    if table.metric.name() != "dtz50" && material.has_pawns() || !table.has_depths() {
        return Err(WriteError::NotDtz50 { material });
    }
    if !(3..=MAX_MEN).contains(&material.len()) {
        return Err(WriteError::Men { material, found: material.len() });
    }
    let files: &[u8] = if material.has_pawns() { &[0, 1, 2, 3] } else { &[0] };
    let zeroing = build.zeroing_moves(table)?;
    let (mut wdl, mut dtz) = (Vec::new(), Vec::new());
    for &file in files {
        let codes = FileCodes::new(&zeroing, table, file)?;
        wdl.push(codes.sides().iter().map(|&side| codes.wdl(side)).collect());
        dtz.push(vec![codes.dtz(plies).ok_or(WriteError::TooDeep { material })?]);
    }
    Ok(Files {
        wdl: assemble(Kind::Wdl, &material, &wdl),
        dtz: assemble(Kind::Dtz, &material, &dtz),
    })
}

/// The values of one file of the leading pawn.
struct FileCodes<'a> {
    material: Material,
    file: u8,
    layout: Layout,
    boards: Vec<&'a BoardValues>,
    /// By side to move.
    classes: [Vec<u8>; 2],
    depths: [Vec<Depth>; 2],
}

/// Whether the leading pawn of a board stands on a file or its mirror image.
fn leads_on(material: &Material, board: &Hyperboard, file: u8) -> bool {
    let Some((lead, _)) = leading_pawns(material) else { return true };
    let from_edge = |square: Square| square.file().min(7 - square.file());
    board.pawns(lead.color).into_iter().map(from_edge).min() == Some(i32::from(file))
}

impl<'a> FileCodes<'a> {
    fn new(
        zeroing: &ZeroingMoves<'_>,
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
        codes.fill(zeroing)?;
        Ok(codes)
    }

    /// The sides to move that are stored.
    fn sides(&self) -> &'static [Color] {
        if self.material.is_symmetric() { &[Color::White] } else { &Color::BOTH }
    }

    fn fill(&mut self, zeroing: &ZeroingMoves<'_>) -> Result<(), SolveError> {
        let len = self.layout.board_len();
        let [white, black] = &mut self.classes;
        let classes = white.par_chunks_mut(len).zip(black.par_chunks_mut(len));
        let [white, black] = &mut self.depths;
        let depths = white.par_chunks_mut(len).zip(black.par_chunks_mut(len));
        self.boards.par_iter().zip(classes).zip(depths).try_for_each(|((part, classes), depths)| {
            let zeroing = zeroing.of(&part.board)?;
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

    fn wdl(&self, side: Color) -> SubTable {
        let values = &self.classes[side.index()];
        if let Some(class) = single_class(values) {
            let order = any_order(&self.material, self.file);
            let (flags, content) = (flags::SINGLE, Content::Single(class));
            return SubTable { order, flags, content, lists: None };
        }
        let source = Source { layout: &self.layout, values, none: codes::ANY };
        let byte = |code| code;
        let Best { order, .. } = best_order::<Classes, _>(&self.material, self.file, &source, byte);
        let sequence = source.sequence(&order, byte);
        let packed = compress::<Classes>(&sequence, WDL_BLOCKS);
        SubTable { order, flags: 0, content: Content::Packed(Box::new(packed)), lists: None }
    }

    /// The sub-table of the side that takes fewer bits; none if plies are too
    /// many.
    fn dtz(&self, plies: Plies) -> Option<SubTable> {
        let exact = Color::BOTH.map(|winner| {
            plies == Plies::Exact
                || self.boards.iter().any(|part| codes::needs_plies(&part.values, winner))
        });
        let mut sides = Vec::new();
        for &side in self.sides() {
            let (own, other) = (exact[side.index()], exact[(!side).index()]);
            let map = DepthMap::new(&self.depth_counts(side), own, other)?;
            let flag = |set: bool, flag: u8| if set { flag } else { 0 };
            let flags = flag(side == Color::Black, flags::BLACK_TO_MOVE)
                | flag(own, flags::WIN_PLIES)
                | flag(other, flags::LOSS_PLIES);
            if map.is_zero() {
                let order = any_order(&self.material, self.file);
                let (flags, content) = (flags | flags::SINGLE, Content::Single(0));
                return Some(SubTable { order, flags, content, lists: None });
            }
            let byte = |depth| map.number(depth);
            let source = self.depth_source(side);
            let best = best_order::<Numbers, _>(&self.material, self.file, &source, byte);
            sides.push((side, flags, map, best));
        }
        let (side, flags, map, Best { order, .. }) =
            sides.into_iter().min_by(|a, b| a.3.bits.total_cmp(&b.3.bits))?;
        let sequence = self.depth_source(side).sequence(&order, |depth| map.number(depth));
        let packed = Box::new(compress::<Numbers>(&sequence, DTZ_BLOCKS));
        let (flags, content) = (flags | flags::MAPPED, Content::Packed(packed));
        Some(SubTable { order, flags, content, lists: Some(map.lists) })
    }

    fn depth_source(&self, side: Color) -> Source<'_, Depth> {
        Source { layout: &self.layout, values: &self.depths[side.index()], none: UNREAD }
    }

    fn depth_counts(&self, side: Color) -> Vec<u64> {
        let mut counts = vec![0; DEPTHS];
        self.depths[side.index()].iter().for_each(|&depth| counts[usize::from(depth)] += 1);
        counts
    }
}

/// The one class that all positions can have, if there is one.
fn single_class(codes: &[u8]) -> Option<u8> {
    let mut seen = [false; 16];
    codes.iter().for_each(|&code| seen[usize::from(code)] = true);
    let fits = |class: u8, code: u8| {
        code == class || code >= codes::CLASSES && class + codes::FREE <= code
    };
    (0..codes::CLASSES).rev().find(|&class| {
        (0..16).filter(|&code| seen[usize::from(code)]).all(|code| fits(class, code))
    })
}
