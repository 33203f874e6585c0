"""The package as its users see it."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import chess
import molien
import numpy
import pyarrow
import pytest

ROOK = "8/8/8/8/8/2k5/8/K6R w - - 0 1"


@pytest.fixture(scope="module")
def tables() -> molien.Tablebase:
    return molien.Tablebase(in_memory=True)


def boards(men: list[chess.Piece], count: int, seed: int) -> list[chess.Board]:
    """Random legal positions of some men beside the kings."""
    random = numpy.random.default_rng(seed)
    kings = [chess.Piece(chess.KING, color) for color in chess.COLORS]
    found: list[chess.Board] = []
    while len(found) < count:
        squares = random.choice(64, size=2 + len(men), replace=False)
        board = chess.Board(None)
        for square, man in zip(squares.tolist(), [*kings, *men]):
            board.set_piece_at(square, man)
        board.turn = bool(random.integers(2))
        if board.is_valid():
            found.append(board)
    return found


def test_a_position_is_answered(tables: molien.Tablebase) -> None:
    answer = tables.probe(ROOK)
    assert answer.category is molien.Category.WIN and answer.category == "win"
    assert (answer.dtm, answer.moves_to("dtm"), answer.side_to_move) == (27, 14, "white")
    assert len(answer.moves) == chess.Board(ROOK).legal_moves.count()
    assert answer.best is not None and answer.best.dtm == -26
    assert "; Rd1>" in repr(answer) and tables.probe(ROOK, moves=False).moves == ()
    assert tables.probe(ROOK, "dtm50").dtm50 == 27
    late = tables.probe("8/8/8/8/8/2k5/8/K6R w - - 90 1")
    assert late.category is molien.Category.CURSED_WIN


def test_boards_of_python_chess_are_taken(tables: molien.Tablebase) -> None:
    board = chess.Board(ROOK)
    answer = tables.probe(board)
    assert answer.fen == board.fen()
    # Best play mates, each move legal by rules somebody else wrote.
    while answer.best is not None:
        board.push_uci(answer.best.uci)
        answer = tables.probe(board)
    assert board.is_checkmate() and answer.checkmate and answer.dtm == 0
    assert board.ply() == 27
    en_passant = chess.Board("8/8/8/8/k2pP2K/8/8/8 b - e3 0 1")
    assert any(move.uci == "d4e3" for move in tables.probe(en_passant).moves)


def test_what_cannot_be_answered(tables: molien.Tablebase, tmp_path: Path) -> None:
    for text in ["", "rubbish", "8/8/8/8/8/8/8/KK5k w - - 0 1", chess.STARTING_FEN]:
        with pytest.raises(molien.IllegalPosition):
            tables.probe(text)
        assert tables.get(text) is None
    with pytest.raises(ValueError, match="'dtx'"):
        tables.probe(ROOK, "dtx")
    with pytest.raises(molien.InvalidInput):
        tables.stats("KXK")
    with pytest.raises(molien.InvalidInput, match="zugzwag"):
        tables.positions("KRK", "zugzwag")
    stored = molien.Tablebase(tmp_path, solve=False)
    with pytest.raises(molien.MissingTable, match="KRK"):
        stored.probe(ROOK)
    with pytest.raises(LookupError):
        stored.stats("KRK")
    with pytest.raises(molien.TooLarge):
        molien.Tablebase(in_memory=True, memory="1M").solve("KQKR", "dtm")
    with pytest.raises(molien.MolienError):
        molien.Tablebase(tmp_path, memory="lots")


def test_tables_are_stored_and_damage_is_noticed(tmp_path: Path) -> None:
    done = molien.solve(["KRK", "KQK"], ["dtm", "dtz50"], folder=tmp_path)
    assert [(s.material, s.metric) for s in done] == [
        ("KRK", "dtm"), ("KRK", "dtz50"), ("KQK", "dtm"), ("KQK", "dtz50"),
    ]
    assert sorted(path.name for path in tmp_path.glob("*.mol")) == ["KQvK.mol", "KRvK.mol"]
    with molien.Tablebase(tmp_path, solve=False) as stored:
        assert stored.holds("KRK") and not stored.holds("KRK", "dtc")
        answer = stored.probe(ROOK, ["dtm", "dtc", "dtz50"])
        assert answer.dtm == 27 and "dtc" in answer.missing
    with pytest.raises(ValueError, match="closed"):
        stored.probe(ROOK)
    path = tmp_path / "KRvK.mol"
    data = bytearray(path.read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    path.write_bytes(data)
    with pytest.raises(molien.DamagedTable, match="KRvK.mol"):
        molien.Tablebase(tmp_path, solve=False).probe(ROOK)


def test_many_are_one_by_one(tables: molien.Tablebase) -> None:
    rook, knight = chess.Piece.from_symbol("R"), chess.Piece.from_symbol("n")
    asked = boards([rook, knight], 300, 1) + boards([rook], 50, 2)
    batch = tables.probe_many(asked, ["dtm", "dtz50"])
    assert len(batch) == len(asked) and batch.columns == ["category", "dtm", "dtz50"]
    told = batch.to_numpy()
    for number, board in enumerate(asked):
        answer = tables.probe(board, moves=False)
        assert told["category"][number] == answer.category
        for metric in ("dtm", "dtz50"):
            plies = told[metric][number]
            assert (None if plies is numpy.ma.masked else int(plies)) == answer.plies[molien.Metric(metric)]


def test_bad_rows_raise_or_are_null(tables: molien.Tablebase) -> None:
    asked = [ROOK, "rubbish", ROOK]
    with pytest.raises(molien.IllegalPosition, match="position 1: "):
        tables.probe_many(asked, "dtm")
    batch = tables.probe_many(asked, "dtm", errors="null")
    assert batch["dtm"].tolist() == [27, None, 27]
    assert batch["category"].tolist() == ["win", None, "win"]
    assert len(tables.probe_many([], "dtm")) == 0


def test_numpy_and_arrow_see_the_same_memory(tables: molien.Tablebase) -> None:
    batch = tables.probe_many([ROOK] * 5, "dtm")
    ours, codes = batch["dtm"].data, batch.codes("category")[0]
    theirs = pyarrow.record_batch(batch)
    assert theirs.column("dtm").buffers()[1].address == ours.__array_interface__["data"][0]
    assert not ours.flags.owndata and not ours.flags.writeable
    assert codes.dtype == numpy.int8 and theirs.column("category").to_pylist() == ["win"] * 5
    # The memory outlives the batch.
    del batch
    assert ours.tolist() == [27] * 5 and theirs.column("dtm").to_pylist() == [27] * 5


def test_positions_come_in_batches(tables: molien.Tablebase) -> None:
    everything = tables.positions("KRK", squares=True, batch_rows=5000)
    sizes = [len(batch) for batch in everything]
    assert sum(sizes) == everything.count() == 50_015 and len(sizes) > 3
    table = everything.to_pyarrow()
    assert table.schema.names == [
        "fen", "turn", "category", "white_king", "white_rook", "black_king", "dtm",
    ]
    assert table.num_rows == 50_015 and table.column("dtm").to_pandas is not None
    rows = table.slice(1000, 200).to_pylist()
    batch = tables.probe_many([row["fen"] for row in rows], "dtm")
    assert batch["dtm"].tolist() == [row["dtm"] for row in rows]
    for row in rows:
        board = chess.Board(row["fen"] + " 0 1" if row["fen"].count(" ") == 3 else row["fen"])
        assert board.is_valid() and board.turn == (row["turn"] == "w")
        rook = board.pieces(chess.ROOK, chess.WHITE)
        assert [chess.square_name(square) for square in rook] == [row["white_rook"]]
    found = tables.positions("KRKN", "zugzwang and loss")
    assert found.count() == sum(len(batch) for batch in found)


def test_a_stream_may_be_left(tables: molien.Tablebase) -> None:
    first = next(iter(tables.positions("KRKN", batch_rows=100)))
    assert len(first) >= 100
    reader = pyarrow.RecordBatchReader.from_stream(tables.positions("KRKN", batch_rows=100))
    assert reader.read_next_batch().num_rows >= 100
    del reader


def test_figures_lists_and_pictures(tables: molien.Tablebase) -> None:
    stats = tables.stats("KRK")
    side = stats.white_to_move
    assert side.wins + side.draws + side.losses == side.positions
    assert side.histogram()[:, 0].sum() == side.wins
    assert stats._repr_svg_().startswith("<svg")
    zugzwangs = tables.zugzwangs("KRKN", kinds=["white-wins"])
    assert len(zugzwangs) == tables.stats("KRKN").mutual_zugzwangs[molien.ZugzwangKind.WHITE_WINS]
    for zugzwang in zugzwangs[:3]:
        assert zugzwang.white_to_move.category == "draw" and zugzwang.black_to_move.category == "loss"
        assert "<svg" in zugzwang._repr_svg_()
    assert len(tables.zugzwangs("KRKN", limit=2)) == 2
    free = tables.free("8/8/8/8/8/2k5/8/K7 w - - 0 1", "Q")
    assert "<svg" in free._repr_svg_() and len(free.squares) == 38
    for found in free.squares.values():
        assert found.dtm == tables.probe(found.fen, "dtm", moves=False).dtm
    line = tables.line(ROOK, "dtm")
    assert len(line) == 27 and line.end == "mate" and line.moves[0].plies == 27
    assert line.pgn.startswith("[Event") and "<svg" in line._repr_html_()
    best = tables.probe(ROOK)
    assert "<svg" in best._repr_svg_() and best._repr_svg_().count("stroke-linecap") >= 1
    explained = molien.explain("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1")
    assert explained.winner == "white" and explained.category == "loss" and str(explained).endswith(".")
    assert molien.board_svg(chess.Board(ROOK), moves=["h1h4"], flipped=True).startswith("<svg")


def test_studies_are_judged(tables: molien.Tablebase) -> None:
    pgn = f'[Event "A rook"]\n[SetUp "1"]\n[FEN "{ROOK}"]\n[Result "1-0"]\n\n1. Rh4 Kd3 2. Rh3+ 1-0\n'
    [game] = tables.study(pgn)
    assert game.number == 1 and game.problem is None and len(game.moves) == 3
    assert game.moves[0].kept and not game.mistakes and "[FEN" in game.pgn


def test_threads_share_a_tablebase() -> None:
    """Eight threads ask from nothing; all get the answers of one."""
    shared, alone = molien.Tablebase(in_memory=True), molien.Tablebase(in_memory=True)
    queen, rook = chess.Piece.from_symbol("Q"), chess.Piece.from_symbol("r")
    asked = boards([queen, rook], 40, 3) + boards([queen], 40, 4)
    want = alone.probe_many(asked, "dtm")["dtm"].tolist()
    got: dict[int, Any] = {}

    def ask(number: int) -> None:
        got[number] = [shared.probe(board, "dtm", moves=False).dtm for board in asked]

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    [thread.start() for thread in threads]  # type: ignore[func-returns-value]
    [thread.join() for thread in threads]  # type: ignore[func-returns-value]
    assert all(got[number] == want for number in range(8))


def test_progress_is_told_and_may_stop_the_work() -> None:
    news: list[dict[str, Any]] = []
    molien.Tablebase(in_memory=True).solve("KRK", "dtm", progress=lambda one: news.append(dict(one)))
    krk = [one for one in news if one["material"] == "KRK"]
    assert krk[0]["event"] == "begin" and krk[-1]["event"] == "end"
    assert 0 < sum(one.get("decided", 0) for one in krk) <= krk[0]["total"]

    class Enough(Exception):
        pass

    def stop(_: object) -> None:
        raise Enough

    tables = molien.Tablebase(in_memory=True)
    with pytest.raises(Enough):
        tables.solve("KQRKQ", "dtm", progress=stop)
    # It can be used again.
    assert tables.probe(ROOK).dtm == 27


@pytest.fixture
def listens_to_ctrl_c() -> Iterator[None]:
    """A shell lets what it runs in the background ignore Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("listens_to_ctrl_c")
def test_ctrl_c_stops_a_solve() -> None:
    tables = molien.Tablebase(in_memory=True)
    solving = threading.Event()

    def interrupt() -> None:
        solving.wait(60)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    begun = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        tables.solve("KQRKQ", "dtm", progress=lambda _: solving.set())
    thread.join()
    # The whole table was not waited for, nor is the tablebase broken.
    assert not tables.holds("KQRKQ") and time.monotonic() > begun
    assert tables.probe(ROOK).dtm == 27
