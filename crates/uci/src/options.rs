//! The options of the engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use molien_board::MAX_MEN;
use molien_pawns::{Functions, Options as SearchOptions};

use crate::tables::Tables;

/// Where tables lie.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Places {
    /// A folder of tables.
    pub folder: Option<PathBuf>,
    /// Folders of Syzygy files, asked for what the folder does not have.
    pub syzygy: Vec<PathBuf>,
}

/// Opens the tables of some places; in words, why they cannot be opened.
pub type OpenTables = Arc<dyn Fn(&Places) -> Result<Arc<dyn Tables>, String> + Send + Sync>;

/// How the engine starts.
#[derive(Clone)]
pub struct Setup {
    /// The name shown to the user interface.
    pub name: String,
    /// The options of the search.
    pub search: SearchOptions,
    /// The option `Hash` goes no higher, in MiB.
    pub most_hash_mib: usize,
    /// The tables to play from, if any.
    pub tables: Option<Arc<dyn Tables>>,
    /// Where they lie.
    pub places: Places,
    /// Opens others when the options `TablesPath` and `SyzygyPath` ask for them.
    pub open: Option<OpenTables>,
    /// Tables of more men are not asked.
    pub most_men: usize,
    /// The option `SolveMissing` is offered.
    pub may_solve: bool,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup {
            name: "Molien".to_owned(),
            search: SearchOptions::default(),
            most_hash_mib: 4096,
            tables: None,
            places: Places::default(),
            open: None,
            most_men: MAX_MEN,
            may_solve: false,
        }
    }
}

/// The settings in force.
#[derive(Clone)]
pub(crate) struct Settings {
    pub setup: Setup,
    pub multi_pv: usize,
    pub show_wdl: bool,
    pub solve_missing: bool,
    pub trickiest: bool,
    pub overhead: Duration,
}

/// What a new setting asks of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Change {
    None,
    /// The search has to be set up again.
    Search,
    /// Other tables, or other wishes about them.
    Tables,
}

const MOST_LINES: usize = 218; // the most legal moves a position can have
const MOST_OVERHEAD_MS: usize = 5000;

impl Settings {
    pub fn new(setup: Setup) -> Settings {
        Settings {
            setup,
            multi_pv: 1,
            show_wdl: false,
            solve_missing: false,
            trickiest: false,
            overhead: Duration::from_millis(30),
        }
    }

    /// The `option` lines.
    pub fn declarations(&self) -> Vec<String> {
        let spin = |name: &str, default: usize, min: usize, max: usize| {
            format!("option name {name} type spin default {default} min {min} max {max}")
        };
        let check = |name: &str| format!("option name {name} type check default false");
        let mut lines = vec![
            spin("Hash", self.setup.search.tt_mib, 1, self.setup.most_hash_mib),
            check("Ponder"),
            spin("MultiPV", 1, 1, MOST_LINES),
            spin("Move Overhead", self.overhead.as_millis() as usize, 0, MOST_OVERHEAD_MS),
            check("UCI_ShowWDL"),
            "option name Functions type combo default all var all var one_pawn var none".to_owned(),
            spin("TablesMen", self.setup.most_men, 0, MAX_MEN),
            check("TrickiestDefence"),
        ];
        if self.setup.may_solve {
            lines.push(check("SolveMissing"));
        }
        if self.setup.open.is_some() {
            let Places { folder, syzygy } = &self.setup.places;
            let text = |folders: &[PathBuf]| match std::env::join_paths(folders) {
                Ok(text) if !text.is_empty() => text.display().to_string(),
                _ => NOWHERE.to_owned(),
            };
            for (name, folders) in [("TablesPath", folder.as_slice()), ("SyzygyPath", syzygy)] {
                lines.push(format!("option name {name} type string default {}", text(folders)));
            }
        }
        lines
    }

    /// Sets an option; in words, what is wrong with the value if it is.
    /// Numbers out of range are brought into it, and that is said.
    pub fn set(&mut self, name: &str, value: &str) -> Result<Change, String> {
        let search = &mut self.setup.search;
        match name.to_ascii_lowercase().as_str() {
            "hash" => {
                let most = self.setup.most_hash_mib;
                let change = spin(name, value, 1, most, |size| search.tt_mib = size);
                change.map(|()| Change::Search)
            }
            "functions" => {
                search.functions = match value {
                    "all" => Functions::All,
                    "one_pawn" => Functions::OnePawn,
                    "none" => Functions::None,
                    _ => return Err(refused(name, value, "all, one_pawn or none")),
                };
                Ok(Change::Search)
            }
            "ponder" => check(name, value, |_| {}),
            "multipv" => {
                spin(name, value, 1, MOST_LINES, |count| self.multi_pv = count)?;
                Ok(Change::None)
            }
            "move overhead" => {
                let set = |ms: usize| self.overhead = Duration::from_millis(ms as u64);
                spin(name, value, 0, MOST_OVERHEAD_MS, set)?;
                Ok(Change::None)
            }
            "uci_showwdl" => check(name, value, |on| self.show_wdl = on),
            "trickiestdefence" => check(name, value, |on| self.trickiest = on),
            "solvemissing" if self.setup.may_solve => {
                check(name, value, |on| self.solve_missing = on)?;
                Ok(Change::Tables)
            }
            "tablesmen" => {
                spin(name, value, 0, MAX_MEN, |men| self.setup.most_men = men)?;
                Ok(Change::Tables)
            }
            "tablespath" if self.setup.open.is_some() => {
                let folder = given(value).map(PathBuf::from);
                self.open_tables(name, Places { folder, ..self.setup.places.clone() })
            }
            "syzygypath" if self.setup.open.is_some() => {
                let syzygy = given(value).map_or_else(Vec::new, folders);
                self.open_tables(name, Places { syzygy, ..self.setup.places.clone() })
            }
            _ => Err(format!("no option '{name}'")),
        }
    }

    /// Goes over to the tables of other places; keeps those in use if they
    /// cannot be opened.
    fn open_tables(&mut self, name: &str, places: Places) -> Result<Change, String> {
        if let Some(open) = &self.setup.open {
            let nowhere = places == Places::default();
            let opened = (!nowhere).then(|| open(&places)).transpose();
            self.setup.tables = opened.map_err(|reason| format!("{name}: {reason}"))?;
            self.setup.places = places;
        }
        Ok(Change::Tables)
    }
}

/// The text of a path option that stands for no path.
const NOWHERE: &str = "<empty>";

fn given(value: &str) -> Option<&str> {
    (!value.is_empty() && value != NOWHERE).then_some(value)
}

/// The folders of a list in the platform's notation.
fn folders(list: &str) -> Vec<PathBuf> {
    std::env::split_paths(list).filter(|folder| !folder.as_os_str().is_empty()).collect()
}

fn refused(name: &str, value: &str, expected: &str) -> String {
    format!("{name} '{value}': expected {expected}")
}

fn check(name: &str, value: &str, set: impl FnOnce(bool)) -> Result<Change, String> {
    match value {
        "true" => set(true),
        "false" => set(false),
        _ => return Err(refused(name, value, "true or false")),
    }
    Ok(Change::None)
}

fn spin(
    name: &str,
    value: &str,
    min: usize,
    max: usize,
    set: impl FnOnce(usize),
) -> Result<(), String> {
    // As wide as anybody may write, so that too large is told from nonsense.
    let number: i128 = value
        .parse()
        .map_err(|_| refused(name, value, &format!("a number from {min} to {max}")))?;
    let inside = number.clamp(min as i128, max as i128);
    set(inside as usize);
    if inside == number {
        return Ok(());
    }
    Err(format!("{name} {value} is out of range: using {inside} ({min} to {max})"))
}
