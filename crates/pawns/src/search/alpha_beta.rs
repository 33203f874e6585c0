//! Iterative-deepening alpha-beta.
//!
//! The evaluation functions are asked at every node and end the line where
//! they decide. Scores beyond [`PROVED`] rest on mates and proved wins alone:
//! a repetition counts as a draw on the line where it happens, which can hide
//! a win but never make one, so such scores hold whatever the path and the
//! remaining depth. Draw scores carry no such promise; draws are proved by the
//! prover.

use molien_board::{Color, Move, Position, Role};

use super::prover::Judge;
use super::score::{PER_PLY, PROVED, king_term, mate_score, static_score, win_score};
use super::table::{Bound, Brief, Entry, Table};

/// Larger than any score.
const INFINITE: i32 = 1_000_000;
/// No line is followed further than this.
const MOST_PLIES: i32 = 120;
/// Extra plies below the nominal depth for checks and promotions.
const QUIET_PLIES: i32 = 6;

/// One search; holds what all its nodes share.
pub(super) struct AlphaBeta<'a, 'b> {
    pub judge: Judge<'a>,
    pub table: &'b mut Table,
    pub stop: &'b mut dyn FnMut(u64) -> bool,
    pub nodes: u64,
    pub stopped: bool,
    /// The line so far, and the game before it.
    pub path: Vec<Position>,
    /// Search on through known wins, for the shortest way.
    pub play: bool,
    /// The moves to choose from at the root.
    pub root_moves: &'b [Move],
}

/// A finished iteration.
pub(super) struct Iteration {
    pub score: i32,
    pub line: Vec<Move>,
}

impl AlphaBeta<'_, '_> {
    /// Searches the root to this depth; `None` if it was stopped.
    pub fn iterate(&mut self, root: &Position, depth: i32) -> Option<Iteration> {
        let (mut alpha, beta) = (-INFINITE, INFINITE);
        let mut best: Option<(i32, Move)> = None;
        let mut moves = self.ordered(root, self.table.get(root).and_then(|entry| entry.best));
        moves.retain(|m| self.root_moves.contains(m));
        self.path.push(*root);
        for m in moves {
            let score = -self.visit(&root.play(&m), depth - 1, 1, -beta, -alpha);
            if self.stopped {
                break;
            }
            if best.is_none_or(|(old, _)| score > old) {
                best = Some((score, m));
                alpha = alpha.max(score);
            }
        }
        self.path.pop();
        if self.stopped {
            return None;
        }
        let (score, m) = best?;
        let best = Some(Brief::of(&m));
        self.table.put(root, Entry { score, depth, bound: Bound::Exact, best });
        Some(Iteration { score, line: self.line(root, m, depth) })
    }

    /// The score of a position for its side to move.
    fn visit(&mut self, at: &Position, depth: i32, ply: i32, mut alpha: i32, beta: i32) -> i32 {
        self.nodes += 1;
        if self.stopped || (self.nodes.is_multiple_of(256) && (self.stop)(self.nodes)) {
            self.stopped = true;
            return 0;
        }
        if self.path.contains(at) {
            return 0;
        }
        let in_check = at.in_check(at.turn());
        // Below the nominal depth a known win counts as found at that depth,
        // or checks, which are followed further, would look like delay.
        if let Some(score) = self.known(at, ply + depth.min(0))
            && (!self.play || depth <= 0 || score.abs() < PROVED)
        {
            return score;
        }
        let entry = self.table.get(at).map(|e| e.with_score(at_root(e.score, ply)));
        let window = (alpha, beta);
        if let Some(score) = entry.and_then(|e| usable(&e, depth, window, !self.play)) {
            return score;
        }
        if depth <= 0 && !in_check && (depth <= -QUIET_PLIES || !can_promote(at)) {
            return static_score(at);
        }
        if ply >= MOST_PLIES || depth < -2 * QUIET_PLIES {
            return static_score(at);
        }
        let moves = self.ordered(at, entry.and_then(|e| e.best));
        if moves.is_empty() {
            return if in_check { -mate_score(ply) } else { 0 };
        }
        let start = alpha;
        let (mut best, mut best_move) = (-INFINITE, None);
        self.path.push(*at);
        for m in moves {
            let score = -self.visit(&at.play(&m), depth - 1, ply + 1, -beta, -alpha);
            if self.stopped {
                break;
            }
            if score > best {
                (best, best_move) = (score, Some(m));
                alpha = alpha.max(score);
                if alpha >= beta {
                    break;
                }
            }
        }
        self.path.pop();
        if !self.stopped {
            let bound = match best {
                _ if best >= beta => Bound::Lower,
                _ if best <= start => Bound::Upper,
                _ => Bound::Exact,
            };
            let score = at_node(best, ply);
            let best = best_move.as_ref().map(Brief::of);
            self.table.put(at, Entry { score, depth: depth.max(0), bound, best });
        }
        best
    }

    /// The score where the rules or the functions decide.
    fn known(&self, at: &Position, ply: i32) -> Option<i32> {
        let bounds = self.judge.bounds(at);
        let us = at.turn();
        match bounds.value()? {
            crate::Value::Win => Some(win_score(at, us, ply)),
            crate::Value::Loss => {
                // A lost side without a move is mated, not merely lost.
                let mated = at.side(us).len() == 1 && at.is_checkmate();
                Some(if mated { -mate_score(ply) } else { -win_score(at, !us, ply) })
            }
            crate::Value::Draw => {
                let term = |owner| king_term(at, owner);
                Some((term(us) - term(!us)).clamp(-30, 30))
            }
        }
    }

    /// Legal moves: the remembered one, promotions and captures, pawn moves,
    /// king moves towards the enemy's pawns.
    fn ordered(&self, at: &Position, first: Option<Brief>) -> Vec<Move> {
        let mut moves = at.legal_moves();
        moves.sort_by_cached_key(|m| {
            let kind = match (m.promotion, m.captured, m.role) {
                _ if Some(Brief::of(m)) == first => 0,
                (Some(Role::Queen), _, _) => 1,
                (_, Some(_), _) => 2,
                (None, _, Role::Pawn) => 3,
                (None, ..) => 4,
                (Some(_), ..) => 5,
            };
            (kind, if m.role == Role::King { nearest_target(at, m) } else { 0 })
        });
        moves
    }

    /// The principal variation, from the table.
    fn line(&self, root: &Position, first: Move, depth: i32) -> Vec<Move> {
        let mut line = vec![first];
        let mut at = root.play(&first);
        let mut seen = vec![*root];
        while (line.len() as i32) < depth.max(1) + QUIET_PLIES && !seen.contains(&at) {
            seen.push(at);
            let next = self.table.get(&at).and_then(|entry| entry.best);
            match next.and_then(|best| best.find(&at.legal_moves())) {
                Some(m) => {
                    line.push(m);
                    at = at.play(&m);
                }
                None => break,
            }
        }
        line
    }
}

/// Wins are scored by their distance from the root; in the table by their
/// distance from the node, because a position is met at different plies.
fn at_node(score: i32, ply: i32) -> i32 {
    match score {
        _ if score >= PROVED => score + PER_PLY * ply,
        _ if score <= -PROVED => score - PER_PLY * ply,
        _ => score,
    }
}

/// The inverse of [`at_node`], kept on the proved side.
fn at_root(score: i32, ply: i32) -> i32 {
    match score {
        _ if score >= PROVED => (score - PER_PLY * ply).max(PROVED),
        _ if score <= -PROVED => (score + PER_PLY * ply).min(-PROVED),
        _ => score,
    }
}

/// The stored score if it answers here: always if it proves enough (and
/// `proofs` count), otherwise only if it comes from a search as deep.
fn usable(entry: &Entry, depth: i32, (alpha, beta): (i32, i32), proofs: bool) -> Option<i32> {
    let score = entry.score;
    let proved = match entry.bound {
        Bound::Lower => score >= PROVED,
        Bound::Upper => score <= -PROVED,
        Bound::Exact => score.abs() >= PROVED,
    };
    if entry.depth < depth && !(proved && proofs) {
        return None;
    }
    match entry.bound {
        Bound::Exact => Some(score),
        Bound::Lower if score >= beta => Some(score),
        Bound::Upper if score <= alpha => Some(score),
        _ => None,
    }
}

fn can_promote(at: &Position) -> bool {
    let us = at.turn();
    let last = us.promotion_rank() - us.forward();
    at.pawns(us).into_iter().any(|pawn| {
        pawn.rank() == last
            && pawn.offset(0, us.forward()).is_some_and(|to| !at.occupied().contains(to))
    })
}

/// How far the king is from the nearest enemy pawn after the move.
fn nearest_target(at: &Position, m: &Move) -> i32 {
    let targets = at.pawns(Color::other(at.turn()));
    targets.into_iter().map(|pawn| pawn.distance(m.to)).min().unwrap_or(0)
}
