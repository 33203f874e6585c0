//! Boards with pawns on the card: all placements of a material in one set of
//! planes, solved level by level, the furthest advanced first. A level is a
//! batch of boards that do not depend on each other.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, Tile};
use molien_values::{MAX_BITS, Metric, Rule, Table};

use crate::assemble::{games, wave_stats};
use crate::counts::{Tally, put};
use crate::device::{Buffer, Kernel};
use crate::engine::Request;
use crate::large_memory::part_memory;
use crate::layout::{Board, Job, Target};
use crate::pawn_exits::{PawnExits, Places, Relaid, TargetKey, rule_number};
use crate::split::levels;
use crate::store::CardPlanes;
use crate::unit::{Unit, addresses};
use crate::waves::{End, Extras, Start, TALLY_LOST, Timing, WaveSolve, base_job};
use crate::working::Working;
use crate::{CudaEngine, CudaError, Detail, Planes};

/// Planes that a target's addresses point into.
pub(crate) enum Kept {
    Unit(Arc<Unit>),
    Planes(Arc<CardPlanes>),
    /// The material itself, still being solved.
    Own,
}

/// The boards that moves lead to.
#[derive(Default)]
pub(crate) struct Targets {
    kept: Vec<Kept>,
}

impl Targets {
    pub fn push(&mut self, kept: Kept) {
        self.kept.push(kept);
    }

    /// As the kernels read them, with the planes the unit itself has by now.
    fn with_own(&self, unit: &Unit) -> Vec<Target> {
        let target = |kept: &Kept| match kept {
            Kept::Own => unit.as_target(),
            Kept::Unit(unit) => unit.as_target(),
            Kept::Planes(planes) => planes.as_target(),
        };
        self.kept.iter().map(target).collect()
    }
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
        let exits = self.pawn_exits(material, request.metric, &places);
        let targets = match Unit::is_bare(material, attacker) {
            true => Targets::default(),
            false => self.targets(request, attacker, &exits.targets)?,
        };
        let unit = self.solve_places(request, attacker, places, &exits, targets)?;
        let unit = Arc::new(unit);
        self.cache(material, attacker, request.metric, &unit);
        Ok(unit)
    }

    /// Solves some placements of a material for one attacker, and checks them if that is
    /// wanted.
    pub(crate) fn solve_places(
        &self,
        request: &Request,
        attacker: Color,
        places: Arc<Places>,
        exits: &PawnExits,
        targets: Targets,
    ) -> Result<Unit, CudaError> {
        let bare = Unit::is_bare(request.material, attacker);
        let mut unit = self.with_places(request, attacker, &places, exits, targets, |solve| {
            let unit = solve.run(bare)?;
            if !bare {
                solve.check(&unit)?;
            }
            Ok(unit)
        })?;
        unit.places = Some(places);
        Ok(unit)
    }

    /// Does something with what is needed to solve or check some placements.
    pub(crate) fn with_places<T>(
        &self,
        request: &Request,
        attacker: Color,
        places: &Places,
        exits: &PawnExits,
        targets: Targets,
        work: impl FnOnce(&PawnSolve<'_>) -> Result<T, CudaError>,
    ) -> Result<T, CudaError> {
        let first = places.placements.first().map(|p| p.bitboards()).unwrap_or_default();
        let board = Hyperboard::around_pawns(request.material, first);
        let layout = Board::around_kings(&places.outer, places.placements.len());
        let plane_bytes = u64::from(layout.tiles) * size_of::<Tile>() as u64;
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
            beside: self.planes_beside(&part_memory(request.metric, plane_bytes))?,
        };
        work(&PawnSolve { solve, places, exits, targets })
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
        let mut out = Targets::default();
        for key in keys {
            out.push(match key {
                TargetKey::Pawns(material) if *material == request.material => Kept::Own,
                TargetKey::Pieces(relaid) => {
                    Kept::Planes(Arc::new(self.relay_whole(request, attacker, relaid)?))
                }
                other => self.whole_unit(request, attacker, other)?,
            });
        }
        Ok(out)
    }

    /// A material with pawns that is on the card as a whole.
    pub(crate) fn whole_unit(
        &self,
        request: &Request,
        attacker: Color,
        key: &TargetKey,
    ) -> Result<Kept, CudaError> {
        let TargetKey::Pawns(material) = key else {
            return Err(CudaError::Pawns { material: request.material });
        };
        self.unit(&Request { material: *material, ..*request }, attacker).map(Kept::Unit)
    }

    /// A board without pawns, solved if need be, with the kings in the tile.
    pub(crate) fn relay_whole(
        &self,
        request: &Request,
        attacker: Color,
        relaid: &Relaid,
    ) -> Result<CardPlanes, CudaError> {
        let depths = request.metric.conversion_rule() != Rule::One;
        let sub_request = Request {
            material: relaid.material,
            metric: request.metric.without_pawns(),
            keep: if depths { Detail::Depths } else { Detail::Outcomes },
            ..*request
        };
        let unit = self.unit(&sub_request, attacker)?;
        self.relay(&unit, attacker, request.metric, relaid)
    }

    fn pawn_exits(&self, material: Material, metric: Metric, places: &Places) -> Arc<PawnExits> {
        let mut last = self.last_exits.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match &*last {
            Some(exits) if exits.of == (material, metric) => exits.clone(),
            _ => last.insert(Arc::new(PawnExits::new(material, places, metric))).clone(),
        }
    }
}

/// The waves of one attacker around some placements.
pub(crate) struct PawnSolve<'a> {
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
        device.synchronize()?;
        Ok(unit)
    }

    /// Checks a finished unit by a forward pass, if that is wanted: whatever its moves
    /// lead to is what it was solved from.
    pub fn check(&self, unit: &Unit) -> Result<(), CudaError> {
        let (solve, device) = (&self.solve, self.solve.device);
        let address = |plane: &Option<Buffer>| plane.as_ref().map_or(0, Buffer::address);
        let exits = Buffer::of(device, &self.exits.exits)?;
        let targets = Buffer::of(device, &self.targets.with_own(unit))?;
        let job = Job {
            rule: u32::from(rule_number(solve.metric.conversion_rule())),
            places: address(&unit.place_list),
            exits: exits.address(),
            targets: targets.address(),
            open: unit.open.address(),
            won: address(&unit.won),
            lost: address(&unit.lost),
            stalemate: address(&unit.stalemate),
            won_depth: addresses(&unit.won_depth),
            lost_depth: addresses(&unit.lost_depth),
            ..base_job(solve.layout, solve.tables, solve.attacker)
        };
        solve.check(&job, unit)
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
                planes.bits.push(solve.seldom_plane()?);
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
