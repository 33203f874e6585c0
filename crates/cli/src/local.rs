//! What this machine offers: how much memory may be used, and where tables are
//! kept unless something else is said.

use std::path::PathBuf;
use std::str::FromStr;

use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// Assumed where the system does not say how much memory it has.
const ASSUMED_BYTES: u64 = 8 << 30;

/// The folder of tables in the platform's data folder; `tables` where there is
/// no such folder.
pub fn tables_folder() -> PathBuf {
    let platform = directories::ProjectDirs::from("", "", "molien");
    let folder = platform.map(|folders| folders.data_dir().join("tables"));
    folder.unwrap_or_else(|| PathBuf::from("tables"))
}

/// A limit as the user gives it: `8G`, `500M` or `50%` of the machine's memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryLimit {
    /// So many bytes.
    Bytes(u64),
    /// So many hundredths of the machine's memory.
    Percent(f64),
}

impl MemoryLimit {
    /// The limit in bytes on this machine.
    pub fn bytes(self) -> u64 {
        match self {
            MemoryLimit::Bytes(bytes) => bytes,
            MemoryLimit::Percent(percent) => (machine_bytes() as f64 * percent / 100.0) as u64,
        }
    }
}

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<MemoryLimit, String> {
        parse(text).ok_or_else(|| {
            format!("'{text}' is not a size: expected something like 8G, 500M or 50%")
        })
    }
}

fn parse(text: &str) -> Option<MemoryLimit> {
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let number: f64 = number.parse().ok()?;
    let unit = unit.trim().to_ascii_uppercase();
    let shift = match unit.trim_end_matches("IB").trim_end_matches('B') {
        "%" if number <= 100.0 => return Some(MemoryLimit::Percent(number)),
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        _ => return None,
    };
    Some(MemoryLimit::Bytes((number * (1u64 << shift) as f64) as u64))
}

fn system() -> System {
    let memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    System::new_with_specifics(memory)
}

/// The memory that other programs leave now, in bytes.
pub fn available_bytes() -> u64 {
    let system = system();
    let share = system.cgroup_limits().map(|limits| limits.free_memory);
    let left = share.into_iter().chain([system.available_memory()]).filter(|&bytes| bytes > 0);
    left.min().unwrap_or(ASSUMED_BYTES)
}

/// The machine's memory, or this process's share of it where that is limited.
fn machine_bytes() -> u64 {
    let system = system();
    let share = system.cgroup_limits().map(|limits| limits.total_memory);
    let total = share.into_iter().chain([system.total_memory()]).filter(|&bytes| bytes > 0).min();
    total.unwrap_or(ASSUMED_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        assert_eq!("8G".parse(), Ok(MemoryLimit::Bytes(8 << 30)));
        assert_eq!("1.5GiB".parse(), Ok(MemoryLimit::Bytes(3 << 29)));
        assert_eq!("500mb".parse(), Ok(MemoryLimit::Bytes(500 << 20)));
        assert_eq!("70%".parse(), Ok(MemoryLimit::Percent(70.0)));
        for wrong in ["", "G", "8X", "-1G", "200%", "8GG"] {
            assert!(wrong.parse::<MemoryLimit>().is_err(), "{wrong}");
        }
    }
}
