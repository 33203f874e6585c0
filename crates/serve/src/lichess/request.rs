//! What a client asks.

use serde::Deserialize;
use shakmaty::fen::{Fen, ParseFenError};
use shakmaty::{CastlingMode, Chess, FromSetup as _, Position as _, PositionError};
use thiserror::Error;

/// The query of a request.
#[derive(Deserialize, Debug)]
pub(crate) struct Question {
    /// The position; blanks may be underscores.
    pub fen: Option<String>,
    /// Whether depths to conversion are wanted.
    #[serde(default)]
    pub dtc: DtcMode,
}

/// When depths to conversion are given.
#[derive(Deserialize, Default, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DtcMode {
    Never,
    /// Only where other depths are unknown, which is beyond the tables here.
    #[default]
    Auxiliary,
    Always,
}

/// Why a text is not a position.
#[derive(Debug, Error, Clone)]
#[non_exhaustive]
pub(crate) enum NotAPosition {
    #[error("the parameter fen is missing")]
    Missing,
    #[error("'{text}' is not a FEN: {error}")]
    Fen { text: String, error: ParseFenError },
    #[error("illegal position: {0}")]
    Illegal(Box<PositionError<Chess>>),
}

/// A position with the count of the 50-move rule.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub chess: Chess,
}

impl Asked {
    /// Reads a FEN as leniently as lichess does: castling rights and an
    /// en-passant square that cannot be are ignored, and so is a check that no
    /// move can have given.
    pub fn read(fen: Option<&str>) -> Result<Asked, NotAPosition> {
        let text = fen.ok_or(NotAPosition::Missing)?;
        let wrong = |error| NotAPosition::Fen { text: shortened(text), error };
        let fen = Fen::from_ascii(text.trim().as_bytes()).map_err(wrong)?;
        let chess = Chess::from_setup(fen.into_setup(), CastlingMode::Standard)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_impossible_check)
            .map_err(|error| NotAPosition::Illegal(Box::new(error)))?;
        Ok(Asked { chess })
    }

    /// Plies counted under the 50-move rule.
    pub fn clock(&self) -> u32 {
        self.chess.halfmoves()
    }
}

/// What a client sent, no longer than a line.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(100) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
