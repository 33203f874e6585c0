//! Some boards of a large table: what they cannot turn into is not solved.

use std::collections::{HashMap, HashSet};

use molien_board::{Bitboard, Color, Material, Role};
use molien_build::order;
use molien_solve::Node;
use molien_values::{BoardReceiver, Metric, PawnMoveKind, Placement, Stats};

use crate::large_memory::{Promotion, part_most_bytes, slice_plan_of};
use crate::large_tables::LargeTables;
use crate::pawn_exits::Places;
use crate::{CudaEngine, CudaError};

/// Squares of a promotion rank, of which slices of tables with pawns have all.
const PROMOTION_SQUARES: u64 = 8;

/// What some boards can turn into while no man is taken.
pub(crate) struct Limits {
    tables: HashMap<Material, Limit>,
}

/// The boards of one material, in canonical orientation.
#[derive(Default)]
struct Limit {
    placements: Vec<Placement>,
    /// Where the pawns of either side promote by a step.
    promotion_squares: [Bitboard; 2],
}

impl Limits {
    pub fn new(material: Material, pawns: &[Placement]) -> Limits {
        let mut ahead: Vec<Node> = pawns.iter().map(|pawns| Node::new(material, *pawns)).collect();
        let mut seen: HashSet<Node> = ahead.iter().copied().collect();
        let mut tables: HashMap<Material, Limit> = HashMap::new();
        while let Some(node) = ahead.pop() {
            tables.entry(node.material).or_default().add(node.pawns);
            node.successors(&Role::PROMOTIONS, |next| {
                let same = next.material.len() == material.len() && next.material.has_pawns();
                if same && seen.insert(next) {
                    ahead.push(next);
                }
            });
        }
        tables.values_mut().for_each(|limit| limit.placements.sort_unstable());
        Limits { tables }
    }

    /// Whether any board of a material can come about.
    fn has(&self, material: Material) -> bool {
        self.tables.contains_key(&material.canonical())
    }

    /// The boards of a material in canonical orientation.
    pub fn places(&self, material: Material) -> Places {
        let placements = self.tables.get(&material).map(|limit| limit.placements.clone());
        Places::around(material, placements.unwrap_or_default())
    }

    /// Where pawns of one side promote.
    pub fn promotion_squares(&self, reader: Material, color: Color) -> Bitboard {
        let limit = self.tables.get(&reader);
        limit.map_or(Bitboard::EMPTY, |limit| limit.promotion_squares[color.index()])
    }

    /// Boards that a promotion of one side to a material leads to.
    fn promoted_boards(&self, reader: Material, read: Material, color: Color) -> u64 {
        match self.tables.get(&read.canonical()) {
            Some(limit) => limit.placements.len() as u64 * PROMOTION_SQUARES,
            None => self.promotion_squares(reader, color).len() as u64,
        }
    }
}

impl Limit {
    fn add(&mut self, pawns: Placement) {
        self.placements.push(pawns);
        for m in pawns.pawn_moves() {
            if m.promotes() && matches!(m.kind, PawnMoveKind::Step) {
                self.promotion_squares[m.side.index()] |= Bitboard::from_square(m.to);
            }
        }
    }
}

impl CudaEngine {
    /// Hands over boards of a large table in canonical orientation. Only what these can turn
    /// into is solved, and the statistics are of that.
    pub(crate) fn some_boards(
        &self,
        material: Material,
        metric: Metric,
        pawns: &[Placement],
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, CudaError> {
        let _one = self.one_at_a_time();
        // What waits there for other questions would be in the way.
        self.large_tables().values_mut().for_each(LargeTables::set_aside);
        let mut tables = LargeTables::default();
        self.plan_some(&mut tables, Limits::new(material, pawns), material, metric)?;
        self.solve_planned(&mut tables, material, metric, Some(receiver))
    }

    fn plan_some(
        &self,
        tables: &mut LargeTables,
        limits: Limits,
        material: Material,
        metric: Metric,
    ) -> Result<(), CudaError> {
        let card_bytes = self.memory()?.1;
        let mut order = order(&[material], |material| material.len() < self.large_men);
        order.retain(|material| limits.has(*material));
        tables.limits = Some(limits);
        let promotions = |reader: Material| {
            let found = tables.promotions(reader).into_iter();
            let boards = |read, color| {
                let limits = tables.limits.as_ref();
                limits.map_or(0, |limits| limits.promoted_boards(reader, read, color))
            };
            found
                .map(|(read, man)| Promotion { read, boards: boards(read, man.color) })
                .collect::<Vec<_>>()
        };
        let room = (card_bytes, self.host_bytes);
        let slices = slice_plan_of(&order, &promotions, metric, room)
            .map_err(|bytes| self.too_much(material, metric, bytes))?;
        let part_bytes = self.part_bytes.unwrap_or(part_most_bytes(metric, card_bytes));
        tables.store.most_host_bytes = self.host_bytes - slices.beside_bytes;
        tables.plan(order, slices, part_bytes);
        Ok(())
    }
}
