//! What the fuzz targets and the tests of damaged files call.

use molien_board::Material;

use crate::checksum::{LEN, checksum};
use crate::file::Kind;
use crate::raw::take_apart;

/// Makes the checksum at the end right, and the length one that files have.
pub fn resign(bytes: &mut Vec<u8>) {
    bytes.resize((bytes.len().saturating_sub(LEN)).next_multiple_of(64).max(64), 0);
    let sum = checksum(bytes);
    bytes.extend_from_slice(&sum);
}

/// Takes bytes apart as a file and decodes all values. Never panics.
pub fn read(bytes: &[u8]) {
    for (name, kind) in [("KRK", Kind::Wdl), ("KRK", Kind::Dtz), ("KPK", Kind::Wdl)] {
        let Ok(material) = name.parse::<Material>() else { continue };
        let Ok(tables) = take_apart(bytes, kind, &material) else { continue };
        for table in tables.iter().flatten() {
            let _ = table.values();
        }
    }
}
