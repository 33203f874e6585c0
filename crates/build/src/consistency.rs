//! Checks finished tables against what they read.

use std::sync::Arc;

use molien_solve::{Consistency, Node, check_board};
use molien_table::TableFile;
use molien_values::{BoardValues, Metric, Table};
use rayon::prelude::*;

use crate::build::outside_rayon;
use crate::cache::key;
use crate::sources::BoardSource;
use crate::whole::stages;
use crate::{Build, BuildError};

/// Checks every position of a table against the positions one move on; what the
/// moves out of it lead to comes from `build`.
///
/// # Errors
/// If a table that is read cannot be had, or it is cancelled.
pub fn check_consistency(build: &Build, table: &Table) -> Result<Consistency, BuildError> {
    outside_rayon(|| {
        let (inputs, _held) = build.inputs_for(key(table.material, table.metric))?;
        // Pawn moves lead to other boards of the table itself.
        inputs.add_table(Arc::new(table.clone()));
        build.pool().install(|| {
            let check = |game: &Arc<BoardValues>| {
                let exits = inputs.exits(&game.board)?;
                Ok(check_board(build.backend, game, &*exits, &*build.progress)?)
            };
            let merge = |a: Consistency, b: Consistency| Ok(a.merge(b));
            table.parts.par_iter().map(check).try_reduce(Consistency::default, merge)
        })
    })
}

/// The same of a table with pawns in its file, board by board, never all of it
/// in memory.
///
/// # Errors
/// If the file or a table that is read cannot be had, or it is cancelled.
pub fn check_stored(
    build: &Build,
    file: &Arc<TableFile>,
    metric: Metric,
) -> Result<Consistency, BuildError> {
    let material = file.material();
    if !material.has_pawns() {
        return check_consistency(build, &file.load(metric)?);
    }
    outside_rayon(|| {
        let whole = build.whole_of(stages(material), metric);
        let (inputs, share, _room) = build.inputs_by_part((material, metric), &whole)?;
        inputs.add_source(material, BoardSource::File { file: file.clone(), metric });
        let check = |node: &Node| -> Result<Consistency, BuildError> {
            let missing = BuildError::NotCovered { material };
            let board = Arc::new(file.load_board(metric, node.pawns)?.ok_or(missing)?);
            inputs.add_board(*node, board.clone());
            let exits = inputs.exits(&board.board)?;
            Ok(check_board(build.backend, &board, &*exits, &*build.progress)?)
        };
        let merge = |a: Consistency, b: Consistency| Ok(a.merge(b));
        let mut found = Consistency::default();
        for stage in &whole.schedule.stages {
            for some in stage.boards.chunks(share.at_once as usize) {
                let checked = build
                    .pool()
                    .install(|| some.par_iter().map(check).try_reduce(Consistency::default, merge));
                found = found.merge(checked?);
            }
            stage.forget.iter().for_each(|wanted| inputs.forget_view(wanted));
        }
        Ok(found)
    })
}
