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
use crate::parse::{Places, Trie, parse};
use crate::places::{ClassPlaces, NumberPlaces};
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
        if std::env::var("STUDY").is_ok() {
            for choice in choices(&self.material) {
                let order = Order::new(&self.material, &choice, self.file);
                let mut all = source.sequence(&order, 0..order.len() / order.stretch(), |c| c);
                fill_classes(&mut all);
                let bits = |data: &[u8], most: usize, least: i32| {
                    let (symbols, dictionary) = paired(data, most, least);
                    let mut counts = vec![0u64; dictionary.len()];
                    symbols.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
                    let lengths = crate::huffman::code_lengths(&counts);
                    counts.iter().zip(lengths).map(|(&count, len)| count as usize * usize::from(len)).sum::<usize>() / 8
                };
                let names: String = order.men().iter().map(|m| if m.color == Color::White { m.role.letter() } else { m.role.letter().to_ascii_lowercase() }).collect();
                println!("{names} {} full {} all100 {} all30 {} h1 {} h2 {} h4 {}", order.lead_place(), bits(&all, 4095, 8), bits(&all, 100, 20),
                    bits(&all, 30, 20), entropy(&all, 1), entropy(&all, 2), entropy(&all, 4));
            }
        }
        let order = self.best_order(|order| {
            let mut data = Vec::new();
            for stretches in sample(order) {
                let mut part = source.sequence(order, stretches, |c| c);
                fill_classes(&mut part);
                data.append(&mut part);
            }
            estimate(&data)
        });
        let stretches = order.len() / order.stretch();
        let raw = source.sequence(&order, 0..stretches, |c| c);
        let mut data = raw.clone();
        fill_classes(&mut data);
        let wild = leave_short(&raw, &data, |c| c >= codes::CLASSES);
        let packed = compress(&data, &ClassPlaces::new(wild), 8, 5..=6);
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
        let sequence = |order: &Order, stretches: std::ops::Range<u64>| {
            let mut data =
                source.sequence(order, stretches, |depth| map.numbers[usize::from(depth)]);
            fill_numbers(&mut data);
            data
        };
        if std::env::var("STUDY").is_ok() {
            for choice in choices(&self.material) {
                let order = Order::new(&self.material, &choice, self.file);
                let all = sequence(&order, 0..order.len() / order.stretch());
                let bits = |data: &[u8], most: usize, least: i32| {
                    let (symbols, dictionary) = paired(data, most, least);
                    let mut counts = vec![0u64; dictionary.len()];
                    symbols.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
                    let lengths = crate::huffman::code_lengths(&counts);
                    counts.iter().zip(lengths).map(|(&count, len)| count as usize * usize::from(len)).sum::<usize>() / 8
                };
                let few = |segments: usize, len: usize| {
                    let step = (all.len() - len) / (segments - 1);
                    (0..segments).flat_map(|i| all[i * step..i * step + len].to_vec()).collect::<Vec<u8>>()
                };
                let names: String = order.men().iter().map(|m| if m.color == Color::White { m.role.letter() } else { m.role.letter().to_ascii_lowercase() }).collect();
                println!("{names} {} full {} all100 {} all30 {} h1 {} h2 {} h4 {}", order.lead_place(), bits(&all, 4095, 8), bits(&all, 100, 20),
                    bits(&all, 30, 20), entropy(&all, 1), entropy(&all, 2), entropy(&all, 4));
            }
        }
        let order = self.best_order(|order| {
            let parts = sample(order).into_iter().map(|stretches| sequence(order, stretches));
            estimate(&parts.collect::<Vec<_>>().concat())
        });
        let stretches = order.len() / order.stretch();
        let raw = source.sequence(&order, 0..stretches, |depth| map.numbers[usize::from(depth)]);
        let mut data = raw.clone();
        fill_numbers(&mut data);
        let wild = leave_short(&raw, &data, |n| n == UNREAD_BYTE);
        let packed = compress(&data, &NumberPlaces::new(wild), 8, 6..=10);
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
    let short: usize = std::env::var("SHORT").ok().and_then(|s| s.parse().ok()).unwrap_or(32);
    let mut i = 0;
    while i < data.len() {
        if data[i] != UNREAD_BYTE {
            i += 1;
            continue;
        }
        let end = data[i..].iter().position(|&n| n != UNREAD_BYTE).map_or(data.len(), |n| i + n);
        let before = if i > 0 { data[i - 1] } else { UNREAD_BYTE };
        let after = data.get(end).copied().unwrap_or(UNREAD_BYTE);
        let least = before.min(after);
        let fill = if end - i < short && least != UNREAD_BYTE { least } else { 0 };
        data[i..end].fill(fill);
        i = end;
    }
}

/// Stretches of an order on which orders are compared.
fn sample(order: &Order) -> Vec<std::ops::Range<u64>> {
    const SEGMENT: u64 = 1 << 15;
    #[allow(non_snake_case)]
    let SEGMENTS: u64 = std::env::var("SEGS").ok().and_then(|s| s.parse().ok()).unwrap_or(8);
    let stretches = order.len() / order.stretch();
    let len = (SEGMENT / order.stretch()).max(1);
    if len * SEGMENTS >= stretches {
        return vec![0..stretches];
    }
    let step = (stretches - len) / (SEGMENTS - 1);
    (0..SEGMENTS).map(|i| i * step..i * step + len).collect()
}

/// About how many bits values take.
fn estimate(data: &[u8]) -> usize {
    let (symbols, dictionary) = paired(data, 100, 20);
    let mut counts = vec![0u64; dictionary.len()];
    symbols.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
    let lengths = crate::huffman::code_lengths(&counts);
    counts.iter().zip(lengths).map(|(&count, len)| count as usize * usize::from(len)).sum()
}

fn entropy(data: &[u8], context: usize) -> usize {
    let mut counts: std::collections::HashMap<(u64, u8), u32> = Default::default();
    let mut contexts: std::collections::HashMap<u64, u32> = Default::default();
    let mut h = 0u64;
    for &v in data {
        *counts.entry((h, v)).or_default() += 1;
        *contexts.entry(h).or_default() += 1;
        h = (h << 8 | u64::from(v)) & ((1u64 << (8 * context)) - 1);
    }
    let bits: f64 = counts.iter().map(|(&(h, _), &c)| f64::from(c) * (f64::from(contexts[&h]) / f64::from(c)).log2()).sum();
    (bits / 8.0) as usize
}

fn env(name: &str, default: usize) -> usize {
    std::env::var(name).ok().and_then(|s| s.parse().ok()).unwrap_or(default)
}

/// Keeps the free places of short runs.
fn leave_short(raw: &[u8], filled: &[u8], free: impl Fn(u8) -> bool) -> Vec<u8> {
    let longest = env("WILD", 8);
    let mut out = filled.to_vec();
    let mut i = 0;
    while i < raw.len() {
        if !free(raw[i]) {
            i += 1;
            continue;
        }
        let end = raw[i..].iter().position(|&n| !free(n)).map_or(raw.len(), |n| i + n);
        if end - i <= longest {
            out[i..end].copy_from_slice(&raw[i..end]);
        }
        i = end;
    }
    out
}

fn compress(
    data: &[u8],
    places: &impl Places,
    least: i32,
    blocks: std::ops::RangeInclusive<u8>,
) -> Packed {
    let (mut symbols, mut dictionary) = paired(data, MAX_SYMBOLS, least);
    for round in 0..env("ROUNDS", 2) {
        for _ in 0..env("PARSES", 2) {
            let mut counts = vec![0u64; dictionary.len()];
            symbols.iter().for_each(|&symbol| counts[usize::from(symbol)] += 1);
            let total: u64 = counts.iter().sum();
            let costs: Vec<u32> = counts.iter().map(|&c| (256.0 * (total as f64 / (c as f64).max(0.5)).log2()) as u32).collect();
            if std::env::var("SHOW").is_ok() {
                let bits: f64 = counts.iter().zip(&costs).map(|(&c, &b)| c as f64 * f64::from(b) / 256.0).sum();
                eprintln!("round {round}: {} symbols {} used, {:.0} bytes", dictionary.len(), counts.iter().filter(|&&c| c > 0).count(), bits / 8.0);
            }
            symbols = parse(places, &Trie::new(&dictionary), &costs);
        }
        if round + 1 < env("ROUNDS", 2) {
            let mut values = Vec::new();
            symbols.iter().for_each(|&symbol| dictionary.expand(symbol, &mut values));
            let data: Vec<u8> = values.iter().map(|&v| v as u8).collect();
            (symbols, dictionary) = paired(&data, MAX_SYMBOLS, least);
        }
    }
    pack(&symbols, dictionary, data.len() as u64, blocks)
}

fn paired(data: &[u8], most: usize, least: i32) -> (Vec<u16>, Dictionary) {
    let mut seen = [false; 256];
    data.iter().for_each(|&value| seen[usize::from(value)] = true);
    let values: Vec<u16> = (0..256).filter(|&value| seen[usize::from(value)]).collect();
    let mut number = [0u16; 256];
    values.iter().zip(0..).for_each(|(&value, n)| number[usize::from(value)] = n);
    let mut dictionary = Dictionary::of_values(values.iter().copied());
    let mut symbols: Vec<u16> = data.iter().map(|&value| number[usize::from(value)]).collect();
    let most = (most + values.len()).min(MAX_SYMBOLS);
    pair_up(&mut symbols, &mut dictionary, most, least);
    (symbols, dictionary)
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
