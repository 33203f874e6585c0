//! What answers questions about positions: stored tables, Syzygy files, and what solves.

use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "serve")]
use molien_table::BlockCache;

use molien_probe::{
    ClockTables, MadeTables, Source, Sources, StoredTables, SurveySource, Tablebase,
};
use molien_syzygy::{SyzygyFolder, SyzygyTables};
use molien_table::Directory;

use super::Context;

impl Context {
    /// The folders of Syzygy files.
    pub fn syzygy_folders(&self) -> &[PathBuf] {
        &self.syzygy
    }

    /// The Syzygy files, if there are folders of them.
    pub fn syzygy(&self) -> anyhow::Result<Option<Arc<SyzygyTables>>> {
        if self.syzygy.is_empty() {
            return Ok(None);
        }
        let files = SyzygyFolder::open(&self.syzygy)?;
        Ok(Some(Arc::new(SyzygyTables::new(files))))
    }

    /// Answers from stored tables; behind them from Syzygy files; and as
    /// [`Context::own_tablebase`] does for what neither of them has.
    pub fn tablebase(&self) -> anyhow::Result<Tablebase> {
        Ok(self.tablebase_with(self.syzygy()?))
    }

    /// Answers from stored tables; from the card for large boards; and what is
    /// not at hand is solved, unless that is forbidden.
    pub fn own_tablebase(&self) -> Tablebase {
        self.tablebase_with(None)
    }

    /// Answers from stored tables, whose decoded blocks are kept in this cache, and
    /// behind them from Syzygy files; nothing is solved.
    #[cfg(feature = "serve")]
    pub fn stored_tablebase(&self, cache: &BlockCache) -> anyhow::Result<Tablebase> {
        let folders = self.directories.iter().cloned();
        let stored = folders
            .map(|folder| Arc::new(StoredTables::new(folder.with_cache(cache.clone()))))
            .collect();
        Ok(in_a_row(stored, self.syzygy()?, Arc::new(Sources::new(Vec::new()))))
    }

    fn stored(&self) -> Vec<Arc<StoredTables>> {
        let open = |folder: &Directory| Arc::new(StoredTables::new(folder.clone()));
        self.directories.iter().map(open).collect()
    }

    fn tablebase_with(&self, syzygy: Option<Arc<SyzygyTables>>) -> Tablebase {
        let stored = self.stored();
        let mut solving: Vec<Arc<dyn Source>> = Vec::new();
        if !self.no_solve {
            if let Some(card) = self.card_if_wanted() {
                solving.push(Arc::new(SurveySource::new(card)));
            }
            let made = MadeTables::new(self.build(), stored.first().cloned());
            solving.push(Arc::new(match stored.is_empty() {
                true => made,
                false => made.or_in_memory(self.spare()),
            }));
        }
        let tables = in_a_row(stored, syzygy, Arc::new(Sources::new(solving)));
        match self.no_solve {
            true => tables,
            false => tables.with_clocks(Arc::new(ClockTables::new(self.build()))),
        }
    }
}

/// Stored tables first, then Syzygy files, then the rest.
fn in_a_row(
    stored: Vec<Arc<StoredTables>>,
    syzygy: Option<Arc<SyzygyTables>>,
    rest: Arc<dyn Source>,
) -> Tablebase {
    let rest = match syzygy {
        Some(files) => files.before(rest),
        None => rest,
    };
    let stored = stored.into_iter().map(|stored| stored as Arc<dyn Source>);
    Tablebase::new(Arc::new(Sources::new(stored.chain([rest]).collect())))
}
