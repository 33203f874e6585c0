"""Compares every value of a table with Syzygy files of it, as python-chess reads them.

Usage: molien export KRKN --metric dtz50 --out - | every_value.py KRKN FOLDER[:FOLDER] [--jobs N]

The folders hold the files of the table and of what it converts to. PyPy is much faster.

python-chess answers for the side to move whose plies are not in the file by looking one move
ahead, so it asks for the same positions again and again. All positions with the king of the
other side, which does not move then, on one square are a batch, and answers are kept for as long
as the batch lasts. Plies may be rounded in the files: those that differ by one are counted apart.
"""

import argparse
import collections
import multiprocessing
import sys
from array import array
from collections.abc import Iterator

import chess
import chess.syzygy
from boards import put_men

ROLES = {name: role for role, name in enumerate(chess.PIECE_NAMES) if name}
CLASSES = {"loss": -2, "blessed-loss": -1, "draw": 0, "cursed-win": 1, "win": 2}
# Plies fill the lowest bits of a packed row, then come class and side to move, then squares.
PLIES_BITS, CLASS_BITS, SQUARE_BITS = 12, 3, 6

Man = tuple[bool, int]
Key = tuple[int, ...]


class Remembering(chess.syzygy.Tablebase):
    """Answers each question once."""

    def __init__(self, folders: list[str]) -> None:
        super().__init__(max_fds=None)
        for folder in folders:
            self.add_directory(folder)
        self.classes: dict[Key, tuple[int, int]] = {}
        self.plies: dict[Key, int] = {}

    def forget(self) -> None:
        self.classes.clear()
        self.plies.clear()

    @staticmethod
    def key(board: chess.Board) -> Key:
        men = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
        return (board.turn, board.ep_square or 0, board.occupied_co[chess.WHITE], *men)

    def probe_ab(self, board: chess.Board, alpha: int, beta: int, threats: bool = False) -> tuple[int, int]:
        if (alpha, beta) != (-2, 2):
            return super().probe_ab(board, alpha, beta, threats)
        key = self.key(board)
        found = self.classes.get(key)
        if found is None:
            found = self.classes[key] = super().probe_ab(board, alpha, beta, threats)
        return found

    def probe_dtz(self, board: chess.Board) -> int:
        key = self.key(board)
        found = self.plies.get(key)
        if found is None:
            found = self.plies[key] = super().probe_dtz(board)
        return found


tables: list[Remembering] = []


def open_tables(folders: list[str]) -> None:
    """Opens the files in a process."""
    tables.append(Remembering(folders))


def stored_side(material: str) -> bool:
    """The side to move whose plies the file has: of most of its parts, with pawns."""
    table = tables[0].dtz.get(chess.syzygy.normalize_tablename(material.replace("K", "vK")[1:]))
    if table is None:
        sys.exit(f"{material}: there is no file with plies")
    table.init_table_dtz()
    flags = table.flags if isinstance(table.flags, list) else [table.flags]
    return 2 * sum(flag & 1 for flag in flags) < len(flags)


def men_of(header: list[str]) -> list[Man]:
    """Whose man each column of squares is: white_king, black_rook2, ..."""
    words = [name.rstrip("0123456789").split("_") for name in header]
    return [(word[0] == "white", ROLES[word[1]]) for word in words]


def canonical(squares: list[int], king: int, pawns: bool) -> list[int]:
    """The mirror image with a king on the left half or, without pawns, in a triangle of it."""
    flip = 7 if squares[king] & 7 > 3 else 0
    if not pawns and squares[king] >> 3 > 3:
        flip |= 56
    squares = [square ^ flip for square in squares]
    if not pawns and squares[king] >> 3 > squares[king] & 7:
        squares = [square >> 3 | (square & 7) << 3 for square in squares]
    return squares


def read_rows(side: bool) -> tuple[list[Man], dict[int, array]]:
    """The rows of the export, packed, by the square of a side's king."""
    header = sys.stdin.readline().rstrip().split(",")
    men = men_of(header[3:-1])
    king = men.index((side, chess.KING))
    pawns = any(role == chess.PAWN for _, role in men)
    batches: dict[int, array] = collections.defaultdict(lambda: array("q"))
    names = {name: square for square, name in enumerate(chess.SQUARE_NAMES)}
    for line in sys.stdin:
        _, turn, category, *places, plies = line.rstrip().split(",")
        squares = canonical([names[place] for place in places], king, pawns)
        packed = 0
        for square in squares:
            packed = packed << SQUARE_BITS | square
        packed = packed << 1 | (turn == "w")
        packed = packed << CLASS_BITS | CLASSES[category] + 2
        packed = packed << PLIES_BITS | abs(int(plies or 0))
        batches[squares[king]].append(packed)
    return men, batches


def unpacked(packed: int, men: list[Man], board: chess.Board) -> tuple[int, int]:
    """Sets up a row's position; its class, and plies with the sign of the class."""
    plies = packed & (1 << PLIES_BITS) - 1
    packed >>= PLIES_BITS
    category = (packed & (1 << CLASS_BITS) - 1) - 2
    packed >>= CLASS_BITS
    board.turn = bool(packed & 1)
    packed >>= 1
    masks, colors = [0] * 7, [0, 0]
    for color, role in reversed(men):
        square = chess.BB_SQUARES[packed & 63]
        packed >>= SQUARE_BITS
        masks[role] |= square
        colors[color] |= square
    put_men(board, masks, colors)
    # A mated side has no move to count; the files say one ply.
    return category, (category > 0) * max(plies, 1) - (category < 0) * max(plies, 1)


def compare(work: tuple[list[Man], array]) -> tuple[int, int, list[str]]:
    """How many rows, how many with a ply rounded, and the wrong ones."""
    men, rows = work
    board = chess.Board(None)
    tables[0].forget()
    rounded = 0
    wrong = []
    for packed in rows:
        category, plies = unpacked(packed, men, board)
        found_category = tables[0].probe_wdl(board)
        found = tables[0].probe_dtz(board)
        almost = found * plies > 0 and abs(found - plies) <= 1
        rounded += found != plies and almost
        if found_category != category or not (found == plies or almost):
            wrong.append(f"{board.fen()} {found_category} {found} instead of {category} {plies}")
    return len(rows), rounded, wrong


def pieces(men: list[Man], batches: dict[int, array]) -> Iterator[tuple[list[Man], array]]:
    """Batches, the largest first."""
    for king in sorted(batches, key=lambda king: -len(batches[king])):
        yield men, batches.pop(king)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("material")
    parser.add_argument("folders")
    parser.add_argument("--jobs", type=int, default=None)
    args = parser.parse_args()
    folders = args.folders.split(":")
    open_tables(folders)
    men, batches = read_rows(stored_side(args.material))
    compared = rounded = 0
    wrong: list[str] = []
    with multiprocessing.Pool(args.jobs, open_tables, (folders,)) as pool:
        for count, by_rounding, bad in pool.imap_unordered(compare, pieces(men, batches)):
            compared, rounded, wrong = compared + count, rounded + by_rounding, wrong + bad
    print(f"{args.material}: {compared} positions, {rounded} differ by rounding, {len(wrong)} wrong")
    print(*wrong[:3], sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
