"""Tables, and answers from them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Literal, Protocol

from . import _molien, _results
from ._batches import Batch, Positions
from ._errors import MolienError
from ._names import Counting, Metric, ZugzwangKind, metric_names
from ._progress import Listener, listener


class HasFen(Protocol):
    """A board of python-chess, or anything else that has a FEN."""

    def fen(self) -> str: ...


PositionLike = str | HasFen
"""A FEN, or a board of python-chess."""


def _fen(position: PositionLike) -> str:
    return position if isinstance(position, str) else position.fen()


def default_folder() -> Path:
    """Where tables are kept unless a folder is given: the first folder of
    ``$MOLIEN_TABLES``, else the platform's data folder."""
    named = [folder for folder in os.environ.get("MOLIEN_TABLES", "").split(os.pathsep) if folder]
    return Path(named[0]) if named else Path(_molien.default_folder())


class Tablebase:
    """Answers for positions, from stored tables and by solving.

    ``folder`` is where tables are kept; without one it is ``default_folder()``,
    and with ``in_memory=True`` nothing is stored. What is not at hand is solved
    when it is asked for, unless ``solve`` is false. ``memory`` limits what
    solving may use: ``"8G"``, ``"500M"`` or ``"70%"`` of the machine's.

    A tablebase may be used by several threads at once, and as a context manager.

    >>> tables = Tablebase(in_memory=True)
    >>> answer = tables.probe("8/8/8/8/8/2k5/8/K6R w - - 0 1")
    >>> answer.category, answer.dtm, answer.moves_to("dtm")
    (<Category.WIN: 'win'>, 27, 14)
    >>> answer.best
    <Move Rd1: leads to loss, dtm -26, dtc -26, dtz -26, dtz50 -26>
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        solve: bool = True,
        in_memory: bool = False,
        memory: str = "70%",
        threads: int | None = None,
    ) -> None:
        if in_memory and (folder is not None or not solve):
            raise ValueError("in_memory goes with neither a folder nor solve=False")
        self._folder = None if in_memory else Path(folder or default_folder())
        native = _molien.Tables(self._folder, solve, memory, threads)
        self._native: _molien.Tables | None = native

    @property
    def folder(self) -> Path | None:
        """Where tables are kept."""
        return self._folder

    @property
    def _tables(self) -> _molien.Tables:
        if self._native is None:
            raise ValueError("the tablebase is closed")
        return self._native

    def close(self) -> None:
        """Lets go of files and memory."""
        self._native = None

    def __enter__(self) -> Tablebase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "in memory" if self._folder is None else f"in {self._folder}"
        return f"<Tablebase {where}{'' if self._native else ', closed'}>"

    def holds(self, material: str, metric: str = Metric.DTM) -> bool:
        """Whether a whole table is at hand, so that nothing has to be solved."""
        return self._tables.holds(material, str(metric))

    def probe(
        self,
        position: PositionLike,
        metrics: str | Iterable[str] | None = None,
        *,
        moves: bool = True,
    ) -> _results.Answer:
        """The value of a position and of every legal move.

        The halfmove clock counts: the class is exact there if ``dtz50`` is among
        the metrics, as it is by default.

        >>> tables = Tablebase(in_memory=True)
        >>> tables.probe("7k/8/6K1/8/8/8/6Q1/8 w - - 0 1").best.checkmate
        True
        >>> tables.probe("8/8/8/8/8/8/8/K6k w - - 0 1").category
        <Category.DRAW: 'draw'>
        """
        told = self._tables.probe(_fen(position), metric_names(metrics), moves)
        return _results.answer(told)

    def get(
        self,
        position: PositionLike,
        metrics: str | Iterable[str] | None = None,
        *,
        moves: bool = True,
    ) -> _results.Answer | None:
        """As ``probe``, but None where there is no answer.

        >>> Tablebase(in_memory=True).get("not a position") is None
        True
        """
        try:
            return self.probe(position, metrics, moves=moves)
        except MolienError:
            return None

    def probe_many(
        self,
        positions: Iterable[PositionLike],
        metrics: str | Iterable[str] | None = None,
        *,
        errors: Literal["raise", "null"] = "raise",
    ) -> Batch:
        """The class and the plies of many positions, in their order.

        All cores work, and the interpreter is free meanwhile. Classes know of the
        50-move rule if ``dtz50`` is among the metrics. What cannot be answered
        raises, or with ``errors="null"`` has no values.

        >>> fens = ["8/8/8/8/8/2k5/8/K6R w - - 0 1", "8/8/8/8/8/8/8/K6k w - - 0 1"]
        >>> batch = Tablebase(in_memory=True).probe_many(fens, "dtm")
        >>> batch["category"].tolist(), batch["dtm"].tolist()
        (['win', 'draw'], [27, None])
        """
        if errors not in ("raise", "null"):
            raise ValueError(f"errors is 'raise' or 'null', not {errors!r}")
        fens = [_fen(position) for position in positions]
        return Batch(self._tables.probe_many(fens, metric_names(metrics), errors == "null"))

    def positions(
        self,
        material: str,
        query: str | None = None,
        metrics: str | Iterable[str] = (Metric.DTM,),
        *,
        fens: bool = True,
        squares: bool = False,
        batch_rows: int = 1 << 17,
    ) -> Positions:
        """The positions of a material that match a query, in batches of Arrow
        columns: ``fen``, ``turn``, ``category``, the square of every man if
        ``squares`` is set, and plies. Of mirror images one is given. The language
        of queries is described in docs/find.md.

        >>> tables = Tablebase(in_memory=True)
        >>> tables.positions("KRK", "white to move and dtm = 31").count()
        121
        """
        what = material if query is None else f"{material}, {query}"
        told = metric_names(metrics)
        stream = self._tables.positions(material, query, told, fens, squares, batch_rows)
        return Positions(stream, what)

    def solve(
        self,
        materials: str | Iterable[str],
        metrics: str | Iterable[str] | None = None,
        *,
        pack: Literal["fast", "small", "quick"] | None = None,
        progress: bool | Listener | None = None,
    ) -> list[_results.Solved]:
        """Solves materials and all they depend on, and stores them if there is a
        folder. Ctrl-C stops it; what was stored by then is kept.

        ``progress=True`` shows bars (of tqdm, if it is installed); a function is
        called with what is new.

        >>> [solved] = Tablebase(in_memory=True).solve("KQK", "dtm")
        >>> solved.positions, solved.longest_white_win_plies
        (46137, 19)
        """
        names = [materials] if isinstance(materials, str) else list(materials)
        hears = listener(progress)
        # The listener gets a plain dictionary.
        done = self._tables.solve(names, metric_names(metrics), pack, hears)
        return [_results.solved(told) for told in done]

    def stats(
        self,
        material: str,
        metric: str = Metric.DTM,
        *,
        counting: str = Counting.UNIQUE,
        log: bool = False,
    ) -> _results.Stats:
        """Counts, histograms, the longest wins and the mutual zugzwangs.

        >>> stats = Tablebase(in_memory=True).stats("KRK")
        >>> stats.white_to_move.longest_win.dtm, stats.white_to_move.histogram()[31].tolist()
        (31, [121, 0])
        """
        told, svg = self._tables.stats(material, str(metric), str(counting), log)
        return _results.stats(told, svg)

    def line(
        self,
        position: PositionLike,
        metric: str | None = None,
        *,
        white: str | None = None,
        black: str | None = None,
        plies: int | None = None,
        conversion: bool = False,
        fifty_moves: bool = True,
    ) -> _results.Line:
        """Best play by both sides, annotated. A strategy is a metric, or letters
        as ``molien line --help`` explains them.

        >>> print(Tablebase(in_memory=True).line("8/8/8/8/8/1K6/7R/k7 w - - 98 120", "dtm"))
        120. Rh1#' {mate}
        """
        fen, both = _fen(position), None if metric is None else str(metric)
        told = self._tables.line(
            fen, white or both, black or both, plies, conversion, fifty_moves
        )
        return _results.line(*told)

    def study(
        self,
        pgn: str | os.PathLike[str],
        *,
        max_men: int = 5,
        fifty_moves: bool = True,
    ) -> list[_results.Game]:
        """Judges every move of the games and studies in a file, or in a text of
        PGN, once few enough men are on the board."""
        if isinstance(pgn, str) and ("\n" in pgn or pgn.lstrip().startswith("[")):
            name, data = "text", pgn.encode()
        else:
            name, data = str(pgn), Path(pgn).read_bytes()
        games, texts = self._tables.study(data, name, max_men, fifty_moves)
        return [_results.game(told, text) for told, text in zip(games, texts)]

    def free(
        self, position: str, man: str, metric: str = Metric.DTM
    ) -> _results.FreeMan:
        """One man left free: the value for every square it could stand on. The
        FEN holds the other men.

        >>> free = Tablebase(in_memory=True).free("8/8/8/8/8/2k5/8/K7 w - - 0 1", "R")
        >>> free.squares["h1"].dtm
        27
        """
        return _results.free(*self._tables.free(position, man, str(metric)))

    def zugzwangs(
        self,
        material: str,
        metric: str = Metric.DTM,
        *,
        kinds: Iterable[str] = tuple(ZugzwangKind),
        limit: int | None = None,
    ) -> list[_results.Zugzwang]:
        """The mutual zugzwangs, by kind and the longest losses first.

        >>> len(Tablebase(in_memory=True).zugzwangs("KPK"))
        80
        """
        types = [str(kind) for kind in kinds]
        found = self._tables.zugzwangs(material, str(metric), types, limit)
        return [_results.zugzwang(told) for told in found]

    def maxima(self, material: str, metric: str = Metric.DTM) -> tuple[_results.Maximum, ...]:
        """All the deepest wins and losses of each side to move.

        >>> for maximum in Tablebase(in_memory=True).maxima("KRK"):
        ...     print(maximum)
        <Maximum white to move: win in 31 plies, 121 positions>
        <Maximum black to move: loss in 32 plies, 390 positions>
        """
        return _results.maxima(self._tables.maxima(material, str(metric)))


def explain(position: PositionLike, *, seconds: float = 20.0) -> _results.Explanation:
    """Why a pawn ending is won or drawn, by rules or a short search and without
    tables.

    >>> explain("4k3/8/4K3/4P3/8/8/8/8 b - - 0 1").sentences[1]
    "White's king stands on a key square of the e-pawn"
    """
    return _results.explanation(_molien.explain(_fen(position), seconds))


def solve(
    materials: str | Iterable[str],
    metrics: str | Iterable[str] | None = None,
    *,
    folder: str | os.PathLike[str] | None = None,
    memory: str = "70%",
    threads: int | None = None,
    pack: Literal["fast", "small", "quick"] | None = None,
    progress: bool | Listener | None = None,
) -> list[_results.Solved]:
    """Solves materials and all they depend on, and stores the tables."""
    with Tablebase(folder, memory=memory, threads=threads) as tables:
        return tables.solve(materials, metrics, pack=pack, progress=progress)


def board_svg(
    position: PositionLike,
    *,
    moves: Iterable[str] = (),
    captions: Iterable[str] = (),
    flipped: bool = False,
) -> str:
    """A board as SVG, with arrows for moves in UCI."""
    return _molien.board_svg(_fen(position), list(moves), list(captions), flipped)
