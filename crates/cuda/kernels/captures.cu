// Moves that leave the hyperboard: captures, read off the values of the
// boards without the victim. For the attacker (WIN) the least ply of a
// winning one is kept, for the defender (HOLD) the greatest ply of a losing
// one and the positions in which one of them escapes.
//
// BITS is the number of bits a ply can have; with 0 every ply is 1.

// What the captures of one row achieve.
template <int BITS> struct RowConversions {
    u64 some;
    u64 escape;
    u64 plies[BITS + 1];
};

// The two rows of a lane.
template <int BITS> struct Conversions {
    RowConversions<BITS> a;
    RowConversions<BITS> b;
};

// One row of values: 64 positions, the column man's square being the bit.
template <int BITS> struct Word {
    u64 some;
    u64 escape;
    u64 depth[BITS + 1];
};

struct Mode {
    int goal;
    int rule;
    int bits;
};

template <int BITS> DEVICE Word<BITS> read_word(const Sub &sub, Mode mode, u32 tile, int row)
{
    const u64 at = (u64)tile * 64 + row;
    const u64 *plane = mode.goal == WIN ? sub.lost : sub.won;
    Word<BITS> word;
    word.some = plane ? plane[at] : 0;
    word.escape = mode.goal == HOLD ? sub.open[at] : 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) {
        const u64 *bits = mode.goal == WIN ? sub.lost_depth[k] : sub.won_depth[k];
        word.depth[k] = word.some && k < (int)sub.depth_bits ? bits[at] : 0;
    }
    return word;
}

template <int BITS> DEVICE Word<BITS> splat(Word<BITS> word, int square)
{
    word.some = has(word.some, square) ? ~0ull : 0;
    word.escape = has(word.escape, square) ? ~0ull : 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) word.depth[k] = has(word.depth[k], square) ? ~0ull : 0;
    return word;
}

template <int BITS> DEVICE Word<BITS> turn_back(Word<BITS> word, int symmetry)
{
    if (!symmetry) return word;
    word.some = back_through(symmetry, word.some);
    word.escape = back_through(symmetry, word.escape);
#pragma unroll
    for (int k = 0; k < BITS; k++) word.depth[k] = back_through(symmetry, word.depth[k]);
    return word;
}

// From the depth after the move to the ply before it, in place.
template <int BITS> DEVICE void apply_rule(Word<BITS> &word, Mode mode)
{
    if (mode.rule == RULE_ONWARD) {
        u64 carry = ~0ull;
#pragma unroll
        for (int k = 0; k < BITS; k++) {
            u64 depth = word.depth[k];
            word.depth[k] = depth ^ carry;
            carry &= depth;
        }
        return;
    }
    if (mode.rule == RULE_ONE) {
#pragma unroll
        for (int k = 0; k < BITS; k++) word.depth[k] = k == 0 ? ~0ull : 0;
        return;
    }
    // The 50-move rule: 1, or 101 where more than 100 plies follow.
    u64 late = 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) {
        u64 wanted = 100 >> k & 1 ? ~0ull : 0;
        late = (word.depth[k] & ~wanted) | (late & ~(word.depth[k] ^ wanted));
        word.depth[k] = 0;
    }
#pragma unroll
    for (int k = 0; k < BITS; k++) {
        if (101 >> k & 1) word.depth[k] = late;
        if (k == 0) word.depth[k] = ~0ull;
    }
}

// Takes in moves from the positions `mask` of one row.
template <int BITS> DEVICE void add_row(RowConversions<BITS> &row, u64 mask, Word<BITS> word, Mode mode)
{
    row.escape |= word.escape & mask;
    mask &= word.some;
    if (BITS == 0) {
        row.some |= mask;
        return;
    }
    if (!mask) return;
    apply_rule<BITS>(word, mode);
    // From the lowest bit up: the highest differing bit decides.
    u64 less = 0;
#pragma unroll
    for (int k = 0; k < BITS; k++)
        less = (row.plies[k] & ~word.depth[k]) | (less & ~(row.plies[k] ^ word.depth[k]));
    u64 take = mask & ((mode.goal == WIN ? less : ~less) | ~row.some);
#pragma unroll
    for (int k = 0; k < BITS; k++) row.plies[k] = (row.plies[k] & ~take) | (word.depth[k] & take);
    row.some |= mask;
}

template <int BITS> DEVICE void swap_rows(Conversions<BITS> &out)
{
    RowConversions<BITS> row = out.a;
    out.a = out.b;
    out.b = row;
}

#if !PAWNS
// The values on the line of one tile man, all other men fixed: the last outer
// man is the sub-game's row man.
template <int BITS>
DEVICE Word<BITS> line_word(const Job &job, const Sub &sub, Mode mode, u32 king_class, const int *square)
{
    const int count = OUTER > 0 ? OUTER - 1 : 0;
    u32 tile = encode(job.tables, sub.board, king_class, square, count);
    return read_word<BITS>(sub, mode, tile, OUTER > 0 ? square[count] : 0);
}

// Captures of a tile man standing on `target`; the bits are the squares of the
// other tile man (`other`, or -1).
template <int BITS>
DEVICE void line_captures(const Job &job, const Cell &cell, int side, int other, const Sub &sub, Mode mode,
                          int target, RowConversions<BITS> &out)
{
    const Board &board = BOARD(job);
    const Tables *tables = job.tables;
    if (has(cell.occupied, target)) return;
    int square[OUTER + 1];
#pragma unroll
    for (int i = 0; i < OUTER; i++) square[i] = cell.square[i];
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        const int from = cell.square[i];
        if (board.color[i] != side || !outer_reaches(job, cell, board.role[i], from, target)) continue;
        square[i] = target;
        Word<BITS> word = line_word<BITS>(job, sub, mode, cell.king_class, square);
        square[i] = from;
        add_row<BITS>(out, ~tables->between[from * 64 + target], word, mode);
    }
    if (other >= 0 && board.color[other] == side) {
        Word<BITS> word = line_word<BITS>(job, sub, mode, cell.king_class, square);
        u64 from = attacks_from(board.role[other], bit(target), ~cell.occupied);
        add_row<BITS>(out, from, splat<BITS>(word, target), mode);
    }
    u32 king_class;
    int symmetry;
    if (!has(tables->reach[KING][king_of(cell, side)], target)) return;
    if (!king_step(job, cell, side, target, king_class, symmetry)) return;
#pragma unroll
    for (int i = 0; i < OUTER; i++) square[i] = image(symmetry, square[i]);
    Word<BITS> word = line_word<BITS>(job, sub, mode, king_class, square);
    if (other >= 0) word = turn_back<BITS>(word, symmetry);
    add_row<BITS>(out, ~0ull, word, mode);
}

// Captures of the outer man `victim`, for one row.
template <int BITS>
DEVICE void fixed_captures(const Job &job, const Cell &cell, int side, int victim, Mode mode, int row,
                           RowConversions<BITS> &out)
{
    const Board &board = BOARD(job);
    const Tables *tables = job.tables;
    const Sub &sub = job.subs[victim];
    const int target = cell.square[victim];
    int stay[OUTER + 1];
#pragma unroll
    for (int i = 0; i + 1 < OUTER; i++) stay[i] = cell.square[i < victim ? i : i + 1];
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        const int from = cell.square[i], place = i < victim ? i : i - 1;
        if (i == victim || board.color[i] != side || !has(tables->reach[board.role[i]][from], target)) continue;
        u64 path = tables->between[from * 64 + target];
        if ((path & cell.occupied) || has(path, row)) continue;
        stay[place] = target;
        u32 tile = encode(tables, sub.board, cell.king_class, stay, OUTER - 1);
        stay[place] = from;
        add_row<BITS>(out, ~path, read_word<BITS>(sub, mode, tile, row), mode);
    }
    const u32 tile = encode(tables, sub.board, cell.king_class, stay, OUTER - 1);
    if (board.color[OUTER] == side && has(tables->reach[board.role[OUTER]][target], row)) {
        u64 path = tables->between[row * 64 + target];
        if (!(path & cell.occupied)) add_row<BITS>(out, ~path, read_word<BITS>(sub, mode, tile, target), mode);
    }
    if (board.color[OUTER + 1] == side) {
        u64 from = attacks_from(board.role[OUTER + 1], bit(target), ~(cell.occupied | bit(row)));
        add_row<BITS>(out, from, splat<BITS>(read_word<BITS>(sub, mode, tile, row), target), mode);
    }
    u32 king_class;
    int symmetry;
    if (!has(tables->reach[KING][king_of(cell, side)], target)) return;
    if (!king_step(job, cell, side, target, king_class, symmetry)) return;
#pragma unroll
    for (int i = 0; i + 1 < OUTER; i++) stay[i] = image(symmetry, stay[i]);
    u32 after = encode(tables, sub.board, king_class, stay, OUTER - 1);
    Word<BITS> word = read_word<BITS>(sub, mode, after, image(symmetry, row));
    add_row<BITS>(out, ~0ull, turn_back<BITS>(word, symmetry), mode);
}

// All captures by `side` from the positions of a tile. Every lane must call.
// The loops over the two rows stay loops, with the rows exchanged each time,
// to keep the code half as long.
template <int BITS>
DEVICE void captures(const Job &job, const Cell &cell, int side, Mode mode, int lane, Conversions<BITS> &out)
{
    const Board &board = BOARD(job);
    out.a.some = out.b.some = out.a.escape = out.b.escape = 0;
#pragma unroll
    for (int k = 0; k < BITS; k++) out.a.plies[k] = out.b.plies[k] = 0;
    const int column = OUTER + (int)board.has_row;
    // The column man first: his captures come with rows and columns
    // exchanged, so they are turned before anything else is taken in.
    if (board.has_column && board.color[column] != side) {
        const int other = board.has_row ? OUTER : -1;
#pragma unroll 1
        for (int half = 0; half < 2; half++) {
            line_captures<BITS>(job, cell, side, other, job.subs[column], mode, 2 * lane + half, out.a);
            swap_rows<BITS>(out);
        }
        transpose_tile(lane, out.a.some, out.b.some);
        if (mode.goal == HOLD) transpose_tile(lane, out.a.escape, out.b.escape);
#pragma unroll
        for (int k = 0; k < BITS; k++)
            if (k < mode.bits) transpose_tile(lane, out.a.plies[k], out.b.plies[k]);
    }
#pragma unroll 1
    for (int half = 0; half < 2; half++) {
        const int row = 2 * lane + half;
        if (board.has_row && board.color[OUTER] != side)
            line_captures<BITS>(job, cell, side, column, job.subs[OUTER], mode, row, out.a);
#pragma unroll
        for (int victim = 0; victim < OUTER; victim++)
            if (board.color[victim] != side) fixed_captures<BITS>(job, cell, side, victim, mode, row, out.a);
        swap_rows<BITS>(out);
    }
}
#endif
