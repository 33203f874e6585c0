//! Values at a clock, against positions and expectations from elsewhere.

use std::collections::BTreeMap;

use molien_board::{Move, Setup};
use molien_build::Build;
use molien_probe::{Tablebase, chess};
use molien_testing::oracle;
use molien_values::{
    Category, Metric, MoveClass, Precision, Value, category_after, category_at, category_in,
};
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::{CastlingMode, Chess, Position as _};

/// Tables of more men take too long for a test.
const MOST_MEN: usize = 5;

/// The plies a FEN of an EPD file claims.
fn operand(epd: &str, name: &str) -> Option<i32> {
    let rest = epd.split_once(&format!(" {name} "))?.1;
    rest.split(';').next()?.trim().parse().ok()
}

fn value(plies: i32) -> Value {
    let depth = plies.unsigned_abs() as u16;
    match plies.signum() {
        1 => Value::Win(depth),
        -1 => Value::Loss(depth),
        _ => Value::Draw,
    }
}

/// Every clock, on every position: the class is that of the best move, rounded
/// depths leave the truth open at most, and no metric contradicts it.
#[test]
fn positions_at_every_clock() {
    let Some(folder) = oracle() else { return };
    let tables = Tablebase::solving(Build::new());
    let text = std::fs::read_to_string(folder.join("endgame.epd")).unwrap();
    let mut open = 0;
    for epd in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        let fen: Vec<&str> = epd.split_whitespace().take(4).collect();
        let setup: Setup = fen.join(" ").parse().unwrap();
        let ours = tables.value(&setup.position, Metric::Dtz50).unwrap();
        assert_eq!(Category::of(ours).wdl(), operand(epd, "wdl"), "{epd}");
        let theirs = value(operand(epd, "dtz").unwrap());
        let moves = setup.position.legal_moves();
        let after = |m: &Move| tables.value(&setup.position.play(m), Metric::Dtz50).unwrap();
        let moves: Vec<_> = moves.iter().map(|m| (MoveClass::of(m), after(m))).collect();
        for clock in 0..=110 {
            let exact = category_at(ours, Precision::Exact, clock);
            // The files count a mate as a loss in one.
            if ours != Value::Loss(0) {
                let rounded = category_at(theirs, Precision::Rounded, clock);
                assert!(rounded == exact || rounded.result().is_none(), "{epd} at {clock}");
                open += usize::from(rounded.result().is_none());
            }
            let of_move = |&(class, value): &(MoveClass, Value)| {
                category_after(value, Precision::Exact, class, clock).reverse()
            };
            let best = moves.iter().map(of_move).max();
            assert!(best.is_none_or(|best| best == exact), "{epd} at {clock}: {best:?} {exact:?}");
            let dtz = tables.value(&setup.position, Metric::Dtz).unwrap();
            let known = category_in(Metric::Dtz, dtz, clock);
            assert!(known == exact || known.result().is_none(), "{epd} at {clock}");
        }
    }
    assert!(open > 50, "{open}");
}

/// A legal move: its name, and the value and class after it if they can be
/// known.
struct Judged {
    san: String,
    value: Option<Value>,
    category: Option<Category>,
    /// Their tables may have it, ours here do not.
    too_large: bool,
}

/// Castling rights that are left, and too many men, are outside the tables;
/// mate is mate anywhere.
fn judge(tables: &Tablebase, start: &Chess, m: shakmaty::Move) -> Judged {
    let mut after = start.clone();
    after.play_unchecked(m);
    let in_tables = || {
        let position = chess::from_chess(&after)?;
        let small = position.material().len() <= MOST_MEN;
        small.then(|| tables.value(&position, Metric::Dtz50).unwrap())
    };
    let value = if after.is_checkmate() { Some(Value::Loss(0)) } else { in_tables() };
    let class = if m.is_zeroing() { MoveClass::Conversion } else { MoveClass::Quiet };
    let clock = start.halfmoves();
    let category = value.map(|value| category_after(value, Precision::Exact, class, clock));
    let too_large = value.is_none() && chess::from_chess(&after).is_some();
    Judged { san: SanPlus::from_move(start.clone(), m).to_string(), value, category, too_large }
}

/// The class of a position by its moves: the best that can be had settles it,
/// else all of them have to be known.
fn root(moves: &[Judged], clock: u32) -> Option<Category> {
    let ceiling = if clock < 100 { Category::Win } else { Category::CursedWin };
    let best = moves.iter().filter_map(|m| m.category).min().map(Category::reverse);
    let all = moves.iter().all(|m| m.category.is_some());
    best.filter(|&best| best == ceiling || all)
}

fn word(category: Option<Category>) -> String {
    category.map_or("unknown", Category::name).to_owned()
}

impl Judged {
    fn has(&self, field: &str, expected: &str) -> bool {
        let found = match field {
            "san" => self.san.clone(),
            "category" if self.too_large => return true,
            "category" => word(self.category),
            "dtz" => match self.value.map(|value| value.signed_plies().unwrap_or(0)) {
                Some(plies) => plies.to_string(),
                None => return false,
            },
            other => panic!("what is {other}?"),
        };
        expected.split('|').any(|expected| expected == found)
    }
}

/// What is expected of one position: of itself, and of its moves by place.
#[derive(Default)]
struct Expected {
    category: Option<String>,
    moves: BTreeMap<usize, Vec<(String, String)>>,
}

fn expectations(text: &str) -> BTreeMap<String, Expected> {
    let mut by_fen: BTreeMap<String, Expected> = BTreeMap::new();
    for line in text.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let cells: Vec<&str> = line.split('\t').collect();
        let [fen, path, expected] = cells[..] else { panic!("{line}") };
        let entry = by_fen.entry(fen.to_owned()).or_default();
        match path.strip_prefix("moves[").and_then(|rest| rest.split_once("].")) {
            None => entry.category = Some(expected.to_owned()),
            Some((place, field)) => {
                let fields = entry.moves.entry(place.parse().unwrap()).or_default();
                fields.push((field.to_owned(), expected.to_owned()));
            }
        }
    }
    by_fen
}

#[test]
fn lichess_expectations() {
    let Some(folder) = oracle() else { return };
    let tables = Tablebase::solving(Build::new());
    let path = folder.join("lichess-api/test_expectations.tsv");
    let by_fen = expectations(&std::fs::read_to_string(path).unwrap());
    assert_eq!(by_fen.len(), 12);
    let exhaustive = std::env::var_os("MOLIEN_EXHAUSTIVE").is_some();
    for (fen, expected) in by_fen {
        // Four tables of five men, and no clock.
        if fen == "4K1k1/1N1P4/8/8/8/1q6/8/8 w - - 0 1" && !exhaustive {
            continue;
        }
        let start: Chess =
            fen.parse::<Fen>().unwrap().into_position(CastlingMode::Standard).unwrap();
        let moves: Vec<Judged> =
            start.legal_moves().into_iter().map(|m| judge(&tables, &start, m)).collect();
        let category = word(root(&moves, start.halfmoves()));
        let wanted = expected.category.unwrap();
        assert!(wanted.split('|').any(|wanted| wanted == category), "{fen}: {category}");
        for (place, fields) in expected.moves {
            let fits = |m: &&Judged| fields.iter().all(|(field, text)| m.has(field, text));
            // The first move is the best one, if the position is known.
            let best = |m: &&Judged| word(m.category.map(Category::reverse)) == category;
            let first = place == 0 && category != "unknown";
            let found = moves.iter().filter(fits).any(|m| !first || best(&m));
            assert!(found, "{fen}: moves[{place}]");
        }
    }
}
