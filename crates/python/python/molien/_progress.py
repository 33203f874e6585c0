"""How a solve is going, on the terminal or in the notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

Listener = Callable[[Mapping[str, Any]], object]
"""Called with ``event`` (``begin``, ``wave`` or ``end``), ``material`` and
``metric``; with ``total`` at the beginning, ``ply`` and ``decided`` for a wave."""


class _Bars:
    """A tqdm bar for every table that is being solved."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bars: dict[tuple[str, str], Any] = {}

    def __call__(self, news: Mapping[str, Any]) -> None:
        key = (news["material"], news["metric"])
        if news["event"] == "begin":
            name = " ".join(key)
            bar = self._tqdm(desc=name, total=news["total"], unit=" positions", unit_scale=True)
            self._bars[key] = bar
        elif news["event"] == "wave" and key in self._bars:
            self._bars[key].update(news["decided"])
        elif news["event"] == "end" and key in self._bars:
            self._bars.pop(key).close()


def _lines(news: Mapping[str, Any]) -> None:
    if news["event"] == "end":
        print(f"{news['material']} {news['metric']} solved", file=sys.stderr)


def listener(progress: bool | Listener | None) -> Listener | None:
    """What hears the news: nobody, a function, or bars if tqdm is installed."""
    if progress is None or progress is False:
        return None
    if callable(progress):
        return progress
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _lines
    return _Bars(tqdm)
