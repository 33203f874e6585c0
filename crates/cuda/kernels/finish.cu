// What needs the finished planes.
#if PART_FINISH

// Won positions: legal and no longer open.
KERNEL(finish_won, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Cell cell = decode(job, tile);
        Pair64 legal = {0, 0};
        if (cell.placed) legal = legal_rows(job, cell, job.attacker, lane);
        Pair64 open = load_rows(job.open, tile, lane);
        store_rows(job.won, tile, lane, legal.a & ~open.a, legal.b & ~open.b);
    }
}

DEVICE Pair64 load_if(const u64 *plane, u32 tile, int lane)
{
    Pair64 none = {0, 0};
    return plane ? load_rows(plane, tile, lane) : none;
}

// Legal and broken positions of both sides, and mutual zugzwangs. The job is
// White's; Black's planes may be missing.
KERNEL(final_counts, INIT_BLOCKS)
{
    const int lane = LANE;
    Tally tallies[7];
#pragma unroll
    for (int i = 0; i < 7; i++) tallies[i] = no_tally();
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Cell cell = decode(job, tile);
        if (!cell.placed) continue;
        Pair64 valid = valid_rows(BOARD(job), cell, lane);
        Pair64 white = legal_rows(job, cell, 0, lane), black = legal_rows(job, cell, 1, lane);
        Pair64 broken_white = {valid.a & ~white.a, valid.b & ~white.b};
        Pair64 broken_black = {valid.a & ~black.a, valid.b & ~black.b};
        tally_rows(job, cell, lane, white, tallies[0]);
        tally_rows(job, cell, lane, broken_white, tallies[1]);
        tally_rows(job, cell, lane, black, tallies[2]);
        tally_rows(job, cell, lane, broken_black, tallies[3]);
        Pair64 open = load_rows(job.open, tile, lane);
        Pair64 black_lost = load_if(job.lost, tile, lane);
        Pair64 black_won = load_if(job.other_won, tile, lane), white_lost = load_if(job.other_lost, tile, lane);
        Pair64 black_lose = {black_lost.a & white.a, black_lost.b & white.b};
        Pair64 white_lose = {white_lost.a & black.a, white_lost.b & black.b};
        Pair64 white_zugzwang = {black_lose.a & open.a & ~white_lost.a, black_lose.b & open.b & ~white_lost.b};
        Pair64 black_zugzwang = {white_lose.a & ~black_lost.a & ~black_won.a, white_lose.b & ~black_lost.b & ~black_won.b};
        Pair64 full = {black_lose.a & white_lost.a, black_lose.b & white_lost.b};
        tally_rows(job, cell, lane, white_zugzwang, tallies[4]);
        tally_rows(job, cell, lane, black_zugzwang, tallies[5]);
        tally_rows(job, cell, lane, full, tallies[6]);
    }
#pragma unroll
    for (int i = 0; i < 7; i++) add_tally(tallies[i], job.tally + i * TALLY_WORDS, lane);
}

// Which watched positions the wave just done has decided: the attacker's are
// no longer open, the defender's are among the losses of this ply, or, in two
// planes, no longer unlost.
KERNEL(watch, WAVE_BLOCKS)
{
    for (u32 i = WARP * 32 + LANE; i < job.watched_count; i += WARPS * 32) {
        if (job.watched_plies[i] != NOT_YET) continue;
        const u64 at = job.watched[i] & ~(1ull << 63);
        const bool defends = at != job.watched[i];
        const bool in_two = !job.lost_now;
        const u64 *plane = !defends ? job.open : in_two ? job.candidates : job.lost_now;
        const bool set = has(plane[at >> 6], (int)(at & 63));
        const bool decided = defends && !in_two ? set && job.lost_now_live[at >> 12] : !set;
        if (decided) job.watched_plies[i] = job.ply;
    }
}

// The union of two planes: what both attackers' runs know of one side to move.
KERNEL(unite_planes, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Pair64 a = load_if(job.open, tile, lane), b = load_if(job.other_won, tile, lane);
        store_rows(job.candidates, tile, lane, a.a | b.a, a.b | b.b);
    }
}

// A bare copy of tiles, for measuring the card's bandwidth.
KERNEL(copy_plane, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Pair64 rows = load_rows(job.open, tile, lane);
        store_rows(job.candidates, tile, lane, rows.a, rows.b);
    }
}
#endif
