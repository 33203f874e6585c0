// Boards with pawns: the moves out of a placement, and values of boards
// without pawns brought into the layout with the kings in the tile.
#if PAWNS

DEVICE int square_of(const int *square, u32 man)
{
    int out = 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++)
        if (i == (int)man) out = square[i];
    return out;
}

// The tile of a target for squares of our outer men.
DEVICE u32 target_tile(const Job &job, const Board &board, u32 first_tile, bool mirrored, const Exit &exit,
                       const int *square)
{
    u32 tile = first_tile;
    u64 set = 0;
#pragma unroll
    for (int k = 0; k <= OUTER; k++) {
        if (k >= (int)board.outer) break;
        int at = exit.from[k] == FIXED_MAN ? exit.fixed_square : square_of(square, exit.from[k]);
        set |= bit(mirrored ? at ^ 7 : at);
        const int len = board.close[k];
        if (!len) continue;
        tile += board.stride[k] * rank_group(job.tables, set, len);
        set = 0;
    }
    return tile;
}

DEVICE u64 target_row(const u64 *plane, bool mirrored, u64 at)
{
    if (!plane) return 0;
    return mirrored ? back_through(1, plane[at]) : plane[at];
}

template <int BITS> DEVICE Word<BITS> target_word(const Target &target, bool mirrored, Mode mode, u32 tile, int row)
{
    const u64 at = (u64)tile * 64 + (mirrored ? row ^ 7 : row);
    Word<BITS> word;
    word.some = target_row(mode.goal == WIN ? target.lost : target.won, mirrored, at);
    word.escape = mode.goal == HOLD ? target_row(target.open, mirrored, at) : 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) {
        const u64 *bits = mode.goal == WIN ? target.lost_depth[k] : target.won_depth[k];
        const bool wanted = word.some && mode.rule != RULE_ONE && k < (int)target.depth_bits;
        word.depth[k] = wanted ? target_row(bits, mirrored, at) : 0;
    }
    return word;
}

template <int BITS> DEVICE RowConversions<BITS> no_conversions()
{
    RowConversions<BITS> out;
    out.some = out.escape = 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) out.plies[k] = 0;
    return out;
}

// What the captures en passant after a double step achieve for the capturer:
// he attacks if the pawn's owner defends, and the other way round.
template <int BITS>
DEVICE RowConversions<BITS> en_passant(const Job &job, const Exit &exit, Mode mode, const int *square, int row, u64 legal)
{
    const Mode answer = {mode.goal == WIN ? HOLD : WIN, (int)job.rule, mode.bits};
    RowConversions<BITS> out = no_conversions<BITS>();
    for (int i = 0; i < exit.en_passants; i++) {
        const Target &target = job.targets[exit.en_passant_target[i]];
        const bool mirrored = exit.en_passant_mirrored[i];
        u32 tile = target_tile(job, target.board, exit.en_passant_first[i], mirrored, exit, square);
        add_row<BITS>(out, legal, target_word<BITS>(target, mirrored, answer, tile, row), answer);
    }
    return out;
}

// Adds the right to capture en passant to the values after a double step. The
// capture is one more move: it can win, it can save, and it is forced where it
// is the only one.
template <int BITS>
DEVICE void add_en_passant(const Job &job, const Exit &exit, Mode mode, const int *square, u32 tile, int row,
                           Word<BITS> &word)
{
    u64 take;
    RowConversions<BITS> found;
    if (mode.goal == HOLD) {
        // The attacker captures: the lesser of the two plies counts.
        found = en_passant<BITS>(job, exit, mode, square, row, word.some | word.escape);
        take = found.some & ~word.some;
    } else {
        // The defender captures: the greater of the two plies counts.
        found = en_passant<BITS>(job, exit, mode, square, row, ~0ull);
        const u64 at = (u64)tile * 64 + (exit.mirrored ? row ^ 7 : row);
        const u64 stalemate = target_row(job.targets[exit.target].stalemate, exit.mirrored, at);
        word.some &= ~found.escape;
        found.some &= (word.some | stalemate) & ~found.escape;
        take = found.some & ~word.some;
    }
    u64 less = 0; // the capture's ply is less
#pragma unroll
    for (int k = 0; k < BITS; k++)
        less = (word.depth[k] & ~found.plies[k]) | (less & ~(word.depth[k] ^ found.plies[k]));
    take |= found.some & (mode.goal == HOLD ? less : ~less);
#pragma unroll
    for (int k = 0; k < BITS; k++) word.depth[k] = (word.depth[k] & ~take) | (found.plies[k] & take);
    word.some |= found.some;
    word.escape &= ~found.some;
}

// Captures of a man on a fixed square by pieces and kings, for one row.
template <int BITS>
DEVICE void add_taken(const Job &job, const Cell &cell, const Exit &exit, Mode mode, int row, RowConversions<BITS> &out)
{
    const Board &board = BOARD(job);
    const Tables *tables = job.tables;
    const Target &values = job.targets[exit.target];
    const bool mirrored = exit.mirrored;
    const int target = exit.victim == NO_VICTIM ? exit.square : square_of(cell.square, exit.victim);
    int square[OUTER + 1];
#pragma unroll
    for (int i = 0; i < OUTER; i++) square[i] = cell.square[i];
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        const int from = cell.square[i];
        if (i == exit.victim || board.color[i] != exit.side || !has(tables->reach[board.role[i]][from], target)) continue;
        const u64 path = tables->between[from * 64 + target];
        if ((path & cell.occupied) || has(path, row)) continue;
        square[i] = target;
        const u32 tile = target_tile(job, values.board, exit.first_tile, mirrored, exit, square);
        square[i] = from;
        add_row<BITS>(out, ~path, target_word<BITS>(values, mirrored, mode, tile, row), mode);
    }
    const u64 near = tables->reach[KING][target];
    const u32 tile = target_tile(job, values.board, exit.first_tile, mirrored, exit, square);
    if (exit.side == 0) {
        if (has(near, row)) add_row<BITS>(out, ~0ull, target_word<BITS>(values, mirrored, mode, tile, target), mode);
    } else {
        add_row<BITS>(out, near, splat<BITS>(target_word<BITS>(values, mirrored, mode, tile, row), target), mode);
    }
}

template <int BITS>
DEVICE void add_exit(const Job &job, const Cell &cell, const Exit &exit, Mode mode, int row, RowConversions<BITS> &out)
{
    mode.rule = exit.rule;
    if (exit.kind == TAKEN) {
        add_taken<BITS>(job, cell, exit, mode, row, out);
        return;
    }
    if (exit.kind == FORWARD && ((exit.empty & cell.occupied) || has(exit.passed, row))) return;
    if (exit.kind == PAWN_TAKES_PIECE && square_of(cell.square, exit.victim) != exit.square) return;
    const Target &target = job.targets[exit.target];
    const u32 tile = target_tile(job, target.board, exit.first_tile, exit.mirrored, exit, cell.square);
    Word<BITS> word = target_word<BITS>(target, exit.mirrored, mode, tile, row);
    if (exit.en_passants) add_en_passant<BITS>(job, exit, mode, cell.square, tile, row, word);
    add_row<BITS>(out, ~exit.passed, word, mode);
}

// All moves of `side` out of the placement. The loop over the two rows stays a
// loop, with the rows exchanged each time, to keep the code half as long.
template <int BITS>
DEVICE void captures(const Job &job, const Cell &cell, int side, Mode mode, int lane, Conversions<BITS> &out)
{
    const Place &place = job.places[cell.king_class];
    out.a = no_conversions<BITS>();
    out.b = no_conversions<BITS>();
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        for (u32 i = place.first_exit; i < place.last_exit; i++)
            if (job.exits[i].side == side) add_exit<BITS>(job, cell, job.exits[i], mode, 2 * lane + half, out.a);
        swap_rows<BITS>(out);
    }
}

#if PART_GRADED
// Where a position of a board without pawns is stored: by the class of the
// kings, everything turned into the class's frame. `turn` is 56 where the stored
// board has the colours exchanged.
DEVICE bool stored_at(const Job &job, const Sub &sub, const int *square, int white, int black, int turn, u64 &word,
                      int &column)
{
    const Exit &exit = job.exits[0];
    const u32 pair = turn ? job.tables->pair[(black ^ turn) * 64 + (white ^ turn)] : job.tables->pair[white * 64 + black];
    if (pair == NO_PAIR) return false;
    const int symmetry = pair >> 9 & 7, outer = sub.board.outer;
    u32 tile = (pair & 511) * sub.board.numbers;
    int row = 0;
    column = 0;
    u64 set = 0;
#pragma unroll
    for (int k = 0; k <= OUTER; k++) {
        const int own = exit.from[k] == FIXED_MAN ? exit.fixed_square : square_of(square, exit.from[k]);
        const int at = image(symmetry, own ^ turn);
        if (k >= outer) {
            // The last piece is the column man, the one before him the row man.
            if (k == outer + (int)sub.board.has_row) column = sub.board.has_column ? at : 0;
            else if (k == outer) row = at;
            continue;
        }
        set |= bit(at);
        if (!sub.board.close[k]) continue;
        tile += sub.board.stride[k] * rank_group(job.tables, set, sub.board.close[k]);
        set = 0;
    }
    word = (u64)tile * 64 + row;
    return true;
}

// What is kept of the values of a row in a slice. Under the 50-move rule a reader
// asks of a depth only whether it is late: one plane says that.
struct SliceRow {
    u64 open, some, depth[MAX_DEPTH_BITS];
};

DEVICE u64 above_a_hundred(const u64 *depth)
{
    u64 late = 0;
#pragma unroll
    for (int k = 0; k < MAX_DEPTH_BITS; k++) {
        const u64 wanted = 100 >> k & 1 ? ~0ull : 0;
        late = (depth[k] & ~wanted) | (late & ~(depth[k] ^ wanted));
    }
    return late;
}

DEVICE void store_slice_row(const Job &job, u64 to, SliceRow &row)
{
    const bool holds = job.won != 0;
    if (job.open) job.open[to] = row.open;
    (holds ? job.won : job.lost)[to] = row.some;
    if (job.rule == RULE_FIFTY) row.depth[0] = above_a_hundred(row.depth);
#pragma unroll
    for (int k = 0; k < MAX_DEPTH_BITS; k++) {
        u64 *plane = holds ? job.won_depth[k] : job.lost_depth[k];
        if (plane) plane[to] = row.depth[k];
    }
}

// Copies a board without pawns, perhaps with one man on a fixed square, into
// the layout with the kings in the tile: what is read after a move of the attacker
// (`lost`) or of the defender (`open` and `won`). A lane takes a tile, so that the
// lanes, whose last men differ, read words side by side.
KERNEL(relay, INIT_BLOCKS)
{
    const int lane = LANE;
    const Sub &sub = job.subs[0];
    const Exit &exit = job.exits[0];
    const bool fixed = exit.fixed_square != NO_SQUARE, holds = job.won != 0;
    const int turn = exit.mirrored ? 56 : 0;
    const u64 *stored = holds ? sub.won : sub.lost;
    const u64 *const *stored_depth = holds ? sub.won_depth : sub.lost_depth;
    const u32 groups = (job.board.tiles + 31) / 32;
    for (u32 at = WARP; at < groups * 64; at += WARPS) {
        const u32 tile = at / 64 * 32 + lane;
        const int white = at % 64;
        if (tile >= job.board.tiles) continue;
        const Cell cell = decode(job, tile);
        const bool placed = cell.placed && !(fixed && has(cell.occupied, exit.fixed_square));
        SliceRow row;
        row.open = row.some = 0;
#pragma unroll
        for (int k = 0; k < MAX_DEPTH_BITS; k++) row.depth[k] = 0;
        for (int black = 0; placed && black < 64; black++) {
            u64 word;
            int column;
            if (!stored_at(job, sub, cell.square, white, black, turn, word, column)) continue;
            if (job.open) row.open |= (sub.open[word] >> column & 1) << black;
            if (!stored || !(stored[word] >> column & 1)) continue;
            row.some |= bit(black);
#pragma unroll
            for (int k = 0; k < MAX_DEPTH_BITS; k++)
                if (k < (int)sub.depth_bits && stored_depth[k]) row.depth[k] |= (stored_depth[k][word] >> column & 1) << black;
        }
        store_slice_row(job, (u64)tile * 64 + white, row);
    }
}

// One row of a stored plane as it is in a slice, whose colours may be exchanged:
// then rows are columns and ranks are turned. Every lane must call.
DEVICE Pair64 slice_rows(const u64 *plane, u32 tile, int turn, int lane)
{
    Pair64 rows = {0, 0};
    if (!plane) return rows;
    const u64 *from = plane + (u64)tile * 64;
    rows.a = from[(2 * lane) ^ turn];
    rows.b = from[(2 * lane + 1) ^ turn];
    if (!turn) return rows;
    rows.a = swap_bytes(rows.a);
    rows.b = swap_bytes(rows.b);
    transpose_tile(lane, rows.a, rows.b);
    return rows;
}

// Cuts slices off boards with pawns: of each the eight in which a man stands on a
// square of his promotion rank, one after the other.
KERNEL(cut_slices, INIT_BLOCKS)
{
    const int lane = LANE;
    const Sub &sub = job.subs[0];
    const bool holds = job.won != 0;
    const int turn = job.exits[0].mirrored ? 56 : 0;
    const u64 *stored = holds ? sub.won : sub.lost;
    const u64 *const *stored_depth = holds ? sub.won_depth : sub.lost_depth;
    for (u32 tile = WARP; tile < job.board.tiles; tile += WARPS) {
        const u32 place = divide(tile, BOARD(job).numbers_inverse);
        Exit exit = job.exits[0];
        exit.fixed_square += place % 8;
        int square[OUTER + 1];
        outer_squares(job, tile - place * BOARD(job).numbers, square);
        u64 occupied = bit(exit.fixed_square);
        bool placed = true;
#pragma unroll
        for (int i = 0; i < OUTER; i++) {
            if (has(occupied, square[i])) placed = false;
            occupied |= bit(square[i]);
            square[i] ^= turn;
        }
        exit.fixed_square ^= turn;
        SliceRow a, b;
        a.open = a.some = b.open = b.some = 0;
#pragma unroll
        for (int k = 0; k < MAX_DEPTH_BITS; k++) a.depth[k] = b.depth[k] = 0;
        if (placed) {
            const u32 from = target_tile(job, sub.board, place / 8 * sub.board.numbers, false, exit, square);
            Pair64 rows = slice_rows(job.open ? sub.open : 0, from, turn, lane);
            a.open = rows.a;
            b.open = rows.b;
            rows = slice_rows(stored, from, turn, lane);
            a.some = rows.a;
            b.some = rows.b;
#pragma unroll
            for (int k = 0; k < MAX_DEPTH_BITS; k++) {
                if (k >= (int)sub.depth_bits) break;
                rows = slice_rows(stored_depth[k], from, turn, lane);
                a.depth[k] = rows.a;
                b.depth[k] = rows.b;
            }
        }
        const u64 to = (u64)tile * 64 + 2 * lane;
        store_slice_row(job, to, a);
        store_slice_row(job, to + 1, b);
    }
}
#endif
#endif
