//! The Syzygy tables of the oracle.

use std::path::Path;

use shakmaty::Chess;
use shakmaty_syzygy::{MaybeRounded, Tablebase, Wdl};

/// What the Syzygy tables say of a position, seen from the side to move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SyzygyAnswer {
    /// -2 loss, -1 blessed loss, 0 draw, 1 cursed win, 2 win.
    pub wdl: i32,
    /// Plies to a zeroing move, signed; mated positions have -1.
    pub dtz: i32,
    /// Whether the plies may be one too few.
    pub rounded: bool,
}

/// Opened Syzygy tables.
pub struct Syzygy {
    tables: Tablebase<Chess>,
}

impl Syzygy {
    /// Opens the tables of the oracle.
    ///
    /// # Panics
    /// If they cannot be read.
    pub fn open(oracle: &Path) -> Syzygy {
        let folder = oracle.join("syzygy/regular");
        let mut tables = Tablebase::new();
        let added = tables.add_directory(&folder);
        assert!(added.is_ok_and(|files| files > 0), "no tables in {}", folder.display());
        Syzygy { tables }
    }

    /// The answer for a position.
    ///
    /// # Panics
    /// If there is no table for it.
    pub fn probe(&self, position: &Chess) -> SyzygyAnswer {
        let answer = || {
            let wdl = self.tables.probe_wdl_after_zeroing(position)?;
            let dtz = self.tables.probe_dtz(position)?;
            let rounded = matches!(dtz, MaybeRounded::Rounded(_));
            let wdl = match wdl {
                Wdl::Loss => -2,
                Wdl::BlessedLoss => -1,
                Wdl::Draw => 0,
                Wdl::CursedWin => 1,
                Wdl::Win => 2,
            };
            Ok::<_, shakmaty_syzygy::SyzygyError>((wdl, dtz.ignore_rounding().0, rounded))
        };
        match answer() {
            Ok((wdl, dtz, rounded)) => SyzygyAnswer { wdl, dtz, rounded },
            Err(error) => panic!("{position:?}: {error}"),
        }
    }
}
