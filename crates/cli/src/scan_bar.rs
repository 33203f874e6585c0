//! The progress of a search through a table.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};

const TEMPLATE: &str = "{prefix:14} {bar:24} {percent:>3} % of the table  {eta} left";

/// A bar on standard error, if that is a terminal.
pub struct ScanBar(Option<ProgressBar>);

impl ScanBar {
    /// A bar with a name.
    pub fn new(name: &str) -> ScanBar {
        if !std::io::stderr().is_terminal() {
            return ScanBar(None);
        }
        let bar = ProgressBar::new(0).with_prefix(name.to_owned());
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style);
        }
        ScanBar(Some(bar))
    }

    /// So much is done.
    pub fn set(&self, done: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.set_position(done);
        }
    }

    /// Runs something that prints, the bar out of the way.
    pub fn aside<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.0 {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for ScanBar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
