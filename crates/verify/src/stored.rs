//! Checking a table that is too large for memory, in its file.

use std::sync::Arc;

use molien_board::{Color, Material, Position, Square};
use molien_build::{Build, check_consistency, check_stored};
use molien_hyper::Index;
use molien_solve::Node;
use molien_table::TableFile;
use molien_values::{Metric, Placement};

use crate::random::SplitMix;
use crate::{Options, PlaneReport, Referee, RefereeReport, Report, VerifyError};

/// Planes at the peak of the check: won, lost and legal of both sides, three
/// sets of the other side, and the moves out as attack and as defence.
const CHECK_PLANES: u64 = 17;
/// Positions the referee looks at unless it is told how many.
pub const STORED_SAMPLE: u64 = 20_000;

/// The hyperboards of a material.
pub(crate) fn boards(material: Material) -> Vec<Node> {
    let placements = match material.has_pawns() {
        true => Placement::all(&material),
        false => vec![Placement::NONE],
    };
    placements.into_iter().map(|pawns| Node { material, pawns }).collect()
}

/// Memory the check of who wins takes, roughly, in bytes.
pub fn stored_check_bytes(file: &TableFile) -> u64 {
    let boards = boards(file.material());
    // All have the same number of tiles.
    let plane = boards.first().map_or(0, |node| node.board().plane_bytes());
    (boards.len() * plane) as u64 * CHECK_PLANES
}

/// Checks a large table in its file, in those of the metrics that it has. With pawns,
/// every value of every position is checked, board by board; without pawns, who wins
/// in every position, if that takes at most `memory_bytes`. In addition the referee
/// checks values with their depths, read as any reader would, on a sample, and on
/// request on a sample of positions one move away from an en-passant capture.
///
/// # Errors
/// If the file is damaged, a sub-game cannot be solved, or it is cancelled.
pub fn verify_stored(
    solver: &Build,
    file: Arc<TableFile>,
    options: &Options,
    memory_bytes: u64,
) -> Result<Report, VerifyError> {
    let material = file.material();
    let checked = check_in_file(solver, file, options, memory_bytes);
    checked.map_err(|error| error.of_check(material))
}

fn check_in_file(
    solver: &Build,
    file: Arc<TableFile>,
    options: &Options,
    memory_bytes: u64,
) -> Result<Report, VerifyError> {
    let material = file.material();
    let stored = file.metrics();
    let mut metrics: Vec<Metric> = Vec::new();
    let own = |metric: Metric| match material.has_pawns() {
        true => metric,
        false => metric.without_pawns(),
    };
    for metric in options.metrics.iter().map(|&metric| own(metric)) {
        if stored.contains(&metric) && !metrics.contains(&metric) {
            metrics.push(metric);
        }
    }
    let referee = RefereeReport::default();
    let mut report = Report { material, planes: Vec::new(), referee, exhaustive: false };
    if material.has_pawns() {
        for &metric in &metrics {
            let found = check_stored(solver, &file, metric)?;
            report.planes.push(PlaneReport { metric, found, depths: true });
        }
    // Who wins is the same in every metric.
    } else if let Some(&metric) = metrics.first()
        && stored_check_bytes(&file) <= memory_bytes
        && let Some(table) = file.load_outcomes(metric)?
    {
        let found = check_consistency(solver, &table)?;
        report.planes.push(PlaneReport { metric, found, depths: false });
    }
    let count = options.sample.unwrap_or(STORED_SAMPLE);
    let mut referee = Referee::reading(solver, file, &metrics)?;
    let en_passant = options.en_passant && material.has_pawns();
    referee.learn_for_samples(solver, count, options.seed, en_passant)?;
    report.referee = referee.sample_positions(count, options.seed)?;
    if en_passant {
        let next = referee.sample_en_passant(count, options.seed)?;
        report.referee = report.referee.merge_with(next);
    }
    Ok(report)
}

/// A random legal position of one of the boards; none if it is very hard to find
/// one.
pub(crate) fn random_position(boards: &[Node], random: &mut SplitMix) -> Option<Position> {
    const ATTEMPTS: usize = 100_000;
    let board = boards.get(random.below(boards.len()))?.board();
    (0..ATTEMPTS).find_map(|_| {
        let tile = random.below(board.tiles());
        let [row, column] = [(); 2].map(|()| Square::new(random.below(64)));
        board.decode(Index { tile, row, column }, Color::BOTH[random.below(2)])
    })
}
