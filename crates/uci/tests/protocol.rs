//! The engine, spoken to as a user interface would.

use std::io::Cursor;
use std::time::Instant;

use molien_board::Position;
use molien_pawns::{Value, one_pawn};
use molien_uci::{Setup, run};

fn talk(script: &str) -> String {
    let mut output = Vec::new();
    run(Cursor::new(script.to_owned()), &mut output, Setup::default()).expect("no I/O error");
    String::from_utf8(output).expect("text")
}

/// Sends `position`, `go`, waits for the answer.
fn best_move(position: &Position, earlier: &str, go: &str) -> String {
    // The end of the input stops the search, so the script asks for a depth or
    // a time the engine reaches by itself: `isready` is answered meanwhile.
    let script = format!("position fen {position} 0 1{earlier}\n{go}\n");
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let (answers, sink) = std::io::pipe().expect("a pipe");
    std::thread::scope(|scope| {
        scope.spawn(move || run(std::io::BufReader::new(reader), sink, Setup::default()));
        use std::io::{BufRead, Write};
        writer.write_all(script.as_bytes()).expect("written");
        let mut lines = std::io::BufReader::new(answers).lines();
        let answer = lines
            .find_map(|line| line.ok()?.strip_prefix("bestmove ").map(str::to_owned))
            .and_then(|answer| answer.split_whitespace().next().map(str::to_owned))
            .expect("an answer");
        writer.write_all(b"quit\n").expect("written");
        answer
    })
}

#[test]
fn greets_and_refuses_politely() {
    let said =
        talk("uci\nisready\nposition startpos\nfrobnicate\nsetoption name Hash value x\nquit\n");
    assert!(said.contains("id name Molien") && said.contains("uciok") && said.contains("readyok"));
    assert!(said.contains("info string this engine plays endings"));
    assert!(said.contains("info string unknown command 'frobnicate'"));
    assert!(said.contains("info string Hash 'x': expected a number from 1 to 4096"));
}

#[test]
fn nonsense_positions_are_refused_and_go_still_answers() {
    let said = talk("position fen 8/8/8 w - -\ngo depth 1\nstop\n");
    assert!(said.contains("info string the board has 3 of 8 ranks"));
    assert!(said.contains("bestmove 0000"));
}

#[test]
fn nonsense_does_not_end_the_engine() {
    let cases = [
        ("", "the FEN is empty"),
        ("8/8/8/8/8/2k5/8/K6P w - -", "ranks 2 to 7"),
        ("8/ppppppp1/pp6/8/8/2k5/8/K7 w - -", "9 are pawns"),
        ("8/8/8/8/8/2k5/P7/8 w - -", "0 kings"),
        ("4k3/8/8/8/8/8/8/R3K3 w Q -", "castling"),
        ("8/8/8/8/8/2k5/P7/K7 w - - moves a2a5", "not a legal move"),
    ];
    for (fen, expected) in cases {
        // A good position before it must not be played on.
        let said = talk(&format!(
            "position fen 8/P7/8/8/8/8/8/K6k w - -\nposition fen {fen}\ngo depth 1\nisready\n\
             position fen 8/P7/8/8/8/8/8/K6k w - -\ngo depth 2\n"
        ));
        let problems: Vec<&str> =
            said.lines().filter(|line| line.starts_with("info string")).collect();
        assert_eq!(problems.len(), 1, "{fen}: {said}");
        assert!(problems[0].contains(expected), "{fen}: {said}");
        assert!(said.contains("bestmove 0000") && said.contains("readyok"), "{fen}: {said}");
        assert!(said.contains("bestmove a7a8q"), "{fen}: {said}");
    }
}

#[test]
fn stop_is_heard_while_thinking() {
    let start = Instant::now();
    let said =
        talk("position fen 8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1\ngo infinite\nstop\nquit\n");
    assert!(said.contains("bestmove "));
    assert!(start.elapsed().as_secs() < 5);
}

#[test]
fn keeps_a_won_pawn_ending_to_mate() {
    let mut position: Position = "4k3/8/8/8/8/4K3/4P3/8 w - -".parse().expect("legal");
    assert_eq!(one_pawn(&position).expect("one pawn").value, Some(Value::Win));
    let start = position;
    let mut moves = String::new();
    for _ in 0..60 {
        let m = best_move(&start, &moves, "go movetime 60");
        let played =
            position.legal_moves().into_iter().find(|l| l.to_string() == m).expect("legal");
        position = position.play(&played);
        moves = if moves.is_empty() { format!(" moves {m}") } else { format!("{moves} {m}") };
        if position.is_checkmate() {
            return;
        }
        // The defence: the reply that leaves the king nearest to the pawn.
        let target = position.men().find(|(man, _)| man.letter() == 'P' || man.letter() == 'Q');
        let replies = position.legal_moves();
        let reply = *replies
            .iter()
            .min_by_key(|r| target.map_or(0, |(_, square)| r.to.distance(square)))
            .expect("not stalemate");
        position = position.play(&reply);
        moves = format!("{moves} {reply}");
    }
    panic!("no mate after 60 moves: {moves}");
}
