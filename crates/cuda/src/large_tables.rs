//! The large tables in one metric: what is planned, solved and kept.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use molien_board::{Color, Man, Material, Square};
use molien_hyper::Hyperboard;
use molien_values::Stats;

use crate::large_memory::{LONE_PAWN_FILES, PieceSlices, SlicePlan, promotions};
use crate::large_some::Limits;
use crate::layout::Board;
use crate::pawn_exits::{Places, Relaid, SliceKey};
use crate::split::{Split, Splits};
use crate::store::{Store, Stored};
use crate::unit::Unit;

/// How far a pawn has come that promotes next.
const LAST_ADVANCEMENT: i32 = 6;

/// Tables with so many tiles are worth kernels of their own.
const OWN_TILES: u32 = 1 << 20;

/// The large tables in one metric.
#[derive(Default)]
pub(crate) struct LargeTables {
    /// Asked for sooner or later.
    pub expected: Vec<Material>,
    /// What is still to be solved, each after what it reads. Tables without pawns are
    /// solved when they are first read.
    pub order: VecDeque<Material>,
    /// Whether slices of those are kept for all that read them.
    pub pieces: Option<PieceSlices>,
    pub stats: HashMap<Material, Stats>,
    pub splits: Splits,
    pub store: Store,
    /// If not all placements are solved: those that are.
    pub limits: Option<Limits>,
}

/// What a table above reads of one that is being solved.
pub(crate) struct Demand {
    pub key: Stored,
    /// Whose wins of the table these are.
    pub attacker: Color,
}

impl LargeTables {
    /// Plans to solve some tables in this order.
    pub fn plan(&mut self, order: Vec<Material>, slices: SlicePlan, part_bytes: u64) {
        for &material in &order {
            if self.splits.get(material).is_none() {
                let places = match &self.limits {
                    Some(limits) => limits.places(material),
                    None => Places::new(material),
                };
                self.splits.insert(material, Arc::new(Split::of(places, part_bytes)));
            }
        }
        (self.order, self.pieces) = (order.into(), Some(slices.pieces));
        self.store.retain(|_| false);
        self.store.form = slices.form;
    }

    /// What a table reads after promotions.
    pub fn promotions(&self, reader: Material) -> Vec<(Material, Man)> {
        let promotes = |man: Man| match &self.limits {
            Some(limits) => !limits.promotion_squares(reader, man.color).is_empty(),
            None => true,
        };
        promotions(reader).into_iter().filter(|(_, promoted)| promotes(*promoted)).collect()
    }

    /// Gives up what is planned and kept. What was counted stays known.
    pub fn set_aside(&mut self) {
        self.order.clear();
        self.store.retain(|_| false);
    }

    /// Whether a table that is still to be solved reads a material after a
    /// promotion.
    pub fn is_read(&self, material: Material) -> bool {
        let reads = |reader: &Material| {
            Color::BOTH.into_iter().any(|color| reader.promotions(color).contains(&material))
        };
        self.order.iter().any(reads)
    }

    /// The boards on which most of the time is spent until a table is solved, in the order
    /// in which they are.
    pub fn large_boards(&self, until: Material) -> Vec<Board> {
        let (mut found, mut end) = (Vec::new(), false);
        for &table in
            self.order.iter().take_while(|table| !std::mem::replace(&mut end, **table == until))
        {
            let pieces = self.promotions(table).into_iter().map(|(read, _)| read.canonical());
            let pieces = pieces.filter(|read| !read.has_pawns());
            let pieces = pieces.map(|read| Board::new(&Hyperboard::pieces(read)));
            let places = &self.splits.of(table).places;
            let own = Board::around_kings(&places.outer, places.placements.len());
            for board in pieces.chain([own]).filter(|board| board.tiles >= OWN_TILES) {
                if !found.contains(&board) {
                    found.push(board);
                }
            }
        }
        found
    }

    /// What some tables read of one.
    pub fn demands(&self, table: Material, readers: impl Iterator<Item = Material>) -> Vec<Demand> {
        let mut found = Vec::new();
        for reader in readers {
            for (material, promoted) in self.promotions(reader) {
                if material.canonical() == table {
                    self.add_demands(reader, material, promoted, &mut found);
                }
            }
        }
        found
    }

    fn add_demands(
        &self,
        reader: Material,
        material: Material,
        promoted: Man,
        found: &mut Vec<Demand>,
    ) {
        let men = self.splits.of(reader).places.outer.clone();
        for attacker in Color::BOTH {
            if Unit::is_bare(material, attacker) {
                continue;
            }
            let of_table = if material.is_canonical() { attacker } else { !attacker };
            let mut add = |key: Stored| {
                if !found.iter().any(|demand: &Demand| demand.key == key) {
                    found.push(Demand { key, attacker: of_table });
                }
            };
            if material.has_pawns() {
                for part in 0..self.splits.of(material).parts.len() as u32 {
                    let key = SliceKey { material, part, men: men.clone(), promoted };
                    add(Stored::Slice { key, attacker });
                }
                continue;
            }
            let rank = if promoted.color == Color::White { 56 } else { 0 };
            for file in 0..LONE_PAWN_FILES {
                let square = Square::new(rank + file);
                let squares = |limits: &Limits| limits.promotion_squares(reader, promoted.color);
                if self.limits.as_ref().is_some_and(|limits| !squares(limits).contains(square)) {
                    continue;
                }
                let fixed = Some((promoted, square));
                let mover = promoted.color;
                let key = Relaid { material, men: men.clone(), fixed, mover };
                add(Stored::Relaid { key, attacker });
            }
        }
    }

    /// Gives up what nobody is going to read from a part of a table on.
    pub fn give_up_before(&mut self, material: Material, split: &Split, part: usize) {
        let advancement = split.advancement(part);
        // A lone pawn promotes from the first level only.
        let lone = split.places.placements[0].all_squares().len() == 1;
        let promoted = lone && advancement < split.advancement(0);
        let reads: Vec<Material> = promotions(material).into_iter().map(|(read, _)| read).collect();
        let mut store = std::mem::take(&mut self.store);
        store.retain(|stored| match stored {
            Stored::Part { key, .. } => split.is_reached(key.part as usize, advancement),
            Stored::Relaid { key, .. } if key.fixed.is_some() && promoted => {
                self.is_read(key.material)
            }
            // The pawn that promotes has come as far as pawns come, so one level alone
            // reads the slices of a part.
            Stored::Slice { key, .. } if reads.contains(&key.material) => {
                let read = self.splits.of(key.material);
                let level = read.advancement(key.part as usize) + LAST_ADVANCEMENT;
                key.men != split.places.outer || level <= advancement
            }
            _ => true,
        });
        self.store = store;
    }

    /// Whether a table that is still to be solved, or one that is solved for it, reads
    /// the whole of a smaller one.
    pub fn is_read_whole(&self, material: Material) -> bool {
        self.order.iter().any(|reader| {
            let promoted = promotions(*reader);
            let mut readers = promoted.iter().map(|(read, _)| read).filter(|m| !m.has_pawns());
            reader.successors().contains(&material)
                || readers.any(|read| {
                    let read = read.canonical();
                    read.successors().contains(&material)
                })
        })
    }

    /// Gives up what nobody is going to read.
    pub fn give_up(&mut self) {
        let mut store = std::mem::take(&mut self.store);
        store.retain(|stored| match stored {
            Stored::Part { .. } => false,
            Stored::Slice { key, .. } => self.is_read(key.material),
            Stored::Relaid { key, .. } => self.is_read(key.material),
        });
        self.store = store;
    }
}
