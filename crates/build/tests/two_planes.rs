//! Two planes are enough for a solve in DTC.
//!
//! `open` holds the attacker's legal positions that are not won yet, `unlost`
//! every address of the defender that is not lost yet, whether a candidate, an
//! escape, a stalemate or no legal position at all. A cleared bit of `unlost`
//! therefore means lost and nothing else, and
//!
//! ```text
//! lost(p) = unlost, legal, no quiet move into open(p - 1), no conversion that
//!           saves, and a move at all or a check
//! won(p)  = open with a quiet move into what is not in unlost(p - 1), or p = 1
//!           and a conversion that wins
//! ```
//!
//! Each half reads the other's plane as it was a ply before. Losses come at even
//! plies and wins at odd ones until a loser is forced to convert: such a loss
//! in 1 starts a second chain, of odd losses and even wins, and the two meet in
//! every maximum. So both halves are due at every ply, and one of them must
//! wait until the other has read: here, as on the card, the one of the second
//! chain.

use std::sync::Arc;

use molien_board::{Color, Man, Material};
use molien_build::Build;
use molien_hyper::{Cell, Hyperboard, Plane, Tile};
use molien_operators::{
    Backend, Conversions, Goal, QuietMoves, SubView, empty_tiles, fastest, swap_colors,
};
use molien_values::{BoardValues, Graded, Metric, Rule};
use rayon::prelude::*;

/// The wins of one attacker. Nothing is skipped: every tile at every ply.
struct TwoPlanes<'a> {
    backend: &'a dyn Backend,
    board: &'a Hyperboard,
    attacker: Color,
    /// The board without the i-th piece.
    subs: Vec<Option<Arc<BoardValues>>>,
    /// The attacker's legal positions.
    legal: Plane,
    open: Plane,
    unlost: Vec<Tile>,
}

/// What is decided at each ply: lost, won.
type Layers = Vec<(Vec<Tile>, Vec<Tile>)>;

impl<'a> TwoPlanes<'a> {
    fn new(solver: &Build, board: &'a Hyperboard, attacker: Color) -> TwoPlanes<'a> {
        let sub = |man: Man| {
            let material = board.material().without(man)?;
            let table = solver.table(material, Metric::Dtc).unwrap();
            let own = table.parts[0].clone();
            Some(if table.material == material {
                own
            } else {
                Arc::new(swap_colors(fastest(), &own))
            })
        };
        let subs = board.pieces_in_order().into_iter().map(sub).collect();
        let backend = fastest();
        let legal = each_tile(board, |cell| backend.legal(board, attacker, cell));
        let legal = Plane::from_tiles(legal);
        let (open, unlost) = (legal.clone(), vec![Tile::FULL; board.tiles()]);
        TwoPlanes { backend, board, attacker, subs, legal, open, unlost }
    }

    fn captures(&self, side: Color, goal: Goal, cell: &Cell) -> Conversions {
        let men = self.board.pieces_in_order();
        let view = |(sub, man): (_, &Man)| {
            Option::<&Arc<BoardValues>>::map(sub, |sub| SubView::of(sub, man.color))
        };
        let subs: Vec<_> = self.subs.iter().map(Option::as_ref).zip(&men).map(view).collect();
        let mut found = Conversions::new(fastest(), goal, 0);
        found.add_piece_captures(self.board, side, cell, &subs, Rule::One);
        found
    }

    fn quiet(&self, side: Color, plane: &Plane, cell: &Cell, within: &Tile) -> Tile {
        let moves = QuietMoves { board: self.board, side, plane, cell };
        self.backend.quiet_within(&moves, within)
    }

    /// What the defender loses by now, of what he has not lost yet.
    fn defend(&self, ply: usize) -> Vec<Tile> {
        let (backend, board, defender) = (self.backend, self.board, !self.attacker);
        each_tile(board, |cell| {
            let legal = backend.legal(board, defender, cell);
            let unlost = legal.and(&self.unlost[cell.tile]);
            let safe = self.quiet(defender, &self.open, cell, &unlost);
            let captures = self.captures(defender, Goal::Hold, cell);
            let stuck = unlost.minus(&safe).minus(&captures.escape);
            let quiet = self.quiet(defender, &self.legal, cell, &stuck);
            let check = stuck.and(&backend.in_check(board, defender, cell));
            match ply {
                0 => check.minus(&quiet).minus(&captures.release.some),
                _ => stuck.and(&quiet.or(&captures.release.some).or(&check)),
            }
        })
    }

    /// What the attacker wins by now, of what he has not won yet.
    fn attack(&self, ply: usize) -> Vec<Tile> {
        let (board, attacker) = (self.board, self.attacker);
        let lost: Vec<Tile> = self.unlost.iter().map(|tile| Tile::FULL.minus(tile)).collect();
        let lost = Plane::from_tiles(lost);
        each_tile(board, |cell| {
            let open = &self.open.tiles[cell.tile];
            let mut won = self.quiet(attacker, &lost, cell, open);
            if ply == 1 {
                won.add(&self.captures(attacker, Goal::Win, cell).release.some.and(open));
            }
            won
        })
    }

    fn take_lost(&mut self, lost: &[Tile]) {
        subtract(&mut self.unlost, lost);
    }

    fn take_won(&mut self, won: &[Tile]) {
        subtract(&mut self.open.tiles, won);
    }

    /// Everything that is decided. Of the two halves of a ply the one that
    /// belongs to the main chain works in place.
    fn solve(&mut self) -> Layers {
        let mut layers = Layers::new();
        loop {
            let ply = layers.len();
            let layer = if ply.is_multiple_of(2) {
                let won = if ply == 0 { empty_tiles(self.board.tiles()) } else { self.attack(ply) };
                let lost = self.defend(ply);
                self.take_lost(&lost);
                self.take_won(&won); // not before `open` was read
                (lost, won)
            } else {
                let lost = self.defend(ply);
                let won = self.attack(ply);
                self.take_won(&won);
                self.take_lost(&lost); // not before `unlost` was read
                (lost, won)
            };
            if ply > 1 && is_empty(&layer) {
                return layers;
            }
            layers.push(layer);
        }
    }

    /// Losses at even plies and wins at odd ones only, each half-step in place:
    /// the second chain is not told apart.
    fn solve_in_half_steps(&mut self) -> Layers {
        let tiles = self.board.tiles();
        let mut layers = Layers::new();
        loop {
            let ply = layers.len();
            let layer = match ply % 2 {
                0 => (self.defend(ply), empty_tiles(tiles)),
                _ => (empty_tiles(tiles), self.attack(ply)),
            };
            if ply > 2 && is_empty(&layer) {
                return layers;
            }
            self.take_lost(&layer.0);
            self.take_won(&layer.1);
            layers.push(layer);
        }
    }
}

fn is_empty((lost, won): &(Vec<Tile>, Vec<Tile>)) -> bool {
    lost.iter().chain(won).all(Tile::is_empty)
}

fn each_tile(board: &Hyperboard, f: impl Fn(&Cell) -> Tile + Sync) -> Vec<Tile> {
    let tile = |number| board.cell(number).map_or(Tile::EMPTY, |cell| f(&cell));
    (0..board.tiles()).into_par_iter().map(tile).collect()
}

fn subtract(from: &mut [Tile], tiles: &[Tile]) {
    from.iter_mut().zip(tiles).for_each(|(tile, gone)| *tile = tile.minus(gone));
}

/// The positions decided at a ply, from the values of a solved table.
fn layer(values: &Graded, decided: &[Tile], plies: &[usize]) -> Vec<Tile> {
    let at = |tile: usize, ply: usize| {
        let mut found = decided[tile];
        for bit in 0..16 {
            let plane = values.depth.get(bit).map_or(Tile::EMPTY, |plane| plane[tile]);
            found = if ply >> bit & 1 == 1 { found.and(&plane) } else { found.minus(&plane) };
        }
        found
    };
    let tile = |tile| plies.iter().fold(Tile::EMPTY, |all, &ply| all.or(&at(tile, ply)));
    (0..decided.len()).map(tile).collect()
}

fn check(solver: &Build, material: Material) {
    let table = solver.table(material, Metric::Dtc).unwrap();
    let board = &table.parts[0].board;
    for attacker in Color::BOTH.into_iter().filter(|&color| table.material.side_len(color) > 1) {
        let [won, lost] = [attacker, !attacker].map(|color| &table.parts[0].values[color.index()]);
        let name = format!("{material}, {attacker} wins");
        let mut planes = TwoPlanes::new(solver, board, attacker);
        let layers = planes.solve();
        for (ply, (lost_now, won_now)) in layers.iter().enumerate() {
            assert!(*lost_now == layer(lost, &lost.lost, &[ply]), "{name}: lost in {ply}");
            assert!(*won_now == layer(won, &won.won, &[ply]), "{name}: won in {ply}");
        }
        // Nothing else is decided, and no other bit was cleared.
        let left = |all: &Tile, decided: &Tile| all.minus(decided);
        let unlost: Vec<Tile> = lost.lost.iter().map(|lost| left(&Tile::FULL, lost)).collect();
        assert!(planes.unlost == unlost, "{name}: all that is lost");
        let open: Vec<Tile> = won.legal.iter().zip(&won.won).map(|(l, w)| left(l, w)).collect();
        assert!(planes.open.tiles == open, "{name}: all that is won");
        // Half-steps round up: to the winner's moves, a conversion forced on the
        // loser counting as one of them.
        let layers = TwoPlanes::new(solver, board, attacker).solve_in_half_steps();
        for (ply, (lost_now, won_now)) in layers.iter().enumerate() {
            let plies = [ply.saturating_sub(1), ply];
            let (decided, values, now) = if ply.is_multiple_of(2) {
                (&lost.lost, lost, lost_now)
            } else {
                (&won.won, won, won_now)
            };
            assert!(*now == layer(values, decided, &plies), "{name}: half-step {ply}");
        }
    }
}

#[test]
fn every_table_of_three_and_four_men() {
    let solver = Build::new();
    for material in Material::all(4).into_iter().filter(|material| !material.has_pawns()) {
        check(&solver, material);
    }
}

/// Minutes: `MOLIEN_EXHAUSTIVE=1`.
#[test]
fn every_table_of_five_men() {
    if std::env::var_os("MOLIEN_EXHAUSTIVE").is_none() {
        return check(&Build::new(), "KNNKN".parse().unwrap());
    }
    let solver = Build::new();
    let fives = Material::all(5).into_iter().filter(|m| m.len() == 5 && !m.has_pawns());
    for material in fives {
        check(&solver, material);
        println!("{material}");
    }
}
