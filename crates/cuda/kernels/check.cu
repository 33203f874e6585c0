// The forward pass over finished planes: every value follows from those one
// move on. It knows nothing of waves, lists or dirty tiles; a quiet move is
// one more conversion, into the board itself.
#if PART_CHECK

// One row of the board's own values after a move of the attacker (WIN: the
// defender's losses) or of the defender (HOLD: the attacker's positions).
template <int BITS> DEVICE Word<BITS> own_word(const Job &job, Mode mode, u32 tile, int row)
{
    const u64 at = (u64)tile * 64 + row;
    Word<BITS> word;
    word.some = mode.goal == WIN ? job.lost[at] : job.won[at];
    word.escape = mode.goal == HOLD ? job.open[at] : 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) {
        const u64 *plane = mode.goal == WIN ? job.lost_depth[k] : job.won_depth[k];
        word.depth[k] = word.some && plane ? plane[at] : 0;
    }
    return word;
}

// Quiet moves of one outer man.
template <int BITS>
DEVICE void check_outer(const Job &job, const Cell &cell, int man, Mode mode, int row, RowConversions<BITS> &out)
{
    const int role = BOARD(job).role[man], from = cell.square[man];
    const Axis axis = axis_of(job, cell, man);
    for (int to = 0; to < 64; to++) {
        if (!outer_reaches(job, cell, role, from, to)) continue;
        const u64 path = job.tables->between[from * 64 + to];
        if (has(path, row)) continue;
        add_row<BITS>(out, ~path, own_word<BITS>(job, mode, tile_with(job, axis, to), row), mode);
    }
}

// Quiet moves of the row man: the rows he can come to.
template <int BITS>
DEVICE void check_row_man(const Job &job, const Cell &cell, int role, Mode mode, int row, RowConversions<BITS> &out)
{
    for (int to = 0; to < 64; to++) {
        const u64 path = job.tables->between[row * 64 + to];
        if (!has(job.tables->reach[role][row], to) || (path & cell.occupied)) continue;
        add_row<BITS>(out, ~path, own_word<BITS>(job, mode, cell.tile, to), mode);
    }
}

// Quiet moves of the column man: from where he can come to a square.
template <int BITS>
DEVICE void check_column_man(const Job &job, const Cell &cell, int role, Mode mode, int row, RowConversions<BITS> &out)
{
    const Word<BITS> word = own_word<BITS>(job, mode, cell.tile, row);
    const u64 empty = ~(cell.occupied | (BOARD(job).has_row ? bit(row) : 0));
    for (int to = 0; to < 64; to++)
        add_row<BITS>(out, attacks_from(role, bit(to), empty), splat<BITS>(word, to), mode);
}

#if !PAWNS
// Steps of a king outside the tile.
template <int BITS>
DEVICE void check_king(const Job &job, const Cell &cell, int side, Mode mode, int row, RowConversions<BITS> &out)
{
    for (int i = 0; i < 8; i++) {
        const KingStep step = king_neighbour(job, cell, side, i);
        if (!step.possible) continue;
        const int turned = BOARD(job).has_row ? image(step.symmetry, row) : row;
        Word<BITS> word = own_word<BITS>(job, mode, step.tile, turned);
        if (BOARD(job).has_column) word = turn_back<BITS>(word, step.symmetry);
        add_row<BITS>(out, ~0ull, word, mode);
    }
}
#endif

template <int BITS>
DEVICE void add_quiet(const Job &job, const Cell &cell, int side, Mode mode, int lane, Conversions<BITS> &out)
{
    const Board &board = BOARD(job);
    const int column = OUTER + (int)board.has_row;
    mode.rule = RULE_ONWARD;
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        const int row = 2 * lane + half;
#pragma unroll
        for (int i = 0; i < OUTER; i++)
            if (board.color[i] == side) check_outer<BITS>(job, cell, i, mode, row, out.a);
        if (board.has_row && board.color[OUTER] == side)
            check_row_man<BITS>(job, cell, board.role[OUTER], mode, row, out.a);
        if (board.has_column && board.color[column] == side)
            check_column_man<BITS>(job, cell, board.role[column], mode, row, out.a);
#if !PAWNS
        check_king<BITS>(job, cell, side, mode, row, out.a);
#endif
        swap_rows<BITS>(out);
    }
}

// Positions of a row whose depth is not the one found.
template <int BITS>
DEVICE u64 other_depths(u64 *const *planes, u64 at, u64 set, const RowConversions<BITS> &found)
{
    u64 bad = 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) {
        const u64 stored = planes[k] ? planes[k][at] : 0;
        bad |= (stored ^ (found.plies[k] & found.some)) & set;
    }
    return bad;
}

// Positions of a row whose depth is above a limit.
DEVICE u64 deeper(u64 *const *planes, u64 at, u32 limit)
{
    u64 later = 0;
#pragma unroll
    for (int k = 0; k < MAX_DEPTH_BITS; k++) {
        const u64 depth = planes[k] ? planes[k][at] : 0, wanted = limit >> k & 1 ? ~0ull : 0;
        later = (depth & ~wanted) | (later & ~(depth ^ wanted));
    }
    return limit >> MAX_DEPTH_BITS ? 0 : later;
}

// The attacker to move: won is who has a move to a lost position, in the least
// of their plies.
DEVICE u64 bad_wins(const Job &job, u64 at, u64 legal, const RowConversions<MAX_DEPTH_BITS> &found)
{
    const u64 won = job.won[at], open = job.open[at];
    u64 bad = ((won | open) ^ legal) | (won & open) | (won ^ (found.some & legal));
    bad |= deeper(job.won_depth, at, job.ply);
    return bad | other_depths<MAX_DEPTH_BITS>(job.won_depth, at, won, found);
}

// The defender to move: lost is who has moves to won positions only, in the
// greatest of their plies, or is in check and has none.
DEVICE u64 bad_losses(const Job &job, u64 at, u64 legal, u64 check, const RowConversions<MAX_DEPTH_BITS> &found)
{
    const u64 lost = job.lost[at];
    u64 bad = lost ^ (legal & ~found.escape & (found.some | check));
    bad |= deeper(job.lost_depth, at, job.ply);
    return bad | other_depths<MAX_DEPTH_BITS>(job.lost_depth, at, lost, found);
}

// Counts the positions that break a law and, as `tiles`, the tiles looked at.
// No depth is above `ply`: where the 50-move rule spoils nothing that is a
// further law, and all there is to the rule.
KERNEL(check_values, INIT_BLOCKS)
{
    const int lane = LANE;
    Tally tally = no_tally();
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        const Cell cell = decode(job, tile);
        const u64 at = (u64)tile * 64 + 2 * lane;
        if (lane == 0) tally.tiles++;
        if (!cell.placed) {
            u64 any = job.open[at] | job.won[at] | job.lost[at];
            tally.decided += __popcll(any | job.open[at + 1] | job.won[at + 1] | job.lost[at + 1]);
            continue;
        }
#pragma unroll 1
        for (int goal = WIN; goal <= HOLD; goal++) {
            const int side = goal == WIN ? job.attacker : !job.attacker;
            const Mode mode = {goal, (int)job.rule, MAX_DEPTH_BITS};
            Conversions<MAX_DEPTH_BITS> found;
            captures<MAX_DEPTH_BITS>(job, cell, side, mode, lane, found);
            add_quiet<MAX_DEPTH_BITS>(job, cell, side, mode, lane, found);
            const Pair64 legal = legal_rows(job, cell, side, lane), check = in_check(job, cell, side, lane);
            if (goal == WIN)
                tally.decided += __popcll(bad_wins(job, at, legal.a, found.a)) + __popcll(bad_wins(job, at + 1, legal.b, found.b));
            else
                tally.decided += __popcll(bad_losses(job, at, legal.a, check.a, found.a)) +
                                 __popcll(bad_losses(job, at + 1, legal.b, check.b, found.b));
        }
    }
    add_tally(tally, job.tally + TALLY_LOST * TALLY_WORDS, lane);
}

// Mate under the 50-move rule by its definition, one clock after the other. The
// values with `ply` plies left to a full count follow from those with one ply
// fewer; moves that start the count anew lead to values with all of it left,
// which are the finished ones. Knows nothing of runs.

DEVICE void write_layer_depths(u64 *const *planes, u64 at, u64 set, const RowConversions<MAX_DEPTH_BITS> &found)
{
#pragma unroll
    for (int k = 0; k < MAX_DEPTH_BITS; k++)
        if (planes[k]) planes[k][at] = found.plies[k] & set;
}

// With no ply left nothing can be won any more, and only mate is lost. (What was
// read then is the finished planes: all that matters is who can move.)
DEVICE void write_layer_wins(const Job &job, u64 at, u64 legal, const RowConversions<MAX_DEPTH_BITS> &found)
{
    const u64 won = job.ply ? found.some & legal : 0;
    job.layer.won[at] = won;
    job.layer.open[at] = legal & ~won;
    write_layer_depths(job.layer.won_depth, at, won, found);
}

DEVICE void write_layer_losses(const Job &job, u64 at, u64 legal, u64 check,
                               const RowConversions<MAX_DEPTH_BITS> &found)
{
    const u64 stuck = legal & ~found.escape & check & ~found.some;
    const u64 lost = job.ply ? legal & ~found.escape & (found.some | check) : stuck;
    job.layer.lost[at] = lost;
    write_layer_depths(job.layer.lost_depth, at, lost & found.some, found);
}

KERNEL(check_clock, INIT_BLOCKS)
{
    const int lane = LANE;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        const Cell cell = decode(job, tile);
        const u64 at = (u64)tile * 64 + 2 * lane;
#pragma unroll 1
        for (int goal = WIN; goal <= HOLD; goal++) {
            const int side = goal == WIN ? job.attacker : !job.attacker;
            const Mode mode = {goal, (int)job.rule, MAX_DEPTH_BITS};
            Conversions<MAX_DEPTH_BITS> found;
            Pair64 legal = {0, 0}, check = {0, 0};
            found.a.some = found.b.some = found.a.escape = found.b.escape = 0;
            if (cell.placed) {
                captures<MAX_DEPTH_BITS>(job, cell, side, mode, lane, found);
                add_quiet<MAX_DEPTH_BITS>(job, cell, side, mode, lane, found);
                legal = legal_rows(job, cell, side, lane);
                check = in_check(job, cell, side, lane);
            }
            if (goal == WIN) {
                write_layer_wins(job, at, legal.a, found.a);
                write_layer_wins(job, at + 1, legal.b, found.b);
            } else {
                write_layer_losses(job, at, legal.a, check.a, found.a);
                write_layer_losses(job, at + 1, legal.b, check.b, found.b);
            }
        }
    }
}

DEVICE u64 depths_differ(u64 *const *a, u64 *const *b, u64 at)
{
    u64 bad = 0;
#pragma unroll
    for (int k = 0; k < MAX_DEPTH_BITS; k++) bad |= (a[k] ? a[k][at] : 0) ^ (b[k] ? b[k][at] : 0);
    return bad;
}

// Counts the positions whose finished values are not those of the layer.
KERNEL(check_layer, INIT_BLOCKS)
{
    const int lane = LANE;
    const Layer &layer = job.layer;
    Tally tally = no_tally();
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        for (int half = 0; half < 2; half++) {
            const u64 at = (u64)tile * 64 + 2 * lane + half;
            const u64 wins = (job.open[at] ^ layer.open[at]) | (job.won[at] ^ layer.won[at]) |
                             depths_differ(job.won_depth, layer.won_depth, at);
            const u64 losses = (job.lost[at] ^ layer.lost[at]) | depths_differ(job.lost_depth, layer.lost_depth, at);
            tally.decided += __popcll(wins) + __popcll(losses);
        }
    }
    add_tally(tally, job.tally + TALLY_LOST * TALLY_WORDS, lane);
}
#endif
