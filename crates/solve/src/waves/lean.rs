//! Solving a large board in little memory.
//!
//! [`BoardSolve`](super::BoardSolve) keeps about twenty planes of a board in memory,
//! here it is six, and those of depths if they are kept: what is open, what can
//! be lost, what conversions hold, and what three waves decide. Conversions wait
//! outside, ply by ply (`outside`), and so does what is needed again only at the end.
//! They are gathered first, for both sides' wins, so that what the moves out of the
//! board lead to need not stay in memory during the waves.

use std::io;
use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, KingAxis, Tile};
use molien_operators::{Backend, Goal, complete_symmetric, empty_tiles, make_tiles, valid};
use molien_values::{BoardValues, Graded, Metric, Stats, WaveLog};
use rayon::prelude::*;

use super::board::{complete_symmetric_stats, decided, open_log, stopped};
use super::counter::{Counter, finish_stats};
use super::depths::Depths;
use super::outside::{Away, DueLog, DueStretch, STRETCH_TILES, Spill, put_stretch};
use super::pending::{NEVER, Pending};
use super::record::{Keep, Recorder};
use super::undecided::Undecided;
use super::watch::{Watch, is_one_sided};
use super::{Decided, Listener, State, Stop, Tally, Waves};
use crate::exits::Exits;
use crate::{Progress, SolveError};

/// What solving one hyperboard in little memory needs. Not for
/// [`Metric::Dtm50`], which runs again from where it started.
pub struct LeanSolve<'a> {
    /// The tile operators.
    pub backend: &'a dyn Backend,
    /// Is told of every wave, and asked whether to stop.
    pub progress: &'a dyn Progress,
    /// The board.
    pub board: &'a Hyperboard,
    /// What is counted.
    pub metric: Metric,
    /// Whether depths are kept.
    pub keep: Keep,
    /// Where waves are logged, if they are.
    pub log: Option<&'a dyn WaveLog>,
    /// Where things are put away.
    pub spill: Arc<dyn Spill>,
}

/// What the moves out of a board achieve, put away.
pub struct Gathered {
    /// By attacker; none for one who cannot win, or whose wins mirror the other's.
    runs: [Option<Start>; 2],
}

/// What the wins of one side start from.
struct Start {
    wins: DueLog,
    first_win: Vec<u16>,
    holds: DueLog,
    first_hold: Vec<u16>,
    /// Positions that can be lost.
    candidates: Away,
    /// Those of them that a conversion holds for a while.
    held: Away,
}

/// The same for a stretch of tiles.
struct StartStretch {
    wins: Vec<(u16, u64)>,
    first_win: Vec<u16>,
    holds: Vec<(u16, u64)>,
    first_hold: Vec<u16>,
    candidates: u64,
    held: u64,
}

/// What one side's wins have decided, put away.
struct Outcome {
    won: Away,
    lost: Away,
}

/// Puts stalemates away, and passes on the rest.
struct PuttingAway<'a, 'b> {
    recorder: Recorder<'a>,
    spill: &'b dyn Spill,
    stalemates: Option<io::Result<Away>>,
}

impl Listener for PuttingAway<'_, '_> {
    fn decided(&mut self, ply: u16, decided: Decided<'_>, tally: Tally) {
        match decided {
            Decided::Stalemate(plane) => {
                self.stalemates = Some(Away::put(&plane.tiles, self.spill));
            }
            decided => self.recorder.decided(ply, decided, tally),
        }
    }

    fn cancelled(&self) -> bool {
        self.recorder.cancelled()
    }
}

impl LeanSolve<'_> {
    fn material(&self) -> Material {
        self.board.material()
    }

    fn stopped(&self, stop: impl Into<Stop>) -> SolveError {
        stopped(self.material(), stop.into())
    }

    /// Gathers what the moves out of the board achieve. After that the exits are no
    /// longer needed.
    ///
    /// # Errors
    /// If it is cancelled, or something cannot be put away.
    pub fn gather(&self, exits: &dyn Exits) -> Result<Gathered, SolveError> {
        let mut runs = [None, None];
        for attacker in Color::BOTH {
            let mirrors = attacker == Color::Black && is_one_sided(self.board);
            if self.material().side_len(attacker) > 1 && !mirrors {
                let start = self.gather_for(attacker, exits).map_err(|stop| self.stopped(stop))?;
                runs[attacker.index()] = Some(start);
            }
        }
        Ok(Gathered { runs })
    }

    fn gather_for(&self, attacker: Color, exits: &dyn Exits) -> Result<Start, Stop> {
        let stretches = self.board.tiles().div_ceil(STRETCH_TILES);
        let gather = |stretch| self.gather_stretch(attacker, exits, stretch);
        let all: Result<Vec<StartStretch>, Stop> =
            (0..stretches).into_par_iter().map(gather).collect();
        let (mut wins, mut holds) = (Vec::new(), Vec::new());
        let (mut first_win, mut first_hold) = (Vec::new(), Vec::new());
        let (mut candidates, mut held) = (Vec::new(), Vec::new());
        for stretch in all? {
            wins.push(stretch.wins);
            first_win.extend(stretch.first_win);
            holds.push(stretch.holds);
            first_hold.extend(stretch.first_hold);
            candidates.push(stretch.candidates);
            held.push(stretch.held);
        }
        let log = |stretches| DueLog::new(self.spill.clone(), stretches);
        let (wins, holds) = (log(wins), log(holds));
        let (candidates, held) = (Away::of(candidates), Away::of(held));
        Ok(Start { wins, first_win, holds, first_hold, candidates, held })
    }

    fn gather_stretch(
        &self,
        attacker: Color,
        exits: &dyn Exits,
        stretch: usize,
    ) -> Result<StartStretch, Stop> {
        if self.progress.cancelled() {
            return Err(Stop::Cancelled);
        }
        let first = stretch * STRETCH_TILES;
        let tiles = (self.board.tiles() - first).min(STRETCH_TILES);
        let (mut wins, mut holds) = (DueStretch::default(), DueStretch::default());
        let (mut first_win, mut first_hold) = (Vec::new(), Vec::new());
        let (mut candidates, mut held) = (Vec::new(), Vec::new());
        for i in 0..tiles {
            let number = first + i;
            let mut found = exits.conversions(attacker, Goal::Win, number);
            found.restrict(&self.legal(attacker, number));
            first_win.push(wins.add(self.backend, i, &found.release));
            // Positions that can escape are no candidates.
            let mut found = exits.conversions(!attacker, Goal::Hold, number);
            let candidate = self.legal(!attacker, number).minus(&found.escape);
            found.restrict(&candidate);
            first_hold.push(holds.add(self.backend, i, &found.release));
            candidates.push(candidate);
            held.push(found.release.some);
        }
        let spill = &*self.spill;
        let (wins, holds) = (wins.put(spill)?, holds.put(spill)?);
        let (candidates, held) = (put_stretch(&candidates, spill)?, put_stretch(&held, spill)?);
        Ok(StartStretch { wins, first_win, holds, first_hold, candidates, held })
    }

    fn legal(&self, turn: Color, number: usize) -> Tile {
        let cell = self.board.cell(number);
        cell.map_or(Tile::EMPTY, |cell| self.backend.legal(self.board, turn, &cell))
    }

    /// Solves the board; `watch` learns the depths of its positions.
    ///
    /// # Errors
    /// If it is cancelled, a wave cannot be logged, or something that was put away
    /// cannot be had.
    pub fn run(
        &self,
        gathered: Gathered,
        watch: &mut Watch,
    ) -> Result<(BoardValues, Stats), SolveError> {
        let (board, tiles) = (self.board, self.board.tiles());
        let mut stats = Stats::new(self.material(), self.metric);
        let counter = Counter::new(self.backend, board, None);
        let mut values = [Graded::default(), Graded::default()];
        let mut outcomes = [None, None];
        for (attacker, start) in Color::BOTH.into_iter().zip(gathered.runs) {
            let Some(start) = start else { continue };
            let learning = (&mut stats, &mut *watch);
            let outcome = self.wins_of(attacker, start, &mut values, learning, &counter);
            outcomes[attacker.index()] = Some(outcome.map_err(|stop| self.stopped(stop))?);
        }
        for turn in Color::BOTH {
            let plane = |away: Option<&Away>| match away {
                Some(away) => away.bring_back(tiles, &*self.spill),
                None => Ok(empty_tiles(tiles)),
            };
            let side = &mut values[turn.index()];
            let won = outcomes[turn.index()].as_ref().map(|outcome| &outcome.won);
            let lost = outcomes[turn.other().index()].as_ref().map(|outcome| &outcome.lost);
            side.won = plane(won).map_err(|error| self.stopped(error))?;
            side.lost = plane(lost).map_err(|error| self.stopped(error))?;
            side.legal = make_tiles(tiles, |tile| self.legal(turn, tile));
        }
        let mut game = BoardValues { board: board.clone(), values };
        if is_one_sided(board) {
            complete_symmetric(self.backend, &mut game);
            complete_symmetric_stats(&mut stats);
        }
        let finished = finish_stats(&mut stats, &counter, &game, |cell| valid(board, cell));
        finished.map_err(|source| self.stopped(source))?;
        Ok((game, stats))
    }

    /// Finds the wins of one side. Depths and stalemates are added to the values.
    fn wins_of(
        &self,
        attacker: Color,
        start: Start,
        values: &mut [Graded; 2],
        (stats, watch): (&mut Stats, &mut Watch),
        counter: &Counter<'_>,
    ) -> Result<Outcome, Stop> {
        let (spill, tiles) = (&*self.spill, self.board.tiles());
        let recorder = Recorder {
            board: self.board,
            counter,
            progress: self.progress,
            metric: self.metric,
            attacker,
            share: None,
            watch,
            sides: &mut stats.sides,
            losable: Vec::new(),
            stalemates: Vec::new(),
        };
        let mut listener = PuttingAway { recorder, spill, stalemates: None };
        let (candidates, state) =
            self.run_waves(attacker, start, values, counter, &mut listener)?;
        let State { open, candidates: left, lost_before, lost_now, won_now } = state;
        drop([lost_before, lost_now, won_now]);
        let won = &mut values[attacker.index()];
        let (tiles_won, depth) = decided(self.backend, open, |number| self.legal(attacker, number));
        won.depth = depth;
        let won = Away::put(&tiles_won, spill)?;
        drop(tiles_won);
        let mut losable = candidates.bring_back(tiles, spill)?;
        let stalemates = listener.stalemates.transpose()?;
        if let Some(stalemates) = stalemates {
            let stalemates = stalemates.bring_back(tiles, spill)?;
            let both = losable.par_iter_mut().zip(&stalemates);
            both.for_each(|(losable, stalemate)| *losable = losable.minus(stalemate));
            if self.board.king_axis() == KingAxis::Tile {
                values[attacker.other().index()].stalemate = stalemates;
            }
        }
        let (tiles_lost, depth) = decided(self.backend, left, |number| losable[number]);
        values[attacker.other().index()].depth = depth;
        Ok(Outcome { won, lost: Away::put(&tiles_lost, spill)? })
    }

    /// Runs the waves; the candidates at first, and what they leave.
    fn run_waves(
        &self,
        attacker: Color,
        start: Start,
        values: &mut [Graded; 2],
        counter: &Counter<'_>,
        listener: &mut impl Listener,
    ) -> Result<(Away, State), Stop> {
        let tiles = self.board.tiles();
        let Start { wins, first_win, holds, first_hold, candidates, held } = start;
        let depths = |values: &mut Graded| {
            Depths::new(self.keep == Keep::Depths, std::mem::take(&mut values.depth), tiles)
        };
        let win_depths = depths(&mut values[attacker.index()]);
        let loss_depths = depths(&mut values[attacker.other().index()]);
        let legal = make_tiles(tiles, |number| self.legal(attacker, number));
        let positions = candidates.bring_back(tiles, &*self.spill)?;
        let held = held.bring_back(tiles, &*self.spill)?;
        let (wins, holds) = (
            Pending::outside(wins, Vec::new(), first_win),
            Pending::outside(holds, held, first_hold),
        );
        let mut state = State::new(
            Undecided::new((legal, wins), win_depths, false),
            Undecided::new((positions, holds), loss_depths, true),
            tiles,
        );
        let waves = Waves {
            backend: self.backend,
            boards: [self.board; 2],
            counter,
            attacker,
            last_ply: NEVER - 1,
            share: None,
            signed: self.progress.wants_signatures(),
            progress: self.progress,
        };
        let log = open_log(self.log, self.board, self.metric, attacker)?;
        waves.run(&mut state, log, listener)?;
        Ok((candidates, state))
    }
}
