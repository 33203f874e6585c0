"""What the library answers, as objects.

Plies are positive for a win of the side to move of the position they stand
beside, negative for a loss, 0 for mated and None for a draw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any

from . import _molien
from ._names import Category, Color, Counting, Metric, ZugzwangKind


def _moves(plies: int | None) -> int | None:
    """The winner's moves in so many plies."""
    return None if plies is None else (abs(plies) + 1) // 2


def _plies(answer: Mapping[str, Any], names: Iterable[str]) -> dict[Metric, int | None]:
    return {Metric(name): answer[name] for name in names if name in answer}


_METRICS = [metric.value for metric in Metric]


@dataclass(frozen=True)
class Valued:
    """A position, or a move, with its class and depths."""

    category: Category
    """The class for the side to move (after a move: for the opponent)."""
    plies: Mapping[Metric, int | None]
    """The depth by metric; None for a draw, or where it is not known."""
    checkmate: bool
    """Whether the side to move is mated."""
    stalemate: bool
    """Whether the side to move is stalemated."""

    @property
    def dtm(self) -> int | None:
        """Plies to mate."""
        return self.plies.get(Metric.DTM)

    @property
    def dtc(self) -> int | None:
        """Plies to a conversion."""
        return self.plies.get(Metric.DTC)

    @property
    def dtz(self) -> int | None:
        """Plies to a zeroing move."""
        return self.plies.get(Metric.DTZ)

    @property
    def dtz50(self) -> int | None:
        """Plies to a zeroing move under the 50-move rule."""
        return self.plies.get(Metric.DTZ50)

    @property
    def dtm50(self) -> int | None:
        """Plies to mate under the 50-move rule."""
        return self.plies.get(Metric.DTM50)

    def moves_to(self, metric: str = Metric.DTM) -> int | None:
        """The depth in moves of the winner."""
        return _moves(self.plies.get(Metric(metric)))

    def _depths(self) -> str:
        known = (f"{metric} {plies}" for metric, plies in self.plies.items() if plies is not None)
        return ", ".join([str(self.category), *known])


@dataclass(frozen=True, repr=False)
class Move(Valued):
    """A legal move, and the position after it as the opponent sees it: a move
    to a ``loss`` wins."""

    uci: str
    san: str
    zeroing: bool
    """Whether it is a capture or a pawn move."""

    def __repr__(self) -> str:
        return f"<Move {self.san}: leads to {self._depths()}>"


@dataclass(frozen=True, repr=False)
class Answer(Valued):
    """A position with its value, and every legal move, the best first."""

    fen: str
    side_to_move: Color
    moves: tuple[Move, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    """Metrics that are not known, and why."""

    @property
    def best(self) -> Move | None:
        """A best move; None if the game is over, or moves were not asked for."""
        return self.moves[0] if self.moves else None

    def __repr__(self) -> str:
        best = f"; {self.best.san}" if self.best else ""
        return f"<Answer {self.fen}: {self._depths()}{best}>"

    def _repr_svg_(self) -> str:
        best = [self.best.uci] if self.best and self.category != Category.LOSS else []
        caption = f"{str(self.side_to_move).capitalize()} to move: {self._depths()}"
        return _molien.board_svg(self.fen, best, [caption])


@dataclass(frozen=True, repr=False)
class Found(Valued):
    """A position inside another answer."""

    fen: str
    side_to_move: Color

    def __repr__(self) -> str:
        return f"<Found {self.fen}: {self._depths()}>"

    def _repr_svg_(self) -> str:
        caption = f"{str(self.side_to_move).capitalize()} to move: {self._depths()}"
        return _molien.board_svg(self.fen, [], [caption])


def _valued(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "category": Category(answer["category"]),
        "plies": _plies(answer, _METRICS),
        "checkmate": answer["checkmate"],
        "stalemate": answer["stalemate"],
    }


def _found(answer: Mapping[str, Any]) -> Found:
    return Found(fen=answer["fen"], side_to_move=Color(answer["side_to_move"]), **_valued(answer))


def _move(told: Mapping[str, Any]) -> Move:
    return Move(uci=told["uci"], san=told["san"], zeroing=told["zeroing"], **_valued(told))


def answer(told: Mapping[str, Any]) -> Answer:
    """The answer of a probe."""
    return Answer(
        fen=told["fen"],
        side_to_move=Color(told["side_to_move"]),
        moves=tuple(_move(m) for m in told.get("moves", ())),
        missing={m["metric"]: m["reason"] for m in told.get("missing", ())},
        **_valued(told),
    )


@dataclass(frozen=True, repr=False)
class SideStats:
    """The figures of one side to move."""

    positions: int
    wins: int
    draws: int
    losses: int
    cursed_wins: int | None
    """Won, but drawn by the 50-move rule; in DTZ50 only."""
    blessed_losses: int | None
    win_plies: Mapping[int, int]
    """How many positions are won in so many plies."""
    loss_plies: Mapping[int, int]
    longest_win: Found | None
    longest_loss: Found | None

    def histogram(self) -> Any:
        """A NumPy array with a row for every ply from 0: wins and losses."""
        import numpy

        deepest = max([*self.win_plies, *self.loss_plies], default=-1)
        counts: Any = numpy.zeros((deepest + 1, 2), dtype=numpy.int64)
        for column, numbers in enumerate((self.win_plies, self.loss_plies)):
            for ply, number in numbers.items():
                counts[ply, column] = number
        return counts

    def __repr__(self) -> str:
        counts = f"{self.wins:,} wins, {self.draws:,} draws, {self.losses:,} losses"
        return f"<SideStats {self.positions:,} positions: {counts}>"


@dataclass(frozen=True, repr=False)
class Stats:
    """The figures of a material in one metric. A notebook shows the histogram."""

    material: str
    metric: Metric
    counting: Counting
    white_to_move: SideStats
    black_to_move: SideStats
    mutual_zugzwangs: Mapping[ZugzwangKind, int]
    svg: str

    def __repr__(self) -> str:
        return (
            f"<Stats {self.material} in {self.metric}: White to move "
            f"{self.white_to_move!r}, Black to move {self.black_to_move!r}>"
        )

    def _repr_svg_(self) -> str:
        return self.svg


def _side(told: Mapping[str, Any]) -> SideStats:
    def position(name: str) -> Found | None:
        return _found(told[name]) if told[name] else None

    def plies(name: str) -> dict[int, int]:
        return {int(ply): count for ply, count in told[name].items()}

    return SideStats(
        positions=told["legal"],
        wins=told["wins"],
        draws=told["draws"],
        losses=told["losses"],
        cursed_wins=told.get("cursed_wins"),
        blessed_losses=told.get("blessed_losses"),
        win_plies=plies("win_plies"),
        loss_plies=plies("loss_plies"),
        longest_win=position("longest_win"),
        longest_loss=position("longest_loss"),
    )


def stats(told: Mapping[str, Any], svg: str) -> Stats:
    """The figures of a material."""
    zugzwangs = told["mutual_zugzwangs"]
    return Stats(
        material=told["material"],
        metric=Metric(told["metric"]),
        counting=Counting(told["counting"]),
        white_to_move=_side(told["white_to_move"]),
        black_to_move=_side(told["black_to_move"]),
        mutual_zugzwangs={
            kind: zugzwangs[kind.value.replace("-", "_")] for kind in ZugzwangKind
        },
        svg=svg,
    )


@dataclass(frozen=True)
class LineMove:
    """A move of a line."""

    san: str
    uci: str
    mark: str
    """How it stands out among the others."""
    equals: tuple[str, ...]
    """The other optimal moves."""
    fen: str
    """The position before it."""
    side_to_move: Color
    plies: int | None
    """The depth of that position in the metric that decides first."""


@dataclass(frozen=True, repr=False)
class Line:
    """Best play."""

    fen: str
    category: Category | None
    result: str
    moves: tuple[LineMove, ...]
    end: str
    """Why it ends: ``mate``, for instance."""
    last_fen: str
    text: str
    """The moves with their signs, as ``molien line`` prints them."""
    pgn: str

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<Line of {len(self)} plies from {self.fen}: {self.text}>"

    def _repr_html_(self) -> str:
        arrow = [self.moves[0].uci] if self.moves else []
        return f"{_molien.board_svg(self.fen, arrow, [])}<p>{escape(self.text)}</p>"


def _line_move(told: Mapping[str, Any]) -> LineMove:
    return LineMove(
        san=told["san"],
        uci=told["uci"],
        mark=told["mark"],
        equals=tuple(told["equals"]),
        fen=told["fen"],
        side_to_move=Color(told["side_to_move"]),
        plies=next((told[name] for name in _METRICS if name in told), None),
    )


def line(told: Mapping[str, Any], text: str, pgn: str) -> Line:
    """A line of best play."""
    return Line(
        fen=told["fen"],
        category=Category(told["category"]) if told["category"] else None,
        result=told["result"],
        moves=tuple(_line_move(move) for move in told["moves"]),
        end=told["end"],
        last_fen=told["last_fen"],
        text=text,
        pgn=pgn,
    )


@dataclass(frozen=True)
class JudgedMove:
    """A move of a game, judged."""

    line: int
    """The line of the file."""
    number: str
    san: str
    fen: str
    """The position before it."""
    side_to_move: Color
    category: Category
    """The class of that position."""
    category_kept: Category
    """What the move leaves its player."""
    main_line: bool
    kept: bool
    """Whether it keeps the result."""
    unique: bool
    """Whether it is the only move that does."""
    dual: bool
    others: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Game:
    """A game or study, judged."""

    number: int
    title: str
    study: bool
    verdict: str | None
    """What is to be said of a study."""
    flaw: str | None
    """Its first flaw: ``wrong-result``, ``mistake`` or ``second-solution``."""
    problem: str | None
    """What is malformed."""
    moves: tuple[JudgedMove, ...]
    pgn: str
    """The game with annotations."""

    @property
    def mistakes(self) -> tuple[JudgedMove, ...]:
        """The moves that throw something away."""
        return tuple(move for move in self.moves if not move.kept)

    def __repr__(self) -> str:
        return f"<Game {self.number}, {self.title}: {len(self.moves)} moves judged>"


def _judged(told: Mapping[str, Any]) -> JudgedMove:
    return JudgedMove(
        line=told["line"],
        number=told["number"],
        san=told["san"],
        fen=told["fen"],
        side_to_move=Color(told["side_to_move"]),
        category=Category(told["category"]),
        category_kept=Category(told["category_kept"]),
        main_line=told["main_line"],
        kept=told["kept"],
        unique=told["unique"],
        dual=told["dual"],
        others=tuple(told["others"]),
    )


def game(told: Mapping[str, Any], pgn: str) -> Game:
    """A game, judged."""
    problem = told["problem"]
    return Game(
        number=told["game"],
        title=told["title"],
        study=told["study"],
        verdict=told["verdict"],
        flaw=told["flaw"]["kind"] if told["flaw"] else None,
        problem=f"line {problem['line']}: {problem['problem']}" if problem else None,
        moves=tuple(_judged(move) for move in told["moves"]),
        pgn=pgn,
    )


@dataclass(frozen=True, repr=False)
class FreeMan:
    """One man tried on every square. A notebook shows the board."""

    man: str
    side_to_move: Color
    metric: Metric
    squares: Mapping[str, Found]
    """The squares on which the position is legal."""
    svg: str

    def __repr__(self) -> str:
        return f"<FreeMan {self.man} on {len(self.squares)} squares in {self.metric}>"

    def _repr_svg_(self) -> str:
        return self.svg


def free(told: Mapping[str, Any], svg: str) -> FreeMan:
    """One man tried on every square."""
    return FreeMan(
        man=told["man"],
        side_to_move=Color(told["side_to_move"]),
        metric=Metric(told["metric"]),
        squares={square: _found(found) for square, found in told["squares"].items()},
        svg=svg,
    )


@dataclass(frozen=True, repr=False)
class Zugzwang:
    """A mutual zugzwang: whoever moves is worse off."""

    kind: ZugzwangKind
    white_to_move: Found
    black_to_move: Found

    @property
    def loser(self) -> Found:
        """With the side to move that loses; White's where both do."""
        lost = self.white_to_move.category in (Category.LOSS, Category.MAYBE_LOSS)
        return self.white_to_move if lost else self.black_to_move

    def __repr__(self) -> str:
        return f"<Zugzwang {self.kind}: {self.loser.fen}, {self.loser._depths()}>"

    def _repr_svg_(self) -> str:
        sides = (self.white_to_move, self.black_to_move)
        captions = [f"{str(s.side_to_move).capitalize()} to move: {s._depths()}" for s in sides]
        return _molien.board_svg(self.loser.fen, [], captions)


def zugzwang(told: Mapping[str, Any]) -> Zugzwang:
    """A mutual zugzwang."""
    return Zugzwang(
        kind=ZugzwangKind(told["type"]),
        white_to_move=_found(told["white_to_move"]),
        black_to_move=_found(told["black_to_move"]),
    )


@dataclass(frozen=True, repr=False)
class Maximum:
    """The deepest wins or losses of one side to move, all of them."""

    side_to_move: Color
    category: Category
    metric: Metric
    plies: int
    moves: int
    """The winner's moves."""
    fens: tuple[str, ...]

    def __repr__(self) -> str:
        what = f"{self.category} in {abs(self.plies)} plies, {len(self.fens)} positions"
        return f"<Maximum {self.side_to_move} to move: {what}>"

    def _repr_svg_(self) -> str:
        side = str(self.side_to_move).capitalize()
        caption = f"{side} to move: {self.category}, {self.metric} {self.plies} plies"
        return _molien.board_svg(self.fens[0], [], [caption])


def maxima(told: Mapping[str, Any]) -> tuple[Maximum, ...]:
    """The deepest positions of a material."""
    name = told["metric"]
    return tuple(
        Maximum(
            side_to_move=Color(group["side_to_move"]),
            category=Category(group["category"]),
            metric=Metric(name),
            plies=group[name],
            moves=group["moves"],
            fens=tuple(group["fens"]),
        )
        for group in told["maxima"]
    )


@dataclass(frozen=True)
class Explanation:
    """Why a pawn ending is won or drawn."""

    fen: str
    side_to_move: Color
    category: Category | None
    """The class without the 50-move rule; None if neither rules nor search decide."""
    winner: Color | None
    function: str
    rule: str
    sentences: tuple[str, ...]

    def __str__(self) -> str:
        return " ".join(f"{sentence}." for sentence in self.sentences)

    def _repr_html_(self) -> str:
        return f"{_molien.board_svg(self.fen)}<p>{escape(str(self))}</p>"


def explanation(told: Mapping[str, Any]) -> Explanation:
    """Why a pawn ending is won or drawn."""
    known = told["category"] in {category.value for category in Category}
    return Explanation(
        fen=told["fen"],
        side_to_move=Color(told["side_to_move"]),
        category=Category(told["category"]) if known else None,
        winner=Color(told["winner"]) if told["winner"] else None,
        function=told["function"],
        rule=told["rule"],
        sentences=tuple(told["sentences"]),
    )


@dataclass(frozen=True)
class Solved:
    """A table that is solved."""

    material: str
    metric: Metric
    positions: int
    longest_white_win_plies: int | None
    longest_black_win_plies: int | None
    seconds: float


def solved(told: Mapping[str, Any]) -> Solved:
    """A table that is solved."""
    return Solved(
        material=told["material"],
        metric=Metric(told["metric"]),
        positions=told["positions"],
        longest_white_win_plies=told["longest_white_win_plies"],
        longest_black_win_plies=told["longest_black_win_plies"],
        seconds=told["seconds"],
    )
