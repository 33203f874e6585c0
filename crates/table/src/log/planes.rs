//! Planes of values, compressed lightly: in memory, in a file without a name,
//! or in a log.
//!
//! Solving a board again costs seconds to minutes, to compress its planes
//! lightly and to bring them back costs tenths of a second.

use std::borrow::Borrow;
use std::cell::RefCell;
use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use molien_hyper::Tile;
use molien_values::Graded;
use rayon::prelude::*;
use zstd::bulk::{Compressor, Decompressor};
use zstd::zstd_safe::compress_bound;

/// Higher levels take several times as long and save little: the bits of
/// depths are what is left.
const LEVEL: i32 = 1;
/// Tiles of a plane in a block.
const BLOCK_TILES: usize = 512;
/// Boards of fewer tiles are one block, all planes together.
const SMALL_TILES: usize = 64;

/// Where compressed planes are put.
pub struct PlaneStore(Place);

enum Place {
    Memory,
    /// A file, and how much of it is used.
    File(File, Mutex<u64>),
}

/// Bytes that were put into a store.
pub struct PackedBytes {
    block: Block,
    /// How many they are.
    len: usize,
}

thread_local! {
    /// To get these ready takes longer than a few kilobytes do.
    static PACKER: RefCell<Option<Compressor<'static>>> = const { RefCell::new(None) };
    /// What was packed last: blocks that stay are as large as their contents.
    static PACKED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static UNPACKER: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// Packs bytes with what this thread has got ready before, and hands them over.
fn with_packed<T>(bytes: &[u8], put: impl FnOnce(&[u8]) -> io::Result<T>) -> io::Result<T> {
    PACKER.with_borrow_mut(|packer| {
        let packer = match packer {
            Some(packer) => packer,
            none => none.insert(Compressor::new(LEVEL)?),
        };
        PACKED.with_borrow_mut(|packed| {
            packed.clear();
            packed.reserve(compress_bound(bytes.len()));
            packer.compress_to_buffer(bytes, packed)?;
            put(packed)
        })
    })
}

/// Unpacks with what this thread has got ready before.
fn with_unpacker<T>(
    unpack: impl FnOnce(&mut Decompressor<'static>) -> io::Result<T>,
) -> io::Result<T> {
    UNPACKER.with_borrow_mut(|unpacker| match unpacker {
        Some(unpacker) => unpack(unpacker),
        none => unpack(none.insert(Decompressor::new()?)),
    })
}

/// So many bytes, from their zstd frame.
pub(crate) fn decompressed(frame: &[u8], len: usize) -> io::Result<Vec<u8>> {
    with_unpacker(|unpacker| unpacker.decompress(frame, len))
}

/// Where a block is.
pub(crate) enum Block {
    Memory(Box<[u8]>),
    File { start: u64, len: usize },
}

impl PlaneStore {
    /// Planes stay in memory.
    pub fn in_memory() -> PlaneStore {
        PlaneStore(Place::Memory)
    }

    /// Planes go to a file without a name in this folder: it is gone with the
    /// process.
    ///
    /// # Errors
    /// If the file cannot be made.
    pub fn in_folder(folder: &Path) -> io::Result<PlaneStore> {
        std::fs::create_dir_all(folder)?;
        Ok(PlaneStore::in_file(tempfile::tempfile_in(folder)?, 0))
    }

    /// Planes go to a file behind its first bytes.
    pub(crate) fn in_file(file: File, used: u64) -> PlaneStore {
        PlaneStore(Place::File(file, Mutex::new(used)))
    }

    /// The file, if planes go to one.
    pub(super) fn file(&self) -> Option<&File> {
        if let Place::File(file, _) = &self.0 { Some(file) } else { None }
    }

    /// How much of the file is used.
    pub(super) fn used(&self) -> u64 {
        match &self.0 {
            Place::Memory => 0,
            Place::File(_, used) => *used.lock().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// Others have put something into the file: it is used up to here.
    pub(super) fn set_used(&self, end: u64) {
        if let Place::File(_, used) = &self.0 {
            *used.lock().unwrap_or_else(PoisonError::into_inner) = end;
        }
    }

    /// Writes to a place of the file that nobody else uses.
    pub(super) fn write_at(&self, bytes: &[u8], start: u64) -> io::Result<()> {
        let file = self.file().ok_or(io::ErrorKind::NotFound)?;
        write_at(file, bytes, start)
    }

    /// Puts bytes one after the other; where they begin, if that is in a file.
    pub(crate) fn put(&self, bytes: &[u8]) -> io::Result<Block> {
        let Place::File(file, used) = &self.0 else {
            return Ok(Block::Memory(bytes.into()));
        };
        let len = bytes.len();
        let start = {
            let mut used = used.lock().unwrap_or_else(PoisonError::into_inner);
            *used += len as u64;
            *used - len as u64
        };
        write_at(file, bytes, start)?;
        Ok(Block::File { start, len })
    }

    /// The bytes of a block.
    pub(crate) fn read(&self, start: u64, len: usize) -> io::Result<Vec<u8>> {
        let Place::File(file, _) = &self.0 else { return Err(io::ErrorKind::NotFound.into()) };
        let mut bytes = vec![0; len];
        read_at(file, &mut bytes, start)?;
        Ok(bytes)
    }

    /// Compresses bytes and puts them away.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub fn put_bytes(&self, bytes: &[u8]) -> io::Result<PackedBytes> {
        let block = with_packed(bytes, |packed| self.put(packed))?;
        Ok(PackedBytes { block, len: bytes.len() })
    }

    /// Bytes that were put away.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn bytes(&self, packed: &PackedBytes) -> io::Result<Vec<u8>> {
        with_unpacker(|unpacker| self.unpack(&packed.block, unpacker, packed.len))
    }

    fn unpack(
        &self,
        block: &Block,
        with: &mut Decompressor<'_>,
        len: usize,
    ) -> io::Result<Vec<u8>> {
        match block {
            Block::Memory(bytes) => with.decompress(bytes, len),
            Block::File { start, len: packed } => {
                with.decompress(&self.read(*start, *packed)?, len)
            }
        }
    }

    /// The same into bytes that are there already; how many are written.
    fn unpack_to(
        &self,
        block: &Block,
        with: &mut Decompressor<'_>,
        bytes: &mut [u8],
    ) -> io::Result<usize> {
        match block {
            Block::Memory(packed) => with.decompress_to_buffer(packed, bytes),
            Block::File { start, len } => {
                with.decompress_to_buffer(&self.read(*start, *len)?, bytes)
            }
        }
    }
}

#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, start)
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], start: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, start)
}

#[cfg(windows)]
pub(crate) fn write_at(file: &File, mut bytes: &[u8], mut start: u64) -> io::Result<()> {
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

/// The values of a board with one side to move, compressed.
pub struct PackedSide {
    pub(crate) tiles: usize,
    /// Planes of depth bits.
    pub(crate) depth: usize,
    pub(crate) stalemate: bool,
    pub(crate) blocks: Vec<Block>,
}

impl PackedSide {
    /// Compresses the planes of a side; each is given up before the next is
    /// looked at.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub fn new(values: Graded, store: &PlaneStore) -> io::Result<PackedSide> {
        let mut side = PackedSide::like(&values);
        side.blocks = side.pack(planes(values), store)?;
        Ok(side)
    }

    /// The same of planes that stay.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub fn copy_of(values: &Graded, store: &PlaneStore) -> io::Result<PackedSide> {
        let mut side = PackedSide::like(values);
        side.blocks = side.pack(planes_of(values), store)?;
        Ok(side)
    }

    /// The same of other planes than those of the values, as many.
    pub(super) fn of_planes<P: Borrow<[Tile]>>(
        values: &Graded,
        planes: impl Iterator<Item = P>,
        store: &PlaneStore,
    ) -> io::Result<PackedSide> {
        let mut side = PackedSide::like(values);
        side.blocks = side.pack(planes, store)?;
        Ok(side)
    }

    /// Without its blocks.
    fn like(values: &Graded) -> PackedSide {
        let (tiles, depth) = (values.legal.len(), values.depth.len());
        let stalemate = !values.stalemate.is_empty();
        PackedSide { tiles, depth, stalemate, blocks: Vec::new() }
    }

    fn pack<P: Borrow<[Tile]>>(
        &self,
        planes: impl Iterator<Item = P>,
        store: &PlaneStore,
    ) -> io::Result<Vec<Block>> {
        if self.is_small() {
            let all: Vec<Tile> = planes.flat_map(|plane| plane.borrow().to_vec()).collect();
            return Ok(vec![pack_tiles(&all, store)?]);
        }
        let mut blocks = Vec::new();
        for plane in planes {
            let tiles = plane.borrow().par_chunks(BLOCK_TILES);
            let packed = tiles.map(|tiles| pack_tiles(tiles, store));
            blocks.extend(packed.collect::<io::Result<Vec<_>>>()?);
        }
        Ok(blocks)
    }

    /// So many tiles in as many planes as these bits need, none of them there
    /// yet. Not for small boards, whose planes are packed together.
    pub fn begin(tiles: usize, depth: usize) -> PackedSide {
        PackedSide { tiles, depth, stalemate: false, blocks: Vec::new() }
    }

    /// Adds the next plane: who is to move legally, who wins, who loses, then
    /// the bits of depths.
    ///
    /// # Errors
    /// If the store cannot be written to.
    pub fn add_plane(&mut self, plane: &[Tile], store: &PlaneStore) -> io::Result<()> {
        self.blocks.extend(self.pack(std::iter::once(plane), store)?);
        Ok(())
    }

    /// How many planes there are.
    pub fn count(&self) -> usize {
        3 + self.depth + usize::from(self.stalemate)
    }

    /// One of the planes, in the order in which they are added.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn plane(&self, number: usize, store: &PlaneStore) -> io::Result<Vec<Tile>> {
        if self.is_small() {
            let mut all = unpack_plane(store, &self.blocks, self.count() * self.tiles)?;
            return Ok(all.drain(number * self.tiles..(number + 1) * self.tiles).collect());
        }
        let blocks = self.planes().nth(number).ok_or(io::ErrorKind::NotFound)?;
        unpack_plane(store, blocks, self.tiles)
    }

    /// Whether a board of so many tiles is small: its planes are packed together.
    pub fn is_small_board(tiles: usize) -> bool {
        tiles < SMALL_TILES
    }

    /// The planes again, brought back on this thread alone.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unpack(&self, store: &PlaneStore) -> io::Result<Graded> {
        if self.is_small() {
            return self.unpack_small(store);
        }
        let plane = |blocks: &[Block]| unpack_plane(store, blocks, self.tiles);
        let planes = self.planes().map(plane).collect::<io::Result<Vec<_>>>()?;
        Ok(self.graded(planes))
    }

    /// The same, planes side by side.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn unpack_by_all(&self, store: &PlaneStore) -> io::Result<Graded> {
        if self.is_small() {
            return self.unpack_small(store);
        }
        let all: Vec<&[Block]> = self.planes().collect();
        let plane = |blocks: &&[Block]| unpack_plane(store, blocks, self.tiles);
        Ok(self.graded(all.par_iter().map(plane).collect::<io::Result<_>>()?))
    }

    /// Puts what is in memory into another store, from where it is read from now on.
    ///
    /// # Errors
    /// If that store cannot be written to.
    pub fn move_to(&mut self, store: &PlaneStore) -> io::Result<()> {
        for block in &mut self.blocks {
            if let Block::Memory(bytes) = block {
                *block = store.put(bytes)?;
            }
        }
        Ok(())
    }

    /// Bytes held in memory.
    pub fn len_bytes(&self) -> u64 {
        let block = |block: &Block| match block {
            Block::Memory(bytes) => bytes.len() + size_of::<Block>(),
            Block::File { .. } => size_of::<Block>(),
        };
        (self.blocks.iter().map(block).sum::<usize>() + size_of::<PackedSide>()) as u64
    }

    fn is_small(&self) -> bool {
        PackedSide::is_small_board(self.tiles)
    }

    fn unpack_small(&self, store: &PlaneStore) -> io::Result<Graded> {
        let all = unpack_plane(store, &self.blocks, self.count() * self.tiles)?;
        Ok(self.graded(all.chunks(self.tiles.max(1)).map(<[Tile]>::to_vec).collect()))
    }

    /// The blocks of each plane.
    fn planes(&self) -> impl Iterator<Item = &[Block]> {
        self.blocks.chunks(self.tiles.div_ceil(BLOCK_TILES))
    }

    /// How many blocks there must be.
    pub(crate) fn blocks_of(tiles: usize, depth: usize, stalemate: bool) -> usize {
        match tiles < SMALL_TILES {
            true => 1,
            false => (3 + depth + usize::from(stalemate)) * tiles.div_ceil(BLOCK_TILES),
        }
    }

    /// The inverse of [`planes`].
    fn graded(&self, planes: Vec<Vec<Tile>>) -> Graded {
        let mut planes = planes.into_iter();
        let mut next = || planes.next().unwrap_or_default();
        let (legal, won, lost) = (next(), next(), next());
        let depth = (0..self.depth).map(|_| next()).collect();
        let stalemate = if self.stalemate { next() } else { Vec::new() };
        Graded { legal, won, lost, depth, stalemate }
    }
}

fn pack_tiles(tiles: &[Tile], store: &PlaneStore) -> io::Result<Block> {
    with_packed(bytemuck::cast_slice(tiles), |packed| store.put(packed))
}

/// So many tiles from their blocks.
fn unpack_plane(store: &PlaneStore, blocks: &[Block], tiles: usize) -> io::Result<Vec<Tile>> {
    let mut plane = vec![Tile::EMPTY; tiles];
    let block_tiles = if blocks.len() == 1 { tiles.max(1) } else { BLOCK_TILES };
    if tiles.div_ceil(block_tiles).max(1) != blocks.len() {
        return Err(io::ErrorKind::InvalidData.into());
    }
    with_unpacker(|unpacker| {
        for (block, tiles) in blocks.iter().zip(plane.chunks_mut(block_tiles)) {
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(tiles);
            let len = bytes.len();
            if store.unpack_to(block, unpacker, bytes)? != len {
                return Err(io::ErrorKind::InvalidData.into());
            }
        }
        Ok(())
    })?;
    Ok(plane)
}

/// All planes of a side, in an order of their own.
fn planes(values: Graded) -> impl Iterator<Item = Vec<Tile>> {
    let Graded { legal, won, lost, depth, stalemate } = values;
    let stalemate = (!stalemate.is_empty()).then_some(stalemate);
    [legal, won, lost].into_iter().chain(depth).chain(stalemate)
}

/// The same of planes that stay.
fn planes_of(values: &Graded) -> impl Iterator<Item = &[Tile]> {
    let Graded { legal, won, lost, depth, stalemate } = values;
    let stalemate = (!stalemate.is_empty()).then_some(stalemate);
    [legal, won, lost].into_iter().chain(depth).chain(stalemate).map(Vec::as_slice)
}
