//! Finished planes that later boards read: on the card as long as there is room,
//! else in the memory of the host.

use std::collections::HashMap;
use std::sync::Arc;

use bytemuck::Zeroable as _;
use molien_board::{Color, Material};
use molien_values::MAX_BITS;
use rayon::prelude::*;

use crate::CudaError;
use crate::device::{Buffer, Device};
use crate::layout::{Address, Board, Target};
use crate::pawn_exits::{PartKey, Relaid, SliceKey};

/// What is kept, of one attacker's wins.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Stored {
    Part { material: Material, key: PartKey, attacker: Color },
    Slice { key: SliceKey, attacker: Color },
    Relaid { key: Relaid, attacker: Color },
}

/// Which values, and where each plane of them is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Read {
    /// The attacker has moved: the defender's losses.
    Losses,
    /// The defender has moved: what the attacker has not won, and his wins.
    Wins,
}

impl Read {
    /// What is read after a move of one side.
    pub fn after(mover: Color, attacker: Color) -> Read {
        if mover == attacker { Read::Losses } else { Read::Wins }
    }
}

/// How depths are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Depths {
    /// So many bits of them.
    Bits(usize),
    /// Only whether they are above a hundred plies.
    Late,
}

impl Depths {
    fn planes(self) -> usize {
        match self {
            Depths::Bits(bits) => bits,
            Depths::Late => 1,
        }
    }
}

/// The planes of some boards on the card: `lost`, or `open` and `won`; then the
/// depths; then perhaps the stalemates.
pub(crate) struct CardPlanes {
    pub layout: Board,
    pub read: Read,
    pub depths: Depths,
    pub planes: Vec<Buffer>,
}

/// A late win counts as one in so many plies: any above a hundred would do.
const LATE_PLIES: usize = 101;

impl CardPlanes {
    /// The board that moves lead to.
    pub fn as_target(&self) -> Target {
        let at = |number: usize| self.planes.get(number).map_or(0, Buffer::address);
        let mut target = Target { board: self.layout, ..Target::zeroed() };
        let first = match self.read {
            Read::Losses => 1,
            Read::Wins => 2,
        };
        let depth: [Address; MAX_BITS] = match self.depths {
            Depths::Bits(bits) => std::array::from_fn(|k| if k < bits { at(first + k) } else { 0 }),
            Depths::Late => {
                std::array::from_fn(|k| if LATE_PLIES >> k & 1 == 1 { at(first) } else { 0 })
            }
        };
        target.depth_bits = match self.depths {
            Depths::Bits(bits) => bits as u32,
            Depths::Late => usize::BITS - LATE_PLIES.leading_zeros(),
        };
        match self.read {
            Read::Losses => {
                (target.lost, target.lost_depth) = (at(0), depth);
                target.stalemate = at(first + self.depths.planes());
            }
            Read::Wins => (target.open, target.won, target.won_depth) = (at(0), at(1), depth),
        }
        target
    }

    fn bytes(&self) -> u64 {
        self.planes.iter().map(|plane| plane.len_bytes() as u64).sum()
    }
}

/// Where planes are.
enum Place {
    Card(Arc<CardPlanes>),
    Host { like: Shape, planes: Vec<Vec<u8>> },
}

/// All of [`CardPlanes`] but the planes.
#[derive(Clone, Copy)]
struct Shape {
    layout: Board,
    read: Read,
    depths: Depths,
}

/// Bytes copied at a time: the copies of several threads go side by side.
const COPY_BYTES: usize = 4 << 20;

fn to_host(plane: &Buffer) -> Result<Vec<u8>, CudaError> {
    let mut bytes = vec![0; plane.len_bytes()];
    let copy = |(i, chunk): (usize, &mut [u8])| plane.read_into(chunk, i * COPY_BYTES);
    bytes.par_chunks_mut(COPY_BYTES).enumerate().try_for_each(copy)?;
    Ok(bytes)
}

fn to_card(device: &Arc<dyn Device>, bytes: &[u8]) -> Result<Buffer, CudaError> {
    let plane = Buffer::new(device, bytes.len())?;
    let copy = |(i, chunk): (usize, &[u8])| plane.write_at(chunk, i * COPY_BYTES);
    bytes.par_chunks(COPY_BYTES).enumerate().try_for_each(copy)?;
    Ok(plane)
}

/// Planes by name, with the time of their last use.
#[derive(Default)]
pub(crate) struct Store {
    entries: HashMap<Stored, (Place, u64)>,
    clock: u64,
    /// Copied to the host and back.
    pub moved_bytes: u64,
}

impl Store {
    pub fn insert(&mut self, key: Stored, planes: Arc<CardPlanes>) {
        self.clock += 1;
        self.entries.insert(key, (Place::Card(planes), self.clock));
    }

    pub fn contains(&self, key: &Stored) -> bool {
        self.entries.contains_key(key)
    }

    /// The planes, on the card.
    pub fn get(
        &mut self,
        device: &Arc<dyn Device>,
        key: &Stored,
    ) -> Result<Option<Arc<CardPlanes>>, CudaError> {
        self.clock += 1;
        let Some((place, used)) = self.entries.get_mut(key) else { return Ok(None) };
        *used = self.clock;
        if let Place::Host { like, planes } = place {
            self.moved_bytes += planes.iter().map(|plane| plane.len() as u64).sum::<u64>();
            let Shape { layout, read, depths } = *like;
            let planes = planes.iter().map(|plane| to_card(device, plane));
            let planes = planes.collect::<Result<_, _>>()?;
            *place = Place::Card(Arc::new(CardPlanes { layout, read, depths, planes }));
        }
        match place {
            Place::Card(planes) => Ok(Some(planes.clone())),
            Place::Host { .. } => Ok(None),
        }
    }

    /// Bytes that would have to be brought to the card for some planes.
    pub fn absent_bytes(&self, key: &Stored) -> u64 {
        match self.entries.get(key) {
            Some((Place::Host { planes, .. }, _)) => planes.iter().map(|p| p.len() as u64).sum(),
            _ => 0,
        }
    }

    /// Copies what was not used for the longest time to the host until the card
    /// has so much free; says whether it has.
    pub fn make_room(&mut self, device: &Arc<dyn Device>, bytes: u64) -> Result<bool, CudaError> {
        device.synchronize()?; // other threads copy
        while device.memory()?.0 < bytes {
            let idle = |place: &Place| match place {
                Place::Card(planes) => Arc::strong_count(planes) == 1,
                Place::Host { .. } => false,
            };
            let idle = self.entries.values_mut().filter(|(place, _)| idle(place));
            let Some((place, _)) = idle.min_by_key(|(_, used)| *used) else { return Ok(false) };
            let Place::Card(planes) = &*place else { return Ok(false) };
            self.moved_bytes += planes.bytes();
            let CardPlanes { layout, read, depths, .. } = **planes;
            let copied = planes.planes.iter().map(to_host).collect::<Result<_, _>>()?;
            *place = Place::Host { like: Shape { layout, read, depths }, planes: copied };
        }
        Ok(true)
    }

    /// Keeps only some of them.
    pub fn retain(&mut self, wanted: impl Fn(&Stored) -> bool) {
        self.entries.retain(|key, _| wanted(key));
    }
}

#[cfg(test)]
mod tests {
    use molien_testing::Random;

    use super::*;
    use crate::CudaEngine;

    /// What goes to the host comes back as it was; what is in use stays.
    #[test]
    fn planes_come_back_from_the_host() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let (device, mut random) = (&engine.device, Random::new(17));
        let layout = Board::around_kings(&[], 3);
        let words: Vec<u64> = (0..layout.tiles * 64).map(|_| random.number()).collect();
        let planes = || {
            let planes =
                vec![Buffer::of(device, &words).unwrap(), Buffer::of(device, &[7u64]).unwrap()];
            Arc::new(CardPlanes { layout, read: Read::Losses, depths: Depths::Bits(1), planes })
        };
        let key = |part| {
            let (material, mover) = ("KPK".parse().unwrap(), Color::White);
            Stored::Part { material, key: PartKey { part, mover }, attacker: Color::White }
        };
        let (mut store, used) = (Store::default(), planes());
        store.insert(key(0), used.clone());
        store.insert(key(1), planes());
        assert!(!store.make_room(device, u64::MAX).unwrap());
        assert_eq!(store.absent_bytes(&key(0)), 0);
        assert_eq!(store.absent_bytes(&key(1)), 3 * 512 + 512);
        let back = store.get(device, &key(1)).unwrap().unwrap();
        assert_eq!(back.planes[0].read::<u64>(words.len()).unwrap(), words);
        assert_eq!((back.read, back.depths), (Read::Losses, Depths::Bits(1)));
        assert_eq!(store.moved_bytes, 2 * (3 * 512 + 512));
        assert!(store.get(device, &key(2)).unwrap().is_none());
    }

    /// A late loss is one in 101 plies.
    #[test]
    fn late_depths_share_a_plane() {
        let Ok(engine) = CudaEngine::emulated() else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let plane = || Buffer::zeroed(&engine.device, 512).unwrap();
        let (layout, planes) = (Board::around_kings(&[], 1), vec![plane(), plane(), plane()]);
        let wins = CardPlanes { layout, read: Read::Wins, depths: Depths::Late, planes };
        let (target, late) = (wins.as_target(), wins.planes[2].address());
        let plies: usize =
            (0..MAX_BITS).filter(|k| target.won_depth[*k] == late).map(|k| 1 << k).sum();
        assert_eq!((plies, target.depth_bits), (LATE_PLIES, 7));
        assert_eq!((target.open, target.won), (wins.planes[0].address(), wins.planes[1].address()));
    }
}
