//! Values cut into symbols so that the codes are shortest.
//!
//! The way is found from left to right: a place is reached by the cheapest
//! symbols known, and then all symbols that can begin there are tried. Symbols are kept as
//! lists of runs, so that a run is one step, however long it is. Where
//! the end of a run is open, the symbols that are tried decide it.

use std::num::NonZeroU32;

use rayon::prelude::*;

use crate::domain::Domain;
use crate::pairs::{Dictionary, MAX_LEN};
use crate::runs::{Run, find_runs};

/// Values parsed at a time; no symbol crosses from one part to the next.
const PART: usize = 1 << 15;
/// Parts that a thread takes at a time.
const PARTS: usize = 8;

/// Symbols that begin with the same runs and go on with a run of the same value.
#[derive(Clone, Copy, Default)]
struct Section {
    /// Places in [`Symbols::ends`] and [`Symbols::turns`].
    ends: (u32, u32),
    turns: (u32, u32),
    /// Where [`Symbols::first_ends`] has its ends, if they are many.
    look_up: Option<NonZeroU32>,
}

/// After so many values of the run the symbol ends.
#[derive(Clone, Copy)]
struct End {
    len: u16,
    symbol: u16,
    cost: u32,
}

/// After so many values of the run another value follows.
#[derive(Clone, Copy)]
struct Turn {
    value: u8,
    len: u16,
    section: u32,
}

/// All symbols and what they cost.
pub(crate) struct Symbols {
    sections: Vec<Section>,
    /// Of each section by falling length.
    ends: Vec<End>,
    /// By the values that are left of the run: the first end that is not too long, of
    /// sections with many ends.
    first_ends: Vec<[u16; MAX_LEN + 1]>,
    /// Of each section by value, then by rising length.
    turns: Vec<Turn>,
    /// By the first value.
    roots: Vec<u32>,
}

/// The runs of a symbol: values and lengths.
type RunList = Vec<(u8, u16)>;

impl Symbols {
    /// The symbols of a dictionary and their costs.
    pub fn new(dictionary: &Dictionary, costs: &[u32]) -> Symbols {
        let run_list = |symbol: u16| {
            let mut values = Vec::new();
            dictionary.expand(symbol, &mut values);
            let runs = values.chunk_by(|a, b| a == b);
            runs.map(|run| (run[0] as u8, run.len() as u16)).collect()
        };
        let mut lists: Vec<(RunList, u16)> =
            (0..dictionary.len() as u16).map(|symbol| (run_list(symbol), symbol)).collect();
        lists.sort_unstable();
        lists.dedup_by(|later, first| later.0 == first.0);
        let (sections, ends, turns, roots) = Default::default();
        // None has the number 0.
        let first_ends = vec![[0; MAX_LEN + 1]];
        let mut symbols = Symbols { sections, ends, first_ends, turns, roots };
        for same in lists.chunk_by(|a, b| a.0[0].0 == b.0[0].0) {
            let root = symbols.add(same, 0, costs);
            symbols.roots.resize(usize::from(same[0].0[0].0), u32::MAX);
            symbols.roots.push(root);
        }
        symbols
    }

    /// Adds the section of sorted lists that agree in the runs before `depth` and
    /// in the value of that one.
    fn add(&mut self, lists: &[(RunList, u16)], depth: usize, costs: &[u32]) -> u32 {
        let number = self.sections.len();
        self.sections.push(Section::default());
        let (mut ends, mut turns) = (Vec::new(), Vec::new());
        for same in lists.chunk_by(|a, b| a.0[depth].1 == b.0[depth].1) {
            let len = same[0].0[depth].1;
            let (own, longer) = same.split_at(usize::from(same[0].0.len() == depth + 1));
            ends.extend(own.iter().map(|&(_, symbol)| {
                let cost = costs[usize::from(symbol)];
                End { len, symbol, cost }
            }));
            for next in longer.chunk_by(|a, b| a.0[depth + 1].0 == b.0[depth + 1].0) {
                let section = self.add(next, depth + 1, costs);
                turns.push(Turn { value: next[0].0[depth + 1].0, len, section });
            }
        }
        turns.sort_by_key(|turn| (turn.value, turn.len));
        ends.reverse();
        let look_up = self.add_first_ends(&ends);
        let first = (self.ends.len() as u32, self.turns.len() as u32);
        self.ends.extend(ends);
        self.turns.extend(turns);
        self.sections[number] = Section {
            ends: (first.0, self.ends.len() as u32),
            turns: (first.1, self.turns.len() as u32),
            look_up,
        };
        number as u32
    }

    fn add_first_ends(&mut self, ends: &[End]) -> Option<NonZeroU32> {
        if ends.len() <= FEW {
            return None;
        }
        let first = |left: usize| ends.partition_point(|end| usize::from(end.len) > left);
        self.first_ends.push(std::array::from_fn(|left| first(left) as u16));
        NonZeroU32::new(self.first_ends.len() as u32 - 1)
    }

    /// The ends of a section after at most so many values of its run.
    #[inline]
    fn ends(&self, section: Section, most: u16) -> &[End] {
        let ends = &self.ends[section.ends.0 as usize..section.ends.1 as usize];
        let too_long = match section.look_up {
            Some(number) => {
                let left = usize::from(most).min(MAX_LEN);
                usize::from(self.first_ends[number.get() as usize][left])
            }
            None => count_first(ends, |end| end.len > most),
        };
        &ends[too_long..]
    }

    fn turns(&self, section: Section) -> &[Turn] {
        &self.turns[section.turns.0 as usize..section.turns.1 as usize]
    }
}

/// Lists up to this length are gone through one by one.
const FEW: usize = 16;

/// How many of a sorted list come first; most lists are short.
#[inline]
fn count_first<T>(list: &[T], comes_first: impl Fn(&T) -> bool) -> usize {
    if list.len() > FEW {
        return list.partition_point(comes_first);
    }
    list.iter().position(|item| !comes_first(item)).unwrap_or(list.len())
}

/// What is tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Effort {
    /// Nothing begins at a place that costs more than this above the cheapest one
    /// some way ahead, in parts of a bit. Below zero: not even if it costs so much
    /// less.
    pub slack: i64,
    /// Of the symbols that end in the same run, the longest are tried: so many...
    pub ends: usize,
    /// ... and so many that end before the run can.
    pub short_ends: usize,
}

/// Parts of a bit in which costs are counted.
pub(crate) const BIT: u32 = 256;

/// Sections looked at for the symbols that begin at one place.
const VISITS: usize = 64;

/// Places whose least cost is kept together.
const BLOCK: usize = 8;
/// How many such blocks a symbol can reach.
const AHEAD: usize = MAX_LEN / BLOCK;

/// The cheapest way to a place known: its cost, its last symbol, and how long
/// that is.
#[derive(Clone, Copy)]
struct Way {
    cost: u32,
    symbol: u16,
    len: u16,
}

const NO_WAY: Way = Way { cost: u32::MAX, symbol: 0, len: 0 };

/// The ways to all places of a part.
#[derive(Default)]
struct Ways {
    to: Vec<Way>,
    /// The least cost in each block.
    least: Vec<u32>,
    /// The end of the block that is worked on, and the least cost beyond it.
    block_end: usize,
    ahead: u32,
}

impl Ways {
    fn start(&mut self, len: usize) {
        self.to.clear();
        self.to.resize(len + 1, NO_WAY);
        self.to[0].cost = 0;
        self.least.clear();
        self.least.resize(len / BLOCK + 2 + AHEAD, u32::MAX);
        (self.block_end, self.ahead) = (0, u32::MAX);
    }

    #[inline]
    fn offer(&mut self, place: usize, way: Way) {
        let known = &mut self.to[place];
        if way.cost < known.cost {
            *known = way;
            if place >= self.block_end {
                let least = &mut self.least[place / BLOCK];
                *least = (*least).min(way.cost);
                self.ahead = self.ahead.min(way.cost);
            }
        }
    }

    /// The least cost ahead, beyond the block of a place; places are asked for in
    /// order.
    #[inline]
    fn least_ahead(&mut self, place: usize) -> u32 {
        if place >= self.block_end {
            let next = place / BLOCK + 1;
            self.block_end = next * BLOCK;
            let ahead = &self.least[next..][..AHEAD];
            self.ahead = ahead.iter().fold(u32::MAX, |least, &cost| least.min(cost));
        }
        self.ahead
    }

    /// The symbols of the way to the end.
    fn symbols(&self) -> Vec<u16> {
        let mut symbols = Vec::new();
        let mut at = self.to.len() - 1;
        while at > 0 {
            symbols.push(self.to[at].symbol);
            at -= usize::from(self.to[at].len);
        }
        symbols.reverse();
        symbols
    }
}

/// Finds the cheapest way through one part after the other.
struct Parser<'a> {
    symbols: &'a Symbols,
    effort: Effort,
    runs: Vec<Run>,
    ways: Ways,
    /// Sections to be looked at, the places where their runs begin, and the
    /// numbers of these runs.
    stack: Vec<(u32, u32, u32)>,
}

impl<'a> Parser<'a> {
    fn new(symbols: &'a Symbols, effort: Effort) -> Parser<'a> {
        let (runs, ways, stack) = Default::default();
        Parser { symbols, effort, runs, ways, stack }
    }

    fn parse<D: Domain>(&mut self, codes: &[u8]) -> Vec<u16> {
        find_runs::<D>(codes, &mut self.runs);
        self.ways.start(codes.len());
        let mut run = 0;
        for start in 0..codes.len() {
            let cost = self.ways.to[start].cost;
            if cost == u32::MAX {
                continue;
            }
            let least_ahead = self.ways.least_ahead(start);
            if i64::from(least_ahead) + self.effort.slack <= i64::from(cost) {
                continue;
            }
            while self.runs[run].most as usize <= start {
                run += 1;
            }
            self.push_root(start, run);
            if self.runs[run].least as usize <= start && run + 1 < self.runs.len() {
                self.push_root(start, run + 1);
            }
            self.try_symbols(start, cost);
        }
        self.ways.symbols()
    }

    fn push_root(&mut self, start: usize, run: usize) {
        let root = self.symbols.roots[usize::from(self.runs[run].value)];
        self.stack.push((root, start as u32, run as u32));
    }

    /// Tries the symbols of the sections on the stack, from a place that is
    /// reached at a cost.
    #[inline]
    fn try_symbols(&mut self, start: usize, so_far: u32) {
        let mut visits = 0;
        while let Some((section, place, number)) = self.stack.pop() {
            let section = self.symbols.sections[section as usize];
            let run = self.runs[number as usize];
            // How long the run can and must be from here on.
            let most = (run.most - place) as u16;
            let least = run.least.saturating_sub(place) as u16;
            let ends = self.symbols.ends(section, most);
            let mut short_ends = self.effort.short_ends;
            for end in ends.iter().take(self.effort.ends) {
                let after = place as usize + usize::from(end.len);
                let (cost, len) = (so_far + end.cost, (after - start) as u16);
                self.ways.offer(after, Way { cost, symbol: end.symbol, len });
                short_ends -= usize::from(end.len < least);
                if short_ends == 0 {
                    break;
                }
            }
            visits += 1;
            let Some(next) = self.runs.get(number as usize + 1) else { continue };
            if visits > VISITS {
                continue;
            }
            let turns = self.symbols.turns(section);
            let first = count_first(turns, |turn| (turn.value, turn.len) < (next.value, least));
            let possible = |turn: &&Turn| turn.value == next.value && turn.len <= most;
            for turn in turns[first..].iter().take_while(possible) {
                self.stack.push((turn.section, place + u32::from(turn.len), number + 1));
            }
        }
    }
}

/// The symbols of the cheapest way to cut up the values.
pub(crate) fn parse<D: Domain>(codes: &[u8], symbols: &Symbols, effort: Effort) -> Vec<u16> {
    let parts: Vec<Vec<u16>> = codes
        .par_chunks(PART * PARTS)
        .map_init(
            || Parser::new(symbols, effort),
            |parser, parts| parts.chunks(PART).flat_map(|part| parser.parse::<D>(part)).collect(),
        )
        .collect();
    parts.concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::{Classes, FREE_NUMBER, Numbers};
    use crate::pairs::pair_up;
    use crate::runs::fill;
    use crate::sequence::random;

    /// What the symbols stand for fits the codes, however little is tried.
    fn check<D: Domain>(some: &[u8], values: u16) {
        let mut seed = 9;
        let mut codes = Vec::new();
        while codes.len() < 3 * PART / 2 {
            let number = random(&mut seed);
            let len = if number >> 60 == 0 { 700 } else { (number >> 32) as usize % 12 };
            codes.extend(std::iter::repeat_n(some[number as usize % some.len()], len));
        }
        let mut filled = codes.clone();
        fill::<D>(&mut filled, &mut Vec::new());
        let mut dictionary = Dictionary::of_values(0..values);
        let mut paired: Vec<u16> = filled.iter().map(|&value| u16::from(value)).collect();
        pair_up(&mut paired, &mut dictionary, 300, 4);
        let costs: Vec<u32> = (0..dictionary.len() as u32).map(|i| BIT + i % 7 * BIT).collect();
        let symbols = Symbols::new(&dictionary, &costs);
        let bit = i64::from(BIT);
        let mut totals: Vec<u64> = Vec::new();
        for (slack, ends) in [(bit, 256), (0, 4), (-3 * bit, 1)] {
            let cut = parse::<D>(&codes, &symbols, Effort { slack, ends, short_ends: ends });
            totals.push(cut.iter().map(|&symbol| u64::from(costs[usize::from(symbol)])).sum());
            let mut values = Vec::new();
            cut.iter().for_each(|&symbol| dictionary.expand(symbol, &mut values));
            assert_eq!(values.len(), codes.len());
            for (&code, value) in codes.iter().zip(values) {
                let fits = if D::is_free(code) { D::fits } else { |code, value| code == value };
                assert!(fits(code, value as u8), "{value} at a place with {code}");
            }
        }
        let most: u64 = paired.iter().map(|&symbol| u64::from(costs[usize::from(symbol)])).sum();
        assert!(totals[0] <= totals[2] && totals[0] <= most, "{totals:?} {most}");
    }

    #[test]
    fn symbols_stand_for_values_that_fit() {
        check::<Numbers>(&[0, 0, 1, 2, 3, FREE_NUMBER, FREE_NUMBER], 4);
        check::<Classes>(&[0, 2, 2, 4, 4, 6, 8, 8], 5);
    }
}
