"""Plays won endings with the engine through python-chess.

    python3 tests/uci_games.py MOLIEN SYZYGY_FOLDER [GAMES]

Random won KPK, KPKP and KRK starts (won by the Syzygy files in the folder),
half against a random defender, half against the best defence by DTZ. The engine
must play legal moves, keep within its time, and keep every win until it mates or
promotes into a win that stays won. Prints one line and exits 1 on a failure.
"""

import random
import sys
import time

import chess
import chess.engine
import chess.syzygy

MATERIALS = ["KPk", "KPkp", "KRk"]
MOVE_SECONDS = 0.05
# The operating system may take the processor away for a moment.
GRACE_SECONDS = 1.0
MOST_MOVES = 120
# The longest any move has taken so far, in seconds.
slowest = [0.0]


def random_start(rng, tables):
    """A legal position won for the side to move within the 50-move rule."""
    while True:
        men = rng.choice(MATERIALS)
        board = chess.Board(None)
        for letter, square in zip(men, rng.sample(range(64), len(men))):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = chess.WHITE
        pawns = board.pieces(chess.PAWN, True) | board.pieces(chess.PAWN, False)
        if pawns & (chess.BB_RANK_1 | chess.BB_RANK_8) or not board.is_valid():
            continue
        if tables.probe_wdl(board) == 2:
            return board


def defend(rng, board, tables, best):
    """A random move, or one that lasts longest by DTZ."""
    moves = list(board.legal_moves)
    if not best:
        return rng.choice(moves)

    def lasts(move):
        board.push(move)
        value = (-tables.probe_wdl(board), abs(tables.probe_dtz(board)))
        board.pop()
        return value

    return max(moves, key=lasts)


def play(engine, rng, tables, best):
    """Plays one game; the reason it failed, or nothing."""
    board = random_start(rng, tables)
    start = board.fen()
    for _ in range(MOST_MOVES):
        began = time.monotonic()
        result = engine.play(board, chess.engine.Limit(time=MOVE_SECONDS))
        taken = time.monotonic() - began
        slowest[0] = max(slowest[0], taken)
        if taken > MOVE_SECONDS + GRACE_SECONDS:
            return f"{start}: too slow at {board.fen()}"
        if result.move not in board.legal_moves:
            return f"{start}: {result.move} is illegal at {board.fen()}"
        board.push(result.move)
        if board.is_checkmate():
            return None
        if board.is_game_over() or tables.probe_wdl(board) > -1:
            return f"{start}: the win is gone at {board.fen()}"
        board.push(defend(rng, board, tables, best))
        if len(board.piece_map()) == 3 and board.queens and tables.probe_wdl(board) == 2:
            return None  # a queen against the bare king, the win kept
    return f"{start}: no end after {MOST_MOVES} moves"


def main():
    molien, folder = sys.argv[1], sys.argv[2]
    games = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    rng = random.Random(1)
    failures = []
    with chess.syzygy.open_tablebase(folder) as tables:
        engine = chess.engine.SimpleEngine.popen_uci([molien, "--backend", "cpu", "uci"])
        try:
            for game in range(games):
                failure = play(engine, rng, tables, best=game % 2 == 1)
                failures += [failure] if failure else []
        finally:
            engine.quit()
    for failure in failures:
        print(failure)
    kept = games - len(failures)
    print(f"{kept} of {games} wins kept, slowest move {1000 * slowest[0]:.0f} ms of {1000 * MOVE_SECONDS:.0f}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
