//! Values cut into symbols so that the codes are shortest.
//!
//! Positions that are not read match any value (of those allowed). What the
//! symbols then stand for decides them.

use rayon::prelude::*;

use crate::pairs::Dictionary;

/// No symbol.
const NONE: u16 = u16::MAX;
/// Values parsed at a time; no symbol crosses from one part to the next.
const PART: usize = 1 << 16;
/// Nodes looked at for the symbols that begin at one place.
const VISITS: usize = 192;

/// What values a place can have.
pub(crate) trait Places: Sync {
    /// How many places there are.
    fn len(&self) -> usize;
    /// How many places from this one on can have this value; at most 255 are
    /// counted.
    fn run(&self, place: usize, value: u8) -> usize;
    /// The only value the place can have, if there is just one.
    fn only(&self, place: usize) -> Option<u8>;
}

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

/// The symbols of the cheapest way to cut up the values, given what each symbol
/// costs.
pub(crate) fn parse(places: &impl Places, trie: &Trie, costs: &[u32]) -> Vec<u16> {
    let parts: Vec<Vec<u16>> = (0..places.len().div_ceil(PART))
        .into_par_iter()
        .map(|part| {
            let start = part * PART;
            parse_part(places, trie, costs, start..places.len().min(start + PART))
        })
        .collect();
    parts.concat()
}

fn parse_part(
    places: &impl Places,
    trie: &Trie,
    costs: &[u32],
    range: std::ops::Range<usize>,
) -> Vec<u16> {
    let mut best = vec![(u32::MAX, NONE, 0u16); range.len() + 1];
    best[0].0 = 0;
    let mut stack = Vec::new();
    for start in range.clone() {
        let at = start - range.start;
        let so_far = best[at].0;
        if so_far == u32::MAX {
            continue;
        }
        trie.matches(places, start, range.end, &mut stack, |symbol, after| {
            let cost = so_far + costs[usize::from(symbol)];
            let to = &mut best[after - range.start];
            if cost < to.0 {
                *to = (cost, symbol, (after - start) as u16);
            }
        });
    }
    let mut symbols = Vec::new();
    let mut at = range.len();
    while at > 0 {
        let (_, symbol, len) = best[at];
        symbols.push(symbol);
        at -= usize::from(len);
    }
    symbols.reverse();
    symbols
}
