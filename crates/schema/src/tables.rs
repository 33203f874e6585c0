//! Tables: made, listed, checked.

use std::collections::BTreeMap;

use molien_board::{Color, Material};
use molien_values::{Counting, Fingerprint, Metric, Stats};
use serde::Serialize;

use crate::VERSION;

/// A table that was made.
#[derive(Clone, Debug, Serialize)]
pub struct SolvedJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What is counted.
    pub metric: &'static str,
    /// Positions, both sides to move.
    pub positions: u64,
    /// White's longest win, White to move.
    pub longest_white_win_plies: Option<u16>,
    /// Black's longest win, Black to move.
    pub longest_black_win_plies: Option<u16>,
    /// How long it took.
    pub seconds: f64,
}

impl SolvedJson {
    /// A table with its statistics.
    pub fn new(material: Material, metric: Metric, stats: &Stats, seconds: f64) -> SolvedJson {
        let legal = |side: Color| stats.number(stats.sides[side.index()].legal, Counting::Unique);
        let longest = |side: Color| stats.sides[side.index()].longest_win.as_ref().map(|l| l.plies);
        SolvedJson {
            schema: VERSION,
            material: material.to_string(),
            metric: metric.name(),
            positions: legal(Color::White) + legal(Color::Black),
            longest_white_win_plies: longest(Color::White),
            longest_black_win_plies: longest(Color::Black),
            seconds: (seconds * 1000.0).round() / 1000.0,
        }
    }
}

/// What solving some materials takes, with all they depend on.
#[derive(Clone, Debug, Serialize)]
pub struct PlanJson {
    /// The version of the fields.
    pub schema: u32,
    /// The tables, in the order in which they are solved.
    pub tables: Vec<PlannedTableJson>,
    /// How long it takes, roughly.
    pub seconds: f64,
    /// Memory at the peak.
    pub memory_bytes: u64,
    /// What all files take in the end.
    pub file_bytes: u64,
    /// Disk space at the peak.
    pub disk_bytes: u64,
    /// Disk space that is free, if that is known.
    pub free_disk_bytes: Option<u64>,
}

/// One of them.
#[derive(Clone, Debug, Serialize)]
pub struct PlannedTableJson {
    /// The material.
    pub material: String,
    /// How it is stored: `whole`, `from-log`, `by-part` or `none`.
    pub storage: &'static str,
    /// The metrics that are solved.
    pub metrics: Vec<&'static str>,
    /// The materials of the plan that it reads.
    pub reads: Vec<String>,
    /// Placements of the pawns.
    pub boards: u64,
    /// Addresses, both sides to move, in each metric.
    pub positions: u64,
    /// How long it takes, roughly.
    pub seconds: f64,
    /// Memory at the peak.
    pub memory_bytes: u64,
    /// What its file takes.
    pub file_bytes: u64,
    /// What is on the disk beside it until the file is complete.
    pub log_bytes: u64,
}

impl PlanJson {
    /// A plan; figures of the whole follow from the tables.
    pub fn new(tables: Vec<PlannedTableJson>, free_disk_bytes: Option<u64>) -> PlanJson {
        let (mut files, mut disk_bytes) = (0, 0);
        for table in &tables {
            files += table.file_bytes;
            disk_bytes = disk_bytes.max(files + table.log_bytes);
        }
        PlanJson {
            schema: VERSION,
            seconds: tables.iter().map(|table| table.seconds).sum(),
            memory_bytes: tables.iter().map(|table| table.memory_bytes).max().unwrap_or(0),
            file_bytes: files,
            disk_bytes,
            free_disk_bytes,
            tables,
        }
    }
}

/// The tables of some folders.
#[derive(Clone, Debug, Serialize)]
pub struct TablesJson {
    /// The version of the fields.
    pub schema: u32,
    /// The folders.
    pub folders: Vec<String>,
    /// The tables.
    pub tables: Vec<TableJson>,
    /// What interrupted solves have left.
    pub leftovers: Vec<LeftoverJson>,
}

impl TablesJson {
    /// What folders hold.
    pub fn new(
        folders: Vec<String>,
        tables: Vec<TableJson>,
        leftovers: Vec<LeftoverJson>,
    ) -> TablesJson {
        TablesJson { schema: VERSION, folders, tables, leftovers }
    }
}

/// How sound a file is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum TableState {
    /// All its checksums were compared since it was written.
    ChecksumsOk,
    /// Its head can be read; the rest was not looked at.
    Unchecked,
    /// It cannot be read, or a checksum is wrong.
    Damaged,
}

/// A stored table.
#[derive(Clone, Debug, Serialize)]
pub struct TableJson {
    /// The material.
    pub material: String,
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// The metrics it holds.
    pub metrics: Vec<&'static str>,
    /// How sound it is.
    pub state: TableState,
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What its bytes are used for, if that was asked.
    #[serde(flatten)]
    pub sizes: Option<TableSizesJson>,
}

/// What the bytes of a table are used for.
#[derive(Clone, Debug, Serialize)]
pub struct TableSizesJson {
    /// Legal positions, both sides to move.
    pub positions: u64,
    /// Bytes that say who wins.
    pub wdl_bytes: u64,
    /// Bytes by metric.
    pub depth_bytes: BTreeMap<&'static str, u64>,
}

/// What an interrupted solve has left.
#[derive(Clone, Debug, Serialize)]
pub struct LeftoverJson {
    /// Whose table it belongs to.
    pub material: String,
    /// The file.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// `incomplete`, `waves`, `stored-waves` or `mark`.
    pub kind: &'static str,
    /// Whether nobody can make use of it, so that it may be removed.
    pub useless: bool,
}

/// The sum of a file.
#[derive(Clone, Debug, Serialize)]
pub struct ChecksumJson {
    /// The version of the fields.
    pub schema: u32,
    /// The file, without its folder.
    pub file: String,
    /// In hexadecimal.
    pub sha256: String,
}

impl ChecksumJson {
    /// The sum of a file.
    pub fn new(file: impl Into<String>, sha256: String) -> ChecksumJson {
        ChecksumJson { schema: VERSION, file: file.into(), sha256 }
    }
}

/// The fingerprint of a stored table in one metric.
#[derive(Clone, Debug, Serialize)]
pub struct FingerprintJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// What is counted.
    pub metric: &'static str,
    /// In hexadecimal.
    pub fingerprint: String,
    /// Whether it is the one published; `null` if none is.
    pub as_published: Option<bool>,
}

impl FingerprintJson {
    /// What was found, beside what is published.
    pub fn new(material: Material, metric: Metric, found: Fingerprint) -> FingerprintJson {
        let published = Fingerprint::published(material, metric);
        FingerprintJson {
            schema: VERSION,
            material: material.to_string(),
            metric: metric.name(),
            fingerprint: found.to_string(),
            as_published: published.map(|published| published == found),
        }
    }
}

/// How much was removed.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct CleanedJson {
    /// The version of the fields.
    pub schema: u32,
    /// Files removed.
    pub removed: usize,
}

impl CleanedJson {
    /// So many files were removed.
    pub fn new(removed: usize) -> CleanedJson {
        CleanedJson { schema: VERSION, removed }
    }
}

/// What a check found.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyJson {
    /// The version of the fields.
    pub schema: u32,
    /// The material.
    pub material: String,
    /// Whether nothing is wrong.
    pub ok: bool,
    /// The check of every value against those one move on, by metric.
    pub planes: Vec<PlaneCheckJson>,
    /// The referee's check; none if a file is damaged.
    pub referee: Option<RefereeJson>,
    /// Which file is damaged, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl VerifyJson {
    /// A file is damaged: nothing could be checked.
    pub fn damaged(material: Material, error: impl ToString) -> VerifyJson {
        VerifyJson {
            schema: VERSION,
            material: material.to_string(),
            ok: false,
            planes: Vec::new(),
            referee: None,
            error: Some(error.to_string()),
        }
    }

    /// What both checks found.
    pub fn new(
        material: Material,
        planes: Vec<PlaneCheckJson>,
        referee: RefereeJson,
    ) -> VerifyJson {
        let failures = referee.failures + planes.iter().map(|plane| plane.failures).sum::<u64>();
        VerifyJson {
            schema: VERSION,
            material: material.to_string(),
            ok: failures == 0,
            planes,
            referee: Some(referee),
            error: None,
        }
    }
}

/// The check of one metric.
#[derive(Clone, Debug, Serialize)]
pub struct PlaneCheckJson {
    /// The metric.
    pub metric: &'static str,
    /// Places looked at; mirror images on the long diagonal count twice.
    pub checked: u64,
    /// Whether depths were checked, not only who wins.
    pub depths: bool,
    /// How many places are wrong.
    pub failures: u64,
    /// The first of them.
    pub first: Vec<BrokenLawJson>,
}

/// A place whose value breaks a law.
#[derive(Clone, Debug, Serialize)]
pub struct BrokenLawJson {
    /// The position; none if it is no placement at all.
    pub fen: Option<String>,
    /// Which law.
    pub law: String,
}

/// The referee's check.
#[derive(Clone, Debug, Serialize)]
pub struct RefereeJson {
    /// Positions looked at.
    pub checked: u64,
    /// Whether that is all of them.
    pub exhaustive: bool,
    /// The seed of the sample.
    pub seed: Option<u64>,
    /// Whether every position next to an en-passant capture is among them.
    pub en_passant: bool,
    /// How many are wrong.
    pub failures: u64,
    /// The first of them.
    pub first: Vec<DisagreementJson>,
}

/// A position on which the referee does not agree.
#[derive(Clone, Debug, Serialize)]
pub struct DisagreementJson {
    /// The position; none if it is no placement at all.
    pub fen: Option<String>,
    /// The metric; none if legality itself is in question.
    pub metric: Option<&'static str>,
    /// What the table says, in plies.
    pub found: Option<i32>,
    /// What the moves say, in plies.
    pub expected: Option<i32>,
}
