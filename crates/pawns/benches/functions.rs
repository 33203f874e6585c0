//! Nanoseconds per evaluation of the three functions, over positions spread
//! evenly through all legal ones, and over the dearest of them: those that the
//! rules leave undecided after everything was tried. The aim is under a
//! microsecond on average.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use molien_board::{Color, Man, Position, Role, Square};
use molien_pawns::{Error, Verdict, one_pawn, pawn_duel, two_pawns};

/// About four thousand legal positions with these men.
fn positions(men: &[Man]) -> Vec<Position> {
    let mut random = molien_testing::Random::new(1);
    let mut found = Vec::new();
    while found.len() < 4096 {
        let placed: Vec<(Man, Square)> =
            men.iter().map(|&man| (man, Square::new(random.below(64)))).collect();
        let turn = if random.below(2) == 0 { Color::White } else { Color::Black };
        found.extend(Position::new(placed, turn));
    }
    found
}

fn functions(criterion: &mut Criterion) {
    let man = Man::new;
    let kings = [man(Color::White, Role::King), man(Color::Black, Role::King)];
    let white = man(Color::White, Role::Pawn);
    let black = man(Color::Black, Role::Pawn);
    type Function = fn(&Position) -> Result<Verdict, Error>;
    let cases: [(&str, &[Man], Function); 3] = [
        ("one_pawn", &[white], one_pawn),
        ("two_pawns", &[white, white], two_pawns),
        ("pawn_duel", &[white, black], pawn_duel),
    ];
    for (name, pawns, function) in cases {
        let positions = positions(&[&kings[..], pawns].concat());
        let undecided: Vec<Position> = positions
            .iter()
            .copied()
            .filter(|position| function(position).is_ok_and(|verdict| verdict.value.is_none()))
            .collect();
        for (name, positions) in
            [(name.to_owned(), positions), (format!("{name}, undecided"), undecided)]
        {
            if positions.is_empty() {
                continue; // one_pawn decides everything
            }
            let mut next = 0;
            criterion.bench_function(&name, |bencher| {
                bencher.iter(|| {
                    next = (next + 1) % positions.len();
                    black_box(function(black_box(&positions[next])).is_ok())
                });
            });
        }
    }
}

criterion_group!(benches, functions);
criterion_main!(benches);
