// Types and arithmetic shared by all kernels.
//
// One warp works on one tile. Lane l holds rows 2l and 2l + 1, so that a warp
// reads a tile as 32 accesses of 16 bytes. OUTER, the number of outer men, is
// a compile-time constant: squares then live in registers.

typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
typedef unsigned char u8;

#define FULL_WARP 0xffffffffu
#define MAX_DEPTH_BITS 11
#define MAX_PIECES 6
#define NO_PAIR 0xffffu
#define NO_SQUARE 0xffu
#define NEVER 0xffffu
#define NOT_YET 0xffffffffu
#define NOTED_MOST 65536u

enum Role { KING, QUEEN, ROOK, BISHOP, KNIGHT };
enum Goal { WIN, HOLD };
enum Rule { RULE_ONE, RULE_ONWARD, RULE_FIFTY };

// The layout of one hyperboard. Pieces are numbered outer men first, then the
// row man, then the column man.
struct Board {
    u32 tiles;
    u32 numbers; // placements of the outer men
    u32 outer;
    u32 inner; // of these, placements of White's outer men, which vary fastest
    u32 has_row;
    u32 has_column;
    u32 stride[MAX_PIECES];    // of the axis an outer man belongs to
    u64 numbers_inverse;       // floor(2^64 / x) + 1; 0 for x = 1
    u64 stride_inverse[MAX_PIECES];
    u8 close[MAX_PIECES];      // size of the group this outer man ends, or 0
    u8 group[MAX_PIECES];      // number of the group
    u8 group_len[MAX_PIECES];  // its size
    u8 role[MAX_PIECES];
    u8 color[MAX_PIECES];
    u8 kind_end[MAX_PIECES];   // whether the next piece is of another kind
    u8 unused[4];              // what would be padding
};

struct Tables {
    u64 between[64 * 64];
    u64 reach[5][64]; // by role, on an empty board
    u32 binomial[MAX_PIECES + 1][64];
    u16 pair[64 * 64]; // class | symmetry << 9
    u8 white[464];
    u8 black[464];
    u8 king_to[64][8];
};

// The solved values of the board without one piece, for the same attacker.
struct Sub {
    Board board;
    u32 depth_bits;
    u32 unused;
    const u64 *open; // attacker to move, legal and not won
    const u64 *won;
    const u64 *lost;
    const u64 *won_depth[MAX_DEPTH_BITS];
    const u64 *lost_depth[MAX_DEPTH_BITS];
};

struct Release {
    u64 *some;
    u64 *bits[MAX_DEPTH_BITS];
    u16 *due; // the next ply at which a position of the tile is due
};

// One placement of the pawns.
struct Place {
    u64 pawns[2];
    u32 first_exit; // its moves out of the board
    u32 last_exit;
    u32 symmetric; // the mirror maps it to itself: both images are stored
    u32 unused;
};

// The solved values of a board whose kings span the tile, for the same
// attacker: another material with pawns, or one without in that layout.
struct Target {
    Board board;
    u32 depth_bits;
    u32 unused;
    const u64 *open;
    const u64 *won;
    const u64 *lost;
    const u64 *stalemate; // defender to move
    const u64 *won_depth[MAX_DEPTH_BITS];
    const u64 *lost_depth[MAX_DEPTH_BITS];
};

#define MAX_TARGET_MEN 4
#define FIXED_MAN 0xffu
#define NO_VICTIM 0xffu

enum ExitKind { TAKEN, FORWARD, PAWN_TAKES_PAWN, PAWN_TAKES_PIECE };

// A kind of move that leaves a placement.
struct Exit {
    u64 empty;      // squares that outer men must leave free
    u64 passed;     // squares on which a king would be in the way
    u32 first_tile; // of the placement it leads to
    u32 target;
    u32 en_passant_first[2];  // where an answer en passant leads to
    u32 en_passant_target[2];
    u8 en_passant_mirrored[2];
    u8 en_passants;
    u8 kind;
    u8 side;
    u8 rule;
    u8 victim; // outer man that is taken, if any
    u8 square; // on which a man is taken
    u8 mirrored;
    u8 fixed_square; // of the promoted man
    u8 from[MAX_TARGET_MEN]; // the target's men among ours, or FIXED_MAN
    u8 unused[2];
};

// A tile of a set that is taken off a plane later.
struct PutOffTile {
    u32 tile;
    u32 start; // the number of its first block
};

// Such tiles, with room for so many.
struct PutOff {
    u64 *used; // tiles, blocks, and whether there was too little room
    PutOffTile *tiles;
    u8 *blocks;
    u64 most_tiles;
    u64 most_blocks;
    u32 wanted; // whether this launch puts off what it decides
    u32 from_open; // whether that is to be taken off `open`
};

// Mate under the 50-move rule: what every run starts from, and what one of them
// leaves undecided; see late.cu.
struct Late {
    u64 *open;       // the attacker's legal positions
    u64 *candidates; // what the defender can lose, mates left out
    u64 *mates;
    u16 *wins_due; // of the release planes
    u16 *holds_due;
    u64 *run_open;
    u64 *run_candidates;
    u64 *left; // by placement of the pawns: positions still to be decided
};

// The values of a board at one clock.
struct Layer {
    u64 *open;
    u64 *won;
    u64 *lost;
    u64 *won_depth[MAX_DEPTH_BITS];
    u64 *lost_depth[MAX_DEPTH_BITS];
};

// Everything a launch needs; each kernel uses its part.
struct Job {
    Board board;
    Sub subs[MAX_PIECES];
    const Tables *tables;
    u32 attacker; // 0 White, 1 Black
    u32 rule;
    u32 release_bits; // 0: every conversion counts 1
    u32 ply;
    int bishops[2]; // count only placements with these two on both colours
    u64 *open;
    u8 *open_live;
    u64 *candidates;
    u8 *candidates_live;
    u64 *lost_before;
    u8 *lost_before_live;
    u64 *lost_now;
    u8 *lost_now_live;
    u8 *dirty_open;
    u8 *dirty_candidates;
    u32 *list_open;
    u32 *list_candidates;
    u32 *starts; // of the groups of tiles in the two lists
    u32 *counts; // of the two lists
    Release wins;
    Release holds;
    u64 *won;
    u64 *lost;
    u64 *won_depth[MAX_DEPTH_BITS];
    u64 *lost_depth[MAX_DEPTH_BITS];
    const u64 *other_won;  // the other attacker's planes
    const u64 *other_lost;
    u64 *tally;
    u32 *last_due;
    const u64 *watched; // addresses; the top bit says that the defender is to move
    u32 *watched_plies; // when each was decided, or NOT_YET
    u32 watched_count;
    u32 sooner; // conversions count so many plies sooner, but none before ply 1
    u64 *noted_won; // how many, then the addresses of what a wave decides
    u64 *noted_lost;
    const Place *places;
    const Exit *exits;
    const Target *targets;
    const u32 *level; // the placements that are solved together
    u64 level_count;
    u64 *stalemate;
    u16 *held; // in two planes: how many stuck positions of the tile are known to be held
    PutOff put_off;
    Late late;
    Layer layer;
};

// For the largest boards the kernels are compiled for one board only, which
// turns tests of roles and colours and most of the addressing into constants. How
// many tiles there are is the job's: parts of a table differ in that.
#ifdef FIXED_BOARD
CONSTANT Board FIXED = FIXED_BOARD;
#define BOARD(job) FIXED
#else
#define BOARD(job) ((job).board)
#endif

// The caller lays the structures out a second time and says how large its own
// are; see layout.rs.
static_assert(sizeof(Board) == BOARD_BYTES, "Board: layout.rs and base.cu differ");
static_assert(sizeof(Tables) == TABLES_BYTES, "Tables: layout.rs and base.cu differ");
static_assert(sizeof(Sub) == SUB_BYTES, "Sub: layout.rs and base.cu differ");
static_assert(sizeof(Release) == RELEASE_BYTES, "Release: layout.rs and base.cu differ");
static_assert(sizeof(Place) == PLACE_BYTES, "Place: layout.rs and base.cu differ");
static_assert(sizeof(Target) == TARGET_BYTES, "Target: layout.rs and base.cu differ");
static_assert(sizeof(Exit) == EXIT_BYTES, "Exit: layout.rs and base.cu differ");
static_assert(sizeof(PutOff) == PUT_OFF_BYTES, "PutOff: layout.rs and base.cu differ");
static_assert(sizeof(PutOffTile) == PUT_OFF_TILE_BYTES, "PutOffTile: layout.rs and base.cu differ");
static_assert(sizeof(Late) == LATE_BYTES, "Late: layout.rs and base.cu differ");
static_assert(sizeof(Layer) == LAYER_BYTES, "Layer: layout.rs and base.cu differ");
static_assert(sizeof(Job) == JOB_BYTES, "Job: layout.rs and base.cu differ");

// x / d by its inverse. With m = floor(2^64 / d) + 1 the product exceeds the
// quotient by less than x d / 2^64 < 1 / d, so the integer part is right.
DEVICE u32 divide(u32 x, u64 inverse) { return inverse ? (u32)__umul64hi(x, inverse) : x; }

DEVICE u64 bit(int square) { return 1ull << square; }
DEVICE bool has(u64 set, int square) { return set >> square & 1; }

struct Pair64 {
    u64 a, b;
};

DEVICE Pair64 load_rows(const u64 *plane, u32 tile, int lane)
{
    const ulonglong2 *at = (const ulonglong2 *)(plane + (u64)tile * 64) + lane;
    ulonglong2 x = *at;
    Pair64 out = {x.x, x.y};
    return out;
}

DEVICE void store_rows(u64 *plane, u32 tile, int lane, u64 a, u64 b)
{
    ulonglong2 x;
    x.x = a;
    x.y = b;
    ((ulonglong2 *)(plane + (u64)tile * 64))[lane] = x;
}

// The symmetries: bit 0 flips files, bit 1 flips ranks, bit 2 then exchanges
// files and ranks.
DEVICE int image(int symmetry, int square)
{
    square ^= (symmetry & 1) ? 7 : 0;
    square ^= (symmetry & 2) ? 56 : 0;
    return (symmetry & 4) ? (square & 7) << 3 | square >> 3 : square;
}

DEVICE u64 swap_bytes(u64 x)
{
    u32 low = __byte_perm((u32)x, 0, 0x0123);
    u32 high = __byte_perm((u32)(x >> 32), 0, 0x0123);
    return (u64)low << 32 | high;
}

DEVICE u64 exchange_files_ranks(u64 x)
{
    u64 t = 0x0f0f0f0f00000000ull & (x ^ (x << 28));
    x ^= t ^ (t >> 28);
    t = 0x3333000033330000ull & (x ^ (x << 14));
    x ^= t ^ (t >> 14);
    t = 0x5500550055005500ull & (x ^ (x << 7));
    return x ^ t ^ (t >> 7);
}

// A set in the frame before the symmetry was applied.
DEVICE u64 back_through(int symmetry, u64 x)
{
    if (symmetry & 4) x = exchange_files_ranks(x);
    // Reversing all bits flips both ways; swapping bytes flips ranks.
    if (symmetry & 1) x = swap_bytes(__brevll(x));
    if (symmetry & 2) x = swap_bytes(x);
    return x;
}

#define FILE_A 0x0101010101010101ull
#define NOT_A (~FILE_A)
#define NOT_H (~(FILE_A << 7))

// A slider's attacks in one direction from the set, blockers included, by
// Kogge-Stone. `mask` removes the file a step would wrap to.
template <int STEP> DEVICE u64 ray_up(u64 set, u64 empty, u64 mask)
{
    u64 p = empty & mask, g = set;
    g |= p & (g << STEP);
    p &= p << STEP;
    g |= p & (g << (2 * STEP));
    p &= p << (2 * STEP);
    g |= p & (g << (4 * STEP));
    return (g << STEP) & mask;
}

template <int STEP> DEVICE u64 ray_down(u64 set, u64 empty, u64 mask)
{
    u64 p = empty & mask, g = set;
    g |= p & (g >> STEP);
    p &= p >> STEP;
    g |= p & (g >> (2 * STEP));
    p &= p >> (2 * STEP);
    g |= p & (g >> (4 * STEP));
    return (g >> STEP) & mask;
}

DEVICE u64 rook_from(u64 set, u64 empty)
{
    return ray_up<8>(set, empty, ~0ull) | ray_down<8>(set, empty, ~0ull) |
           ray_up<1>(set, empty, NOT_A) | ray_down<1>(set, empty, NOT_H);
}

DEVICE u64 bishop_from(u64 set, u64 empty)
{
    return ray_up<9>(set, empty, NOT_A) | ray_down<7>(set, empty, NOT_A) |
           ray_up<7>(set, empty, NOT_H) | ray_down<9>(set, empty, NOT_H);
}

DEVICE u64 knight_from(u64 set)
{
    u64 one = ((set << 1) & NOT_A) | ((set >> 1) & NOT_H);
    u64 two = ((set << 2) & NOT_A & ~(FILE_A << 1)) | ((set >> 2) & NOT_H & ~(FILE_A << 6));
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

DEVICE u64 king_moves(u64 set)
{
    u64 beside = ((set << 1) & NOT_A) | ((set >> 1) & NOT_H);
    u64 three = set | beside;
    return beside | three << 8 | three >> 8;
}

// Squares attacked by pieces of one role standing on `set`.
DEVICE u64 attacks_from(int role, u64 set, u64 empty)
{
    u64 out = 0;
    if (role == QUEEN || role == ROOK) out |= rook_from(set, empty);
    if (role == QUEEN || role == BISHOP) out |= bishop_from(set, empty);
    if (role == KNIGHT) out |= knight_from(set);
    if (PAWNS && role == KING) out |= king_moves(set);
    return out;
}

// Rows become columns, over the whole warp: blocks of 32, 16, ... are
// exchanged between the lanes that hold the two rows.
DEVICE void transpose_tile(int lane, u64 &a, u64 &b)
{
    u64 mask = 0x00000000ffffffffull;
#pragma unroll
    for (int width = 32; width > 1; width >>= 1) {
        u64 x = __shfl_xor_sync(FULL_WARP, a, width / 2);
        u64 y = __shfl_xor_sync(FULL_WARP, b, width / 2);
        if (lane & width / 2) {
            a = (a & ~mask) | (x >> width & mask);
            b = (b & ~mask) | (y >> width & mask);
        } else {
            a = (a & mask) | (x & mask) << width;
            b = (b & mask) | (y & mask) << width;
        }
        mask ^= mask << (width / 2);
    }
    u64 x = a;
    a = (a & mask) | (b & mask) << 1;
    b = (b & ~mask) | (x >> 1 & mask);
}
