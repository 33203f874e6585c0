/* Molien tables for C and C++: open a folder, probe positions, close it.
 *
 * Any number of threads may probe at once. Probing never allocates once a table
 * is loaded with molien_load; without that, the part of a table that holds a
 * position is decoded, and kept, when it is first asked for.
 *
 * This file is made by cbindgen; the examples folder shows its use.
 */

#ifndef MOLIEN_H
#define MOLIEN_H

#include <stddef.h>
#include <stdint.h>

// Plies to mate.
#define MOLIEN_DTM 0

// Plies to a capture, a promotion or mate.
#define MOLIEN_DTC 1

// Plies to a capture, a pawn move or mate, without the 50-move rule.
#define MOLIEN_DTZ 2

// The same with the 50-move rule, as Syzygy counts it.
#define MOLIEN_DTZ50 3

// Plies to mate under the 50-move rule.
#define MOLIEN_DTM50 4

// No plies: the classes under the 50-move rule.
#define MOLIEN_WDL 5

// It worked.
#define MOLIEN_OK 0

// The position is not legal, or a text cannot be read.
#define MOLIEN_ILLEGAL 1

// The table, or the metric in it, is not there.
#define MOLIEN_MISSING 2

// The file of the table is damaged or cannot be read.
#define MOLIEN_DAMAGED 3

// A pointer is null, or there is no such metric.
#define MOLIEN_INVALID 4

// The file holds the depths of one side to move: it can be probed, not loaded.
#define MOLIEN_ONE_SIDED 5

// The side to move loses.
#define MOLIEN_LOSS -2

// It would lose, but it is a draw by the 50-move rule.
#define MOLIEN_BLESSED_LOSS -1

// A draw.
#define MOLIEN_DRAW 0

// It would win, but it is a draw by the 50-move rule.
#define MOLIEN_CURSED_WIN 1

// The side to move wins.
#define MOLIEN_WIN 2

// An open folder of tables.
typedef struct molien_tables molien_tables;

// A position: sets of squares, bit 0 for a1, bit 1 for b1, bit 63 for h8.
// Castling rights are outside the tables.
typedef struct molien_position {
  // White's men.
  uint64_t white;
  // Black's men.
  uint64_t black;
  // The kings of both sides.
  uint64_t kings;
  // The queens of both sides.
  uint64_t queens;
  // The rooks of both sides.
  uint64_t rooks;
  // The bishops of both sides.
  uint64_t bishops;
  // The knights of both sides.
  uint64_t knights;
  // The pawns of both sides.
  uint64_t pawns;
  // The square behind a pawn that has just made a double step, 0 for none. It
  // does no harm where no capture is possible.
  uint8_t en_passant;
  // Not 0 if Black is to move.
  uint8_t black_to_move;
} molien_position;

// The value of a position in one metric, for the side to move.
typedef struct molien_value {
  // 1 for a win, 0 for a draw, -1 for a loss.
  int32_t outcome;
  // How far it is, never negative; 0 for a draw and for mated.
  int32_t plies;
} molien_value;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens a folder of tables. Returns null if `folder` is not a text in UTF-8. A
// folder that is not there is an empty one.
//
// # Safety
// `folder` is null or a string that ends in a zero byte.
struct molien_tables *molien_open(const char *folder);

// Closes a folder. No other function may use it any more, in any thread.
// Closing null does nothing.
//
// # Safety
// `tables` is null or comes from `molien_open`, and was not closed before.
void molien_close(struct molien_tables *tables);

// Brings the whole table of a material such as `KRPKR` into memory in one
// metric. Probing it then never allocates.
//
// # Safety
// `tables` is null or open; `material` is null or a string that ends in a zero
// byte.
int molien_load(const struct molien_tables *tables, const char *material, int metric);

// The value of a position in a metric, in `value`.
//
// # Safety
// `tables` is null or open; `position` and `value` are null or point to such.
int molien_probe(const struct molien_tables *tables,
                 const struct molien_position *position,
                 int metric,
                 struct molien_value *value);

// The class of a position under the 50-move rule, its count at zero, in `wdl`:
// one of `MOLIEN_LOSS` to `MOLIEN_WIN`. Asks the table in DTZ50, or the classes
// where only they are stored.
//
// # Safety
// `tables` is null or open; `position` and `wdl` are null or point to such.
int molien_probe_wdl(const struct molien_tables *tables,
                     const struct molien_position *position,
                     int *wdl);

// Reads a FEN. Counts of moves are left out.
//
// # Safety
// `fen` is null or a string that ends in a zero byte; `position` is null or
// points to a position.
int molien_read_fen(const char *fen, struct molien_position *position);

// What a number that a function returned means, in a few words. The text lives
// as long as the program.
const char *molien_status_text(int status);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* MOLIEN_H */
