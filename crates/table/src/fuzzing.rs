//! What the fuzz targets call: reading bytes that need not be a table.

use std::io::Write;
use std::ops::Range;

use molien_board::{Color, Man, Position, Role, Square};

use crate::TableFile;
use crate::format::file::{
    GROUP_LEN, HEAD_LEN, Head, MAGIC, QUICK_VERSION, SUM_LEN, VERSION, head_sum, record_sum,
};

/// Sets the magic, the version, the length and the checksums of a would-be
/// table right, so that its contents are looked at.
pub fn mend(bytes: &mut [u8]) {
    if bytes.len() < HEAD_LEN {
        return;
    }
    bytes[..8].copy_from_slice(&MAGIC);
    let version = if bytes[8] & 1 == 0 { VERSION } else { QUICK_VERSION };
    bytes[8..10].copy_from_slice(&version.to_le_bytes());
    bytes[10..12].fill(0);
    bytes[20..24].fill(0);
    bytes[48..56].fill(0);
    let len = bytes.len() as u64;
    bytes[32..40].copy_from_slice(&len.to_le_bytes());
    let Ok(head) = Head::decode(&bytes[..HEAD_LEN]) else { return };
    let Some(front) = head.records_start().filter(|&start| start <= len) else { return };
    match version {
        VERSION => mend_groups(bytes, head.index_start() as usize..front as usize),
        _ => mend_records(bytes, head.index_start() as usize..front as usize),
    }
    let (unsummed, rest) = bytes.split_at(HEAD_LEN - SUM_LEN);
    let sum = head_sum(unsummed, &rest[SUM_LEN..front as usize - HEAD_LEN + SUM_LEN]);
    bytes[HEAD_LEN - SUM_LEN..HEAD_LEN].copy_from_slice(&sum.to_le_bytes());
}

fn mend_records(bytes: &mut [u8], index: Range<usize>) {
    let len = bytes.len() as u64;
    let index: Vec<u64> = bytes[index]
        .chunks_exact(8)
        .filter_map(|chunk| chunk.first_chunk().map(|chunk| u64::from_le_bytes(*chunk)))
        .chain([len])
        .collect();
    for (block, range) in index.windows(2).enumerate() {
        let record = bytes.get_mut(range[0] as usize..range[1].max(range[0]) as usize);
        if let Some((contents, sum)) = record.and_then(|r| r.split_last_chunk_mut::<SUM_LEN>()) {
            *sum = record_sum(contents, block as u64).to_le_bytes();
        }
    }
}

fn mend_groups(bytes: &mut [u8], index: Range<usize>) {
    let (front, body) = bytes.split_at_mut(index.end);
    let sums = front[index.start..].chunks_exact_mut(8);
    for ((group, sum), number) in body.chunks(GROUP_LEN).zip(sums).zip(0..) {
        sum.copy_from_slice(&record_sum(group, number).to_le_bytes());
    }
}

/// Opens the bytes as a table, as they are and mended, and asks it some
/// questions. Errors are fine; panics are not.
pub fn read(bytes: &[u8]) {
    let mut mended = bytes.to_vec();
    mend(&mut mended);
    for bytes in [bytes, &mended] {
        let Ok(mut file) = tempfile() else { return };
        if file.1.write_all(bytes).is_err() {
            return;
        }
        if let Ok(table) = TableFile::open(&file.0) {
            ask(&table);
        }
        let _ = std::fs::remove_file(&file.0);
    }
}

fn tempfile() -> std::io::Result<(std::path::PathBuf, std::fs::File)> {
    let id = (std::process::id(), std::thread::current().id());
    let path = std::env::temp_dir().join(format!("molien-fuzz-{id:?}.mol"));
    std::fs::File::create(&path).map(|file| (path, file))
}

fn ask(table: &TableFile) {
    let kings = Color::BOTH.map(|color| Man::new(color, Role::King));
    let men: Vec<Man> = table.material().men().chain(kings).collect();
    for first in 0..64 {
        let squares =
            men.iter().enumerate().map(|(i, &man)| (man, Square::new(first * 7 + i * 19)));
        let turn = Color::BOTH[first & 1];
        let Ok(position) = Position::new(squares, turn) else { continue };
        for metric in table.metrics() {
            let _ = table.get(&position, metric);
        }
    }
    let _ = table.verify();
}
