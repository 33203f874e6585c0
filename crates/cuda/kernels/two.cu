// The waves in two planes, where every conversion counts 1. `open` is as in
// waves.cu; `candidates` holds what is not lost: all addresses of the defender
// that are not known to be lost, escapes, stalemates and those that are no legal
// positions among them, for ever. A cleared bit means lost and nothing else.
//
// Each half of a ply reads the other's plane as it was a ply before, so one of
// them may work in place and the other is put off until it has read: of the
// defender's half at odd plies and the attacker's at even ones, which only
// conversions forced on the loser set in motion.
#if PART_TWO && !PAWNS

// Bits of `candidates_live`.
#define CAN_LOSE 1
#define HAS_STALEMATES 2
// With more positions a tile is put off as its 64 rows.
#define MOST_SINGLE 508
#define TILE_BYTES 512
// What is put off begins at a multiple of so many bytes.
#define BLOCK_BYTES 16
// Marks a tile that is put off as rows.
#define AS_ROWS 0x80000000u
// Marks the last position of a lane.
#define LAST 0x80u

DEVICE u32 count_rows(Pair64 set) { return (u32)warp_sum(__popcll(set.a) + __popcll(set.b)); }

// The positions of a lane, 7 bits each, the last one marked.
DEVICE void write_positions(u8 *to, Pair64 set)
{
    u32 left = __popcll(set.a) + __popcll(set.b);
    for (u64 rest = set.a; rest; rest &= rest - 1) *to++ = (u8)((__ffsll(rest) - 1) | (--left ? 0 : LAST));
    for (u64 rest = set.b; rest; rest &= rest - 1) *to++ = (u8)((64 + __ffsll(rest) - 1) | (--left ? 0 : LAST));
}

// Writes down a set that is taken off its plane later: which lanes have
// positions, in 4 bytes, and one byte for each; or the rows, where that is
// less.
NOINLINE void put_off(const Job &job, u32 tile, int lane, Pair64 set)
{
    const u32 own = __popcll(set.a) + __popcll(set.b), up_to = sum_up_to(own, lane);
    const u32 count = __shfl_sync(FULL_WARP, up_to, 31);
    const u32 lanes = __ballot_sync(FULL_WARP, own != 0);
    const bool as_rows = count > MOST_SINGLE;
    const u32 blocks = ((as_rows ? TILE_BYTES : 4 + count) + BLOCK_BYTES - 1) / BLOCK_BYTES;
    u64 number = 0, start = 0;
    if (lane == 0) {
        number = atomicAdd(job.put_off.used, 1ull);
        start = atomicAdd(job.put_off.used + 1, (u64)blocks);
    }
    number = __shfl_sync(FULL_WARP, number, 0);
    start = __shfl_sync(FULL_WARP, start, 0);
    if (number >= job.put_off.most_tiles || start + blocks > job.put_off.most_blocks) {
        if (lane == 0) job.put_off.used[2] = 1;
        return;
    }
    u8 *to = job.put_off.blocks + start * BLOCK_BYTES;
    if (lane == 0) {
        PutOffTile record = {tile | (as_rows ? AS_ROWS : 0), (u32)start};
        job.put_off.tiles[number] = record;
        if (!as_rows) *(u32 *)to = lanes;
    }
    if (as_rows) store_rows((u64 *)to, 0, lane, set.a, set.b);
    else write_positions(to + 4 + up_to - own, set);
}

// The lane's rows of a set that was put off.
DEVICE Pair64 taken_rows(const u8 *from, bool as_rows, int lane)
{
    if (as_rows) return load_rows((const u64 *)from, 0, lane);
    const u32 lanes = *(const u32 *)from, before = lanes & ((1u << lane) - 1);
    const int own_rank = lanes >> lane & 1 ? __popc(before) : -1;
    Pair64 set = {0, 0};
    int done = 0; // lanes whose last position has passed
    for (from += 4; done < __popc(lanes); from += 32) {
        const u32 byte = from[lane];
        const u32 last = __ballot_sync(FULL_WARP, byte & LAST);
        const int rank = done + __popc(last & ((1u << lane) - 1));
        for (int k = 0; k < 32; k++) {
            const u32 entry = __shfl_sync(FULL_WARP, byte, k);
            if (__shfl_sync(FULL_WARP, rank, k) != own_rank) continue;
            if (entry & 64) set.b |= bit((int)(entry & 63));
            else set.a |= bit((int)(entry & 63));
        }
        done += __popc(last);
    }
    return set;
}

// Takes what was put off from its plane.
KERNEL(take_off, WAVE_BLOCKS)
{
    const int lane = LANE;
    const u64 count = job.put_off.used[0];
    u64 *plane = job.put_off.from_open ? job.open : job.candidates;
    for (u64 at = WARP; at < count; at += WARPS) {
        const PutOffTile record = job.put_off.tiles[at];
        const u32 tile = record.tile & ~AS_ROWS;
        const u8 *from = job.put_off.blocks + (u64)record.start * BLOCK_BYTES;
        const Pair64 gone = taken_rows(from, record.tile & AS_ROWS, lane);
        Pair64 rows = load_rows(plane, tile, lane);
        rows.a &= ~gone.a;
        rows.b &= ~gone.b;
        store_rows(plane, tile, lane, rows.a, rows.b);
        const bool live = any_bit(rows.a, rows.b);
        if (lane == 0 && job.put_off.from_open) job.open_live[tile] = live;
    }
}

// The positions after a quiet move to a given cell in which the mover is not
// in check, cut where the row or column man is in the way.
DEVICE Pair64 legal_after(const Job &job, const Cell &after, int side, u64 path, int lane)
{
    return cut(legal_rows(job, after, !side, lane), path, lane);
}

// Positions from which `side` has a legal quiet move, whatever it leads to.
// Needs no plane, and is slow: for tiles with stalemates only.
NOINLINE Pair64 any_quiet(const Job &job, Cell cell, int side, int lane)
{
    const Board &board = BOARD(job);
    Pair64 out = {0, 0};
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        if (board.color[i] != side) continue;
        const int from = cell.square[i];
        for (int to = 0; to < 64; to++) {
            if (!outer_reaches(job, cell, board.role[i], from, to)) continue;
            Cell after = cell;
            after.square[i] = to;
            after.occupied ^= bit(from) | bit(to);
            const Pair64 found = legal_after(job, after, side, job.tables->between[from * 64 + to], lane);
            out.a |= found.a;
            out.b |= found.b;
        }
    }
    const int king = king_of(cell, side);
    for (int to = 0; to < 64; to++) {
        u32 king_class;
        int symmetry;
        if (!has(job.tables->reach[KING][king], to) || has(cell.occupied, to)) continue;
        if (!king_step(job, cell, side, to, king_class, symmetry)) continue;
        Cell after = cell;
        after.occupied ^= bit(king) | bit(to);
        if (side) after.black_king = to;
        else after.white_king = to;
        const Pair64 found = legal_after(job, after, side, 0, lane);
        out.a |= found.a;
        out.b |= found.b;
    }
    const int column = OUTER + (int)board.has_row;
    const Pair64 valid = valid_rows(board, cell, lane), own = legal_rows(job, cell, !side, lane);
    if (board.has_column && board.color[column] == side) {
        out.a |= attacks_from(board.role[column], own.a, valid.a);
        out.b |= attacks_from(board.role[column], own.b, valid.b);
    }
    if (board.has_row && board.color[OUTER] == side) row_man(board.role[OUTER], lane, own, valid, out);
    return out;
}

// Notes what the defender has lost, in place or put off.
DEVICE void write_lost(const Job &job, const Cell &cell, int lane, Pair64 now, Tally &tally)
{
    if (job.put_off.wanted) {
        put_off(job, cell.tile, lane, now);
    } else {
        // Read again rather than kept in registers while moves were looked for.
        const Pair64 unlost = load_rows(job.candidates, cell.tile, lane);
        store_rows(job.candidates, cell.tile, lane, unlost.a & ~now.a, unlost.b & ~now.b);
    }
    if (lane == 0) job.lost_now_live[cell.tile] = 1;
    write_depth(job.lost_depth, job.ply, cell.tile, lane, now);
    tally_rows(job, cell, lane, now, tally);
    note_rows(job.noted_lost, cell.tile, lane, now);
    mark_neighbours(job, cell, job.attacker, job.dirty_open, lane);
}

// Of positions with no quiet move into `open`, those that are held: by a
// conversion that saves, or because there is no move at all.
NOINLINE Pair64 held_rows(const Job &job, Cell cell, int lane, Pair64 stuck, bool stalemates)
{
    const int defender = !job.attacker;
    Conversions<0> found;
    Mode mode = {HOLD, RULE_ONE, 0};
    captures<0>(job, cell, defender, mode, lane, found);
    Pair64 held = {stuck.a & found.a.escape, stuck.b & found.b.escape};
    if (stalemates) {
        // Mates were lost at ply 0, so who has no move is not in check.
        const Pair64 moves = any_quiet(job, cell, defender, lane);
        held.a |= stuck.a & ~found.a.some & ~moves.a;
        held.b |= stuck.b & ~found.b.some & ~moves.b;
    }
    return held;
}

// Ply 0 of the defender, in place, and ply 1, put off: mates, and positions in
// which every move is a conversion that loses.
KERNEL(two_start, INIT_BLOCKS)
{
    const int lane = LANE;
    const int defender = !job.attacker;
    Tally mated = no_tally(), forced = no_tally();
    for (u32 at = WARP; at < job.board.tiles; at += WARPS) {
        const u32 tile = tile_in_order(BOARD(job), at, job.attacker == 0);
        const Cell cell = decode(job, tile);
        if (!cell.placed) {
            store_rows(job.candidates, tile, lane, ~0ull, ~0ull);
            if (lane == 0) job.candidates_live[tile] = 0;
            continue;
        }
        const Pair64 legal = legal_rows(job, cell, defender, lane);
        Conversions<0> found;
        Mode mode = {HOLD, RULE_ONE, 0};
        captures<0>(job, cell, defender, mode, lane, found);
        const Pair64 moves = quiet<true>(job, cell, defender, job.open, job.open_live, lane, legal);
        const Pair64 stuck = {legal.a & ~moves.a, legal.b & ~moves.b};
        const Pair64 check = in_check(job, cell, defender, lane);
        const Pair64 none = {stuck.a & ~found.a.escape & ~found.a.some, stuck.b & ~found.b.escape & ~found.b.some};
        const Pair64 mates = {none.a & check.a, none.b & check.b};
        const Pair64 stalemates = {none.a & ~check.a, none.b & ~check.b};
        const Pair64 forcing = {stuck.a & ~found.a.escape & found.a.some, stuck.b & ~found.b.escape & found.b.some};
        const Pair64 held = {(stuck.a & found.a.escape) | stalemates.a, (stuck.b & found.b.escape) | stalemates.b};
        store_rows(job.candidates, tile, lane, ~mates.a, ~mates.b);
        const u32 held_count = count_rows(held);
        const bool can_lose = any_bit(legal.a & ~mates.a, legal.b & ~mates.b);
        const bool has_stalemates = any_bit(stalemates.a, stalemates.b);
        const bool has_mates = any_bit(mates.a, mates.b);
        if (lane == 0) {
            job.held[tile] = (u16)held_count;
            job.candidates_live[tile] = (can_lose ? CAN_LOSE : 0) | (has_stalemates ? HAS_STALEMATES : 0);
            if (has_mates) job.lost_before_live[tile] = 1;
        }
        if (has_mates) tally_rows(job, cell, lane, mates, mated);
        if (any_bit(forcing.a, forcing.b)) write_lost(job, cell, lane, forcing, forced);
    }
    add_tally(mated, job.tally + TALLY_LOST * TALLY_WORDS, lane);
    add_tally(forced, job.tally + TALLY_LOST_NEXT * TALLY_WORDS, lane);
}

// Notes what the attacker has won, in place or put off.
DEVICE void write_won_in_two(const Job &job, const Cell &cell, int lane, Pair64 open, Pair64 now, Tally &tally)
{
    if (!job.put_off.wanted) {
        write_won(job, cell, lane, open, now, tally);
        return;
    }
    put_off(job, cell.tile, lane, now);
    write_depth(job.won_depth, job.ply, cell.tile, lane, now);
    tally_rows(job, cell, lane, now, tally);
    note_rows(job.noted_won, cell.tile, lane, now);
    mark_neighbours(job, cell, !job.attacker, job.dirty_candidates, lane);
}

// Ply 1 of the attacker: mates, and captures found on the spot.
KERNEL(two_first, INIT_BLOCKS)
{
    const int lane = LANE;
    Tally tally = no_tally();
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        const Pair64 open = load_rows(job.open, tile, lane);
        if (!any_bit(open.a, open.b)) continue;
        if (lane == 0) tally.tiles++;
        const Cell cell = decode(job, tile);
        Conversions<0> found;
        Mode mode = {WIN, RULE_ONE, 0};
        captures<0>(job, cell, job.attacker, mode, lane, found);
        const Pair64 moves =
            quiet<false, COMPLEMENT>(job, cell, job.attacker, job.candidates, job.lost_before_live, lane, open);
        const Pair64 now = {open.a & (moves.a | found.a.some), open.b & (moves.b | found.b.some)};
        if (any_bit(now.a, now.b)) write_won_in_two(job, cell, lane, open, now, tally);
    }
    add_tally(tally, job.tally + TALLY_WON * TALLY_WORDS, lane);
}

// lost(p): what is legal, not lost, has no quiet move into `open` and is not
// held. Open positions only get fewer, and who is held stays held: as long as
// there are as many stuck positions as were held the last time they are the
// same ones, and nothing is looked up in the sub-games.
KERNEL(two_defend, WAVE_BLOCKS)
{
    const int lane = LANE;
    const int defender = !job.attacker;
    const u32 count = job.counts[0];
    Tally tally = no_tally(), looked_up = no_tally();
    for (u32 at = WARP; at < count; at += WARPS) {
        const u32 tile = job.list_candidates[at];
        if (lane == 0) tally.tiles++;
        const Cell cell = decode(job, tile);
        Pair64 need = legal_rows(job, cell, defender, lane);
        const Pair64 unlost = load_rows(job.candidates, tile, lane);
        need.a &= unlost.a;
        need.b &= unlost.b;
        const Pair64 moves = quiet<true>(job, cell, defender, job.open, job.open_live, lane, need);
        const Pair64 stuck = {need.a & ~moves.a, need.b & ~moves.b};
        if (count_rows(stuck) == job.held[tile]) continue;
        if (lane == 0) looked_up.tiles++;
        const u8 live = job.candidates_live[tile];
        const Pair64 held = held_rows(job, cell, lane, stuck, live & HAS_STALEMATES);
        const Pair64 now = {stuck.a & ~held.a, stuck.b & ~held.b};
        const u32 held_count = count_rows(held);
        const bool can_lose = any_bit(need.a & ~now.a & ~held.a, need.b & ~now.b & ~held.b);
        if (lane == 0) {
            job.held[tile] = (u16)held_count;
            if (!can_lose) job.candidates_live[tile] = 0;
        }
        if (any_bit(now.a, now.b)) write_lost(job, cell, lane, now, tally);
    }
    add_tally(tally, job.tally + TALLY_LOST * TALLY_WORDS, lane);
    add_tally(looked_up, job.tally + TALLY_HELD * TALLY_WORDS, lane);
}

// won(p): open positions with a quiet move to a lost one. Only tiles with
// losses of the last ply are read, but of these all losses: what an older one
// wins was won before.
KERNEL(two_attack, WAVE_BLOCKS)
{
    const int lane = LANE;
    const u32 count = job.counts[1];
    Tally tally = no_tally();
    for (u32 at = WARP; at < count; at += WARPS) {
        const u32 tile = job.list_open[at];
        if (lane == 0) tally.tiles++;
        const Cell cell = decode(job, tile);
        const Pair64 open = load_rows(job.open, tile, lane);
        const Pair64 reach =
            quiet<false, COMPLEMENT>(job, cell, job.attacker, job.candidates, job.lost_before_live, lane, open);
        const Pair64 now = {open.a & reach.a, open.b & reach.b};
        if (any_bit(now.a, now.b)) write_won_in_two(job, cell, lane, open, now, tally);
    }
    add_tally(tally, job.tally + TALLY_WON * TALLY_WORDS, lane);
}

// What is not unlost is lost: turns the plane round, in place.
KERNEL(two_finish, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        const Pair64 unlost = load_rows(job.candidates, tile, lane);
        store_rows(job.candidates, tile, lane, ~unlost.a, ~unlost.b);
    }
}
#endif
