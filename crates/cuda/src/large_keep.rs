//! What stays of a finished part of a large table.

use std::sync::Arc;

use molien_board::{Color, Man, Role};
use molien_hyper::{OuterAxes, Tile};
use molien_values::Metric;

use crate::cut::slice_planes;
use crate::pawn_exits::PartKey;
use crate::store::{CardPlanes, Depths, Read, Store, Stored};
use crate::unit::Unit;

/// Bytes of a slice of a unit, roughly.
pub(crate) fn slice_bytes(key: &Stored, unit: &Unit, metric: Metric) -> u64 {
    let (men, boards) = match (key, &unit.places) {
        (Stored::Slice { key, .. }, Some(places)) => (&key.men, places.placements.len() * 8),
        (Stored::Relaid { key, .. }, _) => (&key.men, 1),
        _ => return 0,
    };
    let plane_bytes = OuterAxes::new(men).len() * boards * size_of::<Tile>();
    plane_bytes as u64 * slice_planes(metric, unit.depth_bits() as u64)
}

/// Keeps what pawns that step into a part read of it.
pub(crate) fn keep_for_steps(store: &mut Store, unit: Unit, part: u32, attacker: Color) {
    let material = unit.board.material();
    let has_pawns = |color| material.count(Man::new(color, Role::Pawn)) > 0;
    let layout = unit.layout;
    let mut keep = |mover: Color, read: Read, depth_bits: usize, planes: Vec<_>| {
        let planes = CardPlanes { layout, read, depths: Depths::Bits(depth_bits), planes };
        let key = PartKey { part, mover };
        store.insert(Stored::Part { material, key, attacker }, Arc::new(planes));
    };
    let Unit { open, won, lost, stalemate, won_depth, lost_depth, .. } = unit;
    if has_pawns(attacker) {
        let bits = lost_depth.len();
        let planes = lost.into_iter().chain(lost_depth).chain(stalemate).collect();
        keep(attacker, Read::Losses, bits, planes);
    }
    if has_pawns(!attacker) {
        let bits = won_depth.len();
        let planes = std::iter::once(open).chain(won).chain(won_depth).collect();
        keep(!attacker, Read::Wins, bits, planes);
    }
}
