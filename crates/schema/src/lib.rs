//! Answers as JSON, the same for every interface.
//!
//! Values are plies, positive for a win of the side to move, negative for a
//! loss, 0 for mated, null for a draw; each stands beside the position it
//! belongs to. Classes are the seven words of `Category`. docs/json.md
//! describes the fields.
//!
//! What it is not: it computes nothing and prints nothing.

mod basins;
mod clocked;
mod explained;
mod figures;
mod line;
mod mined;
mod position;
mod problem;
mod search;
mod stats;
mod study;
mod syzygy;
mod tables;
mod value;

pub use basins::{BasinJson, BasinSizeJson, BasinsJson};
pub use clocked::{ClockJson, ClockMoveJson, ClockSpanJson};
pub use explained::ExplanationJson;
pub use figures::{
    BenchJson, CellJson, ComparedJson, PhaseJson, ReproducedJson, SurveyJson, SurveySideJson,
    SurveyZugzwangsJson,
};
pub use line::{LineJson, LineMoveJson};
pub use mined::{
    CountJson, ExportJson, FreeJson, HitJson, MaximaJson, MaximumJson, OnlyMoveCountsJson,
    OnlyMovesJson, SideOnlyMovesJson, ZugzwangJson, ZugzwangsJson,
};
pub use position::{MissingJson, MoveJson, PositionJson};
pub use problem::ErrorJson;
pub use search::SearchJson;
pub use stats::{SideStatsJson, StatsJson, ZugzwangCountsJson};
pub use study::{
    FlawJson, GameJson, JudgedMoveJson, PassedOverJson, ProblemJson, StudyCountsJson, SummaryJson,
};
pub use syzygy::{SyzygyCheckJson, SyzygyFileJson, SyzygyValuesJson, WrongValueJson};
pub use tables::{
    BrokenLawJson, ChecksumJson, CleanedJson, DisagreementJson, FingerprintJson, LeftoverJson,
    PlanJson, PlaneCheckJson, PlannedTableJson, RefereeJson, SolvedJson, TableJson, TableSizesJson,
    TableState, TablesJson, VerifyJson,
};
pub use value::{ValuedJson, ValuesJson};

/// The version of the fields. It rises when one changes its meaning or goes
/// away; new ones may come without.
pub const VERSION: u32 = 1;
