"""Every cell of the example notebook runs, and shows what it should."""

from __future__ import annotations

from pathlib import Path

import nbclient
import nbformat

NOTEBOOK = Path(__file__).parent.parent / "examples" / "tour.ipynb"


def test_the_notebook_runs() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error"]
    pictures = [output for output in outputs if "image/svg+xml" in output.get("data", {})]
    # The position, the histogram, the deepest win, the free man, a zugzwang.
    assert len(pictures) == 5
    lists = [output.text for output in outputs if output.output_type == "stream"]
    assert any("<Zugzwang white-wins" in text for text in lists)
