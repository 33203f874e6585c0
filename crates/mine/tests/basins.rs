//! Basins against a brute-force search that knows nothing of planes.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use molien_board::{Color, Man, Material, Position, Role, Square, Symmetry};
use molien_build::Build;
use molien_mine::{Basin, Basins, TableSet, ZugzwangKind, zugzwangs};
use molien_testing::is_exhaustive;
use molien_values::{Metric, MoveClass, Table, Value, value_before};

/// Sizes by side to move and value.
type Sizes = HashMap<(Color, Value), u64>;

fn sizes(basins: &Basins, goals: &[Position], basin: Basin) -> Sizes {
    let mut sizes = Sizes::new();
    let add = |wave: &molien_mine::Wave<'_>| {
        assert_eq!(wave.positions().count() as u64, wave.count());
        *sizes.entry((wave.turn(), wave.value)).or_default() += wave.count();
        ControlFlow::Continue(())
    };
    basins.find(goals, basin, add).expect("goals of the material");
    sizes
}

/// A position up to symmetry: the least of its eight images.
type Key = u64;

fn key(position: &Position) -> Key {
    let image = |symmetry: Symmetry| {
        let mut men: Vec<(char, usize)> = position
            .men()
            .map(|(man, square)| (man.letter(), symmetry.square(square).index()))
            .collect();
        men.sort_unstable();
        men.iter()
            .fold(position.turn().index() as u64, |key, (_, square)| key << 6 | *square as u64)
    };
    Symmetry::ALL.into_iter().map(image).min().expect("eight images")
}

/// A position with its best moves.
struct Node {
    position: Position,
    value: Value,
    /// Positions that best moves lead to.
    next: Vec<u32>,
    /// A best move leads out of the material.
    leaves: bool,
}

/// Every position of a material.
struct Graph {
    nodes: Vec<Node>,
    numbers: HashMap<Key, u32>,
}

impl Graph {
    fn new(build: &Build, material: Material, metric: Metric) -> Graph {
        let table = |material: Material| build.table(material, metric).expect("small");
        let own = table(material);
        let subs: HashMap<Material, Arc<Table>> = material
            .successors()
            .iter()
            .map(|sub| (sub.canonical(), table(sub.canonical())))
            .collect();
        let mut graph = Graph { nodes: Vec::new(), numbers: HashMap::new() };
        let men: Vec<Man> = Color::BOTH
            .into_iter()
            .map(|color| Man::new(color, Role::King))
            .chain(material.men().filter(|man| man.role != Role::King))
            .collect();
        graph.place(&men, &mut Vec::new(), &own);
        for number in 0..graph.nodes.len() {
            let Node { position, value, .. } = graph.nodes[number];
            for m in position.legal_moves() {
                let after = position.play(&m);
                let class = MoveClass::of(&m);
                let known = match class {
                    MoveClass::Quiet => own.get(&after),
                    _ => subs.get(&after.material().canonical()).and_then(|sub| sub.get(&after)),
                };
                if value_before(metric, class, known.unwrap_or(Value::Draw)) != value {
                    continue;
                }
                let next = graph.numbers.get(&key(&after)).copied();
                match (class, next) {
                    (MoveClass::Quiet, Some(next)) => graph.nodes[number].next.push(next),
                    (MoveClass::Quiet, None) => panic!("{after} is not known"),
                    _ => graph.nodes[number].leaves = true,
                }
            }
        }
        graph
    }

    /// Puts the men on every square, White's king on one eighth of the board.
    fn place(&mut self, men: &[Man], squares: &mut Vec<Square>, table: &Table) {
        if squares.len() == men.len() {
            for turn in Color::BOTH {
                let placed = men.iter().copied().zip(squares.iter().copied());
                let Ok(position) = Position::new(placed, turn) else { continue };
                let key = key(&position);
                if !self.numbers.contains_key(&key) {
                    self.numbers.insert(key, self.nodes.len() as u32);
                    let value = table.get(&position).expect("every position");
                    self.nodes.push(Node { position, value, next: Vec::new(), leaves: false });
                }
            }
            return;
        }
        let first = squares.is_empty();
        let triangle = |square: &Square| square.rank() <= square.file() && square.file() < 4;
        for square in Square::all().filter(|square| !first || triangle(square)) {
            if !squares.contains(&square) {
                squares.push(square);
                self.place(men, squares, table);
                squares.pop();
            }
        }
    }

    /// The least set, by looking at every position until nothing changes.
    fn sizes(&self, goals: &[Position], chooses: impl Fn(Color) -> bool) -> Sizes {
        let mut inside = vec![false; self.nodes.len()];
        for goal in goals {
            inside[self.numbers[&key(goal)] as usize] = true;
        }
        loop {
            let mut changed = false;
            for (number, node) in self.nodes.iter().enumerate() {
                let mut next = node.next.iter().map(|next| inside[*next as usize]);
                let enters = match chooses(node.position.turn()) {
                    true => next.any(|inside| inside),
                    false => !node.next.is_empty() && !node.leaves && next.all(|inside| inside),
                };
                changed |= enters && !inside[number];
                inside[number] |= enters;
            }
            if !changed {
                break;
            }
        }
        let mut sizes = Sizes::new();
        for (node, _) in self.nodes.iter().zip(inside).filter(|(_, inside)| *inside) {
            *sizes.entry((node.position.turn(), node.value)).or_default() += 1;
        }
        sizes
    }
}

/// All four basins, compared.
fn compare(material: &str, metric: Metric, goals: impl Fn(&Build, &Graph) -> Vec<Vec<Position>>) {
    let build = Build::new();
    let material: Material = material.parse().expect("a material");
    let graph = Graph::new(&build, material, metric);
    let basins = Basins::new(&build, material, metric).expect("small");
    for goals in goals(&build, &graph) {
        let mut before = 0;
        for basin in Basin::ALL {
            let chooses = |side: Color| match basin {
                Basin::Necessary => false,
                Basin::White => side == Color::White,
                Basin::Black => side == Color::Black,
                Basin::Possible => true,
            };
            let (found, expected) = (sizes(&basins, &goals, basin), graph.sizes(&goals, chooses));
            assert_eq!(found, expected, "{material} {metric} {basin:?} of {goals:?}");
            let total: u64 = found.values().sum();
            assert!(basin != Basin::Possible || total >= before);
            before = before.max(total);
        }
        println!("{material} {metric}: {before} positions may lead to {} goals", goals.len());
    }
}

/// Every so-manieth position, in groups of three.
fn sample(graph: &Graph, step: usize) -> Vec<Vec<Position>> {
    let some: Vec<Position> = graph.nodes.iter().step_by(step).map(|node| node.position).collect();
    some.chunks(3).map(<[Position]>::to_vec).collect()
}

#[test]
fn three_men_agree_with_brute_force() {
    for material in ["KRK", "KQK", "KKR", "KBK"] {
        for metric in [Metric::Dtm, Metric::Dtc] {
            compare(material, metric, |_, graph| sample(graph, 4999));
        }
    }
}

fn both_turns(build: &Build, material: &str) -> Vec<Position> {
    let tables = TableSet::solve(build, material.parse().expect("a material"), &[Metric::Dtm]);
    let mut goals = Vec::new();
    zugzwangs(
        &tables.expect("small"),
        &ZugzwangKind::ALL,
        |_, _| {},
        |zugzwang| {
            goals.extend(Color::BOTH.map(|turn| zugzwang.position.with_turn(turn)));
            ControlFlow::Continue(())
        },
    )
    .expect("depths");
    goals
}

#[test]
fn four_men_agree_with_brute_force() {
    if !is_exhaustive() {
        return;
    }
    compare("KRKN", Metric::Dtm, |build, graph| {
        let mut goals = sample(graph, 900_001);
        goals.push(both_turns(build, "KRKN"));
        goals
    });
}

/// Like men, two a side, and a material whose table has colours exchanged.
#[test]
fn more_of_four_men_agree_with_brute_force() {
    if !is_exhaustive() {
        return;
    }
    for material in ["KNNK", "KRRK", "KNKR", "KBKN", "KQKR"] {
        for metric in [Metric::Dtm, Metric::Dtc, Metric::Dtz50] {
            compare(material, metric, |_, graph| sample(graph, 600_011));
        }
    }
}

/// Counted by hand. The goal is mate by a rook on c8. A move before, the rook
/// stood on the c-file (on the eighth rank it would have given check already):
/// seven squares, and nothing else mates. A move before that, Black's king
/// came from b8, where the rook left it no other square: again seven.
#[test]
fn a_case_counted_by_hand() {
    let basins = Basins::new(&Build::new(), "KRK".parse().unwrap(), Metric::Dtm).unwrap();
    let goal = "k1R5/8/1K6/8/8/8/8/8 b - -".parse().unwrap();
    for basin in Basin::ALL {
        let sizes = sizes(&basins, &[goal], basin);
        let size = |turn, value| sizes.get(&(turn, value)).copied();
        assert_eq!(size(Color::Black, Value::Loss(0)), Some(1), "{basin:?}");
        assert_eq!(size(Color::White, Value::Win(1)), Some(7), "{basin:?}");
        assert_eq!(size(Color::Black, Value::Loss(2)), Some(7), "{basin:?}");
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let build = Build::new();
    let error = |material: &str| Basins::new(&build, material.parse().unwrap(), Metric::Dtm).err();
    let pawns = error("KPK").expect("refused").to_string();
    assert_eq!(pawns, "KPK has pawns: basins are found for materials without pawns only");
    let basins = Basins::new(&build, "KRK".parse().unwrap(), Metric::Dtm).unwrap();
    let other: Position = "8/8/8/8/8/2k5/8/K6Q w - -".parse().unwrap();
    let refused = basins.find(&[other], Basin::Possible, |_| ControlFlow::Continue(()));
    assert!(refused.unwrap_err().to_string().contains("is not a position of KRK"));
}
