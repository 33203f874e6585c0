//! Why the card could not be used.

use molien_board::Material;
use molien_values::Metric;
use thiserror::Error;

/// Why a solve on the card failed or could not start.
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum CudaError {
    /// There is no driver, no card or no run-time compiler.
    #[error("no CUDA device: {0}")]
    NoDevice(String),
    /// The kernels did not compile for this card.
    #[error("the kernels do not compile for {arch}: {log}")]
    Compile {
        /// The architecture asked for.
        arch: String,
        /// What the compiler said.
        log: String,
    },
    /// A call to the driver failed.
    #[error("{call} failed on the card: {reason}")]
    Driver {
        /// What was being done.
        call: &'static str,
        /// What the driver said.
        reason: String,
    },
    /// The planes would not fit the card's memory.
    #[error(
        "{material} in {metric} needs {needed_mib} MiB on the card ({plan}), but only {free_mib} MiB are free"
    )]
    Memory {
        /// What was asked.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// What it needs.
        needed_mib: u64,
        /// The plan, in words.
        plan: String,
        /// What the card has left.
        free_mib: u64,
    },
    /// The plan fitted, but when memory was asked for it was gone.
    #[error("the card has no {needed_bytes} bytes left: another program uses its memory too")]
    Full {
        /// What was asked for.
        needed_bytes: usize,
    },
    /// What had to be put off in two planes did not fit the room there was.
    #[error(
        "{material} in two planes puts off {needed_mib} MiB or more at once, but only {room_mib} MiB are left for that"
    )]
    PutOff {
        /// What was being solved.
        material: Material,
        /// What was asked for.
        needed_mib: u64,
        /// What there is.
        room_mib: u64,
    },
    /// Two planes do only where every conversion counts the same.
    #[error(
        "{material} in {metric} cannot be solved in two planes: only boards without pawns in DTC can"
    )]
    TwoPlanes {
        /// What was asked.
        material: Material,
        /// In which metric.
        metric: Metric,
    },
    /// What large tables with pawns read of each other does not fit card and host.
    #[error(
        "{material} in {metric}: the slices of promotions take {needed_mib} MiB, more than the card and {host_mib} MiB of memory beside it hold"
    )]
    Slices {
        /// What was asked.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// What all slices take that are kept at a time.
        needed_mib: u64,
        /// The memory of the host that may be used.
        host_mib: u64,
    },
    /// What large tables read of each other turned out to take more of the host's memory
    /// than planned.
    #[error(
        "the slices of promotions take more than the card and {limit_mib} MiB of memory beside it hold"
    )]
    HostMemory {
        /// The memory of the host that may be used.
        limit_mib: u64,
    },
    /// What waited in the memory of the host could not be packed or brought back.
    #[error("slices in the memory of the host: {reason}")]
    Packing {
        /// What the packer said.
        reason: String,
    },
    /// With pawns only whole tables are solved.
    #[error("{material}: with pawns only whole tables are solved on the card")]
    Pawns {
        /// What was asked.
        material: Material,
    },
    /// Values do not follow from those one move on: the card or the kernels
    /// are not to be trusted.
    #[error("{material} in {metric}: {failures} values on the card do not follow from their moves")]
    Inconsistent {
        /// Whose table.
        material: Material,
        /// In which metric.
        metric: Metric,
        /// How many.
        failures: u64,
    },
    /// A watched position is not one of the board.
    #[error("a position to watch is not one of {material}")]
    NotOfBoard {
        /// The board.
        material: Material,
    },
    /// The caller asked to stop.
    #[error("solving {material} was interrupted")]
    Cancelled {
        /// What was being solved.
        material: Material,
    },
}
