"""The words of the library: metrics, classes, ways to count."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum


class _Word(str, Enum):
    """A word that is equal to its name: ``Category.WIN == "win"``."""

    def __str__(self) -> str:
        return str(self.value)


class Metric(_Word):
    """What plies count."""

    DTM = "dtm"
    """To mate."""
    DTC = "dtc"
    """To a capture, a promotion or mate."""
    DTZ = "dtz"
    """To a capture, a pawn move or mate, without the 50-move rule."""
    DTZ50 = "dtz50"
    """The same with the 50-move rule, as Syzygy counts it."""
    DTM50 = "dtm50"
    """To mate under the 50-move rule."""
    WDL = "wdl"
    """Nothing: only the five classes are told."""


class Category(_Word):
    """The class of a position, for the side to move."""

    WIN = "win"
    MAYBE_WIN = "maybe-win"
    CURSED_WIN = "cursed-win"
    DRAW = "draw"
    BLESSED_LOSS = "blessed-loss"
    MAYBE_LOSS = "maybe-loss"
    LOSS = "loss"


class Counting(_Word):
    """Which positions are counted as different."""

    UNIQUE = "unique"
    NALIMOV = "nalimov"
    STILLER = "stiller"


class ZugzwangKind(_Word):
    """Who gains from the other side's having to move."""

    WHITE_WINS = "white-wins"
    BLACK_WINS = "black-wins"
    FULL_POINT = "full-point"


class Color(_Word):
    """A side."""

    WHITE = "white"
    BLACK = "black"


ALL_METRICS = (Metric.DTM, Metric.DTC, Metric.DTZ, Metric.DTZ50)
"""The metrics that are told where none is named."""


def metric_names(metrics: str | Iterable[str] | None) -> list[str]:
    """The names of some metrics; of all four if none is named."""
    if metrics is None:
        metrics = ALL_METRICS
    if isinstance(metrics, str):
        metrics = [metrics]
    return [str(metric) for metric in metrics]
