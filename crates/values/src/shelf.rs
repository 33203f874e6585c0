//! Where tables may come from instead of being solved.

use molien_board::{Color, Man, Material, Position, Square};

use crate::{BoardValues, Graded, Metric, Placement, ShelfError, Stats, Table, Value};

/// Tables solved earlier, on disk for instance. All methods have defaults: a shelf has
/// only what it says it has.
pub trait Shelf: Send + Sync {
    /// Whether the table of a canonical material can be had.
    fn contains(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    /// The table, if it is there.
    ///
    /// # Errors
    /// If it is there but cannot be read or made.
    fn load(&self, _material: Material, _metric: Metric) -> Result<Option<Table>, ShelfError> {
        Ok(None)
    }

    /// Who wins in the table, if it is there. Depths may be told as well.
    ///
    /// # Errors
    /// As [`Shelf::load`].
    fn load_winners(
        &self,
        material: Material,
        metric: Metric,
    ) -> Result<Option<Table>, ShelfError> {
        self.load(material, metric)
    }

    /// Whether tables are decoded from files, which can take longer than solving them.
    fn reads_files(&self) -> bool {
        false
    }

    /// Whether the boards of a canonical material with pawns, too large a table for
    /// memory, can be had one after the other.
    fn has_boards(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    /// Whether there is room to make the boards of a table that it [has](Self::has_boards): asked
    /// of all metrics before the first is solved.
    ///
    /// # Errors
    /// If they cannot be made here.
    fn plan_boards(&self, _material: Material, _metric: Metric) -> Result<(), ShelfError> {
        Ok(())
    }

    /// Hands over all boards of a table that it [has](Self::has_boards), in any order, in
    /// batches that the receiver takes. Returns the statistics of the whole.
    ///
    /// # Errors
    /// If they cannot be made, or the receiver wants no more.
    fn hand_over(
        &self,
        material: Material,
        metric: Metric,
        _receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        Err(ShelfError::NoBoards { material, metric })
    }

    /// Hands over the boards around some pawns alone, as [`Self::hand_over`] does. What these
    /// cannot turn into need not be made. Returns the statistics of what was.
    ///
    /// # Errors
    /// As those of [`Self::hand_over`].
    fn hand_over_some(
        &self,
        material: Material,
        metric: Metric,
        _pawns: &[Placement],
        receiver: &dyn BoardReceiver,
    ) -> Result<Stats, ShelfError> {
        self.hand_over(material, metric, receiver)
    }

    /// Whether slices of the table of a canonical material without pawns, too large for
    /// memory, can be had.
    fn has_slices(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    /// Slices of a table of which it [has](Self::has_slices) them, in the order given, and
    /// the statistics of the table.
    ///
    /// # Errors
    /// If they cannot be made.
    fn slices(
        &self,
        material: Material,
        metric: Metric,
        _wanted: &[PieceSlice],
    ) -> Result<(Vec<Graded>, Stats), ShelfError> {
        Err(ShelfError::NoBoards { material, metric })
    }

    /// Whether values of single positions of a canonical material, too large a table for
    /// memory, can be had.
    fn has_values(&self, _material: Material, _metric: Metric) -> bool {
        false
    }

    /// The values of some positions of a table of which it [has](Self::has_values) them, all
    /// in canonical orientation.
    ///
    /// # Errors
    /// If they cannot be made.
    fn values(
        &self,
        material: Material,
        metric: Metric,
        _positions: &[Position],
    ) -> Result<Vec<Value>, ShelfError> {
        Err(ShelfError::NoBoards { material, metric })
    }
}

/// What a board with pawns reads of a table without pawns after a promotion: the positions
/// with the new man on his square and the other side to move, the kings in the tile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PieceSlice {
    /// As the reader sees it: the table may be that with colours exchanged.
    pub material: Material,
    /// The men that are outer coordinates of the reader.
    pub men: Vec<Man>,
    /// The new man and where he stands.
    pub promoted: (Man, Square),
    /// Whether depths are read.
    pub depths: bool,
}

impl PieceSlice {
    /// The side to move.
    pub fn turn(&self) -> Color {
        !self.promoted.0.color
    }
}

/// Takes the boards of a table that never is in memory as a whole.
pub trait BoardReceiver: Sync {
    /// Bytes of boards, planes and all, that should come at a time; one board may have
    /// more.
    fn batch_bytes(&self) -> u64;

    /// Whether the board around these pawns is wanted at all.
    fn wants(&self, _pawns: Placement) -> bool {
        true
    }

    /// Takes finished boards, and waits until there is room for them. Says whether to go
    /// on.
    fn take(&self, boards: Vec<BoardValues>) -> bool;
}
