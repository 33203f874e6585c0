"""Chess endgames solved exactly.

>>> import molien
>>> with molien.Tablebase(in_memory=True) as tables:
...     print(tables.probe("8/8/8/8/8/2k5/8/K6R w - - 0 1", "dtm"))
<Answer 8/8/8/8/8/2k5/8/K6R w - - 0 1: win, dtm 27; Rd1>
"""

from ._batches import Batch, Positions
from ._errors import (
    DamagedTable,
    IllegalPosition,
    Interrupted,
    InvalidInput,
    MissingTable,
    MolienError,
    TooLarge,
)
from ._molien import VERSION as __version__
from ._names import ALL_METRICS, Category, Color, Counting, Metric, ZugzwangKind
from ._results import (
    Answer,
    Explanation,
    Found,
    FreeMan,
    Game,
    JudgedMove,
    Line,
    LineMove,
    Maximum,
    Move,
    SideStats,
    Solved,
    Stats,
    Zugzwang,
)
from ._tablebase import Tablebase, board_svg, default_folder, explain, solve

__all__ = [
    "ALL_METRICS",
    "Answer",
    "Batch",
    "Category",
    "Color",
    "Counting",
    "DamagedTable",
    "Explanation",
    "Found",
    "FreeMan",
    "Game",
    "IllegalPosition",
    "Interrupted",
    "InvalidInput",
    "JudgedMove",
    "Line",
    "LineMove",
    "Maximum",
    "Metric",
    "MissingTable",
    "MolienError",
    "Move",
    "Positions",
    "SideStats",
    "Solved",
    "Stats",
    "Tablebase",
    "TooLarge",
    "Zugzwang",
    "ZugzwangKind",
    "__version__",
    "board_svg",
    "default_folder",
    "explain",
    "solve",
]
