//! Tables become files.

use molien_board::{Color, Material};
use molien_build::{Build, BuildError};
use molien_solve::SolveError;
use molien_values::Table;
use thiserror::Error;

use crate::choose::{Best, any_order, best_order};
use crate::codes;
use crate::compress::compress;
use crate::depth_map::DepthMap;
use crate::domain::{Classes, Numbers};
use crate::file::{Content, Kind, SubTable, assemble, flags};
use crate::file_codes::{FileCodes, leads_on};
use crate::order::MAX_MEN;
use crate::source::TILE;

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
/// tables that captures lead to come from `build`.
///
/// # Errors
/// If the table has no depths, or something that is needed cannot be had.
pub fn write(build: &Build, table: &Table, plies: Plies) -> Result<Files, WriteError> {
    write_with(build, table, plies, &|_, _| ())
}

/// The same; `progress` is told how many steps of how many are done.
///
/// # Errors
/// If the table has no depths, or something that is needed cannot be had.
pub fn write_with(
    build: &Build,
    table: &Table,
    plies: Plies,
    progress: &dyn Fn(u64, u64),
) -> Result<Files, WriteError> {
    let material = table.material;
    if table.metric.name() != "dtz50" && material.has_pawns() || !table.has_depths() {
        return Err(WriteError::NotDtz50 { material });
    }
    if !(3..=MAX_MEN).contains(&material.len()) {
        return Err(WriteError::Men { material, found: material.len() });
    }
    let moves = build.zeroing_moves(table, working_bytes(table))?;
    let files: &[u8] = if material.has_pawns() { &[0, 1, 2, 3] } else { &[0] };
    let (mut wdl, mut dtz) = (Vec::new(), Vec::new());
    let (mut done, steps) = (0, 3 * files.len() as u64);
    let mut step = |steps_done| {
        done += steps_done;
        progress(done, steps);
    };
    for &file in files {
        let codes = FileCodes::new(&moves, table, file)?;
        step(1);
        wdl.push(codes.sides().iter().map(|&side| codes.wdl(side)).collect());
        step(1);
        dtz.push(vec![codes.dtz(plies).ok_or(WriteError::TooDeep { material })?]);
        step(1);
    }
    Ok(Files {
        wdl: assemble(Kind::Wdl, &material, &wdl),
        dtz: assemble(Kind::Dtz, &material, &dtz),
    })
}

/// What writing a table takes beside it: the codes of its largest file of the
/// leading pawn, one sequence of them in the order of the file, and what the
/// coder learns from.
pub(crate) fn working_bytes(table: &Table) -> u64 {
    // For each placement: two classes of a byte, two depths of two; the sequence
    // and the symbols it is cut into.
    const FOR_EACH: u64 = 6 + 3;
    const CODER: u64 = 320 << 20;
    let placements = |file: u8| -> u64 {
        let parts = table.parts.iter().filter(|part| leads_on(&table.material, &part.board, file));
        parts.map(|part| part.board.tiles() as u64 * TILE as u64).sum()
    };
    let most = (0..4).map(placements).max().unwrap_or(0);
    FOR_EACH * most + CODER.min(64 * most)
}

impl FileCodes<'_> {
    fn wdl(&self, side: Color) -> SubTable {
        let values = &self.classes[side.index()];
        if let Some(class) = single_class(values) {
            let order = any_order(&self.material, self.file);
            let (flags, content) = (flags::SINGLE, Content::Single(class));
            return SubTable { order, flags, content, lists: None };
        }
        let source = self.class_source(side);
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
}

/// The one class that all positions can have, if there is one.
fn single_class(codes: &[u8]) -> Option<u8> {
    let fits = |class: u8, code: u8| {
        code == class || code >= codes::CLASSES && class + codes::FREE <= code
    };
    let mut left: Vec<u8> = (0..codes::CLASSES).collect();
    for codes in codes.chunks(1 << 12) {
        let mut seen = [false; 16];
        codes.iter().for_each(|&code| seen[usize::from(code)] = true);
        let possible = |&class: &u8| {
            (0..16).filter(|&code| seen[usize::from(code)]).all(|code| fits(class, code))
        };
        left.retain(possible);
        if left.is_empty() {
            break;
        }
    }
    left.last().copied()
}
