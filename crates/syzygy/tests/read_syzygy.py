"""Compares answers of python-chess with expected ones.

Usage: read_syzygy.py FOLDER...   with lines "FEN;class;plies" on standard input:
the class from -2, a loss, to 2, a win; the plies to a zeroing move, exact, 0 for a
draw. python-chess may round plies down by one.
"""

import sys

import chess
import chess.syzygy


def main() -> int:
    tables = chess.syzygy.Tablebase()
    # Of files with one name the one added last is used.
    for folder in reversed(sys.argv[1:]):
        tables.add_directory(folder)
    compared = wrong = 0
    for line in sys.stdin:
        fen, expected_class, expected_plies = line.strip().split(";")
        board = chess.Board(fen + " 0 1")
        found_class, found = tables.probe_wdl(board), tables.probe_dtz(board)
        plies = int(expected_plies)
        sign = (int(expected_class) > 0) - (int(expected_class) < 0)
        right = found_class == int(expected_class)
        right = right and ((found > 0) - (found < 0)) == sign
        right = right and plies - abs(found) in (0, 1)
        compared += 1
        if not right:
            wrong += 1
            print(f"{fen}: class {found_class}, plies {found}; right are {line.strip()}")
    print(f"{compared} compared, {wrong} wrong")
    return 1 if wrong else 0


sys.exit(main())
