// Counting positions.

// What one lane has counted; lanes are summed once, when the warp is done.
// A lane's own counts fit 32 bits: a tile adds at most 128, and no card has so
// few warps that one of them sees 33 million tiles.
struct Tally {
    u32 decided; // addresses
    u32 plain;   // of these, those to be counted, in tiles without mirror images
    u32 mirrored;
    u32 unique; // one of each pair of mirror images
    u32 tiles;
    u64 first; // the lowest address, complemented
};

#define TALLY_WORDS 8

DEVICE Tally no_tally()
{
    Tally out = {0, 0, 0, 0, 0, 0};
    return out;
}

// Notes the addresses of a set, if there is a list and room in it. The first
// word of the list counts; beyond what it holds the count is not exact.
NOINLINE void note_rows(u64 *list, u32 tile, int lane, Pair64 set)
{
    if (!list) return;
    for (int half = 0; half < 2; half++) {
        const u64 row = (u64)tile << 12 | (2 * lane + half) << 6;
        for (u64 rest = half ? set.b : set.a; rest; rest &= rest - 1) {
            if (*(volatile u64 *)list >= NOTED_MOST) return;
            const u64 at = atomicAdd(list, 1ull);
            if (at < NOTED_MOST) list[1 + at] = row | (__ffsll(rest) - 1);
        }
    }
}

#define DARK 0xaa55aa55aa55aa55ull

// Column squares with the two chosen bishops on squares of both colours.
DEVICE u64 bishop_mask(const Job &job, const Cell &cell, int row)
{
    if (job.bishops[0] < 0) return ~0ull;
    int parity = 0;
    bool in_column = false;
    for (int k = 0; k < 2; k++) {
        int at = row;
        if (job.bishops[k] == OUTER + 1) {
            in_column = true;
            continue;
        }
#pragma unroll
        for (int i = 0; i < OUTER; i++)
            if (i == job.bishops[k]) at = cell.square[i];
        parity ^= has(DARK, at);
    }
    if (in_column) return parity ? ~DARK : DARK;
    return parity ? ~0ull : 0;
}

// Squares of the outer men, a byte each: small enough to be handed to a
// function that is not inlined.
DEVICE u64 pack_squares(const Cell &cell)
{
    u64 out = 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++) out |= (u64)cell.square[i] << (8 * i);
    return out;
}

// Whether a placement is not after its image in the long diagonal and has like
// men in rising order: one address of each class.
DEVICE bool is_representative(const Board &board, u64 squares, int row, int column)
{
    u64 set = 0;
    int last = -1;
    bool decided = false, comes_first = true;
    const int pieces = OUTER + (int)(board.has_row + board.has_column);
    for (int i = 0; i < pieces; i++) {
        int at = i < OUTER ? (int)(squares >> (8 * i)) & 63 : i + 1 < pieces ? row : column;
        if (at <= last) return false;
        last = at;
        set |= bit(at);
        if (!board.kind_end[i]) continue;
        // The first kind that differs from its image decides, but the men of
        // later kinds must still be in order.
        last = -1;
        u64 differ = set ^ exchange_files_ranks(set);
        if (differ && !decided) {
            decided = true;
            comes_first = has(set, __ffsll(differ) - 1);
        }
        set = 0;
    }
    return comes_first;
}

// Rare (a twentieth of the tiles) and long: kept out of the callers.
NOINLINE u32 count_representatives(const Board &board, u64 squares, int row, u64 set)
{
    u32 count = 0;
    for (; set; set &= set - 1) count += is_representative(board, squares, row, __ffsll(set) - 1);
    return count;
}

#if PAWNS
// Of a placement that the mirror maps to itself: the positions not after their
// image, compared kind by kind, the pieces first, then the white king.
DEVICE u64 representatives(const Job &job, const Cell &cell, int row)
{
    u64 set = 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        set |= bit(cell.square[i]);
        if (!BOARD(job).kind_end[i]) continue;
        u64 differ = set ^ back_through(1, set);
        if (differ) return has(set, __ffsll(differ) - 1) ? ~0ull : 0;
        set = 0;
    }
    return (row & 7) < 4 ? ~0ull : 0;
}
#endif

// Adds one row's positions to the tally.
DEVICE void tally_row(const Job &job, const Cell &cell, bool mirror, int row, u64 set, Tally &tally)
{
    if (!set) return;
    tally.decided += __popcll(set);
    set &= bishop_mask(job, cell, row);
    if (!set) return;
    u64 first = ~((u64)cell.tile << 12 | row << 6 | (__ffsll(set) - 1));
    if (first > tally.first) tally.first = first;
    if (!mirror) {
        tally.plain += __popcll(set);
        return;
    }
    tally.mirrored += __popcll(set);
#if PAWNS
    tally.unique += __popcll(set & representatives(job, cell, row));
#else
    tally.unique += count_representatives(BOARD(job), pack_squares(cell), row, set);
#endif
}

DEVICE void tally_rows(const Job &job, const Cell &cell, int lane, Pair64 set, Tally &tally)
{
#if PAWNS
    bool mirror = job.places[cell.king_class].symmetric;
#else
    bool mirror = maps_to_itself(job, cell.king_class);
#endif
    tally_row(job, cell, mirror, 2 * lane, set.a, tally);
    tally_row(job, cell, mirror, 2 * lane + 1, set.b, tally);
}

DEVICE u64 warp_sum(u32 value)
{
    u64 x = value;
#pragma unroll
    for (int width = 16; width; width >>= 1) x += __shfl_xor_sync(FULL_WARP, x, width);
    return x;
}

// The sum over the lanes up to this one.
DEVICE u32 sum_up_to(u32 value, int lane)
{
#pragma unroll
    for (int width = 1; width < 32; width <<= 1) {
        u32 other = __shfl_up_sync(FULL_WARP, value, width);
        if (lane >= width) value += other;
    }
    return value;
}

DEVICE void add_tally(const Tally &tally, u64 *into, int lane)
{
    u64 decided = warp_sum(tally.decided), plain = warp_sum(tally.plain);
    u64 mirrored = warp_sum(tally.mirrored), unique = warp_sum(tally.unique);
    u64 first = tally.first;
#pragma unroll
    for (int width = 16; width; width >>= 1) {
        u64 other = __shfl_xor_sync(FULL_WARP, first, width);
        if (other > first) first = other;
    }
    if (lane || !(decided | tally.tiles)) return;
    atomicAdd(into + 0, decided);
    atomicAdd(into + 1, plain);
    atomicAdd(into + 2, mirrored);
    atomicAdd(into + 3, unique);
    atomicMax(into + 4, first);
    atomicAdd(into + 5, (u64)tally.tiles);
}
