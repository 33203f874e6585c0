// Quiet moves: the positions of a tile with a move into a set.

// Moves every row of the tile FILES to the right and RANKS up; rows from
// beyond the edge are empty. Lane l holds files 2(l % 4) and one more.
template <int FILES, int RANKS> DEVICE void shift_rows(int lane, u64 &a, u64 &b)
{
    const int rank = (lane >> 2) - RANKS;
    const bool rank_ok = RANKS == 0 || (rank >= 0 && rank < 8);
    if (FILES % 2 == 0) {
        const int pair = (lane & 3) - FILES / 2;
        const bool ok = rank_ok && (FILES == 0 || (pair >= 0 && pair < 4));
        const int from = (lane - 4 * RANKS - FILES / 2) & 31;
        u64 x = __shfl_sync(FULL_WARP, a, from), y = __shfl_sync(FULL_WARP, b, from);
        a = ok ? x : 0;
        b = ok ? y : 0;
        return;
    }
    // An odd shift exchanges the two words; one of them crosses lanes.
    const int same = (lane - 4 * RANKS) & 31;
    const int next = (lane - 4 * RANKS - FILES) & 31;
    const int pair = (lane & 3) - FILES;
    const bool ok = rank_ok && pair >= 0 && pair < 4;
    u64 x, y;
    if (FILES == 1) {
        y = RANKS == 0 ? a : __shfl_sync(FULL_WARP, a, same);
        x = __shfl_sync(FULL_WARP, b, next);
        a = ok ? x : 0;
        b = rank_ok ? y : 0;
    } else {
        x = RANKS == 0 ? b : __shfl_sync(FULL_WARP, b, same);
        y = __shfl_sync(FULL_WARP, a, next);
        a = rank_ok ? x : 0;
        b = ok ? y : 0;
    }
}

// A slider as row man, one direction: Kogge-Stone across the rows.
template <int F, int R> DEVICE void row_ray(int lane, Pair64 set, Pair64 valid, Pair64 &out)
{
    u64 ga = set.a, gb = set.b, pa = valid.a, pb = valid.b;
    u64 xa = ga, xb = gb;
    shift_rows<F, R>(lane, xa, xb);
    ga |= pa & xa;
    gb |= pb & xb;
    xa = pa, xb = pb;
    shift_rows<F, R>(lane, xa, xb);
    pa &= xa;
    pb &= xb;
    xa = ga, xb = gb;
    shift_rows<2 * F, 2 * R>(lane, xa, xb);
    ga |= pa & xa;
    gb |= pb & xb;
    xa = pa, xb = pb;
    shift_rows<2 * F, 2 * R>(lane, xa, xb);
    pa &= xa;
    pb &= xb;
    xa = ga, xb = gb;
    shift_rows<4 * F, 4 * R>(lane, xa, xb);
    ga |= pa & xa;
    gb |= pb & xb;
    shift_rows<F, R>(lane, ga, gb);
    out.a |= ga;
    out.b |= gb;
}

template <int F, int R> DEVICE void row_leap(int lane, Pair64 set, Pair64 &out)
{
    shift_rows<F, R>(lane, set.a, set.b);
    out.a |= set.a;
    out.b |= set.b;
}

DEVICE void row_man(int role, int lane, Pair64 set, Pair64 valid, Pair64 &out)
{
    if (role == QUEEN || role == ROOK) {
        row_ray<1, 0>(lane, set, valid, out);
        row_ray<-1, 0>(lane, set, valid, out);
        row_ray<0, 1>(lane, set, valid, out);
        row_ray<0, -1>(lane, set, valid, out);
    }
    if (role == QUEEN || role == BISHOP) {
        row_ray<1, 1>(lane, set, valid, out);
        row_ray<-1, 1>(lane, set, valid, out);
        row_ray<1, -1>(lane, set, valid, out);
        row_ray<-1, -1>(lane, set, valid, out);
    }
    if (PAWNS && role == KING) {
        row_leap<1, 0>(lane, set, out);
        row_leap<-1, 0>(lane, set, out);
        row_leap<0, 1>(lane, set, out);
        row_leap<0, -1>(lane, set, out);
        row_leap<1, 1>(lane, set, out);
        row_leap<-1, 1>(lane, set, out);
        row_leap<1, -1>(lane, set, out);
        row_leap<-1, -1>(lane, set, out);
    }
    if (role == KNIGHT) {
        row_leap<1, 2>(lane, set, out);
        row_leap<2, 1>(lane, set, out);
        row_leap<-1, 2>(lane, set, out);
        row_leap<-2, 1>(lane, set, out);
        row_leap<1, -2>(lane, set, out);
        row_leap<2, -1>(lane, set, out);
        row_leap<-1, -2>(lane, set, out);
        row_leap<-2, -1>(lane, set, out);
    }
}

// Whether an outer man on `from` can move to `to` as far as the outer men
// tell. For leapers nothing is between.
DEVICE bool outer_reaches(const Job &job, const Cell &cell, int role, int from, int to)
{
    const Tables *tables = job.tables;
    return has(tables->reach[role][from], to) && !has(cell.occupied, to) &&
           !(tables->between[from * 64 + to] & cell.occupied);
}

// Tiles are read in batches, all loads before the first use: a warp that
// waited for each tile in turn would spend its time on the latency of memory.
// The defender finds nearly all tiles live, the attacker few.
#ifndef DEFEND_BATCH
#define DEFEND_BATCH 4
#endif
#ifndef ATTACK_BATCH
#define ATTACK_BATCH 2
#endif

// What the search for moves reads of a plane: the set itself, or its
// complement.
enum Reading { AS_IT_IS, COMPLEMENT };

template <int READING> DEVICE u64 read_as(u64 x) { return READING == COMPLEMENT ? ~x : x; }

// The part of a tile that an outer man can reach over this path: not where the
// row or column man stands on it.
DEVICE Pair64 cut(Pair64 set, u64 path, int lane)
{
    const u32 word = lane < 16 ? (u32)path : (u32)(path >> 32);
    const u32 rows = word >> (2 * lane & 31);
    const u32 keep_a = (rows & 1) - 1, keep_b = (rows >> 1 & 1) - 1;
    Pair64 out = {set.a & ~path & ((u64)keep_a << 32 | keep_a), set.b & ~path & ((u64)keep_b << 32 | keep_b)};
    return out;
}

// Whether no position that matters is left without a move. Every lane asks.
DEVICE bool all_covered(Pair64 need, Pair64 out)
{
    return !__any_sync(FULL_WARP, ((need.a & ~out.a) | (need.b & ~out.b)) != 0);
}

// An outer man: whole tiles, cut where the row or column man is in the way.
// The lanes look for live tiles first, all squares at once. Stops when all
// positions in `need` have a move; says whether it has.
template <bool STOP_EARLY, int READING>
DEVICE bool outer_man(const Job &job, const Cell &cell, int man, const u64 *plane, const u8 *live, int lane,
                      Pair64 need, Pair64 &out)
{
    const int BATCH = STOP_EARLY ? DEFEND_BATCH : ATTACK_BATCH;
    const int role = BOARD(job).role[man], from = cell.square[man];
    const Axis axis = axis_of(job, cell, man);
    u32 source = tile_with(job, axis, lane);
    const u32 later = tile_with(job, axis, lane + 32);
    const bool at_low = outer_reaches(job, cell, role, from, lane) && live[source];
    const bool at_high = outer_reaches(job, cell, role, from, lane + 32) && live[later];
    u32 targets = __ballot_sync(FULL_WARP, at_low);
    const u32 high_targets = __ballot_sync(FULL_WARP, at_high);
    const u64 *between = job.tables->between + from * 64;
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        while (targets) {
            Pair64 set[BATCH];
            u64 path[BATCH];
            int to = 0;
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                // A short last batch reads its last tile again: the union
                // does not mind.
                if (targets) to = __ffs(targets) - 1;
                targets &= targets - 1;
                set[k] = load_rows(plane, __shfl_sync(FULL_WARP, source, to), lane);
                path[k] = between[to];
            }
#pragma unroll
            for (int k = 0; k < BATCH; k++) {
                set[k].a = read_as<READING>(set[k].a);
                set[k].b = read_as<READING>(set[k].b);
                if (role != KNIGHT) set[k] = cut(set[k], path[k], lane);
                out.a |= set[k].a;
                out.b |= set[k].b;
            }
            if (STOP_EARLY && all_covered(need, out)) return true;
        }
        targets = high_targets;
        source = later;
        between = job.tables->between + from * 64 + 32;
    }
    return false;
}

#if !PAWNS
// The tile a king step leads to, worked out by the lane of its number.
struct KingStep {
    bool possible;
    u32 tile;
    u32 king_class;
    int symmetry;
    int square[OUTER + 1];
};

DEVICE KingStep king_neighbour(const Job &job, const Cell &cell, int side, int step)
{
    KingStep out;
    out.possible = false;
    out.tile = 0;
    out.king_class = 0;
    out.symmetry = 0;
    int to = step < 8 ? job.tables->king_to[king_of(cell, side)][step] : NO_SQUARE;
    if (to == NO_SQUARE || has(cell.occupied, to)) return out;
    if (!king_step(job, cell, side, to, out.king_class, out.symmetry)) return out;
    out.possible = true;
#pragma unroll
    for (int i = 0; i < OUTER; i++) out.square[i] = image(out.symmetry, cell.square[i]);
    out.tile = encode(job.tables, BOARD(job), out.king_class, out.square, OUTER);
    return out;
}

template <bool STOP_EARLY, int READING>
DEVICE bool king_man(const Job &job, const Cell &cell, int side, const u64 *plane, const u8 *live, int lane,
                     Pair64 need, Pair64 &out)
{
    const int BATCH = STOP_EARLY ? DEFEND_BATCH : ATTACK_BATCH;
    KingStep step = king_neighbour(job, cell, side, lane);
    u32 targets = __ballot_sync(FULL_WARP, step.possible && live[step.tile]);
    while (targets) {
        Pair64 set[BATCH];
        int symmetry[BATCH];
        const int count = __popc(targets);
        int from = 0;
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (targets) from = __ffs(targets) - 1;
            targets &= targets - 1;
            symmetry[k] = __shfl_sync(FULL_WARP, step.symmetry, from);
            const u64 *rows = plane + (u64)__shfl_sync(FULL_WARP, step.tile, from) * 64;
            const int turned = BOARD(job).has_row ? symmetry[k] : 0;
            set[k].a = read_as<READING>(rows[image(turned, 2 * lane)]);
            set[k].b = read_as<READING>(rows[image(turned, 2 * lane + 1)]);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            if (k < count && symmetry[k] && BOARD(job).has_column) {
                set[k].a = back_through(symmetry[k], set[k].a);
                set[k].b = back_through(symmetry[k], set[k].b);
            }
            out.a |= k < count ? set[k].a : 0;
            out.b |= k < count ? set[k].b : 0;
        }
        if (STOP_EARLY && all_covered(need, out)) return true;
    }
    return false;
}
#endif

// Positions from which `side` has a quiet move into the plane. With STOP_EARLY
// the answer is only complete within `need`: once all of that has a move the
// rest is not looked at.
template <bool STOP_EARLY, int READING = AS_IT_IS>
DEVICE Pair64 quiet(const Job &job, const Cell &cell, int side, const u64 *plane, const u8 *live, int lane, Pair64 need)
{
    const Board &board = BOARD(job);
    Pair64 out = {0, 0};
#pragma unroll
    for (int i = 0; i < OUTER; i++)
        if (board.color[i] == side && outer_man<STOP_EARLY, READING>(job, cell, i, plane, live, lane, need, out)) return out;
#if !PAWNS
    if (king_man<STOP_EARLY, READING>(job, cell, side, plane, live, lane, need, out)) return out;
#endif
    const int column = OUTER + (int)board.has_row;
    const bool row_moves = board.has_row && board.color[OUTER] == side;
    const bool column_moves = board.has_column && board.color[column] == side;
    if ((row_moves || column_moves) && live[cell.tile]) {
        const Pair64 valid = valid_rows(board, cell, lane);
        Pair64 own = load_rows(plane, cell.tile, lane);
        own.a = read_as<READING>(own.a);
        own.b = read_as<READING>(own.b);
        if (column_moves) {
            out.a |= attacks_from(board.role[column], own.a, valid.a);
            out.b |= attacks_from(board.role[column], own.b, valid.b);
        }
        if (row_moves && !(STOP_EARLY && all_covered(need, out))) row_man(board.role[OUTER], lane, own, valid, out);
    }
    return out;
}

// Marks the tiles from which `side` has a quiet move into this one. Quiet
// moves can be taken back, so these are the tiles it can move to. Not inlined,
// to leave the registers to the search for moves.
NOINLINE void mark_neighbours(const Job &job, Cell cell, int side, u8 *dirty, int lane)
{
    const Board &board = BOARD(job);
    const int column = OUTER + (int)board.has_row;
    const bool in_tile = (board.has_row && board.color[OUTER] == side) ||
                         (board.has_column && board.color[column] == side);
    if (in_tile && lane == 0) dirty[cell.tile] = 1;
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        if (board.color[i] != side) continue;
        const Axis axis = axis_of(job, cell, i);
        for (int to = lane; to < 64; to += 32)
            if (outer_reaches(job, cell, board.role[i], cell.square[i], to)) dirty[tile_with(job, axis, to)] = 1;
    }
#if !PAWNS
    KingStep step = king_neighbour(job, cell, side, lane);
    if (!step.possible) return;
    dirty[step.tile] = 1;
    if (maps_to_itself(job, step.king_class)) {
#pragma unroll
        for (int i = 0; i < OUTER; i++) step.square[i] = image(4, step.square[i]);
        dirty[encode(job.tables, board, step.king_class, step.square, OUTER)] = 1;
    }
#endif
}
