//! Positions and moves as shakmaty sees them.
//!
//! The checking side of the house follows rules somebody else wrote: the
//! referee plays shakmaty's moves, and standard notation is shakmaty's too.

use molien_board::{Color, Man, Move, Position, Role, Square};
use shakmaty::{
    Bitboard, Board, ByColor, ByRole, CastlingMode, Chess, EnPassantMode, FromSetup, Position as _,
    PositionError, Setup, san::SanPlus, uci::UciMove,
};

/// The position as shakmaty's; none if shakmaty finds it illegal.
///
/// Checks that no move can have given count as legal here, as in every known
/// table.
pub fn to_chess(position: &Position) -> Option<Chess> {
    let of_role =
        |role| Color::BOTH.iter().fold(0, |set, &color| set | position.of(Man::new(color, role)).0);
    let by_role = ByRole {
        pawn: Bitboard(of_role(Role::Pawn)),
        knight: Bitboard(of_role(Role::Knight)),
        bishop: Bitboard(of_role(Role::Bishop)),
        rook: Bitboard(of_role(Role::Rook)),
        queen: Bitboard(of_role(Role::Queen)),
        king: Bitboard(of_role(Role::King)),
    };
    let by_color = ByColor {
        white: Bitboard(position.side(Color::White).0),
        black: Bitboard(position.side(Color::Black).0),
    };
    let setup = Setup {
        board: Board::try_from_bitboards(by_role, by_color).ok()?,
        turn: if position.turn() == Color::White {
            shakmaty::Color::White
        } else {
            shakmaty::Color::Black
        },
        ep_square: position.en_passant().map(|s| shakmaty::Square::new(s.index() as u32)),
        ..Setup::empty()
    };
    Chess::from_setup(setup, CastlingMode::Standard)
        .or_else(PositionError::ignore_impossible_check)
        .or_else(PositionError::ignore_too_much_material)
        .ok()
}

/// A position of shakmaty's as ours; none if it has castling rights or is not
/// legal here.
pub fn from_chess(chess: &Chess) -> Option<Position> {
    let turn = if chess.turn().is_white() { Color::White } else { Color::Black };
    if chess.castles().any() {
        return None;
    }
    let men = chess.board().iter().filter_map(|(square, piece)| {
        let color = if piece.color.is_white() { Color::White } else { Color::Black };
        let role = Role::from_letter(piece.role.upper_char())?;
        Some((Man::new(color, role), Square::new(square.to_usize())))
    });
    let position = Position::new(men, turn).ok()?;
    match chess.ep_square(EnPassantMode::Legal) {
        None => Some(position),
        Some(square) => position.with_en_passant(Square::new(square.to_usize())).ok(),
    }
}

/// The name of a legal move in standard notation; its UCI name if shakmaty
/// does not know the move.
pub fn san(position: &Position, played: &Move) -> String {
    let uci = played.to_string();
    let name = || {
        let chess = to_chess(position)?;
        let found = uci.parse::<UciMove>().ok()?.to_move(&chess).ok()?;
        Some(SanPlus::from_move(chess, found).to_string())
    };
    name().unwrap_or(uci)
}
