// Tiles and the placements of outer men they stand for.

struct Cell {
    u32 tile;
    u32 king_class;
    int white_king;
    int black_king;
    int square[OUTER + 1];
    u64 occupied;
    bool placed; // no two outer men share a square
};

// An array of the two would be indexed at run time and leave the registers.
DEVICE int king_of(const Cell &cell, int color) { return color ? cell.black_king : cell.white_king; }

DEVICE u32 rank_group(const Tables *tables, u64 set, int len)
{
    if (len == 1) return __ffsll(set) - 1;
    if (len == 2) {
        u32 high = 63 - __clzll(set);
        return high * (high - 1) / 2 + (__ffsll(set) - 1);
    }
    u32 number = 0;
    for (int k = 1; set; k++, set &= set - 1)
        number += tables->binomial[k][__ffsll(set) - 1];
    return number;
}

// The largest square whose binomial does not exceed the number.
DEVICE int unrank_one(const Tables *tables, u32 number, int k)
{
    int square = k - 1;
    while (square < 63 && tables->binomial[k][square + 1] <= number) square++;
    return square;
}

DEVICE int unrank_pair(u32 number)
{
    int high = (int)((1.0f + sqrtf(1.0f + 8.0f * (float)number)) * 0.5f);
    while (high * (high - 1) / 2 > (int)number) high--;
    while (high * (high + 1) / 2 <= (int)number) high++;
    return high;
}

DEVICE void unrank_group(const Job &job, u32 number, int last, int len, int *square)
{
    for (int k = len; k > 0; k--) {
        int found = k == 1 ? (int)number : unrank_one(job.tables, number, k);
        if (k > 1) number -= job.tables->binomial[k][found];
#pragma unroll
        for (int i = 0; i < OUTER; i++)
            if (i == last - len + k) square[i] = found;
    }
}

// The squares of the outer men of one board, by their number.
DEVICE void outer_squares(const Job &job, u32 rest, int *square)
{
    const Board &board = BOARD(job);
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        int len = board.close[i];
        if (!len) continue;
        u32 number = divide(rest, board.stride_inverse[i]);
        rest -= number * board.stride[i];
        if (len == 1) {
            square[i] = (int)number;
        } else if (len == 2) {
            int high = unrank_pair(number);
            square[i] = high;
            square[i ? i - 1 : 0] = (int)number - high * (high - 1) / 2;
        } else if (OUTER > 2) { // a compile-time test: three like men need three axes
            unrank_group(job, number, i, len, square);
        }
    }
}

DEVICE Cell decode(const Job &job, u32 tile)
{
    const Board &board = BOARD(job);
    Cell cell;
    cell.tile = tile;
    cell.king_class = divide(tile, board.numbers_inverse);
    outer_squares(job, tile - cell.king_class * board.numbers, cell.square);
#if PAWNS
    // The class is the number of the placement.
    cell.white_king = cell.black_king = 0;
    cell.occupied = job.places[cell.king_class].pawns[0] | job.places[cell.king_class].pawns[1];
#else
    cell.white_king = job.tables->white[cell.king_class];
    cell.black_king = job.tables->black[cell.king_class];
    cell.occupied = bit(cell.white_king) | bit(cell.black_king);
#endif
    cell.placed = true;
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        if (has(cell.occupied, cell.square[i])) cell.placed = false;
        cell.occupied |= bit(cell.square[i]);
    }
    return cell;
}

// The tile of a king class and `count` outer squares of any board.
DEVICE u32 encode(const Tables *tables, const Board &board, u32 king_class, const int *square, int count)
{
    u32 tile = king_class * board.numbers;
    u64 set = 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        if (i >= count) break;
        set |= bit(square[i]);
        int len = board.close[i];
        if (len) {
            tile += board.stride[i] * rank_group(tables, set, len);
            set = 0;
        }
    }
    return tile;
}

// An outer man's axis, with the man himself taken off.
struct Axis {
    u32 base;
    u32 stride;
    int len;
    u64 others; // squares of the like men in his group
};

DEVICE Axis axis_of(const Job &job, const Cell &cell, int man)
{
    const Board &board = BOARD(job);
    Axis axis;
    axis.stride = board.stride[man];
    axis.len = board.group_len[man];
    axis.others = 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++)
        if (i != man && board.group[i] == board.group[man]) axis.others |= bit(cell.square[i]);
    u64 group = axis.others | bit(cell.square[man]);
    axis.base = cell.tile - axis.stride * rank_group(job.tables, group, axis.len);
    return axis;
}

DEVICE u32 tile_with(const Job &job, const Axis &axis, int to)
{
    return axis.base + axis.stride * rank_group(job.tables, axis.others | bit(to), axis.len);
}

// A king's step: the class and symmetry of the new pair; false if the kings
// would touch.
DEVICE bool king_step(const Job &job, const Cell &cell, int side, int to, u32 &king_class, int &symmetry)
{
    int white = side == 0 ? to : cell.white_king;
    int black = side == 0 ? cell.black_king : to;
    u32 pair = job.tables->pair[white * 64 + black];
    king_class = pair & 511;
    symmetry = pair >> 9 & 7;
    return pair != NO_PAIR;
}

DEVICE bool on_diagonal(int square) { return (square & 7) == square >> 3; }

// Both kings on the long diagonal: a position and its mirror image are both
// stored under this class.
DEVICE bool maps_to_itself(const Job &job, u32 king_class)
{
    return on_diagonal(job.tables->white[king_class]) && on_diagonal(job.tables->black[king_class]);
}

// Placements of one row: one man a square, kings apart.
DEVICE u64 valid_row(const Board &board, u64 occupied, int row)
{
    if (PAWNS) return has(occupied, row) ? 0 : ~(occupied | bit(row) | king_moves(bit(row)));
    if (!board.has_row) return row ? 0 : board.has_column ? ~occupied : 1;
    return has(occupied, row) ? 0 : ~(occupied | bit(row));
}

DEVICE Pair64 valid_rows(const Board &board, const Cell &cell, int lane)
{
    Pair64 out = {valid_row(board, cell.occupied, 2 * lane), valid_row(board, cell.occupied, 2 * lane + 1)};
    return out;
}

#if PAWNS
DEVICE u64 pawn_attacks(u64 pawns, int color)
{
    u64 beside = ((pawns << 1) & NOT_A) | ((pawns >> 1) & NOT_H);
    return color == 0 ? beside << 8 : beside >> 8;
}

// Squares of the black king on which it is attacked, the white one on `row`.
DEVICE u64 black_attacked(const Job &job, const Cell &cell, int row)
{
    const Board &board = BOARD(job);
    u64 out = pawn_attacks(job.places[cell.king_class].pawns[0], 0);
#pragma unroll
    for (int i = 0; i < OUTER; i++)
        if (board.color[i] == 0) out |= attacks_from(board.role[i], bit(cell.square[i]), ~(cell.occupied | bit(row)));
    return out;
}

// Squares of the black king for which the white one, on `row`, is attacked.
DEVICE u64 white_attacked(const Job &job, const Cell &cell, int row)
{
    const Board &board = BOARD(job);
    const Tables *tables = job.tables;
    u64 out = has(pawn_attacks(job.places[cell.king_class].pawns[1], 1), row) ? ~0ull : 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        if (board.color[i] != 1 || !has(tables->reach[board.role[i]][cell.square[i]], row)) continue;
        u64 path = tables->between[cell.square[i] * 64 + row];
        if (!(path & cell.occupied)) out |= ~path;
    }
    return out;
}

// Positions in which the king of `color` is attacked.
DEVICE Pair64 in_check(const Job &job, const Cell &cell, int color, int lane)
{
    Pair64 out;
    out.a = color ? black_attacked(job, cell, 2 * lane) : white_attacked(job, cell, 2 * lane);
    out.b = color ? black_attacked(job, cell, 2 * lane + 1) : white_attacked(job, cell, 2 * lane + 1);
    return out;
}
#else
// Column squares for which the king of the other side, on `king`, is attacked
// by the men of `by`, with the row man on `row`.
DEVICE u64 attacked_row(const Job &job, const Cell &cell, int by, int king, int row)
{
    const Board &board = BOARD(job);
    const Tables *tables = job.tables;
    u64 out = 0;
#pragma unroll
    for (int i = 0; i < OUTER; i++) {
        if (board.color[i] != by || !has(tables->reach[board.role[i]][cell.square[i]], king)) continue;
        u64 path = tables->between[cell.square[i] * 64 + king];
        if (!(path & cell.occupied) && !has(path, row)) out |= ~path;
    }
    if (board.has_row && board.color[OUTER] == by && has(tables->reach[board.role[OUTER]][king], row)) {
        u64 path = tables->between[row * 64 + king];
        if (!(path & cell.occupied)) out |= ~path;
    }
    int column = OUTER + (int)board.has_row;
    if (board.has_column && board.color[column] == by) {
        u64 blockers = cell.occupied | (board.has_row ? bit(row) : 0);
        out |= attacks_from(board.role[column], bit(king), ~blockers);
    }
    return out;
}

// Positions in which the king of `color` is attacked.
DEVICE Pair64 in_check(const Job &job, const Cell &cell, int color, int lane)
{
    Pair64 out = {attacked_row(job, cell, !color, king_of(cell, color), 2 * lane),
                  attacked_row(job, cell, !color, king_of(cell, color), 2 * lane + 1)};
    return out;
}
#endif

DEVICE Pair64 legal_rows(const Job &job, const Cell &cell, int turn, int lane)
{
    Pair64 valid = valid_rows(BOARD(job), cell, lane);
    Pair64 check = in_check(job, cell, !turn, lane);
    Pair64 out = {valid.a & ~check.a, valid.b & ~check.b};
    return out;
}

// The order in which the tiles of one king class are worked on. Neighbours by
// moves of one side's outer men should be close in time, so that they meet in
// the cache: those men should vary fastest. White's do in the numbering of the
// tiles; for Black's moves rows and columns of the numbering are exchanged.
DEVICE u32 tile_in_order(const Board &board, u32 place, bool for_black)
{
    if (!for_black) return place;
    const u32 king_class = divide(place, board.numbers_inverse), rest = place - king_class * board.numbers;
    const u32 rows = board.numbers / board.inner;
    const u32 inner = rest / rows;
    return king_class * board.numbers + (rest - inner * rows) * board.inner + inner;
}
