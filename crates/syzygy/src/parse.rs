//! Values cut into symbols so that the codes are shortest.
//!
//! Positions that are not read match any value (of those allowed). What the
//! symbols then stand for decides them.

use rayon::prelude::*;

use crate::domain::{Domain, Places, for_each_free_run};
use crate::pairs::{Dictionary, MAX_LEN};

/// No symbol.
const NONE: u16 = u16::MAX;
/// Values parsed at a time; no symbol crosses from one part to the next.
const PART: usize = 1 << 15;
/// Nodes looked at for the symbols that begin at one place.
const VISITS: usize = 192;
/// A run is cut into symbols that fall in length: the next is at least this
/// part of what is left.
const LEAST_SHARE: usize = 8;

#[derive(Clone, Copy)]
struct Node {
    first_edge: u32,
    edges: u16,
    symbol: u16,
}

/// So many equal values lead to another node.
#[derive(Clone, Copy)]
struct Edge {
    value: u8,
    len: u8,
    to: u32,
}

/// All symbols, as paths of runs.
pub(crate) struct Trie {
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// By value: the paths of this value alone.
    runs: Vec<Runs>,
}

/// The paths that are runs of one value.
#[derive(Clone)]
struct Runs {
    /// Lengths of the symbols that are runs, rising, and the symbols.
    symbols: Vec<(u16, u16)>,
    /// By length: the node that other values follow; none if there is none.
    nodes: Vec<u32>,
}

/// Places whose least cost is kept.
const BLOCK: usize = 32;
/// No symbol begins at a place that costs this much more than one further on:
/// two bits. It would hardly ever be on the cheapest way.
const SLACK: u32 = 256;

/// No node.
const NOWHERE: u32 = u32::MAX;

impl Trie {
    /// The symbols of a dictionary.
    pub fn new(dictionary: &Dictionary) -> Trie {
        let mut strings: Vec<(Vec<u16>, u16)> = (0..dictionary.len() as u16)
            .map(|symbol| {
                let mut string = Vec::new();
                dictionary.expand(symbol, &mut string);
                (string, symbol)
            })
            .collect();
        strings.sort_unstable();
        strings.dedup_by(|later, first| later.0 == first.0);
        let mut trie = Trie { nodes: Vec::new(), edges: Vec::new(), runs: Vec::new() };
        trie.add(&strings, 0);
        let values = strings.iter().filter_map(|(string, _)| string.first()).max().unwrap_or(&0);
        trie.runs = (0..=*values).map(|value| trie.runs_of(value as u8)).collect();
        trie
    }

    fn runs_of(&self, value: u8) -> Runs {
        let mut runs = Runs { symbols: Vec::new(), nodes: vec![NOWHERE; MAX_LEN + 1] };
        let (mut node, mut len) = (0, 0);
        while let Some(edge) = self.edges(node).iter().find(|edge| edge.value == value) {
            (node, len) = (edge.to, len + usize::from(edge.len));
            let symbol = self.nodes[node as usize].symbol;
            if symbol != NONE {
                runs.symbols.push((len as u16, symbol));
            }
            if self.edges(node).iter().any(|edge| edge.value != value) {
                runs.nodes[len] = node;
            }
        }
        runs
    }

    /// Adds the node of sorted strings that agree in the first `depth` values.
    fn add(&mut self, strings: &[(Vec<u16>, u16)], depth: usize) -> u32 {
        let number = self.nodes.len();
        let (own, rest) = match strings.first() {
            Some((string, symbol)) if string.len() == depth => (*symbol, &strings[1..]),
            _ => (NONE, strings),
        };
        self.nodes.push(Node { first_edge: 0, edges: 0, symbol: own });
        let edges: Vec<Edge> = rest
            .chunk_by(|a, b| a.0[depth] == b.0[depth])
            .map(|same| {
                let value = same[0].0[depth];
                // As far as all go on with this value and none ends.
                let run =
                    |string: &[u16]| string[depth..].iter().take_while(|&&v| v == value).count();
                let len = same.iter().map(|(string, _)| run(string)).min().unwrap_or(1).min(255);
                let to = self.add(same, depth + len);
                Edge { value: value as u8, len: len as u8, to }
            })
            .collect();
        let node = &mut self.nodes[number];
        (node.first_edge, node.edges) = (self.edges.len() as u32, edges.len() as u16);
        self.edges.extend(edges);
        number as u32
    }

    #[inline]
    fn edges(&self, node: u32) -> &[Edge] {
        let Node { first_edge, edges, .. } = self.nodes[node as usize];
        &self.edges[first_edge as usize..][..usize::from(edges)]
    }

    /// Calls `found` with the symbols that can begin at a place and the places
    /// after them. Of those that are runs in a longer run not all are given.
    #[inline]
    fn matches(
        &self,
        places: &impl Places,
        start: usize,
        end: usize,
        stack: &mut Vec<(u32, usize)>,
        mut found: impl FnMut(u16, usize),
    ) {
        let fixed = places.fixed(start);
        for &value in places.options(start).values() {
            let runs = &self.runs[usize::from(value)];
            let run = places.run(start, value).min(end - start).min(MAX_LEN);
            // The longest always, so that there is a way; then, down to a part of
            // what is left, the others.
            let fitting = runs.symbols.partition_point(|&(len, _)| usize::from(len) <= run);
            let mut longest_first = runs.symbols[..fitting].iter().rev();
            if let Some(&(len, symbol)) = longest_first.next() {
                found(symbol, start + usize::from(len));
            }
            if fixed >= 2 * MAX_LEN {
                continue;
            }
            let least = fixed.min(MAX_LEN) / LEAST_SHARE;
            for &(len, symbol) in longest_first.take_while(|(len, _)| usize::from(*len) >= least) {
                found(symbol, start + usize::from(len));
            }
            // Other values can follow where the run may end: at free places and
            // after the last.
            stack.clear();
            let mut len = fixed.max(1);
            while len <= run && start + len < end {
                let place = start + len;
                let still = places.fixed(place);
                if still > 0 && len < run {
                    len += still;
                    continue;
                }
                let node = runs.nodes[len];
                if node != NOWHERE {
                    for &next in places.options(place).values() {
                        if next != value {
                            self.step(places, node, place, next, end, stack);
                        }
                    }
                }
                len += 1;
            }
            self.descend(places, end, stack, &mut found);
        }
    }

    /// Follows the edge of a value, if the places allow it.
    #[inline]
    fn step(
        &self,
        places: &impl Places,
        node: u32,
        place: usize,
        value: u8,
        end: usize,
        stack: &mut Vec<(u32, usize)>,
    ) {
        let edges = self.edges(node);
        let edge = if edges.len() > 8 {
            edges.binary_search_by_key(&value, |edge| edge.value).ok().map(|i| &edges[i])
        } else {
            edges.iter().find(|edge| edge.value == value)
        };
        if let Some(edge) = edge {
            let len = usize::from(edge.len);
            if place + len <= end && places.run(place, value) >= len {
                stack.push((edge.to, place + len));
            }
        }
    }

    /// All symbols below the nodes of the stack.
    #[inline]
    fn descend(
        &self,
        places: &impl Places,
        end: usize,
        stack: &mut Vec<(u32, usize)>,
        found: &mut impl FnMut(u16, usize),
    ) {
        let mut visits = 0;
        while let Some((node, place)) = stack.pop() {
            let symbol = self.nodes[node as usize].symbol;
            if symbol != NONE {
                found(symbol, place);
            }
            visits += 1;
            if place == end || visits > VISITS {
                continue;
            }
            for &value in places.options(place).values() {
                self.step(places, node, place, value, end, stack);
            }
        }
    }
}

/// Runs of free places up to this length are decided by what the symbols stand
/// for; longer ones are filled.
const SHORT: usize = 8;

/// The symbols of the cheapest way to cut up the values, given what each symbol
/// costs.
pub(crate) fn parse<D: Domain>(codes: &[u8], trie: &Trie, costs: &[u32]) -> Vec<u16> {
    let parts: Vec<Vec<u16>> = codes
        .par_chunks(PART)
        .map(|part| parse_part(&D::places(fill_long_runs::<D>(part)), part.len(), trie, costs))
        .collect();
    parts.concat()
}

/// The codes with long runs of free places filled.
fn fill_long_runs<D: Domain>(codes: &[u8]) -> Vec<u8> {
    let mut filled = codes.to_vec();
    D::fill(&mut filled);
    for_each_free_run::<D>(codes, |run| {
        if run.len() <= SHORT {
            filled[run.clone()].copy_from_slice(&codes[run]);
        }
    });
    filled
}

fn parse_part(places: &impl Places, len: usize, trie: &Trie, costs: &[u32]) -> Vec<u16> {
    // The least cost up to each place, and the last symbol and its length.
    let mut best = vec![(u32::MAX, NONE, 0u16); len + 1];
    best[0].0 = 0;
    let mut stack = Vec::new();
    // The least cost of the places of each block.
    let mut least = vec![u32::MAX; len / BLOCK + 2 + MAX_LEN / BLOCK];
    for start in 0..len {
        let so_far = best[start].0;
        if so_far == u32::MAX {
            continue;
        }
        let ahead = &least[start / BLOCK + 1..][..MAX_LEN / BLOCK];
        let least_ahead = ahead.iter().fold(u32::MAX, |least, &cost| least.min(cost));
        if least_ahead.saturating_add(SLACK) <= so_far {
            continue;
        }
        trie.matches(places, start, len, &mut stack, |symbol, after| {
            let cost = so_far + costs[usize::from(symbol)];
            let to = &mut best[after];
            if cost < to.0 {
                *to = (cost, symbol, (after - start) as u16);
                let least = &mut least[after / BLOCK];
                *least = (*least).min(cost);
            }
        });
    }
    let mut symbols = Vec::new();
    let mut at = len;
    while at > 0 {
        let (_, symbol, len) = best[at];
        symbols.push(symbol);
        at -= usize::from(len);
    }
    symbols.reverse();
    symbols
}
