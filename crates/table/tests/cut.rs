//! Of a part only the positions with a man on some squares: the same values as of the
//! whole part.

use molien_board::{Bitboard, Color, Man, Material, Role, Square};
use molien_build::Build;
use molien_hyper::{Hyperboard, Tile};
use molien_table::{Cut, Directory, Pack, Reading, TableFile, WriteOptions};
use molien_values::{BoardValues, Graded, Metric};

/// What a tile has of a cut.
fn cut_tile(board: &Hyperboard, number: usize, tile: &Tile, cut: Cut) -> Tile {
    let Some(cell) = board.cell(number) else { return Tile::EMPTY };
    let place = board.outer().iter().position(|man| *man == cut.man);
    let is_king = |color| cut.man == Man::new(color, Role::King);
    let columns = if is_king(Color::Black) { cut.squares.0 } else { !0 };
    let has_row = |row: Square| !is_king(Color::White) || cut.squares.contains(row);
    match place.is_none_or(|place| cut.squares.contains(cell.squares[place])) {
        true => Tile::from_rows(|row| if has_row(row) { tile.row(row) & columns } else { 0 }),
        false => Tile::EMPTY,
    }
}

/// Who wins, who loses and the depths, in a cut.
fn planes(board: &Hyperboard, values: &Graded, cut: Cut) -> Vec<Vec<Tile>> {
    let plane = |tiles: &Vec<Tile>| {
        let tiles = tiles.iter().enumerate();
        tiles.map(|(number, tile)| cut_tile(board, number, tile, cut)).collect::<Vec<Tile>>()
    };
    let known = [&values.legal, &values.won, &values.lost];
    let mut found: Vec<_> = known.into_iter().chain(&values.depth).map(plane).collect();
    while found.len() > 3 && found.last().is_some_and(|last| last.iter().all(Tile::is_empty)) {
        found.pop();
    }
    found
}

fn compare(file: &TableFile, part: usize, reading: Reading, whole: &BoardValues) {
    let (Some(cut), read) = (reading.cut, file.read_part(part, reading).unwrap()) else { return };
    for side in Color::BOTH.into_iter().filter(|side| reading.sides[side.index()]) {
        let [found, expected] =
            [&read, whole].map(|board| planes(&board.board, &board.values[side.index()], cut));
        assert!(found == expected, "{} {part} {reading:?}", file.material());
    }
}

fn check(name: &str, pack: Pack) {
    let (material, build) = (name.parse::<Material>().unwrap(), Build::new());
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let tables = [Metric::Dtm, Metric::Dtc].map(|metric| build.table(material, metric).unwrap());
    let options = WriteOptions { pack: Some(pack), ..WriteOptions::default() };
    directory.store(&[&tables[0], &tables[1]], &options).unwrap();
    let file = directory.open(material).unwrap();
    let pieces = material.men().filter(|man| man.role != Role::Pawn);
    let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
    let men: Vec<Man> = pieces.chain(kings).collect();
    for part in (0..file.placements().len()).step_by(5) {
        for metric in [None, Some(Metric::Dtm), Some(Metric::Dtc)] {
            for sides in [[true, false], [false, true], [true, true]] {
                let whole = file.read_part(part, Reading { metric, sides, cut: None }).unwrap();
                file.let_go();
                for &man in &men {
                    for squares in [Bitboard(0xff << 56), Bitboard(1 << 27 | 1 << 5)] {
                        let cut = Some(Cut { man, squares });
                        compare(&file, part, Reading { metric, sides, cut }, &whole);
                    }
                }
            }
        }
    }
}

/// Every man is cut by, so that he is an outer man, a row man or a column man of the file.
#[test]
fn one_pawn() {
    for name in ["KQPK", "KRKP", "KNKP"] {
        check(name, Pack::QUICK);
    }
}

/// Placements that are their own mirror image are among them.
#[test]
fn two_pawns() {
    for name in ["KPPK", "KPKP"] {
        check(name, Pack::QUICK);
    }
}

#[test]
fn learnt_contexts() {
    check("KRKP", Pack::Fast);
}

/// Whoever lets go of what has been read of a file takes nothing from those who read it.
#[test]
fn what_is_let_go_of_is_read_again() {
    let (material, build) = ("KRK".parse::<Material>().unwrap(), Build::new());
    let folder = tempfile::tempdir().unwrap();
    let directory = Directory::new(folder.path());
    let table = build.table(material, Metric::Dtm).unwrap();
    directory.store(&[&table], &WriteOptions::default()).unwrap();
    let file = directory.open(material).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..8 {
                    file.let_go();
                    let read = file.load(Metric::Dtm).unwrap();
                    file.let_go();
                    assert!(read.parts[0].values == table.parts[0].values);
                }
            });
        }
    });
}
