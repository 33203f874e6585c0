// The waves of retrograde analysis for one attacker. A launch covers all
// tiles, or those on a list; a warp takes one tile after the other.

#define TALLY_LOST 0
#define TALLY_WON 1
#define TALLY_LOST_NEXT 2
#define TALLY_HELD 3

DEVICE bool any_bit(u64 a, u64 b) { return __any_sync(FULL_WARP, (a | b) != 0); }

// Adds a ply to the depths of the positions just decided.
DEVICE void write_depth(u64 *const *planes, u32 ply, u32 tile, int lane, Pair64 set)
{
#pragma unroll
    for (int k = 0; k < MAX_DEPTH_BITS; k++) {
        if (!(ply >> k & 1) || !planes[k]) continue;
        Pair64 old = load_rows(planes[k], tile, lane);
        store_rows(planes[k], tile, lane, old.a | set.a, old.b | set.b);
    }
}

DEVICE void add_rows(u64 *plane, u32 tile, int lane, Pair64 set)
{
    if (!plane) return;
    Pair64 old = load_rows(plane, tile, lane);
    store_rows(plane, tile, lane, old.a | set.a, old.b | set.b);
}

#if PART_START
// The attacker's legal positions: nothing is won yet.
KERNEL(init_open, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Cell cell = decode(job, tile);
        Pair64 legal = {0, 0};
        if (cell.placed) legal = legal_rows(job, cell, job.attacker, lane);
        store_rows(job.open, tile, lane, legal.a, legal.b);
        bool live = any_bit(legal.a, legal.b);
        if (lane == 0) job.open_live[tile] = live;
    }
}

#endif

// The least ply above `after` among the positions of the set.
DEVICE u32 next_due(const Release &release, u32 bits, u32 after, u32 tile, int lane, Pair64 set)
{
    if (after >> bits) return NEVER; // no ply is that late
    Pair64 later = {0, 0};
    for (u32 k = 0; k < bits; k++) {
        Pair64 plane = load_rows(release.bits[k], tile, lane);
        u64 wanted = after >> k & 1 ? ~0ull : 0;
        later.a = (plane.a & ~wanted) | (later.a & ~(plane.a ^ wanted));
        later.b = (plane.b & ~wanted) | (later.b & ~(plane.b ^ wanted));
    }
    set.a &= later.a;
    set.b &= later.b;
    if (!any_bit(set.a, set.b)) return NEVER;
    u32 ply = 0;
    for (int k = (int)bits - 1; k >= 0; k--) {
        Pair64 plane = load_rows(release.bits[k], tile, lane);
        if (any_bit(set.a & ~plane.a, set.b & ~plane.b)) {
            set.a &= ~plane.a;
            set.b &= ~plane.b;
        } else {
            ply |= 1u << k;
        }
    }
    return ply;
}

// The greatest ply among the positions of the set, for knowing when to stop.
DEVICE u32 last_ply(const Release &release, u32 bits, u32 tile, int lane, Pair64 set)
{
    u32 ply = 0;
    for (int k = (int)bits - 1; k >= 0; k--) {
        Pair64 plane = load_rows(release.bits[k], tile, lane);
        if (any_bit(set.a & plane.a, set.b & plane.b)) {
            set.a &= plane.a;
            set.b &= plane.b;
            ply |= 1u << k;
        }
    }
    return ply;
}

template <int BITS>
DEVICE void store_release(const Job &job, const Release &release, const Conversions<BITS> &found, u32 tile, int lane)
{
    store_rows(release.some, tile, lane, found.a.some, found.b.some);
#pragma unroll
    for (int k = 0; k < BITS; k++)
        if (k < (int)job.release_bits) store_rows(release.bits[k], tile, lane, found.a.plies[k], found.b.plies[k]);
    // The rows this lane reads back are the ones it wrote.
    Pair64 some = {found.a.some, found.b.some};
    u32 due = next_due(release, job.release_bits, 0, tile, lane, some);
    u32 last = any_bit(found.a.some, found.b.some) ? last_ply(release, job.release_bits, tile, lane, some) : 0;
    if (lane == 0) {
        release.due[tile] = (u16)due;
        if (last) atomicMax(job.last_due, last);
    }
}

// The defender's positions at ply 0: who can escape is out of the game, who
// has no move is mated or stalemated. Where every conversion counts 1, the
// positions with losing conversions only are lost at ply 1: found here too.
template <int BITS> DEVICE void init_tile(const Job &job, u32 tile, int lane, Tally &mated, Tally &forced)
{
    const int defender = !job.attacker;
    Cell cell = decode(job, tile);
    if (!cell.placed) {
        store_rows(job.candidates, tile, lane, 0, 0);
        if (lane == 0) {
            job.candidates_live[tile] = 0;
            if (BITS) job.holds.due[tile] = NEVER;
        }
        if (BITS) store_rows(job.holds.some, tile, lane, 0, 0);
        return;
    }
    Pair64 legal = legal_rows(job, cell, defender, lane);
    Conversions<BITS> found;
    Mode mode = {HOLD, (int)job.rule, (int)job.release_bits};
    captures<BITS>(job, cell, defender, mode, lane, found);
    Pair64 candidates = {legal.a & ~found.a.escape, legal.b & ~found.b.escape};
    Pair64 moves = quiet<true>(job, cell, defender, job.open, job.open_live, lane, candidates);
    Pair64 still = {candidates.a & ~moves.a, candidates.b & ~moves.b};
    Pair64 forcing = {still.a & found.a.some, still.b & found.b.some};
    Pair64 none = {still.a & ~found.a.some, still.b & ~found.b.some};
    Pair64 check = in_check(job, cell, defender, lane);
    Pair64 mates = {none.a & check.a, none.b & check.b};
    if (job.stalemate) {
        Pair64 stalemates = {none.a & ~check.a, none.b & ~check.b};
        store_rows(job.stalemate, tile, lane, stalemates.a, stalemates.b);
    }
    Pair64 gone = BITS ? none : still;
    candidates.a &= ~gone.a;
    candidates.b &= ~gone.b;
    store_rows(job.candidates, tile, lane, candidates.a, candidates.b);
    bool live = any_bit(candidates.a, candidates.b);
    if (lane == 0) job.candidates_live[tile] = live;
    if (any_bit(mates.a, mates.b)) {
        store_rows(job.lost_before, tile, lane, mates.a, mates.b);
        if (lane == 0) job.lost_before_live[tile] = 1;
        add_rows(job.lost, tile, lane, mates);
        tally_rows(job, cell, lane, mates, mated);
        if (BITS) mark_neighbours(job, cell, job.attacker, job.dirty_open, lane);
    }
    if (BITS) {
        found.a.some &= candidates.a;
        found.b.some &= candidates.b;
        store_release<BITS>(job, job.holds, found, tile, lane);
    } else if (any_bit(forcing.a, forcing.b)) {
        store_rows(job.lost_now, tile, lane, forcing.a, forcing.b);
        if (lane == 0) job.lost_now_live[tile] = 1;
        add_rows(job.lost, tile, lane, forcing);
        write_depth(job.lost_depth, 1, tile, lane, forcing);
        tally_rows(job, cell, lane, forcing, forced);
        mark_neighbours(job, cell, job.attacker, job.dirty_open, lane);
    }
}

// The tiles a solve starts with: all of them, or those of a level of pawn
// placements.
DEVICE u32 tiles_to_start(const Job &job)
{
    return PAWNS ? (u32)job.level_count * BOARD(job).numbers : job.board.tiles;
}

DEVICE u32 tile_to_start(const Job &job, u32 at, bool for_black)
{
    if (!PAWNS) return tile_in_order(BOARD(job), at, for_black);
    const u32 place = divide(at, BOARD(job).numbers_inverse);
    return job.level[place] * BOARD(job).numbers + at - place * BOARD(job).numbers;
}

template <int BITS> DEVICE void init_defence(const Job &job)
{
    const int lane = LANE;
    Tally mated = no_tally(), forced = no_tally();
    for (u32 at = WARP; at < tiles_to_start(job); at += WARPS)
        init_tile<BITS>(job, tile_to_start(job, at, job.attacker == 0), lane, mated, forced);
    add_tally(mated, job.tally + TALLY_LOST * TALLY_WORDS, lane);
    add_tally(forced, job.tally + TALLY_LOST_NEXT * TALLY_WORDS, lane);
}

#if PART_START && !PAWNS
KERNEL(init_defence_one, INIT_BLOCKS) { init_defence<0>(job); }
#endif

// Takes positions off the open ones as won at this ply.
DEVICE void take_won(const Job &job, const Cell &cell, int lane, Pair64 open, Pair64 now, Tally &tally)
{
    open.a &= ~now.a;
    open.b &= ~now.b;
    store_rows(job.open, cell.tile, lane, open.a, open.b);
    bool live = any_bit(open.a, open.b);
    if (lane == 0) job.open_live[cell.tile] = live;
    add_rows(job.won, cell.tile, lane, now);
    write_depth(job.won_depth, job.ply, cell.tile, lane, now);
    tally_rows(job, cell, lane, now, tally);
    note_rows(job.noted_won, cell.tile, lane, now);
}

DEVICE void write_won(const Job &job, const Cell &cell, int lane, Pair64 open, Pair64 now, Tally &tally)
{
    take_won(job, cell, lane, open, now, tally);
    mark_neighbours(job, cell, !job.attacker, job.dirty_candidates, lane);
}

// Takes positions off the candidates as lost at this ply.
DEVICE void take_lost(const Job &job, const Cell &cell, int lane, Pair64 candidates, Pair64 now, Tally &tally)
{
    const u32 tile = cell.tile;
    candidates.a &= ~now.a;
    candidates.b &= ~now.b;
    store_rows(job.candidates, tile, lane, candidates.a, candidates.b);
    store_rows(job.lost_now, tile, lane, now.a, now.b);
    bool live = any_bit(candidates.a, candidates.b);
    if (lane == 0) {
        job.candidates_live[tile] = live;
        job.lost_now_live[tile] = 1;
    }
    add_rows(job.lost, tile, lane, now);
    write_depth(job.lost_depth, job.ply, tile, lane, now);
    tally_rows(job, cell, lane, now, tally);
    note_rows(job.noted_lost, tile, lane, now);
}

#if PART_FIRST && !PAWNS
// Ply 1 of the attacker where every conversion counts 1: mates, and captures
// found on the spot.
KERNEL(attack_first, INIT_BLOCKS)
{
    const int lane = LANE;
    Tally tally = no_tally();
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Pair64 open = load_rows(job.open, tile, lane);
        if (!any_bit(open.a, open.b)) continue;
        if (lane == 0) tally.tiles++;
        Cell cell = decode(job, tile);
        Conversions<0> found;
        Mode mode = {WIN, RULE_ONE, 0};
        captures<0>(job, cell, job.attacker, mode, lane, found);
        Pair64 moves = quiet<false>(job, cell, job.attacker, job.lost_before, job.lost_before_live, lane, open);
        Pair64 now = {open.a & (moves.a | found.a.some), open.b & (moves.b | found.b.some)};
        if (any_bit(now.a, now.b)) write_won(job, cell, lane, open, now, tally);
    }
    add_tally(tally, job.tally + TALLY_WON * TALLY_WORDS, lane);
}
#endif

#if PART_WAVES
// Tiles one warp looks at when the lists are made: 16 a lane.
#define GROUP_TILES 512

// One list: which tiles are marked or due, and where they are put.
struct List {
    u8 *dirty;
    const u8 *live;
    const u16 *due;
    bool for_black;
    u32 *starts; // by group: how many tiles it has, then where they begin
    u32 *tiles;
    u32 *count;
};

DEVICE List list_of(const Job &job, int number)
{
    const bool graded = job.release_bits != 0;
    const u32 groups = (job.board.tiles + GROUP_TILES - 1) / GROUP_TILES;
    List list;
    if (number == 0) {
        list.dirty = job.dirty_candidates;
        list.live = job.candidates_live;
        list.due = graded ? job.holds.due : 0;
        list.tiles = job.list_candidates;
    } else {
        list.dirty = job.dirty_open;
        list.live = job.open_live;
        list.due = graded ? job.wins.due : 0;
        list.tiles = job.list_open;
    }
    list.for_black = (job.attacker == 0) == (number == 0) && BOARD(job).inner > 1 && BOARD(job).inner < BOARD(job).numbers;
    list.starts = job.starts + number * groups;
    list.count = job.counts + number;
    return list;
}

// Conversions of up to this ply have fallen due. A tile is looked at when the
// first of its conversions does, so at most steps this is the ply of all that
// are new; at the first step of a run that counts them sooner there are more.
DEVICE u32 due_by(const Job &job) { return job.ply + job.sooner; }

// The lane's tiles of a group that are to be looked at, as bits. With `take`
// their marks are taken away.
DEVICE u32 wanted_tiles(const Job &job, const List &list, u32 base, bool take)
{
    u32 found = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) {
        if (base + i >= job.board.tiles) break;
        const u32 tile = tile_in_order(BOARD(job), base + i, list.for_black);
        bool wanted = list.dirty[tile];
        if (wanted && take) list.dirty[tile] = 0;
        if (list.due && list.due[tile] <= due_by(job)) wanted = true;
        if (wanted && list.live[tile]) found |= 1u << i;
    }
    return found;
}

// The lists are made in three launches: count, add up, write. Appending in
// any order would be simpler, but then tiles that share neighbours would be
// far apart in time and miss each other in the cache.
KERNEL(count_lists, WAVE_BLOCKS)
{
    const int lane = LANE;
    const u32 groups = (job.board.tiles + GROUP_TILES - 1) / GROUP_TILES;
    for (u32 at = WARP; at < 2 * groups; at += WARPS) {
        const List list = list_of(job, at >= groups);
        const u32 group = at >= groups ? at - groups : at;
        u32 found = wanted_tiles(job, list, group * GROUP_TILES + lane * 16, false);
        u32 sum = sum_up_to(__popc(found), lane);
        if (lane == 31) list.starts[group] = sum;
    }
}

KERNEL(add_up_lists, WAVE_BLOCKS)
{
    const int lane = LANE;
    const u32 groups = (job.board.tiles + GROUP_TILES - 1) / GROUP_TILES;
    for (u32 number = WARP; number < 2; number += WARPS) {
        const List list = list_of(job, number);
        u32 total = 0;
        for (u32 base = 0; base < groups; base += 128) {
            u32 own[4], sum = 0;
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const u32 group = base + lane * 4 + k;
                own[k] = group < groups ? list.starts[group] : 0;
                sum += own[k];
            }
            u32 before = sum_up_to(sum, lane);
            u32 start = total + before - sum;
            total += __shfl_sync(FULL_WARP, before, 31);
#pragma unroll
            for (int k = 0; k < 4; k++) {
                const u32 group = base + lane * 4 + k;
                if (group < groups) list.starts[group] = start;
                start += own[k];
            }
        }
        if (lane == 0) *list.count = total;
    }
}

KERNEL(write_lists, WAVE_BLOCKS)
{
    const int lane = LANE;
    const u32 groups = (job.board.tiles + GROUP_TILES - 1) / GROUP_TILES;
    for (u32 at = WARP; at < 2 * groups; at += WARPS) {
        const List list = list_of(job, at >= groups);
        const u32 group = at >= groups ? at - groups : at;
        const u32 base = group * GROUP_TILES + lane * 16;
        u32 found = wanted_tiles(job, list, base, true);
        u32 start = list.starts[group] + sum_up_to(__popc(found), lane) - __popc(found);
        for (; found; found &= found - 1)
            list.tiles[start++] = tile_in_order(BOARD(job), base + __ffs(found) - 1, list.for_black);
    }
}

// Positions of the set whose ply is above this one.
DEVICE Pair64 released_after(const Release &release, u32 bits, u32 ply, u32 tile, int lane)
{
    Pair64 some = load_rows(release.some, tile, lane);
    Pair64 later = {0, 0};
    for (u32 k = 0; k < bits; k++) {
        Pair64 plane = load_rows(release.bits[k], tile, lane);
        u64 wanted = ply >> k & 1 ? ~0ull : 0;
        later.a = (plane.a & ~wanted) | (later.a & ~(plane.a ^ wanted));
        later.b = (plane.b & ~wanted) | (later.b & ~(plane.b ^ wanted));
    }
    if (ply >> bits) later.a = later.b = 0; // no ply is that late
    Pair64 out = {some.a & later.a, some.b & later.b};
    return out;
}

// lost(p): candidates with no quiet move into `open`, all conversions lost.
KERNEL(defend, WAVE_BLOCKS)
{
    const int lane = LANE;
    const int defender = !job.attacker;
    const u32 count = job.counts[0];
    Tally tally = no_tally();
    for (u32 at = WARP; at < count; at += WARPS) {
        const u32 tile = job.list_candidates[at];
        if (lane == 0) tally.tiles++;
        Cell cell = decode(job, tile);
        Pair64 candidates = load_rows(job.candidates, tile, lane);
        Pair64 moves = quiet<true>(job, cell, defender, job.open, job.open_live, lane, candidates);
        Pair64 now = {candidates.a & ~moves.a, candidates.b & ~moves.b};
        if (job.release_bits) {
            Pair64 held = released_after(job.holds, job.release_bits, due_by(job), tile, lane);
            now.a &= ~held.a;
            now.b &= ~held.b;
            held.a &= candidates.a;
            held.b &= candidates.b;
            u32 due = next_due(job.holds, job.release_bits, due_by(job), tile, lane, held);
            if (lane == 0) job.holds.due[tile] = (u16)due;
        }
        if (!any_bit(now.a, now.b)) continue;
        take_lost(job, cell, lane, candidates, now, tally);
        mark_neighbours(job, cell, job.attacker, job.dirty_open, lane);
    }
    add_tally(tally, job.tally + TALLY_LOST * TALLY_WORDS, lane);
}

// won(p): open positions with a quiet move into lost(p - 1), or a conversion
// that wins in p.
KERNEL(attack, WAVE_BLOCKS)
{
    const int lane = LANE;
    const u32 count = job.counts[1];
    Tally tally = no_tally();
    for (u32 at = WARP; at < count; at += WARPS) {
        const u32 tile = job.list_open[at];
        if (lane == 0) tally.tiles++;
        Cell cell = decode(job, tile);
        Pair64 open = load_rows(job.open, tile, lane);
        Pair64 reach = quiet<false>(job, cell, job.attacker, job.lost_before, job.lost_before_live, lane, open);
        Pair64 later = {0, 0}; // conversions that win, but not yet
        if (job.release_bits) {
            Pair64 some = load_rows(job.wins.some, tile, lane);
            later = released_after(job.wins, job.release_bits, due_by(job), tile, lane);
            reach.a |= some.a & ~later.a;
            reach.b |= some.b & ~later.b;
        }
        Pair64 now = {open.a & reach.a, open.b & reach.b};
        if (job.release_bits) {
            later.a &= open.a & ~now.a;
            later.b &= open.b & ~now.b;
            u32 due = next_due(job.wins, job.release_bits, due_by(job), tile, lane, later);
            if (lane == 0) job.wins.due[tile] = (u16)due;
        }
        if (any_bit(now.a, now.b)) write_won(job, cell, lane, open, now, tally);
    }
    add_tally(tally, job.tally + TALLY_WON * TALLY_WORDS, lane);
}
#endif
