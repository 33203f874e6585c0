//! Boards with pawns on the card: all placements of a material in one set of
//! planes, solved level by level, the furthest advanced first. A level is a
//! batch of boards that do not depend on each other.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, Tile};
use molien_values::{MAX_BITS, Metric, Placement, Rule, Table};

use crate::assemble::{games, wave_stats};
use crate::counts::{Tally, put};
use crate::device::{Buffer, Kernel};
use crate::engine::Request;
use crate::layout::{Board, Exit, Job, Place, Target};
use crate::pawn_exits::{NO_SQUARE, PawnExits, Places, Relaid, TargetKey};
use crate::unit::Unit;
use crate::waves::{End, Extras, Start, TALLY_LOST, Timing, WaveSolve, base_job};
use crate::working::Working;
use crate::{CudaEngine, CudaError, Detail, Planes};

/// Planes that a target's addresses point into.
enum Kept {
    Unit {
        _unit: Arc<Unit>,
    },
    Relaid {
        _planes: Buffer,
    },
    /// The material itself, still being solved.
    Own,
}

/// The boards that moves lead to.
struct Targets {
    list: Vec<Target>,
    kept: Vec<Kept>,
}

impl Targets {
    /// The same with the planes the unit itself has by now.
    fn with_own(&self, unit: &Unit) -> Vec<Target> {
        let own = |(target, kept): (&Target, &Kept)| match kept {
            Kept::Own => unit.as_target(),
            _ => *target,
        };
        self.list.iter().zip(&self.kept).map(own).collect()
    }
}

/// The numbers of the placements, by level, the furthest advanced first.
fn levels(placements: &[Placement]) -> Vec<Vec<u32>> {
    let mut order: Vec<u32> = (0..placements.len() as u32).collect();
    let advancement = |place: &u32| std::cmp::Reverse(placements[*place as usize].advancement());
    order.sort_by_key(advancement);
    order.chunk_by(|a, b| advancement(a) == advancement(b)).map(<[u32]>::to_vec).collect()
}

impl CudaEngine {
    /// The unit of a material with pawns for one attacker, with all it needs.
    pub(crate) fn pawn_unit(
        &self,
        request: &Request,
        attacker: Color,
    ) -> Result<Arc<Unit>, CudaError> {
        let material = request.material;
        if let Some(unit) = self.cached(material, attacker, request.metric) {
            return Ok(unit);
        }
        let places = Arc::new(Places::new(material));
        let first = places.placements.first().map(|p| p.bitboards()).unwrap_or_default();
        let board = Hyperboard::around_pawns(material, first);
        let layout = Board::around_kings(&places.outer, places.placements.len());
        let bare = Unit::is_bare(material, attacker);
        let exits = self.pawn_exits(material, request.metric, &places);
        let targets = if bare {
            Targets { list: Vec::new(), kept: Vec::new() }
        } else {
            self.targets(request, attacker, &exits.targets)?
        };
        let solve = WaveSolve {
            device: &self.device,
            progress: &*self.progress,
            tables: &self.tables,
            board: &board,
            layout,
            attacker,
            metric: request.metric,
            rule_plies: self.rule_plies,
            keep: Detail::Depths,
            planes: Planes::Four,
            subs: Vec::new(),
            bishops: None,
            extras: Extras { check: self.checks(), ..Extras::default() },
        };
        let mut unit = PawnSolve { solve, places: &places, exits: &exits, targets }.run(bare)?;
        unit.places = Some(places);
        let unit = Arc::new(unit);
        self.cache(material, attacker, request.metric, &unit);
        Ok(unit)
    }

    /// The table of a material with pawns.
    pub(crate) fn solve_pawns(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Table, CudaError> {
        let request = Request { keep: Detail::Depths, ..Request::new(material, metric) };
        let (units, stats) = {
            let _one = self.one_at_a_time();
            self.make_room(&request)?;
            let positions = self.needs(&request).plane * 8;
            self.progress.begin(material, metric, positions);
            let units = [self.unit(&request, Color::White)?, self.unit(&request, Color::Black)?];
            let mut stats = wave_stats(metric, &units[0], Some(&units[1]));
            self.final_counts(&request, &units, &mut stats)?;
            (units, stats)
        };
        let parts = games(self, &units[0], &units[1])?;
        self.progress.end(material, metric);
        Ok(Table { material, metric, parts, stats })
    }

    fn targets(
        &self,
        request: &Request,
        attacker: Color,
        keys: &[TargetKey],
    ) -> Result<Targets, CudaError> {
        let mut out = Targets { list: Vec::new(), kept: Vec::new() };
        for key in keys {
            let (target, kept) = match key {
                TargetKey::Pawns(material) if *material == request.material => {
                    (Target::default(), Kept::Own)
                }
                TargetKey::Pawns(material) => {
                    let unit = self.unit(&Request { material: *material, ..*request }, attacker)?;
                    (unit.as_target(), Kept::Unit { _unit: unit })
                }
                TargetKey::Pieces(relaid) => {
                    let (target, planes) = self.relay(request, attacker, relaid)?;
                    (target, Kept::Relaid { _planes: planes })
                }
            };
            out.list.push(target);
            out.kept.push(kept);
        }
        Ok(out)
    }

    /// A board without pawns with the kings in the tile.
    fn relay(
        &self,
        request: &Request,
        attacker: Color,
        relaid: &Relaid,
    ) -> Result<(Target, Buffer), CudaError> {
        let depths = request.metric.conversion_rule() != Rule::One;
        let sub_request = Request {
            material: relaid.material,
            metric: request.metric.without_pawns(),
            keep: if depths { Detail::Depths } else { Detail::Outcomes },
            ..*request
        };
        let unit = self.unit(&sub_request, attacker)?;
        let layout = Board::around_kings(&relaid.men, 1);
        let plane = layout.tiles as usize * size_of::<Tile>();
        let bits = if depths { unit.depth_bits() } else { 0 };
        let planes = Buffer::new(&self.device, plane * (3 + 2 * bits))?;
        let at = |number: usize| planes.address() + (number * plane) as u64;
        let mut job = base_job(layout, &self.tables, attacker);
        job.subs[0] = unit.as_sub();
        job.open = at(0);
        job.won = at(1);
        job.lost = at(2);
        job.won_depth = std::array::from_fn(|k| if k < bits { at(3 + k) } else { 0 });
        job.lost_depth = std::array::from_fn(|k| if k < bits { at(3 + bits + k) } else { 0 });
        let fixed_square = relaid.fixed.map_or(NO_SQUARE, |(_, square)| square.index() as u8);
        let how = Exit { from: relaid.sources(), fixed_square, ..Exit::default() };
        let (how, place) =
            (Buffer::of(&self.device, &[how])?, Buffer::of(&self.device, &[Place::default()])?);
        (job.exits, job.places) = (how.address(), place.address());
        self.device.launch(Kernel::Relay, &job)?;
        let Job { open, won, lost, won_depth, lost_depth, .. } = job;
        let target = Target {
            board: layout,
            depth_bits: bits as u32,
            open,
            won,
            lost,
            won_depth,
            lost_depth,
            ..Target::default()
        };
        self.device.synchronize()?;
        Ok((target, planes))
    }

    fn pawn_exits(&self, material: Material, metric: Metric, places: &Places) -> Arc<PawnExits> {
        let mut last = self.last_exits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*last {
            Some(exits) if exits.of == (material, metric) => exits.clone(),
            _ => last.insert(Arc::new(PawnExits::new(material, places, metric))).clone(),
        }
    }
}

/// The waves of one attacker around all placements.
struct PawnSolve<'a> {
    solve: WaveSolve<'a>,
    places: &'a Places,
    exits: &'a PawnExits,
    targets: Targets,
}

impl PawnSolve<'_> {
    fn run(&self, bare: bool) -> Result<Unit, CudaError> {
        let (solve, device) = (&self.solve, self.solve.device);
        let mut unit = solve.empty_unit()?;
        let places = Buffer::of(device, &self.exits.places)?;
        let mut job = base_job(solve.layout, solve.tables, solve.attacker);
        job.open = unit.open.address();
        job.open_live = unit.open_live.address();
        job.places = places.address();
        device.launch(Kernel::InitOpen, &job)?;
        unit.place_list = Some(places);
        if bare {
            device.synchronize()?;
            return Ok(unit);
        }
        let zeroed = || Buffer::zeroed(device, solve.plane_bytes()).map(Some);
        (unit.won, unit.lost, unit.stalemate) = (zeroed()?, zeroed()?, zeroed()?);
        let exits = Buffer::of(device, &self.exits.exits)?;
        let mut working = solve.working(1)?;
        for planes in [&working.wins, &working.holds].into_iter().flatten() {
            planes.due.fill(0xff)?; // nothing is due before its level
        }
        job.exits = exits.address();
        job.won = unit.won.as_ref().map_or(0, Buffer::address);
        job.stalemate = unit.stalemate.as_ref().map_or(0, Buffer::address);
        for level in levels(&self.places.placements) {
            self.level(&mut job, &mut unit, &mut working, &level)?;
        }
        let targets = Buffer::of(device, &self.targets.with_own(&unit))?;
        job.targets = targets.address();
        solve.check(&job, &unit)?;
        device.synchronize()?;
        Ok(unit)
    }

    /// Bits the plies of the exits can need.
    fn release_bits(&self, targets: &[Target]) -> usize {
        let deepest = targets.iter().map(|target| target.depth_bits as usize).max().unwrap_or(0);
        let metric = self.solve.metric;
        let bits = |rule| match rule {
            Rule::One => 1,
            Rule::Onward => (deepest + 1).min(MAX_BITS),
            Rule::Fifty => 7,
        };
        bits(metric.conversion_rule()).max(bits(metric.push_rule()))
    }

    fn level(
        &self,
        job: &mut Job,
        unit: &mut Unit,
        working: &mut Working,
        level: &[u32],
    ) -> Result<(), CudaError> {
        let (solve, device) = (&self.solve, self.solve.device);
        let list = self.targets.with_own(unit);
        let bits = self.release_bits(&list);
        for planes in [&mut working.wins, &mut working.holds].into_iter().flatten() {
            while planes.bits.len() < bits {
                planes.bits.push(solve.plane()?);
            }
        }
        let (targets, level_places) = (Buffer::of(device, &list)?, Buffer::of(device, level)?);
        solve.fill_job(job, unit, working, bits);
        job.targets = targets.address();
        job.level = level_places.address();
        job.level_count = level.len() as u64;
        job.ply = 0;
        working.last_due.fill(0)?;
        device.launch(Kernel::InitWinsGraded, job)?;
        device.launch(Kernel::InitDefenceGraded, job)?;
        let mated: Tally = solve.tallies(working)?[TALLY_LOST];
        solve.report(0, &mated);
        put(&mut unit.record.lost, 0, mated);
        solve.keep_start(job, working)?;
        let start = Start { lost: mated.decided, won: 0, ply: 0 };
        match solve.later_plies(job, unit, working, start, &mut Timing::default())? {
            End::Nothing => Ok(()),
            End::Stopped => solve.late_wins(job, unit, working, level.to_vec()),
        }
    }
}
