//! Finished planes that later boards read: on the card as long as there is room,
//! else in the memory of the host.

use std::collections::HashMap;
use std::sync::Arc;

use bytemuck::Zeroable as _;
use molien_board::{Color, Material};
use molien_values::MAX_BITS;

use crate::CudaError;
use crate::device::{Buffer, Device};
use crate::host_planes::{Form, HostPlane};
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
    Host { like: Shape, planes: Vec<HostPlane> },
}

/// All of [`CardPlanes`] but the planes.
#[derive(Clone, Copy)]
struct Shape {
    layout: Board,
    read: Read,
    depths: Depths,
}

/// Planes by name, with the time of their last use.
pub(crate) struct Store {
    entries: HashMap<Stored, (Place, u64)>,
    clock: u64,
    /// Copied to the host and back.
    pub moved_bytes: u64,
    /// How planes are kept on the host, and of how many bytes they may be there.
    pub form: Form,
    pub most_host_bytes: u64,
}

impl Default for Store {
    fn default() -> Store {
        let (form, most_host_bytes) = (Form::Plain, u64::MAX);
        Store { entries: HashMap::new(), clock: 0, moved_bytes: 0, form, most_host_bytes }
    }
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
            self.moved_bytes += planes.iter().map(HostPlane::card_bytes).sum::<u64>();
            let Shape { layout, read, depths } = *like;
            let planes = planes.iter().map(|plane| plane.to_card(device));
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
            Some((Place::Host { planes, .. }, _)) => planes.iter().map(HostPlane::card_bytes).sum(),
            _ => 0,
        }
    }

    /// Bytes of planes on the host.
    fn host_bytes(&self) -> u64 {
        let held = |place: &Place| match place {
            Place::Card(_) => 0,
            Place::Host { planes, .. } => planes.iter().map(HostPlane::held_bytes).sum(),
        };
        self.entries.values().map(|(place, _)| held(place)).sum()
    }

    /// Copies what was not used for the longest time to the host until the card
    /// has so much free; says whether it has.
    pub fn make_room(&mut self, device: &Arc<dyn Device>, bytes: u64) -> Result<bool, CudaError> {
        device.synchronize()?; // other threads copy
        let (form, most) = (self.form, self.most_host_bytes);
        let mut host_bytes = None;
        while device.memory()?.0 < bytes {
            let held = *host_bytes.get_or_insert_with(|| self.host_bytes());
            let idle = |place: &Place| match place {
                Place::Card(planes) => Arc::strong_count(planes) == 1,
                Place::Host { .. } => false,
            };
            let idle = self.entries.values_mut().filter(|(place, _)| idle(place));
            let Some((place, _)) = idle.min_by_key(|(_, used)| *used) else { return Ok(false) };
            let Place::Card(planes) = &*place else { return Ok(false) };
            self.moved_bytes += planes.bytes();
            let CardPlanes { layout, read, depths, .. } = **planes;
            // What turns out to be more than was planned is packed before it is too much.
            let form = if held > most / 2 { Form::Packed } else { form };
            let copied = planes.planes.iter().map(|plane| HostPlane::of(plane, form));
            let copied: Vec<HostPlane> = copied.collect::<Result<_, _>>()?;
            let held = held + copied.iter().map(HostPlane::held_bytes).sum::<u64>();
            if held > most {
                return Err(CudaError::HostMemory { limit_mib: most >> 20 });
            }
            host_bytes = Some(held);
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
        drop(back);
        store.most_host_bytes = 2000;
        let full = store.make_room(device, u64::MAX);
        assert_eq!(full.unwrap_err(), CudaError::HostMemory { limit_mib: 0 });
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
