//! Planes in the memory of the host that the card works in from there.
//!
//! Most of the planes of a solve are touched seldom: the plies of conversions when one of a
//! tile falls due, depths when they are written. A card that is too small for all of them has
//! the rest beside it, and reaches them by itself, whole tiles at a time.

use std::cell::Cell;

use crate::{CardMemory, CudaEngine, CudaError};

/// How many of the planes that are seldom touched go to the memory of the host.
#[derive(Default, Debug, PartialEq, Eq)]
pub(crate) struct Beside {
    /// These first.
    planned: Cell<u64>,
    /// So many more, should the card be full sooner than planned.
    spare: Cell<u64>,
}

impl Beside {
    /// Whether the next plane is to be there.
    pub fn is_planned(&self) -> bool {
        take(&self.planned)
    }

    /// Whether a plane for which the card has no room may be there.
    pub fn is_spare(&self) -> bool {
        take(&self.spare)
    }
}

fn take(left: &Cell<u64>) -> bool {
    let before = left.get();
    left.set(before.saturating_sub(1));
    before > 0
}

/// Of a card that is too small one part in so many is left for lists, and for what comes
/// after the waves.
const RESERVE_SHARE: u64 = 32;

impl CudaEngine {
    /// The planes of a solve that go to the host, its sub-games being on the card.
    pub(crate) fn planes_beside(&self, needs: &CardMemory) -> Result<Beside, CudaError> {
        let (free, total) = self.memory()?;
        let most = needs.seldom_planes.min(self.host_bytes / needs.plane.max(1));
        let own = needs.total() - needs.sub_games;
        let planned = match needs.total() <= total || own <= free {
            true => 0,
            false => (own + total / RESERVE_SHARE - free).div_ceil(needs.plane).min(most),
        };
        Ok(Beside { planned: planned.into(), spare: (most - planned).into() })
    }

    /// What a solve must have on the card, if the host has the rest.
    pub(crate) fn least_bytes(&self, needs: &CardMemory) -> u64 {
        needs.total() - (needs.seldom_planes * needs.plane).min(self.host_bytes)
    }

    /// Whether a solve fits the card, with planes beside it if need be.
    pub(crate) fn fits_card(&self, needs: &CardMemory) -> bool {
        self.memory().is_ok_and(|(_, total)| self.least_bytes(needs) < total)
    }
}

/// Bytes of planes that a solve has beside a card of so many bytes.
pub(crate) fn beside_bytes(needs: &CardMemory, card_bytes: u64) -> u64 {
    if needs.total() <= card_bytes {
        return 0;
    }
    let lacking = needs.total() + card_bytes / RESERVE_SHARE - card_bytes;
    lacking.min(needs.seldom_planes * needs.plane)
}

#[cfg(test)]
mod tests {
    use molien_board::Color;
    use molien_hyper::Hyperboard;
    use molien_values::Metric;

    use super::*;
    use crate::needs::card_memory;
    use crate::waves::Extras;
    use crate::{Detail, Planes, Request};

    /// A card without room for most of the planes has the same depths, ply by ply, and the check
    /// reads them there; with room for less than it must have it is refused.
    #[test]
    fn planes_are_beside_a_small_card() {
        let material = "KQQK".parse().unwrap();
        let request = Request { keep: Detail::Depths, ..Request::new(material, Metric::Dtm) };
        let white = &[Color::White];
        let needs = card_memory(material, Metric::Dtm, Detail::Depths, white, Planes::Four);
        let engine = |bytes| {
            let engine = CudaEngine::emulated().ok()?.with_card_memory(bytes);
            engine.check_tables();
            Some(engine)
        };
        let Some(large) = engine(u64::MAX) else {
            println!("skipped: no compiler for the emulator");
            return;
        };
        let small = engine(needs.total() - (needs.seldom_planes - 2) * needs.plane).unwrap();
        small.subs(&request, &Hyperboard::pieces(material), Color::White).unwrap();
        let planned = |engine: &CudaEngine| engine.planes_beside(&needs).unwrap().planned.get();
        assert!(planned(&small) >= 8, "{}", planned(&small));
        assert_eq!(planned(&large), 0);
        let solved = [&large, &small].map(|engine| {
            let (unit, _) = engine.timed_unit(&request, Color::White, Extras::default()).unwrap();
            let plane = |plane: &crate::device::Buffer| plane.read::<u64>(462 * 64).unwrap();
            let depths: Vec<_> = unit.won_depth.iter().chain(&unit.lost_depth).map(plane).collect();
            (unit.record.won.len(), depths)
        });
        assert_eq!(solved[0].1.len(), 10, "plies below 32");
        assert!(solved[0] == solved[1]);
        let too_small = engine(needs.total() - needs.seldom_planes * needs.plane).unwrap();
        let refused = too_small.check_request(&Request { keep: Detail::Depths, ..request });
        assert!(matches!(refused, Err(CudaError::Memory { .. })), "{refused:?}");
    }

    /// What is planned is taken first, then what is spare.
    #[test]
    fn planes_are_counted() {
        let beside = Beside { planned: 1.into(), spare: 2.into() };
        assert!(beside.is_planned() && !beside.is_planned());
        assert!(beside.is_spare() && beside.is_spare() && !beside.is_spare());
    }
}
