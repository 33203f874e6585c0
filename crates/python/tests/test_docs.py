"""What the pages show of Python runs."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import pytest

CRATE = Path(__file__).parent.parent
PAGES = [CRATE / "README.md", CRATE.parent.parent / "docs" / "python.md"]
FENS = ["8/8/8/8/8/2k5/8/K6R w - - 0 1", "8/8/8/8/8/2k5/8/K6R b - - 0 1"]
# Lines that need a package which the checks do without run where it is installed.
OPTIONAL = ["duckdb", "pandas", "polars"]


def blocks(page: Path) -> list[str]:
    return re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)


def without(block: str, absent: list[str]) -> str:
    """The lines that need none of the packages; others do nothing."""

    def kept(line: str) -> str:
        indent = line[: len(line) - len(line.lstrip())]
        return f"{indent}pass" if any(word in line for word in absent) else line

    return "\n".join(map(kept, block.splitlines()))


def test_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The default folder is below this one.
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    names: dict[str, object] = {"fens": FENS}
    absent = []
    for package in OPTIONAL:
        if importlib.util.find_spec(package):
            names[package] = __import__(package)
        else:
            absent.append(package)
    for page in PAGES:
        found = blocks(page)
        assert found, page
        for block in found:
            exec(without(block, absent), names)
    assert any(tmp_path.rglob("KRvK.mol"))
