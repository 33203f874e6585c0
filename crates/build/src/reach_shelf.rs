//! What a position with more men than a shelf has tables of can turn into: the shelf, a
//! card for instance, makes the boards that its captures lead to, with all that those read,
//! and only the boards with more men are solved here.

use std::collections::{BTreeMap, BTreeSet};

use molien_board::{Material, Position, Role};
use molien_solve::{Cost, Node};
use molien_values::{Metric, Placement};

use crate::limits::keep_for_others;
use crate::{Build, BuildError};

/// Boards that a shelf makes, by the name of their material.
pub(crate) type FromShelf = BTreeMap<String, (Material, BTreeSet<Placement>)>;

impl Build {
    /// How much a position can turn into, if a shelf is asked for a part of it: that has to be
    /// much, and there must be a piece. Of kings and pawns alone fewer boards are looked at
    /// than men and pawns allow.
    pub(crate) fn asked_of_shelf(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Option<Cost>, BuildError> {
        let material = position.material();
        let apart = self.may_solve && self.ranks().is_none() && metric != Metric::Dtm50;
        let has_piece = material.men().any(|man| man.role != Role::Pawn);
        let larger = self.is_by_part(material) && material.len() > self.by_part_men;
        if self.shelves.is_empty() || !apart || !has_piece || !larger {
            return Ok(None);
        }
        let keep = |material| keep_for_others(material, metric);
        let known = |node: &Node| self.is_known(node.material, metric, keep(node.material));
        let nodes = self.closure(position, known)?.nodes;
        let positions = nodes.iter().map(|node| node.tiles() * 4096).sum();
        let cost = Cost { placements: nodes.len() as u64, positions, ..Cost::default() };
        let handed = nodes.iter().any(|node| self.is_from_shelf(node.material, material, metric));
        Ok(Some(cost).filter(|_| handed && positions >= self.from_shelf_addresses))
    }

    /// Whether a shelf makes boards of a material that one with more men leads to.
    pub(crate) fn is_from_shelf(&self, material: Material, from: Material, metric: Metric) -> bool {
        material.len() < from.len()
            && self.board_shelf(material, metric).is_some()
            && !self.is_known(material, metric, keep_for_others(material, metric))
    }

    /// What some boards of a position's closure read of such tables.
    pub(crate) fn boards_from_shelf(
        &self,
        nodes: &[Node],
        from: Material,
        metric: Metric,
    ) -> FromShelf {
        let mut found = FromShelf::new();
        for node in nodes {
            node.successors(&self.promotions, |next| {
                let with_pawns = next.pawns != Placement::NONE;
                if with_pawns && self.is_from_shelf(next.material, from, metric) {
                    let name = next.material.to_string();
                    let (_, boards) =
                        found.entry(name).or_insert_with(|| (next.material, BTreeSet::new()));
                    boards.insert(next.pawns);
                }
            });
        }
        found
    }
}
