//! Mate under the 50-move rule, by its definition.
//!
//! With V(p, c) the value of position p when c plies were played since the last
//! zeroing move,
//!
//! ```text
//! V(p, c) = best over the moves of p:  zeroing move to q -> one ply more than V(q, 0)
//!                                      quiet move to q   -> one ply more than V(q, c + 1)
//! V(q, 100) = drawn, unless q is mate
//! ```
//!
//! Quiet moves raise the clock, so the recursion ends: no fixed point is needed.
//! Every position is taken on its own, with the legal moves of an independent
//! chess library. This is the slow meaning that fast solutions are compared
//! with: for three and four men.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Color, Material, Position, Square};
use molien_build::{Build, BuildError};
use molien_hyper::Index;
use molien_probe::chess::to_chess;
use molien_values::{FIFTY_MOVES_PLIES, Metric, Place, Table, Value, better};
use rayon::iter::Either;
use rayon::prelude::*;
use shakmaty::{Chess, EnPassantMode, Position as _};

use crate::chess::{placement, play};

/// Addresses of a tile.
const TILE_CELLS: usize = 64 * 64;
/// Not a node.
const NO_NODE: u32 = u32::MAX;

/// The values of one material at some clocks.
pub struct Clocked {
    /// Where positions are; its values are not used.
    table: Arc<Table>,
    /// By clock that is kept, by part, by address.
    layers: HashMap<u16, Vec<Layer>>,
}

/// The values of one part at one clock, by address.
type Layer = Vec<Value>;

/// The values of one part of a table at one clock.
pub struct ClockLayer<'a> {
    /// Which part.
    pub part: usize,
    /// Plies since the last zeroing move.
    pub clock: u16,
    /// Where its legal positions are.
    pub places: &'a [Place],
    /// Their values.
    pub values: &'a [Value],
}

/// Makes [`Clocked`] values of materials and what they depend on.
pub struct ClockedValues<'a> {
    build: &'a Build,
    clocks: Vec<u16>,
    rule_plies: u16,
    known: HashMap<Material, Arc<Clocked>>,
}

impl<'a> ClockedValues<'a> {
    /// Keeps the values at these clocks, and at 0.
    pub fn new(build: &'a Build, clocks: impl IntoIterator<Item = u16>) -> ClockedValues<'a> {
        let mut clocks: Vec<u16> = clocks.into_iter().chain([0]).collect();
        clocks.sort_unstable();
        clocks.dedup();
        ClockedValues { build, clocks, rule_plies: FIFTY_MOVES_PLIES, known: HashMap::new() }
    }

    /// Draws the game after so many plies without a zeroing move, not 100.
    pub fn with_rule_plies(mut self, plies: u16) -> ClockedValues<'a> {
        self.rule_plies = plies;
        self
    }

    /// The values of a material.
    ///
    /// # Errors
    /// If its table, which says where positions are, cannot be solved.
    pub fn of(&mut self, material: Material) -> Result<Arc<Clocked>, BuildError> {
        let material = material.canonical();
        if let Some(known) = self.known.get(&material) {
            return Ok(known.clone());
        }
        let table = self.prepared(material)?;
        let made = Arc::new(self.make(table, &mut |_| {}));
        self.known.insert(material, made.clone());
        Ok(made)
    }

    /// Hands over the values of a material at every clock, the last clock of a
    /// part first, those of the places in the order of [`ClockLayer::places`].
    ///
    /// # Errors
    /// If its table, which says where positions are, cannot be solved.
    pub fn each_layer(
        &mut self,
        material: Material,
        mut visit: impl FnMut(&ClockLayer<'_>),
    ) -> Result<(), BuildError> {
        let material = material.canonical();
        let table = self.prepared(material)?;
        let made = Arc::new(self.make(table, &mut visit));
        self.known.insert(material, made);
        Ok(())
    }

    /// Gets ready what a material leads to.
    fn prepared(&mut self, material: Material) -> Result<Arc<Table>, BuildError> {
        for sub in material.successors().iter().filter(|sub| sub.len() > 2) {
            self.of(*sub)?;
        }
        self.build.table(material, Metric::Dtm)
    }

    fn make(&self, table: Arc<Table>, visit: &mut dyn FnMut(&ClockLayer<'_>)) -> Clocked {
        let parts = table.parts.len();
        let empty = || vec![Layer::new(); parts];
        let layers = self.clocks.iter().map(|&clock| (clock, empty())).collect();
        let mut made = Clocked { table, layers };
        // Pawns move forward: the furthest advanced first.
        let mut order: Vec<usize> = (0..parts).collect();
        order.sort_by_key(|&part| std::cmp::Reverse(advancement(&made.table, part)));
        for part in order {
            let nodes = Nodes::new(self, &made, part);
            nodes.run(self.rule_plies, |clock, values| {
                visit(&ClockLayer { part, clock, places: &nodes.places, values });
                if let Some(layer) = made.layers.get_mut(&clock) {
                    layer[part] = nodes.by_address(values);
                }
            });
        }
        made
    }

    /// The value of a position just after a zeroing move.
    fn after_zeroing(&self, made: &Clocked, chess: &Chess) -> Value {
        let plain = || {
            let position = placement(chess).filter(|position| position.material().len() > 2);
            let Some(position) = position else { return Value::Draw };
            let material = position.material().canonical();
            let of = if material == made.table.material { made } else { &*self.known[&material] };
            of.value(&position, 0).expect("every legal position is in its table")
        };
        if chess.ep_square(EnPassantMode::Legal).is_none() {
            return plain();
        }
        let moves = chess.legal_moves();
        let captures = moves.iter().filter(|m| m.is_en_passant());
        let others = moves.iter().any(|m| !m.is_en_passant()).then(plain);
        let captures = captures.map(|m| before(self.after_zeroing(made, &play(chess, *m))));
        others.into_iter().chain(captures).reduce(better).unwrap_or(Value::Draw)
    }
}

/// How far the pawns of a part have come, together.
fn advancement(table: &Table, part: usize) -> i32 {
    let board = &table.parts[part].board;
    let of = |color: Color| {
        let steps = |rank: i32| if color == Color::White { rank } else { 7 - rank };
        board.pawns(color).into_iter().map(|square| steps(square.rank())).sum::<i32>()
    };
    of(Color::White) + of(Color::Black)
}

/// One ply more, seen from the other side.
fn before(value: Value) -> Value {
    match value {
        Value::Win(plies) => Value::Loss(plies + 1),
        Value::Loss(plies) => Value::Win(plies + 1),
        Value::Draw => Value::Draw,
    }
}

impl Clocked {
    /// The value of a position, its en-passant right ignored; none if it is not
    /// of this material or the clock is not kept.
    pub fn value(&self, position: &Position, clock: u16) -> Option<Value> {
        let place = self.table.locate(position)?;
        self.layers.get(&clock)?[place.part].get(address(place)).copied()
    }

    /// Where the legal positions are.
    pub fn places(&self) -> impl Iterator<Item = Place> {
        let parts = 0..self.table.parts.len();
        parts.flat_map(|part| places(&self.table, part).0).map(|(place, _)| place)
    }

    /// The legal positions.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        let parts = 0..self.table.parts.len();
        let all = parts.flat_map(|part| places(&self.table, part).0);
        all.filter_map(|(_, chess)| placement(&chess))
    }

    /// The value at a place of the tables of this material.
    pub fn at(&self, place: Place, clock: u16) -> Option<Value> {
        self.layers.get(&clock)?[place.part].get(address(place)).copied()
    }
}

/// The number of a place in its part.
fn address(place: Place) -> usize {
    let Index { tile, row, column } = place.index;
    ((tile * TILE_CELLS + row.index() * 64 + column.index()) << 1) | place.turn.index()
}

/// The legal positions of a part and their moves.
struct Nodes {
    places: Vec<Place>,
    /// By address.
    numbers: Vec<u32>,
    nodes: Vec<Node>,
}

struct Node {
    /// Numbers of the positions after quiet moves.
    quiet: Vec<u32>,
    /// The best that zeroing moves give, or what the position is worth if it
    /// has no move at all.
    fixed: Option<Value>,
    is_mate: bool,
}

impl Nodes {
    fn new(all: &ClockedValues<'_>, made: &Clocked, part: usize) -> Nodes {
        let (places, images) = places(&made.table, part);
        let tiles = made.table.parts[part].board.tiles();
        let mut numbers = vec![NO_NODE; tiles * TILE_CELLS * 2];
        for (number, (place, _)) in places.iter().enumerate() {
            numbers[address(*place)] = u32::try_from(number).expect("fewer than 2^32 positions");
        }
        for (image, home) in images {
            numbers[address(image)] = numbers[address(home)];
        }
        let node = |(_, chess): &(Place, Chess)| {
            let mut quiet = Vec::new();
            let mut fixed = None;
            let moves = chess.legal_moves();
            for &m in &moves {
                let after = play(chess, m);
                if m.is_zeroing() {
                    let value = before(all.after_zeroing(made, &after));
                    fixed = Some(fixed.map_or(value, |best| better(best, value)));
                } else {
                    let position = placement(&after).expect("a legal move leads to a position");
                    let place = made.table.locate(&position).expect("it is in the same table");
                    quiet.push(numbers[address(place)]);
                }
            }
            let is_mate = moves.is_empty() && chess.is_check();
            if moves.is_empty() {
                fixed = Some(if is_mate { Value::Loss(0) } else { Value::Draw });
            }
            Node { quiet, fixed, is_mate }
        };
        let nodes = places.par_iter().map(node).collect();
        Nodes { places: places.into_iter().map(|(place, _)| place).collect(), numbers, nodes }
    }

    /// Works out all layers, the last clock first.
    fn run(&self, rule_plies: u16, mut layer: impl FnMut(u16, &[Value])) {
        let last = |node: &Node| if node.is_mate { Value::Loss(0) } else { Value::Draw };
        let mut next: Vec<Value> = self.nodes.par_iter().map(last).collect();
        for clock in (0..rule_plies).rev() {
            let value = |node: &Node| {
                let quiet = node.quiet.iter().map(|&after| before(next[after as usize]));
                quiet.chain(node.fixed).reduce(better).expect("a move, or none at all")
            };
            let now = self.nodes.par_iter().map(value).collect();
            next = now;
            layer(clock, &next);
        }
    }

    fn by_address(&self, values: &[Value]) -> Layer {
        let value = |&number: &u32| values.get(number as usize).copied().unwrap_or(Value::Draw);
        self.numbers.iter().map(value).collect()
    }
}

/// Another place that shows a position (like men in another order), and the one
/// where it is found.
type Image = (Place, Place);

/// The legal positions of a part, each at the one place where it is found, and
/// their images.
fn places(table: &Table, part: usize) -> (Vec<(Place, Chess)>, Vec<Image>) {
    let board = &table.parts[part].board;
    let of_tile = |tile: usize| {
        let all = Square::all().flat_map(move |row| {
            Square::all().flat_map(move |column| {
                Color::BOTH.map(|turn| Place { part, turn, index: Index { tile, row, column } })
            })
        });
        all.filter_map(|place| {
            let position = Position::placement(board.decode_men(place.index)?, place.turn)?;
            let chess = to_chess(&position)?;
            let home = table.locate(&position)?;
            Some(if home == place {
                Either::Left((place, chess))
            } else {
                Either::Right((place, home))
            })
        })
    };
    (0..board.tiles()).into_par_iter().flat_map_iter(of_tile).partition_map(|found| found)
}
