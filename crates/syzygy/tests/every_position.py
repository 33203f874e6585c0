"""Compares two folders of Syzygy files position by position, as python-chess reads them.

Usage: every_position.py OURS THEIRS [--one-in N] [--en-passant] [--jobs N] [MATERIAL...]

Without materials: all of three and four men. Positions that are mirror images of each other are
compared once; with pawns of both colours each is compared with every en-passant right that
it can have, too. --one-in N takes one position of N, spread over the table; --en-passant takes
only those with such a right. Files of OURS come before those of THEIRS, which serve what OURS
does not have.

Plies may be rounded in one file and not in the other: then they differ by one, which is
counted apart.
"""

import argparse
import itertools
import multiprocessing
import sys
from collections.abc import Iterator

import chess
import chess.syzygy
from boards import put_men

PIECES = "QRBNP"
ROLES = dict(zip("PNBRQK", range(chess.PAWN, chess.KING + 1)))
TRIANGLE = [chess.square(file, rank) for file in range(4) for rank in range(file + 1)]
LEFT = [square for square in chess.SQUARES if chess.square_file(square) < 4]

tables: list[chess.syzygy.Tablebase] = []


def materials(men: int) -> Iterator[str]:
    """All with up to so many men, the stronger side first."""
    for count in range(1, men - 1):
        for white_count in range((count + 1) // 2, count + 1):
            for white in itertools.combinations_with_replacement(PIECES, white_count):
                for black in itertools.combinations_with_replacement(PIECES, count - white_count):
                    strength = [[PIECES.index(man) for man in side] for side in (white, black)]
                    if len(white) > len(black) or strength[0] <= strength[1]:
                        yield "K" + "".join(white) + "K" + "".join(black)


def groups(material: str) -> list[tuple[bool, int, int]]:
    """Colour, role and number of like men."""
    white, black = material[1:].split("K")
    found = []
    for color, side in ((chess.WHITE, white), (chess.BLACK, black)):
        found += [(color, ROLES[man], side.count(man)) for man in PIECES if man in side]
    return found


def king_pairs(material: str) -> list[tuple[int, int]]:
    """One pair of squares of each set of mirror images."""
    pairs = itertools.product(LEFT if "P" in material else TRIANGLE, chess.SQUARES)
    pairs = [pair for pair in pairs if chess.square_distance(*pair) > 1]
    if "P" in material:
        return pairs
    on_diagonal = [chess.square_file(white) == chess.square_rank(white) for white, _ in pairs]
    above = [chess.square_rank(black) > chess.square_file(black) for _, black in pairs]
    return [pair for pair, on, up in zip(pairs, on_diagonal, above) if not (on and up)]


def placements(material: str, kings: tuple[int, int]) -> Iterator[list[tuple[bool, int, int]]]:
    """The men but the kings: colour, role and squares, as a set."""

    def place(left: list[tuple[bool, int, int]], free: int) -> Iterator[list]:
        if not left:
            yield []
            return
        color, role, count = left[0]
        allowed = free & ~chess.BB_BACKRANKS if role == chess.PAWN else free
        for squares in itertools.combinations(chess.SquareSet(allowed), count):
            mask = sum(chess.BB_SQUARES[square] for square in squares)
            for rest in place(left[1:], free & ~mask):
                yield [(color, role, mask), *rest]

    taken = chess.BB_SQUARES[kings[0]] | chess.BB_SQUARES[kings[1]]
    yield from place(groups(material), chess.BB_ALL & ~taken)


def set_up(board: chess.Board, kings: tuple[int, int], men: list[tuple[bool, int, int]]) -> None:
    """Puts men on an empty board."""
    masks = [0] * 7
    colors = [chess.BB_SQUARES[kings[1]], chess.BB_SQUARES[kings[0]]]
    masks[chess.KING] = colors[0] | colors[1]
    for color, role, mask in men:
        masks[role] |= mask
        colors[color] |= mask
    put_men(board, masks, colors)


def en_passant(board: chess.Board) -> Iterator[int]:
    """Squares on which the side to move may be able to capture a pawn that has just passed."""
    rank, ahead = (5, 8) if board.turn else (2, -8)
    for square in chess.SquareSet(board.pawns & board.occupied_co[not board.turn]):
        target = square + ahead
        way = (target, target + ahead)
        if chess.square_rank(target) == rank and not any(
            board.occupied & chess.BB_SQUARES[passed] for passed in way
        ):
            yield target


def compare(board: chess.Board) -> tuple[bool, bool]:
    """Whether both folders say the same, and whether but for the rounding of a ply."""
    ours, theirs = (table.probe_wdl(board) for table in tables)
    if ours != theirs or ours == 0:
        return ours == theirs, ours == theirs
    ours, theirs = (table.probe_dtz(board) for table in tables)
    return ours == theirs, ours * theirs > 0 and abs(ours - theirs) <= 1


def compare_pair(work: tuple[str, tuple[int, int], int, bool]) -> tuple[int, int, int, list[str]]:
    """Compares all positions with the kings on two squares: how many, how many of them by en
    passant, with a ply rounded, and the wrong ones."""
    material, kings, one_in, only_passing = work
    board = chess.Board(None)
    compared = passing = rounded = 0
    wrong = []
    both = "P" in material.split("K")[1] and "P" in material.split("K")[2]
    number = kings[0] * 64 + kings[1]
    for men in placements(material, kings):
        for board.turn in (chess.WHITE, chess.BLACK):
            number += 1
            if number % one_in:
                continue
            set_up(board, kings, men)
            board.ep_square = None
            targets = [] if only_passing else [None]
            targets += en_passant(board) if both else []
            if not targets or board.was_into_check():
                continue
            for board.ep_square in targets:
                if board.ep_square is not None and not board.has_legal_en_passant():
                    continue
                compared += 1
                passing += board.ep_square is not None
                same, almost = compare(board)
                rounded += almost and not same
                if not almost:
                    wrong.append(board.fen())
    return compared, passing, rounded, wrong


def open_tables(ours: str, theirs: str) -> None:
    """Opens both folders in a process."""
    for folders in ((theirs, ours), (theirs,)):
        tablebase = chess.syzygy.Tablebase()
        # Of files with one name the one added last is used.
        for folder in folders:
            tablebase.add_directory(folder)
        tables.append(tablebase)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("ours")
    parser.add_argument("theirs")
    parser.add_argument("--one-in", type=int, default=1)
    parser.add_argument("--en-passant", action="store_true")
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("materials", nargs="*")
    args = parser.parse_intermixed_args()
    bad = 0
    with multiprocessing.Pool(args.jobs, open_tables, (args.ours, args.theirs)) as pool:
        for material in args.materials or materials(4):
            rest = (args.one_in, args.en_passant)
            work = [(material, kings, *rest) for kings in king_pairs(material)]
            compared = passing = rounded = 0
            wrong: list[str] = []
            for found in pool.imap_unordered(compare_pair, work):
                compared += found[0]
                passing += found[1]
                rounded += found[2]
                wrong += found[3]
            bad += len(wrong)
            print(
                f"{material}: {compared} positions, {passing} of them en passant, "
                f"{rounded} differ by rounding, {len(wrong)} wrong {wrong[:3]}",
                flush=True,
            )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
