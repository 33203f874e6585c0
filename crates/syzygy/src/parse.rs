//! Values cut into symbols so that the codes are shortest.
//!
//! Positions that are not read match any value (of those allowed). What the
//! symbols then stand for decides them.

use rayon::prelude::*;

use crate::domain::{Domain, Places, for_each_free_run};
use crate::pairs::Dictionary;

/// No symbol.
const NONE: u16 = u16::MAX;
/// Values parsed at a time; no symbol crosses from one part to the next.
const PART: usize = 1 << 16;
/// Nodes looked at for the symbols that begin at one place.
const VISITS: usize = 192;

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
}

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
        let mut trie = Trie { nodes: Vec::new(), edges: Vec::new() };
        trie.add(&strings, 0);
        trie
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
                let run = |string: &[u16]| string[depth..].iter().take_while(|&&v| v == value).count();
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
    /// after them.
    #[inline]
    fn matches(
        &self,
        places: &impl Places,
        start: usize,
        end: usize,
        stack: &mut Vec<(u32, usize)>,
        mut found: impl FnMut(u16, usize),
    ) {
        stack.clear();
        stack.push((0, start));
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
            let edges = self.edges(node);
            let mut go = |edge: &Edge| {
                let after = place + usize::from(edge.len);
                if after <= end && places.run(place, edge.value) >= usize::from(edge.len) {
                    stack.push((edge.to, after));
                }
            };
            match places.only(place) {
                Some(value) if edges.len() > 8 => {
                    if let Ok(i) = edges.binary_search_by_key(&value, |edge| edge.value) {
                        go(&edges[i]);
                    }
                }
                Some(value) => edges.iter().filter(|edge| edge.value == value).for_each(go),
                None => edges.iter().for_each(go),
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
    for start in 0..len {
        let so_far = best[start].0;
        if so_far == u32::MAX {
            continue;
        }
        trie.matches(places, start, len, &mut stack, |symbol, after| {
            let cost = so_far + costs[usize::from(symbol)];
            let to = &mut best[after];
            if cost < to.0 {
                *to = (cost, symbol, (after - start) as u16);
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
