// The names the kernels are written in, for the card.
#define DEVICE static __device__ __forceinline__
#define CONSTANT static __device__ constexpr
#define NOINLINE static __device__ __noinline__
#define LANE (int)(threadIdx.x & 31)
#define WARP (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32)
#define WARPS (gridDim.x * (blockDim.x / 32))
// The kernels are compiled in parts, each when it is first needed.
#define PART_WAVES (PART == 0)
#define PART_GRADED (PART == 1)
#define PART_AGAIN (PART == 2)
#define PART_CHECK (PART == 3)
#define PART_START (PART == 4)
#define PART_FINISH (PART == 5)
#define PART_FIRST (PART == 6)
#define PART_TWO (PART == 7)
#define PART_LATE (PART == 8)
// Whether the board has pawns: the kings then span the tile.
#ifndef PAWNS
#define PAWNS 0
#endif
// Blocks of 256 threads a multiprocessor should hold: it bounds the registers.
#ifndef WAVE_BLOCKS
#define WAVE_BLOCKS 4
#endif
#ifndef INIT_BLOCKS
#define INIT_BLOCKS 2
#endif
#define KERNEL(name, blocks) extern "C" __global__ void __launch_bounds__(256, blocks) name(const __grid_constant__ Job job)
