//! Solving one hyperboard, given what the moves out of it achieve.

use molien_board::{Color, Material};
use molien_hyper::{Cell, Hyperboard, KingAxis, Plane, Tile};
use molien_operators::{Backend, Conversions, Goal, Release, valid};
use molien_values::{BoardValues, Graded, Metric, Placement, Rule, Run, RunLog, WaveLog};
use rayon::prelude::*;

use super::bishops::BishopPair;
use super::counter::{Counter, finish_stats};
use super::depths::Depths;
use super::late::Runs;
use super::pending::{NEVER, Pending};
use super::record::{Keep, Recorder};
use super::undecided::Undecided;
use super::watch::{Watch, is_one_sided};
use super::{CHUNK_TILES, State, Stop, Waves};
use crate::exits::Exits;
use crate::ranks::{Exchange, ExchangeError, Share};
use crate::{Progress, SolveError};
use molien_operators::{complete_symmetric, empty_tiles, make_tiles};
use molien_values::Stats;

/// What solving one hyperboard needs.
pub struct BoardSolve<'a> {
    /// The tile operators.
    pub backend: &'a dyn Backend,
    /// Is told of every wave, and asked whether to stop.
    pub progress: &'a dyn Progress,
    /// The board.
    pub board: &'a Hyperboard,
    /// The moves out of it.
    pub exits: &'a dyn Exits,
    /// What is counted.
    pub metric: Metric,
    /// In [`Metric::Dtm50`], the plies without a zeroing move after which the
    /// game is drawn: 100.
    pub rule_plies: u16,
    /// Whether depths are kept.
    pub keep: Keep,
    /// Where waves are logged, if they are; who wins alone is found without waves.
    pub log: Option<&'a dyn WaveLog>,
    /// Only placements with these bishops on squares of both colours.
    pub bishops: Option<BishopPair>,
    /// The ranks that solve the board together, each its share, if there are
    /// several and it is a board without pawns. (In [`Metric::Dtm50`] each solves all
    /// of it.) Values are then those of the classes of this rank; the statistics are
    /// those of all.
    pub ranks: Option<&'a dyn Exchange>,
}

impl BoardSolve<'_> {
    pub(super) fn material(&self) -> Material {
        self.board.material()
    }

    /// Solves the board; `watch` learns the depths of its positions, if these are kept or
    /// counted.
    ///
    /// # Errors
    /// If it is cancelled, a wave cannot be logged, or another rank is gone.
    pub fn run(&self, watch: &mut Watch) -> Result<(BoardValues, Stats), SolveError> {
        if self.is_for_winners() && watch.is_empty() {
            return self.winners();
        }
        let share = self.share().map_err(|source| self.stopped(source.into()))?;
        let share = share.as_ref();
        let board = share.map_or(self.board, |share| &share.board);
        let mut game = BoardValues { board: board.clone(), values: self.legal(board) };
        let mut stats = Stats::new(self.material(), self.metric);
        let counter = Counter::new(self.backend, board, share);
        self.wins_of(Color::White, &mut game, &mut stats, &counter, watch)?;
        let symmetric = is_one_sided(board);
        if !symmetric {
            self.wins_of(Color::Black, &mut game, &mut stats, &counter, watch)?;
        }
        for side in &mut game.values {
            for outcome in [&mut side.won, &mut side.lost] {
                if outcome.is_empty() {
                    *outcome = empty_tiles(board.tiles());
                }
            }
        }
        if symmetric {
            complete_symmetric(self.backend, &mut game);
            complete_symmetric_stats(&mut stats);
        }
        let placements = |cell: &Cell| self.wanted(cell, valid(board, cell));
        let finished = finish_stats(&mut stats, &counter, &game, placements);
        finished.map_err(|source| self.stopped(source.into()))?;
        Ok((game, stats))
    }

    /// Whether waves need not be kept apart. Several ranks exchange waves, and where every
    /// wave is told of there have to be some. Where the 50-move rule counts, a win's class
    /// depends on its plies.
    fn is_for_winners(&self) -> bool {
        let alone = self.ranks.is_none() && !self.progress.wants_signatures();
        let counts = self.metric.conversion_rule() == Rule::Fifty || self.metric == Metric::Dtm50;
        self.keep == Keep::Winners && alone && !counts
    }

    /// What is solved here, if others solve the rest.
    fn share(&self) -> Result<Option<Share<'_>>, ExchangeError> {
        let shared = self.metric != Metric::Dtm50 && self.board.king_axis() == KingAxis::Pairs;
        let ranks = self.ranks.filter(|_| shared);
        ranks.map(|ranks| Share::new(ranks, self.board)).transpose()
    }

    /// The legal positions of a board, this one or a part of it, and no values yet.
    pub(super) fn legal(&self, board: &Hyperboard) -> [Graded; 2] {
        let tiles = |turn| make_tiles(board.tiles(), |tile| self.legal_in(board, turn, tile));
        Color::BOTH.map(|turn| Graded { legal: tiles(turn), ..Graded::default() })
    }

    fn legal_in(&self, board: &Hyperboard, turn: Color, tile: usize) -> Tile {
        let legal = |cell: Cell| self.wanted(&cell, self.backend.legal(board, turn, &cell));
        board.cell(tile).map_or(Tile::EMPTY, legal)
    }

    /// The placements that are looked at, of some.
    pub(super) fn wanted(&self, cell: &Cell, tile: Tile) -> Tile {
        self.bishops.map_or(tile, |pair| tile.and(&pair.opposite(cell)))
    }

    /// Adds the wins of one side to the values and statistics.
    fn wins_of(
        &self,
        attacker: Color,
        game: &mut BoardValues,
        stats: &mut Stats,
        counter: &Counter<'_>,
        watch: &mut Watch,
    ) -> Result<(), SolveError> {
        if self.material().side_len(attacker) == 1 {
            return Ok(()); // a bare king cannot win
        }
        let (defender, share) = (!attacker, counter.share);
        let mut state = self.start(attacker, &mut game.values, share);
        let candidates = &state.candidates.positions.tiles;
        let mut recorder = Recorder {
            board: self.board,
            counter,
            progress: self.progress,
            metric: self.metric,
            attacker,
            share,
            watch,
            sides: &mut stats.sides,
            losable: make_tiles(candidates.len(), |number| candidates[number]),
            stalemates: Vec::new(),
        };
        let under_the_rule = self.metric == Metric::Dtm50;
        let last_ply = if under_the_rule { self.rule_plies } else { NEVER - 1 };
        let backend = self.backend;
        let boards = share.map_or([self.board; 2], |share| share.boards.each_ref());
        let signed = self.progress.wants_signatures();
        let progress = self.progress;
        let waves = Waves { backend, boards, counter, attacker, last_ply, share, signed, progress };
        let log = open_log(self.log, self.board, self.metric, attacker);
        let log = log.map_err(|stop| self.stopped(stop))?;
        let runs = under_the_rule.then(|| Runs::new(&waves, &state));
        let mut ran = waves.run(&mut state, log, &mut recorder);
        if let Some(runs) = runs {
            ran = ran.and_then(|()| runs.late_wins(&mut state, &mut recorder));
        }
        ran.map_err(|stop| self.stopped(stop))?;
        let Recorder { losable, stalemates, .. } = recorder;
        let won = &mut game.values[attacker.index()];
        (won.won, won.depth) = self.decided(state.open, &won.legal);
        let lost = &mut game.values[defender.index()];
        (lost.lost, lost.depth) = self.decided(state.candidates, &losable);
        if !stalemates.is_empty() {
            lost.stalemate = stalemates;
        }
        Ok(())
    }

    /// What has been decided of the positions that were there at first, and
    /// the planes of depths.
    pub(super) fn decided(
        &self,
        undecided: Undecided,
        at_first: &[Tile],
    ) -> (Vec<Tile>, Vec<Vec<Tile>>) {
        decided(self.backend, undecided, |number| at_first[number])
    }

    /// The error that the waves' end is.
    pub(super) fn stopped(&self, stop: Stop) -> SolveError {
        stopped(self.material(), stop)
    }

    pub(super) fn start(
        &self,
        attacker: Color,
        values: &mut [Graded; 2],
        share: Option<&Share<'_>>,
    ) -> State {
        let defender = !attacker;
        let boards = share.map_or([self.board; 2], |share| share.boards.each_ref());
        let tiles = share.map_or(self.board, |share| &share.board).tiles();
        let [white, black] = values;
        let (own, their) = match attacker {
            Color::White => (white, black),
            Color::Black => (black, white),
        };
        let depths = |values: &mut Graded| {
            Depths::new(self.keep == Keep::Depths, std::mem::take(&mut values.depth), tiles)
        };
        let (win_depths, loss_depths) = (depths(own), depths(their));
        let conversions = |side: Color, goal: Goal, number: usize, legal: &Tile| -> Conversions {
            let number = share.map_or(number, |share| share.on_whole_board(number));
            let mut found = self.exits.conversions(side, goal, number);
            found.restrict(legal);
            found.release.trim();
            found
        };
        // Positions that can escape are no candidates.
        // Ranks stop together, between waves; alone the first wave says so.
        let cancelled = || share.is_none() && self.progress.cancelled();
        let nothing = || (Tile::EMPTY, Release::new(0));
        let candidate = |number: usize| {
            if cancelled() {
                return nothing();
            }
            let found = conversions(defender, Goal::Hold, number, &their.legal[number]);
            (their.legal[number].minus(&found.escape), found.release)
        };
        let win = |number: usize| {
            if cancelled() {
                return nothing();
            }
            let legal = own.legal[number];
            (legal, conversions(attacker, Goal::Win, number, &legal).release)
        };
        let candidates = Pending::gather(self.backend, tiles, candidate);
        let mut open = Pending::gather(self.backend, tiles, win);
        let [reached, held] = [attacker, defender].map(|side| boards[side.index()]);
        // Where the defender's king moves to. Wins there are others' news.
        let ghosts = (tiles..held.tiles()).into_par_iter().with_min_len(CHUNK_TILES);
        open.0.reserve_exact(ghosts.len());
        open.0.par_extend(ghosts.map(|number| self.legal_in(held, attacker, number)));
        State::new(
            Undecided::new(open, win_depths, false),
            Undecided::new(candidates, loss_depths, true),
            reached.tiles(),
        )
    }
}

/// What has been decided of the positions that were there at first, and the planes
/// of depths.
pub(super) fn decided(
    backend: &dyn Backend,
    undecided: Undecided,
    at_first: impl Fn(usize) -> Tile + Sync,
) -> (Vec<Tile>, Vec<Vec<Tile>>) {
    let Undecided { positions: Plane { mut tiles, .. }, depths, .. } = undecided;
    tiles.truncate(depths.tiles()); // what follows is other ranks'
    tiles.shrink_to_fit();
    let depth = depths.finish(backend, &mut tiles, at_first);
    (tiles, depth)
}

/// The error that the waves' end is.
pub(super) fn stopped(material: Material, stop: Stop) -> SolveError {
    match stop {
        Stop::Cancelled => SolveError::Cancelled { material },
        Stop::NotLogged(source) => SolveError::WaveLog { material, source },
        Stop::Apart(source) => SolveError::Ranks { material, source },
        Stop::NotOutside(source) => SolveError::Values { material, source },
    }
}

/// The log of the waves of one side's wins, if there is one.
pub(super) fn open_log(
    log: Option<&dyn WaveLog>,
    board: &Hyperboard,
    metric: Metric,
    attacker: Color,
) -> Result<Option<Box<dyn RunLog>>, Stop> {
    let Some(log) = log else { return Ok(None) };
    let run = Run {
        material: board.material(),
        metric,
        pawns: Placement::new(Color::BOTH.map(|color| board.pawns(color))),
        attacker,
        tiles: board.tiles(),
        classes: board.tiles() / board.axes().len(),
    };
    log.open(&run).map_err(Stop::NotLogged)
}

/// Black's wins are White's with colours exchanged.
pub(super) fn complete_symmetric_stats(stats: &mut Stats) {
    let mirrored = stats.swap_colors();
    for (mine, theirs) in stats.sides.iter_mut().zip(&mirrored.sides) {
        mine.absorb(theirs);
    }
}
