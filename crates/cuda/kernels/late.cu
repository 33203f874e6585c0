// Mate under the 50-move rule. The waves, stopped after a hundred plies, find
// the mates of up to a hundred; a mate in 100 + d is found by the same waves
// run again from the start, every conversion d plies sooner: docs/dtm50.md says
// why. Releases are not touched by a run, so they are worked out once.
#if PART_LATE

DEVICE void copy_rows(u64 *to, const u64 *from, u32 tile, int lane)
{
    const Pair64 rows = load_rows(from, tile, lane);
    store_rows(to, tile, lane, rows.a, rows.b);
}

// Keeps what every run starts from, before the first wave of the first one.
KERNEL(keep_start, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 at = WARP; at < tiles_to_start(job); at += WARPS) {
        const u32 tile = tile_to_start(job, at, false);
        copy_rows(job.late.open, job.open, tile, lane);
        copy_rows(job.late.candidates, job.candidates, tile, lane);
        Pair64 mates = {0, 0};
        if (job.lost_before_live[tile]) mates = load_rows(job.lost_before, tile, lane);
        store_rows(job.late.mates, tile, lane, mates.a, mates.b);
        if (lane == 0) {
            job.late.wins_due[tile] = job.wins.due[tile];
            job.late.holds_due[tile] = job.holds.due[tile];
        }
    }
}

// The state before the first wave, in the planes of a run. The attacker looks at
// every tile once, which at the first step of a late run he does anyway where he
// can convert.
KERNEL(start_run, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 at = WARP; at < tiles_to_start(job); at += WARPS) {
        const u32 tile = tile_to_start(job, at, false);
        const Pair64 open = load_rows(job.late.open, tile, lane);
        const Pair64 candidates = load_rows(job.late.candidates, tile, lane);
        const Pair64 mates = load_rows(job.late.mates, tile, lane);
        store_rows(job.open, tile, lane, open.a, open.b);
        store_rows(job.candidates, tile, lane, candidates.a, candidates.b);
        store_rows(job.lost_before, tile, lane, mates.a, mates.b);
        const bool opens = any_bit(open.a, open.b), holds = any_bit(candidates.a, candidates.b);
        const bool mated = any_bit(mates.a, mates.b);
        if (lane != 0) continue;
        job.open_live[tile] = opens;
        job.candidates_live[tile] = holds;
        job.lost_before_live[tile] = mated;
        job.dirty_open[tile] = 1;
        job.wins.due[tile] = job.late.wins_due[tile];
        job.holds.due[tile] = job.late.holds_due[tile];
    }
}

// What a run has decided and no run before it: the attacker's and the
// defender's positions.
DEVICE void newly_decided(const Job &job, u32 tile, int lane, Pair64 &won, Pair64 &lost)
{
    won = load_rows(job.open, tile, lane);
    lost = load_rows(job.candidates, tile, lane);
    const Pair64 open = load_rows(job.late.run_open, tile, lane);
    const Pair64 candidates = load_rows(job.late.run_candidates, tile, lane);
    won.a &= ~open.a;
    won.b &= ~open.b;
    lost.a &= ~candidates.a;
    lost.b &= ~candidates.b;
}

// What is still to be decided of the boards around one placement of the pawns;
// boards without pawns are one.
DEVICE u64 *left_of(const Job &job, u32 tile)
{
    return job.late.left + (PAWNS ? divide(tile, BOARD(job).numbers_inverse) : 0);
}

DEVICE u64 count_both(Pair64 won, Pair64 lost)
{
    return warp_sum(__popcll(won.a) + __popcll(won.b) + __popcll(lost.a) + __popcll(lost.b));
}

// Counts that, by placement.
KERNEL(count_late, WAVE_BLOCKS)
{
    const int lane = LANE;
    for (u32 at = WARP; at < tiles_to_start(job); at += WARPS) {
        const u32 tile = tile_to_start(job, at, false);
        Pair64 won, lost;
        newly_decided(job, tile, lane, won, lost);
        const u64 count = count_both(won, lost);
        if (lane == 0 && count) atomicAdd(left_of(job, tile), count);
    }
}

// Takes it over, decided at this ply.
KERNEL(take_late, WAVE_BLOCKS)
{
    const int lane = LANE;
    Tally losses = no_tally(), wins = no_tally();
    for (u32 at = WARP; at < tiles_to_start(job); at += WARPS) {
        const u32 tile = tile_to_start(job, at, false);
        Pair64 won, lost;
        newly_decided(job, tile, lane, won, lost);
        const bool some_won = any_bit(won.a, won.b), some_lost = any_bit(lost.a, lost.b);
        if (!some_won && !some_lost) continue;
        const Cell cell = decode(job, tile);
        if (some_won) take_won(job, cell, lane, load_rows(job.open, tile, lane), won, wins);
        if (some_lost) take_lost(job, cell, lane, load_rows(job.candidates, tile, lane), lost, losses);
        const u64 count = count_both(won, lost);
        if (lane == 0) atomicAdd(left_of(job, tile), 0 - count);
    }
    add_tally(losses, job.tally + TALLY_LOST * TALLY_WORDS, lane);
    add_tally(wins, job.tally + TALLY_WON * TALLY_WORDS, lane);
}
#endif
