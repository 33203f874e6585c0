//! What the engine asks of a device, and memory on it.

use std::sync::Arc;

use bytemuck::{AnyBitPattern, NoUninit};

use crate::CudaError;
use crate::layout::{Address, Board, Job};

/// The kernels, by name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Kernel {
    InitOpen,
    InitDefenceOne,
    InitDefenceGraded,
    InitWinsGraded,
    AttackFirst,
    CountLists,
    AddUpLists,
    WriteLists,
    Defend,
    Attack,
    FinishWon,
    FinalCounts,
    Watch,
    Relay,
    CutSlices,
    CopyPlane,
    UnitePlanes,
    LostAgain,
    CheckValues,
    CheckClock,
    CheckLayer,
    TwoStart,
    TwoFirst,
    TwoDefend,
    TwoAttack,
    TwoFinish,
    TakeOff,
    KeepStart,
    StartRun,
    CountLate,
    TakeLate,
}

/// The kernels are compiled in groups, each when it is first needed, several at
/// once. The values are those of `PART` in `kernels/prelude.cu`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum KernelGroup {
    Waves,
    Graded,
    Again,
    Check,
    Start,
    Finish,
    First,
    Two,
    Late,
}

/// Boards with more tiles than this get kernels of their own: the compiler's
/// seconds come back many times over.
const FIXED_TILES: u32 = 1 << 24;

/// What is compiled at one time.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Build {
    pub outer: usize,
    /// Whether the kings span the tile.
    pub pawns: bool,
    pub part: KernelGroup,
    /// The one board the kernels are for, if they are for one only.
    pub fixed: Option<Board>,
}

impl Build {
    /// The build that works on a board.
    pub fn of(board: &Board, part: KernelGroup) -> Build {
        let fixed = (board.tiles > FIXED_TILES).then_some(board.of_any_size());
        Build { outer: board.outer as usize, pawns: board.kings_in_tile(), part, fixed }
    }

    /// The build for this board alone.
    pub fn own(board: &Board, part: KernelGroup) -> Build {
        Build { fixed: Some(board.of_any_size()), ..Build::of(board, part) }
    }
}

impl KernelGroup {
    /// What every solve needs, in the order in which it does.
    pub const ALWAYS: [KernelGroup; 4] =
        [KernelGroup::Start, KernelGroup::First, KernelGroup::Waves, KernelGroup::Finish];
    /// The same where no plane of losses is kept.
    pub const WITHOUT_LOSSES: [KernelGroup; 5] = [
        KernelGroup::Start,
        KernelGroup::First,
        KernelGroup::Waves,
        KernelGroup::Finish,
        KernelGroup::Again,
    ];
    /// The same in two planes.
    pub const IN_TWO: [KernelGroup; 4] =
        [KernelGroup::Start, KernelGroup::Two, KernelGroup::Waves, KernelGroup::Finish];
}

impl Kernel {
    pub fn name(self) -> &'static str {
        match self {
            Kernel::InitOpen => "init_open",
            Kernel::InitDefenceOne => "init_defence_one",
            Kernel::InitDefenceGraded => "init_defence_graded",
            Kernel::InitWinsGraded => "init_wins_graded",
            Kernel::AttackFirst => "attack_first",
            Kernel::CountLists => "count_lists",
            Kernel::AddUpLists => "add_up_lists",
            Kernel::WriteLists => "write_lists",
            Kernel::Defend => "defend",
            Kernel::Attack => "attack",
            Kernel::FinishWon => "finish_won",
            Kernel::FinalCounts => "final_counts",
            Kernel::Watch => "watch",
            Kernel::Relay => "relay",
            Kernel::CutSlices => "cut_slices",
            Kernel::CopyPlane => "copy_plane",
            Kernel::UnitePlanes => "unite_planes",
            Kernel::LostAgain => "lost_again",
            Kernel::CheckValues => "check_values",
            Kernel::CheckClock => "check_clock",
            Kernel::CheckLayer => "check_layer",
            Kernel::TwoStart => "two_start",
            Kernel::TwoFirst => "two_first",
            Kernel::TwoDefend => "two_defend",
            Kernel::TwoAttack => "two_attack",
            Kernel::TwoFinish => "two_finish",
            Kernel::TakeOff => "take_off",
            Kernel::KeepStart => "keep_start",
            Kernel::StartRun => "start_run",
            Kernel::CountLate => "count_late",
            Kernel::TakeLate => "take_late",
        }
    }

    /// The part the kernel is in.
    pub fn part(self) -> KernelGroup {
        match self {
            Kernel::InitDefenceGraded | Kernel::InitWinsGraded => KernelGroup::Graded,
            Kernel::Relay | Kernel::CutSlices => KernelGroup::Graded,
            Kernel::LostAgain => KernelGroup::Again,
            Kernel::CheckValues | Kernel::CheckClock | Kernel::CheckLayer => KernelGroup::Check,
            Kernel::InitOpen | Kernel::InitDefenceOne => KernelGroup::Start,
            Kernel::AttackFirst => KernelGroup::First,
            Kernel::CountLists | Kernel::AddUpLists | Kernel::WriteLists => KernelGroup::Waves,
            Kernel::Defend | Kernel::Attack => KernelGroup::Waves,
            Kernel::FinishWon | Kernel::FinalCounts | Kernel::Watch => KernelGroup::Finish,
            Kernel::UnitePlanes | Kernel::CopyPlane => KernelGroup::Finish,
            Kernel::TwoStart | Kernel::TwoFirst | Kernel::TwoDefend => KernelGroup::Two,
            Kernel::TwoAttack | Kernel::TwoFinish | Kernel::TakeOff => KernelGroup::Two,
            Kernel::KeepStart | Kernel::StartRun => KernelGroup::Late,
            Kernel::CountLate | Kernel::TakeLate => KernelGroup::Late,
        }
    }
}

/// The kernel sources, in order, without the prelude.
pub(crate) const SOURCES: [&str; 13] = [
    include_str!("../kernels/base.cu"),
    include_str!("../kernels/cell.cu"),
    include_str!("../kernels/moves.cu"),
    include_str!("../kernels/captures.cu"),
    include_str!("../kernels/pawns.cu"),
    include_str!("../kernels/count.cu"),
    include_str!("../kernels/waves.cu"),
    include_str!("../kernels/two.cu"),
    include_str!("../kernels/late.cu"),
    include_str!("../kernels/graded.cu"),
    include_str!("../kernels/finish.cu"),
    include_str!("../kernels/again.cu"),
    include_str!("../kernels/check.cu"),
];

/// A device that runs the kernels. The launches and copies of one thread happen
/// in the order they are asked for, and a download waits for what came before
/// it; a thread waits (`synchronize`) before it hands a buffer to another.
pub(crate) trait Device: Send + Sync {
    fn name(&self) -> String;
    /// Free and total memory in bytes.
    fn memory(&self) -> Result<(u64, u64), CudaError>;
    /// Memory; its content is undefined. Must be given to `free`.
    fn alloc(&self, bytes: usize) -> Result<Address, CudaError>;
    fn free(&self, at: Address, bytes: usize);
    /// Memory of the host that kernels reach by themselves, many times slower than the
    /// card's; its content is undefined. Must be given to `free_beside`.
    fn alloc_beside(&self, bytes: usize) -> Result<Address, CudaError>;
    fn free_beside(&self, at: Address, bytes: usize);
    fn fill(&self, at: Address, byte: u8, bytes: usize) -> Result<(), CudaError>;
    fn upload(&self, at: Address, from: &[u8]) -> Result<(), CudaError>;
    fn download(&self, to: &mut [u8], at: Address) -> Result<(), CudaError>;
    /// Compiles kernels, if not done yet.
    fn prepare(&self, build: &Build) -> Result<(), CudaError>;
    fn launch(&self, kernel: Kernel, job: &Job) -> Result<(), CudaError>;
    fn synchronize(&self) -> Result<(), CudaError>;
    /// Tells a profiler, if one is attached, where the measured part begins
    /// and ends.
    fn mark_measured(&self, begin: bool);
}

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Memory {
    Card,
    /// The host's, within reach of the card.
    Beside,
}

/// Memory that the device works in, given back when dropped.
pub(crate) struct Buffer {
    device: Arc<dyn Device>,
    address: Address,
    bytes: usize,
    memory: Memory,
}

/// Sizes are rounded up to this.
const GRAIN_BYTES: usize = 512;

impl Buffer {
    /// Memory with undefined content.
    pub fn new(device: &Arc<dyn Device>, bytes: usize) -> Result<Buffer, CudaError> {
        let bytes = bytes.max(1).next_multiple_of(GRAIN_BYTES);
        let (address, memory) = (device.alloc(bytes)?, Memory::Card);
        Ok(Buffer { device: device.clone(), address, bytes, memory })
    }

    /// The same in the memory of the host.
    pub fn beside(device: &Arc<dyn Device>, bytes: usize) -> Result<Buffer, CudaError> {
        let bytes = bytes.max(1).next_multiple_of(GRAIN_BYTES);
        let (address, memory) = (device.alloc_beside(bytes)?, Memory::Beside);
        Ok(Buffer { device: device.clone(), address, bytes, memory })
    }

    /// Memory with every byte 0.
    pub fn zeroed(device: &Arc<dyn Device>, bytes: usize) -> Result<Buffer, CudaError> {
        let buffer = Buffer::new(device, bytes)?;
        buffer.fill(0)?;
        Ok(buffer)
    }

    pub fn address(&self) -> Address {
        self.address
    }

    pub fn len_bytes(&self) -> usize {
        self.bytes
    }

    pub fn fill(&self, byte: u8) -> Result<(), CudaError> {
        self.device.fill(self.address, byte, self.bytes)
    }

    /// Sets the first bytes to 0.
    pub fn clear_first(&self, bytes: usize) -> Result<(), CudaError> {
        assert!(bytes <= self.bytes, "more than the buffer holds");
        self.device.fill(self.address, 0, bytes)
    }

    /// Memory that holds these items.
    pub fn of<T: NoUninit>(device: &Arc<dyn Device>, items: &[T]) -> Result<Buffer, CudaError> {
        let buffer = Buffer::new(device, size_of_val(items))?;
        buffer.write(items)?;
        Ok(buffer)
    }

    /// Copies items to the beginning of the buffer.
    pub fn write<T: NoUninit>(&self, items: &[T]) -> Result<(), CudaError> {
        let bytes: &[u8] = bytemuck::cast_slice(items);
        assert!(bytes.len() <= self.bytes, "more than the buffer holds");
        self.device.upload(self.address, bytes)
    }

    /// Copies bytes into the buffer.
    pub fn write_at(&self, bytes: &[u8], offset: usize) -> Result<(), CudaError> {
        assert!(offset + bytes.len() <= self.bytes, "more than the buffer holds");
        self.device.upload(self.address + offset as u64, bytes)
    }

    /// Copies items from the buffer, the first of them being the `first`-th
    /// item in it.
    pub fn read_into<T>(&self, to: &mut [T], first: usize) -> Result<(), CudaError>
    where
        T: NoUninit + AnyBitPattern,
    {
        let offset = first * size_of::<T>();
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(to);
        assert!(offset + bytes.len() <= self.bytes, "more than the buffer holds");
        self.device.download(bytes, self.address + offset as u64)
    }

    /// The first items of the buffer.
    pub fn read<T: NoUninit + AnyBitPattern>(&self, count: usize) -> Result<Vec<T>, CudaError> {
        let mut items = vec![T::zeroed(); count];
        self.read_into(&mut items, 0)?;
        Ok(items)
    }

    /// The first words of the buffer.
    pub fn words<const N: usize>(&self) -> Result<[u64; N], CudaError> {
        let mut words = [0; N];
        self.read_into(&mut words, 0)?;
        Ok(words)
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        match self.memory {
            Memory::Card => self.device.free(self.address, self.bytes),
            Memory::Beside => self.device.free_beside(self.address, self.bytes),
        }
    }
}
