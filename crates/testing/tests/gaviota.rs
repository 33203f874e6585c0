//! Plies to mate of KQK, KRK and KPK against the Gaviota tables.

use std::collections::HashMap;
use std::sync::Arc;

use molien_board::{Color, Man, Position, Role, Square};
use molien_build::Build;
use molien_testing::{Row, oracle, read_gz_tsv};
use molien_values::{Metric, Table, Value};

fn position(row: &Row<'_>) -> Position {
    let square = |name: &str| row.text(name).parse::<Square>().unwrap();
    let letter = row.text("material").chars().nth(1).unwrap();
    let men = [
        (Man::new(Color::White, Role::King), square("white_king")),
        (Man::new(Color::Black, Role::King), square("black_king")),
        (Man::new(Color::White, Role::from_letter(letter).unwrap()), square("man")),
    ];
    let turn = if row.text("side_to_move") == "w" { Color::White } else { Color::Black };
    Position::new(men, turn).unwrap()
}

#[test]
fn plies_to_mate_are_equal() {
    let Some(oracle) = oracle() else { return };
    let solver = Build::new();
    let mut tables: HashMap<String, Arc<Table>> = HashMap::new();
    let mut compared = 0;
    for row in read_gz_tsv(&oracle.join("derived/gaviota_3men_dtm.tsv.gz")).iter() {
        let name = row.text("material").to_owned();
        let solve = |name: &String| solver.table(name.parse().unwrap(), Metric::Dtm).unwrap();
        let table = tables.entry(name.clone()).or_insert_with(|| solve(&name));
        let position = position(&row);
        let ours = table.get(&position).unwrap();
        // They write 0 for draws and for mate.
        let drawn = ours == Value::Draw || position.is_checkmate();
        let plies = if drawn { 0 } else { i64::from(ours.signed_plies().unwrap()) };
        assert_eq!(plies, row.number("dtm_plies"), "{position}");
        compared += 1;
    }
    assert!(compared > 260_000);
    assert_eq!(tables.len(), 3);
}
