//! Positions on the command line.

use clap::Args;
use molien_board::{FenOptions, Setup};

/// A position.
#[derive(Args, Debug)]
pub struct FenArgs {
    /// The position as FEN, quoted or not; moves may follow the word 'moves',
    /// as in '... w - - 0 1 moves e2e4 Nf3'
    #[arg(required = true)]
    fen: Vec<String>,
    /// Answer as if castling rights were gone
    #[arg(long)]
    ignore_castling: bool,
}

impl FenArgs {
    /// The position with its clocks.
    pub fn setup(&self) -> anyhow::Result<Setup> {
        Ok(Setup::parse(&self.text(), self.options())?)
    }

    /// The text as it was given.
    pub fn text(&self) -> String {
        self.fen.join(" ")
    }

    /// How it is to be read.
    pub fn options(&self) -> FenOptions {
        FenOptions { ignore_castling: self.ignore_castling }
    }
}
