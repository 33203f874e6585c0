//! Counts, histograms, maxima, zugzwangs.

use std::fmt;
use std::ops::{Add, AddAssign};
use std::str::FromStr;

use molien_board::{Color, Material, Position};
use molien_hyper::{Cell, Hyperboard, Index, KingAxis, Plane, Tile};
use molien_operators::{SubGame, count};
use rayon::prelude::*;

use crate::Metric;

/// How positions are counted in published tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Counting {
    /// Each class under symmetry and exchange of like men once.
    Unique,
    /// As `Unique`, but the two mirror images that arise when both kings
    /// stand on the long diagonal count separately.
    Nalimov,
    /// Like men told apart, and white-to-move placements with Black in check
    /// counted as White wins.
    Stiller,
}

impl FromStr for Counting {
    type Err = String;

    fn from_str(text: &str) -> Result<Counting, String> {
        match text.to_ascii_lowercase().as_str() {
            "unique" => Ok(Counting::Unique),
            "nalimov" => Ok(Counting::Nalimov),
            "stiller" => Ok(Counting::Stiller),
            _ => Err(format!("'{text}' is not a counting: use unique, nalimov or stiller")),
        }
    }
}

impl fmt::Display for Counting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Counting::Unique => "unique",
            Counting::Nalimov => "nalimov",
            Counting::Stiller => "stiller",
        })
    }
}

/// A number of positions, counted in two ways at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Count {
    /// As [`Counting::Unique`].
    pub unique: u64,
    /// As [`Counting::Nalimov`].
    pub nalimov: u64,
}

impl Add for Count {
    type Output = Count;
    fn add(self, other: Count) -> Count {
        Count { unique: self.unique + other.unique, nalimov: self.nalimov + other.nalimov }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Count) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Count {
    fn sum<I: Iterator<Item = Count>>(counts: I) -> Count {
        counts.fold(Count::default(), Add::add)
    }
}

/// A longest win or loss: its depth and one position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Longest {
    /// Depth in plies.
    pub plies: u16,
    /// The first such position in the order of the table.
    pub position: Position,
}

/// Statistics of one side to move, seen from that side.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SideStats {
    /// Legal positions.
    pub legal: Count,
    /// Placements that are illegal because the other side is in check.
    pub broken: Count,
    /// Wins by depth in plies.
    pub wins: Vec<Count>,
    /// Losses by depth in plies.
    pub losses: Vec<Count>,
    /// The deepest win.
    pub longest_win: Option<Longest>,
    /// The deepest loss.
    pub longest_loss: Option<Longest>,
}

impl SideStats {
    /// All wins.
    pub fn total_wins(&self) -> Count {
        self.wins.iter().copied().sum()
    }

    /// All losses.
    pub fn total_losses(&self) -> Count {
        self.losses.iter().copied().sum()
    }

    pub(crate) fn absorb(&mut self, other: &SideStats) {
        self.legal += other.legal;
        self.broken += other.broken;
        add_histogram(&mut self.wins, &other.wins);
        add_histogram(&mut self.losses, &other.losses);
        keep_longer(&mut self.longest_win, &other.longest_win);
        keep_longer(&mut self.longest_loss, &other.longest_loss);
    }

    fn swap_colors(mut self) -> SideStats {
        for longest in [&mut self.longest_win, &mut self.longest_loss].into_iter().flatten() {
            longest.position = longest.position.swap_colors();
        }
        self
    }
}

fn add_histogram(into: &mut Vec<Count>, from: &[Count]) {
    if into.len() < from.len() {
        into.resize(from.len(), Count::default());
    }
    into.iter_mut().zip(from).for_each(|(a, b)| *a += *b);
}

fn keep_longer(mine: &mut Option<Longest>, other: &Option<Longest>) {
    let longer = match (&mine, other) {
        (None, Some(_)) => true,
        (Some(a), Some(b)) => b.plies > a.plies,
        _ => false,
    };
    if longer {
        mine.clone_from(other);
    }
}

/// Mutual zugzwangs by type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Zugzwangs {
    /// White to move draws, Black to move loses.
    pub white_wins: Count,
    /// Black to move draws, White to move loses.
    pub black_wins: Count,
    /// Whoever moves loses.
    pub full_point: Count,
}

/// Statistics of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stats {
    /// The material, in this orientation.
    pub material: Material,
    /// What is counted in the histograms.
    pub metric: Metric,
    /// White to move, Black to move.
    pub sides: [SideStats; 2],
    /// Mutual zugzwangs.
    pub zugzwangs: Zugzwangs,
}

impl Stats {
    pub(crate) fn new(material: Material, metric: Metric) -> Stats {
        Stats { material, metric, sides: Default::default(), zugzwangs: Zugzwangs::default() }
    }

    /// In how many ways like men can be told apart.
    pub fn labelled_factor(&self) -> u64 {
        let mut kinds: Vec<molien_board::Man> = self.material.men().collect();
        kinds.dedup();
        let factorial = |n: usize| (1..=n as u64).product::<u64>();
        kinds.into_iter().map(|man| factorial(self.material.count(man))).product()
    }

    /// The greatest depth of a win or loss of either side, in plies.
    pub fn deepest(&self) -> usize {
        let histograms = self.sides.iter().flat_map(|side| [&side.wins, &side.losses]);
        histograms.map(|plies| plies.len().saturating_sub(1)).max().unwrap_or(0)
    }

    /// Whether something takes longer than the 50-move rule allows.
    pub fn is_cursed(&self) -> bool {
        const FIFTY_MOVES_PLIES: usize = 100;
        self.deepest() > FIFTY_MOVES_PLIES
    }

    /// A count in the wanted counting (wins of White to move need
    /// [`Stats::wins`] for Stiller's).
    pub fn number(&self, count: Count, counting: Counting) -> u64 {
        match counting {
            Counting::Unique => count.unique,
            Counting::Nalimov => count.nalimov,
            Counting::Stiller => count.nalimov * self.labelled_factor(),
        }
    }

    /// The wins of a side to move. In Stiller's counting a white-to-move
    /// placement with Black in check is a win.
    pub fn wins(&self, side: Color, counting: Counting) -> u64 {
        let stats = &self.sides[side.index()];
        let broken = match (counting, side) {
            (Counting::Stiller, Color::White) => self.number(stats.broken, counting),
            _ => 0,
        };
        self.number(stats.total_wins(), counting) + broken
    }

    /// The same statistics with the colours exchanged.
    pub fn swap_colors(&self) -> Stats {
        let [white, black] = self.sides.clone();
        Stats {
            material: self.material.swap_colors(),
            metric: self.metric,
            sides: [black.swap_colors(), white.swap_colors()],
            zugzwangs: Zugzwangs {
                white_wins: self.zugzwangs.black_wins,
                black_wins: self.zugzwangs.white_wins,
                full_point: self.zugzwangs.full_point,
            },
        }
    }

    pub(crate) fn absorb(&mut self, other: &Stats) {
        for (mine, theirs) in self.sides.iter_mut().zip(&other.sides) {
            mine.absorb(theirs);
        }
        self.zugzwangs.white_wins += other.zugzwangs.white_wins;
        self.zugzwangs.black_wins += other.zugzwangs.black_wins;
        self.zugzwangs.full_point += other.zugzwangs.full_point;
    }
}

/// Counts addresses of a hyperboard as positions.
pub(crate) struct Counter<'a> {
    board: &'a Hyperboard,
    /// Addresses of one placement of like men.
    stored_factor: u64,
    /// By tile: the representatives, for tiles with mirror images of their own
    /// positions; none for the others.
    mirrors: Vec<Option<Box<Tile>>>,
}

/// Addresses in tiles without and with mirror images, and representatives.
#[derive(Clone, Copy, Default)]
pub(crate) struct Raw {
    plain: u64,
    mirrored: u64,
    mirrored_unique: u64,
}

impl Raw {
    #[inline(always)]
    pub fn add(self, other: Raw) -> Raw {
        Raw {
            plain: self.plain + other.plain,
            mirrored: self.mirrored + other.mirrored,
            mirrored_unique: self.mirrored_unique + other.mirrored_unique,
        }
    }
}

impl<'a> Counter<'a> {
    pub fn new(board: &'a Hyperboard) -> Counter<'a> {
        let mirror = |tile| {
            let cell = board.cell(tile)?;
            board.maps_to_itself(&cell).then(|| Box::new(board.representatives(&cell)))
        };
        let mirrors = (0..board.tiles()).into_par_iter().with_min_len(64).map(mirror).collect();
        Counter { board, stored_factor: board.stored_factor(), mirrors }
    }

    /// Sorts the addresses of a tile, so many of them.
    pub fn raw(&self, number: usize, tile: &Tile, addresses: u64) -> Raw {
        match &self.mirrors[number] {
            None => Raw { plain: addresses, ..Raw::default() },
            Some(mask) => {
                let mirrored_unique = count(&tile.and(mask));
                Raw { plain: 0, mirrored: addresses, mirrored_unique }
            }
        }
    }

    /// The positions that some addresses stand for.
    pub fn finish(&self, raw: Raw) -> Count {
        let unique = raw.plain / self.stored_factor + raw.mirrored_unique;
        let nalimov = match self.board.king_axis() {
            KingAxis::Pairs => (raw.plain + raw.mirrored) / self.stored_factor,
            KingAxis::Tile => unique,
        };
        Count { unique, nalimov }
    }

    /// Counts the positions given tile by tile.
    pub fn tiles(&self, tile: impl Fn(usize, &Cell) -> Tile + Sync) -> Count {
        let raw = (0..self.board.tiles())
            .into_par_iter()
            .with_min_len(64)
            .filter_map(|number| {
                let cell = self.board.cell(number)?;
                let tile = tile(number, &cell);
                Some(self.raw(number, &tile, count(&tile)))
            })
            .reduce(Raw::default, Raw::add);
        self.finish(raw)
    }
}

/// The first position of a plane, in the order of the table.
pub(crate) fn first_position(board: &Hyperboard, plane: &Plane, turn: Color) -> Option<Position> {
    let tile = plane.live.iter().position(|&live| live)?;
    let (row, column) = plane.tiles[tile].pairs().next()?;
    board.decode(Index { tile, row, column }, turn)
}

/// Fills in what needs the finished values: legal and broken positions, and
/// mutual zugzwangs.
pub(crate) fn finish_stats(
    stats: &mut Stats,
    counter: &Counter<'_>,
    game: &SubGame,
    placements: impl Fn(&Cell) -> Tile + Sync,
) {
    let [white, black] = &game.values;
    for turn in Color::BOTH {
        let legal = &game.values[turn.index()].legal;
        let side = &mut stats.sides[turn.index()];
        side.legal = counter.tiles(|tile, _| legal[tile]);
        side.broken = counter.tiles(|tile, cell| placements(cell).minus(&legal[tile]));
    }
    let both_legal = |tile: usize| white.legal[tile].and(&black.legal[tile]);
    let draw = |side: &molien_operators::Graded, tile: usize| {
        side.legal[tile].minus(&side.won[tile]).minus(&side.lost[tile])
    };
    stats.zugzwangs = Zugzwangs {
        white_wins: counter.tiles(|t, _| black.lost[t].and(&draw(white, t)).and(&both_legal(t))),
        black_wins: counter.tiles(|t, _| white.lost[t].and(&draw(black, t)).and(&both_legal(t))),
        full_point: counter.tiles(|t, _| black.lost[t].and(&white.lost[t]).and(&both_legal(t))),
    };
}
