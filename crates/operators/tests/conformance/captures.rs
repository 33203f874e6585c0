//! All captures of a tile together, against the rules of chess: position by
//! position, capture by capture.

use molien_board::{Color, Material, MoveKind, Position};
use molien_hyper::{Cell, Hyperboard, Index, Tile};
use molien_operators::{Backend, Conversions, Goal, SubView, all, fastest, valid};
use molien_values::{BoardValues, Rule};

use crate::random::Random;

/// The boards without one piece each, in the order of the board's pieces.
fn sub_games(board: &Hyperboard, bits: usize, random: &mut Random) -> Vec<Option<BoardValues>> {
    let mut games: Vec<Option<BoardValues>> = Vec::new();
    let men = board.pieces_in_order();
    for (i, &man) in men.iter().enumerate() {
        // Whichever of two like men is taken, the same board is left.
        let game = if i > 0 && men[i - 1] == man {
            games[i - 1].clone()
        } else {
            board.material().without(man).map(|material| {
                let board = Hyperboard::pieces(material);
                let values = [random.values(&board, bits), random.values(&board, bits)];
                BoardValues { board, values }
            })
        };
        games.push(game);
    }
    games
}

fn captures(
    backend: &'static dyn Backend,
    board: &Hyperboard,
    (side, goal, rule): (Color, Goal, Rule),
    cell: &Cell,
    games: &[Option<BoardValues>],
    bits: usize,
) -> Conversions {
    let men = board.pieces_in_order();
    let subs: Vec<_> = (games.iter().zip(&men))
        .map(|(game, man)| game.as_ref().map(|game| SubView::of(game, man.color)))
        .collect();
    let mut found = Conversions::new(backend, goal, bits);
    found.add_piece_captures(board, side, cell, &subs, rule);
    found
}

/// What the captures of one position achieve: the ply, if any, and whether
/// one of them escapes.
fn by_the_rules(
    position: &Position,
    (goal, rule): (Goal, Rule),
    games: &[Option<BoardValues>],
) -> (Option<u16>, bool) {
    let side = position.turn();
    let (mut plies, mut escape) = (Vec::new(), false);
    for m in position.pseudo_legal_moves().iter().filter(|m| m.kind == MoveKind::Capture) {
        let after = position.play(m);
        let game = games.iter().flatten().find(|game| game.board.material() == after.material());
        let Some((game, to)) = game.and_then(|game| Some((game, game.board.encode(&after)?)))
        else {
            continue;
        };
        let values = &game.values[side.other().index()];
        let holds = |plane: &[Tile]| plane[to.tile].contains(to.row, to.column);
        let ply = rule.plies(values.depth_at(to.tile, to.row, to.column));
        match goal {
            Goal::Win if holds(&values.lost) => plies.push(ply),
            Goal::Hold if holds(&values.won) => plies.push(ply),
            Goal::Hold if holds(&values.legal) => escape = true,
            Goal::Win | Goal::Hold => {}
        }
    }
    let best = if goal == Goal::Win { plies.iter().min() } else { plies.iter().max() };
    (best.copied(), escape)
}

fn check(name: &str, samples: usize) {
    let board = Hyperboard::pieces(name.parse::<Material>().unwrap());
    let mut random = Random(0xabcd_0123);
    for (rule, bits, release_bits) in [(Rule::One, 0, 0), (Rule::Onward, 6, 7), (Rule::Fifty, 8, 7)]
    {
        let games = sub_games(&board, bits, &mut random);
        for tile in random.sample(&board, samples) {
            let Some(cell) = board.cell(tile) else { continue };
            for side in Color::BOTH {
                for goal in [Goal::Win, Goal::Hold] {
                    let legal = fastest().legal(&board, side, &cell).and(&valid(&board, &cell));
                    let found = all().into_iter().map(|backend| {
                        let how = (side, goal, rule);
                        (backend, captures(backend, &board, how, &cell, &games, release_bits))
                    });
                    let found: Vec<_> = found.collect();
                    for (row, column) in legal.pairs() {
                        let position = board.decode(Index { tile, row, column }, side).unwrap();
                        let expected = by_the_rules(&position, (goal, rule), &games);
                        for (backend, found) in &found {
                            let escape = found.escape.contains(row, column);
                            let got = (found.release.ply_at(row, column), escape);
                            let name = backend.name();
                            assert_eq!(got, expected, "{name} {position} {goal:?} {rule:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn three_and_four_men() {
    for name in ["KQK", "KRKB", "KNKQ", "KQRK", "KBBK"] {
        check(name, 8);
    }
}

#[test]
fn five_men() {
    for name in ["KQRKB", "KRBKN", "KNNKQ", "KRKBN"] {
        check(name, 3);
    }
}
