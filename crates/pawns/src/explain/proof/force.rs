//! What one side can force in any position, by search.

use std::collections::HashMap;

use molien_board::{Color, Move, Position};

/// What a move means for the goal: reached, missed, or play goes on.
pub(super) type Judge<'a> = &'a dyn Fn(&Position, &Move) -> Option<bool>;

/// Which moves count.
pub(super) type Filter<'a> = &'a dyn Fn(&Position, &Move) -> bool;

/// One side tries to reach a goal with the moves it is allowed.
pub(super) struct Force<'a> {
    us: Color,
    /// The moves our side may make.
    allowed: Filter<'a>,
    /// Asked of every move of either side.
    judge: Judge<'a>,
    /// The moves of the other side that are looked at; all if there is none.
    narrow: Option<Filter<'a>>,
    seen: HashMap<(Position, u32), bool>,
}

impl<'a> Force<'a> {
    pub fn new(us: Color, allowed: Filter<'a>, judge: Judge<'a>) -> Force<'a> {
        Force { us, allowed, judge, narrow: None, seen: HashMap::new() }
    }

    /// The same with only some moves of the other side looked at.
    pub fn looking_at(mut self, narrow: Filter<'a>) -> Force<'a> {
        self.narrow = Some(narrow);
        self
    }

    /// Whether the goal is reached within so many plies, whatever the other side
    /// does.
    pub fn within(&mut self, at: &Position, plies: u32) -> bool {
        if plies == 0 {
            return false;
        }
        if let Some(&known) = self.seen.get(&(*at, plies)) {
            return known;
        }
        let mut moves = at.legal_moves();
        let stuck = moves.is_empty();
        if let Some(narrow) = self.narrow.filter(|_| at.turn() != self.us) {
            moves.retain(|m| narrow(at, m));
        }
        let reached = if at.turn() == self.us {
            moves.iter().any(|m| (self.allowed)(at, m) && self.leads_there(at, m, plies))
        } else if moves.is_empty() {
            stuck && at.in_check(at.turn())
        } else {
            moves.iter().all(|m| self.leads_there(at, m, plies))
        };
        self.seen.insert((*at, plies), reached);
        reached
    }

    fn leads_there(&mut self, at: &Position, m: &Move, plies: u32) -> bool {
        match (self.judge)(at, m) {
            Some(decided) => decided,
            None => self.within(&at.play(m), plies - 1),
        }
    }
}
