//! One position: only what it can turn into is solved.

use std::sync::Arc;

use molien_board::{Material, Position};
use molien_solve::{Closure, Cost, Keep, Node, TooMuch};
use molien_values::{BoardValues, Metric, Placement, Stats, Table, Value};

use crate::build::{Landed, outside_rayon};
use crate::cache::key;
use crate::flight::Claim;
use crate::inputs::Inputs;
use crate::limits::{keep_alone, keep_for_others};
use crate::memory::Reservation;
use crate::plan::{Plan, Schedule};
use crate::run::{Nowhere, Run, last_read};
use crate::{Build, BuildError, lock};

/// The most hyperboards looked at for one position.
const MAX_PLACEMENTS: usize = 2_000_000;

impl Build {
    /// What solving a position takes in a metric, if its table is not known,
    /// within the memory limit if that can be.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn cost(&self, position: &Position, metric: Metric) -> Result<Cost, BuildError> {
        if self.asked_of_shelf(position, metric)?.is_some() {
            return Ok(self.plan_reach(position, metric)?.cost);
        }
        let (plan, limit) = (self.plan(position, metric)?, self.memory_limit_bytes());
        let together = plan.side_by_side(self.boards_at_once()).cost;
        if together.bytes <= limit {
            return Ok(together);
        }
        let one_by_one = plan.schedule(limit).cost;
        match one_by_one.bytes <= limit || metric == Metric::Dtm50 {
            true => Ok(one_by_one),
            false => Ok(self.plan_reach(position, metric)?.cost),
        }
    }

    fn plan(&self, position: &Position, metric: Metric) -> Result<Plan, BuildError> {
        let boards: std::collections::HashSet<Node> = lock(&self.boards)
            .keys()
            .filter(|(_, solved)| *solved == metric)
            .map(|(node, _)| *node)
            .collect();
        // Thousands of boards share a material: each is looked up once.
        let materials = std::cell::RefCell::new(std::collections::HashMap::new());
        let is_known = |material| {
            let look = || self.is_known(material, metric, keep_for_others(material, metric));
            *materials.borrow_mut().entry(material).or_insert_with(look)
        };
        let known = |node: &Node| boards.contains(node) || is_known(node.material);
        let closure = Arc::new(self.closure(position, known)?);
        Ok(Plan::new(&closure, metric, &self.promotions, self.sliced_tiles))
    }

    /// The materials without pawns that a position can turn into, those first
    /// that others depend on.
    ///
    /// # Errors
    /// If it can turn into too many others to count.
    pub fn pieces_needed(&self, position: &Position) -> Result<Vec<Material>, BuildError> {
        let nodes = self.closure(position, |_| false)?.nodes.into_iter();
        Ok(nodes.filter(|node| node.pawns == Placement::NONE).map(|node| node.material).collect())
    }

    pub(crate) fn closure(
        &self,
        position: &Position,
        known: impl Fn(&Node) -> bool,
    ) -> Result<Closure, BuildError> {
        let material = position.material();
        let closure = match self.confining {
            true => Closure::of(position, &self.promotions, known, MAX_PLACEMENTS),
            false => Closure::by_pawns(position, &self.promotions, known, MAX_PLACEMENTS),
        };
        closure.map_err(|much| match much {
            TooMuch::Boards => BuildError::TooManyPlacements { material, limit: MAX_PLACEMENTS },
            TooMuch::Pieces(after) => BuildError::TooManyPieces { material, after },
        })
    }

    /// The value of one position (en passant is ignored). Only what the
    /// position can turn into is solved.
    ///
    /// # Errors
    /// If it needs too much memory or is cancelled.
    pub fn value(&self, position: &Position, metric: Metric) -> Result<Value, BuildError> {
        let node = Node::of(position);
        if node.pawns == Placement::NONE && keep_alone(node.material) == Keep::Outcomes {
            return self.watched_value(position, metric);
        }
        if let Some(value) = self.learnt_value(position, metric) {
            return Ok(value);
        }
        if node.pawns == Placement::NONE || self.is_known(node.material, metric, Keep::Depths) {
            return covered(&*self.table(node.material, metric)?, position);
        }
        let board = self.position_board(position, metric)?;
        covered(&table_of(board, metric), position)
    }

    /// The hyperboard of a position that an earlier question left.
    fn known_board(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Option<Arc<BoardValues>>, BuildError> {
        let key = (Node::of(position), metric);
        if let Some(board) = lock(&self.boards).get(&key) {
            return Ok(Some(board.clone()));
        }
        let confined = lock(&self.confined).get(&key).cloned();
        match confined.filter(|board| covers(board, position)) {
            None => self.reached_board(position, metric),
            board => Ok(board),
        }
    }

    /// The hyperboard of a position with pawns, solved with all it depends on.
    fn position_board(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Arc<BoardValues>, BuildError> {
        match self.known_board(position, metric)? {
            Some(board) => Ok(board),
            None => outside_rayon(|| self.reach(position, Node::of(position), metric)),
        }
    }

    /// Solves what a position can turn into, unless another thread is at it.
    /// The ticket is taken first: unlike a table's, nobody who makes a table
    /// waits for it.
    fn reach(
        &self,
        position: &Position,
        node: Node,
        metric: Metric,
    ) -> Result<Arc<BoardValues>, BuildError> {
        loop {
            match self.reaching.claim((node, metric)) {
                Claim::Theirs(flight) => {
                    // The other question may have been about fewer positions of the board.
                    let landed = flight.wait();
                    let ours = |landed: &Landed<BoardValues>| match landed {
                        Ok(board) => covers(board, position),
                        Err(_) => true,
                    };
                    if let Some(landed) = landed.filter(ours) {
                        return landed;
                    }
                }
                Claim::Mine(ticket) => {
                    let known = self.known_board(position, metric).transpose();
                    let solved = known.unwrap_or_else(|| self.solve_reach(position, metric));
                    ticket.land(solved.clone());
                    return solved;
                }
            }
        }
    }

    fn solve_reach(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Arc<BoardValues>, BuildError> {
        let node = Node::of(position);
        if self.asked_of_shelf(position, metric)?.is_some() {
            return self.solve_in_parts(position, metric);
        }
        let (schedule, room) = match self.fitting(position, metric) {
            Err(BuildError::Memory { .. }) if metric != Metric::Dtm50 => {
                return self.solve_in_parts(position, metric);
            }
            fitting => fitting?,
        };
        self.progress.plan(node.material, metric, &schedule.cost);
        // Later questions are likely to be about positions that follow from
        // this one: the boards that the schedule keeps stay.
        let inputs = Inputs::new(self.backend, metric, &self.promotions);
        let inputs = inputs.within(schedule.closure.clone());
        for ((node, of), board) in lock(&self.boards).iter() {
            if *of == metric {
                inputs.add_board(*node, board.clone());
            }
        }
        if let Err(error) = self.follow(&schedule, metric, &inputs) {
            drop((room, inputs));
            return match error {
                // A table on the way took more than the boards had left.
                BuildError::Memory { .. } if metric != Metric::Dtm50 => {
                    self.solve_in_parts(position, metric)
                }
                error => Err(error),
            };
        }
        for (node, board) in inputs.boards() {
            match schedule.closure.is_confined(&node) {
                true => lock(&self.confined).insert((node, metric), board),
                false => lock(&self.boards).insert((node, metric), board),
            };
        }
        self.known_board(position, metric)?
            .ok_or(BuildError::NotCovered { material: node.material })
    }

    /// Solves what a position can turn into a part at a time. If that does not fit
    /// either, this refusal, the lesser one, is the one that helps.
    fn solve_in_parts(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<Arc<BoardValues>, BuildError> {
        let reach = self.plan_reach(position, metric)?;
        let material = position.material();
        if reach.cost.bytes > self.memory_limit_bytes() {
            return Err(self.budget.refusal(key(material, metric), reach.cost.bytes));
        }
        self.progress.plan(material.canonical(), metric, &reach.cost);
        self.follow_reach(position, metric, &reach)?;
        self.reached_board(position, metric)?.ok_or(BuildError::NotCovered { material })
    }

    /// A schedule that fits: everything side by side if there is room, else one
    /// board after the other, those of earlier positions given up.
    fn fitting(
        &self,
        position: &Position,
        metric: Metric,
    ) -> Result<(Schedule, Reservation<'_>), BuildError> {
        let key = key(position.material(), metric);
        let plan = self.plan(position, metric)?;
        let together = plan.side_by_side(self.boards_at_once());
        let kept: u64 = lock(&self.boards).values().map(|board| board.len_bytes() as u64).sum();
        if kept.saturating_add(together.cost.bytes) <= self.memory_limit_bytes()
            && let Ok(room) = self.hold(key, together.cost.bytes)
        {
            return Ok((together, room));
        }
        lock(&self.boards).clear();
        lock(&self.confined).clear();
        let plan = self.plan(position, metric)?;
        let together = plan.side_by_side(self.boards_at_once());
        if let Ok(room) = self.hold(key, together.cost.bytes) {
            return Ok((together, room));
        }
        let schedule = plan.schedule(self.memory_limit_bytes());
        let room = self.hold(key, schedule.cost.bytes)?;
        Ok((schedule, room))
    }

    /// Follows a schedule stage by stage; tables are fetched for those that read
    /// them and let go after the last.
    fn follow(
        &self,
        schedule: &Schedule,
        metric: Metric,
        inputs: &Inputs,
    ) -> Result<(), BuildError> {
        let run = Run {
            backend: self.backend,
            progress: &*self.progress,
            log: self.wave_log(),
            metric,
            rule_plies: self.rule_plies,
            keep: keep_for_others,
            inputs,
            sink: &Nowhere,
            at_once: usize::MAX,
            spill: None,
        };
        for (stage, last) in schedule.stages.iter().zip(last_read(&schedule.stages)) {
            for &material in stage.tables.iter().filter(|material| !inputs.has_table(**material)) {
                inputs.add_table(self.make((material, metric), keep_for_others(material, metric))?);
            }
            self.pool().install(|| run.stage(stage))?;
            last.into_iter().for_each(|material| inputs.forget_table(material));
        }
        Ok(())
    }
}

/// A board as a part of its table.
fn table_of(board: Arc<BoardValues>, metric: Metric) -> Table {
    let material = board.board.material();
    Table { material, metric, parts: vec![board], stats: Stats::new(material, metric) }
}

/// Whether a board has the value of a position; it may have been solved for others.
pub(crate) fn covers(board: &Arc<BoardValues>, position: &Position) -> bool {
    // Places are the same in every metric.
    let Some(place) = table_of(board.clone(), Metric::Wdl).locate(position) else { return false };
    let (index, legal) = (place.index, &board.values[place.turn.index()].legal);
    legal.get(index.tile).is_some_and(|tile| tile.contains(index.row, index.column))
}

fn covered(table: &Table, position: &Position) -> Result<Value, BuildError> {
    table.get(position).ok_or(BuildError::NotCovered { material: position.material() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::PROGRAM_BYTES;
    use molien_board::{Color, Square};
    use molien_hyper::{Index, Tile};
    use molien_testing::Random;
    use molien_testing::is_exhaustive;
    use molien_values::Graded;
    use std::collections::HashMap;

    /// A build that gives up whatever it can, on the way to this position.
    fn short_of_memory(position: &Position, metric: Metric) -> Build {
        let mut build = Build::new();
        build.sliced_tiles = 1;
        let least = build.plan(position, metric).unwrap().schedule(0).cost.bytes;
        build.with_memory_limit(least + PROGRAM_BYTES)
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let position: Position = "8/2p5/8/8/8/4k3/1P6/K7 w - -".parse().unwrap();
        let roomy = Build::new();
        let plan = roomy.plan(&position, Metric::Dtm).unwrap();
        let (least, most) = (plan.schedule(0).cost.bytes, plan.schedule(u64::MAX).cost.bytes);
        assert!(least < most);
        let build = Build::new().with_memory_limit(least + PROGRAM_BYTES);
        assert_eq!(build.cost(&position, Metric::Dtm).unwrap().bytes, least);
        let value = build.value(&position, Metric::Dtm).unwrap();
        assert_eq!(value, roomy.value(&position, Metric::Dtm).unwrap());
        assert!(lock(&build.boards).len() < lock(&roomy.boards).len());
        // With less, boards go to logs; with hardly anything it is refused.
        let in_parts = Build::new().with_memory_limit(least / 2);
        assert!(in_parts.cost(&position, Metric::Dtm).unwrap().bytes < least / 2);
        assert_eq!(in_parts.value(&position, Metric::Dtm).unwrap(), value);
        let short = Build::new().with_memory_limit(PROGRAM_BYTES + (1 << 20));
        assert!(matches!(short.value(&position, Metric::Dtm), Err(BuildError::Memory { .. })));
    }

    /// What is said to fit is solved, whatever the limit.
    #[test]
    fn what_is_announced_is_done() {
        let position: Position = "8/2p5/8/8/8/4k3/1P6/K7 w - -".parse().unwrap();
        let roomy = Build::new();
        let value = roomy.value(&position, Metric::Dtm).unwrap();
        let most = roomy.plan(&position, Metric::Dtm).unwrap().side_by_side(2).cost.bytes;
        for eighths in 1..10 {
            let build = Build::new().with_memory_limit(PROGRAM_BYTES + most / 8 * eighths);
            let fits =
                build.cost(&position, Metric::Dtm).unwrap().bytes <= build.memory_limit_bytes();
            match build.value(&position, Metric::Dtm) {
                Ok(found) => assert_eq!(found, value),
                Err(error) => assert!(!fits, "{eighths}/8: {error}"),
            }
        }
    }

    /// A legal position of a material with pawns.
    fn random_position(random: &mut Random, material: Material) -> Position {
        let placements = Placement::all(&material);
        loop {
            let pawns = placements[random.below(placements.len())];
            let board = Node { material, pawns }.board();
            let index = Index {
                tile: random.below(board.tiles()),
                row: Square::new(random.below(64)),
                column: Square::new(random.below(64)),
            };
            if let Some(position) = board.decode(index, Color::BOTH[random.below(2)]) {
                return position;
            }
        }
    }

    /// The positions that a board has are worth as much as they are in the table, in
    /// plies too; its own is among them.
    fn compare(board: &Arc<BoardValues>, expected: &BoardValues, position: &Position) {
        assert!(covers(board, position), "{position}");
        for (found, expected) in board.values.iter().zip(&expected.values) {
            compare_sides(found, expected, position);
        }
    }

    fn compare_sides(found: &Graded, expected: &Graded, position: &Position) {
        let legal = &found.legal;
        let only = |plane: &[Tile]| -> Vec<Tile> {
            plane.iter().zip(legal).map(|(tile, legal)| tile.and(legal)).collect()
        };
        assert!(only(&expected.legal) == found.legal, "{position}");
        assert!(only(&expected.won) == found.won && only(&expected.lost) == found.lost);
        for bit in 0..found.depth.len().max(expected.depth.len()) {
            let planes = [found, expected].map(|side| side.depth.get(bit));
            let [found, expected] =
                planes.map(|plane| only(plane.map_or(&vec![Tile::EMPTY; legal.len()], |p| p)));
            assert!(found == expected, "{position}: bit {bit}");
        }
    }

    /// Positions of kings and pawns from which not everything comes about that the pawns
    /// alone would allow: stalemates, forced captures, caged kings. They have the values
    /// of the table, and so has what their moves lead to. So have positions with the same
    /// pawns that are asked about next, although they could not come about before.
    fn compare_confined(name: &str, metrics: &[Metric], count: usize) {
        let material: Material = name.parse().unwrap();
        let (whole, mut anywhere) = (Build::new(), Build::new());
        anywhere.confining = false;
        let mut random = Random::new(name.len() as u64 + 2);
        let boards =
            |build: &Build, position: &Position| build.closure(position, |_| false).unwrap().nodes;
        for &metric in metrics {
            let table = whole.table(material, metric).unwrap();
            let mut seen = 0;
            while seen < count {
                let position = random_position(&mut random, material);
                if boards(&anywhere, &position).len() == boards(&whole, &position).len() {
                    continue;
                }
                seen += 1;
                let node = Node::of(&position);
                let short = short_of_memory(&position, metric);
                let others = others_of(&position, &mut random);
                for (build, others) in [(short, vec![]), (Build::new(), others)] {
                    let value = build.value(&position, metric).unwrap();
                    assert_eq!(Some(value), table.get(&position), "{position} {metric}");
                    let found = build.known_board(&position, metric).unwrap().unwrap();
                    assert!(covers(&found, &position), "{position} {metric}");
                    let turn = position.turn().index();
                    let expected = &table.part(node.pawns).unwrap().values[turn];
                    compare_sides(&found.values[turn], expected, &position);
                    for next in others {
                        let value = build.value(&next, metric).unwrap();
                        assert_eq!(Some(value), table.get(&next), "{position}, {next} {metric}");
                    }
                }
            }
        }
    }

    #[test]
    fn confined_boards_equal_tables() {
        let count = if is_exhaustive() { 100 } else { 2 };
        for name in ["KPK", "KPKP", "KPPK"] {
            compare_confined(name, &[Metric::Dtm, Metric::Dtz50], count);
        }
    }

    /// A wall is one board: nothing else is solved, with ten men too.
    #[test]
    fn a_wall_is_a_draw() {
        let fen = "8/4k3/8/1p1p1p1p/1P1P1P1P/8/4K3/8 w - -";
        let position: Position = fen.parse().unwrap();
        for metric in [Metric::Dtm, Metric::Dtc, Metric::Dtz50, Metric::Dtm50] {
            let build = Build::new().with_memory_limit(PROGRAM_BYTES + (1 << 24));
            assert_eq!(build.cost(&position, metric).unwrap().placements, 1);
            assert_eq!(build.value(&position, metric).unwrap(), Value::Draw);
            for m in position.legal_moves() {
                assert_eq!(build.value(&position.play(&m), metric).unwrap(), Value::Draw);
            }
        }
        // A king beyond the wall is another matter, and too much.
        let beyond: Position = "8/4k3/1K6/1p1p1p1p/1P1P1P1P/8/8/8 w - -".parse().unwrap();
        let build = Build::new().with_memory_limit(PROGRAM_BYTES + (1 << 24));
        assert!(build.value(&beyond, Metric::Dtm).is_err_and(|error| error.is_too_large()));
    }

    /// Some positions with the same pawns.
    fn others_of(position: &Position, random: &mut Random) -> Vec<Position> {
        let board = Node::of(position).board();
        let mut found = Vec::new();
        while found.len() < 3 {
            let [row, column] = [0; 2].map(|_| Square::new(random.below(64)));
            let turn = Color::BOTH[random.below(2)];
            found.extend(board.decode(Index { tile: 0, row, column }, turn));
        }
        found
    }

    /// Neither slices in place of boards nor boards solved side by side change a
    /// value: the whole board of a position equals that of the complete
    /// table, in plies too.
    fn compare_with_tables(name: &str, metrics: &[Metric], count: usize) {
        let material: Material = name.parse().unwrap();
        let whole = Build::new();
        let mut random = Random::new(name.len() as u64);
        for &metric in metrics {
            let table = whole.table(material, metric).unwrap();
            for _ in 0..count {
                let position = random_position(&mut random, material);
                let expected = table.part(Node::of(&position).pawns).unwrap();
                for build in [short_of_memory(&position, metric), Build::new()] {
                    let board = build.position_board(&position, metric).unwrap();
                    compare(&board, expected, &position);
                    if material.pawns() + 2 < material.len() {
                        assert!(board.values == expected.values, "{position} {metric}");
                    }
                    let value = build.value(&position, metric).unwrap();
                    assert_eq!(Some(value), table.get(&position), "{position} {metric}");
                }
            }
        }
    }

    /// Nor do logs in place of memory: boards in little memory or not, large tables
    /// without pawns for their waves or not.
    fn compare_in_parts(name: &str, metrics: &[Metric]) {
        let material: Material = name.parse().unwrap();
        let whole = Build::new();
        let mut random = Random::new(name.len() as u64 + 1);
        for &metric in metrics {
            let table = whole.table(material, metric).unwrap();
            let position = random_position(&mut random, material);
            let pawns = Node::of(&position).pawns;
            let turn = position.turn().index();
            for (men, lean_tiles) in [(6, u64::MAX), (3, 1)] {
                let build = Build::new().by_part_from(men).lean_from(lean_tiles);
                let board = build.solve_in_parts(&position, metric).unwrap();
                let expected = &table.part(pawns).unwrap().values[turn];
                compare_sides(&board.values[turn], expected, &position);
                assert!(covers(&board, &position));
                if material.pawns() + 2 < material.len() {
                    let [found, all] =
                        [&board.values[turn], expected].map(|v| v.clone().without_empty_bits());
                    assert!(found == all, "{position} {metric} {men}");
                }
                // What its moves lead to is at hand.
                let moves = position.legal_moves();
                for next in moves.into_iter().map(|m| position.play(&m).without_en_passant()) {
                    let sub = whole.table(next.material(), metric).unwrap();
                    let value = build.value(&next, metric).unwrap();
                    assert_eq!(Some(value), sub.get(&next), "{next} {metric}");
                }
            }
        }
    }

    #[test]
    fn parts_equal_tables() {
        let names: &[&str] =
            if is_exhaustive() { &["KPKP", "KPPK", "KQPK", "KPKN"] } else { &["KPKP", "KRPK"] };
        for name in names {
            compare_in_parts(name, &[Metric::Dtm, Metric::Dtz50]);
        }
    }

    #[test]
    fn slices_equal_tables() {
        let samples = if is_exhaustive() { 4 } else { 1 };
        for name in ["KPKP", "KPPK", "KQPK", "KPKN"] {
            compare_with_tables(name, &[Metric::Dtm, Metric::Dtc, Metric::Dtz50], samples);
        }
        if is_exhaustive() {
            compare_with_tables("KRPKR", &[Metric::Dtm], 2);
        }
    }

    /// With colours exchanged too, what is read is where it was kept.
    #[test]
    fn nothing_is_solved_twice() {
        for fen in ["8/2p5/8/8/8/4k3/1P6/K7 w - -", "8/8/8/8/3r4/4k3/2p5/K7 b - -"] {
            let position: Position = fen.parse().unwrap();
            for build in [short_of_memory(&position, Metric::Dtm), Build::new()] {
                let counts = Arc::new(Solves::default());
                let build = build.with_progress(counts.clone());
                build.value(&position, Metric::Dtm).unwrap();
                let counts = counts.0.lock().unwrap();
                assert!(!counts.is_empty());
                assert!(counts.values().all(|&count| count == 1), "{fen}: {counts:?}");
            }
        }
    }

    /// How often each table without pawns is solved.
    #[derive(Default)]
    struct Solves(std::sync::Mutex<HashMap<Material, usize>>);

    impl molien_solve::Progress for Solves {
        fn begin(&self, material: Material, _metric: Metric, _positions: u64) {
            *self.0.lock().unwrap().entry(material).or_default() += 1;
        }
    }
}
