//! One board solved for one attacker: the unit the card works in.
//!
//! Everything the waves of an attacker read from a sub-game are that
//! attacker's wins there, so White's and Black's wins are solved apart, each
//! through all sub-games, and no table is ever turned round.

use std::sync::Arc;

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, Tile};
use molien_values::MAX_BITS;

use crate::CudaError;
use crate::counts::{Boards, Record};
use crate::device::{Buffer, Device};
use crate::layout::{Address, Board, Sub, Target};
use crate::pawn_exits::Places;

/// A board solved for one attacker.
pub(crate) struct Unit {
    pub board: Hyperboard,
    /// The placements of the pawns, for each of which there is such a board;
    /// none without pawns.
    pub places: Option<Arc<Places>>,
    /// Their list on the card.
    pub place_list: Option<Buffer>,
    pub layout: Board,
    /// Attacker to move, legal and not won.
    pub open: Buffer,
    /// Which tiles of `open` may have a bit set.
    pub open_live: Buffer,
    /// Attacker to move, won; none if not kept or nothing can be won.
    pub won: Option<Buffer>,
    /// Defender to move, lost.
    pub lost: Option<Buffer>,
    /// Defender to move, stalemated; with pawns only.
    pub stalemate: Option<Buffer>,
    /// Bit k of the plies of won positions, where kept.
    pub won_depth: Vec<Buffer>,
    /// Bit k of the plies of lost positions, where kept.
    pub lost_depth: Vec<Buffer>,
    /// What was decided at each ply.
    pub record: Record,
    /// Whether depths were kept.
    pub has_depths: bool,
}

/// The addresses of planes, 0 where there is none.
pub(crate) fn addresses(planes: &[Buffer]) -> [Address; MAX_BITS] {
    std::array::from_fn(|k| planes.get(k).map_or(0, Buffer::address))
}

impl Unit {
    /// Whether the attacker has nothing but his king.
    pub fn is_bare(material: Material, attacker: Color) -> bool {
        material.side_len(attacker) == 1
    }

    /// What its tiles are.
    pub fn boards(&self) -> Boards<'_> {
        let placements = self.places.as_ref().map_or(&[][..], |places| &places.placements);
        Boards { board: &self.board, placements }
    }

    /// The unit as a board that moves lead to, its kings in the tile.
    pub fn as_target(&self) -> Target {
        let Sub { board, depth_bits, unused, open, won, lost, won_depth, lost_depth } =
            self.as_sub();
        let stalemate = self.stalemate.as_ref().map_or(0, Buffer::address);
        Target { board, depth_bits, unused, open, won, lost, stalemate, won_depth, lost_depth }
    }

    /// The unit as a sub-game in a job.
    pub fn as_sub(&self) -> Sub {
        let address = |plane: &Option<Buffer>| plane.as_ref().map_or(0, Buffer::address);
        Sub {
            board: self.layout,
            depth_bits: self.won_depth.len().max(self.lost_depth.len()) as u32,
            unused: 0,
            open: self.open.address(),
            won: address(&self.won),
            lost: address(&self.lost),
            won_depth: addresses(&self.won_depth),
            lost_depth: addresses(&self.lost_depth),
        }
    }

    /// Gives up the planes that captures of one man do not read, where this is
    /// the board without him: after a capture by the defender the attacker is to
    /// move, after one by the attacker the defender.
    pub fn slim(
        &mut self,
        device: &Arc<dyn Device>,
        victim: Color,
        attacker: Color,
    ) -> Result<(), CudaError> {
        if victim == attacker {
            self.lost = None;
        } else {
            self.open = Buffer::new(device, 1)?;
            self.won = None;
        }
        Ok(())
    }

    /// Bytes its planes take on the card.
    pub fn len_bytes(&self) -> u64 {
        let single = [&self.won, &self.lost, &self.stalemate].into_iter().flatten().count();
        let planes = 1 + single + self.won_depth.len() + self.lost_depth.len();
        (planes * self.layout.tiles as usize * size_of::<Tile>()) as u64
    }

    /// Bits of the deepest ply.
    pub fn depth_bits(&self) -> usize {
        self.won_depth.len().max(self.lost_depth.len())
    }
}
