"""Plays endings with the engine through python-chess.

    python3 tests/uci_games.py MOLIEN TABLES SYZYGY [--games N] [--five]

MOLIEN is the program, TABLES its folder of tables, SYZYGY a folder of Syzygy
files of up to four men. Random starts, won or drawn for the engine by the Syzygy
files, with a random count of the 50-move rule that the win still fits; won ones
for either colour, drawn ones with either side to move. The opponents are a
random mover, the longest defence by DTZ, and the engine itself with its
trickiest defence. With --five, half of the starts have five men, of those materials
that TABLES has, judged by the engine's own tables at the start and by the result in
the end.

A game fails if the engine plays an illegal move, oversteps its clock, does not mate
a won ending before the draw can be claimed, or loses a drawn one. Prints one
line and exits 1 on a failure.
"""

import argparse
import pathlib
import random
import sys
import time

import chess
import chess.engine
import chess.syzygy

MATERIALS = ["KPvk", "KQvk", "KRvk", "KPvkp", "KQvkp", "KRvkp", "KBNvk", "KPPvk", "KQvkr"]
FIVE_MEN = ["KRBvkr", "KQRvkq", "KBBvkn", "KRPvkr", "KNNvkp", "KRNvkr", "KQPvkq"]
# A game's clock and what every move adds to it, in seconds.
CLOCK, INCREMENT = 20.0, 0.2
# A drawn game has been held when this many moves were played.
DRAWN_MOVES = 40
MOST_MOVES = 400


class Failure(Exception):
    """Why a game does not count."""


class Truth:
    """What positions are worth: by Syzygy up to four men, else by the engine."""

    def __init__(self, syzygy, judge):
        self.syzygy, self.judge = syzygy, judge

    def wdl(self, board):
        """2 to -2 for the side to move, the count of the 50-move rule at zero."""
        if len(board.piece_map()) <= 4:
            return self.syzygy.probe_wdl(board)
        fresh = board.copy(stack=False)
        fresh.halfmove_clock = 0
        wdl = self.judge.analyse(fresh, chess.engine.Limit(depth=1))["wdl"].relative
        return 2 if wdl.wins else -2 if wdl.losses else 0

    def spare(self, board):
        """The plies a win can wait, or none if only the engine could tell."""
        if len(board.piece_map()) > 4:
            return 0
        # DTZ may be rounded by one.
        return max(0, 99 - abs(self.syzygy.probe_dtz(board)))


def random_board(rng, materials):
    """Any legal position, either side to move, either colour stronger."""
    while True:
        white, black = rng.choice(materials).split("v")
        board = chess.Board(None)
        men = white.upper() + black.lower()
        for letter, square in zip(men, rng.sample(range(64), len(men))):
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.turn = rng.random() < 0.5
        if rng.random() < 0.5:
            board = board.mirror()
        if board.is_valid() and any(board.legal_moves):
            return board


def random_start(rng, truth, materials, won):
    """A position won, or drawn, for the engine, and the engine's colour."""
    while True:
        board = random_board(rng, materials)
        wdl = truth.wdl(board)
        if won and wdl == 2:
            board.halfmove_clock = rng.randint(0, truth.spare(board))
            return board, board.turn
        if not won and wdl == 0:
            return board, rng.random() < 0.5


def longest(board, truth):
    """The move that lasts longest by DTZ; among draws and wins any that keeps them."""

    def lasts(move):
        board.push(move)
        value = (-truth.syzygy.probe_wdl(board), abs(truth.syzygy.probe_dtz(board)))
        board.pop()
        return value

    return max(board.legal_moves, key=lasts)


class Opponent:
    """One of three kinds."""

    KINDS = ["random", "longest", "tricky"]

    def __init__(self, kind, rng, truth, engine):
        self.kind, self.rng, self.truth, self.engine = kind, rng, truth, engine

    def move(self, board):
        if self.kind == "longest" and len(board.piece_map()) <= 4:
            return longest(board, self.truth)
        if self.kind == "random":
            return self.rng.choice(list(board.legal_moves))
        return self.engine.play(board, chess.engine.Limit(time=0.05)).move


class Clock:
    """The engine's time."""

    slowest = 0.0

    def __init__(self):
        self.left = CLOCK

    def play(self, engine, board):
        limit = chess.engine.Limit(
            white_clock=self.left, black_clock=self.left, white_inc=INCREMENT, black_inc=INCREMENT
        )
        began = time.monotonic()
        move = engine.play(board, limit).move
        taken = time.monotonic() - began
        Clock.slowest = max(Clock.slowest, taken)
        self.left += INCREMENT - taken
        if self.left < 0:
            raise Failure(f"out of time at {board.fen()}")
        if move not in board.legal_moves:
            raise Failure(f"{move} is illegal at {board.fen()}")
        return move


def play(engine, opponent, truth, start, ours, won):
    """Plays one game."""
    board, clock = start.copy(), Clock()
    for ply in range(2 * (MOST_MOVES if won else DRAWN_MOVES)):
        # A draw is claimed by whoever is to move, and nobody claims it who wins.
        outcome = board.outcome(claim_draw=not won or board.turn != ours)
        if outcome is not None:
            if won and outcome.winner != ours:
                raise Failure(f"{outcome.termination.name.lower()} at {board.fen()}")
            if not won and outcome.winner == (not ours):
                raise Failure(f"lost at {board.fen()}")
            return
        if board.turn != ours:
            board.push(opponent.move(board))
            continue
        board.push(clock.play(engine, board))
        if not won and len(board.piece_map()) <= 4 and truth.wdl(board) == 2:
            raise Failure(f"a draw is thrown away at {board.fen()}")
    if won:
        raise Failure(f"no mate after {MOST_MOVES} moves")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("molien")
    parser.add_argument("tables")
    parser.add_argument("syzygy")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--five", action="store_true")
    args = parser.parse_args()
    command = [args.molien, "--backend", "cpu", "--no-solve", "--tables", args.tables, "uci"]
    rng, failures = random.Random(1), []
    stored = {path.stem.lower() for path in pathlib.Path(args.tables).glob("*.mol")}
    five_men = [name for name in FIVE_MEN if name.lower() in stored]
    if args.five and not five_men:
        parser.error(f"{args.tables} has no table of five men")
    engine, other = (chess.engine.SimpleEngine.popen_uci(command) for _ in range(2))
    other.configure({"UCI_ShowWDL": True, "TrickiestDefence": True})
    with chess.syzygy.open_tablebase(args.syzygy) as syzygy:
        truth = Truth(syzygy, other)
        for game in range(args.games):
            kind, won = Opponent.KINDS[game % 3], game % 4 != 3
            materials = five_men if args.five and game % 2 else MATERIALS
            start, ours = random_start(rng, truth, materials, won)
            try:
                play(engine, Opponent(kind, rng, truth, other), truth, start, ours, won)
            except (Failure, chess.engine.EngineError) as problem:
                what = "won" if won else "drawn"
                failures.append(f"{start.fen()} ({what}, {kind}): {problem}")
    engine.quit()
    other.quit()
    for failure in failures:
        print(failure)
    right = args.games - len(failures)
    if args.five:
        print("five men:", ", ".join(five_men))
    print(f"{right} of {args.games} games as they should be, slowest move {1000 * Clock.slowest:.0f} ms")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
