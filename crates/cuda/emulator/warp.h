// Runs the kernels on the host: the 32 lanes of one warp as fibers that meet
// at every warp intrinsic. Slow, exact, and enough to hold the kernels to the
// conformance suite where there is no card.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define DEVICE static inline
#define CONSTANT static constexpr
#define NOINLINE static
#define LANE warp::lane
#define PART_WAVES 1
#define PART_GRADED 1
#define PART_AGAIN 1
#define PART_CHECK 1
#define PART_START 1
#define PART_FINISH 1
#define PART_FIRST 1
#define PART_TWO 1
#define PART_LATE 1
#ifndef PAWNS
#define PAWNS 0
#endif
#define WARP 0u
#define WARPS 1u
#define KERNEL(name, blocks)                                                   \
    static void name##_lane(const Job &job);                           \
    extern "C" void name(const Job *job) { warp::run(name##_lane, job); } \
    static void name##_lane(const Job &job)

struct alignas(16) ulonglong2 { unsigned long long x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct Job;

namespace warp {

const int LANES = 32;
const size_t STACK_BYTES = 256 * 1024;
static int lane;
static void *stacks[LANES];
static void *contexts[LANES + 1];
static bool done[LANES];
static uint64_t slots[2][LANES];
static int phase[LANES];
static void (*body)(const Job &);
static const Job *argument;

// Saves the callee-saved registers and continues on another stack.
extern "C" void warp_switch(void **save, void *load);
asm(".text\n.local warp_switch\n.type warp_switch,@function\nwarp_switch:\n"
    "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
    "movq %rsp,(%rdi)\nmovq %rsi,%rsp\n"
    "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

static void to_next(int from)
{
    int next = from + 1;
    while (next < LANES && done[next]) next++;
    lane = next;
    warp_switch(&contexts[from], contexts[next]);
    lane = from;
}

static void start()
{
    body(*argument);
    done[lane] = true;
    to_next(lane);
    abort();
}

static void run(void (*kernel)(const Job &), const Job *job)
{
    body = kernel;
    argument = job;
    for (int i = 0; i < LANES; i++) {
        if (!stacks[i]) stacks[i] = aligned_alloc(64, STACK_BYTES);
        void **top = (void **)((char *)stacks[i] + STACK_BYTES) - 2;
        *top = (void *)start;
        contexts[i] = top - 6;
        memset(contexts[i], 0, 6 * sizeof(void *));
        done[i] = false;
        phase[i] = 0;
    }
    for (;;) {
        int first = 0;
        while (first < LANES && done[first]) first++;
        if (first == LANES) return;
        lane = first;
        warp_switch(&contexts[LANES], contexts[first]);
    }
}

// Gives every lane's value to all lanes.
static uint64_t *exchange(uint64_t value)
{
    int at = phase[lane] ^= 1;
    slots[at][lane] = value;
    to_next(lane);
    return slots[at];
}

} // namespace warp

template <class T> static T __shfl_sync(unsigned, T x, int from) { return (T)warp::exchange((uint64_t)x)[from & 31]; }
template <class T> static T __shfl_xor_sync(unsigned, T x, int mask)
{
    int from = warp::lane ^ mask;
    return (T)warp::exchange((uint64_t)x)[from];
}
template <class T> static T __shfl_up_sync(unsigned, T x, int by)
{
    int from = warp::lane - by;
    uint64_t *all = warp::exchange((uint64_t)x);
    return from < 0 ? x : (T)all[from];
}
static unsigned __ballot_sync(unsigned, bool x)
{
    uint64_t *all = warp::exchange(x);
    unsigned out = 0;
    for (int i = 0; i < 32; i++) out |= (unsigned)all[i] << i;
    return out;
}
static bool __any_sync(unsigned mask, bool x) { return __ballot_sync(mask, x) != 0; }
static int __ffs(unsigned x) { return __builtin_ffs((int)x); }
static int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static int __clzll(unsigned long long x) { return x ? __builtin_clzll(x) : 64; }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static unsigned __byte_perm(unsigned x, unsigned, unsigned) { return __builtin_bswap32(x); }
static unsigned long long __brevll(unsigned long long x)
{
    unsigned long long out = 0;
    for (int i = 0; i < 64; i++) out |= (x >> i & 1) << (63 - i);
    return out;
}
template <class T> static T atomicAdd(T *at, T x) { T old = *at; *at += x; return old; }
template <class T> static T atomicMax(T *at, T x) { T old = *at; if (x > old) *at = x; return old; }
