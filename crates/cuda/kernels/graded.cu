// Conversions whose plies differ: compiled apart, since few solves need them.
#if PART_GRADED
KERNEL(init_defence_graded, INIT_BLOCKS) { init_defence<MAX_DEPTH_BITS>(job); }

// The attacker's winning conversions, where their plies differ.
KERNEL(init_wins_graded, INIT_BLOCKS)
{
    const int lane = LANE;
    for (u32 at = WARP; at < tiles_to_start(job); at += WARPS) {
        const u32 tile = tile_to_start(job, at, false);
        Cell cell = decode(job, tile);
        Pair64 open = load_rows(job.open, tile, lane);
        if (!cell.placed || !any_bit(open.a, open.b)) {
            store_rows(job.wins.some, tile, lane, 0, 0);
            if (lane == 0) job.wins.due[tile] = NEVER;
            continue;
        }
        Conversions<MAX_DEPTH_BITS> found;
        Mode mode = {WIN, (int)job.rule, (int)job.release_bits};
        captures<MAX_DEPTH_BITS>(job, cell, job.attacker, mode, lane, found);
        found.a.some &= open.a;
        found.b.some &= open.b;
        store_release<MAX_DEPTH_BITS>(job, job.wins, found, tile, lane);
    }
}
#endif
