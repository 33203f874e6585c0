//! Legal moves against shakmaty, on random walks through random endgames.

use molien_board::Position;
use proptest::prelude::*;
use shakmaty::{
    CastlingMode, Chess, EnPassantMode, Position as _, fen::Fen, san::SanPlus, uci::UciMove,
};

fn uci_moves(position: &Position) -> Vec<String> {
    let (listed, mut told) = (position.legal_moves(), Vec::new());
    position.for_each_legal(|m| told.push(m));
    assert_eq!(listed, told);
    let mut moves: Vec<String> = listed.iter().map(ToString::to_string).collect();
    moves.sort();
    moves
}

fn referee_moves(position: &Chess) -> Vec<String> {
    let to_uci = |m: &shakmaty::Move| UciMove::from_standard(*m).to_string();
    let mut moves: Vec<String> = position.legal_moves().iter().map(to_uci).collect();
    moves.sort();
    moves
}

/// The names a move has in the notations we read.
fn names(position: &Chess, m: &shakmaty::Move) -> [String; 3] {
    let san = SanPlus::from_move(position.clone(), *m).to_string();
    let letter = m.role().upper_char().to_string();
    let letter = if letter == "P" { String::new() } else { letter };
    let from = m.from().map(|square| square.to_string()).unwrap_or_default();
    let sign = if m.is_capture() { "x" } else { "-" };
    let piece = m.promotion().map(|role| format!("={}", role.upper_char())).unwrap_or_default();
    let long = format!("{letter}{from}{sign}{}{piece}", m.to());
    [UciMove::from_standard(*m).to_string(), san, long]
}

/// Men that give every kind of move a chance, en passant above all.
const STARTS: [&str; 6] = [
    "8/3p4/8/2k1P3/8/3K4/4P3/8 w - -",
    "4k3/1p1p1p2/8/P1P1P3/p1p1p3/8/1P1P1P2/4K3 w - -",
    "r3k3/6P1/8/3q4/3Q4/8/1p6/4K2R w - -",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -",
    "2b1k3/4n3/8/1Pp5/8/8/4N3/2B1K3 w - c6",
    "8/k1P5/8/8/8/8/2p3K1/8 b - -",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn legal_moves_equal_the_referees(start in 0..STARTS.len(), choices in prop::collection::vec(any::<usize>(), 60)) {
        let mut ours: Position = STARTS[start].parse().unwrap();
        for choice in choices {
            let fen: Fen = ours.to_string().parse().unwrap();
            let theirs: Chess = fen.into_position(CastlingMode::Standard).unwrap();
            let referee_fen = Fen::from_position(&theirs, EnPassantMode::Legal).to_string();
            prop_assert!(referee_fen.starts_with(&ours.to_string()), "{} is not {}", ours, referee_fen);
            prop_assert_eq!(uci_moves(&ours), referee_moves(&theirs), "{}", ours);
            for m in &theirs.legal_moves() {
                let uci = UciMove::from_standard(*m).to_string();
                for name in names(&theirs, m) {
                    let found = ours.find_move(&name).map(|m| m.to_string()).ok();
                    prop_assert_eq!(found.as_ref(), Some(&uci), "{} {}", ours, name);
                }
            }
            prop_assert_eq!(ours.is_checkmate(), theirs.is_checkmate());
            prop_assert_eq!(ours.is_stalemate(), theirs.is_stalemate());
            let moves = ours.legal_moves();
            if moves.is_empty() {
                break;
            }
            ours = ours.play(&moves[choice % moves.len()]);
        }
    }
}
