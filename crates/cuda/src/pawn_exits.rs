//! The moves out of every placement of a material's pawns, as the kernels read
//! them: which board a move leads to, where in it, and when it is possible.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use molien_board::{Bitboard, Color, Man, Material, Role, Square};
use molien_hyper::{Hyperboard, OuterAxes};
use molien_values::{Metric, PawnMove, PawnMoveKind, Placement, Rule};
use rayon::prelude::*;

use crate::layout::{Exit, FIXED_MAN, MAX_TARGET_MEN, NO_VICTIM, Place};
use crate::split::Splits;

/// Kinds of exits, as in `kernels/base.cu`.
const TAKEN: u8 = 0;
const FORWARD: u8 = 1;
const PAWN_TAKES_PAWN: u8 = 2;
const PAWN_TAKES_PIECE: u8 = 3;
/// No man stands on a fixed square.
pub(crate) const NO_SQUARE: u8 = 0xff;

/// A board that moves lead to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum TargetKey {
    /// A material with pawns, all its placements.
    Pawns(Material),
    /// A material without pawns, with the kings in the tile.
    Pieces(Relaid),
    /// Of a table that is solved in parts: one of the parts.
    Part(PartKey),
    /// Of such a table: what a promotion leads to.
    Slice(SliceKey),
}

/// A part of the material itself, after a pawn's step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct PartKey {
    pub part: u32,
    pub mover: Color,
}

/// The boards of one part of a table with a man on his promotion rank.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct SliceKey {
    /// As the reader sees it: the table may be that with colours exchanged.
    pub material: Material,
    /// Of the table in canonical orientation.
    pub part: u32,
    /// The men that are outer coordinates.
    pub men: Vec<Man>,
    pub promoted: Man,
}

impl SliceKey {
    /// Where the table's men come from: those of the slice, or the promoted one.
    pub fn sources(&self, table: &Places) -> [u8; MAX_TARGET_MEN] {
        let exchanged = !self.material.is_canonical();
        let seen = |man: &Man| match exchanged {
            true => Man::new(!man.color, man.role),
            false => *man,
        };
        let men: Vec<Man> = self.men.iter().map(seen).collect();
        let numbers: Vec<usize> = (0..men.len()).collect();
        sources(&table.outer, &men, &numbers, Some(seen(&self.promoted)))
    }
}

/// Which part of a board without pawns, with which men outside the tile.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Relaid {
    pub material: Material,
    /// The men that are outer coordinates.
    pub men: Vec<Man>,
    /// A man on a fixed square.
    pub fixed: Option<(Man, Square)>,
    /// Whose moves lead there.
    pub mover: Color,
}

impl Relaid {
    /// Where the men of a stored board come from, which may have the colours
    /// exchanged: the relaid ones, or the fixed one.
    pub fn sources(&self, stored: &Hyperboard) -> [u8; MAX_TARGET_MEN] {
        let exchanged = stored.material() != self.material;
        let seen = |man: Man| if exchanged { Man::new(!man.color, man.role) } else { man };
        let men: Vec<Man> = self.men.iter().map(|man| seen(*man)).collect();
        let numbers: Vec<usize> = (0..men.len()).collect();
        let fixed = self.fixed.map(|(man, _)| seen(man));
        sources(&stored.pieces_in_order(), &men, &numbers, fixed)
    }
}

/// For each stored man: which of `men` he is, by number, or the fixed man.
fn sources(
    stored: &[Man],
    men: &[Man],
    numbers: &[usize],
    fixed: Option<Man>,
) -> [u8; MAX_TARGET_MEN] {
    let mut rest: Vec<(Man, u8)> = fixed.map(|man| (man, FIXED_MAN)).into_iter().collect();
    rest.extend(men.iter().zip(numbers).map(|(man, &number)| (*man, number as u8)));
    let mut out = [0; MAX_TARGET_MEN];
    for (place, man) in out.iter_mut().zip(stored) {
        if let Some(at) = rest.iter().position(|(other, _)| other == man) {
            *place = rest.remove(at).1;
        }
    }
    out
}

/// The placements of a material's pawns, sorted, and its outer men.
pub(crate) struct Places {
    pub placements: Vec<Placement>,
    pub outer: Vec<Man>,
    /// Tiles of a board.
    pub numbers: u32,
}

impl Places {
    pub fn new(material: Material) -> Places {
        Places::around(material, Placement::all(&material))
    }

    /// The boards around some pawns, sorted.
    pub fn around(material: Material, placements: Vec<Placement>) -> Places {
        let first = placements.first().map(|p| p.bitboards()).unwrap_or_default();
        let outer = Hyperboard::around_pawns(material, first).outer().to_vec();
        let numbers = OuterAxes::new(&outer).len() as u32;
        Places { placements, outer, numbers }
    }

    /// Some of the placements.
    pub fn some(&self, of: &[u32]) -> Places {
        let placements = of.iter().map(|&place| self.placements[place as usize]).collect();
        Places { placements, outer: self.outer.clone(), numbers: self.numbers }
    }

    /// The number of a canonical placement.
    pub fn number(&self, placement: Placement) -> usize {
        // Every canonical placement is among them.
        self.placements.binary_search(&placement).unwrap_or(0)
    }

    /// The first tile of a placement.
    fn first_tile(&self, placement: Placement) -> u32 {
        self.number(placement) as u32 * self.numbers
    }
}

/// All exits of a material.
pub(crate) struct PawnExits {
    /// Of which material, counted how.
    pub of: (Material, Metric),
    pub places: Vec<Place>,
    pub exits: Vec<Exit>,
    pub targets: Vec<TargetKey>,
}

/// Where a move leads to.
struct View {
    target: u32,
    first_tile: u32,
    mirrored: bool,
    from: [u8; MAX_TARGET_MEN],
}

struct Builder<'a> {
    own: &'a Places,
    metric: Metric,
    /// The tables that are solved in parts, if this is one of them.
    splits: Option<&'a Splits>,
    /// The placements of other materials, found once for all threads.
    smaller: &'a Mutex<HashMap<Material, Arc<Places>>>,
    numbers_of: HashMap<Material, Arc<Places>>,
    target_numbers: HashMap<TargetKey, u32>,
    out: PawnExits,
}

/// The number the kernels know a rule by.
pub(crate) fn rule_number(rule: Rule) -> u8 {
    match rule {
        Rule::One => 0,
        Rule::Onward => 1,
        Rule::Fifty => 2,
    }
}

impl PawnExits {
    /// The exits of every placement, in the order of the placements.
    pub fn new(material: Material, own: &Places, metric: Metric) -> PawnExits {
        PawnExits::within(material, own, metric, None)
    }

    /// The same where tables with so many men are solved in parts.
    pub fn within(
        material: Material,
        own: &Places,
        metric: Metric,
        splits: Option<&Splits>,
    ) -> PawnExits {
        let smaller = Mutex::default();
        let some = |placements: &[Placement]| {
            let mut builder = Builder {
                own,
                metric,
                splits,
                smaller: &smaller,
                numbers_of: HashMap::new(),
                target_numbers: HashMap::new(),
                out: PawnExits::none(material, metric),
            };
            placements.iter().for_each(|placement| builder.placement(*placement));
            builder.out
        };
        let found: Vec<PawnExits> =
            own.placements.par_chunks(PLACEMENTS_AT_A_TIME).map(some).collect();
        let (mut all, mut numbers) = (PawnExits::none(material, metric), HashMap::new());
        found.into_iter().for_each(|some| all.append(some, &mut numbers));
        all
    }

    fn none(material: Material, metric: Metric) -> PawnExits {
        let (places, exits, targets) = (Vec::new(), Vec::new(), Vec::new());
        PawnExits { of: (material, metric), places, exits, targets }
    }

    /// Adds the exits of further placements, whose targets get the numbers they have
    /// here.
    fn append(&mut self, some: PawnExits, numbers: &mut HashMap<TargetKey, u32>) {
        let here: Vec<u32> = some
            .targets
            .into_iter()
            .map(|key| number_of(key, numbers, &mut self.targets))
            .collect();
        let first = self.exits.len() as u32;
        self.exits.extend(some.exits.into_iter().map(|mut exit| {
            exit.target = here[exit.target as usize];
            for answer in &mut exit.en_passant_target[..usize::from(exit.en_passants)] {
                *answer = here[*answer as usize];
            }
            exit
        }));
        self.places.extend(some.places.into_iter().map(|place| Place {
            first_exit: first + place.first_exit,
            last_exit: first + place.last_exit,
            ..place
        }));
    }
}

/// Placements whose exits are listed by one thread.
const PLACEMENTS_AT_A_TIME: usize = 1024;

/// The number of a target, which is added if it is new.
fn number_of(
    key: TargetKey,
    numbers: &mut HashMap<TargetKey, u32>,
    targets: &mut Vec<TargetKey>,
) -> u32 {
    *numbers.entry(key).or_insert_with_key(|key| {
        targets.push(key.clone());
        targets.len() as u32 - 1
    })
}

impl Builder<'_> {
    fn placement(&mut self, placement: Placement) {
        let first_exit = self.out.exits.len() as u32;
        self.pieces_taken(placement);
        self.pawns_taken(placement);
        self.pawn_moves(placement);
        self.out.places.push(Place {
            pawns: placement.bitboards().map(|set| set.0),
            first_exit,
            last_exit: self.out.exits.len() as u32,
            symmetric: u32::from(placement.mirror() == placement),
            unused: 0,
        });
    }

    fn target(&mut self, key: TargetKey) -> u32 {
        number_of(key, &mut self.target_numbers, &mut self.out.targets)
    }

    /// The placements of another material.
    fn places_of(&mut self, material: Material) -> Arc<Places> {
        let shared = || {
            let mut smaller = self.smaller.lock().unwrap_or_else(PoisonError::into_inner);
            smaller.entry(material).or_insert_with(|| Arc::new(Places::new(material))).clone()
        };
        self.numbers_of.entry(material).or_insert_with(shared).clone()
    }

    /// The values after a move of one side: our outer men without the `gone`
    /// one, pawns left, perhaps a promoted man.
    fn view(
        &mut self,
        mover: Color,
        gone: Option<usize>,
        pawns: Placement,
        promoted: Option<(Man, Square)>,
    ) -> View {
        let numbers: Vec<usize> = (0..self.own.outer.len()).filter(|&i| Some(i) != gone).collect();
        let men: Vec<Man> = numbers.iter().map(|&i| self.own.outer[i]).collect();
        let pawn_men = Color::BOTH.into_iter().flat_map(|color| {
            std::iter::repeat_n(Man::new(color, Role::Pawn), pawns.of_color(color).len())
        });
        let fixed = promoted.map(|(man, _)| man);
        let material = Material::from_men(men.iter().copied().chain(pawn_men).chain(fixed));
        if pawns == Placement::NONE {
            let from = sources(&men, &men, &numbers, None);
            let key = TargetKey::Pieces(Relaid { material, men, fixed: promoted, mover });
            return View { target: self.target(key), first_tile: 0, mirrored: false, from };
        }
        if let Some(splits) = self.splits
            && material.len() == self.out.of.0.len()
        {
            return self.view_of_part(splits, material, (mover, pawns), promoted, men);
        }
        let places = self.places_of(material);
        let (stored, mirrored) = pawns.canonical();
        View {
            target: self.target(TargetKey::Pawns(material)),
            first_tile: places.first_tile(stored),
            mirrored,
            from: sources(&places.outer, &men, &numbers, fixed),
        }
    }

    /// The same where the table is solved in parts. All men are there.
    fn view_of_part(
        &mut self,
        splits: &Splits,
        material: Material,
        (mover, pawns): (Color, Placement),
        promoted: Option<(Man, Square)>,
        men: Vec<Man>,
    ) -> View {
        let split = splits.of(material);
        let seen = if material.is_canonical() { pawns } else { pawns.swap_colors() };
        let (stored, mirrored) = seen.canonical();
        let (part, place) = split.locate(stored);
        let numbers: Vec<usize> = (0..men.len()).collect();
        let from = sources(&men, &men, &numbers, None);
        let Some((man, square)) = promoted else {
            let target = self.target(TargetKey::Part(PartKey { part, mover }));
            return View { target, first_tile: place * self.own.numbers, mirrored, from };
        };
        let file = square.index() as u32 % 8;
        let file = if mirrored { 7 - file } else { file };
        let key = SliceKey { material, part, men, promoted: man };
        let target = self.target(TargetKey::Slice(key));
        View { target, first_tile: (place * 8 + file) * self.own.numbers, mirrored, from }
    }

    fn exit(&self, view: &View, side: Color, kind: u8, rule: Rule) -> Exit {
        Exit {
            first_tile: view.first_tile,
            target: view.target,
            kind,
            side: side.index() as u8,
            rule: rule_number(rule),
            victim: NO_VICTIM,
            mirrored: u8::from(view.mirrored),
            fixed_square: NO_SQUARE,
            from: view.from,
            ..Exit::default()
        }
    }

    fn pieces_taken(&mut self, pawns: Placement) {
        let rule = self.metric.conversion_rule();
        for victim in 0..self.own.outer.len() {
            let side = !self.own.outer[victim].color;
            let view = self.view(side, Some(victim), pawns, None);
            let exit = self.exit(&view, side, TAKEN, rule);
            self.out.exits.push(Exit { victim: victim as u8, ..exit });
        }
    }

    fn pawns_taken(&mut self, pawns: Placement) {
        let rule = self.metric.conversion_rule();
        for color in Color::BOTH {
            for square in pawns.of_color(color) {
                let view = self.view(!color, None, pawns.without(square), None);
                let exit = self.exit(&view, !color, TAKEN, rule);
                self.out.exits.push(Exit { square: square.index() as u8, ..exit });
            }
        }
    }

    fn pawn_moves(&mut self, pawns: Placement) {
        for m in pawns.pawn_moves() {
            match m.kind {
                PawnMoveKind::Step | PawnMoveKind::DoubleStep { .. } => {
                    let empty = m.must_be_empty();
                    let passed = empty - Bitboard::from_square(m.to);
                    self.add(pawns, &m, FORWARD, None, |exit| {
                        (exit.empty, exit.passed) = (empty.0, passed.0);
                    });
                }
                PawnMoveKind::TakesPawn => self.add(pawns, &m, PAWN_TAKES_PAWN, None, |_| {}),
                PawnMoveKind::TakesPiece => {
                    let is_other = |&i: &usize| self.own.outer[i].color != m.side;
                    let victims: Vec<usize> = (0..self.own.outer.len()).filter(is_other).collect();
                    for victim in victims {
                        self.add(pawns, &m, PAWN_TAKES_PIECE, Some(victim), |exit| {
                            (exit.victim, exit.square) = (victim as u8, m.to.index() as u8);
                        });
                    }
                }
            }
        }
    }

    /// Adds a move that takes the `victim`-th outer man or none, once for each
    /// role if it promotes; `finish` adds what is particular to it.
    fn add(
        &mut self,
        pawns: Placement,
        m: &PawnMove,
        kind: u8,
        victim: Option<usize>,
        finish: impl Fn(&mut Exit),
    ) {
        let after = m.played(pawns);
        let conversion = self.metric.conversion_rule();
        if m.promotes() {
            for role in Role::PROMOTIONS {
                let promoted = Some((Man::new(m.side, role), m.to));
                let view = self.view(m.side, victim, after, promoted);
                let mut exit = self.exit(&view, m.side, kind, conversion);
                exit.fixed_square = m.to.index() as u8;
                finish(&mut exit);
                self.out.exits.push(exit);
            }
            return;
        }
        let rule = if kind == FORWARD { self.metric.push_rule() } else { conversion };
        let view = self.view(m.side, victim, after, None);
        let mut exit = self.exit(&view, m.side, kind, rule);
        finish(&mut exit);
        self.add_answers(&mut exit, m, pawns);
        self.out.exits.push(exit);
    }

    /// Adds the answers en passant to a double step.
    fn add_answers(&mut self, exit: &mut Exit, m: &PawnMove, pawns: Placement) {
        for (i, answer) in m.en_passant(pawns).into_iter().enumerate() {
            let view = self.view(!m.side, None, answer.after, None);
            debug_assert_eq!(view.from, exit.from, "the pieces stay");
            exit.en_passant_target[i] = view.target;
            exit.en_passant_first[i] = view.first_tile;
            exit.en_passant_mirrored[i] = u8::from(view.mirrored);
            exit.en_passants += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exits(name: &str) -> (Places, PawnExits) {
        let material: Material = name.parse().unwrap();
        let places = Places::new(material);
        let exits = PawnExits::new(material, &places, Metric::Dtm);
        (places, exits)
    }

    fn square(name: &str) -> Square {
        let bytes = name.as_bytes();
        Square::new(usize::from(bytes[0] - b'a') + 8 * usize::from(bytes[1] - b'1'))
    }

    /// The exits of a placement of one white and at most one black pawn.
    fn of<'a>((places, exits): &'a (Places, PawnExits), white: &str, black: &str) -> &'a [Exit] {
        let set = |name: &str| match name {
            "" => Bitboard::EMPTY,
            _ => Bitboard::from_square(square(name)),
        };
        let at = places.placements.binary_search(&Placement::new([set(white), set(black)]));
        let place = exits.places[at.unwrap()];
        &exits.exits[place.first_exit as usize..place.last_exit as usize]
    }

    #[test]
    fn a_pawn_steps_promotes_and_is_taken() {
        let all = exits("KPK");
        let kinds = |from: &str| of(&all, from, "").iter().map(|e| e.kind).collect::<Vec<_>>();
        assert_eq!(kinds("b2"), [TAKEN, FORWARD, FORWARD]);
        assert_eq!(kinds("b3"), [TAKEN, FORWARD]);
        assert_eq!(kinds("b7"), [TAKEN, FORWARD, FORWARD, FORWARD, FORWARD]);
        // One board for the bare kings, and a slice for each role and file.
        assert_eq!(all.1.targets.len(), 1 + 1 + 4 * 4);
    }

    #[test]
    fn a_double_step_can_be_answered_en_passant() {
        let all = exits("KPKP");
        let answers = |white: &str, black: &str| {
            of(&all, white, black).iter().map(|e| e.en_passants).max().unwrap()
        };
        assert_eq!(answers("b2", "a4"), 1);
        assert_eq!(answers("b2", "c4"), 1);
        assert_eq!(answers("b2", "d4"), 0);
        assert_eq!(answers("b3", "c4"), 0);
    }

    #[test]
    fn promoted_men_find_their_place() {
        let men = |text: &str| -> Vec<Man> {
            let role =
                |c: char| Role::ALL.into_iter().find(|r| r.letter() == c.to_ascii_uppercase());
            let color = |c: char| if c.is_ascii_uppercase() { Color::White } else { Color::Black };
            text.chars().map(|c| Man::new(color(c), role(c).unwrap())).collect()
        };
        let queen = men("Q")[0];
        let found = sources(&men("rQQN"), &men("rQN"), &[0, 1, 2], Some(queen));
        assert_eq!(found, [0, FIXED_MAN, 1, 2]);
        // One of the men is gone: the others keep their numbers.
        assert_eq!(sources(&men("rN"), &men("rN"), &[0, 2], None)[..2], [0, 2]);
    }
}
