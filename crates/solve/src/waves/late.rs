//! Mate under the 50-move rule, beyond the hundredth ply.
//!
//! Let W(c, n) be the positions that the attacker, to move, wins by mate within
//! n plies when the clock stands at c, and L(c, n) those in which the defender,
//! to move, is mated within n. A quiet move takes one ply and adds one to the
//! clock, so
//!
//! ```text
//! W(c, n) = a quiet move into L(c + 1, n - 1), or a zeroing move that mates within n
//! L(c, n) = every quiet move into W(c + 1, n - 1), every zeroing move mates within n
//! W(100, n) is empty, L(100, n) is mate
//! ```
//!
//! and c + n never changes along quiet moves. All sets with the same sum
//! c + n = 100 + d thus form one run of ordinary waves: step k decides
//! W(100 - k, d + k) and L(100 - k, d + k), and step 100 is clock 0. A zeroing
//! move that mates within m plies counts at step m - d, or at the first if it
//! is sooner than that. So the run of d is the run of 0 with every conversion d
//! plies sooner, and a position is mated in 100 + d plies from clock 0 if the
//! run of d is the first to decide it. The run of 0 is that of the first
//! hundred plies. From the d on at which all conversions count at the first step
//! runs are alike; that run comes first, and says what is still to be decided.

use molien_hyper::Tile;
use molien_operators::Release;
use rayon::prelude::*;

use super::depths::Depths;
use super::pending::Pending;
use super::undecided::Undecided;
use super::{CHUNK_TILES, Decided, Listener, State, Stop, Tally, Waves};

/// What the runs start from.
pub(super) struct Runs<'a> {
    pub waves: &'a Waves<'a>,
    /// Legal positions, attacker to move, and when conversions win there.
    open: Vec<Tile>,
    wins: Vec<Release>,
    /// Positions that can be lost, and when conversions no longer hold there.
    losable: Vec<Tile>,
    holds: Vec<Release>,
}

/// What a run leaves undecided.
struct Left {
    open: Vec<Tile>,
    candidates: Vec<Tile>,
}

/// Hears nothing of single steps.
struct Deaf<'a, L>(&'a L);

impl<L: Listener> Listener for Deaf<'_, L> {
    fn decided(&mut self, _: u16, _: Decided<'_>, _: Tally) {}

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

impl<'a> Runs<'a> {
    /// The runs that start from a state before its first wave.
    pub fn new(waves: &'a Waves<'a>, state: &State) -> Runs<'a> {
        let tiles = |side: &Undecided| side.positions.tiles.clone();
        let State { open, candidates, .. } = state;
        let (wins, holds) = (open.conversions(), candidates.conversions());
        Runs { waves, open: tiles(open), wins, losable: tiles(candidates), holds }
    }

    /// The legal positions, attacker to move.
    pub fn open(&self) -> &[Tile] {
        &self.open
    }

    /// What the defender, to move, can lose.
    pub fn losable(&self) -> &[Tile] {
        &self.losable
    }

    /// From this one on all runs are alike.
    pub fn last(&self) -> u16 {
        deepest(&self.wins).max(deepest(&self.holds)).saturating_sub(1)
    }

    /// Decides what takes longer than the rule allows without a zeroing move;
    /// `state` is that after the run of 0.
    pub fn late_wins(&self, state: &mut State, listener: &mut impl Listener) -> Result<(), Stop> {
        let last = self.last();
        if last == 0 {
            return Ok(());
        }
        let mut at_last = Some(self.left_by(last, listener)?);
        for sooner in 1..=last {
            if at_last.as_ref().is_none_or(|left| left.is_left_by(state)) {
                break;
            }
            let left = match at_last.take_if(|_| sooner == last) {
                Some(left) => left,
                None => self.left_by(sooner, listener)?,
            };
            let ply = self.waves.last_ply + sooner;
            let [lost, won] = self.waves.leave(state, ply, [&left.open, &left.candidates])?;
            let wave =
                [self.waves.sealed(lost, &state.lost_now), self.waves.sealed(won, &state.won_now)];
            self.waves.report(state, ply, wave, listener);
        }
        Ok(())
    }

    fn left_by(&self, sooner: u16, listener: &impl Listener) -> Result<Left, Stop> {
        let State { open, candidates, .. } = self.run(sooner, false, &mut Deaf(listener))?;
        Ok(Left { open: open.positions.tiles, candidates: candidates.positions.tiles })
    }

    /// One run, every conversion so many plies sooner; with or without the steps
    /// at which positions are decided.
    pub fn run(
        &self,
        sooner: u16,
        keep_steps: bool,
        listener: &mut impl Listener,
    ) -> Result<State, Stop> {
        let undecided = |tiles: &[Tile], releases: &[Release], dirty| {
            let tile = |number: usize| (tiles[number], releases[number].sooner(sooner));
            let depths = Depths::new(keep_steps, Vec::new(), tiles.len());
            Undecided::new(Pending::gather(self.waves.backend, tiles.len(), tile), depths, dirty)
        };
        let mut state = State::new(
            undecided(&self.open, &self.wins, false),
            undecided(&self.losable, &self.holds, true),
            self.open.len(),
        );
        self.waves.run(&mut state, None, listener)?;
        Ok(state)
    }
}

impl Left {
    /// Whether nothing else is undecided there.
    fn is_left_by(&self, state: &State) -> bool {
        let equal = |left: &[Tile], undecided: &Undecided| {
            left.par_iter().with_min_len(CHUNK_TILES).eq(&undecided.positions.tiles)
        };
        equal(&self.open, &state.open) && equal(&self.candidates, &state.candidates)
    }
}

/// The greatest ply of all.
fn deepest(releases: &[Release]) -> u16 {
    let of_tile = |release: &Release| match release.bits.as_slice() {
        _ if release.some.is_empty() => 0,
        [] => 1,
        bits => greatest(release.some, bits),
    };
    releases.par_iter().with_min_len(CHUNK_TILES).map(of_tile).max().unwrap_or(0)
}

fn greatest(mut some: Tile, bits: &[Tile]) -> u16 {
    let mut ply = 0;
    for (b, bit) in bits.iter().enumerate().rev() {
        let with = some.and(bit);
        if !with.is_empty() {
            (some, ply) = (with, ply | 1 << b);
        }
    }
    ply
}
