#if PART_AGAIN && !PAWNS
// The defender's lost positions, worked out again from the finished `open`
// where memory did not allow a plane of them. `lost_before` holds the
// attacker's legal positions, to tell stalemates apart.
KERNEL(lost_again, INIT_BLOCKS)
{
    const int lane = LANE;
    const int defender = !job.attacker;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        Cell cell = decode(job, tile);
        if (!cell.placed) {
            store_rows(job.lost, tile, lane, 0, 0);
            continue;
        }
        Pair64 legal = legal_rows(job, cell, defender, lane);
        Conversions<0> found;
        Mode mode = {HOLD, RULE_ONE, 0};
        captures<0>(job, cell, defender, mode, lane, found);
        Pair64 safe = quiet<true>(job, cell, defender, job.open, job.open_live, lane, legal);
        Pair64 moves = quiet<true>(job, cell, defender, job.lost_before, job.lost_before_live, lane, legal);
        Pair64 check = in_check(job, cell, defender, lane);
        u64 a = legal.a & ~found.a.escape & ~safe.a & (check.a | moves.a | found.a.some);
        u64 b = legal.b & ~found.b.escape & ~safe.b & (check.b | moves.b | found.b.some);
        store_rows(job.lost, tile, lane, a, b);
    }
}
#endif
