//! Whole games against every kind of defender: what is won on the clock given
//! is won in time.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use molien_board::{Color, Man, Move, Position, Setup, Square};
use molien_build::Build;
use molien_testing::Random;
use molien_values::{Category, Precision, Value, category_at};

use crate::choice::{Choice, is_settled, rank};
use crate::game::Game;
use crate::line::follow;
use crate::play_tables::PlayTables;
use crate::tables::{Asked, Tables};
use crate::tricky;

/// Tables in memory of these materials.
fn tables(materials: &[&str]) -> Asked {
    let stored = PlayTables::in_memory(Arc::new(|progress| Build::new().with_progress(progress)));
    for material in materials {
        let material = material.parse().expect("a material");
        let quiet = Arc::new(|_| {});
        stored.make(material, quiet, Arc::new(AtomicBool::new(false))).expect("solved");
    }
    Asked::new(Some(Arc::new(stored)), 4)
}

/// A legal position with these men, `w` or `b` to move.
fn random_position(numbers: &mut Random, men: &str) -> Position {
    loop {
        let placed: Vec<(Man, Square)> = men
            .chars()
            .filter_map(|letter| Some((Man::from_letter(letter)?, Square::new(numbers.below(64)))))
            .collect();
        let turn = if numbers.below(2) == 0 { Color::White } else { Color::Black };
        if let Ok(position) = Position::new(placed, turn) {
            return position;
        }
    }
}

/// A game that begins with this count of the 50-move rule.
fn game_at(position: Position, halfmove_clock: u32) -> Game {
    Game::new(Setup { halfmove_clock, ..Setup::from(position) })
}

/// How the lost side picks among its moves.
#[derive(Clone, Copy, Debug)]
enum Defender {
    Random,
    LongestMate,
    LongestZeroing,
    Repeating,
    Engine,
}

const DEFENDERS: [Defender; 5] = [
    Defender::Random,
    Defender::LongestMate,
    Defender::LongestZeroing,
    Defender::Repeating,
    Defender::Engine,
];

impl Defender {
    fn pick(self, numbers: &mut Random, game: &Game, choices: &[Choice]) -> Move {
        let plies = |value: Option<Value>| value.and_then(Value::plies).unwrap_or(0);
        let best = |key: &dyn Fn(&Choice) -> usize| choices.iter().max_by_key(|c| key(c));
        let picked = match self {
            Defender::Random => choices.get(numbers.below(choices.len())),
            Defender::LongestMate => best(&|c| plies(c.after.dtm).into()),
            Defender::LongestZeroing => best(&|c| plies(Some(c.after.dtz50)).into()),
            Defender::Repeating => best(&|c| game.times_seen(&game.position().play(&c.played))),
            Defender::Engine => choices.first(),
        };
        picked.expect("a move").played
    }
}

/// Plays to mate; the side to move wins. Says how the game went wrong if it
/// did.
fn play_out(asked: &Asked, start: &Game, defender: Defender, seed: u64) -> Result<(), String> {
    let (mut game, mut numbers) = (start.clone(), Random::new(seed));
    let winner = game.position().turn();
    for _ in 0..2000 {
        let choices = rank(&game, &asked.moves(game.position()));
        let m = if game.position().turn() == winner {
            choices[0].played
        } else {
            defender.pick(&mut numbers, &game, &choices)
        };
        game.play(&m);
        if game.position().is_checkmate() {
            return Ok(());
        }
        let over = game.position().legal_moves().is_empty() || game.clock() >= 100;
        if over || game.times_seen(game.position()) >= 3 {
            return Err(format!("drawn at {} with the clock at {}", game.position(), game.clock()));
        }
    }
    Err("no end".to_owned())
}

#[test]
fn wins_on_the_clock_are_won_in_time() {
    let asked = tables(&["KPK", "KBNK", "KQKP"]);
    let mut numbers = Random::new(7);
    let (mut won, mut tight) = (0, 0);
    while won < 400 {
        let men = ["KPk", "KBNk", "KQkp", "KRk"][numbers.below(4)];
        let position = random_position(&mut numbers, men);
        let Some(Value::Win(plies)) = asked.probe(&position).map(|known| known.dtz50) else {
            continue;
        };
        // Half of the games have not a ply to spare.
        let spare = 100 - u32::from(plies);
        let clock = if won % 2 == 0 { spare } else { numbers.below(spare as usize + 1) as u32 };
        tight += u32::from(clock == spare && clock > 0);
        let game = game_at(position, clock);
        assert!(is_settled(&game, None, &asked.moves(&position)));
        for defender in DEFENDERS {
            if let Err(problem) = play_out(&asked, &game, defender, won) {
                panic!("{position} with the clock at {clock} against {defender:?}: {problem}");
            }
        }
        won += 1;
    }
    assert!(tight > 150, "{tight}");
}

#[test]
fn a_ply_too_late_is_a_draw() {
    let asked = tables(&["KPK"]);
    let mut numbers = Random::new(3);
    let mut seen = 0;
    while seen < 300 {
        let position = random_position(&mut numbers, "KPk");
        let Some(known) = asked.probe(&position) else { continue };
        // A pawn move just after a claim that nobody made still wins.
        let Value::Win(plies @ 2..) = known.dtz50 else { continue };
        let late = 101 - u32::from(plies);
        assert_eq!(category_at(known.dtz50, Precision::Exact, late), Category::CursedWin);
        let best = rank(&game_at(position, late), &asked.moves(&position))[0].category;
        assert_eq!(best, Category::CursedWin, "{position} {late}");
        seen += 1;
    }
}

#[test]
fn lines_go_on_to_mate_and_keep_the_count() {
    let asked = tables(&["KPK", "KBNK"]);
    let mut numbers = Random::new(11);
    let mut seen = 0;
    while seen < 60 {
        let men = ["KPk", "KBNk"][numbers.below(2)];
        let position = random_position(&mut numbers, men);
        let Some(dtm) = asked.probe(&position).and_then(|known| known.dtm) else { continue };
        let Some(plies) = dtm.plies().filter(|plies| *plies > 0) else { continue };
        let game = game_at(position, 0);
        let best = rank(&game, &asked.moves(&position))[0];
        let line = follow(&asked, &game, &best, &mut || false);
        assert!(line.mates, "{position}");
        assert_eq!(line.moves.len(), usize::from(plies), "{position}");
        seen += 1;
    }
}

#[test]
fn the_trickiest_defence_leaves_the_fewest_good_answers() {
    let asked = tables(&["KPK"]);
    let mut numbers = Random::new(5);
    let (mut seen, mut changed) = (0, 0);
    while seen < 200 {
        let game = game_at(random_position(&mut numbers, "KPk"), 0);
        let choices = rank(&game, &asked.moves(game.position()));
        let Some(best) = choices.first().copied() else { continue };
        if best.category >= Category::CursedWin {
            continue;
        }
        let mut tricky = choices.clone();
        tricky::sort(&asked, &game, &mut tricky, &mut || false);
        assert_eq!(tricky[0].category, best.category);
        let good = |choice: &Choice| {
            let mut after = game.clone();
            after.play(&choice.played);
            let answers = rank(&after, &asked.moves(after.position()));
            let most = answers.first().map(|answer| answer.category);
            answers.iter().filter(|answer| Some(answer.category) == most).count()
        };
        assert!(good(&tricky[0]) <= good(&best), "{}", game.position());
        changed += usize::from(tricky[0].played != best.played);
        seen += 1;
    }
    assert!(changed > 20, "{changed}");
}
