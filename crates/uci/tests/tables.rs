//! The engine with tables: what it says, and what it does not do.

mod common;

use common::{Talk, after, folder_with, number, setup};
use molien_build::{Build, Making};
use molien_table::Directory;
use molien_values::Metric;

const ROOK: &str = "position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1";

fn lines_with<'a>(said: &'a [String], word: &str) -> Vec<&'a String> {
    said.iter().filter(|line| line.contains(word)).collect()
}

#[test]
fn mates_lines_and_hits_come_from_the_tables() {
    let folder = folder_with(&["KRK"]);
    let mut talk = Talk::with_folder(folder.path());
    let said = talk.ask(&format!("setoption name UCI_ShowWDL value true\n{ROOK}\ngo depth 1"));
    let info = &said[0];
    assert_eq!(number(info, "mate"), Some(14), "{info}");
    assert_eq!(after(info, "wdl").map(|rest| &rest[..8]), Some("1000 0 0"), "{info}");
    assert!(number(info, "tbhits") > Some(15), "{info}");
    let line: Vec<&str> = after(info, "pv").expect("a line").split(' ').collect();
    assert_eq!(line.len(), 27, "{info}");
    assert_eq!(said[1], format!("bestmove {} ponder {}", line[0], line[1]));
    // The other side of the same.
    let lost = "position fen 8/8/8/8/8/2k5/8/K6R w - - 0 1 moves h1h4";
    let said = talk.ask(&format!("{lost}\ngo movetime 1000"));
    assert!(number(&said[0], "mate").is_some_and(|moves| moves < 0), "{said:?}");
    assert_eq!(after(&said[0], "wdl").map(|rest| &rest[..8]), Some("0 0 1000"), "{said:?}");
}

#[test]
fn several_lines_and_chosen_moves() {
    let folder = folder_with(&["KRK"]);
    let mut talk = Talk::with_folder(folder.path());
    let said = talk.ask(&format!("setoption name MultiPV value 3\n{ROOK}\ngo movetime 1000"));
    let numbers: Vec<_> = said.iter().filter_map(|line| number(line, "multipv")).collect();
    assert_eq!(numbers, [1, 2, 3]);
    let mates: Vec<_> = said.iter().filter_map(|line| number(line, "mate")).collect();
    assert!(mates.is_sorted() && mates.len() == 3, "{mates:?}");
    let said = talk.ask(&format!("{ROOK}\ngo depth 5 searchmoves h1c1 a1a9"));
    assert!(said[0].contains("'a1a9' is not a move"), "{said:?}");
    assert!(said.last().is_some_and(|line| line.starts_with("bestmove h1c1")), "{said:?}");
    assert_eq!(number(&said[1], "mate"), Some(16), "two moves longer: {said:?}");
}

#[test]
fn mate_is_found_when_asked_for() {
    let folder = folder_with(&["KRK"]);
    let mut talk = Talk::with_folder(folder.path());
    let said = talk.ask("position fen 7k/8/6K1/8/8/8/8/R7 w - - 0 1\ngo mate 1");
    assert_eq!((number(&said[0], "mate"), said[1].as_str()), (Some(1), "bestmove a1a8"));
    // Without tables, by search.
    let mut alone = Talk::new(molien_uci::Setup::default());
    let said = alone.ask("position fen k7/8/1K6/8/8/8/8/7R w - - 0 1\ngo mate 2");
    assert!(said.iter().any(|line| number(line, "mate") == Some(1)), "{said:?}");
    assert_eq!(said.last().map(String::as_str), Some("bestmove h1h8"));
    let said = alone.ask("position fen k7/8/2K5/8/8/8/8/7R w - - 0 1\ngo mate 2");
    assert!(said.iter().any(|line| number(line, "mate") == Some(2)), "{said:?}");
}

#[test]
fn pondering_waits_for_the_move() {
    let folder = folder_with(&["KRK"]);
    for fen in ["8/8/8/8/8/2k5/8/K6R w - - 0 1", "8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1"] {
        let mut talk = Talk::with_folder(folder.path());
        talk.send(&format!("position fen {fen}\ngo ponder movetime 200\nisready"));
        let said = talk.until("readyok");
        assert!(lines_with(&said, "bestmove").is_empty(), "{said:?}");
        talk.send("isready");
        assert!(lines_with(&talk.until("readyok"), "bestmove").is_empty());
        talk.send("ponderhit");
        talk.until("bestmove");
        // The other way: the move was not played.
        talk.send(&format!("position fen {fen}\ngo ponder wtime 60000 btime 60000\nstop\nisready"));
        assert_eq!(lines_with(&talk.until("readyok"), "bestmove").len(), 1);
        // Analysis holds the answer back, too.
        talk.send(&format!("position fen {fen}\ngo infinite\nisready\nstop\nisready"));
        assert!(lines_with(&talk.until("readyok"), "bestmove").is_empty());
        assert_eq!(lines_with(&talk.until("readyok"), "bestmove").len(), 1);
    }
}

#[test]
fn nothing_is_solved_unless_asked_for() {
    let folder = tempfile::tempdir().expect("a folder");
    let files = || std::fs::read_dir(folder.path()).map_or(0, Iterator::count);
    let mut talk = Talk::with_folder(folder.path());
    let said = talk.ask(&format!("{ROOK}\ngo movetime 100"));
    assert!(said.iter().all(|line| number(line, "tbhits").is_none_or(|hits| hits == 0)));
    assert_eq!(files(), 0);
    talk.send("setoption name SolveMissing value true");
    let news = talk.until("info string KRK: ready");
    assert!(!lines_with(&news, ": solving ").is_empty(), "{news:?}");
    let said = talk.ask(&format!("{ROOK}\ngo movetime 100"));
    assert_eq!(number(&said[0], "mate"), Some(14), "{said:?}");
    assert!(files() > 0);
}

#[test]
fn the_folder_and_the_men_can_be_changed() {
    let (full, empty) = (folder_with(&["KRK"]), tempfile::tempdir().expect("a folder"));
    let mut talk = Talk::with_folder(empty.path());
    talk.send("uci");
    let said = talk.until("uciok");
    let path = empty.path().display();
    assert_eq!(lines_with(&said, &format!("TablesPath type string default {path}")).len(), 1);
    let hits = |talk: &mut Talk, option: &str| {
        let said = talk.ask(&format!("setoption name {option}\n{ROOK}\ngo movetime 50"));
        said.iter().filter_map(|line| number(line, "tbhits")).max().unwrap_or(0)
    };
    assert_eq!(lines_with(&said, "SyzygyPath type string default <empty>").len(), 1);
    let full = full.path().display();
    assert!(hits(&mut talk, &format!("TablesPath value {full}")) > 0);
    assert_eq!(hits(&mut talk, "TablesMen value 2"), 0);
    assert!(hits(&mut talk, "TablesMen value 3") > 0);
    assert_eq!(hits(&mut talk, "TablesPath value <empty>"), 0);
    assert!(hits(&mut talk, &format!("SyzygyPath value {full}")) > 0);
    // What cannot be opened is said, and what was open stays.
    talk.send("setoption name SyzygyPath value /nowhere/at/all");
    talk.until("info string SyzygyPath: /nowhere/at/all is not a folder");
    assert!(hits(&mut talk, "TablesMen value 3") > 0);
    assert_eq!(hits(&mut talk, "SyzygyPath value <empty>"), 0);
}

#[test]
fn the_clock_and_repetitions_count() {
    let folder = folder_with(&["KRK"]);
    let mut talk = Talk::with_folder(folder.path());
    // Mate takes 27 plies: in time with the clock at 73, too late at 74.
    let said = talk.ask("position fen 8/8/8/8/8/2k5/8/K6R w - - 73 90\ngo movetime 1000");
    assert_eq!(number(&said[0], "mate"), Some(14), "{said:?}");
    let said = talk.ask("position fen 8/8/8/8/8/2k5/8/K6R w - - 74 90\ngo movetime 1000");
    assert_eq!(number(&said[0], "cp"), Some(1), "{said:?}");
    // The shortest mate would repeat the position a third time.
    let best = talk.ask(&format!("{ROOK}\ngo movetime 1000"));
    let best = best.last().and_then(|line| line.split(' ').nth(1)).expect("a move").to_owned();
    let back = format!("{}{}", &best[2..4], &best[..2]);
    let round = format!("{best} c3b3 {back} b3c3");
    let said = talk.ask(&format!("{ROOK} moves {round} {round}\ngo movetime 1000"));
    assert!(!said.last().is_some_and(|line| line.contains(&best)), "{best}: {said:?}");
    assert!(number(&said[0], "mate").is_some(), "{said:?}");
}

#[test]
fn a_damaged_table_is_named_and_done_without() {
    let folder = folder_with(&["KRK"]);
    let file = std::fs::read_dir(folder.path())
        .expect("a folder")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|ending| ending == "mol"))
        .expect("a table");
    let mut bytes = std::fs::read(&file).expect("read");
    let middle = bytes.len() / 2;
    bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
    std::fs::write(&file, bytes).expect("written");
    let mut talk = Talk::with_folder(folder.path());
    let said = talk.ask(&format!("{ROOK}\ngo movetime 50"));
    assert!(said.last().is_some_and(|line| line != "bestmove 0000"), "{said:?}");
    let named = |line: &&String| line.starts_with("info string KRK: ") && line.contains("KRvK.mol");
    assert!(said.iter().any(|line| named(&line)), "{said:?}");
}

#[test]
fn settings_out_of_range_are_brought_into_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut talk = Talk::new(molien_uci::Setup { most_hash_mib: 128, ..setup(folder.path()) });
    talk.send("setoption name Hash value 99999999999999999999\nisready");
    let said = talk.until("readyok");
    assert_eq!(
        said[0],
        "info string Hash 99999999999999999999 is out of range: using 128 (1 to 128)"
    );
    let said = talk.ask("position fen 8/P7/8/8/8/8/8/K6k w - - 0 1\ngo movetime 100");
    assert!(said.last().is_some_and(|line| line.starts_with("bestmove a7a8q")), "{said:?}");
    talk.send("setoption name UCI_ShowWDL value perhaps\nsetoption name Nonsense value 1\nisready");
    let said = talk.until("readyok");
    assert_eq!(said[0], "info string UCI_ShowWDL 'perhaps': expected true or false");
    assert_eq!(said[1], "info string no option 'Nonsense'");
}

/// Mate under the 50-move rule tells the score where nothing else counts plies
/// to mate.
#[test]
fn mate_under_the_rule_is_a_score() {
    let folder = tempfile::tempdir().expect("a folder");
    let build = Build::new().with_folder(Directory::new(folder.path()));
    let metrics = [Metric::Dtz50, Metric::Dtm50];
    build.store(&["KRK".parse().unwrap()], &metrics, &Making::default()).expect("stored");
    let mut talk = Talk::with_folder(folder.path());
    let said = talk.ask("position fen 8/8/8/8/8/2k5/8/K6R w - - 73 90\ngo movetime 1000");
    assert_eq!(number(&said[0], "mate"), Some(14), "{said:?}");
    let said = talk.ask("position fen 8/8/8/8/8/2k5/8/K6R w - - 74 90\ngo movetime 1000");
    assert_eq!(number(&said[0], "cp"), Some(1), "{said:?}");
}
