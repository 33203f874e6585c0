//! Tables in little memory: their planes, compressed, in memory or in a file
//! without a name.
//!
//! Solving a table again costs seconds to minutes, to compress its planes
//! lightly and to bring them back costs tenths of a second.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex};

use molien_board::{Color, Material};
use molien_hyper::{Hyperboard, Tile};
use molien_values::{BoardValues, Graded, Metric, Placement, Stats, Table};
use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};

use crate::lock;

/// Higher levels take several times as long and save little: the bits of
/// depths are what is left.
const LEVEL: i32 = 1;
/// Tiles of a plane in a block.
const BLOCK_TILES: usize = 512;
/// Boards of fewer tiles are one block, all planes together.
const SMALL_TILES: usize = 64;

/// A table whose planes are compressed.
pub(crate) struct PackedTable {
    pub material: Material,
    pub metric: Metric,
    pub stats: Stats,
    /// As the parts of the table, in their order.
    parts: Vec<PackedBoard>,
    has_depths: bool,
    store: Store,
}

/// A board: where its blocks are.
struct PackedBoard {
    board: Hyperboard,
    sides: [SidePlanes; 2],
    blocks: Vec<Block>,
}

/// Which planes a side has beside who wins.
#[derive(Clone, Copy)]
struct SidePlanes {
    depth: usize,
    stalemate: bool,
}

/// Where a block is.
enum Block {
    Memory(Box<[u8]>),
    File { start: u64, len: usize },
}

/// Where blocks are put.
enum Store {
    Memory,
    /// A file, and how much of it is used.
    File(File, Mutex<u64>),
}

impl Store {
    fn put(&self, bytes: Vec<u8>) -> io::Result<Block> {
        let Store::File(file, used) = self else {
            return Ok(Block::Memory(bytes.into_boxed_slice()));
        };
        let len = bytes.len();
        let start = {
            let mut used = lock(used);
            *used += len as u64;
            *used - len as u64
        };
        write_at(file, &bytes, start)?;
        Ok(Block::File { start, len })
    }

    fn unpack(
        &self,
        block: &Block,
        into: &mut Decompressor<'_>,
        len: usize,
    ) -> io::Result<Vec<u8>> {
        match (block, self) {
            (Block::Memory(bytes), _) => into.decompress(bytes, len),
            (Block::File { start, len: packed }, Store::File(file, _)) => {
                let mut bytes = vec![0; *packed];
                read_at(file, &mut bytes, *start)?;
                into.decompress(&bytes, len)
            }
            (Block::File { .. }, Store::Memory) => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = std::os::windows::fs::FileExt::seek_write(file, bytes, start)?;
        bytes = &bytes[written..];
        start += written as u64;
    }
    Ok(())
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut start: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, start)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                bytes = &mut bytes[read..];
                start += read as u64;
            }
        }
    }
    Ok(())
}

impl PackedTable {
    /// Compresses a table into memory, or into a file without a name in a
    /// folder. Its boards are given up on the way, unless others hold them.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn new(table: Arc<Table>, folder: Option<&Path>) -> io::Result<PackedTable> {
        let store = match folder {
            None => Store::Memory,
            Some(folder) => Store::File(tempfile::tempfile_in(folder)?, Mutex::new(0)),
        };
        let has_depths = table.has_depths();
        let Table { material, metric, parts, stats } = Arc::unwrap_or_clone(table);
        let small = parts.first().is_some_and(|part| part.board.tiles() < SMALL_TILES);
        let pack = |part: Arc<BoardValues>| PackedBoard::new(Arc::unwrap_or_clone(part), &store);
        let parts = if small {
            parts.into_par_iter().map(pack).collect::<io::Result<_>>()?
        } else {
            parts.into_iter().map(pack).collect::<io::Result<_>>()?
        };
        Ok(PackedTable { material, metric, stats, parts, has_depths, store })
    }

    /// Bytes held in memory.
    pub fn len_bytes(&self) -> u64 {
        let block = |block: &Block| match block {
            Block::Memory(bytes) => bytes.len() + size_of::<Block>(),
            Block::File { .. } => size_of::<Block>(),
        };
        let board = |part: &PackedBoard| {
            part.blocks.iter().map(block).sum::<usize>() + size_of::<PackedBoard>()
        };
        self.parts.iter().map(board).sum::<usize>() as u64
    }

    /// Whether depths are kept.
    pub fn has_depths(&self) -> bool {
        self.has_depths
    }

    /// The hyperboards of its parts.
    pub fn boards(&self) -> impl Iterator<Item = &Hyperboard> {
        self.parts.iter().map(|part| &part.board)
    }

    /// The number of the part around a canonical placement of the pawns.
    pub fn part_number(&self, pawns: Placement) -> Option<usize> {
        if pawns == Placement::NONE {
            return Some(0);
        }
        let placement =
            |part: &PackedBoard| Placement::new(Color::BOTH.map(|color| part.board.pawns(color)));
        self.parts.binary_search_by_key(&pawns, placement).ok()
    }

    /// A part, brought back on this thread alone.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn part(&self, number: usize) -> io::Result<BoardValues> {
        self.parts[number].unpack(&self.store)
    }

    /// The whole table again.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn unpack(&self) -> io::Result<Table> {
        let part = |part: &PackedBoard| match part.board.tiles() < SMALL_TILES {
            true => part.unpack(&self.store).map(Arc::new),
            false => part.unpack_by_all(&self.store).map(Arc::new),
        };
        let parts = self.parts.par_iter().map(part).collect::<io::Result<Vec<_>>>()?;
        let (material, metric, stats) = (self.material, self.metric, self.stats.clone());
        Ok(Table { material, metric, parts, stats })
    }
}

fn packer() -> io::Result<Compressor<'static>> {
    Compressor::new(LEVEL)
}

impl PackedBoard {
    fn new(values: BoardValues, store: &Store) -> io::Result<PackedBoard> {
        let BoardValues { board, values } = values;
        let sides = values.each_ref().map(|side| SidePlanes {
            depth: side.depth.len(),
            stalemate: !side.stalemate.is_empty(),
        });
        let planes = values.into_iter().flat_map(planes);
        let mut blocks = Vec::new();
        if board.tiles() < SMALL_TILES {
            let all: Vec<Tile> = planes.flatten().collect();
            blocks.push(store.put(packer()?.compress(bytemuck::cast_slice(&all))?)?);
        } else {
            // Each plane is given up before the next is looked at.
            for plane in planes {
                let pack = |packer: &mut io::Result<Compressor<'_>>, tiles: &[Tile]| {
                    let packer = packer.as_mut().map_err(|error| io::Error::from(error.kind()))?;
                    store.put(packer.compress(bytemuck::cast_slice(tiles))?)
                };
                let packed = plane.par_chunks(BLOCK_TILES).map_init(packer, pack);
                blocks.extend(packed.collect::<io::Result<Vec<_>>>()?);
            }
        }
        Ok(PackedBoard { board, sides, blocks })
    }

    fn unpack(&self, store: &Store) -> io::Result<BoardValues> {
        let tiles = self.board.tiles();
        if tiles >= SMALL_TILES {
            let planes = self.planes().map(|blocks| unpack_plane(store, blocks, tiles));
            return Ok(self.values(planes.collect::<io::Result<_>>()?));
        }
        let count: usize = self.sides.iter().map(|side| side.count()).sum();
        let all = unpack_plane(store, &self.blocks, count * tiles)?;
        Ok(self.values(all.chunks(tiles.max(1)).map(<[Tile]>::to_vec).collect()))
    }

    /// The same of a board that is not small, planes side by side.
    fn unpack_by_all(&self, store: &Store) -> io::Result<BoardValues> {
        let planes: Vec<&[Block]> = self.planes().collect();
        let plane = |blocks: &&[Block]| unpack_plane(store, blocks, self.board.tiles());
        Ok(self.values(planes.par_iter().map(plane).collect::<io::Result<_>>()?))
    }

    /// The blocks of each plane.
    fn planes(&self) -> impl Iterator<Item = &[Block]> {
        self.blocks.chunks(self.board.tiles().div_ceil(BLOCK_TILES))
    }

    fn values(&self, planes: Vec<Vec<Tile>>) -> BoardValues {
        let mut planes = planes.into_iter();
        let values = self.sides.map(|side| side.graded(&mut planes));
        BoardValues { board: self.board.clone(), values }
    }
}

/// So many tiles from their blocks.
fn unpack_plane(store: &Store, blocks: &[Block], tiles: usize) -> io::Result<Vec<Tile>> {
    let mut unpacker = Decompressor::new()?;
    let mut plane: Vec<Tile> = Vec::with_capacity(tiles);
    for block in blocks {
        let left = tiles - plane.len();
        let here = if blocks.len() == 1 { left } else { left.min(BLOCK_TILES) };
        let bytes = store.unpack(block, &mut unpacker, here * size_of::<Tile>())?;
        // Bytes need not be aligned as tiles are.
        let tiles = bytes.chunks_exact(size_of::<Tile>());
        plane.extend(tiles.map(bytemuck::pod_read_unaligned::<Tile>));
    }
    Ok(plane)
}

/// All planes of a side, in an order of their own.
fn planes(values: Graded) -> impl Iterator<Item = Vec<Tile>> {
    let Graded { legal, won, lost, depth, stalemate } = values;
    let stalemate = (!stalemate.is_empty()).then_some(stalemate);
    [legal, won, lost].into_iter().chain(depth).chain(stalemate)
}

impl SidePlanes {
    fn count(self) -> usize {
        3 + self.depth + usize::from(self.stalemate)
    }

    /// The inverse of [`planes`].
    fn graded(self, planes: &mut impl Iterator<Item = Vec<Tile>>) -> Graded {
        let mut next = || planes.next().unwrap_or_default();
        let (legal, won, lost) = (next(), next(), next());
        let depth = (0..self.depth).map(|_| next()).collect();
        let stalemate = if self.stalemate { next() } else { Vec::new() };
        Graded { legal, won, lost, depth, stalemate }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Build;

    /// Whatever is packed comes back as it was, in memory and from a file, as a
    /// whole and by parts; and it is smaller.
    #[test]
    fn what_is_packed_comes_back() {
        let build = Build::new();
        let folder = tempfile::tempdir().unwrap();
        for name in ["KQK", "KQKR", "KPKP", "KRPK"] {
            let table = build.table(name.parse().unwrap(), Metric::Dtm).unwrap();
            for folder in [None, Some(folder.path())] {
                let copy = Arc::new(Table::clone(&table));
                let packed = PackedTable::new(copy, folder).unwrap();
                assert!(packed.len_bytes() < table.len_bytes() as u64 / 2, "{name}");
                assert!(packed.has_depths());
                let whole = packed.unpack().unwrap();
                assert_eq!(whole.stats, table.stats);
                assert_eq!(whole.parts.len(), table.parts.len());
                for (i, (part, expected)) in whole.parts.iter().zip(&table.parts).enumerate() {
                    assert!(part.values == expected.values, "{name} {i}");
                    assert!(packed.part(i).unwrap().values == expected.values, "{name} {i}");
                    let pawns = Color::BOTH.map(|color| expected.board.pawns(color));
                    assert_eq!(packed.part_number(Placement::new(pawns)), Some(i));
                }
            }
        }
    }
}
