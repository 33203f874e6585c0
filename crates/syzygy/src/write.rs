//! Tables become files.

use molien_board::{Color, Man, Material};
use molien_hyper::Hyperboard;
use molien_solve::{SolveError, Solver};
use molien_values::{BoardValues, FIFTY_MOVES_PLIES, Table};
use rayon::prelude::*;

use crate::blocks::{Packed, pack};
use crate::codes::{self, DECIDED, DEPTHS, Depth, LIST_SHIFT, UNREAD};
use crate::file::{Content, Kind, SubTable, assemble, flags};
use crate::order::{Choice, Order, kinds, leading_pawns};
use crate::pairs::{Dictionary, MAX_SYMBOLS, pair_up};
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
pub struct Files {
    /// Who wins.
    pub wdl: Vec<u8>,
    /// Plies to a zeroing move.
    pub dtz: Vec<u8>,
}

/// Writes a table in [`Metric::Dtz50`](molien_values::Metric::Dtz50). The
/// solver knows the tables that captures lead to, or solves them.
///
/// # Errors
/// If something must be solved and that fails.
pub fn write(solver: &Solver, table: &Table, plies: Plies) -> Result<Files, SolveError> {
    let material = table.material;
    let files: Vec<u8> = if material.has_pawns() { vec![0, 1, 2, 3] } else { vec![0] };
    let (mut wdl, mut dtz) = (Vec::new(), Vec::new());
    for file in files {
        let codes = FileCodes::new(solver, table, file)?;
        let sides: &[Color] =
            if material.is_symmetric() { &[Color::White] } else { &Color::BOTH };
        wdl.push(sides.iter().map(|&side| codes.wdl(side)).collect());
        let choices = sides.iter().map(|&side| codes.dtz(side, plies));
        let size = |table: &SubTable| match &table.content {
            Content::Single(_) => 0,
            Content::Packed(packed) => packed.len_bytes(),
        };
        dtz.push(choices.min_by_key(size).into_iter().collect());
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
    classes: [Vec<u8>; 2],
    depths: [Vec<Depth>; 2],
}

/// Whether the leading pawn of a board stands on a file or its mirror image.
fn leads_on(material: &Material, board: &Hyperboard, file: u8) -> bool {
    let Some((lead, _)) = leading_pawns(material) else { return true };
    let from_edge = |square: molien_board::Square| square.file().min(7 - square.file());
    board.pawns(lead.color).into_iter().map(from_edge).min() == Some(i32::from(file))
}

impl<'a> FileCodes<'a> {
    fn new(solver: &Solver, table: &'a Table, file: u8) -> Result<FileCodes<'a>, SolveError> {
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
        codes.fill(solver)?;
        Ok(codes)
    }

    fn fill(&mut self, solver: &Solver) -> Result<(), SolveError> {
        let len = self.layout.board_len();
        for side in Color::BOTH {
            let classes = self.classes[side.index()].par_chunks_mut(len);
            let depths = self.depths[side.index()].par_chunks_mut(len);
            let boards = self.boards.par_iter();
            boards.zip(classes).zip(depths).try_for_each(|((part, classes), depths)| {
                let zeroing = solver.zeroing(&part.board)?;
                let values = &part.values[side.index()];
                let tiles = classes.as_chunks_mut::<64>().0.par_chunks_mut(64);
                let tiles = tiles.zip(depths.as_chunks_mut::<64>().0.par_chunks_mut(64));
                tiles.enumerate().for_each(|(tile, (classes, depths))| {
                    codes::write_classes(values, &zeroing.captures(side, tile), tile, classes);
                    codes::write_depths(values, &zeroing.wins(side, tile), tile, depths);
                });
                Ok(())
            })?;
        }
        Ok(())
    }

    fn wdl(&self, side: Color) -> SubTable {
        let source = Source {
            layout: &self.layout,
            values: &self.classes[side.index()],
            none: codes::ANY,
        };
        let mut seen = [false; 16];
        source.values.iter().for_each(|&code| seen[usize::from(code)] = true);
        let order = self.some_order();
        let exact: Vec<u8> = (0..codes::CLASSES).filter(|&c| seen[usize::from(c)]).collect();
        let least_free =
            (codes::FREE + 1..=codes::ANY).find(|&c| seen[usize::from(c)]).map(|c| c - codes::FREE);
        if exact.len() <= 1 && exact.iter().all(|&c| least_free.is_none_or(|free| c <= free)) {
            let value = exact.first().copied().unwrap_or(codes::DRAW.min(least_free.unwrap_or(2)));
            return SubTable {
                order,
                flags: flags::SINGLE,
                content: Content::Single(value),
                lists: None,
            };
        }
        let order = self.best_order(|order| {
            let stretches = order.len() / order.stretch();
            let mut data = source.sequence(order, 0..stretches, |c| c);
            fill_classes(&mut data);
            compress(&data, 100, 20, 6..=6).len_bytes()
        });
        let stretches = order.len() / order.stretch();
        let mut data = source.sequence(&order, 0..stretches, |c| c);
        fill_classes(&mut data);
        let packed = compress(&data, MAX_SYMBOLS, 8, 5..=6);
        SubTable { order, flags: 0, content: Content::Packed(Box::new(packed)), lists: None }
    }

    fn dtz(&self, side: Color, plies: Plies) -> SubTable {
        let depths = &self.depths[side.index()];
        let exact = Color::BOTH.map(|winner| {
            plies == Plies::Exact
                || self.boards.iter().any(|part| codes::needs_plies(&part.values, winner))
        });
        let (own, other) = (exact[side.index()], exact[(!side).index()]);
        let mut counts = vec![0u64; DEPTHS];
        depths.iter().for_each(|&depth| counts[usize::from(depth)] += 1);
        let map = ValueMap::new(&counts, own, other);
        let mut flags = if side == Color::Black { flags::BLACK_TO_MOVE } else { 0 };
        if own {
            flags |= flags::WIN_PLIES;
        }
        if other {
            flags |= flags::LOSS_PLIES;
        }
        if map.is_zero() {
            let order = self.some_order();
            let flags = flags | flags::SINGLE;
            return SubTable { order, flags, content: Content::Single(0), lists: None };
        }
        flags |= flags::MAPPED;
        let source = Source { layout: &self.layout, values: depths, none: UNREAD };
        let sequence = |order: &Order| {
            let stretches = order.len() / order.stretch();
            let mut data =
                source.sequence(order, 0..stretches, |depth| map.numbers[usize::from(depth)]);
            fill_numbers(&mut data);
            data
        };
        let order =
            self.best_order(|order| compress(&sequence(order), 100, 20, 10..=10).len_bytes());
        let packed = compress(&sequence(&order), MAX_SYMBOLS, 8, 6..=10);
        SubTable { order, flags, content: Content::Packed(Box::new(packed)), lists: Some(map.lists) }
    }

    fn some_order(&self) -> Order {
        Order::new(&self.material, &choices(&self.material)[0], self.file)
    }

    fn best_order(&self, size: impl Fn(&Order) -> usize) -> Order {
        let orders = choices(&self.material);
        let orders = orders.iter().map(|choice| Order::new(&self.material, choice, self.file));
        orders.min_by_key(|order| size(order)).unwrap_or_else(|| self.some_order())
    }
}

/// A byte that stands for no number.
const UNREAD_BYTE: u8 = u8::MAX;

/// The numbers that stand for depths.
struct ValueMap {
    /// By depth.
    numbers: Vec<u8>,
    /// By list and number.
    lists: [Vec<u8>; DECIDED],
}

impl ValueMap {
    fn new(counts: &[u64], win_plies: bool, loss_plies: bool) -> ValueMap {
        let plies_exact = [win_plies, loss_plies, false, false];
        let mut numbers = vec![UNREAD_BYTE; DEPTHS];
        let lists = std::array::from_fn(|list| {
            let range = list << LIST_SHIFT..(list + 1) << LIST_SHIFT;
            let value = |depth: usize| {
                let plies = (depth & ((1 << LIST_SHIFT) - 1)) as u16;
                let first = if list < 2 { 1 } else { FIFTY_MOVES_PLIES + 1 };
                let after = plies.saturating_sub(first);
                usize::from(if plies_exact[list] { after } else { after / 2 })
            };
            let mut by_value = [0u64; 256];
            for depth in range.clone() {
                if counts[depth] > 0 {
                    by_value[value(depth)] += counts[depth];
                }
            }
            let mut values: Vec<u8> = (0..=255).filter(|&v| by_value[usize::from(v)] > 0).collect();
            values.sort_by_key(|&v| std::cmp::Reverse(by_value[usize::from(v)]));
            for depth in range {
                if let Some(number) = values.iter().position(|&v| usize::from(v) == value(depth)) {
                    numbers[depth] = number as u8;
                }
            }
            values
        });
        ValueMap { numbers, lists }
    }

    fn is_zero(&self) -> bool {
        self.lists.iter().all(|list| list.iter().all(|&value| value == 0))
    }
}

/// Gives positions that are free the value of a neighbour.
fn fill_classes(data: &mut [u8]) {
    let most = |code: u8| code - codes::FREE;
    let mut i = 0;
    while i < data.len() {
        if data[i] < codes::CLASSES {
            i += 1;
            continue;
        }
        let end = data[i..].iter().position(|&c| c < codes::CLASSES).map_or(data.len(), |n| i + n);
        let before = (i > 0).then(|| data[i - 1]);
        let after = data.get(end).copied();
        for free in &mut data[i..end] {
            let fits = |value: &u8| *value <= most(*free);
            *free = before.filter(fits).or(after.filter(fits)).unwrap_or(most(*free).min(2));
        }
        i = end;
    }
}

fn fill_numbers(data: &mut [u8]) {
    let mut last = data.iter().copied().find(|&n| n != UNREAD_BYTE).unwrap_or(0);
    for number in data {
        if *number == UNREAD_BYTE {
            *number = last;
        }
        last = *number;
    }
}

fn compress(
    data: &[u8],
    most: usize,
    least: i32,
    blocks: std::ops::RangeInclusive<u8>,
) -> Packed {
    let mut seen = [false; 256];
    data.iter().for_each(|&value| seen[usize::from(value)] = true);
    let values: Vec<u16> = (0..256).filter(|&value| seen[usize::from(value)]).collect();
    let mut number = [0u16; 256];
    values.iter().zip(0..).for_each(|(&value, n)| number[usize::from(value)] = n);
    let mut dictionary = Dictionary::of_values(values.iter().copied());
    let mut symbols: Vec<u16> = data.iter().map(|&value| number[usize::from(value)]).collect();
    let most = (most + values.len()).min(MAX_SYMBOLS);
    pair_up(&mut symbols, &mut dictionary, most, least);
    pack(&symbols, dictionary, data.len() as u64, blocks)
}

/// The orders that are tried.
fn choices(material: &Material) -> Vec<Choice> {
    let kinds = kinds(material);
    if let Some((lead, rest)) = leading_pawns(material) {
        let others: Vec<Man> =
            kinds.into_iter().filter(|&man| man != lead && Some(man) != rest).collect();
        let mut found = Vec::new();
        for others in permutations(&others) {
            for lead_place in 0..=others.len() + usize::from(rest.is_some()) {
                let places: Vec<Option<usize>> = match rest {
                    None => vec![None],
                    Some(_) => (0..=others.len() + 1)
                        .filter(|&place| place != lead_place)
                        .map(Some)
                        .collect(),
                };
                for pawns_place in places {
                    let others = others.clone();
                    found.push(Choice { lead: vec![lead], others, lead_place, pawns_place });
                }
            }
        }
        return found;
    }
    let single: Vec<Man> =
        kinds.iter().copied().filter(|&man| material.count(man).max(1) == 1).collect();
    let lead_len = if single.len() >= 3 { 3 } else { 2 };
    let mut found = Vec::new();
    for lead in arrangements(&single, lead_len) {
        let others: Vec<Man> = kinds.iter().copied().filter(|man| !lead.contains(man)).collect();
        for others in permutations(&others) {
            for lead_place in 0..=others.len() {
                let (lead, others) = (lead.clone(), others.clone());
                found.push(Choice { lead, others, lead_place, pawns_place: None });
            }
        }
    }
    found
}

fn permutations(men: &[Man]) -> Vec<Vec<Man>> {
    arrangements(men, men.len())
}

/// All ways to choose so many men in order.
fn arrangements(men: &[Man], len: usize) -> Vec<Vec<Man>> {
    if len == 0 {
        return vec![Vec::new()];
    }
    let mut found = Vec::new();
    for (i, &man) in men.iter().enumerate() {
        let mut rest = men.to_vec();
        rest.remove(i);
        for mut tail in arrangements(&rest, len - 1) {
            tail.insert(0, man);
            found.push(tail);
        }
    }
    found
}
